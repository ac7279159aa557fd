// Accumulate on the node: element by element atomic against other accumulates, by locks striped over target
// addresses.
//
// A lock covers all 4 KiB blocks of the node whose number falls on its stripe (gmr/memory/stripes.hpp).
// A process that adds to a block holds that one lock and no other, so there is no order to keep and no
// deadlock; runs of segments in one block take it once. Ordering: taking a lock is acquire, releasing it is
// release, so sums made under it are seen by the next holder. All accumulates by the CPU use these locks;
// memory that other nodes reach is added to by the CPU or by MPI, one at a time (gmr/cpu_turn.hpp).
#pragma once

#include "armci/base/wait.hpp"
#include "gmr/memory/stripes.hpp"
#include "gmr/node/kernels/accumulate.hpp"

#include <cstddef>
#include <cstdint>

namespace armci::gmr {

// Sets where the locks are, for the life of the runtime.
void set_accumulate_locks(const Stripes& locks);

// Holds at most one stripe at a time.
class AccumulateLock {
public:
    AccumulateLock() = default;
    // Where the memory's owner may see it at another address (ARMCI_WINDOW=shared): `local` here is `owners`
    // there. All processes take the lock of the owner's address. The two differ by whole blocks, as memory is
    // mapped by pages.
    AccumulateLock(const std::byte* local, const void* owners)
        : to_owner_(reinterpret_cast<std::uintptr_t>(owners) - reinterpret_cast<std::uintptr_t>(local))
    {
    }
    AccumulateLock(const AccumulateLock&) = delete;
    AccumulateLock& operator=(const AccumulateLock&) = delete;
    ~AccumulateLock()
    {
        if (held_ != nullptr)
            release();
    }

    // Holds the lock of the block that `address` lies in, and lets go of any other.
    void hold(const std::byte* address)
    {
        const std::uintptr_t block = (reinterpret_cast<std::uintptr_t>(address) + to_owner_) / block_bytes;
        if (block != block_)
            hold_block(block);
    }

    static constexpr std::uintptr_t block_bytes = 4096;

private:
    void hold_block(std::uintptr_t block);
    void release();

    std::uintptr_t to_owner_ = 0;        // to be added to addresses
    std::uintptr_t block_ = UINTPTR_MAX; // by number, of those whose lock is held
    wait::Word* held_ = nullptr;
};

// What an accumulate call does to each of its segments.
class Accumulation {
public:
    // Checks type and scale; reports and returns non-zero when they are wrong.
    static int prepare(const char* call, int type, const void* scale, Accumulation& result);

    // Reports a segment whose size is no multiple of the element.
    int check_size(const char* call, std::int64_t bytes) const;
    // Whether segments whose sizes, or-ed together, are these pass.
    bool takes_sizes(std::uint64_t sizes) const { return (sizes & size_mask_) == 0; }
    // Whether segments whose addresses and distances, or-ed together, are these had better not be added to by
    // MPI (gmr/locked_accumulate.hpp). Kernels add at any address.
    bool is_misaligned(std::uint64_t addresses) const { return (addresses & alignment_mask_) != 0; }

    kernels::Element element() const { return element_; }
    const void* scale() const { return scale_; } // the caller's
    bool has_unit_scale() const { return kernels::is_unit_scale(element_, scale_); }

    // Adds one checked segment.
    void add(AccumulateLock& lock, std::byte* target, const std::byte* source, std::size_t bytes) const;

    // Adds without a lock, where no other process adds meanwhile.
    void add_unshared(std::byte* target, const std::byte* source, std::size_t bytes) const
    {
        kernel_.segment(target, source, bytes, scale_);
    }

    // Adds checked segments at equal distances.
    void add_rows(AccumulateLock& lock, kernels::Rows rows) const;

private:
    kernels::Element element_ = kernels::Element::int_;
    kernels::AccumulateKernels kernel_{};
    const void* scale_ = nullptr;
    // Less one: the bytes of an element and what its address is a multiple of, powers of two.
    std::size_t size_mask_ = 0;
    std::size_t alignment_mask_ = 0;
};

} // namespace armci::gmr
