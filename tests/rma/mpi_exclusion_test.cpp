// CPUs of a node add to its memory while the target is outside of MPI, also after another node came. They use
// MPI while the target is inside a call that lasts. Counted by the profiling interface.
#include "armci/base/mpi_traits.hpp"
#include "gmr/network/mpi_exclusion.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/pmpi_count.hpp"

#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstring>

namespace armci_test {
namespace {

using Clock = std::chrono::steady_clock;

long atomics()
{
    return pmpi::count("MPI_Accumulate") + pmpi::count("MPI_Raccumulate") + pmpi::count("MPI_Fetch_and_op") +
           pmpi::count("MPI_Compare_and_swap");
}

// The first two ranks are one node, the others another.
class MpiExclusion : public testing::Test {
protected:
    static constexpr int elements = 64;
    static constexpr long count_at = elements * sizeof(double);
    Region region{count_at + 64};
    const int mate = rank() ^ 1;
    const int far = (rank() + 2) % 4;
    const bool covers_counters = armci::traits::in_use.target_fetches;

    void SetUp() override
    {
        ASSERT_EQ(4, size());
        ASSERT_TRUE(ARMCI_Same_node(mate) && !ARMCI_Same_node(far));
        std::memset(region.mine(), 0, count_at + 64);
        ARMCI_Barrier();
        if (armci::gmr::MpiExclusion::the_one() == nullptr)
            GTEST_SKIP() << "this MPI adds otherwise: gmr/network/modes keeps CPUs and MPI apart ("
                         << armci::traits::name_of(armci::traits::in_use.component) << ")";
    }

    void add(int process, double value = 1)
    {
        double one = 1;
        std::array<double, elements> terms;
        terms.fill(value);
        ASSERT_EQ(0, ARMCI_Acc(ARMCI_ACC_DBL, &one, terms.data(), region.of(process), sizeof terms, process));
    }
    long draw(int process)
    {
        long number = -1;
        EXPECT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, region.of(process, count_at), 1, process));
        return number;
    }
    double first(int process) { return std::atomic_ref(*region.as<double>(process)).load(); }
};

TEST_F(MpiExclusion, the_node_uses_the_cpu_after_another_node_came)
{
    add(far);
    draw(far);
    ARMCI_Barrier();
    add(far); // in the same epoch as what follows
    ARMCI_AllFence();
    MPI_Barrier(MPI_COMM_WORLD);
    // A mate may still be inside that barrier, or its service inside MPI, without a core: then some go by
    // MPI. With modes all would.
    pmpi::reset();
    for (int i = 0; i < 100; ++i)
        for (const int process : {rank(), mate})
            add(process);
    EXPECT_GT(150, atomics()) << pmpi::report();
    if (covers_counters) {
        pmpi::reset();
        for (int i = 0; i < 100; ++i)
            draw(mate);
        EXPECT_GT(75, atomics()) << pmpi::report();
    }
    ARMCI_Barrier();
    EXPECT_EQ(2 + 200, first(rank()));
}

TEST_F(MpiExclusion, another_node_claims_nothing)
{
    pmpi::reset();
    add(far);
    EXPECT_EQ(1, atomics()) << pmpi::report();
    EXPECT_EQ(0, pmpi::count("MPI_Get")) << pmpi::report();
    EXPECT_EQ(0, pmpi::count("MPI_Fetch_and_op")) << pmpi::report();
    ARMCI_Barrier();
    EXPECT_EQ(1, first(rank()));
}

// The target waits in a call of the program until its mate's operations are done: these must not wait for it.
TEST_F(MpiExclusion, a_target_that_blocks_in_mpi_is_reached_by_mpi)
{
    long rounds = 0;
    if (rank() % 2 == 0) {
        MPI_Recv(&rounds, 1, MPI_LONG, mate, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else {
        const Clock::time_point last = Clock::now() + std::chrono::seconds(20);
        long by_mpi = 0;
        pmpi::reset();
        while (by_mpi < 20 && Clock::now() < last) { // the target is not in MPI at once
            add(mate);
            draw(mate);
            ++rounds;
            by_mpi = pmpi::count("MPI_Accumulate") + pmpi::count("MPI_Raccumulate");
        }
        ARMCI_Fence(mate);
        EXPECT_EQ(20, by_mpi) << "the target was inside MPI: " << pmpi::report();
        MPI_Send(&rounds, 1, MPI_LONG, mate, 7, MPI_COMM_WORLD);
    }
    ARMCI_Barrier();
    EXPECT_EQ(rank() % 2 == 0 ? rounds : 0, first(rank()));
    EXPECT_EQ(rank() % 2 == 0 ? rounds : 0, *region.as<long>(rank(), count_at));
}

// All add to all, while each process computes, blocks in MPI and goes in and out of it by turns.
TEST_F(MpiExclusion, no_sum_is_lost)
{
    constexpr int rounds = 300;
    int token = 0;
    for (int round = 0; round < rounds; ++round) {
        add((rank() + round) % size(), 1);
        draw((rank() + 1 + round) % size());
        if (round % 50 == 49) {
            switch (rank() % 3) {
            case 0:
                MPI_Barrier(MPI_COMM_WORLD);
                break;
            case 1: {
                const Clock::time_point end = Clock::now() + std::chrono::milliseconds(3);
                while (Clock::now() < end)
                    ;
                MPI_Barrier(MPI_COMM_WORLD);
                break;
            }
            default:
                for (int i = 0; i < 200; ++i) {
                    int flag = 0;
                    MPI_Iprobe(MPI_ANY_SOURCE, 99, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
                }
                MPI_Barrier(MPI_COMM_WORLD);
            }
            MPI_Bcast(&token, 1, MPI_INT, 0, MPI_COMM_WORLD);
        }
    }
    ARMCI_Barrier();
    const auto* const sums = region.as<double>(rank());
    for (int i = 0; i < elements; ++i)
        EXPECT_EQ(rounds, sums[i]) << "element " << i;
    EXPECT_EQ(rounds, *region.as<long>(rank(), count_at));
}

} // namespace
} // namespace armci_test
