#include "tests/messages/scope.hpp"

#include "tests/rma/region.hpp"

#include <functional>

namespace armci_test {
namespace {

// `bcast(buffer, bytes, root)` sends from absolute id `root` to all of `members`.
template <class Broadcast>
void check(const std::vector<int>& members, Broadcast bcast)
{
    for (const int root : members)
        for (const std::size_t n : {0u, 1u, 8u, 1000u, 100'003u}) {
            const auto salt = [&](int process) {
                return static_cast<std::uint64_t>(1000 * root + process) + n;
            };
            auto buffer = pattern_bytes(salt(rank()), n + 1); // one byte more than is sent
            auto wanted = buffer;
            if (takes_part(members)) {
                const auto sent = pattern_bytes(salt(root), n);
                std::copy(sent.begin(), sent.end(), wanted.begin());
            }
            bcast(buffer.data(), static_cast<int>(n), root);
            EXPECT_TRUE(buffer == wanted) << n << " bytes from process " << root;
        }
}

TEST(Broadcast, from_every_root_by_both_names)
{
    check(everybody(), [](void* buffer, int bytes, int root) { armci_msg_bcast(buffer, bytes, root); });
    check(everybody(), [](void* buffer, int bytes, int root) { armci_msg_brdcst(buffer, bytes, root); });
}

TEST(Broadcast, within_every_scope)
{
    for (const int scope : all_scopes) {
        SCOPED_TRACE(scope_name(scope));
        const auto members = scope_members(scope, everybody());
        check(members,
              [&](void* buffer, int bytes, int root) { armci_msg_bcast_scope(scope, buffer, bytes, root); });
    }
}

// Roots are absolute ids here, too.
TEST(Broadcast, within_every_scope_of_groups)
{
    TestGroups groups;
    groups.each([](ARMCI_Group* group, const std::vector<int>& list) {
        for (const int scope : all_scopes) {
            SCOPED_TRACE(scope_name(scope));
            check(scope_members(scope, list), [&](void* buffer, int bytes, int root) {
                armci_msg_group_bcast_scope(scope, buffer, bytes, root, group);
            });
        }
    });
}

TEST(Broadcast, on_my_node_comes_from_its_lowest_process)
{
    const auto members = scope_members(SCOPE_NODE, everybody());
    for (const std::size_t n : {0u, 1u, 5000u}) {
        auto buffer = pattern_bytes(static_cast<std::uint64_t>(rank()), n);
        armci_msg_clus_brdcst(buffer.data(), static_cast<int>(n));
        EXPECT_EQ(buffer, pattern_bytes(static_cast<std::uint64_t>(members.front()), n));
    }
}

// Called by the members on my node, which follow each other in the group.
TEST(Broadcast, among_members_of_a_group_on_one_node)
{
    for (int p = 0; p < size(); ++p)
        if (!ARMCI_Same_node(p))
            GTEST_SKIP() << "process " << p << " is on another node";
    TestGroups groups;
    groups.each([](ARMCI_Group* group, const std::vector<int>& list) {
        auto buffer = pattern_bytes(static_cast<std::uint64_t>(rank()), 777);
        armci_grp_clus_brdcst(buffer.data(), 777, 0, static_cast<int>(list.size()), group);
        EXPECT_EQ(buffer, pattern_bytes(static_cast<std::uint64_t>(list.front()), 777));
    });
}

// --- The tree
// --------------------------------------------------------------------------------------------------

struct Place {
    int root, up, left, right;
};

// Every member finds itself in one tree that reaches all members.
template <class Bintree>
void check_tree(const std::vector<int>& members, Bintree bintree)
{
    Place mine{-9, -9, -9, -9};
    bintree(&mine.root, &mine.up, &mine.left, &mine.right);
    std::vector<Place> all(static_cast<std::size_t>(size()));
    for (int p = 0; p < size(); ++p) { // everybody's place, as told by a broadcast
        Place place = mine;
        armci_msg_bcast(&place, sizeof place, p);
        all[static_cast<std::size_t>(p)] = place;
    }
    if (!takes_part(members))
        return;
    EXPECT_EQ(mine.root, members.front());
    std::vector<int> reached, next{mine.root};
    while (!next.empty()) {
        const int process = next.back();
        next.pop_back();
        ASSERT_TRUE(std::find(members.begin(), members.end(), process) != members.end())
            << process << " is outside";
        ASSERT_TRUE(std::find(reached.begin(), reached.end(), process) == reached.end())
            << process << " twice";
        reached.push_back(process);
        const Place& place = all[static_cast<std::size_t>(process)];
        EXPECT_EQ(place.root, mine.root);
        if (process == mine.root) {
            EXPECT_EQ(place.up, -1);
        }
        for (const int child : {place.left, place.right})
            if (child != -1) {
                EXPECT_EQ(all[static_cast<std::size_t>(child)].up, process);
                next.push_back(child);
            }
    }
    EXPECT_EQ(reached.size(), members.size());
}

TEST(Bintree, reaches_every_process_of_the_scope_once)
{
    for (const int scope : all_scopes) {
        SCOPED_TRACE(scope_name(scope));
        check_tree(scope_members(scope, everybody()), [&](int* root, int* up, int* left, int* right) {
            armci_msg_bintree(scope, root, up, left, right);
        });
    }
}

TEST(Bintree, of_a_group_of_everybody_in_reverse_order)
{
    auto list = everybody();
    std::reverse(list.begin(), list.end());
    ARMCI_Group group;
    ARMCI_Group_create(size(), list.data(), &group);
    for (const int scope : all_scopes) {
        SCOPED_TRACE(scope_name(scope));
        check_tree(scope_members(scope, list), [&](int* root, int* up, int* left, int* right) {
            armci_msg_group_bintree(scope, root, up, left, right, &group);
        });
    }
    ARMCI_Group_free(&group);
}

} // namespace
} // namespace armci_test
