#include "mutex/turns.hpp"

#include <algorithm>
#include <numeric>

namespace armci::mutex {

std::uint64_t Turns::bytes(const std::vector<int>& counts)
{
    return std::accumulate(counts.begin(), counts.end(), std::uint64_t{0}) * sizeof(Turn);
}

Turns::Turns(const std::vector<int>& counts)
{
    for (const int count : counts) {
        first_.push_back(total_);
        total_ += static_cast<std::size_t>(count);
        most_ = std::max(most_, static_cast<std::size_t>(count));
    }
    of_ = std::make_unique<Turn[]>(total_);
}

} // namespace armci::mutex
