// Node mutex: a fair lock in memory that the processes of a node share: a ticket lock whose waiters sleep,
// and whose last holder may come again while the next one wakes up.
//
// Who comes takes the next ticket; a waiter spins briefly, yields, then sleeps. To hand the mutex over to one
// that sleeps, or wants a core, costs a context switch, many times what a turn does. So unlock() does one of
// three things:
//
// - nobody waits: the mutex is free. Then, and only then, try_lock() takes a ticket, and is served at once
// - it is handed over: if the next in line has asked, the ticket had `most_in_a_row` turns, or each process
//   has a core
// - it is kept otherwise: free for two only, the last holder if it comes again and the next in line, whoever
//   swaps it first
//
// The next in line asks before it sleeps. So tickets are served in order, with `most_in_a_row` turns each at
// most, and a waiter with n tickets before it waits for n times as many at most; for more than n only while a
// next in line is still being woken, or yields.
//
// No wake-up is lost: who fell asleep before it was the next in line is woken by the first unlock() of the
// ticket before its own, kept or not; who sleeps later has asked, and the unlock() that follows hands over
// and wakes it. Asking changes `serving`, so a sleep that has missed it does not begin
// (armci/base/wait.hpp). A ticket's low bits name the group (of 32) that a wake-up is for.
//
// Ordering: lock() and a successful try_lock() are acquire, unlock() is release: what one holder wrote, the
// next sees. Zeroed memory is an unlocked mutex. Model: tests/models/node.pml.
#pragma once

#include "armci/base/wait.hpp"

#include <atomic>
#include <cstdint>

namespace armci::mutex {

class NodeMutex {
public:
    static constexpr std::uint32_t most_in_a_row = 256;

    // `holder` names the locking thread and is never 0.
    void lock(std::uint64_t holder);
    bool try_lock(std::uint64_t holder);
    void unlock();

    // For the holder: whether somebody waits.
    bool has_waiters() const;

    // Who holds it; 0 for nobody. Exact for the caller's own holder value, a snapshot otherwise.
    std::uint64_t holder() const { return holder_.load(std::memory_order_relaxed); }

private:
    bool take_again(std::uint64_t holder);
    void await_turn(std::uint32_t ticket);
    void begin_turns(std::uint64_t holder);
    bool keep(std::uint64_t holder);

    std::atomic<std::uint32_t> next_; // the ticket of who comes next
    wait::Word serving_;              // a ticket, and what became of it
    std::uint32_t turns_;             // of that ticket, the one that runs included; its holder's alone
    std::atomic<std::uint64_t> holder_;
    std::atomic<std::uint64_t> keeper_; // who may take it again where it is kept
};

} // namespace armci::mutex
