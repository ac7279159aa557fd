// Waiting for other processes: spin briefly, then yield, then sleep in the kernel; and let MPI progress
// meanwhile.
//
// The rule: a process that waits for another one drives MPI, as that one may be waiting for this one's part
// of an operation; no other call does that by the way (reading one's own window did in MPICH 4.0, and does
// not in 4.2). So loops that wait are until(), of a word or of a condition, and nothing here gives the core
// away without it; tests/unit looks for others in the sources. Two exceptions: a thread that keeps MPI out of
// a process does not drive MPI (gmr/network/mpi_exclusion.hpp), and one that never calls MPI says so
// (leave_mpi_alone).
//
// A yield gives the core to another process of the same scheduling group only. Each session is a group of its
// own where Linux's autogroup is on, and so is each control group with a share of the processor. MPICH's
// launcher begins a session for each process. So a node with more processes than cores finds out at its
// start whether yields reach its other processes (count_yields). Where they do not, a wait yields hardly at
// all and sleeps.
//
// Ordering: a waiter that returns has read the word with acquire; wake() is called after a seq_cst store or
// RMW of the word. No wake-up is lost: the waiter counts itself in `sleepers` (seq_cst) before the kernel
// re-reads the word, and the waker reads `sleepers` (seq_cst) after it changed the word, so one of the two
// sees the other. A sleep is cut short every millisecond to let MPI progress for others (a rendezvous of
// theirs may need us). In a crowd, which is more than four processes for each core, that alone would keep the
// cores busy. Sleeps then last longer, so that each core has about four such wake-ups a millisecond.
#pragma once

#include <atomic>
#include <cstdint>

namespace armci::wait {

struct Word {
    std::atomic<std::uint32_t> value{0};
    std::atomic<std::uint32_t> sleepers{0};
};

inline constexpr std::uint32_t everybody = ~std::uint32_t{0};

// Sets the rounds to spin before yielding, once at start-up: 0 when the node has more processes than cores.
void set_spin(int rounds);
int spin_rounds();

// How many processes of the node there are for each of its cores, rounded up; once at start-up.
void set_processes_for_each_core(int processes);

// Whether a yield lets the node's other processes run. Of use where there is a core for each of them only.
enum class Yields { unknown, reach_others, in_vain };
void set_yields(Yields yields);
Yields yields();

// How many yields gave the core away, by the kernel's count of changes of process. Where other processes of
// the group want the core nearly all do; where only processes of other groups want it a share does, as time
// slices end.
struct CountedYields {
    int made = 0;
    long given = 0;
    bool reached_others() const { return 10 * given >= 9 * made; }
};
// The kernel's count of changes of process for which this thread did not sleep.
long changes_of_process();
void yield();
// Yields until done(), but at least `least` and at most `most` times.
template <class Done>
CountedYields count_yields(int least, int most, Done done)
{
    CountedYields count;
    const long before = changes_of_process();
    while (count.made < most && (count.made < least || !done())) {
        yield();
        ++count.made;
    }
    count.given = changes_of_process() - before;
    return count;
}

// On a job of several nodes a wait does not sleep for long: other nodes reach this process's memory only when
// it enters MPI, so it lets MPI progress at every turn instead.
void set_network(bool network);
bool network();
void progress();

// Called at the end of a sleep that no wake-up ended; set by the runtime.
void set_progress(void (*progress)());
// From now on waits of the calling thread drive nothing.
void leave_mpi_alone();

inline void pause()
{
#if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
#endif
}

// Sleeps until the word's value differs from `seen`, a wake-up that matches `bits` comes, or the longest
// sleep is over; then lets MPI progress, unless it was woken.
void sleep_while(Word& word, std::uint32_t seen, std::uint32_t bits = everybody);

// Wakes the sleepers whose bits meet `bits`. Call after changing the value.
void wake(Word& word, std::uint32_t bits = everybody);
// Wakes one sleeper. Call after changing the value.
void wake_one(Word& word);

// One turn of a wait: lets MPI progress in jobs of several nodes, and gives the core away.
void turn();

// What a wait that stays awake does at each of its turns in place of a thread of this process: serve() does
// that thread's work, if there is some, and keeps the thread asleep until leave().
struct Standby {
    void (*serve)(bool first); // of this wait
    void (*leave)();
};
void set_standby(const Standby* standby); // null for none
// One wait's part of it.
class Serving {
public:
    Serving() = default;
    ~Serving() { stop(); }
    Serving(const Serving&) = delete;
    Serving& operator=(const Serving&) = delete;

    void serve();
    void stop();

private:
    bool serves_ = false;
};

// The turns of one wait: yields as long as these are of use, then naps or sleeps. A nap takes 20 us at first,
// then twice as long each time, up to 160 us.
class Turns {
public:
    Turns();

    // Takes a turn of a wait for what no word tells. The thread of a Standby serves meanwhile: to find out,
    // the wait may ask another process and sleep until that one answers, and the two may ask each other.
    void take();
    // Takes a turn of a loop that looks at an MPI request, which lets MPI progress.
    void take_in_mpi();
    // Takes a turn of a wait for a word to differ from `seen`.
    void take(Word& word, std::uint32_t seen, std::uint32_t bits);
    // Whether the next turn is a nap.
    bool naps() const;

private:
    bool wants_yield();
    long next_nap();

    int yields_left_;
    long nap_;
    Serving serving_;
};

// Returns how often until() looks at a word before its first sleep.
int looks_before_sleep();

// Returns once done() holds.
template <class Done>
void until(Done done)
{
    Turns turns;
    while (!done())
        turns.take();
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
    for (Turns turns;;) {
        const std::uint32_t value = word.value.load(std::memory_order_acquire);
        if (done(value))
            return value;
        turns.take(word, value, bits);
    }
}

} // namespace armci::wait
