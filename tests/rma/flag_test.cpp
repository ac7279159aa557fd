// Put with a flag: a process that only loads sees all the data as soon as it sees the flag.
#include "tests/rma/region.hpp"

#include <armcix.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <sched.h>

namespace armci_test {
namespace {

constexpr long bytes = 6000;

// A slice: an int flag for data from the left, an int for the answer from the right, then the data.
class Flag : public testing::Test {
protected:
    static constexpr long data_at = 64;
    Region region{data_at + bytes};
    const int right = neighbour(), left = neighbour(size() - 1);

    Flag()
    {
        std::memset(region.mine(), 0, data_at);
        ARMCI_Barrier();
    }

    static void await(int* flag, int value)
    {
        while (std::atomic_ref<int>(*flag).load(std::memory_order_acquire) != value) {
            ARMCIX_Progress();
            sched_yield();
        }
    }

    // Everybody sends `send(round)` to the right and checks what came from the left, over and over.
    template <class Send, class Expected>
    void run(int rounds, Send send, Expected expected)
    {
        for (int round = 1; round <= rounds; ++round) {
            send(round);
            await(region.as<int>(rank()), round);
            const auto wanted = expected(round);
            ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), region.mine(data_at))) << "round " << round;
            // The left one may overwrite the data now.
            int round_done = round;
            ASSERT_EQ(0, ARMCI_Put_flag(&round_done, nullptr, 0, region.as<int>(left, 4), round, left));
            await(region.as<int>(rank(), 4), round);
        }
    }
};

TEST_F(Flag, put_flag_comes_after_all_sizes_of_data)
{
    std::vector<int> sizes{1, 4, 8, 24, 64, 65, 200, 1000, 4096, static_cast<int>(bytes)};
    run(
        200,
        [&](int round) {
            const int n = sizes[static_cast<std::size_t>(round) % sizes.size()];
            auto data = pattern_bytes(static_cast<std::uint64_t>(round), static_cast<std::size_t>(n));
            ASSERT_EQ(0, ARMCI_Put_flag(data.data(), region.of(right, data_at), n, region.as<int>(right),
                                        round, right));
        },
        [&](int round) {
            return pattern_bytes(
                static_cast<std::uint64_t>(round),
                static_cast<std::size_t>(sizes[static_cast<std::size_t>(round) % sizes.size()]));
        });
}

// Earlier puts to the same process are seen with the flag, too: mine to one target are in order.
TEST_F(Flag, strided_puts_with_flag_by_both_names)
{
    std::vector<std::byte> model(bytes);
    std::fill_n(region.mine(data_at), bytes, std::byte{0});
    ARMCI_Barrier();
    const auto rows = [](int round) {
        return pattern_bytes(static_cast<std::uint64_t>(1000 + round), 30 * 40);
    };
    run(
        100,
        [&](int round) {
            auto data = rows(round);
            int source_stride[] = {40}, target_stride[] = {100 + round}, count[] = {40, 30};
            auto* const call = round % 2 == 0 ? ARMCI_PutS_flag : ARMCI_PutS_flag_dir;
            ASSERT_EQ(0, call(data.data(), source_stride, region.of(right, data_at), target_stride, count, 1,
                              region.as<int>(right), round, right));
        },
        [&](int round) {
            const auto data = rows(round);
            for (std::size_t row = 0; row < 30; ++row)
                std::copy_n(&data[40 * row], 40, &model[row * static_cast<std::size_t>(100 + round)]);
            return model;
        });
}

TEST_F(Flag, may_lie_in_another_region_than_the_data)
{
    Region flags(sizeof(int));
    *flags.as<int>(rank()) = 0;
    ARMCI_Barrier();
    auto data = pattern_bytes(7, bytes);
    ASSERT_EQ(0,
              ARMCI_Put_flag(data.data(), region.of(right, data_at), bytes, flags.as<int>(right), -5, right));
    await(flags.as<int>(rank()), -5);
    EXPECT_TRUE(std::equal(data.begin(), data.end(), region.mine(data_at)));
}

} // namespace
} // namespace armci_test
