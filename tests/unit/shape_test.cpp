#include "strided/shape.hpp"

#include "strided/walk.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <climits>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace armci_test {
namespace {

using armci::strided::Level;
using armci::strided::make_shape;
using armci::strided::most_levels;
using armci::strided::Reach;
using armci::strided::reach;
using armci::strided::Shape;
using Pairs =
    std::vector<std::pair<std::int64_t, std::int64_t>>; // (source, target) offset of each byte, in order

struct Arguments {
    std::vector<int> count; // levels + 1
    std::vector<int> source, target;

    int levels() const { return static_cast<int>(source.size()); }
    std::string text() const
    {
        std::ostringstream out;
        const auto list = [&](const char* name, const std::vector<int>& values) {
            out << name;
            for (const int value : values)
                out << " " << value;
            out << "; ";
        };
        list("count", count);
        list("source", source);
        list("target", target);
        return out.str();
    }
};

// Level by level, as armci.h defines it.
void expand(const Arguments& a, int level, std::int64_t source, std::int64_t target, Pairs& out)
{
    if (level == 0) {
        for (int i = 0; i < a.count[0]; ++i)
            out.emplace_back(source + i, target + i);
        return;
    }
    for (int i = 0; i < a.count[static_cast<std::size_t>(level)]; ++i)
        expand(a, level - 1, source + std::int64_t{i} * a.source[static_cast<std::size_t>(level - 1)],
               target + std::int64_t{i} * a.target[static_cast<std::size_t>(level - 1)], out);
}

Pairs expand(const Shape& shape)
{
    Pairs out;
    if (shape.empty())
        return out;
    static std::byte zero[1]; // offsets are taken as integers; nothing is read
    const auto origin = reinterpret_cast<std::intptr_t>(zero);
    armci::strided::walk(shape, zero, zero, [&](const std::byte* from, std::byte* to) {
        for (std::int64_t i = 0; i < shape.segment; ++i)
            out.emplace_back(reinterpret_cast<std::intptr_t>(from) - origin + i,
                             reinterpret_cast<std::intptr_t>(to) - origin + i);
    });
    return out;
}

template <auto Side>
std::pair<std::int64_t, std::int64_t> span(const Pairs& pairs)
{
    const auto [low, high] = std::minmax_element(
        pairs.begin(), pairs.end(), [](const auto& a, const auto& b) { return a.*Side < b.*Side; });
    return {(*low).*Side, (*high).*Side + 1};
}

void check(const Arguments& a)
{
    Shape shape;
    ASSERT_EQ(0, make_shape("test", a.source.data(), a.target.data(), a.count.data(), a.levels(), shape));
    Pairs expected;
    expand(a, a.levels(), 0, 0, expected);
    const Pairs got = expand(shape);
    if (got != expected)
        FAIL() << "other bytes, or another order: " << a.text();
    EXPECT_EQ(shape.bytes(), static_cast<std::int64_t>(expected.size())) << a.text();
    EXPECT_EQ(shape.empty(), expected.empty()) << a.text();
    if (expected.empty())
        return;
    using Pair = Pairs::value_type;
    const auto [from, to] = span<&Pair::first>(expected);
    const Reach source = reach<&Level::source_stride>(shape);
    EXPECT_EQ(source.below, from) << a.text();
    EXPECT_EQ(source.above, to) << a.text();
    EXPECT_EQ(source.extent(), static_cast<std::uint64_t>(to - from)) << a.text();
    const auto [below, above] = span<&Pair::second>(expected);
    const Reach target = reach<&Level::target_stride>(shape);
    EXPECT_EQ(target.below, below) << a.text();
    EXPECT_EQ(target.above, above) << a.text();
    for (int i = 0; i < shape.levels; ++i)
        EXPECT_GT(shape.level[static_cast<std::size_t>(i)].count, 1)
            << "a level of one is not folded: " << a.text();
}

// Strides for a level above one that spans `below` bytes: equal, larger, not dividing, overlapping, zero,
// negative.
std::vector<int> strides_over(int below)
{
    return {below, 2 * below, below + 1, below - 1, 0, -below, -(below + 3)};
}

TEST(Fold, all_shapes_of_one_level)
{
    for (const int segment : {0, 1, 2, 5})
        for (int n = 0; n <= 3; ++n)
            for (const int source : strides_over(segment))
                for (const int target : strides_over(segment))
                    check({{segment, n}, {source}, {target}});
}

TEST(Fold, all_shapes_of_two_levels)
{
    for (const int segment : {1, 2, 3})
        for (int n = 1; n <= 3; ++n)
            for (int m = 1; m <= 3; ++m)
                for (const int s1 : strides_over(segment))
                    for (const int t1 : strides_over(segment))
                        for (const int s2 : strides_over(n * s1))
                            for (const int t2 : strides_over(n * t1))
                                check({{segment, n, m}, {s1, s2}, {t1, t2}});
}

TEST(Fold, all_shapes_of_three_levels_with_fewer_strides)
{
    const auto few = [](int below) { return std::vector<int>{below, below + 1, -below}; };
    for (const int segment : {1, 2})
        for (int n = 1; n <= 2; ++n)
            for (int m = 1; m <= 3; ++m)
                for (int k = 1; k <= 2; ++k)
                    for (const int s1 : few(segment))
                        for (const int t1 : few(segment))
                            for (const int s2 : few(n * s1))
                                for (const int t2 : few(n * t1))
                                    for (const int s3 : few(m * s2))
                                        for (const int t3 : few(m * t2))
                                            check({{segment, n, m, k}, {s1, s2, s3}, {t1, t2, t3}});
}

TEST(Fold, random_shapes_of_up_to_seven_levels)
{
    auto random = common_generator(3);
    for (int step = 0; step < 3000; ++step) {
        Arguments a;
        a.count.push_back(1 + static_cast<int>(random() % 4));
        const int levels = static_cast<int>(random() % 8);
        int source = a.count[0], target = a.count[0];
        for (int i = 0; i < levels; ++i) {
            const auto choose = [&](int below) {
                const auto all = strides_over(below);
                return random() % 2 == 0 ? below : all[random() % all.size()];
            };
            a.source.push_back(choose(source));
            a.target.push_back(choose(target));
            a.count.push_back(1 + static_cast<int>(random() % 3));
            source = a.source.back() * a.count.back();
            target = a.target.back() * a.count.back();
        }
        check(a);
    }
}

TEST(Fold, zero_anywhere_makes_it_empty)
{
    for (int zero = 0; zero <= most_levels; ++zero) {
        Arguments a{std::vector<int>(most_levels + 1, 2), std::vector<int>(most_levels, 64),
                    std::vector<int>(most_levels, 64)};
        a.count[static_cast<std::size_t>(zero)] = 0;
        Shape shape;
        ASSERT_EQ(0, make_shape("test", a.source.data(), a.target.data(), a.count.data(), a.levels(), shape));
        EXPECT_TRUE(shape.empty());
        EXPECT_EQ(shape.segments(), 0);
        EXPECT_EQ(shape.bytes(), 0);
    }
}

TEST(Fold, contiguous_on_both_sides_is_one_segment)
{
    const Arguments a{{8, 3, 1, 5, 2}, {8, 24, 24, 120}, {8, 24, 24, 120}};
    Shape shape;
    ASSERT_EQ(0, make_shape("test", a.source.data(), a.target.data(), a.count.data(), a.levels(), shape));
    EXPECT_EQ(shape.levels, 0);
    EXPECT_EQ(shape.segment, 240);
    EXPECT_EQ(shape.segments(), 1);
}

TEST(Fold, contiguous_on_one_side_only_stays_two_levels)
{
    const Arguments a{{8, 3}, {8}, {16}};
    Shape shape;
    ASSERT_EQ(0, make_shape("test", a.source.data(), a.target.data(), a.count.data(), a.levels(), shape));
    EXPECT_EQ(shape.levels, 1);
    EXPECT_EQ(shape.segment, 8);
}

TEST(Fold, strides_of_a_level_that_repeats_once_do_not_matter)
{
    const Arguments a{{8, 1, 4}, {INT_MAX, 16}, {INT_MIN, 24}};
    Shape shape;
    ASSERT_EQ(0, make_shape("test", a.source.data(), a.target.data(), a.count.data(), a.levels(), shape));
    ASSERT_EQ(shape.levels, 1);
    EXPECT_EQ(shape.level[0].count, 4);
    EXPECT_EQ(reach<&Level::source_stride>(shape).above, 3 * 16 + 8);
    EXPECT_EQ(reach<&Level::target_stride>(shape).below, 0);
}

TEST(Fold, sizes_beyond_two_gigabytes_are_exact)
{
    constexpr int gigabyte = 1 << 30;
    const int stride[] = {gigabyte};
    const int count[] = {gigabyte, 5};
    Shape shape;
    ASSERT_EQ(0, make_shape("test", stride, stride, count, 1, shape));
    EXPECT_EQ(shape.levels, 0);
    EXPECT_EQ(shape.segment, 5 * std::int64_t{gigabyte});

    const int sparse[] = {INT_MAX, INT_MIN};
    const int many[] = {7, INT_MAX, 3};
    ASSERT_EQ(0, make_shape("test", sparse, sparse, many, 2, shape));
    EXPECT_EQ(shape.bytes(), 7 * std::int64_t{INT_MAX} * 3);
    EXPECT_EQ(reach<&Level::source_stride>(shape).above, std::int64_t{INT_MAX} * (INT_MAX - 1) + 7);
    EXPECT_EQ(reach<&Level::source_stride>(shape).below, std::int64_t{INT_MIN} * 2);
}

TEST(ReachOfShape, stops_where_it_would_not_fit_64_bits)
{
    for (const int stride : {INT_MAX, INT_MIN}) {
        const std::vector<int> strides(most_levels, stride);
        std::vector<int> count(most_levels + 1, INT_MAX);
        count[0] = 1;
        Shape shape;
        ASSERT_EQ(0, make_shape("test", strides.data(), strides.data(), count.data(), most_levels, shape));
        const Reach got = reach<&Level::target_stride>(shape);
        EXPECT_EQ(stride > 0 ? got.above : -got.below, Reach::most);
        EXPECT_GE(got.extent(), static_cast<std::uint64_t>(Reach::most));
    }
}

// 4 * 2^62 = 2^64: wraps to 0 when multiplied carelessly.
TEST(ReachOfShape, wrapped_product_is_not_small)
{
    Shape shape;
    shape.segment = 8;
    shape.levels = 1;
    shape.level[0] = {5, std::int64_t{1} << 62, -(std::int64_t{1} << 62)};
    EXPECT_EQ(reach<&Level::source_stride>(shape).above, Reach::most);
    EXPECT_EQ(reach<&Level::target_stride>(shape).below, -Reach::most);
}

} // namespace
} // namespace armci_test
