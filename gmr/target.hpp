// Target: where an operation goes, as found by locate(), the one lookup and the one bounds check.
#pragma once

#include "armci/base/diagnostics.hpp"
#include "gmr/directory.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace armci::gmr {

class Window;

inline constexpr int all_processes = -1; // where an operation has a process

// What an operation wants of the target's memory. Atomic operations (accumulate, read-modify-write) on memory
// that other nodes can reach go through MPI even on the own node, unless they have a turn (gmr/modes.hpp):
// CPU atomics and MPI's are not atomic against each other. A look-up with a turn settles nothing, as others
// wait for the turn's end.
enum class Use { plain, atomic, in_turn };

struct Target {
    std::byte* local = nullptr; // the target bytes in my own address space, when load/store serves them
    Window* window = nullptr;   // otherwise: the window, and where in it
    std::uint64_t displacement = 0;
    int rank = -1;    // of the target in the window
    int process = -1; // absolute id
    int error = 0;    // what the caller returns; already reported
    bool on_my_node = false;
    bool migrates =
        false; // CPUs may change it by atomic operations, too: MPI claims it first (gmr/modes.hpp)

    // The one answer to "load/store or network?".
    bool use_load_store() const { return local != nullptr; }

    // Whether a blocking write through MPI had better be complete at the target at once: my next operation on
    // it asks whether it is the CPUs' turn, before which it must be.
    bool completes_at_once() const { return on_my_node && migrates; }

    // The target `offset` bytes further on, within the extent that was located.
    Target at(std::int64_t offset) const
    {
        Target moved = *this;
        if (moved.local != nullptr)
            moved.local += offset;
        moved.displacement += static_cast<std::uint64_t>(offset);
        return moved;
    }
};

// Whether an operation through MPI would have the same bytes as target, [address, address + extent), and as
// origin, [buffer, buffer + length): MPI leaves that undefined (MPI-3, 11.3), and MPICH aborts. In the arena
// one address is the same memory in all processes of a node; elsewhere equal addresses cost a copy too many.
inline bool is_on_itself(const Target& target, const void* address, std::uint64_t extent, const void* buffer,
                         std::uint64_t length)
{
    const auto there = reinterpret_cast<std::uintptr_t>(address);
    const auto here = reinterpret_cast<std::uintptr_t>(buffer);
    return target.on_my_node && (there - here < length || here - there < extent);
}

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

// Processes of my node by absolute id; empty outside ARMCI_Init ... ARMCI_Finalize.
struct PeerTable {
    const Peer* at = nullptr;
    unsigned count = 0;
    bool cpu_atomics = false; // no window exists, so the CPU's atomics are the only ones
    bool quiet = false;       // likewise, and nobody looks: a fence has nothing to wait for, or to tell of
    Detours detours;
};
[[gnu::visibility("hidden")]] extern PeerTable peers; // hidden, to be addressed directly

// The look-up beyond the fast path: through MPI, or nowhere. Words and reports a miss for `call`.
[[gnu::cold, gnu::noinline]] Target locate_elsewhere(const char* call, int process, const void* address,
                                                     std::uint64_t extent, Use use);

// The region that holds the first byte of a look-up that failed; 0 bytes when there is none.
struct Near {
    std::uintptr_t start = 0;
    std::uint64_t bytes = 0;
};
// Words and reports why [address, address + extent) is not memory of `process`; `owner` is the process whose
// memory holds the address, or -1. Returns the code of the report.
int report_miss(const char* call, int process, const void* address, std::uint64_t extent, const Near& near,
                int owner);

// Now and then lets MPI make progress, as a program may poll memory by operations that never enter MPI's
// progress: by load and store, and on some MPIs through a window to itself.
void take_turn_at_progress();

// As that, after an operation of so many bytes by load and store, for as long as MPI finds something to do.
[[gnu::cold, gnu::noinline]] void let_others_in(std::int64_t moved);

// Ends an operation of `bytes` in all, for which nothing is held any more.
inline void end_operation(std::int64_t bytes, bool load_store)
{
    constexpr std::int64_t long_operation = 64 << 10; // shorter ones took their turn when they began
    if (bytes >= long_operation && load_store && peers.detours.any_of(Detours::progress)) [[unlikely]]
        let_others_in(bytes);
}

// Before the memory of a process of my node is touched directly: completes my network operations on it, and
// takes a turn at progress.
[[gnu::cold, gnu::noinline]] void settle(int process);

// True when load/store serves [address, address + extent) with nothing to do or say first: what the
// small-operation path asks before locate().
inline bool at_hand(int process, const void* address, std::uint64_t extent)
{
    return static_cast<unsigned>(process) < peers.count &&
           peers.at[process].holds(reinterpret_cast<std::uintptr_t>(address), extent) && peers.detours.none();
}

// Finds [address, address + extent) in one region of `process`; extent > 0. A miss is reported here.
inline Target locate(const char* call, int process, const void* address, std::uint64_t extent, Use use)
{
    if (static_cast<unsigned>(process) < peers.count && (use != Use::atomic || peers.cpu_atomics))
        [[likely]] {
        if (peers.at[process].holds(reinterpret_cast<std::uintptr_t>(address), extent)) [[likely]] {
            if (use != Use::in_turn && peers.detours.any_of(Detours::unsettled | Detours::progress))
                [[unlikely]]
                settle(process);
            Target target;
            target.local = static_cast<std::byte*>(const_cast<void*>(address));
            target.process = process;
            target.on_my_node = true;
            return target;
        }
    }
    return locate_elsewhere(call, process, address, extent, use);
}

// For many look-ups in one region: where one window holds all of [address, address + extent). Without a
// window otherwise, whatever the reason.
Target locate_in_one_window(int process, const void* address, std::uint64_t extent, Use use);

// Checks a process number only. Returns 0, or the code of the report.
int check_process(const char* call, int process);

} // namespace armci::gmr
