// Faster way: which of two ways to do the same work takes less time here and now, where no rule holds: around
// the size of a cache that other machines share, what is left of it decides.
//
// The way that was taken is timed. What a way is known to take is the least of late, which ages by a
// twentieth each time, so that a page fault or a lost core is forgotten at once and a cache that filled up
// within a few times. The slower way is tried again now and then.
#pragma once

#include <array>

namespace armci::gmr::kernels {

// Of one thread.
class FasterWay {
public:
    explicit constexpr FasterWay(unsigned first) : first_(first) {}

    // 0 or 1: what to take now. took() follows.
    unsigned choose()
    {
        if (least_[first_] == 0)
            return first_;
        const unsigned faster =
            least_[1 - first_] == 0 || least_[first_] <= least_[1 - first_] ? first_ : 1 - first_;
        return ++turn_ % turns_between == 0 ? 1 - faster : faster;
    }

    // The same unit each time; positive.
    void took(unsigned way, double time)
    {
        const double aged = 1.05 * least_[way];
        least_[way] = aged == 0 || time < aged ? time : aged;
    }

private:
    // A way that takes twice as long costs 3 % of all.
    static constexpr unsigned turns_between = 32;

    unsigned first_;
    unsigned turn_ = 0;
    std::array<double, 2> least_{};
};

} // namespace armci::gmr::kernels
