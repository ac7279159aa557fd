// Which server of another node a process uses: each server has the callers that it counts, and about its
// share of them.
#include "gmr/active_messages/pairing.hpp"

#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace armci_test {
namespace {

using armci::NodeLayout;
using armci::gmr::active_messages::callers_of;
using armci::gmr::active_messages::server_of;

// Nodes of these sizes, one behind the other.
NodeLayout layout_of(const std::vector<int>& sizes)
{
    std::vector<int> lowest;
    for (const int size : sizes)
        lowest.insert(lowest.end(), static_cast<std::size_t>(size), static_cast<int>(lowest.size()));
    return NodeLayout(lowest);
}

void expect_right(const NodeLayout& layout)
{
    std::vector<std::uint64_t> callers(static_cast<std::size_t>(layout.processes()));
    for (int process = 0; process < layout.processes(); ++process)
        for (int node = 0; node < layout.nodes(); ++node) {
            if (node == layout.node_of(process))
                continue;
            const int server = server_of(layout, process, node);
            ASSERT_EQ(node, layout.node_of(server));
            ++callers[static_cast<std::size_t>(server)];
        }
    for (int process = 0; process < layout.processes(); ++process)
        ASSERT_EQ(callers[static_cast<std::size_t>(process)], callers_of(layout, process))
            << "process " << process;
}

TEST(Pairing, a_caller_from_each_other_node)
{
    const NodeLayout layout = layout_of({8, 8, 8, 8});
    expect_right(layout);
    for (int process = 0; process < layout.processes(); ++process)
        EXPECT_EQ(3U, callers_of(layout, process));
}

TEST(Pairing, a_node_of_one_process_serves_all)
{
    const NodeLayout layout = layout_of({1, 128, 128, 128});
    expect_right(layout);
    EXPECT_EQ(384U, callers_of(layout, 0));
    EXPECT_EQ(3U, callers_of(layout, 1));
    EXPECT_EQ(2U, callers_of(layout, 2));
}

TEST(Pairing, nodes_of_any_sizes)
{
    auto random = common_generator();
    for (int round = 0; round < 200; ++round) {
        std::vector<int> sizes(1 + random() % 7);
        for (int& size : sizes)
            size = static_cast<int>(1 + random() % 12);
        expect_right(layout_of(sizes));
    }
}

} // namespace
} // namespace armci_test
