#include "mutex/node_mutex.hpp"

#include "armci/base/wait.hpp"
#include "tests/sync/asleep.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace armci_test {
namespace {

using armci::mutex::NodeMutex;

using armci::wait::Yields;

struct Waits {
    const char* name;
    int spin;
    Yields yields;
};

// As in global memory: zeroed bytes that no constructor has seen.
class NodeMutexTest : public testing::TestWithParam<Waits> {
protected:
    NodeMutexTest()
    {
        armci::wait::set_spin(GetParam().spin);
        armci::wait::set_yields(GetParam().yields);
    }
    ~NodeMutexTest() override
    {
        armci::wait::set_spin(0);
        armci::wait::set_yields(Yields::unknown);
    }

    alignas(NodeMutex) std::byte zeroed[sizeof(NodeMutex)] = {};
    NodeMutex& mutex = *reinterpret_cast<NodeMutex*>(zeroed);
};

INSTANTIATE_TEST_SUITE_P(Waits, NodeMutexTest,
                         testing::Values(Waits{"yields_first", 0, Yields::reach_others},
                                         Waits{"sleeps_early", 0, Yields::in_vain},
                                         Waits{"spins_first", 200, Yields::unknown}),
                         [](const auto& test) { return std::string(test.param.name); });

TEST_P(NodeMutexTest, zeroed_memory_is_unlocked)
{
    EXPECT_EQ(mutex.holder(), 0u);
    EXPECT_TRUE(mutex.try_lock(7));
    EXPECT_EQ(mutex.holder(), 7u);
    mutex.unlock();
    EXPECT_EQ(mutex.holder(), 0u);
}

TEST_P(NodeMutexTest, try_lock_takes_it_only_when_free)
{
    for (int round = 0; round < 100; ++round) {
        mutex.lock(1);
        EXPECT_FALSE(mutex.try_lock(2));
        EXPECT_FALSE(mutex.try_lock(2));
        EXPECT_EQ(mutex.holder(), 1u);
        mutex.unlock();
        EXPECT_TRUE(mutex.try_lock(2));
        EXPECT_EQ(mutex.holder(), 2u);
        mutex.unlock();
    }
}

TEST_P(NodeMutexTest, one_holder_at_a_time)
{
    constexpr int threads = 6, rounds = 2000;
    long counter = 0; // not atomic: a second holder would lose updates
    std::atomic<int> inside{0}, most{0};
    std::vector<std::thread> pool;
    for (int id = 1; id <= threads; ++id)
        pool.emplace_back([&, id] {
            for (int round = 0; round < rounds; ++round) {
                if (round % 3 == 0) {
                    while (!mutex.try_lock(static_cast<std::uint64_t>(id)))
                        std::this_thread::yield();
                } else {
                    mutex.lock(static_cast<std::uint64_t>(id));
                }
                if (inside.fetch_add(1) != 0)
                    most = 2;
                ++counter;
                inside.fetch_sub(1);
                mutex.unlock();
            }
        });
    for (std::thread& thread : pool)
        thread.join();
    EXPECT_EQ(counter, long{threads} * rounds);
    EXPECT_EQ(most.load(), 0) << "two holders at once";
}

// More waiters than the 32 groups in which they sleep; each is seen asleep before the next one comes.
TEST_P(NodeMutexTest, serves_in_order_of_arrival)
{
    constexpr int waiters = 40;
    std::vector<int> order;
    std::vector<std::thread> pool;
    mutex.lock(1000);
    for (int id = 1; id <= waiters; ++id) {
        std::atomic<int> thread_id{0};
        pool.emplace_back([&, id] {
            thread_id = gettid();
            mutex.lock(static_cast<std::uint64_t>(id));
            order.push_back(id);
            mutex.unlock();
        });
        while (thread_id == 0)
            std::this_thread::yield();
        await_sleep(getpid(), thread_id);
    }
    EXPECT_FALSE(mutex.try_lock(2000));
    mutex.unlock();
    for (std::thread& thread : pool)
        thread.join();
    ASSERT_EQ(order.size(), static_cast<std::size_t>(waiters));
    for (int i = 0; i < waiters; ++i)
        EXPECT_EQ(order[static_cast<std::size_t>(i)], i + 1);
}

// One that sleeps has asked: the holder may not come again before it.
TEST_P(NodeMutexTest, next_in_line_asks_before_it_sleeps)
{
    for (int round = 0; round < 20; ++round) {
        mutex.lock(1);
        std::atomic<int> thread_id{0};
        bool served = false; // under the mutex
        std::thread thread([&] {
            thread_id = gettid();
            mutex.lock(2);
            served = true;
            mutex.unlock();
        });
        while (thread_id == 0)
            std::this_thread::yield();
        await_sleep(getpid(), thread_id);
        mutex.unlock();
        mutex.lock(1);
        EXPECT_TRUE(served);
        mutex.unlock();
        thread.join();
    }
}

// The next in line is a process that fell asleep before it was that, and that the machine does not run now:
// the holder may go on, but not for ever. Where each process has a core it may not at all.
TEST_P(NodeMutexTest, hands_over_to_a_stopped_process_in_the_end)
{
    struct Shared {
        NodeMutex mutex;
        std::atomic<bool> queue_up;
        std::atomic<int> turns, turns_seen;
    };
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(memory, MAP_FAILED);
    Shared& shared = *static_cast<Shared*>(memory);
    const pid_t child = fork();
    if (child == 0) {
        while (!shared.queue_up)
            std::this_thread::yield();
        shared.mutex.lock(3);
        shared.turns_seen = shared.turns.load();
        shared.mutex.unlock();
        _exit(0);
    }
    constexpr int most = NodeMutex::most_in_a_row;
    shared.mutex.lock(1);
    std::atomic<int> thread_id{0};
    std::thread thread([&] {
        thread_id = gettid();
        for (int turn = 0; turn < 2 * most; ++turn) {
            shared.mutex.lock(2);
            ++shared.turns;
            shared.mutex.unlock();
        }
    });
    while (thread_id == 0)
        std::this_thread::yield();
    await_sleep(getpid(), thread_id); // it is next in line, and has asked
    shared.queue_up = true;
    await_sleep(child, child);
    kill(child, SIGSTOP);
    while (thread_state(child, child) != 'T')
        std::this_thread::yield();
    shared.mutex.unlock();
    while (shared.turns == 0 || // then until it sleeps behind the child
           (shared.turns < 2 * most && thread_state(getpid(), thread_id) != 'S'))
        std::this_thread::yield();
    EXPECT_EQ(shared.turns, GetParam().spin == 0 ? most : 1);
    EXPECT_EQ(shared.turns_seen, 0);
    kill(child, SIGCONT);
    int status = -1;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    thread.join();
    EXPECT_EQ(shared.turns_seen, GetParam().spin == 0 ? most : 1);
    EXPECT_EQ(shared.turns, 2 * most);
    EXPECT_EQ(shared.mutex.holder(), 0u);
    EXPECT_TRUE(shared.mutex.try_lock(1));
    munmap(memory, sizeof(Shared));
}

} // namespace
} // namespace armci_test
