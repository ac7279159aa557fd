// Heap: the slice of this process: what is placed where, and what the directory tells the others.
// Safe to call from any thread.
#pragma once

#include "gmr/arena.hpp"
#include "gmr/directory.hpp"
#include "gmr/slice_allocator.hpp"

#include <cstdint>
#include <mutex>
#include <optional>

namespace armci::gmr {

// Symmetric blocks are placed by all processes of the job in the same order; private ones by one process alone.
enum class Half { symmetric, own };

class Heap {
public:
    Heap() = default;
    Heap(const Arena& arena, int my_node_rank);

    std::optional<Block> place(Half half, std::uint64_t bytes);
    void publish(const Block& block, std::uint64_t bytes);
    // Takes a block back. `published` is the size it was published with, or 0 when it never was.
    void release(Half half, const Block& block, std::uint64_t published);

    // Memory for the library itself, zeroed: in no region, so that no call can reach it.
    std::byte* place_internal(std::uint64_t bytes);
    void release_internal(std::byte* memory);

    std::byte* address(const Block& block) const { return slice_ + block.offset; }
    const Directory& directory() const { return directory_; }
    std::byte* slice() const { return slice_; }
    std::uint64_t room(Half half) const;

private:
    SliceAllocator& allocator(Half half) { return half == Half::symmetric ? symmetric_ : own_; }

    const Arena* arena_ = nullptr;
    int node_rank_ = 0;
    std::byte* slice_ = nullptr;
    Directory directory_;
    SliceAllocator symmetric_;
    SliceAllocator own_;
    mutable std::mutex guard_;
};

} // namespace armci::gmr
