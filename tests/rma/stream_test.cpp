// Streams of small nonblocking transfers: the first starts at once, those that follow while it is in flight
// are joined where this MPI does that well, and all keep the order that a serial program would see.
#include "armci/base/mpi_traits.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <algorithm>
#include <cstring>
#include <deque>
#include <sched.h>

namespace armci_test {
namespace {

bool joins()
{
    return armci::traits::in_use.derived_types;
}

constexpr int count = 64;
constexpr long pitch = 64; // from place to place

class Stream : public testing::Test {
protected:
    static constexpr long bytes = 64 * 1024;
    Region region{bytes};
    const int target = neighbour();
    std::vector<long> data = std::vector<long>(count);

    Stream()
    {
        for (long i = 0; i < count; ++i)
            data[static_cast<std::size_t>(i)] = 1000 * rank() + i;
        store(std::vector<std::byte>(bytes), region.of(target), target);
        ARMCI_Barrier();
    }

    long* there(int i) const { return region.as<long>(target, pitch * (i * 37 % count)); }
    void put(int i, armci_hdl_t* handle)
    {
        ASSERT_EQ(0, ARMCI_NbPut(&data[static_cast<std::size_t>(i)], there(i), sizeof(long), target, handle));
    }
    void expect_all()
    {
        for (int i = 0; i < count; ++i) {
            long found = -1;
            ARMCI_Get(there(i), &found, sizeof found, target);
            ASSERT_EQ(data[static_cast<std::size_t>(i)], found) << i;
        }
    }
};

// The numbers of MPI calls, where every operation goes over the network.
class StreamCalls : public Stream {
protected:
    void SetUp() override
    {
        if (const std::string why = why_not_flushed(target); !why.empty())
            GTEST_SKIP() << why;
    }
    static long transfers()
    {
        long sum = 0;
        for (const char* const call : {"MPI_Put", "MPI_Rput", "MPI_Get", "MPI_Rget", "MPI_Accumulate",
                                       "MPI_Raccumulate", "MPI_Get_accumulate", "MPI_Rget_accumulate"})
            sum += std::max(0L, pmpi::count(call));
        return sum;
    }
};

TEST_F(StreamCalls, puts_without_handle_are_two_operations)
{
    pmpi::reset();
    put(0, nullptr);
    EXPECT_EQ(1, transfers()) << "the first starts at once";
    for (int i = 1; i < count; ++i)
        put(i, nullptr);
    ARMCI_WaitProc(target);
    EXPECT_EQ(joins() ? 2 : count, transfers()) << pmpi::report();
    pmpi::reset();
    put(0, nullptr);
    EXPECT_EQ(1, transfers()) << "nothing was in flight";
    ARMCI_WaitAll();
    expect_all();
}

TEST_F(StreamCalls, puts_with_handles_are_two_operations)
{
    armci_hdl_t handles[count];
    pmpi::reset();
    for (int i = 0; i < count; ++i) {
        ARMCI_INIT_HANDLE(&handles[i]);
        put(i, &handles[i]);
        if (i == 0) {
            EXPECT_EQ(1, transfers()) << "the first starts at once";
        }
    }
    for (int i = count - 1; i >= 0; --i)
        EXPECT_EQ(0, ARMCI_Wait(&handles[i]));
    EXPECT_EQ(joins() ? 2 : count, transfers()) << pmpi::report();
    expect_all();
}

TEST_F(StreamCalls, gets_without_handle_are_two_operations)
{
    for (int i = 0; i < count; ++i)
        put(i, nullptr);
    ARMCI_Fence(target);
    std::vector<long> back(count);
    pmpi::reset();
    for (int i = 0; i < count; ++i)
        ARMCI_NbGet(there(i), &back[static_cast<std::size_t>(i)], sizeof(long), target, nullptr);
    ARMCI_WaitProc(target);
    EXPECT_EQ(joins() ? 2 : count, transfers()) << pmpi::report();
    EXPECT_EQ(data, back);
}

TEST_F(StreamCalls, a_blocking_call_elsewhere_starts_what_waits)
{
    put(0, nullptr);
    put(1, nullptr);
    long found = 0;
    pmpi::reset();
    ARMCI_Get(region.of(target, bytes - 8), &found, sizeof found, target);
    EXPECT_EQ(joins() ? 2 : 1, transfers()) << pmpi::report();
    ARMCI_WaitAll();
}

TEST_F(StreamCalls, a_test_waits_for_nobody)
{
    armci_hdl_t handles[count];
    for (int i = 0; i < count; ++i) {
        ARMCI_INIT_HANDLE(&handles[i]);
        put(i, &handles[i]);
    }
    pmpi::reset();
    for (int i = 0; i < count; ++i)
        while (ARMCI_Test(&handles[i]) != 0)
            sched_yield();
    for (const char* const blocking :
         {"MPI_Win_flush", "MPI_Win_flush_all", "MPI_Win_flush_local", "MPI_Win_flush_local_all", "MPI_Wait"})
        EXPECT_LE(pmpi::count(blocking), 0) << blocking;
    expect_all();
}

TEST_F(Stream, handles_complete_in_any_order_and_serve_again)
{
    armci_hdl_t handles[count];
    for (int round = 0; round < 3; ++round) {
        for (int i = 0; i < count; ++i) {
            ++data[static_cast<std::size_t>(i)];
            if (round == 0)
                ARMCI_INIT_HANDLE(&handles[i]);
            put(i, i % 3 == 0 ? nullptr : &handles[i]);
        }
        for (int i = 0; i < count; ++i) {
            const int k = i * 29 % count;
            if (k % 3 != 0) {
                EXPECT_EQ(0, ARMCI_Wait(&handles[k]));
            }
        }
        ARMCI_WaitAll();
        expect_all();
    }
}

TEST_F(Stream, barrier_shows_them_to_the_owner)
{
    for (int i = 0; i < count; ++i)
        put(i, nullptr);
    ARMCI_Barrier();
    const int left = neighbour(size() - 1);
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(1000 * left + i, *region.as<long>(rank(), pitch * (i * 37 % count))) << "by direct load";
    ARMCI_Barrier();
}

TEST_F(Stream, of_neighbours_arrives_whole)
{
    std::vector<long> block(1000);
    for (std::size_t i = 0; i < block.size(); ++i) {
        block[i] = static_cast<long>(3 * i + 1);
        ASSERT_EQ(0, ARMCI_NbPut(&block[i], region.of(target, static_cast<long>(8 * i)), 8, target, nullptr));
    }
    ARMCI_WaitProc(target);
    const auto found = fetch(region.of(target), 8000, target);
    EXPECT_EQ(0, std::memcmp(found.data(), block.data(), found.size()));
}

// Puts, gets and accumulates that meet all the time, to all targets in turn, against a model.
TEST_F(Stream, keeps_the_order_of_a_serial_program)
{
    constexpr std::uint64_t area = 4096;
    Region shared(static_cast<long>(area) * size());
    auto random = rank_generator(77);
    std::vector<std::vector<std::byte>> wanted;
    const auto mine = [&](int process) { return shared.of(process, static_cast<long>(area) * rank()); };
    for (int p = 0; p < size(); ++p) {
        wanted.push_back(pattern_bytes(random(), area));
        store(wanted.back(), mine(p), p);
    }
    struct Transfer {
        armci_hdl_t handle;
        bool implicit;
        std::vector<std::byte> buffer, expected;
    };
    std::deque<Transfer> pending;
    const auto complete_all = [&] {
        for (Transfer& one : pending)
            if (!one.implicit)
                ARMCI_Wait(&one.handle);
        ARMCI_WaitAll();
        for (const Transfer& one : pending)
            ASSERT_TRUE(one.buffer == one.expected);
        pending.clear();
    };
    for (int step = 0; step < 20'000; ++step) {
        SCOPED_TRACE(step);
        const auto p = static_cast<std::size_t>(random() % static_cast<std::uint64_t>(size()));
        const std::uint64_t bytes = 1 + random() % 100;
        const std::uint64_t at = random() % (area - bytes);
        std::byte* const there = mine(static_cast<int>(p)) + at;
        const auto place = wanted[p].begin() + static_cast<long>(at);
        const auto end = place + static_cast<long>(bytes);
        const std::uint64_t what = random() % 64;
        Transfer& one = pending.emplace_back();
        one.implicit = random() % 2 == 0;
        ARMCI_INIT_HANDLE(&one.handle);
        armci_hdl_t* const handle = one.implicit ? nullptr : &one.handle;
        if (what < 40) {
            one.buffer = one.expected = pattern_bytes(random(), bytes);
            std::copy(one.buffer.begin(), one.buffer.end(), place);
            ASSERT_EQ(0, ARMCI_NbPut(one.buffer.data(), there, static_cast<int>(bytes), static_cast<int>(p),
                                     handle));
        } else {
            one.buffer.resize(bytes);
            one.expected.assign(place, end);
            if (what < 62) {
                ASSERT_EQ(0, ARMCI_NbGet(there, one.buffer.data(), static_cast<int>(bytes),
                                         static_cast<int>(p), handle));
            } else {
                one.implicit = true;
                ASSERT_EQ(0,
                          ARMCI_Get(there, one.buffer.data(), static_cast<int>(bytes), static_cast<int>(p)));
                ASSERT_TRUE(one.buffer == one.expected) << "after a blocking get";
            }
        }
        if (what == 63 || pending.size() > 300)
            complete_all();
        if (testing::Test::HasFatalFailure())
            return;
    }
    complete_all();
    for (int p = 0; p < size(); ++p)
        ASSERT_TRUE(fetch(mine(p), area, p) == wanted[static_cast<std::size_t>(p)]) << "at process " << p;
}

} // namespace
} // namespace armci_test
