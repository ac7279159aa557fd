#include "gmr/node/kernels/copy_rows.hpp"

#include "gmr/node/kernels/compiled_for.hpp"
#include "gmr/node/kernels/vector_of.hpp"

#include <algorithm>
#include <cstring>

namespace armci::gmr::kernels {
namespace {

// Width is Bytes or the half of it.
template <std::size_t Bytes, std::size_t Width>
inline int by_vectors(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                      std::byte* target, std::int64_t target_stride)
{
    using Vector = typename VectorOf<Width>::type;
    for (; count > 0; --count, source += source_stride, target += target_stride) {
        Vector a, b;
        std::memcpy(&a, source, Width);
        std::memcpy(&b, source + Bytes - Width, Width);
        std::memcpy(target, &a, Width);
        if constexpr (Width < Bytes)
            std::memcpy(target + Width, &b, Width);
    }
    return 0;
}

template <std::size_t Bytes>
ARMCI_FOR_AVX2 int by_avx2(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                           std::byte* target, std::int64_t target_stride)
{
    return by_vectors<Bytes, 32>(count, source, source_stride, target, target_stride);
}

// [first byte, after the last) of one side.
struct Span {
    std::uintptr_t first;
    std::uintptr_t last;
};

Span span_of(const std::byte* rows, std::int64_t count, std::int64_t stride, std::size_t bytes)
{
    const auto one_end = reinterpret_cast<std::uintptr_t>(rows);
    const auto other_end = one_end + static_cast<std::uintptr_t>((count - 1) * stride);
    return {std::min(one_end, other_end), std::max(one_end, other_end) + bytes};
}

// A store of 64 bytes over two lines costs more than two of 32. Long rows of them wait for the second cache,
// though, and least where two lines are loaded and then two are stored (docs/design/0007).
ARMCI_FOR_AVX512 int by_avx512(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                               std::byte* target, std::int64_t target_stride)
{
    constexpr std::int64_t beyond_the_first_cache = 64;
    if (count < beyond_the_first_cache)
        return by_vectors<64, 32>(count, source, source_stride, target, target_stride);
    const Span read = span_of(source, count, source_stride, 64);
    const Span written = span_of(target, count, target_stride, 64);
    if (read.first < written.last && written.first < read.last)
        return by_vectors<64, 64>(count, source, source_stride, target, target_stride);
    for (; count >= 2; count -= 2) {
        VectorOf<64>::type a, b;
        std::memcpy(&a, source, 64);
        std::memcpy(&b, source + source_stride, 64);
        std::memcpy(target, &a, 64);
        std::memcpy(target + target_stride, &b, 64);
        source += 2 * source_stride;
        target += 2 * target_stride;
    }
    return by_vectors<64, 64>(count, source, source_stride, target, target_stride);
}

} // namespace

namespace detail {
CopyRows rows_of_32 = portable_rows<32>;
CopyRows rows_of_64 = portable_rows<64>;
} // namespace detail

template <>
CopyRows copy_rows_with<32>(InstructionSet set)
{
    return set == InstructionSet::portable ? detail::portable_rows<32> : by_avx2<32>;
}

template <>
CopyRows copy_rows_with<64>(InstructionSet set)
{
    switch (set) {
    case InstructionSet::portable:
        return detail::portable_rows<64>;
    case InstructionSet::avx2:
        return by_avx2<64>;
    case InstructionSet::avx512:
        return by_avx512;
    }
    return nullptr;
}

} // namespace armci::gmr::kernels
