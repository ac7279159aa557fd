// What mpi_main.cpp offers to the tests of a program.
#pragma once

#include <cstdint>
#include <random>

namespace armci_test {

// Rank and number of ranks in MPI_COMM_WORLD.
int rank();
int size();

// The same number on all ranks: TEST_SEED if it is set, a new one otherwise. Rank 0 prints it at the start.
std::uint64_t seed();

// Generators made from the seed and `stream`: the same one on all ranks, and a different one on each.
std::mt19937_64 common_generator(std::uint64_t stream = 0);
std::mt19937_64 rank_generator(std::uint64_t stream = 0);

// Waits for all ranks without using a core; makes no MPI call that pmpi_count counts.
void quiet_barrier();

// Set by the options of armci_add_gtest.
extern const bool program_starts_armci;
extern const bool program_has_threads;

} // namespace armci_test
