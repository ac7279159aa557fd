#include "gmr/memory/miss.hpp"

#include "armci/base/diagnostics.hpp"

#include <cinttypes>

namespace armci::gmr {

int report_process(const char* call, int process)
{
    if (peers.processes == 0)
        return diag::reject(call, "called outside ARMCI_Init ... ARMCI_Finalize; the library is not running");
    return diag::reject(call, "process %d does not exist; it must be 0 to %u", process, peers.processes - 1);
}

int report_miss(const char* call, int process, const void* address, std::uint64_t extent, const Near& near,
                int owner)
{
    if (near.bytes > 0) {
        const std::uint64_t left = near.bytes - (reinterpret_cast<std::uintptr_t>(address) - near.start);
        return diag::reject(call,
                            "%" PRIu64 " bytes from %p on process %d end %" PRIu64
                            " bytes past the region's end; the region has %" PRIu64
                            " bytes from %p, and %" PRIu64 " are left from that address",
                            extent, address, process, extent - left, near.bytes,
                            reinterpret_cast<void*>(near.start), left);
    }
    if (owner >= 0)
        return diag::reject(call,
                            "address %p lies in no global memory of process %d; it belongs to process %d "
                            "(was the pointer of another process passed?)",
                            address, process, owner);
    return diag::reject(call,
                        "address %p lies in no global memory of process %d; pass an address inside memory "
                        "that ARMCI_Malloc gave for that process and that is not yet freed",
                        address, process);
}

} // namespace armci::gmr
