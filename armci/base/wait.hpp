// Waiting for other processes: spin briefly, then yield, then sleep in the kernel; and let MPI progress
// meanwhile.
//
// The rule: whoever waits for another process drives MPI, as that process may be waiting for this one's part
// of an operation; no other call does that by the way (reading one's own window did in MPICH 4.0, and does
// not in 4.2). So loops that wait are until(), of a word or of a condition, and nothing here gives the core
// away without it; tests/unit looks for others in the sources.
//
// Ordering: a waiter that returns has read the word with acquire; wake() is called after a seq_cst store or
// RMW of the word. No wake-up is lost: the waiter counts itself in `sleepers` (seq_cst) before the kernel
// re-reads the word, and the waker reads `sleepers` (seq_cst) after it changed the word, so one of the two
// sees the other. A sleep is cut short every millisecond to let MPI progress for others (a rendezvous of
// theirs may need us).
#pragma once

#include <atomic>
#include <cstdint>

namespace armci::wait {

struct Word {
    std::atomic<std::uint32_t> value{0};
    std::atomic<std::uint32_t> sleepers{0};
};

inline constexpr std::uint32_t everybody = ~std::uint32_t{0};
// Sleepers that are woken together pile up on the core of their waker, or two that wake one another stay on
// one core for ever; those who yield stay where they are, or are parted.
inline constexpr int yields_before_sleep = 1000;

// Rounds to spin before yielding; set once at start-up (0 when the node has more processes than cores).
void set_spin(int rounds);
int spin_rounds();

// On a job of several nodes a wait does not sleep: other nodes reach this process's memory only when it
// enters MPI, so it lets MPI progress at every turn instead.
void set_network(bool network);
bool network();
void progress();

// Called about once a millisecond from a sleeping wait; set by the runtime.
void set_progress(void (*progress)());

inline void pause()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Sleeps until the word's value differs from `seen`, a wake-up that matches `bits` comes, or a millisecond
// passes; then lets MPI progress.
void sleep_while(Word& word, std::uint32_t seen, std::uint32_t bits = everybody);

// Wakes the sleepers whose bits meet `bits`. Call after changing the value.
void wake(Word& word, std::uint32_t bits = everybody);

// One turn of a wait: lets MPI progress in jobs of several nodes, and gives the core away.
void turn();
// The same in a loop that looks at an MPI request at every turn, which lets MPI progress.
void turn_in_mpi();

// Returns once done() holds.
template <class Done>
void until(Done done)
{
    while (!done())
        turn();
}

// Returns the first value for which done(value) holds.
template <class Done>
std::uint32_t until(Word& word, Done done, std::uint32_t bits = everybody)
{
    const int spins = spin_rounds();
    for (int round = 0; round < spins; ++round) {
        const std::uint32_t value = word.value.load(std::memory_order_acquire);
        if (done(value))
            return value;
        pause();
    }
    for (int round = 0;; ++round) {
        const std::uint32_t value = word.value.load(std::memory_order_acquire);
        if (done(value))
            return value;
        if (network() || round < yields_before_sleep)
            turn();
        else
            sleep_while(word, value, bits);
    }
}

} // namespace armci::wait
