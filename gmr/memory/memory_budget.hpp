// Memory budget: says before an allocation is handed out whether the node can back it, so that nobody meets a
// SIGBUS or the kernel's out-of-memory killer later.
//
// The node shares one credit of bytes. Taking from it is one atomic operation; the kernel is asked again only
// when a request is large against the credit or the last answer is old, because NWChem allocates about a
// million times.
#pragma once

#include "gmr/memory/arena.hpp"

#include <cstdint>

namespace armci::gmr {

class MemoryBudget {
public:
    MemoryBudget() = default;
    // `processes` is the number of processes of the node; `limit_per_process` of 0 is no limit.
    MemoryBudget(const Arena& arena, int processes, std::uint64_t limit_per_process, bool check);

    void set_limit(std::uint64_t bytes_per_process);

    // Takes `bytes` for one process. On failure nothing is taken and `available` has what could be had.
    bool take(std::uint64_t bytes, std::uint64_t& available);
    void give_back(std::uint64_t bytes);

    // Handed out and not yet freed on this node, in bytes.
    std::uint64_t live() const;

private:
    std::int64_t measure() const;

    const Arena* arena_ = nullptr;
    std::int64_t processes_ = 1;
    std::int64_t limit_ = 0;
    bool check_ = true;
};

// `more` bytes (fewer, where negative) of freed memory of this node keep their pages: they are not there for
// others.
void count_warm(const Arena& arena, std::int64_t more);

} // namespace armci::gmr
