// Peers: the processes of my node, as every look-up reads them, and what keeps operations on them from the
// short way.
#pragma once

#include "gmr/memory/directory.hpp"

#include <atomic>
#include <cstdint>

namespace armci::gmr {

// What keeps an operation from the short way. Threads read it at any time, and see their own changes
// (relaxed).
class Detours {
public:
    enum Reason : unsigned {
        unsettled = 1, // I have network operations pending on processes of my node
        observed = 2,  // somebody wants to see it (armci/base/observe)
        progress = 4   // other nodes may wait for me to enter MPI
    };

    bool none() const { return reasons_.load(std::memory_order_relaxed) == 0; }
    bool any_of(unsigned reasons) const { return (reasons_.load(std::memory_order_relaxed) & reasons) != 0; }
    void set(unsigned reasons) { reasons_.fetch_or(reasons, std::memory_order_relaxed); }
    void clear(unsigned reasons) { reasons_.fetch_and(~reasons, std::memory_order_relaxed); }

private:
    std::atomic<unsigned> reasons_{0};
};

// The processes from the first to the last of my node, those of other nodes between them without a slice;
// none where load and store serve no process, and outside ARMCI_Init ... ARMCI_Finalize.
struct PeerTable {
    // Null where load and store do not serve the process, whatever its number; or a peer that holds nothing.
    const Peer* of(int process) const
    {
        const unsigned index = static_cast<unsigned>(process) - first;
        return index < count ? at + index : nullptr;
    }
    bool hold(int process, const void* address, std::uint64_t extent) const
    {
        const Peer* const peer = of(process);
        return peer != nullptr && peer->holds(reinterpret_cast<std::uintptr_t>(address), extent);
    }

    const Peer* at = nullptr;
    unsigned first = 0; // process
    unsigned count = 0;
    unsigned processes = 0;   // of the job; 0 outside ARMCI_Init ... ARMCI_Finalize
    bool cpu_atomics = false; // no other atomics than the CPUs' change memory
    bool network = false;     // the job has windows
    bool quiet = false;       // it has none, and nobody looks: a fence has nothing to wait for, or to tell of
    Detours detours;
};
[[gnu::visibility("hidden")]] extern PeerTable peers; // hidden, to be addressed directly

} // namespace armci::gmr
