#include "armci/base/wait.hpp"

#include <linux/futex.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <ctime>

namespace armci::wait {
namespace {

int spins = 0;
void (*progress_hook)() = nullptr;
std::atomic<bool> several_nodes{false};

constexpr long sleep_nanoseconds = 1'000'000;

} // namespace

void set_spin(int rounds)
{
    spins = rounds;
}
int spin_rounds()
{
    return spins;
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
    if (progress_hook != nullptr)
        progress_hook();
}

void set_progress(void (*progress)())
{
    progress_hook = progress;
}

void sleep_while(Word& word, std::uint32_t seen, std::uint32_t bits)
{
    word.sleepers.fetch_add(1, std::memory_order_seq_cst);
    timespec until{};
    clock_gettime(CLOCK_MONOTONIC, &until); // FUTEX_WAIT_BITSET takes an absolute time
    until.tv_nsec += sleep_nanoseconds;
    if (until.tv_nsec >= 1'000'000'000) {
        until.tv_nsec -= 1'000'000'000;
        ++until.tv_sec;
    }
    const long rc = syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word.value), FUTEX_WAIT_BITSET, seen,
                            &until, nullptr, bits);
    word.sleepers.fetch_sub(1, std::memory_order_relaxed);
    if (rc != 0 && progress_hook != nullptr)
        progress_hook(); // timed out (or the word moved): not the hot case
}

void wake(Word& word, std::uint32_t bits)
{
    if (word.sleepers.load(std::memory_order_seq_cst) == 0)
        return;
    syscall(SYS_futex, reinterpret_cast<std::uint32_t*>(&word.value), FUTEX_WAKE_BITSET, INT_MAX, nullptr,
            nullptr, bits);
}

void turn()
{
    if (network())
        progress();
    sched_yield();
}

void turn_in_mpi()
{
    sched_yield();
}

} // namespace armci::wait
