// Strided put, get and accumulate.
//
// 1. make_shape() checks and folds the arguments.
// 2. locate() finds the whole reach of the target side in one region, or reports.
// 3. The node copy or the node accumulate moves the segments, or one batch of network operations does.
// Each returns 0, or the code of a reported mistake, in which case nothing was moved.
#pragma once

#include "gmr/remote.hpp"

namespace armci::strided {

// Arguments as in ARMCI_PutS/GetS/AccS: strides in bytes, count[0] in bytes.
struct Request {
    const char* call;
    void* source;
    const int* source_stride;
    void* target;
    const int* target_stride;
    const int* count;
    int levels;
    int process; // absolute id of the remote side
    gmr::Issue issue = {};
};

int put(const Request& request);
int get(const Request& request);
int accumulate(const Request& request, int type, const void* scale);

// Packs a strided area of my own into a contiguous buffer, and back.
int pack(const char* call, const void* area, int levels, const int* stride, const int* count, char* buffer);
int unpack(const char* call, void* area, int levels, const int* stride, const int* count, const char* buffer);

} // namespace armci::strided
