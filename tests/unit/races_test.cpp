#include "armci/base/check/races.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>
#include <tuple>
#include <vector>

namespace armci_test {
namespace {

using namespace armci::check;

const Order no_order(4, {});

Touch touch(std::uint64_t begin, std::uint64_t end, int origin, Access access, const char* call = "ARMCI_Put")
{
    return {begin, end, origin, 0, access, call_name(call)};
}

TEST(Races, need_two_origins_one_change_and_a_common_byte)
{
    const auto races = [](const Touch& a, const Touch& b) { return find_races({a, b}, no_order, 9).size(); };
    EXPECT_EQ(races(touch(0, 8, 0, Access::write), touch(7, 9, 1, Access::write)), 1u);
    EXPECT_EQ(races(touch(0, 8, 0, Access::write), touch(8, 9, 1, Access::write)), 0u);
    EXPECT_EQ(races(touch(0, 8, 0, Access::write), touch(0, 8, 0, Access::write)), 0u);
    EXPECT_EQ(races(touch(0, 8, 0, Access::read), touch(0, 8, 1, Access::read)), 0u);
    EXPECT_EQ(races(touch(0, 8, 0, Access::atomic), touch(0, 8, 1, Access::atomic)), 0u);
    EXPECT_EQ(races(touch(0, 8, 0, Access::atomic), touch(0, 8, 1, Access::read)), 1u);
    EXPECT_EQ(races(touch(0, 8, 0, Access::atomic), touch(0, 8, 1, Access::write)), 1u);
    EXPECT_EQ(races(touch(0, 8, 0, Access::read), touch(0, 8, 1, Access::write)), 1u);
}

TEST(Races, name_both_and_the_common_bytes)
{
    const auto races = find_races(
        {touch(10, 100, 2, Access::read, "ARMCI_GetS"), touch(90, 200, 1, Access::write, "ARMCI_NbPutV")},
        no_order, 9);
    ASSERT_EQ(races.size(), 1u);
    EXPECT_EQ(races[0].first.origin, 1);
    EXPECT_STREQ(races[0].first.call.data(), "ARMCI_NbPutV");
    EXPECT_EQ(races[0].second.origin, 2);
    EXPECT_EQ(races[0].begin, 90u);
    EXPECT_EQ(races[0].end, 100u);
}

TEST(Races, what_is_ordered_is_none)
{
    const Order order(2, {{1, 7, 0, 0}, {2, 7, 1, 1}});
    Touch later = touch(0, 8, 1, Access::read);
    EXPECT_EQ(find_races({touch(0, 8, 0, Access::write), later}, order, 9).size(), 1u);
    later.synchronisations = 1;
    EXPECT_EQ(find_races({touch(0, 8, 0, Access::write), later}, order, 9).size(), 0u);
}

TEST(Races, one_for_each_pair_and_no_more_than_asked)
{
    std::vector<Touch> touches;
    for (std::uint64_t i = 0; i < 50; ++i)
        for (const int origin : {0, 1, 2})
            touches.push_back(touch(8 * i, 8 * i + 8, origin, Access::write));
    EXPECT_EQ(find_races(touches, no_order, 9).size(), 3u);
    EXPECT_EQ(find_races(touches, no_order, 2).size(), 2u);
}

TEST(Races, joining_keeps_every_byte)
{
    std::mt19937 random(3);
    for (int round = 0; round < 100; ++round) {
        std::vector<Touch> touches;
        using Byte = std::tuple<std::uint64_t, int, Access>;
        const auto bytes = [&touches] {
            std::set<Byte> all;
            for (const Touch& one : touches)
                for (std::uint64_t at = one.begin; at < one.end; ++at)
                    all.emplace(at, one.origin, one.access);
            return all;
        };
        for (int i = 0; i < 20; ++i) {
            const std::uint64_t begin = random() % 60;
            touches.push_back(touch(begin, begin + 1 + random() % 10, static_cast<int>(random() % 2),
                                    random() % 2 == 0 ? Access::read : Access::write));
        }
        const auto before = bytes();
        const std::size_t count = touches.size();
        join(touches);
        EXPECT_EQ(bytes(), before);
        EXPECT_LE(touches.size(), count);
    }
    std::vector<Touch> rows;
    for (std::uint64_t i = 0; i < 100; ++i)
        rows.push_back(touch(8 * i, 8 * i + 8, 0, Access::write));
    join(rows);
    EXPECT_EQ(rows.size(), 1u);
}

// Against every pair of accesses.
TEST(Races, all_pairs_that_meet_are_found)
{
    std::mt19937 random(11);
    for (int round = 0; round < 200; ++round) {
        std::vector<Touch> touches;
        for (int i = 0; i < 12; ++i) {
            const std::uint64_t begin = random() % 80;
            touches.push_back(touch(begin, begin + 1 + random() % 12, static_cast<int>(random() % 4),
                                    static_cast<Access>(random() % 3)));
        }
        std::set<std::pair<int, int>> wanted;
        for (const Touch& a : touches)
            for (const Touch& b : touches)
                if (a.origin < b.origin && a.begin < b.end && b.begin < a.end &&
                    (a.access != b.access || a.access == Access::write))
                    wanted.emplace(a.origin, b.origin);
        std::set<std::pair<int, int>> found;
        for (const Race& race : find_races(touches, no_order, 1000))
            found.emplace(race.first.origin, race.second.origin);
        EXPECT_EQ(found, wanted);
    }
}

// A clock says the same of pairs one by one.
TEST(Races, synchronised_pairs_that_meet_are_found)
{
    std::mt19937 random(12);
    for (int round = 0; round < 300; ++round) {
        std::vector<Synchronisation> synchronisations;
        std::vector<std::uint32_t> counts(4);
        std::vector<Touch> touches;
        for (std::uint64_t ticket = 0; ticket < 60; ++ticket) {
            const int origin = static_cast<int>(random() % 4);
            auto& count = counts[static_cast<std::size_t>(origin)];
            if (random() % 2 == 0) {
                synchronisations.push_back({ticket, random() % 3, origin, static_cast<int>(random() % 2)});
                ++count;
                continue;
            }
            const std::uint64_t begin = random() % 16;
            touches.push_back(
                touch(begin, begin + 1 + random() % 4, origin, static_cast<Access>(random() % 3)));
            touches.back().synchronisations = count;
        }
        const Order order(4, synchronisations);
        std::set<std::pair<int, int>> wanted;
        for (const Touch& a : touches)
            for (const Touch& b : touches)
                if (a.origin < b.origin && a.begin < b.end && b.begin < a.end &&
                    (a.access != b.access || a.access == Access::write) &&
                    !order.before(a.origin, a.synchronisations, b.origin, b.synchronisations) &&
                    !order.before(b.origin, b.synchronisations, a.origin, a.synchronisations))
                    wanted.emplace(a.origin, b.origin);
        std::set<std::pair<int, int>> found;
        for (const Race& race : find_races(touches, order, 1000))
            found.emplace(race.first.origin, race.second.origin);
        EXPECT_EQ(found, wanted);
    }
}

// Each pair looked at would take hours.
TEST(Races, a_counter_and_a_locked_buffer_cost_no_square)
{
    std::vector<Synchronisation> synchronisations;
    std::vector<Touch> touches;
    std::vector<std::uint32_t> counts(4);
    for (std::uint64_t ticket = 0; ticket < 400'000; ticket += 2) {
        const int origin = static_cast<int>(ticket / 2 % 4);
        auto& count = counts[static_cast<std::size_t>(origin)];
        synchronisations.push_back({ticket, 1, origin, 1});
        ++count;
        touches.push_back(touch(0, 8, origin, Access::atomic, "ARMCI_Rmw"));
        touches.push_back(touch(8, 64, origin, Access::write));
        touches[touches.size() - 2].synchronisations = touches.back().synchronisations = count;
        synchronisations.push_back({ticket + 1, 1, origin, 0});
        ++count;
    }
    EXPECT_EQ(find_races(touches, Order(4, synchronisations), 9).size(), 0u);
}

} // namespace
} // namespace armci_test
