// Gate: one thread of this process at a time is inside MPI.
//
// A program that called MPI_Init promises that only one of its threads at a time calls MPI. The service
// thread (service.hpp) is one more, so each MPI function passes through this gate: gated_mpi.cpp puts a
// wrapper in front of each. A blocking MPI call keeps the gate, as it drives MPI itself. Where the program
// asked for MPI_THREAD_MULTIPLE, MPI excludes threads itself and the gate only counts: a call of one thread
// may wait there for a call of another.
//
// Ordering: the gate is a mutex, so all that a thread did inside MPI happens before what the next thread does
// there. A thread that is inside passes again without waiting: MPI calls functions of the program and of this
// library (attributes, reductions, error handlers), which call MPI. `owner` tells it, which only the owner
// sets to itself; another thread may read an old value, but never its own name.
#pragma once

#include "armci/base/phase_lock.hpp"

#include <atomic>
#include <cstdint>

namespace armci::gate {

enum class Rule {
    none,     // no service: threads pass
    count,    // threads pass and are counted
    exclusive // threads pass one at a time
};

// Called while no thread is inside MPI, or by the thread that is.
void set_rule(Rule rule);

[[gnu::visibility("hidden")]] extern std::atomic<Rule> rule;

// From now on threads that are inside hold `lock` as well: CPUs of the node keep out meanwhile. Called while
// no thread is inside, with the rule `exclusive`.
void share(PhaseLock& lock);
// Keeps the lock as held by MPI for good, and uses it no more: calls of MPI need not pass the gate any more.
void close_shared();

// Enters by the rule; false where this thread has nothing to leave: it is inside already, or was only
// counted.
bool enter(Rule by);
// Enters without waiting; false where a thread is inside.
bool try_enter();
void leave();

// Changes whenever a thread enters by enter().
std::uint32_t entries();
// True while a thread is inside. Always false where threads are only counted.
bool is_occupied();

// Keeps this thread inside for a scope.
class Hold {
public:
    Hold()
    {
        if (const Rule by = rule.load(std::memory_order_relaxed); by != Rule::none) [[unlikely]]
            entered_ = enter(by);
    }
    ~Hold()
    {
        if (entered_)
            leave();
    }
    Hold(const Hold&) = delete;
    Hold& operator=(const Hold&) = delete;

private:
    bool entered_ = false;
};

// The level that the program asked MPI_Init or MPI_Init_thread for; -1 where neither passed a wrapper.
int requested_thread_level();
// True where MPI calls of the whole program reach the wrappers, because the dynamic linker finds these first.
bool covers_the_program();

} // namespace armci::gate
