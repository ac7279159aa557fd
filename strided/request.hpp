// Request: the arguments of a strided call, as ARMCI_PutS/GetS/AccS take them.
#pragma once

#include "gmr/transfer/remote.hpp"

namespace armci::strided {

struct Request {
    const char* call;
    void* source;
    const int* source_stride; // bytes
    void* target;
    const int* target_stride; // bytes
    const int* count;         // [0] in bytes
    int levels;
    int process; // absolute id of the remote side
    gmr::Issue issue = {};
};

} // namespace armci::strided
