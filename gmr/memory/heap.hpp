// Heap: the slice of this process: what is placed where, and what the directory tells the others.
// Safe to call from any thread.
//
// A slice has four areas of fixed place:
//     symmetric [0, 1/2)    placed by all processes of the job in the same order, so offsets agree
//     pooled    [1/2, 5/8)  placed by one process alone, inside the windows of the world
//     windowed  [5/8, 3/4)  likewise, each block in a window of its own
//     local     [3/4, 1)    likewise, in no window: reached from this node only
// On a job without a network symmetric and local are open from the start and the others stay closed.
// Otherwise symmetric and pooled open piece by piece, as windows are made over them, or at once where active
// messages take the place of windows (gmr/network/translation.hpp).
#pragma once

#include "gmr/memory/arena.hpp"
#include "gmr/memory/directory.hpp"
#include "gmr/memory/dump_mark.hpp"
#include "gmr/memory/pages.hpp"
#include "gmr/memory/slice_allocator.hpp"
#include "gmr/memory/warm_pages.hpp"

#include <array>
#include <cstdint>
#include <mutex>
#include <optional>

namespace armci::gmr {

enum class Area { symmetric, pooled, windowed, local };
inline constexpr std::size_t areas = 4;

struct Range {
    std::uint64_t first;
    std::uint64_t last;
};

// The place of an area in a slice of `span` bytes.
Range range_of(Area area, std::uint64_t span);

// MPICH 4.0 makes windows over other memory when theirs does not start on a page.
inline std::uint64_t window_alignment()
{
    return page_bytes();
}

// Long blocks that are no windows of their own begin so far into a page. Origin buffers mostly begin 0, 16 or
// 64 bytes into one, and copies to a place 1 to 63 bytes further on in its page than their source are the
// slow ones: from 0, a get of a whole region into malloc's memory would be one (docs/design/0007).
inline constexpr std::uint64_t region_lead = 128;

class Heap {
public:
    Heap() = default;
    Heap(const Arena& arena, int my_node_rank, bool has_network);

    // Opens more of an area; ranges opened apart are never joined by a block.
    void open(Area area, Range range);
    // From now on pages of the area stay when they are free: a network reaches them by where they are.
    void keep_pages(Area area);

    std::optional<Block> place(Area area, std::uint64_t bytes);
    void publish(const Block& block, std::uint64_t bytes);
    // Takes a block back. `published` is the size it was published with, or 0 when it never was.
    void release(Area area, const Block& block, std::uint64_t published);

    // Memory for the library itself, zeroed: in no region, so that no call can reach it. From
    // `window_alignment()` bytes on it is aligned to that.
    std::byte* place_internal(std::uint64_t bytes);
    void release_internal(std::byte* memory);

    std::byte* address(const Block& block) const { return slice_ + block.offset; }
    const Directory& directory() const { return directory_; }
    std::byte* slice() const { return slice_; }
    // Bytes of the longest block that the area could take now.
    std::uint64_t longest(Area area) const;

private:
    std::optional<Block> place(Area area, std::uint64_t bytes, std::uint64_t lead);
    SliceAllocator& allocator(Area area) { return allocators_[static_cast<std::size_t>(area)]; }
    // Runs `change` of the warm pages, and counts for the node what it changed.
    template <class Change>
    void change_warm(Change change);
    // Runs `change` of an area's dump mark, and tells the system where it moved.
    template <class Change>
    void change_dumped(Area area, Change change);

    const Arena* arena_ = nullptr;
    int node_rank_ = 0;
    std::byte* slice_ = nullptr;
    Directory directory_;
    std::array<SliceAllocator, areas> allocators_;
    std::array<DumpMark, areas> dumped_;
    std::array<bool, areas> keeps_pages_{};
    static constexpr std::uint64_t most_warm = std::uint64_t{32} << 20;
    WarmPages warm_{most_warm};
    mutable std::mutex guard_;
};

} // namespace armci::gmr
