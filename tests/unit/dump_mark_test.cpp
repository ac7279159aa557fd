#include "gmr/memory/dump_mark.hpp"

#include <gtest/gtest.h>

namespace armci_test {
namespace {

using armci::gmr::DumpMark;

constexpr std::uint64_t mega = std::uint64_t{1} << 20;
constexpr std::uint64_t first = 1'000 * mega;
constexpr std::uint64_t last = 2'000 * mega;

TEST(DumpMark, goes_up_in_steps_with_what_is_taken)
{
    DumpMark mark(first, last);
    EXPECT_EQ(first, mark.mark());
    mark.take(first, first + 100);
    EXPECT_EQ(first + 2 * mega, mark.mark());
    mark.take(first + 100, first + 200);
    EXPECT_EQ(first + 2 * mega, mark.mark());
    mark.take(first + 5 * mega, first + 9 * mega);
    EXPECT_EQ(first + 10 * mega, mark.mark());
}

TEST(DumpMark, stops_at_a_long_gap)
{
    DumpMark mark(first, last);
    mark.take(first + 32 * mega, first + 33 * mega);
    EXPECT_EQ(first, mark.mark());
    mark.take(first + 31 * mega, first + 32 * mega);
    EXPECT_EQ(first + 32 * mega, mark.mark());
}

TEST(DumpMark, goes_down_only_for_a_long_gap)
{
    DumpMark mark(first, last);
    mark.take(first, first + 100 * mega);
    mark.give(first + 10 * mega, first + 40 * mega);
    EXPECT_EQ(first + 100 * mega, mark.mark());
    mark.give(first + 9 * mega, first + 41 * mega);
    EXPECT_EQ(first + 10 * mega, mark.mark());
    mark.give(first + 60 * mega, last);
    EXPECT_EQ(first + 10 * mega, mark.mark());
    mark.give(0, 0); // nothing is free there
    EXPECT_EQ(first + 10 * mega, mark.mark());
    mark.give(first, last);
    EXPECT_EQ(first + 10 * mega, mark.mark());
    mark.take(first, first + 32 * mega);
    mark.give(first, last);
    EXPECT_EQ(first, mark.mark());
}

TEST(DumpMark, stays_in_its_area)
{
    DumpMark mark(first, last);
    mark.take(first, last);
    EXPECT_EQ(last, mark.mark());
    DumpMark uneven(first, first + 3 * mega);
    uneven.take(first, first + 3 * mega);
    EXPECT_EQ(first + 3 * mega, uneven.mark());
}

} // namespace
} // namespace armci_test
