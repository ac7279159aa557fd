// Slice allocator: places blocks in one area of a slice and keeps the directory's chunks and descriptor
// numbers.
//
// It is deterministic: processes that make the same calls in the same order get the same offsets, which is
// what makes the symmetric area symmetric without any exchange of offsets. Not thread-safe; its user holds a
// lock.
#pragma once

#include "gmr/memory/directory.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace armci::gmr {

struct Block {
    std::uint64_t offset = 0;     // in the slice
    std::uint32_t descriptor = 0; // in the directory
};

class SliceAllocator {
public:
    SliceAllocator() = default;
    // Numbers its blocks by the descriptors [first_descriptor, last_descriptor). Manages no range until
    // grow().
    SliceAllocator(Directory directory, std::uint32_t first_descriptor, std::uint32_t last_descriptor);

    // Adds [first, last) of the slice (multiples of 64 KiB). No block spans two ranges, unless they touch.
    void grow(std::uint64_t first, std::uint64_t last)
    {
        return_chunks(first >> chunk_shift, (last - first) >> chunk_shift);
    }

    // A block of at least `bytes` (> 0), aligned to its size up to 64 KiB and at least to a cache line; one
    // of more than 32 KiB begins `lead` bytes (less than a page) after that. Nothing when the address range
    // or the descriptors are used up.
    std::optional<Block> allocate(std::uint64_t bytes, std::uint64_t lead = 0);

    // Takes a block back. Returns the bytes of address range that it occupied.
    std::uint64_t release(const Block& block);

    // The free range that `offset` lies in, from its first byte to one past its last; empty where `offset` is
    // in use.
    std::pair<std::uint64_t, std::uint64_t> free_around(std::uint64_t offset) const;

    // Bytes of the longest block that could be placed now.
    std::uint64_t longest() const
    {
        return free_by_length_.empty() ? 0 : free_by_length_.rbegin()->first << chunk_shift;
    }

    // Bytes of address range not occupied.
    std::uint64_t room() const { return room_; }

private:
    static constexpr int least_shift = 6;                 // a cache line
    static constexpr int most_shift = chunk_shift - 1;    // half a chunk
    static constexpr int whole_chunk_shift = chunk_shift; // "offset within chunk >> this" is 0

    struct Slab {
        std::uint32_t first_descriptor = 0;
        int shift = 0;
        std::uint32_t used = 0;
        std::vector<std::uint64_t> free_map; // one bit per block, set when free
    };

    std::optional<std::uint64_t> take_chunks(std::uint64_t count);
    void return_chunks(std::uint64_t first, std::uint64_t count);
    std::optional<std::uint32_t> take_descriptors(std::uint32_t count);
    void return_descriptors(std::uint32_t first, std::uint32_t count);
    std::optional<Block> allocate_small(int shift);
    std::optional<Block> allocate_large(std::uint64_t chunks);

    Directory directory_;
    std::map<std::uint64_t, std::uint64_t> free_by_place_;             // first chunk -> count
    std::set<std::pair<std::uint64_t, std::uint64_t>> free_by_length_; // (count, first chunk)
    std::unordered_map<std::uint64_t, std::uint64_t> large_;           // first chunk -> count, in use
    std::unordered_map<std::uint64_t, Slab> slabs_;                    // chunk -> slab
    std::array<std::set<std::uint64_t>, chunk_shift> open_slabs_;      // by shift: chunks with a free block
    std::array<std::vector<std::uint32_t>, chunk_shift + 1> free_descriptors_; // by log2 of the run length
    std::uint32_t next_descriptor_ = 0;
    std::uint32_t last_descriptor_ = 0;
    std::uint64_t room_ = 0;
};

} // namespace armci::gmr
