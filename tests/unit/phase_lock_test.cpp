// The phase lock: CPUs together, calls of MPI alone; a CPU gives up where a call lasts.
#include "armci/base/phase_lock.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>
#include <vector>

namespace {

using armci::PhaseLock;

TEST(PhaseLock, AdmitsCpusTogether)
{
    PhaseLock lock;
    std::atomic<std::uint64_t> given_up{0};
    ASSERT_TRUE(lock.enter_cpu(given_up));
    ASSERT_TRUE(lock.enter_cpu(given_up));
    lock.leave_cpu();
    lock.leave_cpu();
    lock.enter_mpi(); // would wait for a CPU that has not left
    lock.leave_mpi();
}

TEST(PhaseLock, ACpuGivesUpWhereACallLastsAndComesBackAfterIt)
{
    PhaseLock lock;
    std::atomic<std::uint64_t> given_up{0};
    for (int call = 0; call < 3; ++call) {
        lock.enter_mpi();
        EXPECT_FALSE(lock.enter_cpu(given_up));
        EXPECT_FALSE(lock.enter_cpu(given_up));
        lock.leave_mpi();
        EXPECT_TRUE(lock.enter_cpu(given_up));
        lock.leave_cpu();
    }
}

TEST(PhaseLock, ACallWaitsForACpu)
{
    PhaseLock lock;
    std::atomic<std::uint64_t> given_up{0};
    std::atomic<bool> has_left{false};
    ASSERT_TRUE(lock.enter_cpu(given_up));
    std::thread mpi([&] {
        lock.enter_mpi();
        EXPECT_TRUE(has_left.load());
        lock.leave_mpi();
    });
    // The call is in the lock when CPUs do not go ahead any more.
    std::atomic<std::uint64_t> others{0};
    while (lock.enter_cpu(others))
        lock.leave_cpu();
    has_left.store(true);
    lock.leave_cpu();
    mpi.join();
}

// The number of a phase has 24 bits, the counts 40.
TEST(PhaseLock, HoldsBeyondTheLastNumberOfAPhase)
{
    PhaseLock lock;
    std::atomic<std::uint64_t> given_up{0};
    for (long call = 0; call < (1L << 23) + 2; ++call) {
        lock.enter_mpi();
        lock.leave_mpi();
    }
    ASSERT_TRUE(lock.enter_cpu(given_up));
    lock.leave_cpu();
    lock.enter_mpi();
    EXPECT_FALSE(lock.enter_cpu(given_up));
    lock.leave_mpi();
}

TEST(PhaseLock, LosesNoAddition)
{
    constexpr int cpus = 3;
    constexpr int rounds = 20000;
    PhaseLock lock;
    std::atomic<long> by_cpus{0}; // as CPUs add, atomic among themselves
    long sum = 0;                 // of both, without protection but the lock's
    std::atomic<long> gave_up{0};
    std::atomic<long> tries{0};
    std::atomic<int> at_work{cpus};
    std::vector<std::thread> threads;
    std::atomic_ref<long> shared(sum);
    for (int i = 0; i < cpus; ++i)
        threads.emplace_back([&] {
            std::atomic<std::uint64_t> given_up{0};
            // The other thread may lose its core inside a call for all the rounds.
            for (int round = 0; round < rounds || by_cpus.load() == 0; ++round) {
                tries.fetch_add(1, std::memory_order_relaxed);
                if (lock.enter_cpu(given_up)) {
                    shared.fetch_add(1, std::memory_order_relaxed);
                    by_cpus.fetch_add(1, std::memory_order_relaxed);
                    lock.leave_cpu();
                } else {
                    gave_up.fetch_add(1, std::memory_order_relaxed);
                }
            }
            at_work.fetch_sub(1);
        });
    long calls = 0;
    while (at_work.load() > 0) {
        lock.enter_mpi();
        const long seen = shared.load(std::memory_order_relaxed);
        for (int i = 0; i < 20; ++i)
            std::atomic_signal_fence(std::memory_order_seq_cst);
        shared.store(seen + 1, std::memory_order_relaxed); // loses what a CPU adds meanwhile
        ++calls;
        lock.leave_mpi();
    }
    for (std::thread& thread : threads)
        thread.join();
    EXPECT_EQ(sum, calls + by_cpus.load());
    EXPECT_EQ(by_cpus.load() + gave_up.load(), tries.load());
}

} // namespace
