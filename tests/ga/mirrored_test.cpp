// Mirrored arrays: one copy per node, spread over the processes of the node, which needs memory that the node
// shares. GA makes an ordinary array of it when there is one node.
#include "tests/ga/array.hpp"
#include "tests/support/path.hpp"

#include <armci.h>
#include <gtest/gtest.h>

TEST(Library, says_whether_memory_is_shared)
{
    EXPECT_EQ(ARMCI_Uses_shm(), armci_test::shares_addresses() ? 1 : 0);
}

// For them GA dereferences what it holds for slices of other processes of the node.
class Mirrored : public testing::Test {
protected:
    void SetUp() override
    {
        if (!armci_test::shares_addresses())
            GTEST_SKIP() << "mirrored arrays need shared memory; ARMCI_WINDOW="
                         << armci_test::setting("ARMCI_WINDOW") << " has none";
    }
};

TEST_F(Mirrored, array_holds_what_was_put_and_added)
{
    const int mirror = GA_Pgroup_get_mirror();
    ga::Array a(C_DBL, {31, 37}, mirror);
    EXPECT_EQ(GA_Is_mirrored(a.handle()), GA_Cluster_nnodes() > 1 ? 1 : 0);
    double two = 2;
    GA_Fill(a.handle(), &two);
    ga::Buffer<double> ones(ga::whole({31, 37}), 0, 1.0);
    GA_Sync();
    ga::accumulate(a, ones, 1.0);
    GA_Sync();
    const double on_this_node = GA_Cluster_nprocs(GA_Cluster_nodeid());
    EXPECT_TRUE(ga::get_all<double>(a) == std::vector<double>(31 * 37, 2.0 + on_this_node));
    GA_Sync();
}

// GA merges the copies of all nodes block by block, and takes for granted that the blocks are alike on all.
bool nodes_are_alike()
{
    for (int node = 0; node < GA_Cluster_nnodes(); ++node)
        if (GA_Cluster_nprocs(node) != GA_Cluster_nprocs(0))
            return false;
    return true;
}

TEST_F(Mirrored, merging_adds_the_copies_of_the_nodes)
{
    if (!nodes_are_alike())
        GTEST_SKIP()
            << "GA 5.8 merges blocks of different sizes where nodes have different numbers of processes";
    ga::Array a(C_DBL, {50, 20}, GA_Pgroup_get_mirror());
    GA_Zero(a.handle());
    ga::Buffer<double> ones(ga::whole({50, 20}), 0, 1.0);
    GA_Sync();
    ga::accumulate(a, ones, 3.0);
    GA_Sync();
    GA_Merge_mirrored(a.handle());
    EXPECT_TRUE(ga::get_all<double>(a) == std::vector<double>(50 * 20, 3.0 * GA_Nnodes()));
    GA_Sync();
}

TEST_F(Mirrored, copies_to_and_from_a_distributed_array)
{
    if (!nodes_are_alike())
        GTEST_SKIP() << "GA 5.8 merges the nodes of a mirrored array to copy from it, which wants the same "
                        "number of processes on each";
    const ga::Index dims{45, 26};
    ga::Array distributed(C_DBL, dims), mirrored(C_DBL, dims, GA_Pgroup_get_mirror()), back(C_DBL, dims);
    ga::Patch own = distributed.owned_by(GA_Nodeid());
    if (!own.empty()) {
        ga::Buffer<double> values(own, 0, 0.0);
        ga::Index i = own.lo;
        do
            values[i] = static_cast<double>(ga::position(i, dims));
        while (ga::next(i, own));
        ga::put(distributed, values);
    }
    GA_Sync();
    GA_Copy(distributed.handle(), mirrored.handle());
    GA_Copy(mirrored.handle(), back.handle());
    const std::vector<double> from_mirror = ga::get_all<double>(mirrored), all = ga::get_all<double>(back);
    int wrong = 0;
    for (std::size_t n = 0; n < all.size(); ++n)
        wrong += (all[n] != static_cast<double>(n)) + (from_mirror[n] != static_cast<double>(n));
    EXPECT_EQ(wrong, 0);
    GA_Sync();
}
