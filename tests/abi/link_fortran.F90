! A Fortran program that calls the library through C bindings and uses mp3.fh.
program link_fortran
    use, intrinsic :: iso_c_binding
    implicit none
#include "mp3.fh"

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

    integer :: me, processes, right, left
    type(c_ptr), allocatable :: base(:)

    MP_INIT()
    MP_MYID(me)
    MP_PROCS(processes)
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
    MP_BARRIER()
    if (me == 0) print '(a, i0, a)', "Fortran: right on ", processes, " processes"
    if (ARMCI_Finalize() /= 0) error stop "ARMCI_Finalize failed"
    MP_FINALIZE()
end program
