# The list of MPI functions that the library wraps (armci/service/gated_mpi.cpp), with the number of their parameters, from the
# prototypes of PMPI_ functions in mpi.h. Sets armci_gated_names. Without ARMCI_SERVICE there are none.

# What only reads what never changes while MPI runs, what cannot be forwarded, and what must not wait.
set(armci_ungated MPI_Abort MPI_Initialized MPI_Finalized MPI_Init MPI_Init_thread MPI_Pcontrol MPI_Wtime MPI_Wtick
    MPI_Comm_rank MPI_Comm_size MPI_Get_address MPI_Aint_add MPI_Aint_diff MPI_Query_thread MPI_Is_thread_main
    MPI_Get_version MPI_Get_library_version)

if(NOT ARMCI_SERVICE)
    set(armci_gated_names "")
    file(CONFIGURE OUTPUT armci_gated_functions.inc CONTENT "// ARMCI_SERVICE is OFF.\n" @ONLY)
    return()
endif()

set(armci_prototypes ${CMAKE_CURRENT_BINARY_DIR}/armci_prototypes.c)
file(CONFIGURE OUTPUT ${armci_prototypes} CONTENT "#define OMPI_OMIT_MPI1_COMPAT_DECLS 0\n#include <mpi.h>\n")
set(armci_mpi_includes "")
foreach(folder IN LISTS MPI_C_INCLUDE_DIRS)
    list(APPEND armci_mpi_includes -I${folder})
endforeach()
# MPICH 5 declares conversions of handles, and makes macros of them: a program does not call those.
execute_process(COMMAND ${CMAKE_C_COMPILER} ${armci_mpi_includes} -E -dM ${armci_prototypes}
    OUTPUT_VARIABLE armci_mpi_macros COMMAND_ERROR_IS_FATAL ANY)
string(REGEX MATCHALL "#define MPIX?_[A-Za-z0-9_]+\\(" armci_mpi_macros "${armci_mpi_macros}")
execute_process(COMMAND ${CMAKE_C_COMPILER} ${armci_mpi_includes} -E -P ${armci_prototypes}
    OUTPUT_VARIABLE armci_prototypes COMMAND_ERROR_IS_FATAL ANY)
string(REGEX REPLACE "[ \t\n]+" " " armci_prototypes "${armci_prototypes}")
string(REGEX MATCHALL "PMPIX?_[A-Z][A-Za-z0-9_]+ ?\\([^;{]*\\)" armci_prototypes "${armci_prototypes}")

set(armci_gated_names "")
set(armci_gated_list "")
foreach(prototype IN LISTS armci_prototypes)
    string(REGEX MATCH "^P(MPIX?_[A-Za-z0-9_]+) ?\\(([^)]*)" matched "${prototype}")
    set(name ${CMAKE_MATCH_1})
    set(parameters "${CMAKE_MATCH_2}")
    if(name IN_LIST armci_ungated OR name IN_LIST armci_gated_names OR "#define ${name}(" IN_LIST armci_mpi_macros)
        continue()
    endif()
    string(REGEX MATCHALL "," commas "${parameters}")
    list(LENGTH commas arity)
    if(NOT parameters MATCHES "^ ?(void)? ?$")
        math(EXPR arity "${arity} + 1")
    endif()
    list(APPEND armci_gated_names ${name})
    string(APPEND armci_gated_list "ARMCI_GATED(${arity}, ${name})\n")
endforeach()
list(LENGTH armci_gated_names armci_gated_count)
if(armci_gated_count LESS 300)
    message(FATAL_ERROR "mpi.h of ${MPI_C_COMPILER} declares only ${armci_gated_count} functions that cmake/gated_functions.cmake "
        "understands; MPI-3 has more than 300")
endif()
file(CONFIGURE OUTPUT armci_gated_functions.inc CONTENT "${armci_gated_list}" @ONLY)
list(APPEND armci_gated_names MPI_Init MPI_Init_thread)
