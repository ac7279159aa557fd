// Warm pages: freed memory whose pages stay for the next allocation, up to a limit. Faulting a page in again
// costs a few hundred nanoseconds, more than most of what a program does with a short-lived array.
//
// Callers serialise.
#pragma once

#include <cstdint>
#include <deque>

namespace armci::gmr {

class WarmPages {
public:
    explicit WarmPages(std::uint64_t limit) : limit_(limit) {}

    // [first, first + bytes) was freed. Calls discard(first, bytes) for what has to go instead, the longest
    // freed first.
    template <class Discard>
    void keep(std::uint64_t first, std::uint64_t bytes, Discard discard)
    {
        if (bytes > limit_) {
            discard(first, bytes);
            return;
        }
        pieces_.push_back({first, first + bytes});
        bytes_ += bytes;
        while (bytes_ > limit_) {
            const Piece oldest = pieces_.front();
            pieces_.pop_front();
            bytes_ -= oldest.last - oldest.first;
            discard(oldest.first, oldest.last - oldest.first);
        }
    }

    // [first, first + bytes) is in use again, and not to be discarded.
    void take(std::uint64_t first, std::uint64_t bytes);

    std::uint64_t bytes() const { return bytes_; }

private:
    struct Piece {
        std::uint64_t first;
        std::uint64_t last; // one past
    };
    std::uint64_t limit_;
    std::uint64_t bytes_ = 0;
    std::deque<Piece> pieces_; // disjoint
};

} // namespace armci::gmr
