#include "gmr/network/intervals.hpp"

#include <gtest/gtest.h>

#include <array>

namespace armci::gmr {
namespace {

constexpr std::array every = {
    Access::get,
    Access::put,
    Access::ordered_get,
    Access::ordered_put,
    Access::accumulate_int,
    Access::accumulate_long,
    Access::accumulate_float,
    Access::accumulate_double,
    Access::fetch_and_op,
};

TEST(Access, whatever_meets_a_plain_put_waits)
{
    for (const Access later : every)
        EXPECT_TRUE(must_wait(Access::put, later)) << static_cast<int>(later);
}

TEST(Access, mpi_keeps_ordered_puts_and_gets_behind_ordered_puts)
{
    for (const Access later : every)
        EXPECT_EQ(must_wait(Access::ordered_put, later),
                  later != Access::ordered_put && later != Access::ordered_get)
            << static_cast<int>(later);
}

TEST(Access, gets_wait_for_no_gets_and_writes_for_all_of_them)
{
    for (const Access earlier : {Access::get, Access::ordered_get})
        for (const Access later : every)
            EXPECT_EQ(must_wait(earlier, later), !is_get(later)) << static_cast<int>(later);
}

TEST(Access, accumulates_of_one_type_commute_and_nothing_else_does)
{
    for (const Access earlier : {Access::accumulate_int, Access::accumulate_long, Access::accumulate_float,
                                 Access::accumulate_double, Access::fetch_and_op})
        for (const Access later : every)
            EXPECT_EQ(must_wait(earlier, later), later != earlier) << static_cast<int>(later);
}

TEST(Intervals, only_what_shares_a_byte_is_met)
{
    Intervals intervals;
    intervals.add({100, 200, Access::put});
    EXPECT_FALSE(intervals.any_must_be_awaited_by({0, 100, Access::put}));
    EXPECT_TRUE(intervals.any_must_be_awaited_by({0, 101, Access::put}));
    EXPECT_TRUE(intervals.any_must_be_awaited_by({199, 300, Access::get}));
    EXPECT_FALSE(intervals.any_must_be_awaited_by({200, 300, Access::get}));
}

TEST(Intervals, a_stream_of_neighbours_is_one)
{
    Intervals intervals;
    for (std::uint64_t i = 0; i < 1000; ++i)
        intervals.add({8 * i, 8 * i + 8, Access::put});
    EXPECT_EQ(intervals.size(), 1U);
    EXPECT_TRUE(intervals.any_must_be_awaited_by({7999, 8000, Access::get}));
    EXPECT_FALSE(intervals.any_must_be_awaited_by({8000, 8001, Access::get}));
}

TEST(Intervals, neighbours_of_another_kind_are_kept_apart)
{
    Intervals intervals;
    intervals.add({0, 8, Access::accumulate_int});
    intervals.add({8, 16, Access::accumulate_long});
    EXPECT_EQ(intervals.size(), 2U);
    EXPECT_FALSE(intervals.any_must_be_awaited_by({0, 8, Access::accumulate_int}));
    EXPECT_TRUE(intervals.any_must_be_awaited_by({0, 9, Access::accumulate_int}));
}

TEST(Intervals, too_many_are_merged_and_none_is_forgotten)
{
    Intervals intervals;
    const auto at = [](std::uint64_t i) {
        return Interval{100 * i, 100 * i + 1, i % 2 == 0 ? Access::put : Access::fetch_and_op};
    };
    constexpr std::uint64_t many = 10 * Intervals::most;
    for (std::uint64_t i = 0; i < many; ++i) {
        intervals.add(at(i));
        EXPECT_LE(intervals.size(), Intervals::most);
    }
    for (std::uint64_t i = 0; i < many; ++i)
        EXPECT_TRUE(intervals.any_must_be_awaited_by({100 * i, 100 * i + 1, Access::get})) << i;
    EXPECT_FALSE(intervals.any_must_be_awaited_by({100 * many, 100 * many + 1, Access::put}));
}

} // namespace
} // namespace armci::gmr
