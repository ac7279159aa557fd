// Directory: which regions the slice of one process holds, readable by every process of its node in two
// loads.
//
// The slice is cut into chunks of 64 KiB. A chunk belongs to one large region, which need not begin with its
// first, or is a slab of equal small blocks (64 bytes to 32 KiB, powers of two). The chunk's entry names the
// first region descriptor and the block size as a shift, so one formula serves both: descriptor = first +
// (offset within the chunk >> shift), where a large region has a shift that yields 0.
//
// Ordering: only the owner writes. It fills the descriptor before it publishes it (release); readers load
// with acquire. A reader that races with the free of the very region it uses is wrong by the API; it then
// sees either the region or nothing.
#pragma once

#include "armci/base/computed.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace armci::gmr {

inline constexpr int chunk_shift = 16;
inline constexpr std::size_t chunk_bytes = std::size_t{1} << chunk_shift;

struct Descriptor {
    std::atomic<std::uint64_t> start; // offset in the slice
    std::atomic<std::uint64_t> end;   // offset of the byte after the last; 0: no region here

    std::uint64_t size() const
    {
        const std::uint64_t last = end.load(std::memory_order_acquire);
        return last == 0 ? 0 : last - start.load(std::memory_order_relaxed);
    }
};

// A chunk's entry: 0 where no region lives.
class ChunkEntry {
public:
    ChunkEntry() = default;
    ChunkEntry(std::uint32_t first, int shift)
        : bits_((std::uint64_t{first} << 32) | (std::uint64_t{1} << 8) | static_cast<std::uint64_t>(shift))
    {
    }
    explicit ChunkEntry(std::uint64_t bits) : bits_(bits) {}

    std::uint64_t bits() const { return bits_; }
    bool empty() const { return bits_ == 0; }
    std::uint64_t descriptor_of(std::uint64_t offset) const
    {
        const std::uint64_t within = offset & (chunk_bytes - 1);
        return (bits_ >> 32) + (within >> (bits_ & 63));
    }

private:
    std::uint64_t bits_ = 0;
};

// A view of one process's directory in the arena.
class Directory {
public:
    static constexpr std::size_t descriptor_count = std::size_t{1} << 22;

    // Bytes of arena that a directory for `span` bytes of slice needs; it is sparse.
    static std::size_t bytes(std::size_t span);

    Directory() = default;
    Directory(std::byte* memory, std::size_t span); // a default one finds nothing

    const Descriptor* find(std::uint64_t offset) const
    {
        if (offset >= span_)
            return nullptr;
        const ChunkEntry entry(chunks_[offset >> chunk_shift].load(std::memory_order_acquire));
        return entry.empty() ? nullptr : &descriptors_[entry.descriptor_of(offset)];
    }
    std::uint32_t index_of(const Descriptor* descriptor) const
    {
        return static_cast<std::uint32_t>(descriptor - descriptors_);
    }

    // For the owner. set_chunks maps `count` chunks from `first_chunk`; publish and withdraw a region.
    void set_chunks(std::uint64_t first_chunk, std::uint64_t count, ChunkEntry entry);
    void publish(std::uint32_t descriptor, std::uint64_t start, std::uint64_t size);
    void withdraw(std::uint32_t descriptor);

    std::size_t span() const { return span_; }

private:
    std::atomic<std::uint64_t>* chunks_ = nullptr;
    Descriptor* descriptors_ = nullptr;
    std::size_t span_ = 0;

    friend struct Peer;
};

// What the small-operation path needs of one process on my node; span 0 for everybody else.
struct Peer {
    std::uintptr_t base = 0;
    std::uint64_t span = 0;
    const std::atomic<std::uint64_t>* chunks = nullptr;
    const Descriptor* descriptors = nullptr;

    Peer() = default;
    Peer(std::byte* slice, const Directory& directory)
        : base(reinterpret_cast<std::uintptr_t>(slice)), span(directory.span_), chunks(directory.chunks_),
          descriptors(directory.descriptors_)
    {
    }

    // True when [address, address + extent) lies in one region of this process.
    bool holds(std::uintptr_t address, std::uint64_t extent) const
    {
        const std::uint64_t offset = computed(address - base);
        if (offset >= span)
            return false;
        const ChunkEntry entry(chunks[offset >> chunk_shift].load(std::memory_order_acquire));
        if (entry.empty())
            return false;
        const Descriptor& region = descriptors[entry.descriptor_of(offset)];
        const std::uint64_t end = region.end.load(std::memory_order_acquire);
        return offset < end && extent <= end - offset &&
               offset >= region.start.load(std::memory_order_relaxed);
    }
};

} // namespace armci::gmr
