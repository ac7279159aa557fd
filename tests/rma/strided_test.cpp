#include "tests/rma/strided_checker.hpp"

#include <numeric>

namespace armci_test {
namespace {

// --- Random shapes; a failure names the shape, and the program its seed
// ---------------------------------------

TEST(Strided, random_puts_and_gets_on_every_process)
{
    Region region(StridedChecker::area * size());
    auto random = rank_generator(10);
    for (int distance = 0; distance < size(); ++distance) {
        StridedChecker checker(region.of(neighbour(distance), rank() * StridedChecker::area),
                               neighbour(distance));
        for (int levels = 0; levels <= 7; ++levels)
            for (int i = 0; i < 12; ++i) {
                const StridedCase c = random_case(random, levels, 1);
                checker.put(c);
                checker.get(c);
            }
    }
}

template <class T>
class StridedAccumulate : public testing::Test {
};
TYPED_TEST_SUITE(StridedAccumulate, AccumulateTypes);

TYPED_TEST(StridedAccumulate, random_shapes_on_every_process)
{
    Region region(StridedChecker::area * size());
    auto random = rank_generator(11 + accumulate_type<TypeParam>());
    for (int distance = 0; distance < size(); ++distance) {
        StridedChecker checker(region.of(neighbour(distance), rank() * StridedChecker::area),
                               neighbour(distance));
        for (int levels = 0; levels <= 7; ++levels)
            for (const TypeParam scale : {TypeParam(1), some_scale<TypeParam>(), TypeParam(0)})
                checker.template accumulate<TypeParam>(random_case(random, levels, sizeof(TypeParam)), scale);
    }
}

// --- Shapes by name
// -------------------------------------------------------------------------------------------

class StridedPatch : public testing::Test {
protected:
    Region region{StridedChecker::area};
    StridedChecker checker{region.of(neighbour()), neighbour()};

    void all(const StridedCase& c)
    {
        checker.put(c);
        checker.get(c);
        checker.accumulate<int>(c, -2);
    }
};

TEST_F(StridedPatch, seven_levels_of_two)
{
    StridedCase c{{4, 2, 2, 2, 2, 2, 2, 2}, {8, 16, 36, 72, 144, 288, 576}, {4, 12, 24, 52, 104, 208, 416}};
    all(c);
    for (int& stride : c.target)
        stride = -stride;
    all(c);
}

TEST_F(StridedPatch, seven_levels_of_one_are_one_segment)
{
    all({{20, 1, 1, 1, 1, 1, 1, 1}, {4, 4, 4, 4, 4, 4, 4}, {-4, 8, 0, 12, 4, 4, 1024}});
}

TEST_F(StridedPatch, zero_count_at_any_level_does_nothing)
{
    for (std::size_t zero = 0; zero < 4; ++zero) {
        StridedCase c{{8, 2, 2, 2}, {16, 32, 64}, {16, 32, 64}};
        c.count[zero] = 0;
        all(c);
    }
}

// The innermost stride is larger than the next one: a patch whose levels are interleaved.
TEST_F(StridedPatch, strides_that_shrink_from_level_to_level)
{
    all({{4, 3, 3, 3}, {360, 120, 40}, {300, 100, 20}});
}

TEST_F(StridedPatch, transposed_order_of_columns)
{
    all({{8, 16, 16}, {8, 128}, {128, 8}});
    all({{8, 16, 16}, {128, 8}, {8, 128}});
}

// Reading one segment again and again; strides of zero are legal on the side that is read.
TEST_F(StridedPatch, source_stride_of_zero_repeats_a_segment)
{
    all({{12, 5, 2}, {0, 40}, {16, 100}});
}

// A sum does not depend on the order, so an accumulate may meet itself.
TEST_F(StridedPatch, accumulate_adds_up_where_segments_overlap)
{
    checker.accumulate<int>({{12, 6}, {12}, {4}}, 2);
    checker.accumulate<int>({{8, 5}, {8}, {0}}, 1);
    checker.accumulate<double>({{24, 4, 2}, {24, 96}, {8, 16}}, 3.0);
}

TEST_F(StridedPatch, segments_of_every_size)
{
    for (int segment = 1; segment <= 140; ++segment) {
        const StridedCase c{
            {segment, 3, 2}, {segment + 3, 4 * segment + 20}, {segment + 1, -(4 * segment + 8)}};
        checker.put(c);
        checker.get(c);
    }
}

// Null stride arrays are legal where there is nothing to describe.
TEST_F(StridedPatch, no_level_needs_no_strides)
{
    auto data = pattern_bytes(3, 100);
    int count = 100;
    ASSERT_EQ(0, ARMCI_PutS(data.data(), nullptr, region.of(neighbour()), nullptr, &count, 0, neighbour()));
    EXPECT_EQ(fetch(region.of(neighbour()), 100, neighbour()), data);
    std::vector<std::byte> back(100);
    ASSERT_EQ(0, ARMCI_GetS(region.of(neighbour()), nullptr, back.data(), nullptr, &count, 0, neighbour()));
    EXPECT_EQ(back, data);
}

// --- Where source and target meet
// -----------------------------------------------------------------------------

// Segments of a put that overlap in the target: some serial order of whole segments.
TEST(StridedOverlap, target_is_that_of_some_order_of_segments)
{
    Region region(256);
    for (const int stride : {0, 1, 3, 5, -2}) {
        const std::vector<std::byte> before(256, std::byte{0xee});
        store(before, region.of(neighbour()), neighbour());
        auto data = pattern_bytes(40 + static_cast<std::uint64_t>(stride + 2), 8 * 3);
        int source_stride = 8, target_stride = stride, count[] = {8, 3};
        ASSERT_EQ(0, ARMCI_PutS(data.data(), &source_stride, region.of(neighbour(), 100), &target_stride,
                                count, 1, neighbour()));
        ARMCI_Fence(neighbour());
        const auto got = fetch(region.of(neighbour()), 256, neighbour());
        std::vector<int> order{0, 1, 2};
        bool found = false;
        do {
            auto wanted = before;
            for (const int i : order)
                std::copy_n(&data[static_cast<std::size_t>(8 * i)], 8,
                            &wanted[static_cast<std::size_t>(100 + i * stride)]);
            found = found || wanted == got;
        } while (std::next_permutation(order.begin(), order.end()));
        EXPECT_TRUE(found) << "stride " << stride;
    }
}

// From global memory to global memory of the same process, patches side by side in one array.
TEST(StridedOverlap, interleaved_patches_of_one_region)
{
    Region region(4096);
    auto model = pattern_bytes(50, 4096);
    store(model, region.mine(), rank());
    int stride = 128, count[] = {40, 30};
    ASSERT_EQ(0, ARMCI_PutS(region.mine(0), &stride, region.mine(64), &stride, count, 1, rank()));
    for (std::size_t row = 0; row < 30; ++row)
        std::copy_n(&model[128 * row], 40, &model[128 * row + 64]);
    EXPECT_EQ(fetch(region.mine(), 4096, rank()), model);
    ASSERT_EQ(0, ARMCI_GetS(region.mine(64), &stride, region.mine(20), &stride, count, 1, rank()));
    for (std::size_t row = 0; row < 30; ++row)
        std::copy_n(&model[128 * row + 64], 40, &model[128 * row + 20]);
    EXPECT_EQ(fetch(region.mine(), 4096, rank()), model);
}

} // namespace
} // namespace armci_test
