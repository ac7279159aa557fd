// Accumulates to misaligned addresses. MPI's own loops and network hardware may want alignment, so MPI adds
// to none.
//
// Where CPUs alone change memory (one node), the kernels take any address. In all other jobs everybody, the
// process itself and its node included, adds to the memory of a process under that process's lock: gets,
// adds, puts. So there is one mechanism for such elements, whoever comes; they are atomic against each other,
// not against aligned ones that they overlap. Slow, and meant to be: programs that care align.
//
// Ordering: the lock is a word that only MPI's atomics change, taken before the first get or load, and given
// back after the last put is complete at the target, or the last store is made (a fence between).
#pragma once

#include "gmr/memory/team.hpp"
#include "gmr/node/accumulate.hpp"
#include "gmr/regions/global_memory.hpp"

#include <cstdint>
#include <vector>

namespace armci::gmr::misaligned {

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
    std::vector<void*> words_; // by process
};

// Whether an accumulate whose addresses and distances at the target, or-ed together, are these takes this
// way.
inline bool goes_apart(const Accumulation& accumulation, std::uint64_t places)
{
    return accumulation.is_misaligned(places) && !peers.cpu_atomics;
}

// Holds the lock of a process while it lives.
class Turn {
public:
    explicit Turn(int process);
    ~Turn();
    Turn(const Turn&) = delete;
    Turn& operator=(const Turn&) = delete;

    // Adds one segment of checked size; `target` is what locate() found for plain use of `address` on.
    void add(const Target& target, const Accumulation& accumulation, const void* source, void* address,
             std::uint64_t bytes);

private:
    int process_;
    Target lock_;
};

} // namespace armci::gmr::misaligned
