// One vector of accumulates into memory of a node's processes alone and memory that other nodes reach, while
// another process of the node adds to the same words of the first.
#include "tests/rma/region.hpp"

#include <cstring>
#include <numeric>
#include <vector>

namespace armci_test {
namespace {

TEST(MixedVector, adds_to_both_sorts_of_memory)
{
    const int node_size = 2, first = rank() / node_size * node_size;
    ASSERT_EQ(size() % node_size, 0);
    std::vector<int> members(node_size);
    std::iota(members.begin(), members.end(), first);
    ARMCI_Group node;
    ARMCI_Group_create(node_size, members.data(), &node);
    constexpr int words = 8;
    constexpr int rounds = 4000;
    std::vector<void*> near(node_size);
    ASSERT_EQ(0, ARMCI_Malloc_group(near.data(), words * sizeof(int), &node));
    const Region far(words * sizeof(int));
    std::memset(near[static_cast<std::size_t>(rank() - first)], 0, words * sizeof(int));
    std::memset(far.mine(), 0, words * sizeof(int));
    ARMCI_Barrier();

    int one = 1;
    std::vector<int> ones(words, 1);
    auto* const there = static_cast<int*>(near[0]);
    for (int round = 0; round < rounds; ++round) {
        if (rank() == first) {
            EXPECT_EQ(0, ARMCI_Acc(ARMCI_ACC_INT, &one, ones.data(), there, words * sizeof(int), first));
            continue;
        }
        std::vector<void*> from;
        std::vector<void*> to;
        for (std::size_t i = 0; i < words; ++i) {
            from.insert(from.end(), 2, &ones[i]);
            to.push_back(there + i);
            to.push_back(far.as<int>(first) + i);
        }
        armci_giov_t vector{from.data(), to.data(), sizeof(int), 2 * words};
        EXPECT_EQ(0, ARMCI_AccV(ARMCI_ACC_INT, &one, &vector, 1, first));
    }
    ARMCI_Barrier();
    if (rank() == first)
        for (int i = 0; i < words; ++i) {
            EXPECT_EQ(there[i], 2 * rounds) << "word " << i << " of the node's memory";
            EXPECT_EQ(far.as<int>(first)[i], rounds) << "word " << i << " of everybody's";
        }
    ARMCI_Barrier();
    EXPECT_EQ(0, ARMCI_Free_group(near[static_cast<std::size_t>(rank() - first)], &node));
    ARMCI_Group_free(&node);
}

} // namespace
} // namespace armci_test
