// Where flushes take data along (Open MPI's pt2pt), a write that is fenced at once, as those before it were,
// is one message and its answer: it is flushed and not sent first. Which flushes that takes is counted by the
// profiling interface.
#include "armci/base/mpi_traits.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <armcix.h>

#include <array>
#include <atomic>
#include <functional>
#include <sched.h>
#include <string>

namespace armci_test {
namespace {

class FenceHabits : public testing::Test {
protected:
    Region region{100'000};
    const int target = neighbour();
    std::array<double, 64> data{};

    void SetUp() override
    {
        if (const std::string why = why_not_flushed(target); !why.empty())
            GTEST_SKIP() << why;
        if (!armci::traits::in_use.flushes_take_data_along)
            GTEST_SKIP()
                << "the flushes of this MPI ask nothing of the target, so that there is nothing to join";
        ARMCI_Barrier();
        add(); // what the first accumulate takes more (gmr/network/modes.hpp) is not counted
        ARMCI_Fence(target);
    }
    void TearDown() override { ARMCI_Barrier(); }

    long flushes_of(const std::function<void()>& act)
    {
        pmpi::reset();
        act();
        return pmpi::count("MPI_Win_flush");
    }
    // Until a write is flushed by itself. Whoever is interrupted between a write and its fence starts anew,
    // so this takes three turns where the machine is idle, and has many.
    void learn(const std::function<void()>& write)
    {
        for (int turn = 0; turn < 100'000; ++turn) {
            const long flushes = flushes_of(write);
            const long sent = pmpi::count("MPI_Win_flush_local_all");
            ASSERT_EQ(1, flushes + sent) << pmpi::report();
            ASSERT_EQ(sent, flushes_of([&] { ARMCI_Fence(target); })) << "what was flushed needs no fence";
            if (flushes == 1)
                return;
        }
        FAIL() << "no write was flushed by itself";
    }
    void put() { ARMCI_Put(data.data(), region.of(target), sizeof data, target); }
    void put_rows()
    {
        int stride[] = {32};
        int count[] = {16, 16};
        ARMCI_PutS(data.data(), stride, region.of(target, 8000), stride, count, 1, target);
    }
    void add()
    {
        double one = 1;
        ARMCI_Acc(ARMCI_ACC_DBL, &one, data.data(), region.of(target, 16'000), sizeof data, target);
    }
};

TEST_F(FenceHabits, a_write_that_is_fenced_at_once_is_flushed_and_not_sent_first)
{
    for (const auto& write :
         {std::function<void()>{[&] { put(); }}, {[&] { put_rows(); }}, {[&] { add(); }}}) {
        learn(write);
        ARMCI_Put(data.data(), region.of(target), 8, target); // the next one begins without the habit
        ARMCI_Put(data.data(), region.of(target), 8, target);
        ARMCI_Fence(target);
    }
}

TEST_F(FenceHabits, a_flush_that_no_fence_followed_is_the_last)
{
    learn([&] { put(); });
    put();
    EXPECT_EQ(0, flushes_of([&] { put(); })) << "the one before was not fenced";
    EXPECT_EQ(1, pmpi::count("MPI_Win_flush_local_all"));
    EXPECT_EQ(1, flushes_of([&] { ARMCI_Fence(target); }));
}

// In a ring, so that everybody flushes while somebody flushes to it.
TEST_F(FenceHabits, data_are_there_when_the_fence_returns)
{
    constexpr long flag_at = 800;
    *region.as<long>(rank(), flag_at) = 0;
    ARMCI_Barrier();
    for (long round = 1; round <= 300; ++round) {
        data.fill(static_cast<double>(round));
        put();
        ARMCI_Fence(target);
        long number = round;
        ARMCI_Put(&number, region.of(target, flag_at), sizeof number, target);
        ARMCI_Fence(target);
        while (std::atomic_ref(*region.as<long>(rank(), flag_at)).load(std::memory_order_acquire) < round) {
            ARMCIX_Progress();
            sched_yield();
        }
        for (std::size_t i = 0; i < data.size(); ++i)
            ASSERT_EQ(static_cast<double>(round), region.as<double>(rank())[i]) << i;
        ARMCI_Barrier(); // the one that writes to me goes on
    }
}

} // namespace
} // namespace armci_test
