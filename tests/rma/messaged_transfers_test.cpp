// Puts, gets and signals to other nodes' memory go as messages, too: no MPI call carries them, the target may
// compute, and they are complete when the interface says so.
#include "gmr/active_messages/active_messages.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/pmpi_count.hpp"

#include <armcix.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <numeric>
#include <vector>

namespace armci_test {
namespace {

// The first two ranks are one node, the others another.
class MessagedTransfers : public testing::Test {
protected:
    static constexpr long bytes = 256 * 1024;
    Region region{2 * bytes};
    const int far = (rank() + 2) % 4;

    void SetUp() override
    {
        ASSERT_EQ(4, size());
        ASSERT_NE(nullptr, armci::gmr::ActiveMessages::the_one());
        for (long i = 0; i < 2 * bytes; ++i)
            region.mine()[i] = pattern(static_cast<std::uint64_t>(rank()), static_cast<std::uint64_t>(i));
        ARMCI_Barrier();
    }
    // Compares with what SetUp() has written, where no test has written since.
    void expect_initial(const std::byte* got, int process, long offset, long count)
    {
        for (long i = 0; i < count; ++i)
            ASSERT_EQ(pattern(static_cast<std::uint64_t>(process), static_cast<std::uint64_t>(offset + i)),
                      got[i])
                << "byte " << offset + i << " of process " << process;
    }
};

TEST_F(MessagedTransfers, no_mpi_call_carries_them)
{
    std::array<std::byte, 512> here{};
    pmpi::reset();
    ASSERT_EQ(0, ARMCI_Put(here.data(), region.of(far), 64, far));
    ASSERT_EQ(0, ARMCI_Get(region.of(far, bytes), here.data(), 64, far));
    ASSERT_EQ(0, ARMCI_PutValueLong(5, region.of(far, 64), far));
    int stride = 16;
    std::array<int, 2> count{8, 20};
    ASSERT_EQ(0, ARMCI_PutS(here.data(), &stride, region.of(far, 128), &stride, count.data(), 1, far));
    ASSERT_EQ(0, ARMCI_GetS(region.of(far, bytes), &stride, here.data(), &stride, count.data(), 1, far));
    std::array<void*, 2> there{region.of(far, 500), region.of(far, 600)};
    std::array<void*, 2> mine{here.data(), here.data() + 10};
    armci_giov_t vector{mine.data(), there.data(), 10, 2};
    ASSERT_EQ(0, ARMCI_PutV(&vector, 1, far));
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ASSERT_EQ(0, ARMCI_NbGet(region.of(far, bytes), here.data(), 64, far, &handle));
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    ASSERT_EQ(0, ARMCI_NbGet(region.of(far, bytes), here.data(), 64, far, nullptr));
    ASSERT_EQ(0, ARMCI_WaitProc(far));
    ASSERT_EQ(0, ARMCI_Put_flag(here.data(), region.of(far, 700), 8, region.as<int>(far, 720), 1, far));
    armci_notify(far);
    armci_notify_wait(far, nullptr);
    ARMCI_AllFence();
    EXPECT_EQ(0, pmpi::rma()) << pmpi::report();
    ARMCI_Barrier();
}

// Both directions of each connection are full, and no process reads before it has written.
TEST_F(MessagedTransfers, long_ones_cross_one_another)
{
    constexpr int rounds = 64;
    std::vector<std::vector<std::byte>> got(rounds, std::vector<std::byte>(bytes));
    const std::vector<std::byte> sent(bytes, std::byte{7});
    std::vector<armci_hdl_t> handles(rounds);
    for (int round = 0; round < rounds; ++round) {
        ARMCI_INIT_HANDLE(&handles[static_cast<std::size_t>(round)]);
        ASSERT_EQ(0, ARMCI_NbGet(region.of(far, bytes), got[static_cast<std::size_t>(round)].data(), bytes,
                                 far, &handles[static_cast<std::size_t>(round)]));
        ASSERT_EQ(0, ARMCI_Put(const_cast<std::byte*>(sent.data()), region.of(far), bytes, far));
    }
    for (int round = rounds; round-- > 0;) {
        ASSERT_EQ(0, ARMCI_Wait(&handles[static_cast<std::size_t>(round)]));
        expect_initial(got[static_cast<std::size_t>(round)].data(), far, bytes, bytes);
    }
    ARMCI_Barrier();
    EXPECT_TRUE(std::equal(sent.begin(), sent.end(), region.mine()));
}

// A strided get and put of rows that are received and sent by themselves, and of rows that are copied.
TEST_F(MessagedTransfers, patches_of_any_size_arrive)
{
    for (const auto& [row, rows] : {std::pair{3, 5000}, {64, 2000}, {1000, 100}, {20000, 6}, {100000, 2}}) {
        int there = row + row / 3;
        int here = row + 5;
        std::array<int, 2> count{row, rows};
        std::vector<std::byte> got(static_cast<std::size_t>(here) * static_cast<std::size_t>(rows),
                                   std::byte{1});
        ASSERT_EQ(0, ARMCI_GetS(region.of(far, bytes), &there, got.data(), &here, count.data(), 1, far));
        for (int i = 0; i < rows; ++i)
            expect_initial(&got[static_cast<std::size_t>(i * here)], far, bytes + i * there, row);
        ASSERT_EQ(0, ARMCI_PutS(got.data(), &here, region.of(far), &there, count.data(), 1, far));
        ARMCI_Barrier();
        for (int i = 0; i < rows; ++i)
            expect_initial(region.mine(static_cast<long>(i) * there), rank(), bytes + i * there, row);
        ARMCI_Barrier();
    }
}

// A process that has put, and computes, has no call in which what it held back could go.
TEST_F(MessagedTransfers, what_is_held_back_goes_soon)
{
    auto* const word = region.as<long>(rank());
    std::atomic_ref(*word).store(-1);
    ARMCI_Barrier();
    long value = 42 + far;
    ASSERT_EQ(0, ARMCI_Put(&value, region.of(far), sizeof value, far));
    const auto last = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::atomic_ref(*word).load() == -1 && std::chrono::steady_clock::now() < last) {
    }
    EXPECT_EQ(42 + rank(), std::atomic_ref(*word).load());
    ARMCI_Barrier();
}

// The same for gets, which a test alone would send.
TEST_F(MessagedTransfers, tests_of_handles_come_to_an_end)
{
    constexpr int gets = 40;
    std::array<std::array<std::byte, 32>, gets> got{};
    std::array<armci_hdl_t, gets> handles{};
    for (int i = 0; i < gets; ++i) {
        ARMCI_INIT_HANDLE(&handles[static_cast<std::size_t>(i)]);
        ASSERT_EQ(0, ARMCI_NbGet(region.of(far, bytes + i), got[static_cast<std::size_t>(i)].data(), 32, far,
                                 &handles[static_cast<std::size_t>(i)]));
    }
    for (int i = gets; i-- > 0;) {
        while (ARMCI_Test(&handles[static_cast<std::size_t>(i)]) != 0) {
        }
        expect_initial(got[static_cast<std::size_t>(i)].data(), far, bytes + i, 32);
    }
}

TEST_F(MessagedTransfers, gets_without_handles_are_complete_where_the_interface_says_so)
{
    const std::array<int (*)(int), 3> ends{[](int process) { return ARMCI_WaitProc(process); },
                                           [](int) { return ARMCI_WaitAll(); },
                                           [](int) {
                                               ARMCI_Barrier();
                                               return 0;
                                           }};
    for (const auto end : ends) {
        std::vector<std::byte> got(bytes);
        for (long at = 0; at < bytes; at += bytes / 8)
            ASSERT_EQ(0, ARMCI_NbGet(region.of(far, bytes + at), &got[static_cast<std::size_t>(at)],
                                     static_cast<int>(bytes / 8), far, nullptr));
        ASSERT_EQ(0, end(far));
        expect_initial(got.data(), far, bytes, bytes);
    }
}

// With no fence between.
TEST_F(MessagedTransfers, signals_come_behind_the_data)
{
    auto* const flag = region.as<int>(rank(), bytes);
    std::atomic_ref(*flag).store(0);
    ARMCI_Barrier();
    std::vector<std::byte> data(bytes);
    for (int round = 1; round <= 20; ++round) {
        std::fill(data.begin(), data.end(), static_cast<std::byte>(round));
        if (round % 2 != 0) {
            ASSERT_EQ(0, ARMCI_Put_flag(data.data(), region.of(far), bytes, region.as<int>(far, bytes), round,
                                        far));
            while (std::atomic_ref(*flag).load(std::memory_order_acquire) != round)
                ARMCIX_Progress();
        } else {
            ASSERT_EQ(0, ARMCI_Put(data.data(), region.of(far), bytes, far));
            armci_notify(far);
            armci_notify_wait(far, nullptr);
        }
        EXPECT_EQ(bytes, std::count(region.mine(), region.mine(bytes), static_cast<std::byte>(round)));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

// More bytes than all buffers between two processes hold. Each tells the other to go on before it waits for
// them.
TEST_F(MessagedTransfers, signals_arrive_while_gets_are_under_way)
{
    constexpr long large = 32L << 20;
    const Region source(large);
    std::vector<std::byte> got(large);
    std::memset(source.mine(), rank() + 1, large);
    auto* const flag = region.as<int>(rank(), bytes);
    std::atomic_ref(*flag).store(0);
    ARMCI_Barrier();
    for (int round = 1; round <= 2; ++round) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ASSERT_EQ(0, ARMCI_NbGet(source.of(far), got.data(), large, far, &handle));
        if (round == 1) {
            armci_notify(far);
            armci_notify_wait(far, nullptr);
        } else {
            ASSERT_EQ(0, ARMCI_Put_flag(&round, region.of(far), sizeof round, region.as<int>(far, bytes),
                                        round, far));
            while (std::atomic_ref(*flag).load(std::memory_order_acquire) != round)
                ARMCIX_Progress();
        }
        ASSERT_EQ(0, ARMCI_Wait(&handle));
        EXPECT_EQ(large, std::count(got.begin(), got.end(), static_cast<std::byte>(far + 1)));
        MPI_Barrier(MPI_COMM_WORLD);
    }
}

} // namespace
} // namespace armci_test
