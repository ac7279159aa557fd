#include "gmr/kernels/copy_rows.hpp"

#include "gmr/kernels/compiled_for.hpp"

namespace armci::gmr::kernels {
namespace {

template <std::size_t Width>
struct VectorOf {
    typedef unsigned char type __attribute__((vector_size(Width))); // GCC ignores it in an alias
};

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

// A store of 64 bytes over two lines costs more than two of 32, but long rows of them wait for the second
// cache, which whole lines spare from being read (docs/design/0007).
ARMCI_FOR_AVX512 int by_avx512(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                               std::byte* target, std::int64_t target_stride)
{
    constexpr std::int64_t beyond_the_first_cache = 64;
    if (count < beyond_the_first_cache)
        return by_vectors<64, 32>(count, source, source_stride, target, target_stride);
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
