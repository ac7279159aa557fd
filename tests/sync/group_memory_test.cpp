#include "tests/rma/region.hpp"

#include <armcix.h>

#include <algorithm>
#include <mpi.h>

namespace armci_test {
namespace {

// A group of mine, with a ring of its members in absolute ids.
struct Circle {
    ARMCI_Group group{};
    int me = -1, members = 0;

    void know()
    {
        ARMCI_Group_rank(&group, &me);
        ARMCI_Group_size(&group, &members);
    }
    int member(int distance) const
    {
        auto handle = group;
        return ARMCI_Absolute_id(&handle, (me + distance) % members);
    }
};

class GroupMemory : public testing::Test {
protected:
    GroupMemory() { ARMCI_Group_get_world(&world); }

    Circle split(int colour, int key)
    {
        Circle circle;
        EXPECT_EQ(0, ARMCIX_Group_split(&world, colour, key, &circle.group));
        if (circle.group.rank >= 0)
            circle.know();
        return circle;
    }

    // Allocation, puts round the ring of the group, and free.
    static void use(Circle& circle, long bytes, int salt)
    {
        std::vector<void*> bases(static_cast<std::size_t>(circle.members));
        ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), bytes, &circle.group));
        auto data = pattern_bytes(static_cast<std::uint64_t>(salt + rank()), static_cast<std::size_t>(bytes));
        const int right = (circle.me + 1) % circle.members,
                  left = (circle.me + circle.members - 1) % circle.members;
        ASSERT_EQ(0, ARMCI_Put(data.data(), bases[static_cast<std::size_t>(right)], static_cast<int>(bytes),
                               circle.member(1)));
        ARMCI_Fence(circle.member(1));
        armci_msg_group_barrier(&circle.group);
        const auto wanted =
            pattern_bytes(static_cast<std::uint64_t>(salt + circle.member(circle.members - 1)),
                          static_cast<std::size_t>(bytes));
        EXPECT_TRUE(std::equal(wanted.begin(), wanted.end(),
                               static_cast<std::byte*>(bases[static_cast<std::size_t>(circle.me)])))
            << "from group rank " << left;
        armci_msg_group_barrier(&circle.group);
        ASSERT_EQ(0, ARMCI_Free_group(bases[static_cast<std::size_t>(circle.me)], &circle.group));
    }

    ARMCI_Group world;
};

TEST_F(GroupMemory, serves_its_members_by_absolute_ids)
{
    Circle circle = split(rank() % 2, -rank());
    for (const long bytes : {1L, 100L, 65'536L, 1'000'000L})
        use(circle, bytes, 3);
    ARMCI_Group_free(&circle.group);
}

TEST_F(GroupMemory, on_the_world_is_as_malloc)
{
    std::vector<void*> bases(static_cast<std::size_t>(size()));
    ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), 100, &world));
    ASSERT_EQ(0, ARMCI_PutValueInt(rank(), bases[static_cast<std::size_t>(neighbour())], neighbour()));
    ARMCI_Barrier();
    EXPECT_EQ(*static_cast<int*>(bases[static_cast<std::size_t>(rank())]), neighbour(size() - 1));
    ASSERT_EQ(0, ARMCI_Free(bases[static_cast<std::size_t>(rank())]));
}

// Rank 0 is outside; it does other things meanwhile, and no call of the group waits for it.
TEST_F(GroupMemory, does_not_wait_for_others)
{
    Circle circle = split(rank() == 0 ? -1 : 1, rank());
    Region counters(sizeof(int));
    *counters.as<int>(rank()) = 0;
    ARMCI_Barrier();
    if (rank() == 0) {
        int arrived = 0; // until all others have done their part, without a collective call
        while (arrived != size() - 1)
            ASSERT_EQ(0, ARMCI_Get(counters.of(0), &arrived, sizeof arrived, 0));
    } else {
        for (int i = 0; i < 20; ++i)
            use(circle, 1000 * i + 1, i);
        int old = 0;
        ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &old, counters.of(0), 1, 0));
    }
    ARMCI_Barrier();
    ARMCI_Group_free(&circle.group);
}

// Disjoint groups allocate and free at their own pace, different numbers of different sizes, beside world
// regions.
TEST_F(GroupMemory, disjoint_groups_allocate_concurrently)
{
    Circle circle = split(rank() % 2, rank());
    Region before(5000);
    const auto kept = pattern_bytes(static_cast<std::uint64_t>(rank()), 5000);
    std::copy(kept.begin(), kept.end(), before.mine());
    for (int i = 0; i < (rank() % 2 == 0 ? 60 : 25); ++i)
        use(circle, rank() % 2 == 0 ? 50 + i : 100'000 + 7L * i, i);
    ARMCI_Barrier();
    EXPECT_TRUE(std::equal(kept.begin(), kept.end(), before.mine()));
    ARMCI_Group_free(&circle.group);
}

// After groups have allocated differently, world regions are still the same everywhere.
TEST_F(GroupMemory, world_regions_come_right_after_uneven_groups)
{
    Circle circle = split(rank() % 2, rank());
    std::vector<void*> bases(static_cast<std::size_t>(circle.members));
    std::vector<void*> mine;
    for (int i = 0; i < 10 * (1 + rank() % 2); ++i) {
        ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), 3000 + 100 * (rank() % 2), &circle.group));
        mine.push_back(bases[static_cast<std::size_t>(circle.me)]);
    }
    {
        Region region(70'000);
        for (int p = 0; p < size(); ++p)
            ASSERT_EQ(0, ARMCI_PutValueInt(rank(), region.as<int>(p) + rank(), p));
        ARMCI_Barrier();
        for (int p = 0; p < size(); ++p)
            EXPECT_EQ(region.as<int>(rank())[p], p);
    }
    for (void* const base : mine)
        ASSERT_EQ(0, ARMCI_Free_group(base, &circle.group));
    ARMCI_Group_free(&circle.group);
}

TEST_F(GroupMemory, slices_may_differ_and_be_empty)
{
    Circle circle = split(rank() % 2, -rank());
    std::vector<void*> bases(static_cast<std::size_t>(circle.members), this);
    for (int holder = 0; holder < circle.members; ++holder) {
        ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), circle.me == holder ? 10 : 0, &circle.group));
        for (int i = 0; i < circle.members; ++i)
            EXPECT_EQ(bases[static_cast<std::size_t>(i)] != nullptr, i == holder);
        ASSERT_EQ(0, ARMCI_Free_group(bases[static_cast<std::size_t>(circle.me)], &circle.group));
    }
    ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), 0, &circle.group));
    EXPECT_EQ(0, ARMCI_Free_group(nullptr, &circle.group));
    ARMCI_Group_free(&circle.group);
}

// The region outlives its group: it can be used as long as nobody frees it.
TEST_F(GroupMemory, lives_on_when_its_group_is_freed)
{
    Circle circle = split(rank() % 2, rank());
    std::vector<void*> bases(static_cast<std::size_t>(circle.members));
    ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), 1000, &circle.group));
    const int right = circle.member(1);
    void* const there = bases[static_cast<std::size_t>((circle.me + 1) % circle.members)];
    const int left = circle.member(circle.members - 1);
    ARMCI_Group_free(&circle.group);
    Circle other = split(rank() % 2, rank()); // may reuse what the first one left
    ASSERT_EQ(0, ARMCI_PutValueInt(rank() + 9, there, right));
    ARMCI_Barrier();
    EXPECT_EQ(*static_cast<int*>(bases[static_cast<std::size_t>(circle.me)]), left + 9);
    use(other, 5000, 1);
    ARMCI_Barrier();
    EXPECT_EQ(*static_cast<int*>(bases[static_cast<std::size_t>(circle.me)]), left + 9);
    ARMCI_Group_free(&other.group);
}

TEST_F(GroupMemory, one_process_is_in_several_groups_at_once)
{
    Circle all = split(0, -rank()), half = split(rank() % 2, rank()), alone = split(rank(), 0);
    for (int i = 0; i < 5; ++i) {
        use(half, 2000, i);
        use(all, 3000, i + 100);
        use(alone, 1000, i + 200);
    }
    for (Circle* const circle : {&half, &alone, &all})
        ARMCI_Group_free(&circle->group);
}

// Modes belong to the group that allocated.
TEST_F(GroupMemory, has_access_modes)
{
    Circle circle = split(rank() % 2, rank());
    std::vector<void*> bases(static_cast<std::size_t>(circle.members));
    ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), 1000, &circle.group));
    void* const mine = bases[static_cast<std::size_t>(circle.me)];
    const int mode = rank() % 2 == 0 ? ARMCIX_MODE_READ_ONLY : ARMCIX_MODE_CONFLICT_FREE;
    ASSERT_EQ(0, ARMCIX_Mode_set(mode, mine, &circle.group));
    EXPECT_EQ(ARMCIX_Mode_get(mine), mode);
    ASSERT_EQ(0, ARMCI_Free_group(mine, &circle.group));
    ARMCI_Group_free(&circle.group);
}

} // namespace
} // namespace armci_test
