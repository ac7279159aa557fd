# Language level, warnings and sanitizers: what every target of the project is compiled with.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 99)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)

set(ARMCI_COMPILE_FLAGS -Wall -Wextra)
if(ARMCI_WERROR)
    list(APPEND ARMCI_COMPILE_FLAGS -Werror)
endif()

set(ARMCI_SANITIZE_FLAGS "")
if(ARMCI_SANITIZE)
    set(ARMCI_SANITIZE_FLAGS
        -fsanitize=${ARMCI_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
    # A sanitizer's checks keep GCC from seeing that a variable is set.
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
        list(APPEND ARMCI_SANITIZE_FLAGS -Wno-maybe-uninitialized)
    endif()
    # GCC's thread sanitizer sees no fences, and warns of each.
    if(ARMCI_SANITIZE STREQUAL "thread")
        list(APPEND ARMCI_SANITIZE_FLAGS -Wno-tsan)
    endif()
endif()

add_compile_options("$<$<COMPILE_LANGUAGE:C,CXX>:${ARMCI_COMPILE_FLAGS}>" ${ARMCI_SANITIZE_FLAGS})
add_link_options(${ARMCI_SANITIZE_FLAGS})
