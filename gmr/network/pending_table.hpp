// Pending table: the records of one window by rank, of those targets only that have something pending or had
// lately.
//
// A window of the world has as many targets as the job has processes, and each process of a large job needs a
// few of them. A record says what is pending, and what the target's recent operations were like (habits).
// Once `most` records are kept, those that are settled go, with their habits.
#pragma once

#include "gmr/network/pending.hpp"

#include <cstddef>
#include <unordered_map>

namespace armci::gmr {

// Under the guard of gmr/network/flush. A reference stays valid until of() is asked for a rank without a
// record.
class PendingTable {
public:
    static constexpr std::size_t most = 256;

    Pending& of(int rank)
    {
        if (rank == last_rank_)
            return *last_;
        return look_up(rank);
    }
    // Null where there is no record.
    const Pending* find(int rank) const
    {
        const auto found = records_.find(rank);
        return found == records_.end() ? nullptr : &found->second;
    }
    std::size_t size() const { return records_.size(); }

private:
    Pending& look_up(int rank);
    void drop_settled();

    std::unordered_map<int, Pending> records_;
    int last_rank_ = -1;
    Pending* last_ = nullptr;
    std::size_t drop_at_ = most;
};

} // namespace armci::gmr
