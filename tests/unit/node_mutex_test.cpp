#include "mutex/node_mutex.hpp"

#include "armci/base/wait.hpp"
#include "tests/sync/asleep.hpp"

#include <gtest/gtest.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <new>
#include <thread>
#include <vector>

namespace armci_test {
namespace {

using armci::mutex::NodeMutex;

// As in global memory: zeroed bytes that no constructor has seen.
class NodeMutexTest : public testing::TestWithParam<int> {
protected:
    NodeMutexTest() { armci::wait::set_spin(GetParam()); }
    ~NodeMutexTest() override { armci::wait::set_spin(0); }

    alignas(NodeMutex) std::byte zeroed[sizeof(NodeMutex)] = {};
    NodeMutex& mutex = *reinterpret_cast<NodeMutex*>(zeroed);
};

INSTANTIATE_TEST_SUITE_P(Spin, NodeMutexTest, testing::Values(0, 200), [](const auto& test) {
    return test.param == 0 ? std::string("sleeps_at_once") : std::string("spins_first");
});

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

} // namespace
} // namespace armci_test
