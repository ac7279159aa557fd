// I/O-vector put, get and accumulate.
//
// A call brings several descriptors; each has segments of one size and an array of addresses for either side.
// All segments are located before the first one moves, so a mistake moves nothing. Overlapping segments end
// as a serial execution leaves them.
#pragma once

#include "iov/segments.hpp"

#include <span>

namespace armci::iov {

int put(const char* call, std::span<const Descriptor> descriptors, int process, gmr::Issue issue = {});
int get(const char* call, std::span<const Descriptor> descriptors, int process, gmr::Issue issue = {});
int accumulate(const char* call, int type, const void* scale, std::span<const Descriptor> descriptors,
               int process, gmr::Issue issue = {});

// The same without the checks of its arguments but those of its segments, and not counted in the statistics.
int transfer(const Request& request);

// Adds aligned and misaligned segments, each in their way. Not counted in the statistics.
int add_by_alignment(const Request& request);

// Reports a descriptor count or array that cannot be.
int check(const char* call, const void* descriptors, int count);

} // namespace armci::iov
