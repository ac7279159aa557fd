// Who does accumulates and read-modify-writes on the memory of a node: its CPUs, until another node's process
// comes, and again after a barrier of the world. Counted by the profiling interface.
#include "armci/base/mpi_traits.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <armcix.h>
#include <message.h>

#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace armci_test {
namespace {

// MPI calls that communicate while `act` runs; MPI is polled for others now and then (gmr/progress_turn.cpp).
template <class Act>
long calls(Act act)
{
    pmpi::reset();
    act();
    return pmpi::without_polls();
}

// Of them, those that move data; MPI is asked for their ends more than once.
template <class Act>
long operations(Act act)
{
    pmpi::reset();
    act();
    long sum = 0;
    for (const char* const name : {"MPI_Accumulate", "MPI_Raccumulate", "MPI_Fetch_and_op", "MPI_Get",
                                   "MPI_Rget", "MPI_Get_accumulate", "MPI_Rget_accumulate"})
        sum += pmpi::count(name);
    return sum;
}

// The first two ranks are one node, the others another; each node has a mate for each of its processes.
class Modes : public testing::Test {
protected:
    static constexpr int bytes = 1024;
    Region region{bytes};
    const int mate = rank() ^ 1;
    const int far = (rank() + 2) % 4;
    bool first_node() const { return rank() < 2; }

    void SetUp() override
    {
        ASSERT_EQ(4, size());
        ASSERT_TRUE(ARMCI_Same_node(mate) && !ARMCI_Same_node(far));
        std::memset(region.mine(), 0, bytes);
        ARMCI_Barrier();
    }

    // Sums of what everybody adds to the first elements, longs behind doubles.
    static constexpr int elements = 8;
    static constexpr long longs_at = 512;
    static constexpr long count_at = 1000;

    void add(int process)
    {
        double one = 1;
        std::array<double, elements> terms;
        terms.fill(1);
        ARMCI_Acc(ARMCI_ACC_DBL, &one, terms.data(), region.of(process), sizeof terms, process);
    }
    void add_strided(int process)
    {
        double one = 1;
        double terms[2] = {1, 1};
        int near[] = {8};
        int far_strides[] = {32};
        int count[] = {8, 2};
        ARMCI_AccS(ARMCI_ACC_DBL, &one, terms, near, region.of(process), far_strides, count, 1, process);
    }
    void add_vector(int process)
    {
        double one = 1;
        double terms[2] = {1, 1};
        void* sources[] = {&terms[0], &terms[1]};
        void* targets[] = {region.of(process, 8), region.of(process, 24)};
        armci_giov_t segments{sources, targets, 8, 2};
        ARMCI_AccV(ARMCI_ACC_DBL, &one, &segments, 1, process);
    }
    void add_longs(int process)
    {
        long one = 1;
        std::array<long, elements> terms;
        terms.fill(1);
        ARMCI_Acc(ARMCI_ACC_LNG, &one, terms.data(), region.of(process, longs_at), sizeof terms, process);
    }
    long draw(int process)
    {
        long number = -1;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, region.of(process, count_at), 1, process);
        return number;
    }
};

TEST_F(Modes, no_mpi_call_while_only_the_node_comes)
{
    // Vectors go by the CPU where their addresses are mine, too.
    const bool vectors = shares_addresses();
    EXPECT_EQ(0, calls([&] {
                  for (const int process : {rank(), mate}) {
                      add(process);
                      add_strided(process);
                      if (vectors)
                          add_vector(process);
                      add_longs(process);
                      draw(process);
                  }
              }))
        << pmpi::report();
    ARMCI_Barrier();
    EXPECT_EQ(2 + 2, region.as<double>(rank())[0]);
    EXPECT_EQ(vectors ? 2 + 2 : 2, region.as<double>(rank())[1]);
    EXPECT_EQ(2, region.as<double>(rank())[2]);
    EXPECT_EQ(2, region.as<long>(rank(), longs_at)[0]);
    EXPECT_EQ(2, *region.as<long>(rank(), count_at));
}

// By contiguous and strided sums, wherever a process sees the other one's memory.
TEST_F(Modes, no_sum_of_the_node_is_lost)
{
    constexpr int rounds = 5000;
    for (int round = 0; round < rounds; ++round)
        for (const int process : {rank(), mate}) {
            add(process);
            add_strided(process);
        }
    ARMCI_Barrier();
    EXPECT_EQ(4 * rounds, region.as<double>(rank())[0]);
    EXPECT_EQ(2 * rounds, region.as<double>(rank())[1]);
    EXPECT_EQ(4 * rounds, region.as<double>(rank())[4]);
}

TEST_F(Modes, mpi_from_when_another_node_comes_until_a_barrier)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    const std::string barriers[] = {"ARMCI_Barrier", "armci_msg_barrier", "armci_msg_group_barrier"};
    for (const std::string& barrier : barriers) {
        SCOPED_TRACE(barrier);
        if (!first_node()) {
            add(far);
            ARMCI_Fence(far);
        }
        quiet_barrier();
        const long by_mate = calls([&] { add(mate); });
        if (first_node()) {
            EXPECT_LT(0, by_mate);
        } else {
            EXPECT_EQ(0, by_mate) << pmpi::report();
        }
        ARMCI_Fence(mate); // or what is pending there would be completed first
        EXPECT_EQ(0, calls([&] {
                      add_longs(mate);
                      draw(mate);
                  }))
            << "other kinds have a mode of their own: " << pmpi::report();
        ARMCI_AllFence();
        if (barrier == barriers[0])
            ARMCI_Barrier();
        else if (barrier == barriers[1])
            armci_msg_barrier();
        else
            armci_msg_group_barrier(&world);
        EXPECT_EQ(0, calls([&] { add(mate); })) << pmpi::report();
        ARMCI_Barrier();
    }
    const int adders = first_node() ? 3 : 2; // of one in each round: the far one, the mate, the mate again
    for (int i = 0; i < elements; ++i) {
        EXPECT_EQ(3 * adders, region.as<double>(rank())[i]);
        EXPECT_EQ(3, region.as<long>(rank(), longs_at)[i]);
    }
    EXPECT_EQ(3, *region.as<long>(rank(), count_at));
}

TEST_F(Modes, a_barrier_with_something_pending_leaves_it_to_mpi)
{
    if (armci::traits::in_use.adds_at_origin)
        GTEST_SKIP() << "the library adds under its lock: nothing is pending";
    if (setting("ARMCI_EPOCHS") == "shared" || setting("ARMCI_EPOCHS") == "exclusive")
        GTEST_SKIP() << "unlocking completes: nothing is pending";
    if (!first_node()) {
        add(far); // may be complete there (gmr/network/fence_habit)
        add(far); // is blocking only, which says nothing of the target
    }
    armci_msg_barrier();
    const long by_mate = calls([&] { add(mate); });
    if (first_node()) {
        EXPECT_LT(0, by_mate);
    }
    ARMCI_Barrier();
    EXPECT_EQ(0, calls([&] { add(mate); })) << pmpi::report();
    ARMCI_Barrier();
    EXPECT_EQ(first_node() ? 4 : 2, region.as<double>(rank())[0]);
}

TEST_F(Modes, others_ask_once_in_an_epoch)
{
    if (!first_node()) {
        EXPECT_EQ(3, operations([&] { add(far); })) << "to raise the word, to read the turns, to add";
        EXPECT_EQ(1, operations([&] { add(far); }));
    }
    ARMCI_Barrier();
    EXPECT_EQ(first_node() ? 2 : 0, region.as<double>(rank())[0]);
}

TEST_F(Modes, an_operation_on_the_node_by_mpi_is_complete_when_it_returns)
{
    if (setting("ARMCI_EPOCHS") == "shared" || setting("ARMCI_EPOCHS") == "exclusive")
        GTEST_SKIP() << "unlocking completes: nothing is pending";
    if (!first_node()) {
        add(far);
        draw(far);
        ARMCI_Fence(far);
    }
    quiet_barrier();
    if (first_node()) {
        add(mate); // asks first
        draw(mate);
        const int of_an_add = armci::traits::in_use.adds_at_origin ? 2 : 1; // to take and give back a lock
        for (int i = 0; i < 3; ++i) {
            EXPECT_EQ(2 * of_an_add, calls([&] { add(mate); }))
                << "each operation and its flush: " << pmpi::report();
            EXPECT_EQ(of_an_add, pmpi::count("MPI_Win_flush"));
            EXPECT_EQ(2, calls([&] { draw(mate); })) << "the operation and a flush: " << pmpi::report();
            EXPECT_EQ(1, pmpi::count("MPI_Win_flush"));
        }
        EXPECT_EQ(0, calls([&] { ARMCI_Fence(mate); })) << pmpi::report();
    }
    ARMCI_Barrier();
    EXPECT_EQ(first_node() ? 1 + 4 : 0, region.as<double>(rank())[0]);
    EXPECT_EQ(first_node() ? 1 + 4 : 0, *region.as<long>(rank(), count_at));
}

// Another node may wait for me to enter MPI.
TEST_F(Modes, long_operations_on_the_node_let_other_nodes_in)
{
    constexpr int large = 1 << 20;
    Region large_region{large};
    std::vector<double> mine(large / sizeof(double));
    std::byte* const there = large_region.of(mate);
    int stride[] = {4096}, count[] = {2048, large / 4096};
    void *here_list[] = {mine.data()}, *there_list[] = {there};
    armci_giov_t out{here_list, there_list, large, 1};
    double one = 1;
    const auto polls = [](auto act) {
        pmpi::reset();
        act();
        return pmpi::polls_of_this_thread();
    };
    EXPECT_LT(0, polls([&] { ARMCI_Put(mine.data(), there, large, mate); }));
    EXPECT_LT(0, polls([&] { ARMCI_Get(there, mine.data(), large, mate); }));
    EXPECT_LT(0, polls([&] { ARMCI_PutS(mine.data(), stride, there, stride, count, 1, mate); }));
    EXPECT_LT(0, polls([&] { ARMCI_GetS(there, stride, mine.data(), stride, count, 1, mate); }));
    EXPECT_LT(0, polls([&] { ARMCI_Acc(ARMCI_ACC_DBL, &one, mine.data(), there, large, mate); }));
    EXPECT_LT(0, polls([&] {
                  ARMCI_AccS(ARMCI_ACC_DBL, &one, mine.data(), stride, there, stride, count, 1, mate);
              }));
    if (shares_addresses()) {
        EXPECT_LT(0, polls([&] { ARMCI_PutV(&out, 1, mate); }));
        EXPECT_LT(0, polls([&] { ARMCI_AccV(ARMCI_ACC_DBL, &one, &out, 1, mate); }));
    }
    ARMCI_Barrier();
}

} // namespace
} // namespace armci_test
