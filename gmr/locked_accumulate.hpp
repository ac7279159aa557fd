// Accumulates by gets, sums here, and puts, under a lock of the library's own at the target process. They
// take two sorts of accumulates:
//
// - To misaligned addresses: MPI's own loops and network hardware may want alignment, so MPI adds to none.
//   Where CPUs alone change memory (one node), the kernels take any address. In all other jobs everybody, the
//   process itself and its node included, adds to such elements this way.
// - Over the network, where MPI itself adds at the origin (traits::Traits::adds_at_origin): it takes several
//   round trips for each segment, the library a few for all. Then none goes by MPI_Accumulate. The CPUs of
//   the target's node are kept out as they are of MPI's sums, by an MpiTurn (gmr/cpu_turn.hpp).
//
// All of one sort are atomic against each other, and those of the two sorts over the network, too.
//
// Ordering: the lock is a word that only MPI's atomics change, taken before the first get or load, and given
// back after the last put is complete at the target, or the last store is made (a fence between). So the sums
// are complete there when the call returns, with a handle, too.
#pragma once

#include "armci/base/runs.hpp"
#include "gmr/memory/team.hpp"
#include "gmr/network/staging.hpp"
#include "gmr/node/accumulate.hpp"
#include "gmr/regions/global_memory.hpp"
#include "gmr/transfer/issue.hpp"

#include <cstdint>
#include <vector>

namespace armci::gmr::locked {

// The locks, one on each process.
class Locks {
public:
    // Collective over `world`, the whole job. Does nothing where no job needs them.
    Locks(GlobalMemory& memory, Team& world);
    ~Locks(); // collective
    Locks(const Locks&) = delete;
    Locks& operator=(const Locks&) = delete;

private:
    GlobalMemory& memory_;
    Team& world_;
    void* mine_ = nullptr;
    Runs places_; // of the words, from the starts of slices on; by process
};

// Whether an accumulate whose addresses and distances at the target, or-ed together, are these takes this way
// whoever comes.
inline bool takes_misaligned(const Accumulation& accumulation, std::uint64_t places)
{
    return accumulation.is_misaligned(places) && !peers.cpu_atomics;
}

// Whether an accumulate that load and store do not serve takes this way. The same on all processes for all of
// a job, as sums by MPI and these are not atomic against each other.
bool takes_network();

// Holds the lock of a process while it lives.
class Turn {
public:
    explicit Turn(int process);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // How the gets and puts of one segment or more are issued: gets blocking, puts complete at the end.
    static Issue gets() { return Issue{}; }
    static Issue puts() { return {.blocking = false, .alone = true}; }
    // The sums of some bytes at a time: whole elements, unless a segment is longer.
    static constexpr std::uint64_t most_bytes = 1 << 20;

    // Adds one segment of checked size; `target` is what locate() found for plain use of `address` on.
    void add(const Target& target, const Accumulation& accumulation, const void* source, void* address,
             std::uint64_t bytes);

    // A buffer for sums that puts may read until the end.
    std::byte* take(std::uint64_t bytes);

private:
    int process_;
    Target lock_;
    Buffers sums_;
    std::uint64_t taken_ = 0; // bytes of them
};

} // namespace armci::gmr::locked
