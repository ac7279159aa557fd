// Turns: the mutexes of a set by number, and which thread of this process acts on each: one at a time, so
// that to the others the process is one.
//
// Ordering: give_back() of one thread happens before the next take() of that mutex in this process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace armci::mutex {

class Turns {
public:
    // Bytes that it takes; counts[r] mutexes live on team rank r.
    static std::uint64_t bytes(const std::vector<int>& counts);

    explicit Turns(const std::vector<int>& counts);

    std::size_t number(int mutex, int owner) const
    {
        return first_[static_cast<std::size_t>(owner)] + static_cast<std::size_t>(mutex);
    }
    // Of the mutexes of all, and of the process that has the most.
    std::size_t total() const { return total_; }
    std::size_t most() const { return most_; }

    void take(std::size_t number) { of_[number].turn.lock(); }
    bool try_take(std::size_t number) { return of_[number].turn.try_lock(); }
    void give_back(std::size_t number) { of_[number].turn.unlock(); }

    // Who holds the mutex here; 0 for nobody.
    void hold(std::size_t number, std::uint64_t thread)
    {
        of_[number].holder.store(thread, std::memory_order_relaxed);
    }
    std::uint64_t holder(std::size_t number) const
    {
        return of_[number].holder.load(std::memory_order_relaxed);
    }

private:
    struct Turn {
        std::mutex turn;
        std::atomic<std::uint64_t> holder{0};
    };

    std::vector<std::size_t> first_; // number of a rank's first mutex
    std::size_t total_ = 0;
    std::size_t most_ = 0;
    std::unique_ptr<Turn[]> of_;
};

} // namespace armci::mutex
