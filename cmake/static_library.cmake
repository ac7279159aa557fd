# libarmci.a, linkable with a C or Fortran compiler driver alone. All objects and what they need of the C++ runtime
# are linked into one relocatable object in which only the public symbols stay global. The unwinder is left out:
# every driver of a C, C++ or Fortran compiler links one.

# GNU's tools, also when the compiler is Clang: others know no --force-group-allocation.
find_program(ARMCI_GNU_LD NAMES ld.bfd ld REQUIRED)
find_program(ARMCI_GNU_OBJCOPY NAMES objcopy gobjcopy REQUIRED)

separate_arguments(armci_flags UNIX_COMMAND "${CMAKE_CXX_FLAGS}") # which may choose another libstdc++
execute_process(
    COMMAND ${CMAKE_CXX_COMPILER} ${armci_flags} -print-file-name=libstdc++.a
    OUTPUT_VARIABLE armci_libstdcxx_archive OUTPUT_STRIP_TRAILING_WHITESPACE)
if(NOT IS_ABSOLUTE "${armci_libstdcxx_archive}")
    set(armci_lacks "${CMAKE_CXX_COMPILER} has no libstdc++.a to build libarmci.a with (RHEL's package is libstdc++-static)")
    if(ARMCI_BUILD_TESTS OR ARMCI_BUILD_BENCHMARKS)
        message(FATAL_ERROR "${armci_lacks}; tests and benchmarks want it")
    endif()
    message(WARNING "${armci_lacks}; only the shared library is built")
    return()
endif()

# The public names come from the version script, so that both libraries have one list.
file(STRINGS ${armci_map} armci_map_lines REGEX "^ +[A-Za-z_]+[A-Za-z0-9_]*;$")
set(armci_public_symbols "")
foreach(line IN LISTS armci_map_lines)
    string(REGEX REPLACE "[ ;]" "" symbol "${line}")
    string(APPEND armci_public_symbols "${symbol}\n")
endforeach()
file(CONFIGURE OUTPUT armci_public_symbols.txt CONTENT "${armci_public_symbols}" @ONLY)

set(armci_archive ${CMAKE_CURRENT_BINARY_DIR}/libarmci.a)
set(armci_core ${CMAKE_CURRENT_BINARY_DIR}/armci_core.o)
add_custom_command(
    OUTPUT ${armci_archive}
    # Groups are resolved here: a group that shared its name with one in the user's program would be dropped in
    # favour of that one at the final link, although our copies of its symbols are local by then.
    COMMAND ${ARMCI_GNU_LD} -r --force-group-allocation -o ${armci_core}
        $<FILTER:$<TARGET_OBJECTS:armci_objects>,EXCLUDE,[.]gch$> ${armci_libstdcxx_archive}
    # objcopy cannot make a unique symbol local, but it can make it weak, and a weak one local.
    COMMAND ${ARMCI_GNU_OBJCOPY} --wildcard --weaken-symbol=_Z* ${armci_core}
    COMMAND ${ARMCI_GNU_OBJCOPY}
        --keep-global-symbols=${CMAKE_CURRENT_BINARY_DIR}/armci_public_symbols.txt ${armci_core}
    COMMAND ${CMAKE_COMMAND} -E rm -f ${armci_archive}
    COMMAND ${CMAKE_AR} qcs ${armci_archive} ${armci_core}
    DEPENDS armci_objects $<FILTER:$<TARGET_OBJECTS:armci_objects>,EXCLUDE,[.]gch$> ${armci_libstdcxx_archive}
        ${CMAKE_CURRENT_BINARY_DIR}/armci_public_symbols.txt
    BYPRODUCTS ${armci_core}
    COMMAND_EXPAND_LISTS VERBATIM
    COMMENT "Linking static library libarmci.a")
add_custom_target(armci_archive ALL DEPENDS ${armci_archive})

add_library(armci_static STATIC IMPORTED GLOBAL)
add_library(ARMCI::armci_static ALIAS armci_static)
add_dependencies(armci_static armci_archive)
set_target_properties(armci_static PROPERTIES IMPORTED_LOCATION ${armci_archive})
target_include_directories(armci_static INTERFACE ${CMAKE_CURRENT_SOURCE_DIR}/armci/include)
target_link_libraries(armci_static INTERFACE MPI::MPI_C Threads::Threads ${armci_system_libraries})
