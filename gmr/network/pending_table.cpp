#include "gmr/network/pending_table.hpp"

#include <algorithm>

namespace armci::gmr {

Pending& PendingTable::look_up(int rank)
{
    auto found = records_.find(rank);
    if (found == records_.end()) {
        if (records_.size() >= drop_at_)
            drop_settled();
        found = records_.try_emplace(rank).first;
    }
    last_rank_ = rank;
    last_ = &found->second;
    return found->second;
}

// Where most of them are pending it is not asked again before there are twice as many.
void PendingTable::drop_settled()
{
    last_rank_ = -1;
    std::erase_if(records_, [](const auto& record) { return record.second.is_settled(); });
    drop_at_ = std::max(most, 2 * records_.size());
}

} // namespace armci::gmr
