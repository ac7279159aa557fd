#include "tests/support/mpi_test.hpp"
#include "tests/support/pmpi_count.hpp"

#include <armci.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <cstdint>
#include <vector>

using namespace armci_test;

TEST(Harness, knows_the_world)
{
    int mpi_rank = -1, mpi_size = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &mpi_rank);
    MPI_Comm_size(MPI_COMM_WORLD, &mpi_size);
    EXPECT_EQ(rank(), mpi_rank);
    EXPECT_EQ(size(), mpi_size);
    EXPECT_NE(ARMCI_Initialized(), 0);
}

TEST(Harness, seed_and_common_generator_agree_on_all_ranks)
{
    std::uint64_t mine[2] = {seed(), common_generator()()};
    std::vector<std::uint64_t> all(2 * size());
    MPI_Allgather(mine, 2, MPI_UINT64_T, all.data(), 2, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int r = 0; r < size(); ++r) {
        EXPECT_EQ(all[2 * r], seed());
        EXPECT_EQ(all[2 * r + 1], mine[1]);
    }
    EXPECT_NE(common_generator(1)(), common_generator(2)());
}

TEST(Harness, rank_generators_differ)
{
    std::uint64_t mine = rank_generator()();
    std::vector<std::uint64_t> all(size());
    MPI_Allgather(&mine, 1, MPI_UINT64_T, all.data(), 1, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int r = 0; r < size(); ++r)
        EXPECT_EQ(all[r] == mine, r == rank()) << "rank " << r;
}

TEST(PmpiCount, counts_calls_of_the_program)
{
    pmpi::reset();
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Barrier(MPI_COMM_WORLD);
    int value = rank();
    MPI_Bcast(&value, 1, MPI_INT, 0, MPI_COMM_WORLD);
    EXPECT_EQ(pmpi::count("MPI_Barrier"), 2);
    EXPECT_EQ(pmpi::count("MPI_Bcast"), 1);
    EXPECT_EQ(pmpi::rma(), 0);
    EXPECT_EQ(pmpi::total(), 3);
    EXPECT_EQ(pmpi::report(), "MPI_Barrier 2, MPI_Bcast 1");
    pmpi::reset();
    EXPECT_EQ(pmpi::total(), 0);
    EXPECT_EQ(pmpi::report(), "");
}

TEST(PmpiCount, counts_one_sided_calls)
{
    // Shared: the only flavour that Open MPI 4.1 can make for a single process.
    int* slot = nullptr;
    MPI_Win window = MPI_WIN_NULL;
    pmpi::reset();
    MPI_Win_allocate_shared(sizeof *slot, sizeof *slot, MPI_INFO_NULL, MPI_COMM_SELF, &slot, &window);
    MPI_Win_lock(MPI_LOCK_SHARED, 0, 0, window);
    const int value = 5;
    MPI_Put(&value, 1, MPI_INT, 0, 0, 1, MPI_INT, window);
    MPI_Win_flush(0, window);
    EXPECT_EQ(*slot, 5);
    MPI_Win_unlock(0, window);
    EXPECT_EQ(pmpi::count("MPI_Put"), 1);
    EXPECT_EQ(pmpi::rma(), 5);
    MPI_Win_free(&window);
}

// The library's own calls go through the counters too; otherwise "no MPI call" would prove nothing.
TEST(PmpiCount, counts_calls_of_the_library)
{
    ARMCI_Group world, copy;
    ARMCI_Group_get_world(&world);
    std::vector<int> members(size());
    for (int r = 0; r < size(); ++r)
        members[r] = r;
    pmpi::reset();
    ARMCI_Group_create(size(), members.data(), &copy);
    EXPECT_GT(pmpi::total(), 0);
    ARMCI_Group_free(&copy);
}

TEST(PmpiCount, rejects_a_name_it_does_not_count)
{
    EXPECT_EQ(pmpi::count("MPI_Nonesuch"), -1);
}
