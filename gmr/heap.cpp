#include "gmr/heap.hpp"

#include <cstring>

namespace armci::gmr {
namespace {

// Freed blocks from this size on give their pages back; smaller ones stay warm for the next allocation.
constexpr std::uint64_t discard_from = 256 * 1024;

} // namespace

Heap::Heap(const Arena& arena, int my_node_rank)
    : arena_(&arena), node_rank_(my_node_rank), slice_(arena.slice(my_node_rank)),
      directory_(arena.directory(my_node_rank), arena.span()),
      symmetric_(directory_, 0, arena.span() / 2, 0, Directory::descriptor_count / 2),
      own_(directory_, arena.span() / 2, arena.span(), Directory::descriptor_count / 2, Directory::descriptor_count)
{
}

std::optional<Block> Heap::place(Half half, std::uint64_t bytes)
{
    const std::lock_guard lock(guard_);
    return allocator(half).allocate(bytes);
}

void Heap::publish(const Block& block, std::uint64_t bytes)
{
    directory_.publish(block.descriptor, block.offset, bytes);
}

void Heap::release(Half half, const Block& block, std::uint64_t published)
{
    if (published > 0) {
        directory_.withdraw(block.descriptor);
        if (published >= discard_from) arena_->discard(node_rank_, block.offset, published);
    }
    const std::lock_guard lock(guard_);
    allocator(half).release(block);
}

std::byte* Heap::place_internal(std::uint64_t bytes)
{
    const auto block = place(Half::own, bytes);
    if (!block) return nullptr;
    // The descriptor keeps the block's place for release_internal; its size stays 0, so no call finds it.
    directory_.publish(block->descriptor, block->offset, 0);
    std::memset(address(*block), 0, bytes);
    return address(*block);
}

void Heap::release_internal(std::byte* memory)
{
    const auto offset = static_cast<std::uint64_t>(memory - slice_);
    release(Half::own, Block{offset, directory_.index_of(directory_.find(offset))}, 0);
}

std::uint64_t Heap::room(Half half) const
{
    const std::lock_guard lock(guard_);
    return half == Half::symmetric ? symmetric_.room() : own_.room();
}

} // namespace armci::gmr
