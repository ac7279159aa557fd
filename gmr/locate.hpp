// Locate: from a process and an address to a target, the one look-up and the one bounds check.
#pragma once

#include "gmr/memory/miss.hpp"
#include "gmr/memory/peers.hpp"
#include "gmr/memory/target.hpp"
#include "gmr/progress_turn.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::gmr {

// The look-up beyond the fast path: through MPI, or nowhere. Words and reports a miss for `call`.
[[gnu::cold, gnu::noinline]] Target locate_elsewhere(const char* call, int process, const void* address,
                                                     std::uint64_t extent, Use use);

// Before the memory of a process of my node is touched directly: completes my network operations on it, and
// takes a turn at progress.
[[gnu::cold, gnu::noinline]] void settle(int process);

// True when load/store serves [address, address + extent) with nothing to do or say first: what the
// small-operation path asks before locate().
inline bool at_hand(int process, const void* address, std::uint64_t extent)
{
    return peers.hold(process, address, extent) && peers.detours.none();
}

// Finds [address, address + extent) in one region of `process`; extent > 0. A miss is reported here.
inline Target locate(const char* call, int process, const void* address, std::uint64_t extent, Use use)
{
    if ((use != Use::atomic || peers.cpu_atomics) && peers.hold(process, address, extent)) [[likely]] {
        if (use != Use::in_turn && peers.detours.any_of(Detours::unsettled | Detours::progress)) [[unlikely]]
            settle(process);
        Target target;
        target.local = static_cast<std::byte*>(const_cast<void*>(address));
        target.process = process;
        target.on_my_node = true;
        return target;
    }
    return locate_elsewhere(call, process, address, extent, use);
}

// For many look-ups in one region: where one region, which load and store do not serve, holds all of
// [address, address + extent). A miss otherwise, whatever the reason.
Target locate_in_one_window(int process, const void* address, std::uint64_t extent, Use use);

} // namespace armci::gmr
