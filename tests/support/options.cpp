// Compiled into each test program, with what armci_add_gtest was told.
#include "tests/support/mpi_test.hpp"

namespace armci_test {

const bool program_starts_armci = TEST_OWN_INIT;
const bool program_has_threads = TEST_THREADS;

} // namespace armci_test
