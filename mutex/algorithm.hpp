// Algorithm: how the mutexes of one set exclude each other: the concept behind queueing, mcs, node and
// hybrid.
//
// lock() and a successful try_lock() see what the last holder did before its unlock(), on any target: the set
// completes a holder's operations before it calls unlock(). try_lock() waits for no holder. `thread` names
// the caller and is never 0; arguments are checked before. Callable from any thread.
#pragma once

#include <cstdint>

namespace armci::mutex {

class Algorithm {
public:
    Algorithm() = default;
    virtual ~Algorithm() = default; // collective over the team of the set
    Algorithm(const Algorithm&) = delete;
    Algorithm& operator=(const Algorithm&) = delete;

    // `owner` is the team rank of the process that the mutex lives on.
    virtual void lock(int mutex, int owner, std::uint64_t thread) = 0;
    virtual bool try_lock(int mutex, int owner, std::uint64_t thread) = 0;
    virtual void unlock(int mutex, int owner) = 0;

    // The thread of this process, or of this node, that holds it; 0 for none. Exact for the caller's own, a
    // snapshot otherwise.
    virtual std::uint64_t holder(int mutex, int owner) const = 0;
    // Whether anybody holds a mutex of mine; exact while nobody locks or unlocks it.
    virtual bool is_held(int mutex) = 0;
};

} // namespace armci::mutex
