// The conflict tree against a comparison of all pairs.
#include "iov/conflict_tree.hpp"

#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <utility>
#include <vector>

namespace {

using armci::iov::ConflictTree;
using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;

bool overlap(const std::pair<std::uint64_t, std::uint64_t>& one,
             const std::pair<std::uint64_t, std::uint64_t>& other)
{
    return one.first < other.second && other.first < one.second && one.first < one.second &&
           other.first < other.second;
}

// For each range, whether it is disjoint from all that were taken before it.
std::vector<bool> by_all_pairs(const Ranges& ranges)
{
    std::vector<bool> taken;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        bool free = true;
        for (std::size_t j = 0; j < i && free; ++j)
            free = !taken[j] || !overlap(ranges[i], ranges[j]);
        taken.push_back(free);
    }
    return taken;
}

std::vector<bool> by_tree(const Ranges& ranges)
{
    ConflictTree tree(ranges.size());
    std::vector<bool> taken;
    for (const auto& [first, last] : ranges)
        taken.push_back(tree.add(first, last));
    return taken;
}

TEST(ConflictTree, takes_what_touches_and_refuses_what_nests)
{
    const Ranges ranges{{100, 200}, {200, 300}, {0, 100},   {150, 160}, {50, 250},
                        {100, 200}, {299, 301}, {300, 300}, {300, 301}};
    EXPECT_EQ(by_tree(ranges), (std::vector<bool>{true, true, true, false, false, false, false, true, true}));
    EXPECT_EQ(by_tree(ranges), by_all_pairs(ranges));
}

TEST(ConflictTree, holds_the_ends_of_the_address_space)
{
    const Ranges ranges{{0, 1}, {UINT64_MAX - 1, UINT64_MAX}, {1, UINT64_MAX - 1}, {5, 6}};
    EXPECT_EQ(by_tree(ranges), by_all_pairs(ranges));
}

TEST(ConflictTree, needs_no_tree_while_ranges_come_in_order)
{
    ConflictTree up(1000);
    ConflictTree down(1000);
    for (std::uint64_t i = 0; i < 1000; ++i) {
        EXPECT_TRUE(up.add(8 * i, 8 * i + 8));
        EXPECT_TRUE(down.add(8 * (1000 - i), 8 * (1000 - i) + 8));
    }
    EXPECT_TRUE(up.in_order());
    EXPECT_TRUE(down.in_order());
}

TEST(ConflictTree, finds_a_conflict_with_ranges_taken_in_order)
{
    for (const bool ascending : {true, false}) {
        ConflictTree tree(1002);
        for (std::uint64_t i = 0; i < 1000; ++i) {
            const std::uint64_t at = 16 * (ascending ? i : 1000 - i);
            EXPECT_TRUE(tree.add(at, at + 8));
        }
        EXPECT_FALSE(tree.add(16 * 500 + 7, 16 * 500 + 9));
        EXPECT_FALSE(tree.in_order());
        EXPECT_TRUE(tree.add(16 * 500 + 8, 16 * 501));
    }
}

// Dense and sparse, long and short, with equal, nested, touching and empty ranges; in all orders.
TEST(ConflictTree, agrees_with_all_pairs_on_a_million_random_sets)
{
    std::mt19937 random(armci_test::seed());
    const auto below = [&](std::uint32_t bound) { return random() % bound; };
    long conflicts = 0;
    for (int set = 0; set < 1'000'000; ++set) {
        Ranges ranges(1 + below(12));
        const std::uint32_t space = 1u << (2 + below(9));
        const std::uint32_t longest = 1 + below(space);
        for (auto& [first, last] : ranges) {
            first = below(space);
            last = first + below(longest);
        }
        switch (below(4)) {
        case 0:
            std::sort(ranges.begin(), ranges.end());
            break;
        case 1:
            std::sort(ranges.rbegin(), ranges.rend());
            break;
        default:
            break;
        }
        const auto taken = by_tree(ranges);
        ASSERT_EQ(taken, by_all_pairs(ranges)) << "set " << set;
        conflicts += std::count(taken.begin(), taken.end(), false);
    }
    EXPECT_GT(conflicts, 100'000) << "the sets are too easy";
}

} // namespace
