// Memory budget: says before an allocation is handed out whether the node can back it, so that nobody meets a
// SIGBUS or the kernel's out-of-memory killer later.
//
// The nodes of a machine that can share memory share one credit of bytes. Where others on the machine have a
// credit of their own (containers), each credit is its part of what is free.
//
// Taking from it is one atomic operation. The kernel is asked again only when a request is large against the
// credit or the last answer is old, because NWChem allocates about a million times.
#pragma once

#include "armci/base/node_memory.hpp"
#include "gmr/memory/arena.hpp"

#include <cstdint>
#include <optional>

namespace armci::gmr {

class MemoryBudget {
public:
    MemoryBudget() = default;
    // `counts` says how many credits there are here. `processes` is the number of processes of the node;
    // `limit_per_process` of 0 is no limit.
    MemoryBudget(const Arena& arena, const node_memory::Counts& counts, int processes,
                 std::uint64_t limit_per_process, bool check);

    void set_limit(std::uint64_t bytes_per_process);

    // Takes `bytes` for one process. On failure nothing is taken and `available` has what could be had.
    bool take(std::uint64_t bytes, std::uint64_t& available);
    void give_back(std::uint64_t bytes);

    // Handed out and not yet freed on this node, in bytes.
    std::uint64_t live() const;

    // Collective over `world`: how many credits are taken from this machine, and from this control group.
    static node_memory::Counts count(MPI_Comm world, const Topology& topology);

    const node_memory::Counts& counts() const { return counts_; }

    // What may be handed out of `free` bytes of memory, unlimited where that is not known, and of `room`
    // bytes of backing store. The library leaves some of both.
    static std::int64_t usable(std::optional<std::uint64_t> free, std::uint64_t room);

private:
    std::int64_t measure() const;

    const Arena* arena_ = nullptr;
    node_memory::Counts counts_;
    std::int64_t processes_ = 1;
    std::int64_t limit_ = 0;
    bool check_ = true;
};

// `more` bytes (fewer, where negative) of freed memory of this node keep their pages: they are not there for
// others.
void count_warm(const Arena& arena, std::int64_t more);

} // namespace armci::gmr
