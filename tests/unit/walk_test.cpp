#include "strided/walk.hpp"

#include "strided/node_copy.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <set>
#include <utility>
#include <vector>

namespace armci_test {
namespace {

using armci::strided::Level;
using armci::strided::most_levels;
using armci::strided::Shape;
using Offsets = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Counts through the levels as a number with mixed digits, the innermost level fastest.
Offsets expected(const Shape& shape)
{
    Offsets result;
    for (std::int64_t number = 0; number < shape.segments(); ++number) {
        std::int64_t rest = number, source = 0, target = 0;
        for (int i = 0; i < shape.levels; ++i) {
            const Level& level = shape.level[static_cast<std::size_t>(i)];
            source += rest % level.count * level.source_stride;
            target += rest % level.count * level.target_stride;
            rest /= level.count;
        }
        result.emplace_back(source, target);
    }
    return result;
}

Offsets walked(const Shape& shape)
{
    static std::byte at[1];
    Offsets result;
    armci::strided::walk(shape, at, at, [&](const std::byte* from, std::byte* to) {
        result.emplace_back(reinterpret_cast<std::intptr_t>(from) - reinterpret_cast<std::intptr_t>(at),
                            reinterpret_cast<std::intptr_t>(to) - reinterpret_cast<std::intptr_t>(at));
    });
    return result;
}

Shape shape_of(std::int64_t segment, const std::vector<Level>& levels)
{
    Shape shape;
    shape.segment = segment;
    shape.levels = static_cast<int>(levels.size());
    std::copy(levels.begin(), levels.end(), shape.level.begin());
    return shape;
}

TEST(Walk, no_level_is_one_visit)
{
    EXPECT_EQ(walked(shape_of(100, {})), (Offsets{{0, 0}}));
}

TEST(Walk, visits_the_innermost_level_fastest)
{
    EXPECT_EQ(walked(shape_of(1, {{2, 10, -1}, {2, 100, 7}})),
              (Offsets{{0, 0}, {10, -1}, {100, 7}, {110, 6}}));
}

TEST(Walk, levels_of_one_change_nothing)
{
    EXPECT_EQ(walked(shape_of(1, {{1, 5, 5}, {2, 10, 20}, {1, 7, 7}})), (Offsets{{0, 0}, {10, 20}}));
}

TEST(Walk, all_counts_of_up_to_four_levels)
{
    for (int levels = 0; levels <= 4; ++levels)
        for (int code = 0; code < 81; ++code) {
            std::vector<Level> list;
            for (int i = 0, rest = code; i < levels; ++i, rest /= 3)
                list.push_back({1 + rest % 3, 3 * (i + 1), 1000 - 400 * i}); // the last ones go down
            const Shape shape = shape_of(1, list);
            EXPECT_EQ(walked(shape), expected(shape)) << levels << " levels, counts by code " << code;
        }
}

TEST(Walk, seven_levels)
{
    auto random = common_generator(4);
    for (int step = 0; step < 50; ++step) {
        std::vector<Level> list;
        for (int i = 0; i < most_levels; ++i)
            list.push_back({1 + static_cast<std::int64_t>(random() % 3),
                            static_cast<std::int64_t>(random() % 2001) - 1000,
                            static_cast<std::int64_t>(random() % 2001) - 1000});
        const Shape shape = shape_of(1, list);
        EXPECT_EQ(walked(shape), expected(shape));
    }
}

// Parts of any size, one behind the other, are the whole in its order.
TEST(Chunks, together_are_the_shape)
{
    for (int code = 0; code < 81; ++code)
        for (std::int64_t most = 4; most <= 4 * 90; most += 4) {
            std::vector<Level> list;
            for (int i = 0, rest = code; i < 4; ++i, rest /= 3)
                list.push_back({1 + rest % 3, 5 * (i + 1), 1000 - 400 * i});
            const Shape shape = shape_of(4, list);
            Offsets together;
            armci::strided::in_chunks(shape, most,
                                      [&](const Shape& part, std::int64_t from, std::int64_t to) {
                                          EXPECT_LE(part.bytes(), most);
                                          for (const auto& [source, target] : expected(part))
                                              together.emplace_back(from + source, to + target);
                                      });
            ASSERT_EQ(together, expected(shape)) << "counts by code " << code << ", at most " << most;
        }
}

TEST(Chunks, of_less_than_a_segment_are_segments)
{
    int parts = 0;
    armci::strided::in_chunks(shape_of(100, {{3, 200, 300}, {2, 900, 1000}}), 10,
                              [&](const Shape& part, std::int64_t, std::int64_t) {
                                  EXPECT_EQ(100, part.bytes());
                                  ++parts;
                              });
    EXPECT_EQ(6, parts);
}

// Never "no" where a byte comes twice; and "no" for each array section.
TEST(MayOverlap, knows_every_shape_that_has_a_byte_twice)
{
    auto random = common_generator(9);
    int disjoint = 0;
    for (int step = 0; step < 20'000; ++step) {
        std::vector<Level> list;
        for (std::uint64_t i = random() % 4; i > 0; --i)
            list.push_back({2 + static_cast<std::int64_t>(random() % 3), 0,
                            static_cast<std::int64_t>(random() % 121) - 60});
        const Shape shape = shape_of(1 + static_cast<std::int64_t>(random() % 6), list);
        std::set<std::int64_t> bytes;
        for (const auto& [source, target] : expected(shape))
            for (std::int64_t i = 0; i < shape.segment; ++i)
                bytes.insert(target + i);
        const bool twice = static_cast<std::int64_t>(bytes.size()) < shape.bytes();
        const bool said = armci::strided::may_overlap<&Level::target_stride>(shape);
        ASSERT_TRUE(said || !twice) << "step " << step;
        disjoint += said ? 0 : 1;
    }
    EXPECT_GT(disjoint, 5000);
    EXPECT_FALSE(armci::strided::may_overlap<&Level::target_stride>(
        shape_of(8, {{10, 0, 80}, {10, 0, 8}, {5, 0, -800}})))
        << "levels in any order, of any sign";
}

// Every segment size up to beyond the ones that have code of their own, on both sides strided.
TEST(NodeCopy, moves_exactly_the_segments_of_every_size)
{
    for (int segment = 1; segment <= 140; ++segment) {
        const Shape shape =
            shape_of(segment, {{3, segment + 5, segment + 2}, {2, 3 * segment + 40, -(4 * segment + 9)}});
        std::vector<std::byte> source(2000), target(3000, std::byte{0xee});
        for (std::size_t i = 0; i < source.size(); ++i)
            source[i] = static_cast<std::byte>(i * 7 + i / 256);
        std::vector<std::byte> wanted = target;
        const std::int64_t from = 3, to = 1500;
        for (const auto& [s, t] : expected(shape))
            std::memcpy(&wanted[static_cast<std::size_t>(to + t)],
                        &source[static_cast<std::size_t>(from + s)], static_cast<std::size_t>(segment));
        armci::strided::copy(shape, &source[from], &target[to]);
        EXPECT_EQ(target, wanted) << "segments of " << segment;
    }
}

TEST(NodeCopy, a_segment_may_overlap_its_own_destination)
{
    for (int segment = 1; segment <= 80; ++segment)
        for (const int shift : {-5, -1, 1, 5}) {
            const Shape shape = shape_of(segment, {{3, 200, 200}});
            std::vector<std::byte> memory(700);
            for (std::size_t i = 0; i < memory.size(); ++i)
                memory[i] = static_cast<std::byte>(i * 11 + i / 256);
            std::vector<std::byte> wanted = memory;
            for (std::size_t i = 0; i < 3; ++i)
                std::memmove(&wanted[10 + 200 * i + static_cast<std::size_t>(shift)], &memory[10 + 200 * i],
                             static_cast<std::size_t>(segment));
            armci::strided::copy(shape, &memory[10], &memory[10 + static_cast<std::size_t>(shift)]);
            EXPECT_EQ(memory, wanted) << "segments of " << segment << " moved by " << shift;
        }
}

} // namespace
} // namespace armci_test
