// Layouts of 2 to 512 processes: how many of them share a slot with another.
#include "armci/base/spread.hpp"

#include "gmr/memory/stripes.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <vector>

namespace armci_test {
namespace {

using armci::spread;
using armci::spread_runs;
using armci::gmr::Stripes;

constexpr int node_sizes[] = {2, 3, 4, 8, 15, 16, 31, 48, 64, 100, 128, 192, 256, 384, 512};
// Blocks of 4 KiB, where arenas begin.
constexpr std::uint64_t bases[] = {0x2000'0000'0000 >> 12, 0x2400'0020'0000 >> 12, 0x7e80'0000'0000 >> 12};

int bits_of(std::size_t processes)
{
    return std::countr_zero(Stripes::count_for(processes));
}

struct Sharing {
    double share = 0; // of the owners, those that share a slot
    int most = 0;     // owners of one slot
};

// Owner p has one slot, slot_of(p). Only the slots of owners are looked at, as there are many more.
template <class SlotOf>
Sharing sharing(int owners, int bits, SlotOf slot_of)
{
    static std::vector<int> counts; // all 0 between calls
    counts.resize(std::max(counts.size(), std::size_t{1} << bits));
    std::vector<std::size_t> slots;
    slots.reserve(static_cast<std::size_t>(owners));
    for (int p = 0; p < owners; ++p) {
        slots.push_back(slot_of(static_cast<std::uint64_t>(p)));
        ++counts.at(slots.back());
    }
    Sharing result;
    for (const std::size_t slot : slots) {
        result.most = std::max(result.most, counts[slot]);
        if (counts[slot] > 1)
            result.share += 1;
    }
    for (const std::size_t slot : slots)
        counts[slot] = 0;
    result.share /= owners;
    return result;
}

// What chance gives: the share of owners that meet another one.
double by_chance(int owners, int bits)
{
    return 1 - std::pow(1 - std::ldexp(1.0, -bits), owners - 1);
}

// Over many layouts.
struct Tally {
    double shares = 0;
    int layouts = 0;
    int most = 0;

    void add(const Sharing& one)
    {
        shares += one.share;
        ++layouts;
        most = std::max(most, one.most);
    }
    double mean() const { return shares / layouts; }
};

TEST(Stripes, grow_with_the_node)
{
    EXPECT_EQ(Stripes::count_for(1), 1024u);
    EXPECT_EQ(Stripes::count_for(16), 1024u);
    EXPECT_EQ(Stripes::count_for(17), 2048u);
    EXPECT_EQ(Stripes::count_for(512), 32768u);
    for (const int processes : node_sizes)
        EXPECT_LE(by_chance(processes, bits_of(static_cast<std::size_t>(processes))), 1.0 / 64) << processes;
}

// The same offset in all slices, which lie 2^k blocks apart: 16 MiB to 64 TiB for all of them.
TEST(Stripes, slices_at_one_offset_meet_by_chance_only)
{
    for (const int processes : node_sizes) {
        const int bits = bits_of(static_cast<std::size_t>(processes));
        Tally tally;
        for (const std::uint64_t base : bases)
            for (int k = 12; k < 34; ++k)
                for (std::uint64_t offset = 16; offset < 400'000; offset += 40'009)
                    tally.add(sharing(processes, bits, [&](std::uint64_t p) {
                        return Stripes::index_of(base + offset + (p << k), bits);
                    }));
        EXPECT_LE(tally.mean(), 1.5 * by_chance(processes, bits) + 0.005) << processes << " processes";
        EXPECT_LE(tally.most, 5) << processes << " processes";
    }
}

// Any distance, of patches in one slice for instance.
TEST(Stripes, blocks_at_equal_distances_meet_by_chance_only)
{
    for (const int processes : node_sizes) {
        const int bits = bits_of(static_cast<std::size_t>(processes));
        Tally tally;
        for (const std::uint64_t base : bases) {
            const auto try_distance = [&](std::uint64_t distance) {
                tally.add(sharing(processes, bits, [&](std::uint64_t p) {
                    return Stripes::index_of(base + p * distance, bits);
                }));
            };
            for (std::uint64_t distance = 1; distance < 3000; ++distance)
                try_distance(distance);
            for (int k = 0; k < 30; ++k)
                for (const std::uint64_t odd : {1U, 3U, 5U, 7U, 9U, 11U, 13U, 15U, 21U, 25U})
                    try_distance(odd << k);
        }
        EXPECT_LE(tally.mean(), 1.5 * by_chance(processes, bits) + 0.005) << processes << " processes";
        EXPECT_LE(tally.most, 5) << processes << " processes";
    }
}

// Each process walks through a patch of 8 blocks of its own slice: more blocks share a stripe with a
// stranger's, by chance only.
TEST(Stripes, patches_at_one_offset_meet_by_chance_only)
{
    constexpr std::uint64_t blocks = 8;
    for (const int processes : node_sizes) {
        const int bits = bits_of(static_cast<std::size_t>(processes));
        Tally tally;
        for (const std::uint64_t base : bases)
            for (int k = 12; k < 34; ++k)
                tally.add(sharing(processes * static_cast<int>(blocks), bits, [&](std::uint64_t i) {
                    return Stripes::index_of(base + (i / blocks << k) + i % blocks, bits);
                }));
        const double chance = by_chance(processes * static_cast<int>(blocks), bits);
        EXPECT_LE(tally.mean(), 1.5 * chance + 0.02) << processes << " processes";
        EXPECT_LE(tally.most, 8) << processes << " processes";
    }
}

// Translation's slots: partners at equal distances, as those of the same number on each node.
TEST(Recent, partners_do_not_fall_on_few_slots)
{
    constexpr int bits = 6;
    for (const int partners : {2, 4, 8, 16, 32}) {
        Tally tally;
        for (std::uint64_t distance = 1; distance <= 1024; ++distance)
            for (const std::uint64_t first : {0U, 1U, 7U, 1000U})
                tally.add(sharing(partners, bits,
                                  [&](std::uint64_t p) { return spread_runs(first + p * distance, bits); }));
        EXPECT_LE(tally.mean(), 1.1 * by_chance(partners, bits)) << partners << " partners";
        EXPECT_LE(tally.most, 10) << partners << " partners";
    }
}

TEST(Recent, neighbours_share_no_slot)
{
    for (std::uint64_t first = 0; first < 4096; first += 64)
        EXPECT_EQ(sharing(64, 6, [&](std::uint64_t p) { return spread_runs(first + p, 6); }).most, 1);
}

TEST(Spread, fills_every_slot_of_a_small_table)
{
    for (int bits = 1; bits <= 10; ++bits) {
        std::vector<bool> taken(std::size_t{1} << bits);
        for (std::uint64_t number = 0; number < (std::uint64_t{16} << bits); ++number)
            taken[spread(number, bits)] = true;
        EXPECT_TRUE(std::all_of(taken.begin(), taken.end(), [](bool one) { return one; })) << bits;
    }
}

} // namespace
} // namespace armci_test
