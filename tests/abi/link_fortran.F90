! A Fortran program that calls the library through C bindings.
program link_fortran
    use, intrinsic :: iso_c_binding
    implicit none
    include 'mpif.h'

    interface
        integer(c_int) function ARMCI_Init() bind(C, name="ARMCI_Init")
            import :: c_int
        end function
        integer(c_int) function ARMCI_Finalize() bind(C, name="ARMCI_Finalize")
            import :: c_int
        end function
        integer(c_int) function ARMCI_Malloc(base, bytes) bind(C, name="ARMCI_Malloc")
            import :: c_int, c_long, c_ptr
            type(c_ptr), intent(out) :: base(*)
            integer(c_long), value :: bytes
        end function
        integer(c_int) function ARMCI_Free(ptr) bind(C, name="ARMCI_Free")
            import :: c_int, c_ptr
            type(c_ptr), value :: ptr
        end function
        integer(c_int) function ARMCI_PutValueInt(src, dst, proc) bind(C, name="ARMCI_PutValueInt")
            import :: c_int, c_ptr
            integer(c_int), value :: src, proc
            type(c_ptr), value :: dst
        end function
        integer(c_int) function ARMCI_GetValueInt(src, proc) bind(C, name="ARMCI_GetValueInt")
            import :: c_int, c_ptr
            type(c_ptr), value :: src
            integer(c_int), value :: proc
        end function
        subroutine ARMCI_Barrier() bind(C, name="ARMCI_Barrier")
        end subroutine
    end interface

    integer :: me, processes, right, left, ierr
    type(c_ptr), allocatable :: base(:)

    call mpi_init(ierr)
    call mpi_comm_rank(MPI_COMM_WORLD, me, ierr)
    call mpi_comm_size(MPI_COMM_WORLD, processes, ierr)
    if (ARMCI_Init() /= 0) error stop "ARMCI_Init failed"
    right = mod(me + 1, processes)
    left = mod(me + processes - 1, processes)

    allocate (base(0:processes - 1))
    if (ARMCI_Malloc(base, 4_c_long) /= 0) error stop "ARMCI_Malloc failed"
    if (ARMCI_PutValueInt(me, base(right), right) /= 0) error stop "ARMCI_PutValueInt failed"
    call ARMCI_Barrier()
    if (ARMCI_GetValueInt(base(me), me) /= left) error stop "wrong value from the left neighbour"
    call ARMCI_Barrier()
    if (ARMCI_Free(base(me)) /= 0) error stop "ARMCI_Free failed"
    deallocate (base)
    call mpi_barrier(MPI_COMM_WORLD, ierr)
    if (me == 0) print '(a, i0, a)', "Fortran: right on ", processes, " processes"
    if (ARMCI_Finalize() /= 0) error stop "ARMCI_Finalize failed"
    call mpi_finalize(ierr)
end program
