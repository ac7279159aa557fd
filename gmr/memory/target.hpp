// Target: where an operation goes, as gmr::locate() finds it.
#pragma once

#include <cstddef>
#include <cstdint>

namespace armci::gmr {

class Window;

inline constexpr int all_processes = -1; // where an operation has a process

// What an operation wants of the target's memory. Atomic operations (accumulate, read-modify-write) on memory
// that other nodes can reach go through MPI even on the own node, unless they have a turn
// (gmr/network/modes.hpp): CPU atomics and MPI's are not atomic against each other. A look-up with a turn
// settles nothing, as others wait for the turn's end.
enum class Use { plain, atomic, in_turn };

struct Target {
    std::byte* local = nullptr; // the target bytes in my own address space, when load/store serves them
    Window* window = nullptr;   // otherwise: the window, and where in it; null where the job has none
    std::uint64_t displacement = 0;
    int rank = -1;    // of the target in the window; where there is none, of the process in the job
    int process = -1; // absolute id
    int error = 0;    // what the caller returns; already reported
    bool on_my_node = false;
    // CPUs may change it by atomic operations, too (gmr/network/mpi_exclusion.hpp). Where there are modes,
    // MPI claims it first (gmr/network/modes.hpp).
    bool migrates = false;

    // The one answer to "load/store or network?".
    bool use_load_store() const { return local != nullptr; }
    bool is_miss() const { return local == nullptr && rank < 0; }

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

} // namespace armci::gmr
