#include "armci/base/phase_lock.hpp"

#include "armci/base/wait.hpp"

#include <sched.h>

#include <chrono>
#include <thread>

namespace armci {
namespace {

using Clock = std::chrono::steady_clock;

// A call of MPI that finds nothing takes half a microsecond, one that carries out an operation a few.
constexpr int spins = 200;
constexpr std::chrono::microseconds most_wait{50};
// The other side may have been preempted. Linux yields within a session only, so yields alone do not do.
constexpr int yields = 100;
constexpr std::chrono::microseconds nap{20};

} // namespace

void PhaseLock::enter_mpi()
{
    const std::uint64_t arrived = arrivals_.fetch_add(1, std::memory_order_seq_cst) & ~phase_bits;
    for (int round = 0; departures_.load(std::memory_order_acquire) != arrived; ++round) {
        if (round < spins)
            wait::pause();
        else if (round < spins + yields)
            sched_yield();
        else
            std::this_thread::sleep_for(nap);
    }
}

void PhaseLock::leave_mpi()
{
    // This side alone changes the phase, so its bits never carry into the count.
    const std::uint64_t phase = arrivals_.load(std::memory_order_relaxed) & phase_bits;
    if (phase == phase_bits)
        arrivals_.fetch_sub(phase_bits, std::memory_order_seq_cst);
    else
        arrivals_.fetch_add(1, std::memory_order_seq_cst);
}

bool PhaseLock::enter_cpu(std::atomic<std::uint64_t>& given_up)
{
    const std::uint64_t phase = arrivals_.fetch_add(one_cpu, std::memory_order_seq_cst) & phase_bits;
    if (phase % 2 == 0) [[likely]]
        return true;
    if (phase != given_up.load(std::memory_order_relaxed) && wait_for_next_phase(phase))
        return true;
    // Takes the arrival back, unless the phase has ended by now: the next one waits for this CPU then.
    std::uint64_t seen = arrivals_.load(std::memory_order_acquire);
    while ((seen & phase_bits) == phase)
        if (arrivals_.compare_exchange_weak(seen, seen - one_cpu, std::memory_order_acquire)) {
            given_up.store(phase, std::memory_order_relaxed);
            return false;
        }
    return true;
}

// A phase that is not `phase` any more began after this CPU was counted: the call of MPI in it, if any,
// waits.
bool PhaseLock::wait_for_next_phase(std::uint64_t phase) const
{
    const auto is_over = [&] { return (arrivals_.load(std::memory_order_acquire) & phase_bits) != phase; };
    for (int round = 0; round < spins; ++round) {
        if (is_over())
            return true;
        wait::pause();
    }
    const Clock::time_point last = Clock::now() + most_wait;
    while (!is_over()) {
        if (Clock::now() > last)
            return false;
        sched_yield();
    }
    return true;
}

} // namespace armci
