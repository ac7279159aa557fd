// Intervals: what is on its way to, or from, one target, and whether an operation meets what it must not
// overtake.
#pragma once

#include "gmr/network/access.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace armci::gmr {

struct Interval {
    std::uint64_t first; // displacement
    std::uint64_t last;  // one past
    Access access;
};

class Intervals {
public:
    // Beyond this many they are merged to one for each kind of access: more waits, never too few.
    static constexpr std::size_t most = 32;

    void add(const Interval& added);
    bool any_must_be_awaited_by(const Interval& later) const;

    bool empty() const { return intervals_.empty(); }
    std::size_t size() const { return intervals_.size(); }
    void clear() { intervals_.clear(); }

private:
    void merge();

    std::vector<Interval> intervals_;
};

} // namespace armci::gmr
