# The libraries. Targets:
#   armci_objects   every source, compiled once, position-independent
#   armci           libarmci.so; ARMCI::armci
#   armci_static    libarmci.a; ARMCI::armci_static
#   armci_internal  for unit tests: all symbols, and headers by their path from the repository root

file(GLOB armci_sources CONFIGURE_DEPENDS
    armci/*.cpp armci/base/*.cpp armci/base/check/*.cpp armci/base/observe/*.cpp armci/service/*.cpp
    gmr/*.cpp gmr/active_messages/*.cpp gmr/memory/*.cpp gmr/node/*.cpp gmr/node/kernels/*.cpp gmr/network/*.cpp gmr/transfer/*.cpp gmr/regions/*.cpp
    strided/*.cpp iov/*.cpp mutex/*.cpp)
set(armci_public_headers
    armci/include/armci.h armci/include/armcix.h armci/include/message.h armci/include/mp3.h)

# The version script names the functions of the public headers; those of MPI that the library wraps follow.
set(armci_map ${CMAKE_CURRENT_BINARY_DIR}/libarmci.map)
set(armci_map_source ${CMAKE_CURRENT_SOURCE_DIR}/armci/libarmci.map)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${armci_map_source})
include(cmake/gated_functions.cmake)
set(armci_gated_symbols "")
foreach(name IN LISTS armci_gated_names)
    string(APPEND armci_gated_symbols "        ${name};\n        P${name};\n")
endforeach()
file(READ ${armci_map_source} armci_map_text)
string(REPLACE "    local:" "${armci_gated_symbols}    local:" armci_map_text "${armci_map_text}")
file(CONFIGURE OUTPUT ${armci_map} CONTENT "${armci_map_text}" @ONLY)

add_library(armci_objects OBJECT ${armci_sources})
set_target_properties(armci_objects PROPERTIES POSITION_INDEPENDENT_CODE ON)
target_include_directories(armci_objects PUBLIC
    ${CMAKE_CURRENT_SOURCE_DIR} ${CMAKE_CURRENT_SOURCE_DIR}/armci/include)
target_include_directories(armci_objects PRIVATE ${CMAKE_CURRENT_BINARY_DIR})
set_source_files_properties(armci/service/gated_mpi.cpp PROPERTIES
    SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON COMPILE_OPTIONS "-fno-exceptions;-Os"
    OBJECT_DEPENDS ${CMAKE_CURRENT_BINARY_DIR}/armci_gated_functions.inc)
target_compile_definitions(armci_objects
    PRIVATE ARMCI_RMA_VERSION="${PROJECT_VERSION}" ARMCI_SERVICE=$<BOOL:${ARMCI_SERVICE}>
    # MPI's own C++ classes would make the library need another library.
    PUBLIC OMPI_SKIP_MPICXX MPICH_SKIP_MPICXX)
# Before 2.34 glibc had dlsym and shm_open in libraries of their own.
set(armci_system_libraries ${CMAKE_DL_LIBS} rt)
target_link_libraries(armci_objects PUBLIC MPI::MPI_C Threads::Threads ${armci_system_libraries})

# What a full build of many kinds costs most is to read the same headers for each file. Developers of Open MPI's build read what
# most files include once; ARMCI_BATCHES compiles files together, which a change of one file is the slower for. MPICH's build
# takes each file as it is, as users' builds do, so that a missing include is found.
if(ARMCI_BATCHES)
    set_target_properties(armci_objects PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE 12)
    # Names and lines; all of it takes half as long again. What is to be installed has none (abi_release).
    target_compile_options(armci_objects PRIVATE $<$<NOT:$<CONFIG:Release,MinSizeRel>>:-g1>)
elseif(ARMCI_BUILD_TESTS AND ARMCI_MPI_FLAVOUR STREQUAL "openmpi")
    target_precompile_headers(armci_objects PRIVATE <mpi.h> <algorithm> <array> <atomic> <chrono> <map> <memory> <mutex>
        <optional> <string> <unordered_map> <vector>)
endif()

# The short ways are some ten instructions, whose speed depends on where they lie in their cache lines, by up to a third. So they
# lie alike whatever else changes.
target_compile_options(armci_objects PRIVATE -falign-functions=64)

# libarmci.a is made of machine code by tools that know no other (static_library.cmake).
target_compile_options(armci_objects PRIVATE -fno-lto)
set_target_properties(armci_objects PROPERTIES INTERPROCEDURAL_OPTIMIZATION OFF)

# All instruction sets give the same bits.
set_source_files_properties(gmr/node/kernels/accumulate.cpp PROPERTIES
    COMPILE_OPTIONS -ffp-contract=off SKIP_PRECOMPILE_HEADERS ON)

add_library(armci SHARED)
add_library(ARMCI::armci ALIAS armci)
target_link_libraries(armci PRIVATE armci_objects PUBLIC MPI::MPI_C)
target_include_directories(armci PUBLIC
    $<BUILD_INTERFACE:${CMAKE_CURRENT_SOURCE_DIR}/armci/include> $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
# armci.h includes mpi.h, which brings C++ programs MPI's old C++ classes in Open MPI 4, and a library of their own to link.
target_compile_definitions(armci INTERFACE "$<$<COMPILE_LANGUAGE:CXX>:OMPI_SKIP_MPICXX;MPICH_SKIP_MPICXX>")
set_target_properties(armci PROPERTIES
    LINKER_LANGUAGE CXX
    VERSION ${PROJECT_VERSION}
    SOVERSION ${PROJECT_VERSION_MAJOR}
    # Programs bring their MPI; the library must not name the one of this machine.
    SKIP_BUILD_RPATH ON
    LINK_DEPENDS ${armci_map})
# Never unloaded: threads, handlers and what MPI calls back lead into it.
target_link_options(armci PRIVATE -Wl,--version-script=${armci_map} -Wl,-z,nodelete)
if(NOT ARMCI_SANITIZE)
    target_link_options(armci PRIVATE -Wl,-z,defs)
endif()

add_library(armci_internal STATIC EXCLUDE_FROM_ALL)
target_link_libraries(armci_internal PUBLIC armci_objects)
set_target_properties(armci_internal PROPERTIES LINKER_LANGUAGE CXX)

include(cmake/static_library.cmake)
