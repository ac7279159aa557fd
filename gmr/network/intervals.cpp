#include "gmr/network/intervals.hpp"

#include <algorithm>

namespace armci::gmr {

bool Intervals::any_must_be_awaited_by(const Interval& later) const
{
    return std::any_of(intervals_.begin(), intervals_.end(), [&](const Interval& one) {
        return one.first < later.last && later.first < one.last && must_wait(one.access, later.access);
    });
}

void Intervals::add(const Interval& added)
{
    if (!intervals_.empty()) {
        Interval& before = intervals_.back(); // of a stream of neighbours, or the same again
        if (before.access == added.access && before.first <= added.first && added.first <= before.last) {
            before.last = std::max(before.last, added.last);
            return;
        }
    }
    if (intervals_.size() == most)
        merge();
    intervals_.push_back(added);
}

void Intervals::merge()
{
    auto end = intervals_.begin();
    for (const Interval& one : intervals_) {
        const auto alike = std::find_if(intervals_.begin(), end,
                                        [&](const Interval& kept) { return kept.access == one.access; });
        if (alike == end) {
            *end++ = one;
        } else {
            alike->first = std::min(alike->first, one.first);
            alike->last = std::max(alike->last, one.last);
        }
    }
    intervals_.erase(end, intervals_.end());
}

} // namespace armci::gmr
