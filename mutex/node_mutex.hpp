// Node mutex: a fair lock in memory that the processes of a node share (a ticket lock that sleeps).
//
// Who comes takes the next ticket and waits until it is served; so nobody is overtaken, and try_lock() takes
// a ticket only when it would be served at once. A waiter spins briefly, yields, then sleeps; unlock() wakes
// the sleeper whose turn it is by the low bits of its ticket (32 groups), not all of them. Ordering: lock()
// and a successful try_lock() are acquire, unlock() is release: what one holder wrote, the next sees. No
// wake-up is lost: see armci/base/wait.hpp; `serving` is the word. Zeroed memory is an unlocked mutex.
#pragma once

#include "armci/base/wait.hpp"

#include <atomic>
#include <cstdint>

namespace armci::mutex {

class NodeMutex {
public:
    // `holder` names the locking thread and is never 0.
    void lock(std::uint64_t holder);
    bool try_lock(std::uint64_t holder);
    void unlock();

    // For the holder: whether somebody waits.
    bool has_waiters() const
    {
        return next_.load(std::memory_order_relaxed) - serving_.value.load(std::memory_order_relaxed) > 1;
    }

    // Who holds it; 0 for nobody. Exact for the caller's own holder value, a snapshot otherwise.
    std::uint64_t holder() const { return holder_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint32_t> next_;
    wait::Word serving_;
    std::atomic<std::uint64_t> holder_;
};

} // namespace armci::mutex
