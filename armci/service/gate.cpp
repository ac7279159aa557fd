#include "armci/service/gate.hpp"

#include <pthread.h>

namespace armci::gate {

std::atomic<Rule> rule{Rule::none};

namespace {

// A thread that finds it taken spins before it sleeps, where the system has such a mutex: the service is
// inside for microseconds.
#ifdef PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#define INITIAL_MUTEX PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP
#else
#define INITIAL_MUTEX PTHREAD_MUTEX_INITIALIZER
#endif
pthread_mutex_t inside = INITIAL_MUTEX;
std::atomic<pthread_t> owner{};
std::atomic<std::uint32_t> entered{0};
std::atomic<PhaseLock*> shared{nullptr};

// A child of fork() has one thread. Another one may have been inside.
void leave_all_in_child()
{
    rule.store(Rule::none, std::memory_order_relaxed);
    owner.store(pthread_t{}, std::memory_order_relaxed);
    shared.store(nullptr, std::memory_order_relaxed); // the parent's
    inside = INITIAL_MUTEX;
}

// Counting threads may meet here. An increment lost among several changes the count all the same.
void count_entry()
{
    entered.store(entered.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

void take(pthread_t me)
{
    owner.store(me, std::memory_order_relaxed);
    if (PhaseLock* const lock = shared.load(std::memory_order_relaxed))
        lock->enter_mpi();
}

} // namespace

void set_rule(Rule new_rule)
{
    [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, leave_all_in_child);
    rule.store(new_rule, std::memory_order_relaxed);
}

void share(PhaseLock& lock)
{
    shared.store(&lock, std::memory_order_relaxed);
}

void close_shared()
{
    // Where a thread is inside, it holds the lock, and does not give it back.
    const bool entered_here = try_enter();
    shared.store(nullptr, std::memory_order_relaxed);
    if (entered_here)
        leave();
}

bool enter(Rule by)
{
    if (by == Rule::count) {
        count_entry();
        return false;
    }
    const pthread_t me = pthread_self();
    if (owner.load(std::memory_order_relaxed) == me)
        return false;
    pthread_mutex_lock(&inside);
    take(me);
    count_entry();
    return true;
}

bool try_enter()
{
    if (pthread_mutex_trylock(&inside) != 0)
        return false;
    take(pthread_self());
    return true;
}

void leave()
{
    if (PhaseLock* const lock = shared.load(std::memory_order_relaxed))
        lock->leave_mpi();
    owner.store(pthread_t{}, std::memory_order_relaxed);
    pthread_mutex_unlock(&inside);
}

std::uint32_t entries()
{
    return entered.load(std::memory_order_relaxed);
}

bool is_occupied()
{
    return owner.load(std::memory_order_relaxed) != pthread_t{};
}

} // namespace armci::gate
