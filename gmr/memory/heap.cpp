#include "gmr/memory/heap.hpp"

#include "gmr/memory/memory_budget.hpp"

#include <algorithm>
#include <cstring>

namespace armci::gmr {
namespace {

// Freed blocks from this size on give their pages back, but for the last of them; smaller ones keep theirs.
constexpr std::uint64_t discard_from = 256 * 1024;

// The pages of a block, which has its own from discard_from on.
Range pages_of(const Block& block, std::uint64_t bytes)
{
    const std::uint64_t page = page_bytes();
    return {block.offset / page * page, (block.offset + bytes + page - 1) / page * page};
}

} // namespace

Range range_of(Area area, std::uint64_t span)
{
    switch (area) {
    case Area::symmetric:
        return {0, span / 2};
    case Area::pooled:
        return {span / 2, span / 8 * 5};
    case Area::windowed:
        return {span / 8 * 5, span / 4 * 3};
    default:
        return {span / 4 * 3, span};
    }
}

Heap::Heap(const Arena& arena, int my_node_rank, bool has_network)
    : arena_(&arena), node_rank_(my_node_rank), slice_(arena.slice(my_node_rank)),
      directory_(arena.directory(my_node_rank), arena.span())
{
    constexpr auto share = static_cast<std::uint32_t>(Directory::descriptor_count / areas);
    for (std::uint32_t i = 0; i < areas; ++i) {
        allocators_[i] = SliceAllocator(directory_, i * share, (i + 1) * share);
        const Range range = range_of(static_cast<Area>(i), arena.span());
        dumped_[i] = DumpMark(range.first, range.last);
    }
    open(Area::local, range_of(Area::local, arena.span()));
    open(has_network ? Area::windowed : Area::symmetric,
         range_of(has_network ? Area::windowed : Area::symmetric, arena.span()));
}

void Heap::open(Area area, Range range)
{
    const std::lock_guard lock(guard_);
    allocator(area).grow(range.first, range.last);
}

void Heap::keep_pages(Area area)
{
    const std::lock_guard lock(guard_);
    keeps_pages_[static_cast<std::size_t>(area)] = true;
    arena_->machine().pinned.store(1, std::memory_order_relaxed);
}

template <class Change>
void Heap::change_warm(Change change)
{
    const std::uint64_t before = warm_.bytes();
    change();
    if (warm_.bytes() != before)
        count_warm(*arena_, static_cast<std::int64_t>(warm_.bytes() - before));
}

template <class Change>
void Heap::change_dumped(Area area, Change change)
{
    DumpMark& dumped = dumped_[static_cast<std::size_t>(area)];
    const std::uint64_t before = dumped.mark();
    change(dumped);
    const std::uint64_t now = dumped.mark();
    if (now != before)
        arena_->set_dumped(node_rank_, std::min(before, now), std::max(before, now), now > before);
}

std::optional<Block> Heap::place(Area area, std::uint64_t bytes)
{
    return place(area, bytes, area == Area::windowed ? 0 : region_lead);
}

std::optional<Block> Heap::place(Area area, std::uint64_t bytes, std::uint64_t lead)
{
    const std::lock_guard lock(guard_);
    const std::optional<Block> block = allocator(area).allocate(bytes, lead);
    if (!block)
        return block;
    change_warm([&] {
        const Range pages = pages_of(*block, bytes);
        warm_.take(pages.first, pages.last - pages.first);
    });
    change_dumped(area, [&](DumpMark& dumped) { dumped.take(block->offset, block->offset + bytes); });
    return block;
}

void Heap::publish(const Block& block, std::uint64_t bytes)
{
    directory_.publish(block.descriptor, block.offset, bytes);
}

void Heap::release(Area area, const Block& block, std::uint64_t published)
{
    if (published > 0)
        directory_.withdraw(block.descriptor);
    const std::lock_guard lock(guard_);
    if (published >= discard_from && !keeps_pages_[static_cast<std::size_t>(area)])
        change_warm([&] {
            const Range pages = pages_of(block, published);
            warm_.keep(pages.first, pages.last - pages.first,
                       [this](std::uint64_t first, std::uint64_t bytes) {
                           arena_->discard(node_rank_, first, bytes);
                       });
        });
    allocator(area).release(block);
    change_dumped(area, [&](DumpMark& dumped) {
        const auto [first, last] = allocator(area).free_around(block.offset);
        dumped.give(first, last);
    });
}

std::byte* Heap::place_internal(std::uint64_t bytes)
{
    const auto block = place(Area::local, bytes, 0);
    if (!block)
        return nullptr;
    // The descriptor keeps the block's place for release_internal; its size stays 0, so no call finds it.
    directory_.publish(block->descriptor, block->offset, 0);
    std::memset(address(*block), 0, bytes);
    return address(*block);
}

void Heap::release_internal(std::byte* memory)
{
    const auto offset = static_cast<std::uint64_t>(memory - slice_);
    release(Area::local, Block{offset, directory_.index_of(directory_.find(offset))}, 0);
}

std::uint64_t Heap::longest(Area area) const
{
    const std::lock_guard lock(guard_);
    return allocators_[static_cast<std::size_t>(area)].longest();
}

} // namespace armci::gmr
