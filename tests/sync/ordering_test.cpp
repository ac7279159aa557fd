// Who hears by other means (a message of MPI) that an operation is complete at the target sees it by direct
// loads.
#include "tests/rma/region.hpp"
#include "tests/support/fences.hpp"

#include <algorithm>
#include <mpi.h>

namespace armci_test {
namespace {

constexpr int bytes = 20'000;

class Ordering : public testing::TestWithParam<FenceCall> {
protected:
    Region region{bytes};
    const int right = neighbour(), left = neighbour(size() - 1);

    // Tells the right one, hears from the left one.
    void pass_token() const
    {
        int token = 0, heard = 0;
        MPI_Sendrecv(&token, 1, MPI_INT, right, 5, &heard, 1, MPI_INT, left, 5, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    void pass_token_back() const
    {
        int token = 0, heard = 0;
        MPI_Sendrecv(&token, 1, MPI_INT, left, 6, &heard, 1, MPI_INT, right, 6, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
};

INSTANTIATE_TEST_SUITE_P(By, Ordering, testing::ValuesIn(fence_calls), fence_name);

TEST_P(Ordering, puts_are_seen_by_direct_loads_after_the_fence)
{
    for (std::uint64_t round = 0; round < 40; ++round) {
        auto data = pattern_bytes(round * 10 + static_cast<std::uint64_t>(rank()), bytes);
        const int cut = static_cast<int>(round * 400);
        ASSERT_EQ(0, ARMCI_Put(data.data(), region.of(right), cut, right));
        ASSERT_EQ(0, ARMCI_NbPut(data.data() + cut, region.of(right, cut), bytes - cut, right, nullptr));
        GetParam().complete(right);
        pass_token();
        const auto wanted = pattern_bytes(round * 10 + static_cast<std::uint64_t>(left), bytes);
        ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), region.mine())) << "round " << round;
        pass_token_back(); // read
    }
}

TEST_P(Ordering, accumulates_are_seen_by_direct_loads_after_the_fence)
{
    std::fill_n(region.as<int>(rank()), 1000, 0);
    ARMCI_Barrier();
    std::vector<int> ones(1000, 1);
    int scale = 1;
    for (int round = 1; round <= 40; ++round) {
        ASSERT_EQ(0, ARMCI_Acc(ARMCI_ACC_INT, &scale, ones.data(), region.of(right), 4000, right));
        GetParam().complete(right);
        pass_token();
        ASSERT_TRUE(std::all_of(region.as<int>(rank()), region.as<int>(rank()) + 1000,
                                [&](int i) { return i == round; }));
        pass_token_back();
    }
}

TEST(GroupFence, completes_what_goes_to_members_of_a_group)
{
    Region region(sizeof(int));
    ARMCI_Group group;
    std::vector<int> all(static_cast<std::size_t>(size()));
    for (int p = 0; p < size(); ++p)
        all[static_cast<std::size_t>(p)] = size() - 1 - p;
    ARMCI_Group_create(size(), all.data(), &group);
    ASSERT_EQ(0, ARMCI_PutValueInt(rank() + 1, region.of(neighbour()), neighbour()));
    ARMCI_GroupFence(&group);
    MPI_Barrier(MPI_COMM_WORLD);
    EXPECT_EQ(*region.as<int>(rank()), neighbour(size() - 1) + 1);
    ARMCI_Barrier();
    ARMCI_Group_free(&group);
}

TEST(Fence, without_anything_to_complete_returns)
{
    for (int i = 0; i < 1000; ++i) {
        for (int p = 0; p < size(); ++p)
            ARMCI_Fence(p);
        ARMCI_AllFence();
    }
}

} // namespace
} // namespace armci_test
