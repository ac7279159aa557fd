! A program in Fortran that starts and ends MPI itself, and calls it between and beside ARMCI's calls.
program busy_fortran
#ifdef WITH_MODULE
    use mpi
#endif
    implicit none
#ifndef WITH_MODULE
    include 'mpif.h'
#endif
    interface
        subroutine busy_run(rounds, inside) bind(c)
            use iso_c_binding
            integer(c_int), value :: rounds, inside
        end subroutine
    end interface
    integer :: error, me, everybody, mine
    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
    call busy_run(2, 1)
    mine = me
    call MPI_Allreduce(mine, everybody, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, error)
    if (me == 0) print *, 'answered while computing', everybody
    call MPI_Finalize(error)
end program
