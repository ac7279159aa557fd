// All small shapes, each as a put, a get and an accumulate.
#include "tests/rma/strided_checker.hpp"

namespace armci_test {
namespace {

class StridedShapes : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Segment, StridedShapes, testing::Values(4, 12));

// Strides of the same kind on all levels of a side: all pairs of kinds, all extents of 1 to 3.
TEST_P(StridedShapes, up_to_four_levels_of_one_kind_of_stride)
{
    Region region(StridedChecker::area);
    StridedChecker checker(region.of(neighbour()), neighbour());
    for (int levels = 0; levels <= 4; ++levels)
        each_extent(levels, 3, [&](const std::vector<int>& extent) {
            for (const Stride source : all_strides)
                for (const Stride target : all_strides) {
                    StridedCase c;
                    c.count = {GetParam()};
                    c.count.insert(c.count.end(), extent.begin(), extent.end());
                    c.source = make_strides(c.count, std::vector<Stride>(extent.size(), source), 4);
                    c.target = make_strides(c.count, std::vector<Stride>(extent.size(), target), 4);
                    checker.put(c);
                    checker.get(c);
                    checker.accumulate<int>(c, 3);
                }
        });
}

// Each type adds in turn, plain and scaled: element sizes of 4 to 16 bytes, on strides of all kinds.
TEST(StridedTypes, up_to_four_levels_of_each_type)
{
    Region region(StridedChecker::area);
    StridedChecker checker(region.of(neighbour()), neighbour());
    int turn = 0;
    for (int levels = 0; levels <= 4; ++levels)
        each_extent(levels, 3, [&](const std::vector<int>& extent) {
            for (const Stride source : all_strides)
                for (const Stride target : all_strides) {
                    StridedCase c;
                    c.count.assign(1, 16);
                    c.count.insert(c.count.end(), extent.begin(), extent.end());
                    c.source = make_strides(c.count, std::vector<Stride>(extent.size(), source), 16);
                    c.target = make_strides(c.count, std::vector<Stride>(extent.size(), target), 16);
                    switch (turn++ % 7) {
                    case 0:
                        checker.accumulate<int>(c, 1);
                        break;
                    case 1:
                        checker.accumulate<long>(c, 2);
                        break;
                    case 2:
                        checker.accumulate<float>(c, 1);
                        break;
                    case 3:
                        checker.accumulate<double>(c, 3);
                        break;
                    case 4:
                        checker.accumulate<std::complex<float>>(c, {1, 2});
                        break;
                    case 5:
                        checker.accumulate<std::complex<double>>(c, {2, 1});
                        break;
                    case 6:
                        checker.accumulate<double>(c, 1);
                        break;
                    }
                }
        });
}

// Every mixture of kinds over two levels.
TEST_P(StridedShapes, two_levels_of_all_kinds_of_stride)
{
    Region region(StridedChecker::area);
    StridedChecker checker(region.of(neighbour()), neighbour());
    each_extent(2, 3, [&](const std::vector<int>& extent) {
        for (int kinds = 0; kinds < 256; ++kinds) {
            StridedCase c;
            c.count = {GetParam(), extent[0], extent[1]};
            c.source = make_strides(c.count, {all_strides[kinds & 3], all_strides[kinds >> 2 & 3]}, 4);
            c.target = make_strides(c.count, {all_strides[kinds >> 4 & 3], all_strides[kinds >> 6]}, 4);
            checker.put(c);
            checker.get(c);
            checker.accumulate<int>(c, 1);
        }
    });
}

} // namespace
} // namespace armci_test
