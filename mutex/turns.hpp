// Turns: which thread of this process acts on each mutex of a set: one at a time, so that to the others the
// process is one.
//
// Ordering: give_back() of one thread happens before the next take() of that mutex in this process.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>

namespace armci::mutex {

class Turns {
public:
    static std::uint64_t bytes(std::size_t mutexes) { return mutexes * sizeof(Turn); }

    explicit Turns(std::size_t mutexes) : of_(std::make_unique<Turn[]>(mutexes)) {}

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

    std::unique_ptr<Turn[]> of_;
};

} // namespace armci::mutex
