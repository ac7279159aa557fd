# Global Arrays as a distribution packages it: static, once for each MPI. It needs ScaLAPACK of the same MPI, and the
# Fortran runtime. Target armci_global_arrays if all is here; otherwise armci_global_arrays_missing says what is not.
# An ARMCI library goes after it on the link line: libga has ARMCI's symbols undefined.

set(armci_global_arrays_missing "")
find_path(ARMCI_GA_INCLUDE_DIR ga.h)
if(NOT ARMCI_GA_INCLUDE_DIR)
    list(APPEND armci_global_arrays_missing ga.h)
endif()
find_library(ARMCI_GA_LIBRARY NAMES ga-${ARMCI_MPI_FLAVOUR})
if(NOT ARMCI_GA_LIBRARY)
    list(APPEND armci_global_arrays_missing libga-${ARMCI_MPI_FLAVOUR})
endif()
set(armci_below_ga "")
foreach(library scalapack-${ARMCI_MPI_FLAVOUR} lapack blas)
    string(MAKE_C_IDENTIFIER "ARMCI_GA_${library}_LIBRARY" variable)
    find_library(${variable} NAMES ${library})
    if(${variable})
        list(APPEND armci_below_ga ${${variable}})
    else()
        list(APPEND armci_global_arrays_missing lib${library})
    endif()
endforeach()
# The Fortran runtime lives in the compiler's own folder, which only the compiler knows.
execute_process(COMMAND ${CMAKE_C_COMPILER} -print-file-name=libgfortran.so
    OUTPUT_VARIABLE armci_fortran_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
if(IS_ABSOLUTE "${armci_fortran_runtime}" AND EXISTS "${armci_fortran_runtime}")
    list(APPEND armci_below_ga ${armci_fortran_runtime})
else()
    list(APPEND armci_global_arrays_missing libgfortran)
endif()

if(armci_global_arrays_missing)
    list(JOIN armci_global_arrays_missing ", " armci_global_arrays_missing)
else()
    # Imported, so that it keeps its place before ARMCI: what an interface library names goes to the end of the line.
    add_library(armci_global_arrays UNKNOWN IMPORTED GLOBAL)
    set_target_properties(armci_global_arrays PROPERTIES
        IMPORTED_LOCATION "${ARMCI_GA_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${ARMCI_GA_INCLUDE_DIR}"
        INTERFACE_LINK_LIBRARIES "${armci_below_ga};m")
endif()
unset(armci_below_ga)
unset(armci_fortran_runtime)
