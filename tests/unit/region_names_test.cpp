#include "armci/base/observe/regions.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace armci_test {
namespace {

using armci::observe::Regions;
using armci::observe::RegionTraffic;
using Slices = std::vector<Regions::Slice>;

TEST(RegionNames, count_what_lies_within_a_slice)
{
    Regions regions;
    regions.add(1, Slices{{0, 0x1000, 0x100}, {1, 0x1000, 0x200}});
    regions.add(2, Slices{{0, 0, 0}, {1, 0x5000, 0x10}});
    regions.count(0, 0x1000, 8);
    regions.count(0, 0x10ff, 1);
    regions.count(0, 0x1100, 1000); // beyond the end
    regions.count(0, 0xfff, 1000);  // before the start
    regions.count(1, 0x11ff, 2);
    regions.count(1, 0x500f, 5);
    regions.count(2, 0x1000, 1000); // no such process
    const auto busiest = regions.busiest(10);
    ASSERT_EQ(busiest.size(), 2u);
    EXPECT_EQ(busiest[0].region.number, 1u);
    EXPECT_EQ(busiest[0].region.first_process, 0);
    EXPECT_EQ(busiest[0].region.bytes, 0x300u);
    EXPECT_EQ(busiest[0].region.members, 2);
    EXPECT_EQ(busiest[0].operations, 3u);
    EXPECT_EQ(busiest[0].bytes, 11u);
    EXPECT_EQ(busiest[1].region.first_process, 1);
    EXPECT_EQ(busiest[1].bytes, 5u);
    EXPECT_EQ(regions.busiest(1).size(), 1u);
}

TEST(RegionNames, a_freed_region_keeps_its_count_and_its_place_is_another)
{
    Regions regions;
    regions.add(1, Slices{{0, 0x1000, 0x100}, {1, 0x2000, 0x100}});
    regions.count(1, 0x2000, 10);
    regions.remove(0, 0x1000);
    regions.count(1, 0x2000, 1000); // nobody's
    regions.add(2, Slices{{0, 0, 0}, {1, 0x2000, 0x100}});
    regions.count(1, 0x2000, 3);
    const auto busiest = regions.busiest(10);
    ASSERT_EQ(busiest.size(), 2u);
    EXPECT_EQ(busiest[0].region.number, 1u);
    EXPECT_EQ(busiest[0].bytes, 10u);
    EXPECT_EQ(busiest[1].region.number, 2u);
    EXPECT_EQ(busiest[1].bytes, 3u);
}

TEST(RegionNames, memory_is_bounded_and_the_busiest_stay)
{
    Regions regions;
    for (std::uint64_t i = 1; i <= 50'000; ++i) {
        regions.add(i, Slices{{0, 0x1000, 0x100}});
        regions.count(0, 0x1000, i % 1000 == 0 ? 1'000'000 + i : 1);
        regions.remove(0, 0x1000);
    }
    EXPECT_LE(regions.busiest(SIZE_MAX).size(), 10'000u);
    const auto busiest = regions.busiest(50);
    ASSERT_EQ(busiest.size(), 50u);
    EXPECT_EQ(busiest.front().region.number, 50'000u);
    EXPECT_EQ(busiest.back().region.number, 1'000u);
}

} // namespace
} // namespace armci_test
