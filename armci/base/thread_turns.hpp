// Thread turns: where an MPI does not bear several threads in one-sided operations at once (the trait
// threads_take_turns), one thread at a time is in them, and a thread that has been in them takes a turn to
// end.
//
// The latter is for osc/ucx: as a thread ends, it frees what it had in each window while flushes of other
// threads still read that (docs/mpi-facts.md).
#pragma once

#include "armci/base/mpi_traits.hpp"

#include <mutex>

namespace armci::traits {

// What threads take turns by. A thread that calls this takes a turn to end, from the destructors of its first
// round of thread-specific data to those of the second (POSIX, pthread_key_create): glibc calls those of a
// round in the order in which the keys were made, this library's when it is loaded and MPI's for its windows
// later, so MPI's run within the turn.
std::recursive_mutex& turn_of_threads();

// A turn of this thread, for a look at MPI; elsewhere there is nothing to take. Not granted while another
// thread is in MPI, and so lets it progress.
class Turn {
public:
    Turn()
    {
        if (in_use.threads_take_turns)
            lock_ = std::unique_lock(turn_of_threads(), std::try_to_lock);
    }
    explicit operator bool() const { return !in_use.threads_take_turns || lock_.owns_lock(); }

private:
    std::unique_lock<std::recursive_mutex> lock_;
};

// The same, waited for: around a call of MPI that returns whatever the other threads of this process do.
inline std::unique_lock<std::recursive_mutex> await_turn()
{
    return in_use.threads_take_turns ? std::unique_lock(turn_of_threads())
                                     : std::unique_lock<std::recursive_mutex>();
}

} // namespace armci::traits
