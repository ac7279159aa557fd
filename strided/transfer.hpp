// Strided put, get and accumulate.
//
// 1. is_rows() and at_hand(): one stride level to memory at hand needs no shape; one loop copies it.
// Otherwise:
// 2. make_shape() checks and folds the arguments.
// 3. locate() finds the whole reach of the target side in one region, or reports.
// 4. The node copy or the node accumulate moves the segments, or one batch of network operations does.
// Each returns 0, or the code of a reported mistake, in which case nothing was moved.
#pragma once

#include "gmr/locate.hpp"
#include "strided/request.hpp"
#include "strided/rows.hpp"

namespace armci::strided {

int put_shape(const Request& request);
int get_shape(const Request& request);
int accumulate(const Request& request, int type, const void* scale);

// Whether copy_rows() does all of it.
inline bool puts_rows(const Request& request)
{
    return is_rows(request, request.target_stride, request.source_stride) &&
           gmr::at_hand(request.process, request.target,
                        computed(rows_extent(request, request.target_stride)));
}

inline bool gets_rows(const Request& request)
{
    return is_rows(request, request.source_stride, request.target_stride) &&
           gmr::at_hand(request.process, request.source,
                        computed(rows_extent(request, request.source_stride)));
}

inline int put(const Request& request)
{
    return puts_rows(request) ? copy_rows(request) : put_shape(request);
}

inline int get(const Request& request)
{
    return gets_rows(request) ? copy_rows(request) : get_shape(request);
}

// Packs a strided area of my own into a contiguous buffer, and back.
int pack(const char* call, const void* area, int levels, const int* stride, const int* count, char* buffer);
int unpack(const char* call, void* area, int levels, const int* stride, const int* count, const char* buffer);

} // namespace armci::strided
