// Fence habit: whether the program fences its blocking writes to a target at once, so that the next one had
// better be complete there when it returns. Open MPI's osc/pt2pt sends data that lie unsent and the question
// of a flush as one message; a write that sends its data first and is fenced then takes two, and the second
// often comes when the target has just stopped looking: 29 us instead of 14 to 17 over TCP
// (docs/design/0004-network.md). Guessing wrong costs a round trip once.
#pragma once

#include <chrono>

namespace armci::gmr {

class FenceHabit {
public:
    using Clock = std::chrono::steady_clock;

    // Whether the last writes were each fenced at once, and nothing was written since.
    bool expects_fence() const { return !open_ && in_turn_ >= enough; }

    bool awaits_fence() const { return open_; }

    // A blocking write to the target returns.
    void wrote(Clock::time_point now = Clock::now())
    {
        if (open_)
            in_turn_ = 0;
        open_ = true;
        returned_ = now;
    }

    // The target is about to be fenced; `alone`, if no other target is. Several of them are asked at once,
    // which a flush by each write would not.
    void fenced(bool alone, Clock::time_point now)
    {
        if (!open_)
            return;
        open_ = false;
        if (!alone || now - returned_ > at_once)
            in_turn_ = 0;
        else if (in_turn_ < enough)
            ++in_turn_;
    }

private:
    static constexpr int enough = 3;
    // About a round trip: what the program does meanwhile would be lost if the write took that long.
    static constexpr Clock::duration at_once = std::chrono::microseconds(20);

    int in_turn_ = 0;
    bool open_ = false; // written and not yet fenced
    Clock::time_point returned_;
};

} // namespace armci::gmr
