// Dump mark: how far a core dump of this process holds an area of its slice.
//
// The kernel fills the holes of what a dump holds. So a dump holds an area from its beginning up to the first
// long gap, and blocks behind such a gap are not in it: holes are short, whatever was freed. It is one range
// for each area, moved in steps, as each range is a mapping of its own.
//
// Callers serialise.
#pragma once

#include "gmr/memory/pages.hpp"

#include <algorithm>
#include <cstdint>

namespace armci::gmr {

class DumpMark {
public:
    static constexpr std::uint64_t step = huge_page;
    static constexpr std::uint64_t long_gap = std::uint64_t{32} << 20;

    DumpMark() = default;
    DumpMark(std::uint64_t first, std::uint64_t last) : mark_(first), first_(first), last_(last) {}

    // [first, last) is in use.
    void take(std::uint64_t first, std::uint64_t last)
    {
        if (last > mark_ && first < mark_ + long_gap)
            mark_ = std::min((last + step - 1) / step * step, last_);
    }

    // [first, last), the longest such range, is free. A shorter part of it below the mark stays in dumps, so
    // that memory that comes and goes at the end costs no system calls.
    void give(std::uint64_t first, std::uint64_t last)
    {
        if (std::min(last, mark_) >= first + long_gap)
            mark_ = std::max((first + step - 1) / step * step, first_);
    }

    // One past what a dump holds.
    std::uint64_t mark() const { return mark_; }

private:
    std::uint64_t mark_ = 0;
    std::uint64_t first_ = 0;
    std::uint64_t last_ = 0;
};

} // namespace armci::gmr
