#include "gmr/memory/directory.hpp"

#include <new>

namespace armci::gmr {

std::size_t Directory::bytes(std::size_t span)
{
    return (span >> chunk_shift) * sizeof(std::atomic<std::uint64_t>) + descriptor_count * sizeof(Descriptor);
}

// The arena's pages start as zero, which is the empty state of both tables; touching them here would cost
// memory.
Directory::Directory(std::byte* memory, std::size_t span)
    : chunks_(reinterpret_cast<std::atomic<std::uint64_t>*>(memory + descriptor_count * sizeof(Descriptor))),
      descriptors_(reinterpret_cast<Descriptor*>(memory)), span_(span)
{
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
}

void Directory::set_chunks(std::uint64_t first_chunk, std::uint64_t count, ChunkEntry entry)
{
    for (std::uint64_t chunk = first_chunk; chunk < first_chunk + count; ++chunk)
        chunks_[chunk].store(entry.bits(), std::memory_order_release);
}

void Directory::publish(std::uint32_t descriptor, std::uint64_t start, std::uint64_t size)
{
    descriptors_[descriptor].start.store(start, std::memory_order_relaxed);
    descriptors_[descriptor].end.store(size == 0 ? 0 : start + size, std::memory_order_release);
}

void Directory::withdraw(std::uint32_t descriptor)
{
    descriptors_[descriptor].end.store(0, std::memory_order_release);
}

} // namespace armci::gmr
