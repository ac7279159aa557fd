// Segments: memory that the bytes of a connection come from, or go to, one segment after the other.
#pragma once

#include "gmr/active_messages/fifo.hpp"
#include "gmr/active_messages/wire.hpp"

#include <cstddef>
#include <cstdint>
#include <span>

namespace armci::gmr::active_messages {

// Segments of this length are sent from where they are, and received to where they go; others by copies of
// at most so many bytes.
inline constexpr std::size_t least_direct = 16 * 1024;
inline constexpr std::size_t chunk_bytes = 64 * 1024;

class Segments {
public:
    // Segments of this process's own address space, each of some bytes.
    void add(const Run& run);

    bool empty() const { return runs_.empty(); }
    // What is left of the first segment.
    std::span<std::byte> first() const;
    // Drops so many bytes of it.
    void drop(std::size_t bytes);

    // Copies to the segments, and from them, as much as both sides have, and drops it. Returns its bytes. A
    // segment of 64 bytes or less is written whole, so some of `from` may be left until more has come.
    std::size_t write(std::span<const std::byte> from);
    std::size_t read(std::span<std::byte> to);

private:
    Fifo<Run> runs_;
    std::uint64_t dropped_ = 0; // bytes of the first segment
};

} // namespace armci::gmr::active_messages
