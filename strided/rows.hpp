// Rows: the short way for the commonest strided transfer, one stride level that goes forward on the remote
// side (a patch of a 2-D array). It needs no Shape: nothing folds, the reach is one product, and one loop
// copies. A put of 64 bytes owes half its time to the rest, so it is inline up to the loop, and reads its
// arguments when it needs them.
#pragma once

#include "gmr/node/kernels/copy_rows.hpp"
#include "strided/request.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::strided {

// Row by row, in order; each may overlap its destination. `count` is at least 1. The result is 0, so that
// callers can end with the call.
int copy_rows_of_any_size(std::int64_t segment, std::int64_t count, const std::byte* source,
                          std::int64_t source_stride, std::byte* target, std::int64_t target_stride);

inline int copy_rows(std::int64_t segment, std::int64_t count, const std::byte* source,
                     std::int64_t source_stride, std::byte* target, std::int64_t target_stride)
{
    switch (segment) {
    case 8:
        return gmr::kernels::copy_rows<8>(count, source, source_stride, target, target_stride);
    case 16:
        return gmr::kernels::copy_rows<16>(count, source, source_stride, target, target_stride);
    case 32:
        return gmr::kernels::copy_rows<32>(count, source, source_stride, target, target_stride);
    case 64:
        return gmr::kernels::copy_rows<64>(count, source, source_stride, target, target_stride);
    default:
        return copy_rows_of_any_size(segment, count, source, source_stride, target, target_stride);
    }
}

// Whether the short way may take the request; `remote` is the array of the remote side's strides, `local` of
// the other. It leaves to the general way what is wrong, what moves nothing, and what folds into one segment.
// Tests of pointers stand apart, as the compiler makes arithmetic of neighbours.
inline bool is_rows(const Request& request, const int* remote, const int* local)
{
    if (request.levels != 1 || request.count == nullptr)
        return false;
    const int segment = request.count[0];
    return segment > 0 && request.count[1] > 0 && remote != nullptr && *remote >= 0 && local != nullptr &&
           (*remote != segment || *local != segment);
}

// Bytes from the first to the last of a side with this stride.
inline std::uint64_t rows_extent(const Request& request, const int* stride)
{
    return static_cast<std::uint64_t>((request.count[1] - std::int64_t{1}) * *stride + request.count[0]);
}

inline int copy_rows(const Request& request)
{
    return copy_rows(request.count[0], request.count[1], static_cast<const std::byte*>(request.source),
                     *request.source_stride, static_cast<std::byte*>(request.target), *request.target_stride);
}

} // namespace armci::strided
