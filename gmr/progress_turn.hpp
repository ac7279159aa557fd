// Progress turns: operations by load and store let MPI make progress now and then, as other nodes may wait
// for this process to enter MPI.
#pragma once

#include "gmr/memory/peers.hpp"

#include <cstdint>

namespace armci::gmr {

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

} // namespace armci::gmr
