// Between nodes one process of each speaks, one message a step, and as few steps as doublings reach all
// nodes: counted by the profiling interface.
#include "tests/messages/scope.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <mpi.h>

#include <array>
#include <functional>

namespace armci_test {
namespace {

// Doublings until `nodes` are reached.
int steps_over(int nodes)
{
    int steps = 0;
    while ((1 << steps) < nodes)
        ++steps;
    return steps;
}

struct Sent {
    long mine;
    long all;
    long most;
};

class BetweenNodes : public testing::Test {
protected:
    const int nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
    const int steps = steps_over(nodes);
    const std::vector<int> masters = scope_members(SCOPE_MASTERS, everybody());
    const bool speaks = takes_part(masters);

    // Messages that calls of `act` send, all of them plain ones.
    template <class Act>
    Sent sent(Act act)
    {
        quiet_barrier();
        pmpi::reset();
        act();
        Sent sent{pmpi::count("MPI_Isend"), 0, 0};
        const long total = pmpi::total(); // first, as a thread of the library may look at MPI meanwhile
        const long known = sent.mine + pmpi::count("MPI_Irecv") + pmpi::count("MPI_Test") +
                           pmpi::count("MPI_Improbe") + pmpi::polls() + pmpi::rma();
        EXPECT_LE(total, known) << pmpi::report();
        MPI_Allreduce(&sent.mine, &sent.all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        MPI_Allreduce(&sent.mine, &sent.most, 1, MPI_LONG, MPI_MAX, MPI_COMM_WORLD);
        return sent;
    }

    // Each node's first process sends one message a step, and no other process sends any.
    template <class Act>
    void expect_one_a_step(const char* what, Act act)
    {
        const Sent found = sent(act);
        EXPECT_EQ(found.mine, speaks ? steps : 0) << what << ": " << pmpi::report();
    }
    // All nodes but one hear or tell something, once.
    template <class Act>
    void expect_a_tree(const char* what, Act act)
    {
        const Sent found = sent(act);
        EXPECT_EQ(found.all, nodes - 1) << what;
        EXPECT_LE(found.most, steps) << what;
        EXPECT_TRUE(speaks || found.mine == 0) << what << ": " << pmpi::report();
    }
    // Where the nodes are no power of two, those beyond it tell another, and hear from it.
    template <class Act>
    void expect_a_combination(const char* what, Act act)
    {
        const int beyond = (1 << steps) == nodes ? 0 : nodes - (1 << (steps - 1));
        const int paired = nodes - beyond;
        const Sent found = sent(act);
        EXPECT_EQ(found.all, paired * steps_over(paired) + 2 * beyond) << what;
        EXPECT_LE(found.most, steps) << what;
        EXPECT_TRUE(speaks || found.mine == 0) << what << ": " << pmpi::report();
    }
};

TEST_F(BetweenNodes, a_barrier)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    ARMCI_Barrier();
    expect_one_a_step("ARMCI_Barrier", [] { ARMCI_Barrier(); });
    expect_one_a_step("armci_msg_barrier", [] { armci_msg_barrier(); });
    expect_one_a_step("armci_msg_group_barrier", [&] { armci_msg_group_barrier(&world); });
}

TEST_F(BetweenNodes, none_for_a_fence)
{
    ARMCI_Barrier();
    const Sent found = sent([] {
        ARMCI_AllFence();
        ARMCI_Fence(neighbour());
    });
    EXPECT_EQ(found.mine, 0) << pmpi::report();
    EXPECT_EQ(pmpi::rma(), 0) << pmpi::report();
}

// One exchange; the regions lie in windows that are there.
TEST_F(BetweenNodes, an_allocation_and_a_free)
{
    if (!shares_addresses())
        GTEST_SKIP() << "each region has a window of its own";
    std::vector<void*> bases(static_cast<std::size_t>(size()));
    const auto mine = static_cast<std::size_t>(rank());
    for (const int equal : {1, 0}) {
        SCOPED_TRACE(equal != 0 ? "parts of one size" : "parts of all sizes, and of none");
        expect_one_a_step("ARMCI_Malloc", [&] {
            EXPECT_EQ(0, ARMCI_Malloc(bases.data(), equal != 0 ? 1000 : 100 * rank()));
        });
        EXPECT_EQ(pmpi::rma(), 0) << pmpi::report();
        expect_one_a_step("ARMCI_Free", [&] { EXPECT_EQ(0, ARMCI_Free(bases[mine])); });
        EXPECT_EQ(pmpi::rma(), 0) << pmpi::report();
    }
}

TEST_F(BetweenNodes, a_reduction)
{
    std::array<double, 1000> x{};
    char plus[] = "+";
    expect_a_combination("armci_msg_dgop of 1", [&] { armci_msg_dgop(x.data(), 1, plus); });
    expect_a_combination("armci_msg_dgop of 1,000",
                         [&] { armci_msg_dgop(x.data(), static_cast<int>(x.size()), plus); });
    expect_a_tree("armci_msg_reduce", [&] { armci_msg_reduce(x.data(), 100, plus, ARMCI_DOUBLE); });
    char max[] = "max";
    expect_a_combination("armci_msg_sel",
                         [&] { armci_msg_sel(x.data(), sizeof x / 2, max, ARMCI_DOUBLE, rank() % 2); });
}

TEST_F(BetweenNodes, a_broadcast_from_anywhere)
{
    std::array<char, 10'000> x{};
    for (int root = 0; root < size(); ++root)
        expect_a_tree("armci_msg_bcast", [&] { armci_msg_bcast(x.data(), sizeof x, root); });
}

// Members in an order in which each comes from another node than the one before, as far as there are others.
TEST_F(BetweenNodes, a_group_whose_nodes_take_turns)
{
    if (!shares_addresses())
        GTEST_SKIP() << "each region has a window of its own";
    std::vector<int> members;
    for (std::size_t turn = 0; members.size() < static_cast<std::size_t>(size()); ++turn)
        for (const int first : masters) {
            const std::vector<int> all = everybody();
            std::vector<int> node;
            std::copy_if(all.begin(), all.end(), std::back_inserter(node),
                         [&](int process) { return domain_of(process) == domain_of(first); });
            if (turn < node.size())
                members.push_back(node[turn]);
        }
    ARMCI_Group group;
    ARMCI_Group_create(size(), members.data(), &group);
    std::vector<void*> bases(members.size());
    const auto mine =
        static_cast<std::size_t>(std::find(members.begin(), members.end(), rank()) - members.begin());
    expect_one_a_step("ARMCI_Malloc_group",
                      [&] { EXPECT_EQ(0, ARMCI_Malloc_group(bases.data(), 8 * (1 + rank()), &group)); });
    for (std::size_t i = 0; i < members.size(); ++i)
        for (int n = 0; n <= members[i]; ++n) // as long as that member's part is
            ARMCI_PutValueLong(1, static_cast<long*>(bases[i]) + n, members[i]);
    armci_msg_group_barrier(&group);
    char most[] = "max";
    long who = rank();
    expect_a_combination("armci_msg_group_lgop", [&] { armci_msg_group_lgop(&who, 1, most, &group); });
    EXPECT_EQ(who, size() - 1);
    for (int root = 0; root < size(); ++root) {
        int told = rank();
        expect_a_tree("armci_msg_group_bcast_scope",
                      [&] { armci_msg_group_bcast_scope(SCOPE_ALL, &told, sizeof told, root, &group); });
        EXPECT_EQ(told, root);
    }
    ARMCI_AllFence();
    expect_one_a_step("ARMCI_Free_group", [&] { EXPECT_EQ(0, ARMCI_Free_group(bases[mine], &group)); });
    ARMCI_Group_free(&group);
}

} // namespace
} // namespace armci_test
