// Processor groups: arrays, communication, reductions and counters within them; groups of one rank; splits.
#include "tests/ga/array.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace {

class DefaultGroup {
public:
    explicit DefaultGroup(int group) : before_(GA_Pgroup_get_default()) { GA_Pgroup_set_default(group); }
    ~DefaultGroup() { GA_Pgroup_set_default(before_); }
    DefaultGroup(const DefaultGroup&) = delete;
    DefaultGroup& operator=(const DefaultGroup&) = delete;

private:
    int before_;
};

char* plus()
{
    static char op[] = "+";
    return op;
}

// Everything must work inside a group as it does in the world, whatever the others do meanwhile.
void work_inside(int group, int rounds)
{
    const int me = GA_Pgroup_nodeid(group), members = GA_Pgroup_nnodes(group);
    ASSERT_GE(me, 0);
    for (int round = 0; round < rounds; ++round) {
        ga::Array a(C_LONG, {23, 19}, group), counter(C_LONG, {1}, group);
        long minus_one = -1;
        GA_Fill(a.handle(), &minus_one);
        GA_Zero(counter.handle());

        // Rows are handed out by a counter; the last member fills them from the array's other end, too.
        ga::Index zero{0};
        for (long row; (row = NGA_Read_inc(counter.handle(), zero.data(), 1)) < 23;) {
            const int r = static_cast<int>(row);
            ga::Buffer<long> values(ga::Patch{{r, 0}, {r, 18}}, 0, row);
            ga::put(a, values);
        }
        GA_Pgroup_sync(group);
        ga::Buffer<long> ones(ga::whole(a.dims()), 0, 1);
        ga::accumulate(a, ones, 1L);
        GA_Pgroup_sync(group);
        const std::vector<long> all = ga::get_all<long>(a);
        int wrong = 0;
        for (std::size_t n = 0; n < all.size(); ++n)
            wrong += all[n] != static_cast<long>(n / 19) + members;
        ASSERT_EQ(wrong, 0) << "group of " << members;

        int sum = me + 1;
        GA_Pgroup_igop(group, &sum, 1, plus());
        ASSERT_EQ(sum, members * (members + 1) / 2);
        double sent = me == members - 1 ? 2.5 + round : 0;
        GA_Pgroup_brdcst(group, &sent, sizeof sent, members - 1);
        ASSERT_EQ(sent, 2.5 + round);
        GA_Pgroup_sync(group);
    }
}

} // namespace

// Called by all: every rank is in exactly one of the groups.
TEST(Group, halves_work_independently)
{
    const int ranks = GA_Nnodes(), half = ranks / 2;
    std::vector<int> low(half), high(ranks - half);
    std::iota(low.begin(), low.end(), 0);
    std::iota(high.begin(), high.end(), half);
    const int low_group = low.empty() ? -1 : GA_Pgroup_create(low.data(), half);
    const int high_group = GA_Pgroup_create(high.data(), ranks - half);
    const bool is_low = GA_Nodeid() < half;
    const int mine = is_low ? low_group : high_group;
    EXPECT_EQ(GA_Pgroup_nnodes(mine), is_low ? half : ranks - half);
    EXPECT_EQ(GA_Pgroup_absolute_id(mine, GA_Pgroup_nodeid(mine)), GA_Nodeid());
    work_inside(mine, is_low ? 5 : 8);
    GA_Sync();
    if (low_group >= 0 && is_low)
        GA_Pgroup_destroy(low_group);
    if (!is_low)
        GA_Pgroup_destroy(high_group);
    GA_Sync();
}

TEST(Group, every_rank_alone)
{
    std::vector<int> groups;
    for (int r = 0; r < GA_Nnodes(); ++r)
        groups.push_back(GA_Pgroup_create(&r, 1));
    const int mine = groups[GA_Nodeid()];
    EXPECT_EQ(GA_Pgroup_nnodes(mine), 1);
    EXPECT_EQ(GA_Pgroup_nodeid(mine), 0);
    work_inside(mine, 5);
    GA_Sync();
    GA_Pgroup_destroy(mine);
    GA_Sync();
}

// Arrays made without naming a group belong to the default group.
TEST(Group, default_group_holds_new_arrays)
{
    std::vector<int> members(GA_Nnodes());
    std::iota(members.begin(), members.end(), 0);
    const int everyone = GA_Pgroup_create(members.data(), GA_Nnodes());
    int alone_rank = GA_Nodeid();
    const int alone = GA_Pgroup_create(&alone_rank, 1);
    {
        const DefaultGroup inner(alone);
        EXPECT_EQ(GA_Nnodes(), 1);
        EXPECT_EQ(GA_Nodeid(), 0);
        work_inside(GA_Pgroup_get_default(), 3);
        {
            const DefaultGroup back(everyone);
            EXPECT_EQ(GA_Nnodes(), static_cast<int>(members.size()));
        }
        ga::Array a(C_DBL, {100});
        const ga::Patch own = a.owned_by(0);
        EXPECT_EQ(own.elements(), 100u);
    }
    EXPECT_EQ(GA_Nnodes(), static_cast<int>(members.size()));
    work_inside(everyone, 2);
    GA_Sync();
    GA_Pgroup_destroy(alone);
    GA_Pgroup_destroy(everyone);
    GA_Sync();
}

TEST(Group, split_and_split_again)
{
    const int world = GA_Pgroup_get_world();
    const int parts = GA_Nnodes() < 2 ? 1 : 2;
    const int part = GA_Pgroup_split(world, parts);
    work_inside(part, 2);
    GA_Sync();
    const int colour = GA_Nodeid() % 2;
    const int even_or_odd = GA_Pgroup_split_irreg(world, colour);
    EXPECT_EQ(GA_Pgroup_nnodes(even_or_odd), (GA_Nnodes() + (colour == 0 ? 1 : 0)) / 2);
    work_inside(even_or_odd, 2);
    GA_Sync();
    GA_Pgroup_destroy(part);
    GA_Pgroup_destroy(even_or_odd);
    GA_Sync();
}

// Members outside of the group reach its array by copying to and from one of the world.
TEST(Group, patches_go_between_world_and_group)
{
    int first = 0;
    ga::Array of_world(C_DBL, {40, 30});
    double value = 4;
    GA_Fill(of_world.handle(), &value);
    const int alone = GA_Pgroup_create(&first, 1);
    if (GA_Nodeid() == 0) {
        ga::Array of_group(C_DBL, {40, 30}, alone);
        ga::Buffer<double> b(ga::whole({40, 30}), 0, 0.0);
        ga::get(of_world, b);
        ga::put(of_group, b);
        ga::accumulate(of_group, b, 2.0);
        GA_Pgroup_sync(alone);
        ga::get(of_group, b);
        ga::put(of_world, b);
    }
    GA_Sync();
    EXPECT_TRUE(ga::get_all<double>(of_world) == std::vector<double>(40 * 30, 12.0));
    GA_Sync();
    if (GA_Nodeid() == 0)
        GA_Pgroup_destroy(alone);
    GA_Sync();
}

TEST(Group, made_and_destroyed_many_times)
{
    std::vector<int> reversed(GA_Nnodes());
    for (int r = 0; r < GA_Nnodes(); ++r)
        reversed[r] = GA_Nnodes() - 1 - r;
    for (int n = 0; n < 50; ++n) {
        const int group = GA_Pgroup_create(reversed.data(), GA_Nnodes());
        ASSERT_EQ(GA_Pgroup_nnodes(group), GA_Nnodes());
        int sum = 1;
        GA_Pgroup_igop(group, &sum, 1, plus());
        ASSERT_EQ(sum, GA_Nnodes());
        GA_Pgroup_destroy(group);
    }
    GA_Sync();
}
