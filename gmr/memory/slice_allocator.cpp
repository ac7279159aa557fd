#include "gmr/memory/slice_allocator.hpp"

#include <algorithm>
#include <bit>
#include <iterator>

namespace armci::gmr {

SliceAllocator::SliceAllocator(Directory directory, std::uint32_t first_descriptor,
                               std::uint32_t last_descriptor)
    : directory_(directory), next_descriptor_(first_descriptor), last_descriptor_(last_descriptor)
{
}

std::optional<Block> SliceAllocator::allocate(std::uint64_t bytes, std::uint64_t lead)
{
    if (bytes <= (std::uint64_t{1} << most_shift))
        return allocate_small(std::max<int>(least_shift, std::bit_width(bytes - 1)));
    if (bytes > directory_.span())
        return std::nullopt;
    auto block = allocate_large((bytes + lead + chunk_bytes - 1) >> chunk_shift);
    if (block)
        block->offset += lead;
    return block;
}

std::uint64_t SliceAllocator::release(const Block& block)
{
    const std::uint64_t chunk = block.offset >> chunk_shift;
    if (const auto large = large_.find(chunk); large != large_.end()) {
        const std::uint64_t count = large->second;
        large_.erase(large);
        directory_.set_chunks(chunk, count, ChunkEntry{});
        return_descriptors(block.descriptor, 1);
        return_chunks(chunk, count);
        return count << chunk_shift;
    }

    const auto found = slabs_.find(chunk);
    Slab& slab = found->second;
    const int shift = slab.shift;
    const std::uint64_t index = (block.offset & (chunk_bytes - 1)) >> shift;
    slab.free_map[index / 64] |= std::uint64_t{1} << (index % 64);
    open_slabs_[static_cast<std::size_t>(shift)].insert(chunk);
    if (--slab.used == 0) {
        open_slabs_[static_cast<std::size_t>(shift)].erase(chunk);
        directory_.set_chunks(chunk, 1, ChunkEntry{});
        return_descriptors(slab.first_descriptor, std::uint32_t{1} << (chunk_shift - shift));
        slabs_.erase(found);
        return_chunks(chunk, 1);
    }
    return std::uint64_t{1} << shift;
}

std::pair<std::uint64_t, std::uint64_t> SliceAllocator::free_around(std::uint64_t offset) const
{
    const std::uint64_t chunk = offset >> chunk_shift;
    const auto after = free_by_place_.upper_bound(chunk);
    if (after == free_by_place_.begin())
        return {0, 0};
    const auto [first, count] = *std::prev(after);
    if (chunk >= first + count)
        return {0, 0};
    return {first << chunk_shift, (first + count) << chunk_shift};
}

std::optional<Block> SliceAllocator::allocate_large(std::uint64_t count)
{
    const auto descriptor = take_descriptors(1);
    if (!descriptor)
        return std::nullopt;
    const auto chunk = take_chunks(count);
    if (!chunk) {
        return_descriptors(*descriptor, 1);
        return std::nullopt;
    }
    large_.emplace(*chunk, count);
    directory_.set_chunks(*chunk, count, ChunkEntry(*descriptor, whole_chunk_shift));
    return Block{*chunk << chunk_shift, *descriptor};
}

std::optional<Block> SliceAllocator::allocate_small(int shift)
{
    auto& open = open_slabs_[static_cast<std::size_t>(shift)];
    if (open.empty()) {
        const std::uint32_t blocks = std::uint32_t{1} << (chunk_shift - shift);
        const auto descriptors = take_descriptors(blocks);
        if (!descriptors)
            return std::nullopt;
        const auto chunk = take_chunks(1);
        if (!chunk) {
            return_descriptors(*descriptors, blocks);
            return std::nullopt;
        }
        Slab slab{*descriptors, shift, 0, std::vector<std::uint64_t>((blocks + 63) / 64, 0)};
        for (std::uint32_t block = 0; block < blocks; ++block)
            slab.free_map[block / 64] |= std::uint64_t{1} << (block % 64);
        slabs_.emplace(*chunk, std::move(slab));
        directory_.set_chunks(*chunk, 1, ChunkEntry(*descriptors, shift));
        open.insert(*chunk);
    }

    const std::uint64_t chunk = *open.begin();
    Slab& slab = slabs_.find(chunk)->second;
    const auto word =
        std::find_if(slab.free_map.begin(), slab.free_map.end(), [](auto bits) { return bits != 0; });
    const auto index =
        static_cast<std::uint32_t>((word - slab.free_map.begin()) * 64 + std::countr_zero(*word));
    *word &= *word - 1;
    if (++slab.used == std::uint32_t{1} << (chunk_shift - shift))
        open.erase(chunk);
    return Block{(chunk << chunk_shift) + (std::uint64_t{index} << shift), slab.first_descriptor + index};
}

// Best fit; the lowest of equals, so that the choice does not depend on history beyond the free ranges
// themselves.
std::optional<std::uint64_t> SliceAllocator::take_chunks(std::uint64_t count)
{
    const auto found = free_by_length_.lower_bound({count, 0});
    if (found == free_by_length_.end())
        return std::nullopt;
    const auto [length, first] = *found;
    free_by_length_.erase(found);
    free_by_place_.erase(first);
    if (length > count) {
        free_by_place_.emplace(first + count, length - count);
        free_by_length_.emplace(length - count, first + count);
    }
    room_ -= count << chunk_shift;
    return first;
}

void SliceAllocator::return_chunks(std::uint64_t first, std::uint64_t count)
{
    room_ += count << chunk_shift;
    auto next = free_by_place_.lower_bound(first);
    if (next != free_by_place_.end() && next->first == first + count) {
        count += next->second;
        free_by_length_.erase({next->second, next->first});
        next = free_by_place_.erase(next);
    }
    if (next != free_by_place_.begin()) {
        const auto before = std::prev(next);
        if (before->first + before->second == first) {
            first = before->first;
            count += before->second;
            free_by_length_.erase({before->second, before->first});
            free_by_place_.erase(before);
        }
    }
    free_by_place_.emplace(first, count);
    free_by_length_.emplace(count, first);
}

// Runs are powers of two and reused by length only; a slab's run is at most 1,024 long.
std::optional<std::uint32_t> SliceAllocator::take_descriptors(std::uint32_t count)
{
    auto& free = free_descriptors_[static_cast<std::size_t>(std::bit_width(count) - 1)];
    if (!free.empty()) {
        const std::uint32_t first = free.back();
        free.pop_back();
        return first;
    }
    if (last_descriptor_ - next_descriptor_ < count)
        return std::nullopt;
    const std::uint32_t first = next_descriptor_;
    next_descriptor_ += count;
    return first;
}

void SliceAllocator::return_descriptors(std::uint32_t first, std::uint32_t count)
{
    free_descriptors_[static_cast<std::size_t>(std::bit_width(count) - 1)].push_back(first);
}

} // namespace armci::gmr
