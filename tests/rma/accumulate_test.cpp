#include "tests/rma/accumulate_types.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace armci_test {
namespace {

template <class T>
class Accumulate : public testing::Test {
};
TYPED_TEST_SUITE(Accumulate, AccumulateTypes);

TYPED_TEST(Accumulate, adds_scale_times_source_and_nothing_else)
{
    using T = TypeParam;
    constexpr std::size_t n = 1200; // more than one lock block for every type
    const int bytes = static_cast<int>(n * sizeof(T));
    Region region(long{bytes} * size());
    const int target = neighbour();
    T* const at = region.as<T>(target) + n * static_cast<std::size_t>(rank());
    std::vector<T> model(n);
    for (std::size_t i = 0; i < n; ++i)
        model[i] = small_value<T>(i + 1);
    ASSERT_EQ(0, ARMCI_Put(model.data(), at, bytes, target));
    for (const T scale : {T(1), some_scale<T>(), T(0), T(-1)})
        for (const auto& [first, count] :
             {std::pair<std::size_t, std::size_t>{0, n}, {1, n - 2}, {500, 1}, {n - 1, 1}, {3, 0}}) {
            // One byte off: the source need not be aligned.
            std::vector<std::byte> source(count * sizeof(T) + 1);
            for (std::size_t i = 0; i < count; ++i) {
                const T value = small_value<T>(5 * i + first);
                std::memcpy(&source[1 + i * sizeof(T)], &value, sizeof(T));
                model[first + i] += scale * value;
            }
            T factor = scale;
            ASSERT_EQ(0, ARMCI_Acc(accumulate_type<T>(), &factor, source.data() + 1, at + first,
                                   static_cast<int>(count * sizeof(T)), target));
            std::vector<T> got(n);
            ASSERT_EQ(0, ARMCI_Get(at, got.data(), bytes, target));
            ASSERT_EQ(got, model) << count << " elements at " << first << ", scale " << scale;
        }
}

// Complex accumulates need the alignment of a component only, so an element may lie across two lock blocks.
TYPED_TEST(Accumulate, element_may_lie_across_blocks)
{
    using T = TypeParam;
    constexpr std::size_t n = 1024;
    Region region(static_cast<long>((n + 1) * sizeof(T)));
    const int target = neighbour();
    std::byte* const at = region.of(target) + (is_complex<T> ? sizeof(T) / 2 : 0);
    std::vector<T> ones(n, T(1)), zeros(n, T(0)), got(n);
    T two = T(2);
    ASSERT_EQ(0, ARMCI_Put(zeros.data(), at, static_cast<int>(n * sizeof(T)), target));
    ARMCI_Barrier();
    for (int round = 0; round < 20; ++round)
        for (int p = 0; p < size(); ++p)
            ASSERT_EQ(0,
                      ARMCI_Acc(accumulate_type<T>(), &two, ones.data(),
                                region.of(p) + (at - region.of(target)), static_cast<int>(n * sizeof(T)), p));
    ARMCI_Barrier();
    ASSERT_EQ(0, ARMCI_Get(at, got.data(), static_cast<int>(n * sizeof(T)), target));
    EXPECT_EQ(got, std::vector<T>(n, T(static_cast<float>(40 * size()))));
}

// Everybody adds to the same elements of everybody, the owner to its own too, by all three forms of the call.
TYPED_TEST(Accumulate, no_sum_is_lost_when_all_add_to_the_same_block)
{
    using T = TypeParam;
    constexpr std::size_t n = 96;
    const int rounds = uses_windows() ? 20 : 100; // a message takes as long as thousands of locks
    Region region(static_cast<long>(n * sizeof(T)));
    std::fill_n(region.as<T>(rank()), n, T(0));
    ARMCI_Barrier();
    std::vector<T> source(n);
    for (std::size_t i = 0; i < n; ++i)
        source[i] = small_value<T>(i) + T(static_cast<float>(rank()));
    T one = T(1), scale = some_scale<T>();
    const int element = static_cast<int>(sizeof(T));
    for (int round = 0; round < rounds; ++round)
        for (int distance = 0; distance < size(); ++distance) {
            const int target = neighbour(distance);
            T* const at = region.as<T>(target);
            ASSERT_EQ(0, ARMCI_Acc(accumulate_type<T>(), &one, source.data(), at,
                                   static_cast<int>(n) * element, target));
            int stride = 8 * element, count[] = {8 * element, static_cast<int>(n) / 8};
            ASSERT_EQ(0, ARMCI_AccS(accumulate_type<T>(), &scale, source.data(), &stride, at, &stride, count,
                                    1, target));
            std::vector<void*> from(n), to(n);
            for (std::size_t i = 0; i < n; ++i) {
                from[i] = &source[i];
                to[i] = at + i;
            }
            armci_giov_t segments{from.data(), to.data(), element, static_cast<int>(n)};
            ASSERT_EQ(0, ARMCI_AccV(accumulate_type<T>(), &one, &segments, 1, target));
        }
    ARMCI_Barrier();
    for (std::size_t i = 0; i < n; ++i) {
        T sum = T(0);
        for (int p = 0; p < size(); ++p)
            sum += small_value<T>(i) + T(static_cast<float>(p));
        const T wanted = T(static_cast<float>(rounds)) * (sum + sum + scale * sum);
        EXPECT_EQ(region.as<T>(rank())[i], wanted) << "element " << i;
    }
}

// Neighbouring elements of different origins in one block do not disturb each other.
TYPED_TEST(Accumulate, neighbouring_elements_of_different_origins)
{
    using T = TypeParam;
    const int rounds = uses_windows() ? 200 : 2000;
    Region region(static_cast<long>(sizeof(T)) * size());
    region.as<T>(rank());
    std::fill_n(region.as<T>(rank()), size(), T(0));
    ARMCI_Barrier();
    T one = T(1), value = T(static_cast<float>(rank() + 1));
    for (int round = 0; round < rounds; ++round)
        ASSERT_EQ(0, ARMCI_Acc(accumulate_type<T>(), &one, &value, region.as<T>(0) + rank(), sizeof(T), 0));
    ARMCI_Barrier();
    if (rank() == 0) {
        for (int p = 0; p < size(); ++p)
            EXPECT_EQ(region.as<T>(0)[p], T(static_cast<float>(rounds * (p + 1)))) << "of process " << p;
    }
}

} // namespace
} // namespace armci_test
