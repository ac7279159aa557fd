// Several threads of each process in the library at once (MPI_THREAD_MULTIPLE).
#include "tests/support/mpi_test.hpp"
#include "tests/support/path.hpp"

#include <armci.h>
#include <armcix.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

namespace armci_test {
namespace {

constexpr int threads = 4;

class Threads : public testing::Test {
protected:
    const int me = rank(), processes = size();

    std::vector<char*> allocate(long bytes)
    {
        std::vector<void*> base(processes);
        EXPECT_EQ(0, ARMCI_Malloc(base.data(), bytes));
        std::memset(base[me], 0, static_cast<std::size_t>(bytes));
        ARMCI_Barrier();
        std::vector<char*> slices(processes);
        for (int i = 0; i < processes; ++i)
            slices[i] = static_cast<char*>(base[i]);
        return slices;
    }
    void free(const std::vector<char*>& slices)
    {
        ARMCI_Barrier();
        EXPECT_EQ(0, ARMCI_Free(slices[me]));
    }
    static void run(const std::function<void(int)>& work)
    {
        std::vector<std::thread> all;
        for (int t = 0; t < threads; ++t)
            all.emplace_back(work, t);
        for (std::thread& thread : all)
            thread.join();
    }
};

// Each thread of each process owns a block in every slice: what it puts there it gets back.
TEST_F(Threads, PutAndGetOwnBlocks)
{
    constexpr int block = 3000; // doubles, not a whole number of pages
    const auto slices = allocate(long{8} * block * threads * processes);
    run([&](int t) {
        std::vector<double> mine(block), back(block);
        for (int round = 0; round < 60; ++round) {
            const int target = (me + round + t) % processes;
            double* const there = reinterpret_cast<double*>(slices[target]) + (me * threads + t) * block;
            for (int i = 0; i < block; ++i)
                mine[i] = 1000.0 * round + i + t;
            if (round % 3 == 0) {
                ASSERT_EQ(0, ARMCI_Put(mine.data(), there, 8 * block, target));
            } else if (round % 3 == 1) {
                armci_hdl_t handle;
                ARMCI_INIT_HANDLE(&handle);
                ASSERT_EQ(0, ARMCI_NbPut(mine.data(), there, 8 * block, target, &handle));
                ASSERT_EQ(0, ARMCI_Wait(&handle));
            } else {
                int count[2] = {8 * 10, block / 10}, stride[1] = {8 * 10};
                ASSERT_EQ(0, ARMCI_PutS(mine.data(), stride, there, stride, count, 1, target));
            }
            ARMCI_Fence(target);
            ASSERT_EQ(0, ARMCI_Get(there, back.data(), 8 * block, target));
            ASSERT_EQ(mine, back) << "thread " << t << " round " << round;
        }
    });
    free(slices);
}

// Streams of small puts from all threads to one target, where they may be joined and their handles share what
// completes them; each thread waits for its own, in another order than it began them.
TEST_F(Threads, SmallPutsInStreams)
{
    constexpr int count = 40;
    const auto slices = allocate(long{16} * count * threads * processes);
    run([&](int t) {
        std::array<long, count> mine{}, back{};
        std::array<armci_hdl_t, count> handles{};
        for (int round = 0; round < 100; ++round) {
            const int target = (me + round) % processes;
            long* const there = reinterpret_cast<long*>(slices[target]) + 2 * (me * threads + t) * count;
            for (int i = 0; i < count; ++i) {
                mine[i] = 1'000'000L * t + 1000L * round + i;
                ARMCI_INIT_HANDLE(&handles[i]);
                ASSERT_EQ(0, ARMCI_NbPut(&mine[i], there + 2 * i, sizeof(long), target,
                                         i % 4 == 3 ? nullptr : &handles[i]));
            }
            for (int i = 0; i < count; ++i) {
                const int k = (i * 7 + t) % count;
                if (k % 4 == 3)
                    continue;
                if (i % 2 == 0) {
                    ASSERT_EQ(0, ARMCI_Wait(&handles[k]));
                } else {
                    while (ARMCI_Test(&handles[k]) != 0)
                        std::this_thread::yield();
                }
            }
            ARMCI_Fence(target);
            for (int i = 0; i < count; ++i)
                ASSERT_EQ(0, ARMCI_Get(there + 2 * i, &back[i], sizeof(long), target));
            ASSERT_EQ(mine, back) << "thread " << t << " round " << round;
        }
    });
    free(slices);
}

// Everybody adds to the same elements of everybody.
TEST_F(Threads, AccumulateOnSharedBlocks)
{
    constexpr int elements = 2000, rounds = 40;
    const auto slices = allocate(8 * elements + 64);
    run([&](int t) {
        std::vector<double> ones(elements, 1.0);
        double scale = 1.0 + t;
        for (int round = 0; round < rounds; ++round)
            for (int i = 0; i < processes; ++i) {
                const int target = (me + i) % processes;
                ASSERT_EQ(
                    0, ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones.data(), slices[target], 8 * elements, target));
            }
        ARMCI_AllFence();
    });
    ARMCI_Barrier();
    const double wanted = processes * rounds * (threads * (threads + 1) / 2);
    for (int i = 0; i < elements; ++i)
        ASSERT_EQ(wanted, reinterpret_cast<double*>(slices[me])[i]) << i;
    free(slices);
}

// One thread adds to its own slice, and to nothing else; the others add to their own places of a neighbour's
// and look at once. Of two nodes, another one's operations came first, so that MPI does it all.
TEST_F(Threads, AccumulatesOnTheNodeAreSeenAtOnce)
{
    if (setting("ARMCI_EPOCHS") == "shared" || setting("ARMCI_EPOCHS") == "exclusive")
        GTEST_SKIP() << "unlocking completes: nothing is pending";
    const auto slices = allocate(64 * threads);
    const double one = 1, nothing = 0;
    const auto add = [&](const double& term, int place, int target) {
        return ARMCI_NbAcc(ARMCI_ACC_DBL, const_cast<double*>(&one), const_cast<double*>(&term),
                           slices[target] + 64 * place, sizeof term, target, nullptr);
    };
    for (int target = 0; target < processes; ++target)
        EXPECT_EQ(0, add(nothing, 0, target));
    ARMCI_AllFence();
    quiet_barrier(); // not ARMCI's, after which CPUs may add again
    const int mate = (me ^ 1) < processes ? me ^ 1 : me;
    std::atomic<int> busy{threads - 1};
    run([&](int t) {
        if (t == 0) {
            double term = 1, scale = 1;
            while (busy > 0)
                ASSERT_EQ(0, ARMCI_Acc(ARMCI_ACC_DBL, &scale, &term, slices[me], sizeof term, me));
            return;
        }
        int wrong = 0;
        for (int round = 1; round <= 2000; ++round) {
            double sum = 0;
            EXPECT_EQ(0, add(one, t, mate));
            EXPECT_EQ(0, ARMCI_Get(slices[mate] + 64 * t, &sum, sizeof sum, mate));
            wrong += sum != round;
        }
        EXPECT_EQ(0, wrong) << "thread " << t;
        --busy;
    });
    quiet_barrier(); // neighbours may wait for me
    free(slices);
}

TEST_F(Threads, CountersAndMutexes)
{
    constexpr int rounds = 300;
    const auto slices = allocate(64);
    ASSERT_EQ(0, ARMCI_Create_mutexes(2));
    run([&](int t) {
        for (int round = 0; round < rounds; ++round) {
            const int target = (me + t + round) % processes;
            long old = 0;
            ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, slices[target], 1, target));
            // Without the mutex, increments in two steps would be lost.
            ARMCI_Lock(t % 2, 0);
            char* const sum = slices[0] + 8 + 8 * (t % 2);
            ASSERT_EQ(0, ARMCI_PutValueLong(ARMCI_GetValueLong(sum, 0) + 1, sum, 0));
            ARMCI_Unlock(t % 2, 0);
        }
    });
    ARMCI_Barrier();
    long mine = *reinterpret_cast<long*>(slices[me]), all = 0;
    MPI_Allreduce(&mine, &all, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    EXPECT_EQ(long{rounds} * threads * processes, all);
    for (int i = 0; i < 2; ++i)
        EXPECT_EQ(long{rounds} * threads / 2 * processes, ARMCI_GetValueLong(slices[0] + 8 + 8 * i, 0));
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
    free(slices);
}

// Memory that threads make, use and give back by themselves.
TEST_F(Threads, MemoryOfOneProcess)
{
    run([&](int t) {
        for (int round = 0; round < 200; ++round) {
            const std::size_t bytes = 8 + 997u * static_cast<unsigned>((round * threads + t) % 300);
            armci_meminfo_t info;
            ASSERT_EQ(0, ARMCI_Memget(bytes, &info, 0));
            char* const local = static_cast<char*>(ARMCI_Malloc_local(static_cast<long>(bytes)));
            ASSERT_NE(nullptr, local);
            std::memset(local, t + 1, bytes);
            ASSERT_EQ(0, ARMCI_Put(local, info.armci_addr, static_cast<int>(bytes), me));
            ASSERT_EQ(info.armci_addr, ARMCI_Memat(&info, 0));
            std::memset(local, 0, bytes);
            ASSERT_EQ(0, ARMCI_Get(info.armci_addr, local, static_cast<int>(bytes), me));
            for (std::size_t i = 0; i < bytes; ++i)
                ASSERT_EQ(t + 1, local[i]);
            ARMCI_Memdt(&info, 0);
            ARMCI_Memctl(&info);
            ASSERT_EQ(0, ARMCI_Free_local(local));
        }
    });
}

// Collective calls at the same time on different groups: each thread has one of its own. They make, use and
// free regions, mutexes and further groups.
TEST_F(Threads, GroupForEachThread)
{
    std::array<ARMCI_Group, threads> groups;
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    for (ARMCI_Group& group : groups)
        ASSERT_EQ(0, ARMCIX_Group_dup(&world, &group));
    run([&](int t) {
        ARMCI_Group* const group = &groups[t];
        for (int round = 0; round < 10; ++round) {
            std::vector<void*> base(processes);
            ASSERT_EQ(0, ARMCI_Malloc_group(base.data(), 64 + 9000 * round, group));
            const int right = (me + 1) % processes, left = (me + processes - 1) % processes;
            ASSERT_EQ(0, ARMCI_PutValueInt(100 * t + me, base[right], right));
            ARMCI_Fence(right);
            armci_msg_group_barrier(group);
            EXPECT_EQ(100 * t + left, ARMCI_GetValueInt(base[me], me));
            int sum = t;
            armci_msg_group_igop(&sum, 1, const_cast<char*>("+"), group);
            EXPECT_EQ(t * processes, sum);
            if (round % 5 == 0) {
                ARMCI_Group child;
                ASSERT_EQ(0, ARMCIX_Group_split(group, me % 2, 0, &child));
                armcix_mutex_hdl_t const mutexes = ARMCIX_Create_mutexes_hdl(1, &child);
                ASSERT_NE(nullptr, mutexes);
                ARMCIX_Lock_hdl(mutexes, 0, me);
                ARMCIX_Unlock_hdl(mutexes, 0, me);
                ASSERT_EQ(0, ARMCIX_Destroy_mutexes_hdl(mutexes));
                ARMCI_Group_free(&child);
            }
            ASSERT_EQ(0, ARMCI_Free_group(base[me], group));
        }
    });
    for (ARMCI_Group& group : groups)
        ARMCI_Group_free(&group);
}

// Two threads notify, two wait: each notification is awaited once.
TEST_F(Threads, Notifications)
{
    constexpr int rounds = 200;
    const auto slices = allocate(64);
    const int right = (me + 1) % processes, left = (me + processes - 1) % processes;
    std::atomic<long> numbers{0};
    run([&](int t) {
        for (int round = 0; round < rounds; ++round) {
            if (t % 2 == 0) {
                long old = 0;
                ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, slices[right], 1, right));
                ASSERT_GT(armci_notify(right), 0);
            } else {
                int number = 0;
                ASSERT_EQ(0, armci_notify_wait(left, &number));
                numbers += number;
                ASSERT_GE(ARMCI_GetValueLong(slices[me], me), 1);
            }
        }
    });
    // Every number from 1 up was handed out once.
    const long all = long{rounds} * threads / 2;
    const long before = numbers - all * (all + 1) / 2;
    EXPECT_EQ(0, before);
    free(slices);
}

// With ARMCI_STRIDED_METHOD=spans near segments are got together and unpacked when they are there, which a
// fence of another thread must not take for granted of gets that began after it.
TEST_F(Threads, StridedGetsBesideFences)
{
    constexpr int rows = 500;
    const auto slices = allocate(long{8} * 4 * rows);
    auto* const own = reinterpret_cast<double*>(slices[me]);
    for (int i = 0; i < 4 * rows; ++i)
        own[i] = 1000 * me + i;
    ARMCI_Barrier();
    const int target = (me + 1) % processes;
    std::atomic<bool> done{false};
    run([&](int t) {
        if (t > 0) {
            while (!done)
                ARMCI_Fence(target);
            return;
        }
        for (int round = 0; round < 500 && !HasFailure(); ++round) {
            std::vector<double> got(rows, -1);
            int there[] = {32}, here[] = {8}, count[] = {8, rows};
            armci_hdl_t handle;
            ARMCI_INIT_HANDLE(&handle);
            EXPECT_EQ(0, ARMCI_NbGetS(slices[target], there, got.data(), here, count, 1, target, &handle));
            EXPECT_EQ(0, ARMCI_Wait(&handle));
            for (int i = 0; i < rows; ++i)
                if (got[i] != 1000 * target + 4 * i) {
                    ADD_FAILURE() << "round " << round << ", row " << i << ": " << got[i];
                    break;
                }
        }
        done = true;
    });
    free(slices);
}

} // namespace
} // namespace armci_test
