#include "armci/base/check/order.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace armci_test {
namespace {

using armci::check::Order;
using armci::check::Synchronisation;

constexpr std::int32_t releases = 0;
constexpr std::int32_t acquires = 1;

TEST(Order, release_and_acquire_of_one_object)
{
    const Order order(2, {{1, 7, 0, releases}, {2, 7, 1, acquires}});
    EXPECT_TRUE(order.before(0, 0, 1, 1)) << "before the release, after the acquire";
    EXPECT_FALSE(order.before(0, 1, 1, 1)) << "after the release";
    EXPECT_FALSE(order.before(0, 0, 1, 0)) << "before the acquire";
    EXPECT_FALSE(order.before(1, 0, 0, 1)) << "the other way";
}

TEST(Order, other_objects_and_earlier_acquires_order_nothing)
{
    EXPECT_FALSE(Order(2, {{1, 7, 0, releases}, {2, 8, 1, acquires}}).before(0, 0, 1, 1));
    EXPECT_FALSE(Order(2, {{2, 7, 0, releases}, {1, 7, 1, acquires}}).before(0, 0, 1, 1));
}

TEST(Order, goes_on_through_others)
{
    const Order order(3,
                      {{1, 7, 0, releases}, {2, 7, 1, acquires}, {3, 9, 1, releases}, {4, 9, 2, acquires}});
    EXPECT_TRUE(order.before(0, 0, 2, 1));
    EXPECT_TRUE(order.before(1, 1, 2, 1));
    EXPECT_FALSE(order.before(1, 2, 2, 1));
}

// The definition: a path from the one to the other along a process's own course, and from each release to the
// later acquires of its object.
class Graph {
public:
    Graph(int processes, const std::vector<Synchronisation>& all)
        : by_process_(static_cast<std::size_t>(processes))
    {
        for (const Synchronisation& one : all)
            by_process_[static_cast<std::size_t>(one.process)].push_back(one);
    }
    bool before(int a, std::size_t a_count, int b, std::size_t b_count) const
    {
        if (a == b)
            return a_count < b_count;
        for (std::size_t i = a_count; i < by_process_[static_cast<std::size_t>(a)].size(); ++i) {
            const Synchronisation& release = by_process_[static_cast<std::size_t>(a)][i];
            if (release.acquires != 0)
                continue;
            for (std::size_t p = 0; p < by_process_.size(); ++p)
                for (std::size_t j = 0; j < by_process_[p].size(); ++j) {
                    const Synchronisation& acquire = by_process_[p][j];
                    if (static_cast<int>(p) == a || acquire.acquires == 0 ||
                        acquire.object != release.object || acquire.ticket < release.ticket)
                        continue;
                    if (static_cast<int>(p) == b ? j < b_count
                                                 : before(static_cast<int>(p), j + 1, b, b_count))
                        return true;
                }
        }
        return false;
    }

private:
    std::vector<std::vector<Synchronisation>> by_process_; // in the order of tickets
};

TEST(Order, is_reachability)
{
    constexpr int processes = 3;
    std::mt19937 random(5);
    for (int round = 0; round < 300; ++round) {
        std::vector<Synchronisation> all;
        for (std::uint64_t ticket = 0; ticket < 9; ++ticket)
            all.push_back({ticket, random() % 3, static_cast<std::int32_t>(random() % processes),
                           static_cast<std::int32_t>(random() % 2)});
        const Graph graph(processes, all);
        auto shuffled = all;
        std::shuffle(shuffled.begin(), shuffled.end(), random);
        const Order order(processes, shuffled);
        for (int a = 0; a < processes; ++a)
            for (int b = 0; b < processes; ++b)
                for (std::uint32_t i = 0; a != b && i <= 9; ++i)
                    for (std::uint32_t j = 0; j <= 9; ++j)
                        EXPECT_EQ(order.before(a, i, b, j), graph.before(a, i, b, j))
                            << "round " << round << ": " << a << " after " << i << ", " << b << " after "
                            << j;
    }
}

} // namespace
} // namespace armci_test
