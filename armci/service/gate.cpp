#include "armci/service/gate.hpp"

#include <pthread.h>

namespace armci::gate {

std::atomic<Rule> rule{Rule::none};

namespace {

// A thread that finds it taken spins before it sleeps: the service is inside for microseconds.
pthread_mutex_t inside = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
std::atomic<pthread_t> owner{};
std::atomic<std::uint32_t> entered{0};

// A child of fork() has one thread. Another one may have been inside.
void leave_all_in_child()
{
    rule.store(Rule::none, std::memory_order_relaxed);
    owner.store(pthread_t{}, std::memory_order_relaxed);
    inside = PTHREAD_ADAPTIVE_MUTEX_INITIALIZER_NP;
}

// Counting threads may meet here. An increment lost among several changes the count all the same.
void count_entry()
{
    entered.store(entered.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
}

} // namespace

void set_rule(Rule new_rule)
{
    [[maybe_unused]] static const int once = pthread_atfork(nullptr, nullptr, leave_all_in_child);
    rule.store(new_rule, std::memory_order_relaxed);
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
    owner.store(me, std::memory_order_relaxed);
    count_entry();
    return true;
}

bool try_enter()
{
    if (pthread_mutex_trylock(&inside) != 0)
        return false;
    owner.store(pthread_self(), std::memory_order_relaxed);
    return true;
}

void leave()
{
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
