# Which MPI the build is for. The C interface is all the library uses; the wrapper named by MPI_C_COMPILER decides.

# FindMPI wants a path; presets give the wrappers' names, as Debian has them: elsewhere mpicc.openmpi is mpicc.
foreach(wrapper MPI_C_COMPILER MPI_Fortran_COMPILER MPIEXEC_EXECUTABLE)
    if(DEFINED ${wrapper} AND NOT IS_ABSOLUTE "${${wrapper}}")
        string(REGEX MATCH "^(.*)[.](openmpi|mpich)$" armci_suffixed "${${wrapper}}")
        if(wrapper STREQUAL MPI_C_COMPILER)
            set(armci_asked_for "${CMAKE_MATCH_2}")
        endif()
        unset(armci_path)
        find_program(armci_path NAMES "${${wrapper}}" ${CMAKE_MATCH_1} NO_CACHE)
        if(armci_path)
            set(${wrapper} "${armci_path}" CACHE FILEPATH "" FORCE)
        endif()
    endif()
endforeach()

find_package(MPI 3.0 REQUIRED COMPONENTS C)
find_package(Threads REQUIRED)

# Test programs in Fortran are built with the wrapper, as a user would.
if(NOT MPI_Fortran_COMPILER)
    find_program(MPI_Fortran_COMPILER NAMES mpif90 mpifort)
endif()

include(CheckSymbolExists)
set(CMAKE_REQUIRED_INCLUDES ${MPI_C_INCLUDE_DIRS})
check_symbol_exists(OPEN_MPI mpi.h ARMCI_MPI_IS_OPENMPI)
check_symbol_exists(MPICH_VERSION mpi.h ARMCI_MPI_IS_MPICH)
unset(CMAKE_REQUIRED_INCLUDES)
if(ARMCI_MPI_IS_OPENMPI)
    set(ARMCI_MPI_FLAVOUR openmpi)
elseif(ARMCI_MPI_IS_MPICH)
    set(ARMCI_MPI_FLAVOUR mpich)
else()
    set(ARMCI_MPI_FLAVOUR other)
endif()
message(STATUS "MPI: ${ARMCI_MPI_FLAVOUR} (${MPI_C_COMPILER})")
if(armci_asked_for AND NOT armci_asked_for STREQUAL ARMCI_MPI_FLAVOUR)
    unset(ARMCI_MPI_IS_OPENMPI CACHE) # another wrapper may be named next
    unset(ARMCI_MPI_IS_MPICH CACHE)
    message(FATAL_ERROR "${armci_asked_for} was asked for, and ${MPI_C_COMPILER} is the wrapper of another MPI (${ARMCI_MPI_FLAVOUR}); "
        "name that of ${armci_asked_for} by -DMPI_C_COMPILER=")
endif()
