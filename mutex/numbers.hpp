// Numbers: the mutexes of a set one after the other: counts[r] of them live on team rank r.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace armci::mutex {

class Numbers {
public:
    explicit Numbers(const std::vector<int>& counts)
    {
        for (const int count : counts) {
            first_.push_back(total_);
            total_ += static_cast<std::size_t>(count);
            most_ = std::max(most_, static_cast<std::size_t>(count));
        }
    }

    std::size_t of(int mutex, int owner) const
    {
        return first_[static_cast<std::size_t>(owner)] + static_cast<std::size_t>(mutex);
    }
    // Of the mutexes of all, and of the process that has the most.
    std::size_t total() const { return total_; }
    std::size_t most() const { return most_; }

private:
    std::vector<std::size_t> first_; // number of a rank's first mutex
    std::size_t total_ = 0;
    std::size_t most_ = 0;
};

} // namespace armci::mutex
