// Which process lives on which node: layouts that a division tells, and any others, against lists.
#include "armci/base/node_layout.hpp"

#include "tests/support/counted_bytes.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <vector>

namespace armci_test {
namespace {

using armci::NodeLayout;

// node[p] names the node of process p.
std::vector<int> lowest_of(const std::vector<int>& node)
{
    std::map<int, int> lowest;
    std::vector<int> all;
    for (std::size_t p = 0; p < node.size(); ++p)
        all.push_back(lowest.try_emplace(node[p], static_cast<int>(p)).first->second);
    return all;
}

void expect_right(const std::vector<int>& node)
{
    const NodeLayout layout(lowest_of(node));
    ASSERT_EQ(layout.processes(), static_cast<int>(node.size()));
    std::map<int, int> number; // of a node, by its name
    std::vector<std::vector<int>> members;
    for (std::size_t p = 0; p < node.size(); ++p) {
        const auto [found, is_new] = number.try_emplace(node[p], static_cast<int>(number.size()));
        if (is_new)
            members.emplace_back();
        auto& mine = members[static_cast<std::size_t>(found->second)];
        ASSERT_EQ(layout.node_of(static_cast<int>(p)), found->second);
        ASSERT_EQ(layout.node_rank(static_cast<int>(p)), static_cast<int>(mine.size()));
        mine.push_back(static_cast<int>(p));
    }
    ASSERT_EQ(layout.nodes(), static_cast<int>(members.size()));
    for (std::size_t i = 0; i < members.size(); ++i) {
        const armci::NodeMembers found = layout.members(static_cast<int>(i));
        ASSERT_EQ(std::vector<int>(found), members[i]);
        ASSERT_EQ(found.front(), members[i].front());
        ASSERT_EQ(found.back(), members[i].back());
    }
}

TEST(NodeLayout, blocks_of_one_size_and_a_shorter_last_one)
{
    for (int processes = 1; processes <= 40; ++processes)
        for (int block = 1; block <= processes; ++block) {
            std::vector<int> node;
            for (int p = 0; p < processes; ++p)
                node.push_back(p / block);
            expect_right(node);
        }
}

TEST(NodeLayout, any_other)
{
    auto random = common_generator();
    for (int round = 0; round < 500; ++round) {
        std::vector<int> node(1 + random() % 30);
        const auto nodes = 1 + random() % 6;
        for (int& one : node)
            one = static_cast<int>(random() % nodes);
        if (round % 2 == 0)
            std::sort(node.begin(), node.end()); // blocks of unequal sizes
        expect_right(node);
    }
}

TEST(NodeLayout, a_million_processes_in_blocks_take_no_table)
{
    std::vector<int> lowest;
    for (int p = 0; p < 1 << 20; ++p)
        lowest.push_back(p / 64 * 64);
    const long before = counted_bytes();
    const NodeLayout layout(lowest);
    EXPECT_EQ(counted_bytes(), before);
    EXPECT_EQ(layout.nodes(), 1 << 14);
    EXPECT_EQ(layout.members(100).front(), 6400);
}

} // namespace
} // namespace armci_test
