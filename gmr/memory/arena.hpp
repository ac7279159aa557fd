// The arena: one shared address range per node, mapped at the same address by each of its processes.
//
// It is sparse: only pages that somebody touched cost memory. Layout, all offsets fixed at start-up:
//
//     | node control, accumulate locks | directory of process 0 | 1 | ... | slice of process 0 | slice of
//     process 1 | ...
//
// A slice holds the global memory of one process. Its lower half is symmetric: what is allocated there has
// the same offset in every process. Its upper half is private: each process places things there by itself.
// Where a machine is cut into several nodes (ARMCI_NODE_SIZE), their arenas lie one after the other in one
// file. The first page of the file is the machine's, mapped by itself.
//
// The directory of a process says which regions its slice holds (gmr/memory/directory.hpp); its owner writes
// it, the node's processes read it. Nothing outlives the processes: the memory is a memfd, or a POSIX
// shared-memory object that is unlinked at once.
#pragma once

#include "armci/base/settings.hpp"
#include "armci/base/topology.hpp"
#include "gmr/memory/stripes.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace armci::gmr {

// The count of memory that the nodes of one machine share, in bytes; see gmr/memory/memory_budget.hpp. Zero
// is the start state of every member.
struct MachineControl {
    std::atomic<std::int64_t> credit; // still to be handed out
    std::atomic<std::int64_t> live;
    std::atomic<std::int64_t> warm; // freed, and its pages are kept
    std::atomic<std::int64_t> measured_at;
    std::atomic<std::int64_t> pinned; // not 0 where free memory keeps its pages, as a network has them
};

// What the processes of a node share beside regions. Zero is the start state of every member.
struct NodeControl {
    std::atomic<std::int64_t> live;     // handed out on this node, in bytes
    std::atomic<std::uint32_t> yielded; // processes that have, as they find out what yields do
};

class Arena {
public:
    Arena() = default;
    Arena(Arena&& other) noexcept;
    Arena& operator=(Arena&& other) noexcept;
    ~Arena();

    // Collective over `world`: one arena for each node, with the same address range per process on all, and
    // at the same addresses where that is possible. Ends the job with the reason when there is no way to make
    // it.
    static Arena create(MPI_Comm world, const Topology& topology, int me, const Settings& settings);

    bool mapped() const { return base_ != nullptr && machine_ != nullptr; }
    std::byte* slice(int node_rank) const
    {
        return base_ + slices_at_ + static_cast<std::size_t>(node_rank) * span_;
    }
    std::byte* directory(int node_rank) const
    {
        return base_ + directories_at_ + static_cast<std::size_t>(node_rank) * directory_bytes_;
    }
    MachineControl& machine() const { return *machine_; }
    NodeControl& control() const { return *reinterpret_cast<NodeControl*>(base_); }
    Stripes accumulate_locks() const { return {reinterpret_cast<Stripe*>(base_ + stripes_at), stripes_}; }

    // Bytes of address range per process.
    std::size_t span() const { return span_; }
    // Memory behind the arenas of this machine at this moment, all processes together.
    std::uint64_t resident() const;
    // What the backing store itself can still take (unbounded for a memfd).
    std::uint64_t backing_room() const;
    const char* backing() const { return backing_; }

    // Gives the pages that lie wholly in [offset, offset + bytes) of a slice back to the system.
    void discard(int node_rank, std::size_t offset, std::size_t bytes) const;

    // Whether core dumps of this process hold [first, last) of a slice, whole pages. At the start none holds
    // anything.
    void set_dumped(int node_rank, std::size_t first, std::size_t last, bool dumped) const;

private:
    static constexpr std::size_t stripes_at =
        (sizeof(NodeControl) + alignof(Stripe) - 1) / alignof(Stripe) * alignof(Stripe);

    std::byte* base_ = nullptr;
    MachineControl* machine_ = nullptr;
    std::size_t length_ = 0;
    std::size_t stripes_ = 0;
    std::size_t directories_at_ = 0;
    std::size_t directory_bytes_ = 0;
    std::size_t slices_at_ = 0;
    std::size_t span_ = 0;
    int fd_ = -1;
    const char* backing_ = "none";
};

} // namespace armci::gmr
