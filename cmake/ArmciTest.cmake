# Tests that run under MPI.
#
#   armci_add_mpi_test(NAME n COMMAND target-or-program [ARGS a ...] RANKS 1 2 4
#                      [TIMEOUT s] [LABELS l ...] [ENV A=b ...] [FAILS_WITH regex] [SERIAL])
#       one test <n>.np<R> for each rank count (with ARMCI_TESTS_OF_MPI for the least and the largest); it passes if
#       every rank ends with status 0. With FAILS_WITH it
#       passes if the job ends with another status and prints what the (grep -E) regex matches. SERIAL: no other
#       test runs meanwhile.
#
#   armci_add_gtest(NAME n SOURCES s ... [RANKS 1 2 4] [INTERNAL] [OWN_INIT] [THREADS] [COUNT_MPI]
#                   [LIBRARIES l ...] [and TIMEOUT, LABELS, ENV, SERIAL as above])
#       a GoogleTest program with tests/support/mpi_main.cpp as its main, and its tests.
#       INTERNAL   linked with all symbols of the library instead of with libarmci.so
#       OWN_INIT   ARMCI_Init and ARMCI_Finalize are the program's business; MPI's are not
#       THREADS    asks for MPI_THREAD_MULTIPLE
#       COUNT_MPI  links tests/support/pmpi_count.cpp
#       LIBRARIES  go before libarmci on the link line

include_guard(GLOBAL)

set(armci_test_support ${PROJECT_SOURCE_DIR}/tests/support)

set(armci_test_environment "")
set(armci_test_patience 1)
if(ARMCI_SANITIZE)
    set(armci_test_patience 4)
    list(APPEND armci_test_environment
        # A program of a test may have libraries preloaded. LeakSanitizer crashes in its record of __tls_get_addr calls, so it keeps none.
        "ASAN_OPTIONS=halt_on_error=1:verify_asan_link_order=0:intercept_tls_get_addr=0"
        "LSAN_OPTIONS=suppressions=${armci_test_support}/lsan.supp:print_suppressions=0:leak_check_at_exit=0"
        "UBSAN_OPTIONS=print_stacktrace=1:halt_on_error=1"
        "TSAN_OPTIONS=suppressions=${armci_test_support}/tsan.supp:halt_on_error=1:second_deadlock_stack=1")
    # UCX's hooks of memory calls crash under the thread sanitizer.
    if(ARMCI_SANITIZE STREQUAL "thread")
        list(APPEND armci_test_environment UCX_MEM_EVENTS=n)
    endif()
endif()

# Open MPI with UCX for messages and windows, over TCP.
set(armci_test_over_ucx OMPI_MCA_pml=ucx OMPI_MCA_osc=ucx OMPI_MCA_opal_common_ucx_tls=any OMPI_MCA_opal_common_ucx_devices=any
    UCX_TLS=tcp,self)

if(ARMCI_MPI_FLAVOUR STREQUAL "mpich")
    list(APPEND armci_test_environment TEST_MPICH_YIELD=$<TARGET_FILE:mpich_yield>)
endif()

function(armci_add_mpi_test)
    cmake_parse_arguments(PARSE_ARGV 0 arg "SERIAL" "NAME;COMMAND;TIMEOUT;FAILS_WITH" "ARGS;RANKS;LABELS;ENV")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_COMMAND OR NOT arg_RANKS)
        message(FATAL_ERROR "armci_add_mpi_test(${ARGV}): wants NAME, COMMAND and RANKS, "
            "and knows nothing of: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    math(EXPR timeout "${arg_TIMEOUT} * ${armci_test_patience}")
    # The launcher's own limit comes first: it ends the job tidily and says what it was.
    math(EXPR last_resort "${timeout} + 20")
    set(program ${arg_COMMAND})
    if(TARGET ${arg_COMMAND})
        set(program $<TARGET_FILE:${arg_COMMAND}>)
    endif()
    set(judge "")
    if(arg_FAILS_WITH)
        set(judge ${armci_test_support}/fails_with ${arg_FAILS_WITH})
    endif()
    if(ARMCI_TESTS_OF_MPI)
        list(GET arg_RANKS 0 least)
        list(GET arg_RANKS -1 largest)
        set(arg_RANKS ${least} ${largest})
        list(REMOVE_DUPLICATES arg_RANKS)
    endif()
    foreach(ranks IN LISTS arg_RANKS)
        set(test ${arg_NAME}.np${ranks})
        add_test(NAME ${test}
            COMMAND ${judge} ${armci_test_support}/launch ${ARMCI_MPI_FLAVOUR} ${ranks}
                ${program} ${arg_ARGS})
        # A test with more ranks than ctest has slots runs alone.
        set_tests_properties(${test} PROPERTIES
            PROCESSORS ${ranks}
            TIMEOUT ${last_resort}
            SKIP_RETURN_CODE 77
            LABELS "${arg_LABELS}"
            ENVIRONMENT "${armci_test_environment};TEST_TIMEOUT=${timeout};${arg_ENV}"
            RUN_SERIAL ${arg_SERIAL})
    endforeach()
endfunction()

function(armci_add_gtest)
    cmake_parse_arguments(PARSE_ARGV 0 arg "INTERNAL;OWN_INIT;THREADS;COUNT_MPI;SERIAL" "NAME;TIMEOUT"
        "SOURCES;RANKS;LABELS;ENV;LIBRARIES")
    if(arg_UNPARSED_ARGUMENTS OR NOT arg_NAME OR NOT arg_SOURCES)
        message(FATAL_ERROR "armci_add_gtest(${ARGV}): wants NAME and SOURCES, "
            "and knows nothing of: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT arg_RANKS)
        set(arg_RANKS 1)
    endif()
    if(NOT arg_TIMEOUT)
        set(arg_TIMEOUT 120)
    endif()
    add_executable(${arg_NAME} ${arg_SOURCES} ${armci_test_support}/options.cpp)
    # So that stacks have names.
    set_target_properties(${arg_NAME} PROPERTIES ENABLE_EXPORTS ON CXX_VISIBILITY_PRESET default)
    target_compile_definitions(${arg_NAME} PRIVATE
        TEST_OWN_INIT=$<BOOL:${arg_OWN_INIT}> TEST_THREADS=$<BOOL:${arg_THREADS}>)
    if(arg_COUNT_MPI)
        target_sources(${arg_NAME} PRIVATE ${armci_test_support}/pmpi_count.cpp)
    endif()
    if(arg_INTERNAL)
        set(library armci_internal)
    else()
        set(library armci)
    endif()
    target_link_libraries(${arg_NAME} PRIVATE armci_test_main ${arg_LIBRARIES} ${library})
    target_precompile_headers(${arg_NAME} REUSE_FROM armci_test_main)
    set(serial "")
    if(arg_SERIAL)
        set(serial SERIAL)
    endif()
    armci_add_mpi_test(NAME ${arg_NAME} COMMAND ${arg_NAME} RANKS ${arg_RANKS} TIMEOUT ${arg_TIMEOUT}
        LABELS ${arg_LABELS} ENV ${arg_ENV} ${serial})
endfunction()
