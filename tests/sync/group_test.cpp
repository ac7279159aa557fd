#include "tests/rma/region.hpp"

#include <armcix.h>

#include <algorithm>
#include <mpi.h>
#include <numeric>

namespace armci_test {
namespace {

std::vector<int> everybody()
{
    std::vector<int> all(static_cast<std::size_t>(size()));
    std::iota(all.begin(), all.end(), 0);
    return all;
}

bool is_in(const std::vector<int>& list, int process)
{
    return std::find(list.begin(), list.end(), process) != list.end();
}

// `members` are the absolute ids that the group must have, in this order.
void expect_members(ARMCI_Group* group, const std::vector<int>& members)
{
    const auto at = std::find(members.begin(), members.end(), rank());
    int me = -2, count = -2;
    const int result = ARMCI_Group_rank(group, &me);
    ARMCI_Group_size(group, &count);
    if (at == members.end()) {
        EXPECT_NE(result, 0);
        EXPECT_EQ(me, -1);
        EXPECT_EQ(count, 0);
        return;
    }
    EXPECT_EQ(result, 0);
    EXPECT_EQ(me, at - members.begin());
    ASSERT_EQ(count, static_cast<int>(members.size()));
    for (int i = 0; i < count; ++i)
        EXPECT_EQ(ARMCI_Absolute_id(group, i), members[static_cast<std::size_t>(i)]);
    // The communicator of the public struct has the same members in the same order.
    int comm_rank = -1, comm_size = -1;
    MPI_Comm_rank(group->comm, &comm_rank);
    MPI_Comm_size(group->comm, &comm_size);
    EXPECT_EQ(comm_rank, me);
    EXPECT_EQ(comm_size, count);
    // And they do meet there.
    int sum = rank();
    armci_msg_group_igop(&sum, 1, const_cast<char*>("+"), group);
    EXPECT_EQ(sum, std::accumulate(members.begin(), members.end(), 0));
    armci_msg_group_barrier(group);
}

class Group : public testing::Test {
protected:
    Group() { ARMCI_Group_get_world(&world); }
    ARMCI_Group world;
};

TEST_F(Group, world_has_everybody)
{
    expect_members(&world, everybody());
}

TEST_F(Group, default_is_the_world_at_first)
{
    ARMCI_Group group;
    ARMCI_Group_get_default(&group);
    expect_members(&group, everybody());
}

TEST_F(Group, members_are_numbered_in_list_order)
{
    auto random = common_generator(100);
    for (int round = 0; round < 15; ++round) {
        auto list = everybody();
        std::shuffle(list.begin(), list.end(), random);
        list.resize(1 + random() % list.size());
        ARMCI_Group group;
        ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &group); // others call it too
        expect_members(&group, list);
        ARMCI_Group_free(&group);
    }
}

TEST_F(Group, members_alone_may_create_it)
{
    for (int leaver = 0; leaver < size() && size() > 1; ++leaver) {
        auto list = everybody();
        std::erase(list, leaver);
        std::reverse(list.begin(), list.end());
        if (rank() != leaver) {
            ARMCI_Group group;
            ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &group);
            expect_members(&group, list);
            ARMCI_Group_free(&group);
        }
    }
}

TEST_F(Group, of_one_process)
{
    std::vector<int> list{rank()}; // all at the same time, each its own
    ARMCI_Group group;
    ARMCI_Group_create(1, list.data(), &group);
    expect_members(&group, list);
    void* base = nullptr;
    ASSERT_EQ(0, ARMCI_Malloc_group(&base, 100, &group));
    ASSERT_EQ(0, ARMCI_PutValueInt(rank(), base, rank()));
    EXPECT_EQ(ARMCI_GetValueInt(base, rank()), rank());
    ASSERT_EQ(0, ARMCI_Free_group(base, &group));
    ARMCI_Group_free(&group);
}

TEST_F(Group, of_nobody)
{
    ARMCI_Group group;
    ARMCI_Group_create(0, nullptr, &group);
    expect_members(&group, {});
    ARMCI_Group_free(&group);
}

TEST_F(Group, child_takes_ranks_of_its_parent)
{
    auto list = everybody();
    std::reverse(list.begin(), list.end());
    ARMCI_Group parent;
    ARMCI_Group_create(size(), list.data(), &parent);
    // Ranks 0 and size / 2 of the parent, the latter first.
    std::vector<int> ranks{size() / 2, 0};
    if (size() == 1)
        ranks = {0};
    std::vector<int> members;
    for (const int r : ranks)
        members.push_back(list[static_cast<std::size_t>(r)]);
    ARMCI_Group child;
    ARMCI_Group_create_child(static_cast<int>(ranks.size()), ranks.data(), &child, &parent);
    expect_members(&child, members);
    if (is_in(members, rank())) { // a grandchild: the last rank of the child alone
        int last = static_cast<int>(ranks.size()) - 1;
        ARMCI_Group grandchild;
        ARMCI_Group_create_child(1, &last, &grandchild, &child);
        expect_members(&grandchild, {members.back()});
        ARMCI_Group_free(&grandchild);
    }
    ARMCI_Group_free(&child);
    ARMCI_Group_free(&parent);
}

TEST_F(Group, create_takes_ranks_of_the_default_group)
{
    auto list = everybody();
    std::reverse(list.begin(), list.end());
    ARMCI_Group reversed;
    ARMCI_Group_create(size(), list.data(), &reversed);
    ARMCI_Group_set_default(&reversed);
    ARMCI_Group now;
    ARMCI_Group_get_default(&now);
    expect_members(&now, list);
    int first = 0;
    ARMCI_Group group;
    ARMCI_Group_create(1, &first, &group);
    expect_members(&group, {size() - 1});
    // Neither process numbers nor who takes part in other calls change.
    EXPECT_EQ(armci_msg_me(), rank());
    Region region(sizeof(int));
    ASSERT_EQ(0, ARMCI_PutValueInt(rank(), region.of(neighbour()), neighbour()));
    ARMCI_Barrier();
    EXPECT_EQ(*region.as<int>(rank()), neighbour(size() - 1));
    ARMCI_Group_set_default(&world);
    ARMCI_Group_free(&group);
    ARMCI_Group_free(&reversed);
}

TEST_F(Group, split_puts_equal_colours_together_by_key_and_rank)
{
    ARMCI_Group group;
    ASSERT_EQ(0, ARMCIX_Group_split(&world, rank() % 3, -rank(), &group));
    std::vector<int> members;
    for (int p = size() - 1; p >= 0; --p)
        if (p % 3 == rank() % 3)
            members.push_back(p);
    expect_members(&group, members);
    ARMCI_Group_free(&group);

    ASSERT_EQ(0, ARMCIX_Group_split(&world, 7, 0, &group)); // equal keys: by rank
    expect_members(&group, everybody());
    ARMCI_Group_free(&group);
}

TEST_F(Group, split_with_a_negative_colour_joins_none)
{
    ARMCI_Group group;
    ASSERT_EQ(0, ARMCIX_Group_split(&world, rank() == 0 ? -1 : 0, 0, &group));
    auto members = everybody();
    members.erase(members.begin());
    expect_members(&group, members);
    ARMCI_Group_free(&group);
}

TEST_F(Group, dup_is_a_second_group_of_the_same_members)
{
    auto list = everybody();
    std::reverse(list.begin(), list.end());
    ARMCI_Group first, second;
    ARMCI_Group_create(size(), list.data(), &first);
    ASSERT_EQ(0, ARMCIX_Group_dup(&first, &second));
    EXPECT_NE(first.comm, second.comm);
    ARMCI_Group_free(&first);
    expect_members(&second, list);
    ARMCI_Group_free(&second);
}

TEST_F(Group, copies_by_value_name_the_same_group)
{
    ARMCI_Group group;
    auto list = everybody();
    ARMCI_Group_create(size(), list.data(), &group);
    ARMCI_Group copy = group;
    expect_members(&copy, list);
    ARMCI_Group_free(&copy);
}

// Members of a group are free to make others while the rest does the same elsewhere.
TEST_F(Group, many_groups_overlap)
{
    std::vector<ARMCI_Group> groups;
    std::vector<std::vector<int>> lists;
    for (int first = 0; first < size(); ++first) {
        std::vector<int> list;
        for (int i = 0; i < (size() + 1) / 2; ++i)
            list.push_back((first + i) % size());
        ARMCI_Group group;
        ARMCI_Group_create(static_cast<int>(list.size()), list.data(), &group);
        groups.push_back(group);
        lists.push_back(list);
    }
    for (std::size_t i = 0; i < groups.size(); ++i)
        expect_members(&groups[i], lists[i]);
    for (auto& group : groups)
        ARMCI_Group_free(&group);
}

TEST_F(Group, dozens_may_come_and_go)
{
    auto list = everybody();
    for (int round = 0; round < 40; ++round) {
        ARMCI_Group group;
        ARMCI_Group_create(size(), list.data(), &group);
        if (round % 10 == 0)
            expect_members(&group, list);
        ARMCI_Group_free(&group);
        std::rotate(list.begin(), list.begin() + 1, list.end());
    }
}

} // namespace
} // namespace armci_test
