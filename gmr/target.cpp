#include "gmr/target.hpp"

#include <cinttypes>

namespace armci::gmr {

PeerTable peers;

int check_process(const char* call, int process)
{
    if (peers.count == 0)
        return diag::reject(call, "called outside ARMCI_Init ... ARMCI_Finalize; the library is not running");
    if (static_cast<unsigned>(process) >= peers.count)
        return diag::reject(call, "process %d does not exist; it must be 0 to %u", process, peers.count - 1);
    return 0;
}

Target explain_miss(const char* call, int process, const void* address, std::uint64_t extent)
{
    Target miss;
    miss.process = process;
    miss.error = check_process(call, process);
    if (miss.error != 0) return miss;

    const Peer& peer = peers.at[process];
    const auto at = reinterpret_cast<std::uintptr_t>(address);
    if (peer.holds(at, 1)) {
        const std::uint64_t offset = at - peer.base;
        const ChunkEntry entry(peer.chunks[offset >> chunk_shift].load(std::memory_order_acquire));
        const Descriptor& region = peer.descriptors[entry.descriptor_of(offset)];
        const std::uint64_t size = region.size.load(std::memory_order_relaxed);
        const std::uint64_t from = offset - region.start.load(std::memory_order_relaxed);
        miss.error = diag::reject(call,
                                  "%" PRIu64 " bytes from %p on process %d end %" PRIu64
                                  " bytes past the region's end; the region has %" PRIu64
                                  " bytes from %p, and %" PRIu64 " are left from that address",
                                  extent, address, process, extent - (size - from), size,
                                  reinterpret_cast<void*>(at - from), size - from);
        return miss;
    }
    int owner = -1;
    for (unsigned other = 0; other < peers.count; ++other)
        if (peers.at[other].holds(at, 1)) owner = static_cast<int>(other);
    if (owner >= 0)
        miss.error = diag::reject(call,
                                  "address %p lies in no global memory of process %d; it belongs to process %d "
                                  "(was the pointer of another process passed?)",
                                  address, process, owner);
    else
        miss.error = diag::reject(call,
                                  "address %p lies in no global memory of process %d; pass an address inside memory "
                                  "that ARMCI_Malloc gave for that process and that is not yet freed",
                                  address, process);
    return miss;
}

} // namespace armci::gmr
