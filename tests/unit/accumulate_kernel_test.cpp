#include "gmr/node/kernels/accumulate.hpp"
#include "gmr/node/kernels/instruction_set.hpp"

#include <gtest/gtest.h>

#include <climits>
#include <complex>
#include <cstring>
#include <iostream>
#include <limits>
#include <random>
#include <type_traits>
#include <vector>

namespace armci_test {
namespace {

using armci::gmr::kernels::choose_accumulate;
using armci::gmr::kernels::Element;
using armci::gmr::kernels::element_alignment;
using armci::gmr::kernels::element_size;
using armci::gmr::kernels::InstructionSet;
using armci::gmr::kernels::name_of;
using armci::gmr::kernels::use;
using armci::gmr::kernels::widest;

template <class T>
constexpr bool is_complex = false;
template <class T>
constexpr bool is_complex<std::complex<T>> = true;

template <class T>
constexpr Element element_of()
{
    if constexpr (std::is_same_v<T, int>)
        return Element::int_;
    if constexpr (std::is_same_v<T, long>)
        return Element::long_;
    if constexpr (std::is_same_v<T, float>)
        return Element::float_;
    if constexpr (std::is_same_v<T, double>)
        return Element::double_;
    if constexpr (std::is_same_v<T, std::complex<float>>)
        return Element::complex_;
    return Element::double_complex;
}

// Small whole numbers, so that every sum is exact.
template <class T>
T value(std::size_t i)
{
    const int real = static_cast<int>(i * 7 % 23) - 11;
    if constexpr (is_complex<T>)
        return T(static_cast<typename T::value_type>(real), static_cast<typename T::value_type>(i % 5));
    else
        return static_cast<T>(real);
}

template <class T>
std::vector<T> scales()
{
    if constexpr (is_complex<T>)
        return {T(1, 0), T(0, 0), T(-1, 0), T(0, 1), T(1, 1), T(3, -2)};
    else
        return {T(1), T(0), T(-1), T(2), T(-7)};
}

template <class T>
class AccumulateKernel : public testing::Test {
};
using Types = testing::Types<int, long, float, double, std::complex<float>, std::complex<double>>;
TYPED_TEST_SUITE(AccumulateKernel, Types);

TYPED_TEST(AccumulateKernel, element_has_the_size_of_its_c_type)
{
    EXPECT_EQ(element_size(element_of<TypeParam>()), sizeof(TypeParam));
    EXPECT_EQ(element_alignment(element_of<TypeParam>()), alignof(TypeParam));
}

// Every length to 70, each misalignment of the source, each scale; nothing beside the target changes.
TYPED_TEST(AccumulateKernel, adds_scale_times_source)
{
    using T = TypeParam;
    constexpr std::size_t most = 70;
    for (const T scale : scales<T>()) {
        const auto kernel = choose_accumulate(element_of<T>(), &scale).segment;
        for (std::size_t misaligned = 0; misaligned < 16; ++misaligned)
            for (std::size_t n = 0; n <= most; ++n) {
                std::vector<std::byte> source(n * sizeof(T) + misaligned); // ends where the data ends
                std::vector<T> got(most + 4), wanted(most + 4);
                for (std::size_t i = 0; i < got.size(); ++i)
                    got[i] = wanted[i] = value<T>(3 * i + 1);
                for (std::size_t i = 0; i < n; ++i) {
                    const T term = value<T>(i);
                    std::memcpy(source.data() + misaligned + i * sizeof(T), &term, sizeof(T));
                    wanted[i + 2] += scale * term;
                }
                kernel(reinterpret_cast<std::byte*>(&got[2]), source.data() + misaligned, n * sizeof(T),
                       reinterpret_cast<const std::byte*>(&scale));
                ASSERT_EQ(got, wanted)
                    << n << " elements, scale " << scale << ", source off by " << misaligned;
            }
    }
}

// Rows of every length to 20 elements, up and down, from misaligned sources: the sum of each by itself, and
// nothing beside them.
TYPED_TEST(AccumulateKernel, rows_are_segments_one_after_the_other)
{
    using T = TypeParam;
    constexpr std::int64_t count = 5;
    for (const T scale : scales<T>()) {
        const auto kernels = choose_accumulate(element_of<T>(), &scale);
        for (std::size_t n = 1; n <= 20; ++n)
            for (const std::int64_t sign : {1, -1})
                for (std::size_t misaligned = 0; misaligned < 8; misaligned += 3) {
                    const std::size_t bytes = n * sizeof(T);
                    const auto stride = static_cast<std::int64_t>(bytes + 2 * sizeof(T));
                    std::vector<T> got(count * (n + 2) + 4), wanted;
                    for (std::size_t i = 0; i < got.size(); ++i)
                        got[i] = value<T>(3 * i + 1);
                    wanted = got;
                    std::vector<std::byte> source(count * bytes + misaligned);
                    for (std::size_t i = 0; i < count * n; ++i) {
                        const T term = value<T>(i);
                        std::memcpy(source.data() + misaligned + i * sizeof(T), &term, sizeof(T));
                    }
                    const auto first = [&](std::vector<T>& all) {
                        return reinterpret_cast<std::byte*>(&all[2]) + (sign < 0 ? (count - 1) * stride : 0);
                    };
                    for (std::int64_t row = 0; row < count; ++row)
                        kernels.segment(first(wanted) + sign * row * stride,
                                        source.data() + misaligned + static_cast<std::size_t>(row) * bytes,
                                        bytes, &scale);
                    kernels.rows({first(got), sign * stride, source.data() + misaligned,
                                  static_cast<std::int64_t>(bytes), count, bytes},
                                 &scale);
                    ASSERT_EQ(got, wanted) << n << " elements, scale " << scale << ", way " << sign
                                           << ", source off by " << misaligned;
                }
    }
}

TYPED_TEST(AccumulateKernel, reads_a_misaligned_scale)
{
    using T = TypeParam;
    const T scale = scales<T>().back(), source = value<T>(1);
    T target = value<T>(9);
    const T wanted = target + scale * source;
    std::vector<std::byte> place(sizeof(T) + 1);
    std::memcpy(place.data() + 1, &scale, sizeof(T));
    choose_accumulate(element_of<T>(), place.data() + 1)
        .segment(reinterpret_cast<std::byte*>(&target), reinterpret_cast<const std::byte*>(&source),
                 sizeof(T), place.data() + 1);
    EXPECT_EQ(target, wanted);
}

TYPED_TEST(AccumulateKernel, source_may_be_the_target)
{
    using T = TypeParam;
    std::vector<T> values(37), wanted(37);
    for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = value<T>(i);
        wanted[i] = values[i] + values[i];
    }
    const T one(1);
    auto* const at = reinterpret_cast<std::byte*>(values.data());
    choose_accumulate(element_of<T>(), &one).segment(at, at, values.size() * sizeof(T), &one);
    EXPECT_EQ(values, wanted);
}

// Values whose products no float holds exactly, so that fused ones would show.
template <class T>
T uneven(std::mt19937_64& random)
{
    if constexpr (std::is_integral_v<T>) {
        return static_cast<T>(random());
    } else {
        const auto part = [&] { return std::generate_canonical<double, 53>(random) * 2 - 1; };
        if constexpr (is_complex<T>)
            return T(static_cast<typename T::value_type>(part()),
                     static_cast<typename T::value_type>(part()));
        else
            return static_cast<T>(part());
    }
}

// Segments of every length to 70 elements and some long ones, rows of every length to 20, sources at every
// place within a vector, guards on both sides.
TYPED_TEST(AccumulateKernel, each_instruction_set_gives_the_bits_of_the_portable_one)
{
    using T = TypeParam;
    std::mt19937_64 random(20'261'122);
    std::vector<T> start(4'000);
    for (T& one : start)
        one = uneven<T>(random);
    std::vector<T> terms(start.size());
    for (T& one : terms)
        one = uneven<T>(random);
    std::vector<std::byte> source(terms.size() * sizeof(T) + 64);
    const auto terms_at = [&](std::size_t misaligned) {
        std::memcpy(source.data() + misaligned, terms.data(), terms.size() * sizeof(T));
        return source.data() + misaligned;
    };
    for (int i = 1; i <= static_cast<int>(widest()); ++i) {
        const auto set = static_cast<InstructionSet>(i);
        for (const T scale : {T(1), uneven<T>(random)}) {
            use(InstructionSet::portable, InstructionSet::portable);
            const auto portable = choose_accumulate(element_of<T>(), &scale);
            use(set, InstructionSet::portable);
            const auto vectors = choose_accumulate(element_of<T>(), &scale);
            use(InstructionSet::portable, InstructionSet::portable);
            const auto compare = [&](std::size_t n, std::size_t at, std::size_t misaligned, auto run) {
                auto wanted = start, got = start;
                run(portable, reinterpret_cast<std::byte*>(&wanted[at]));
                run(vectors, reinterpret_cast<std::byte*>(&got[at]));
                ASSERT_EQ(0, std::memcmp(got.data(), wanted.data(), got.size() * sizeof(T)))
                    << name_of(set) << ", " << n << " elements at " << at << ", scale " << scale
                    << ", source off by " << misaligned;
            };
            for (std::size_t n = 0; n < 74; ++n)
                for (const std::size_t misaligned : {0u, 1u, 4u, 8u, 33u}) {
                    const std::size_t count = n <= 70 ? n : 300 * (n - 70) + n;
                    compare(count, n % 9, misaligned, [&](const auto& kernels, std::byte* target) {
                        kernels.segment(target, terms_at(misaligned), count * sizeof(T), &scale);
                    });
                }
            for (std::size_t n = 1; n <= 20; ++n)
                compare(n, n % 5, n, [&](const auto& kernels, std::byte* target) {
                    const auto bytes = static_cast<std::int64_t>(n * sizeof(T));
                    kernels.rows({target, bytes + 16, terms_at(n), bytes, 30, n * sizeof(T)}, &scale);
                });
        }
    }
    std::cout << "compared: up to " << name_of(widest()) << "\n";
}

template <class T>
void expect_wraps()
{
    T target = std::numeric_limits<T>::max();
    const T one = 1, two = 2, most = std::numeric_limits<T>::max();
    choose_accumulate(element_of<T>(), &one)
        .segment(reinterpret_cast<std::byte*>(&target), reinterpret_cast<const std::byte*>(&one), sizeof(T),
                 &one);
    EXPECT_EQ(target, std::numeric_limits<T>::min());
    target = 0;
    choose_accumulate(element_of<T>(), &two)
        .segment(reinterpret_cast<std::byte*>(&target), reinterpret_cast<const std::byte*>(&most), sizeof(T),
                 &two);
    EXPECT_EQ(target, -2);
}

TEST(AccumulateKernelOverflow, integers_wrap_around)
{
    expect_wraps<int>();
    expect_wraps<long>();
}

} // namespace
} // namespace armci_test
