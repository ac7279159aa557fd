// Copies of rows: segments of 8, 16, 32 or 64 bytes at equal distances, row by row, in order. Each may
// overlap its destination. `count` is at least 1, strides are in bytes and of any sign. The result is 0, so
// that callers can end with the call.
#pragma once

#include "gmr/node/kernels/copy.hpp"
#include "gmr/node/kernels/instruction_set.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::gmr::kernels {

using CopyRows = int (*)(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                         std::byte* target, std::int64_t target_stride);

// Rows of 32 and 64 bytes are more than one portable register: a store of the whole is what counts.
template <std::size_t Bytes>
CopyRows copy_rows_with(InstructionSet set);

namespace detail {

// Set by use().
extern CopyRows rows_of_32;
extern CopyRows rows_of_64;

// Four at a time, out of line: what is worth a call.
template <std::size_t Bytes>
[[gnu::noinline]] int portable_rows(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                                    std::byte* target, std::int64_t target_stride)
{
    const auto next = [&] {
        copy_fixed<Bytes>(target, source);
        source += source_stride;
        target += target_stride;
    };
    for (; count >= 4; count -= 4) {
        next();
        next();
        next();
        next();
    }
    for (; count > 0; --count)
        next();
    return 0;
}

// From so many rows on a call pays.
template <std::size_t Bytes>
inline constexpr std::int64_t many_rows = Bytes <= 16 ? 32 : 3;

} // namespace detail

template <std::size_t Bytes>
inline int copy_rows(std::int64_t count, const std::byte* source, std::int64_t source_stride,
                     std::byte* target, std::int64_t target_stride)
{
    if (count >= detail::many_rows<Bytes>) {
        if constexpr (Bytes == 64)
            return detail::rows_of_64(count, source, source_stride, target, target_stride);
        else if constexpr (Bytes == 32)
            return detail::rows_of_32(count, source, source_stride, target, target_stride);
        else
            return detail::portable_rows<Bytes>(count, source, source_stride, target, target_stride);
    }
    copy_fixed<Bytes>(target, source);
    while (--count > 0) {
        source += source_stride;
        target += target_stride;
        copy_fixed<Bytes>(target, source);
    }
    return 0;
}

} // namespace armci::gmr::kernels
