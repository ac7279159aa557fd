// Pending: the record of what I have issued to one target of one window that may not be complete.
#pragma once

#include "gmr/network/fence_habit.hpp"
#include "gmr/network/get_habit.hpp"
#include "gmr/network/intervals.hpp"
#include "gmr/network/staging.hpp"

#include <cstdint>

namespace armci::gmr {

struct Pending {
    Intervals writes;              // not yet complete at the target
    Intervals reads;               // by gets that may be in flight
    int gets = 0;                  // in flight that a flush completes
    int left = 0;                  // operations that were left to the next local completion
    std::uint64_t accumulated = 0; // bytes, of operations that may not have completed locally
    Buffers lent;                  // sources of operations that may not have completed locally
    bool listed = false;           // among the dirty targets (gmr/network/flush.hpp)
    bool unfinished = false;       // something may not have completed locally
    FenceHabit fences;
    GetHabit handles;

    // Whether nothing but habits would be lost with it.
    bool is_settled() const
    {
        return !listed && !unfinished && writes.empty() && reads.empty() && lent.empty() && gets == 0 &&
               left == 0;
    }
};

} // namespace armci::gmr
