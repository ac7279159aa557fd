// Get habit: whether gets with handles come in numbers between the program's waits. The next ones then cost
// less by one flush than by a request each. Who waits for one and begins the next has few in flight, and no
// use for a flush that waits for those behind the first.
#pragma once

#include <cstdint>
#include <utility>

namespace armci::gmr {

class GetHabit {
public:
    // One more begins, after the program's wait number `waits`. Whether there are many by now.
    bool begins(std::uint64_t waits)
    {
        if (std::exchange(waits_, waits) != waits)
            begun_ = 0;
        return ++begun_ > enough;
    }

private:
    static constexpr int enough = 4;

    int begun_ = 0; // since that wait
    std::uint64_t waits_ = 0;
};

} // namespace armci::gmr
