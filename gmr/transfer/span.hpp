// Span: one get of all bytes from the first to the last of segments that lie near one another, in place of
// one get each. On Open MPI over TCP a get costs 5 to 9 microseconds, as its target answers by a message of
// its own, and a byte a nanosecond or less; so what lies between is got, too, and forgotten. It is memory of
// the same region, which others may be writing: MPI-3, 11.7, leaves the values of such bytes undefined, not
// the others'.
#pragma once

#include "gmr/network/staging.hpp"

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace armci::gmr {

// What a span landed in, and the segments to be copied out of it when it is there.
class Landing {
public:
    struct Segment {
        std::uint64_t from; // offset
        void* to;
        std::uint64_t bytes;
    };
    // `start` is the offset of the buffer's first byte, `process` whose bytes they are.
    Landing(Buffer buffer, int process, std::uint64_t start, std::vector<Segment> segments)
        : buffer_(std::move(buffer)), process_(process), start_(start), segments_(std::move(segments))
    {
    }
    std::byte* buffer() const { return buffer_.get(); }
    // In the order in which they were added.
    void unpack() const;
    std::uint64_t bytes() const { return buffer_.get_deleter().bytes; }
    int process() const { return process_; }

    std::uint64_t number = 0; // in the order in which handles took all of them over (gmr/transfer/handle.hpp)

private:
    Buffer buffer_;
    int process_;
    std::uint64_t start_;
    std::vector<Segment> segments_;
};

using Landings = std::vector<Landing>;
void unpack(Landings& landings); // and lets go of them

// Gathers one span.
class Span {
public:
    // Longer segments and wider gaps cost more than a get of their own, at 10 Gbit/s; longer spans gain
    // nothing.
    static constexpr std::uint64_t most_segment = 16 * 1024;
    static constexpr std::uint64_t most_gap = 4 * 1024;
    static constexpr std::uint64_t most_bytes = 256 * 1024;

    bool empty() const { return segments_.empty(); }
    bool is_one_segment() const { return segments_.size() == 1; }
    const Landing::Segment& first() const { return segments_.front(); }
    std::uint64_t start() const { return start_; }
    std::uint64_t bytes() const { return end_ - start_; }

    // Whether [offset, offset + bytes) goes with what is here; anything goes with nothing.
    bool goes_with(std::uint64_t offset, std::uint64_t bytes) const;
    void add(std::uint64_t offset, void* destination, std::uint64_t bytes);
    void clear() { segments_.clear(); }
    // Where all of it is got to; empty again.
    Landing land(int process);

private:
    std::uint64_t start_ = 0;
    std::uint64_t end_ = 0;
    std::vector<Landing::Segment> segments_;
};

} // namespace armci::gmr
