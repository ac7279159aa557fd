// Between nodes, what flushes is what meets or is fenced, and nothing else: counted by the profiling
// interface.
#include "armci/base/mpi_traits.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <armcix.h>

#include <array>
#include <cstring>
#include <memory>
#include <vector>

namespace armci_test {
namespace {

// Flushes that wait for the target while `act` runs.
template <class Act>
long flushes(Act act)
{
    pmpi::reset();
    act();
    return pmpi::count("MPI_Win_flush") + pmpi::count("MPI_Win_flush_all");
}

using armci::traits::in_use;

// What MPI keeps in order by itself: everything where puts are accumulates, and small puts by a trait.
bool puts_are_accumulates()
{
    return in_use.keeps_accumulates_in_order && setting("ARMCI_ORDERING") == "accumulate";
}
bool small_puts_are_ordered()
{
    return in_use.ordered_put_bytes > 0 || puts_are_accumulates();
}

// A blocking get completes by its request, or by a flush.
long own_flush_of_a_get()
{
    return in_use.get_request_bytes >= 100 * sizeof(double) ? 0 : 1;
}

// An accumulate under the library's lock: one of the lock, one of the puts, one to give the lock back, and
// the get's.
long own_flushes_of_an_accumulate()
{
    return in_use.adds_at_origin ? 3 + own_flush_of_a_get() : 0;
}

class FlushCalls : public testing::Test {
protected:
    Region region{100'000};
    const int target = neighbour();
    std::array<double, 100> data{};
    std::array<double, 100> back{};

    void SetUp() override
    {
        if (const std::string why = why_not_flushed(target); !why.empty())
            GTEST_SKIP() << why;
        ARMCI_Barrier();
        hand_over_to_mpi();
        MPI_Barrier(MPI_COMM_WORLD); // not ARMCI's, which would hand back
    }
    void TearDown() override { ARMCI_Barrier(); }

    // What the first atomic operations on the target take more (gmr/network/modes.hpp) is not counted here.
    void hand_over_to_mpi()
    {
        long number = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, region.of(target), 0, target);
        add(0);
        long one = 1;
        ARMCI_Acc(ARMCI_ACC_LNG, &one, data.data(), region.of(target), sizeof data, target);
        ARMCI_Fence(target);
    }

    void put(long offset) { ARMCI_Put(data.data(), region.of(target, offset), sizeof data, target); }
    void get(long offset) { ARMCI_Get(region.of(target, offset), back.data(), sizeof back, target); }
    void add(long offset)
    {
        double one = 1;
        ARMCI_Acc(ARMCI_ACC_DBL, &one, data.data(), region.of(target, offset), sizeof data, target);
    }
};

TEST_F(FlushCalls, none_for_order_of_a_get_beside_a_put)
{
    put(0);
    EXPECT_EQ(own_flush_of_a_get(), flushes([&] { get(800); }));
    put(1600);
    EXPECT_EQ(own_flush_of_a_get(), flushes([&] { get(8000); }));
}

TEST_F(FlushCalls, one_for_a_get_that_meets_a_put_unless_mpi_orders_them)
{
    put(0);
    put(8000);
    const long expected = small_puts_are_ordered() ? 0 : 1;
    EXPECT_EQ(expected + own_flush_of_a_get(), flushes([&] { get(792); }));
    EXPECT_EQ(own_flush_of_a_get(), flushes([&] { get(8000); })) << "the same flush completed that, too";
}

TEST_F(FlushCalls, one_for_a_get_that_meets_a_large_put_unless_puts_are_accumulates)
{
    const std::vector<char> large(40'000);
    ARMCI_Put(const_cast<char*>(large.data()), region.of(target, 10'000), 40'000, target);
    EXPECT_EQ((puts_are_accumulates() ? 0 : 1) + own_flush_of_a_get(), flushes([&] { get(20'000); }));
}

TEST_F(FlushCalls, none_for_order_of_the_same_put_again_where_mpi_keeps_it)
{
    const long expected = small_puts_are_ordered() ? 0 : 3;
    EXPECT_EQ(expected, flushes([&] {
                  for (int i = 0; i < 4; ++i)
                      put(0);
              }));
}

TEST_F(FlushCalls, one_for_all_targets_where_each_would_wait_for_its_answer)
{
    std::vector<int> others;
    for (int process = 0; process < armci_msg_nproc(); ++process)
        if (why_not_flushed(process).empty())
            others.push_back(process);
    ARMCI_AllFence();
    data.fill(armci_msg_me() + 1);
    for (const int process : others)
        ARMCI_Put(data.data(), region.of(process, 800 * armci_msg_me()), sizeof data, process);
    const bool together = in_use.flushes_take_turns && others.size() > 1;
    pmpi::reset();
    ARMCI_AllFence();
    EXPECT_EQ(together ? 1 : 0, pmpi::count("MPI_Win_flush_all"));
    EXPECT_EQ(together ? 0 : static_cast<long>(others.size()), pmpi::count("MPI_Win_flush"));
    ARMCI_Barrier();
    for (const int process : others) { // flushing is mutual
        data.fill(process + 1);
        EXPECT_EQ(0, memcmp(region.of(armci_msg_me(), 800 * process), data.data(), sizeof data))
            << "of process " << process;
    }
}

TEST_F(FlushCalls, none_between_accumulates)
{
    EXPECT_EQ(10 * own_flushes_of_an_accumulate(), flushes([&] {
                  for (int i = 0; i < 10; ++i)
                      add(0);
              }));
    EXPECT_EQ((in_use.adds_at_origin ? 0 : 1) + own_flush_of_a_get(), flushes([&] { get(0); }));
}

// By the library's lock, one get and one put of all segments.
TEST_F(FlushCalls, four_round_trips_for_an_accumulate_where_mpi_adds_at_the_origin)
{
    if (!in_use.adds_at_origin)
        GTEST_SKIP() << "this MPI adds at the target";
    constexpr int segments = 50;
    const long moves = in_use.derived_types ? 1 : segments; // or one each, without waiting
    double half = 0.5;
    double* const numbers = region.as<double>(rank());
    std::fill(numbers, numbers + 2 * segments, 1.0);
    data.fill(2);
    MPI_Barrier(MPI_COMM_WORLD);
    int near[] = {8}, far[] = {16}, count[] = {8, segments};
    std::vector<void*> from, to;
    for (int i = 0; i < segments; ++i) {
        from.push_back(&data[static_cast<std::size_t>(i)]);
        to.push_back(region.of(target, 16 * i));
    }
    armci_giov_t vector{from.data(), to.data(), 8, segments};
    const auto expect_few = [&](const char* what, auto act) {
        EXPECT_GE(4, flushes(act)) << what;
        EXPECT_EQ(2, pmpi::count("MPI_Compare_and_swap")) << what;
        EXPECT_GE(moves, pmpi::count("MPI_Get") + pmpi::count("MPI_Rget")) << what; // near ones are one
        EXPECT_EQ(moves, pmpi::count("MPI_Put") + pmpi::count("MPI_Rput")) << what;
        EXPECT_EQ(0, pmpi::count("MPI_Accumulate") + pmpi::count("MPI_Raccumulate")) << what;
    };
    expect_few("strided", [&] {
        ARMCI_AccS(ARMCI_ACC_DBL, &half, data.data(), near, region.of(target), far, count, 1, target);
    });
    expect_few("vector", [&] { ARMCI_AccV(ARMCI_ACC_DBL, &half, &vector, 1, target); });
    MPI_Barrier(MPI_COMM_WORLD);
    for (int i = 0; i < 2 * segments; ++i)
        EXPECT_EQ(i % 2 == 0 ? 3.0 : 1.0, numbers[i]) << i;
}

// The two do not commute: the carry of the longer one depends on what the shorter one left.
TEST_F(FlushCalls, one_between_accumulates_of_two_types_that_meet)
{
    add(0);
    long one = 1;
    EXPECT_EQ(in_use.adds_at_origin ? own_flushes_of_an_accumulate() : 1, flushes([&] {
                  ARMCI_Acc(ARMCI_ACC_LNG, &one, data.data(), region.of(target, 0), sizeof data, target);
              }));
}

TEST_F(FlushCalls, four_megabytes_of_accumulates_under_way_unless_mpi_takes_more)
{
    if (in_use.adds_at_origin)
        GTEST_SKIP() << "none is under way when its call returns";
    constexpr int bytes = 1 << 20;
    constexpr int count = 16;
    const Region large{bytes};
    const std::vector<double> added(bytes / sizeof(double));
    double one = 1;
    for (const bool with_handles : {false, true}) {
        armci_hdl_t handles[count];
        ARMCI_Fence(target);
        pmpi::reset();
        for (armci_hdl_t& handle : handles) {
            ARMCI_INIT_HANDLE(&handle);
            ARMCI_NbAcc(ARMCI_ACC_DBL, &one, const_cast<double*>(added.data()), large.of(target), bytes,
                        target, with_handles ? &handle : nullptr);
        }
        const long ends = pmpi::count("MPI_Win_flush") + pmpi::count("MPI_Win_flush_local") +
                          pmpi::count("MPI_Win_flush_local_all");
        EXPECT_EQ(in_use.accumulated_bytes < UINT64_MAX
                      ? count * bytes / static_cast<long>(in_use.accumulated_bytes)
                      : 0,
                  ends)
            << pmpi::report();
        for (armci_hdl_t& handle : handles)
            ARMCI_Wait(&handle);
    }
    ARMCI_WaitAll(); // the sources end here
}

// Over UCX one probe of 100 does.
TEST_F(FlushCalls, each_call_for_progress_reaches_windows)
{
    pmpi::reset();
    for (int call = 0; call < 3; ++call)
        ARMCIX_Progress();
    EXPECT_EQ(3, pmpi::polls_of_this_thread()) << pmpi::report();
    EXPECT_LE(3, pmpi::count(in_use.probes_seldom_reach_windows ? "MPI_Request_get_status" : "MPI_Iprobe"))
        << pmpi::report();
}

TEST_F(FlushCalls, a_fence_costs_what_is_pending)
{
    EXPECT_EQ(0, flushes([&] { ARMCI_Fence(target); }));
    put(0);
    EXPECT_EQ(0, flushes([&] { ARMCI_Fence(rank()); }));
    EXPECT_EQ(1, flushes([&] { ARMCI_Fence(target); }));
    EXPECT_EQ(0, flushes([&] {
                  ARMCI_Fence(target);
                  ARMCI_AllFence();
                  ARMCI_Barrier();
              }));
}

TEST_F(FlushCalls, a_fence_of_many_regions_with_one_dirty_is_one)
{
    std::vector<std::unique_ptr<Region>> regions;
    for (int i = 0; i < 1000; ++i)
        regions.push_back(std::make_unique<Region>(8));
    ARMCI_Put(data.data(), regions[500]->of(target), 8, target);
    EXPECT_EQ(1, flushes([&] { ARMCI_AllFence(); }));
    ARMCI_Put(data.data(), regions[700]->of(target), 8, target);
    EXPECT_EQ(1, flushes([&] { ARMCI_Barrier(); }));
    while (!regions.empty())
        regions.pop_back();
}

TEST_F(FlushCalls, small_puts_of_an_aggregate_are_one_operation_unless_mpi_leaks_its_types)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    pmpi::reset();
    for (std::size_t i = 0; i < data.size(); ++i)
        ARMCI_NbPut(&data[i], region.of(target, 16 * static_cast<long>(i)), sizeof data[i], target, &handle);
    ARMCI_Wait(&handle);
    const long expected = in_use.derived_types ? 1 : static_cast<long>(data.size());
    EXPECT_EQ(expected, pmpi::count("MPI_Rput") + pmpi::count("MPI_Put")) << pmpi::report();
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
}

TEST_F(FlushCalls, small_gets_of_an_aggregate_complete_by_one_flush)
{
    constexpr long gets = 60;
    std::iota(data.begin(), data.end(), 1.0);
    ARMCI_Put(data.data(), region.of(target), sizeof data, target);
    ARMCI_Fence(target);
    for (const bool unset_first : {false, true}) {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_SET_AGGREGATE_HANDLE(&handle);
        std::fill(back.begin(), back.end(), 0.0);
        const long flushed = flushes([&] {
            for (long i = 0; i < gets; ++i) // backwards, so that no two are neighbours
                ARMCI_NbGet(region.of(target, 8 * (gets - 1 - i)), &back[static_cast<std::size_t>(i)], 8,
                            target, &handle);
            if (unset_first)
                ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
            ARMCI_Wait(&handle);
        });
        EXPECT_EQ(1, flushed);
        const long operations = pmpi::count("MPI_Get") + pmpi::count("MPI_Get_accumulate");
        EXPECT_EQ(in_use.derived_types ? 1 : gets, operations) << pmpi::report();
        EXPECT_EQ(0, pmpi::count("MPI_Rget") + pmpi::count("MPI_Rget_accumulate")) << pmpi::report();
        EXPECT_TRUE(std::equal(data.begin(), data.begin() + gets, back.rend() - gets));
        ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    }
}

// Open MPI's answer comes before the new value is in place, so that each is flushed.
TEST_F(FlushCalls, none_for_fetch_and_add_unless_mpi_answers_early)
{
    const auto draw = [&] {
        long number = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, region.of(target), 1, target);
    };
    EXPECT_EQ(in_use.fetches_by_request ? 0 : 10, flushes([&] {
                  for (int i = 0; i < 10; ++i)
                      draw();
              }));
    EXPECT_EQ((in_use.fetches_by_request ? 1 : 0) + own_flush_of_a_get(), flushes([&] { get(0); }))
        << "where it meets them";
    draw();
    EXPECT_EQ(in_use.fetches_by_request ? 1 : 0, flushes([&] { ARMCI_Fence(target); }));
}

// Where MPI has no good derived types, of gets with handles between which nobody waits, those behind the
// fourth.
TEST_F(FlushCalls, one_for_small_gets_that_come_in_numbers)
{
    if (in_use.derived_types)
        GTEST_SKIP() << "this MPI takes many segments as one operation";
    constexpr std::size_t count = 60;
    std::array<armci_hdl_t, count> handles;
    for (std::size_t i = 0; i < count; ++i)
        reinterpret_cast<double*>(region.mine())[i] = armci_msg_me() + 1000.0 * static_cast<double>(i);
    ARMCI_Barrier();
    const auto get = [&](std::size_t i) {
        ARMCI_INIT_HANDLE(&handles[i]);
        ARMCI_NbGet(region.of(target, 8 * static_cast<long>(i)), &back[i], sizeof back[i], target,
                    &handles[i]);
    };
    for (const bool in_numbers : {true, false}) {
        back.fill(-1);
        EXPECT_EQ(in_numbers ? 1 : 0, flushes([&] {
                      for (std::size_t i = 0; i < count; ++i) {
                          get(i);
                          if (!in_numbers && i > 0)
                              ARMCI_Wait(&handles[i - 1]);
                      }
                      for (armci_hdl_t& handle : handles)
                          ARMCI_Wait(&handle);
                  }));
        EXPECT_EQ(in_numbers ? static_cast<long>(count) - 4 : 0, pmpi::count("MPI_Get"));
        for (std::size_t i = 0; i < count; ++i)
            EXPECT_EQ(target + 1000.0 * static_cast<double>(i), back[i]) << i;
    }
}

// After the first test of a handle in a program; gets in numbers that began before it are flushed by it.
TEST_F(FlushCalls, a_test_of_a_handle_waits_for_nobody)
{
    armci_hdl_t none;
    ARMCI_INIT_HANDLE(&none);
    EXPECT_EQ(0, ARMCI_Test(&none));
    for (const bool aggregate : {false, true}) {
        SCOPED_TRACE(aggregate ? "aggregate" : "plain");
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        if (aggregate)
            ARMCI_SET_AGGREGATE_HANDLE(&handle);
        double two = 2;
        ARMCI_NbAcc(ARMCI_ACC_DBL, &two, data.data(), region.of(target), sizeof data, target, &handle);
        for (std::size_t i = 0; i < back.size(); ++i)
            ARMCI_NbGet(region.of(target, 8000 + 16 * static_cast<long>(i)), &back[i], sizeof back[i], target,
                        &handle);
        pmpi::reset();
        while (ARMCI_Test(&handle) != 0) {
        }
        for (const char* const blocking : {"MPI_Win_flush", "MPI_Win_flush_all", "MPI_Win_flush_local",
                                           "MPI_Win_flush_local_all", "MPI_Wait", "MPI_Waitall"})
            EXPECT_LE(pmpi::count(blocking), 0) << blocking;
        if (aggregate)
            ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    }
}

} // namespace
} // namespace armci_test
