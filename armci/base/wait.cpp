#include "armci/base/wait.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <ctime>
#include <utility>

namespace armci::wait {
namespace {

int spins = 0;
bool crowd = false;
Yields what_yields_do = Yields::unknown;
void (*progress_hook)() = nullptr;
std::atomic<bool> several_nodes{false};
constinit thread_local bool drives_mpi = true;
std::atomic<const Standby*> the_standby{nullptr};

// Sleepers that are woken together pile up on the core of their waker, or two that wake one another stay on
// one core for ever; processes that yield stay where they are, or are parted. So a wait yields for long where
// that lets others run, or where each process has a core.
constexpr int yields_of_use = 1000;
// MPI may want this process soon.
constexpr int yields_where_unknown = 20;
constexpr int yields_with_a_network = 20;
// The process waited for may run on another core, and be about to answer; hardly so in a crowd
// (docs/design/0002).
constexpr int yields_in_vain = 2;
constexpr int most_without_a_crowd = 4; // processes for each core

constexpr long first_nap = 20'000; // nanoseconds
constexpr long longest_nap = 160'000;
long longest_sleep = 1'000'000;

bool yields_are_of_use()
{
    return spins > 0 || what_yields_do == Yields::reach_others;
}

// A process that waits in a job of several nodes, and need not sleep, yields without end.
bool waits_awake()
{
    return network() && yields_are_of_use();
}

int most_yields()
{
    if (yields_are_of_use())
        return yields_of_use;
    if (what_yields_do == Yields::unknown)
        return yields_where_unknown;
    if (network())
        return yields_with_a_network;
    return crowd ? 0 : yields_in_vain;
}

void nap(long nanoseconds)
{
    const timespec time{0, nanoseconds};
    nanosleep(&time, nullptr);
}

} // namespace

void set_spin(int rounds)
{
    spins = rounds;
}
int spin_rounds()
{
    return spins;
}
void set_processes_for_each_core(int processes)
{
    crowd = processes > most_without_a_crowd;
    longest_sleep = 1'000'000L * std::max(1, processes / most_without_a_crowd);
}
void set_yields(Yields yields)
{
    what_yields_do = yields;
}
Yields yields()
{
    return what_yields_do;
}
void set_network(bool network)
{
    several_nodes.store(network, std::memory_order_relaxed);
}
bool network()
{
    return several_nodes.load(std::memory_order_relaxed);
}

void progress()
{
    if (progress_hook != nullptr && drives_mpi)
        progress_hook();
}

void leave_mpi_alone()
{
    drives_mpi = false;
}

void set_progress(void (*progress)())
{
    progress_hook = progress;
}

long changes_of_process()
{
    rusage usage{};
    getrusage(RUSAGE_THREAD, &usage);
    return usage.ru_nivcsw;
}

void yield()
{
    sched_yield();
}

namespace {

void sleep_while(Word& word, std::uint32_t seen, std::uint32_t bits, long nanoseconds)
{
    constexpr long second = 1'000'000'000;
    word.sleepers.fetch_add(1, std::memory_order_seq_cst);
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until); // FUTEX_WAIT_BITSET takes an absolute time
    until.tv_sec += (until.tv_nsec + nanoseconds) / second;
    until.tv_nsec = (until.tv_nsec + nanoseconds) % second;
    const long rc = syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word.value), FUTEX_WAIT_BITSET, seen,
                            &until, nullptr, bits);
    word.sleepers.fetch_sub(1, std::memory_order_relaxed);
    if (rc != 0)
        progress(); // timed out (or the word moved): not the hot case
}

void wake(Word& word, int most, std::uint32_t bits)
{
    if (word.sleepers.load(std::memory_order_seq_cst) == 0)
        return;
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word.value), FUTEX_WAKE_BITSET, most, nullptr,
            nullptr, bits);
}

} // namespace

void sleep_while(Word& word, std::uint32_t seen, std::uint32_t bits)
{
    sleep_while(word, seen, bits, longest_sleep);
}

void wake(Word& word, std::uint32_t bits)
{
    wake(word, INT_MAX, bits);
}

void wake_one(Word& word)
{
    wake(word, 1, everybody);
}

void turn()
{
    if (network())
        progress();
    sched_yield();
}

void set_standby(const Standby* standby)
{
    the_standby.store(standby, std::memory_order_release);
}

void Serving::serve()
{
    const Standby* const standby = the_standby.load(std::memory_order_acquire);
    if (standby == nullptr || spins == 0 || !drives_mpi)
        return;
    standby->serve(!serves_);
    serves_ = true;
}

void Serving::stop()
{
    if (!std::exchange(serves_, false))
        return;
    if (const Standby* const standby = the_standby.load(std::memory_order_acquire))
        standby->leave();
}

Turns::Turns() : yields_left_(most_yields()), nap_(first_nap) {}

bool Turns::wants_yield()
{
    if (yields_left_ == 0)
        return false;
    --yields_left_;
    return true;
}

bool Turns::naps() const
{
    return !yields_are_of_use() && yields_left_ == 0;
}

long Turns::next_nap()
{
    return std::exchange(nap_, std::min(2 * nap_, longest_nap));
}

void Turns::take()
{
    if (network())
        progress();
    take_in_mpi();
}

void Turns::take_in_mpi()
{
    if (naps())
        nap(next_nap());
    else
        sched_yield();
    wants_yield();
}

void Turns::take(Word& word, std::uint32_t seen, std::uint32_t bits)
{
    if (waits_awake() || wants_yield()) {
        serving_.serve();
        turn();
        return;
    }
    serving_.stop();
    if (!network()) {
        sleep_while(word, seen, bits);
        return;
    }
    progress();
    sleep_while(word, seen, bits, next_nap());
}

int looks_before_sleep()
{
    return waits_awake() ? INT_MAX : spins + most_yields() + 1;
}

} // namespace armci::wait
