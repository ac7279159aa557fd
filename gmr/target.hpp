// Target: where an operation goes, as found by locate(), the one lookup and the one bounds check.
#pragma once

#include "armci/base/diagnostics.hpp"
#include "gmr/directory.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::gmr {

struct Target {
    std::byte* local = nullptr; // the target bytes in my own address space
    int process = -1;           // absolute id
    int error = 0;              // what the caller returns; already reported

    // The one answer to "load/store or network?".
    bool use_load_store() const { return local != nullptr; }
};

// Processes of my node by absolute id; empty outside ARMCI_Init ... ARMCI_Finalize.
struct PeerTable {
    const Peer* at = nullptr;
    unsigned count = 0;
};
extern PeerTable peers;

// Words what is wrong with (process, address, extent) and reports it for `call`.
[[gnu::cold, gnu::noinline]] Target explain_miss(const char* call, int process, const void* address,
                                                 std::uint64_t extent);

// Finds [address, address + extent) in one region of `process`; extent > 0. A miss is reported here.
inline Target locate(const char* call, int process, const void* address, std::uint64_t extent)
{
    if (static_cast<unsigned>(process) < peers.count) [[likely]]
        if (peers.at[process].holds(reinterpret_cast<std::uintptr_t>(address), extent)) [[likely]]
            return {static_cast<std::byte*>(const_cast<void*>(address)), process, 0};
    return explain_miss(call, process, address, extent);
}

// Checks a process number only. Returns 0, or the code of the report.
int check_process(const char* call, int process);

} // namespace armci::gmr
