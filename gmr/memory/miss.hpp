// Miss: how a look-up that finds nothing is worded.
#pragma once

#include "gmr/memory/peers.hpp"

#include <cstdint>

namespace armci::gmr {

// The region that holds the first byte of a look-up that failed; 0 bytes when there is none.
struct Near {
    std::uintptr_t start = 0;
    std::uint64_t bytes = 0;
};
// Words and reports why [address, address + extent) is not memory of `process`; `owner` is the process whose
// memory holds the address, or -1. Returns the code of the report.
int report_miss(const char* call, int process, const void* address, std::uint64_t extent, const Near& near,
                int owner);

// Words and reports why there is no such process. Returns the code of the report.
[[gnu::cold]] int report_process(const char* call, int process);

// Checks a process number only; inline, as a fence does little else. Returns 0, or the code of the report.
inline int check_process(const char* call, int process)
{
    return static_cast<unsigned>(process) < peers.processes ? 0 : report_process(call, process);
}

} // namespace armci::gmr
