#include "armci/base/wait.hpp"

#include "gmr/node/accumulate.hpp"
#include "tests/sync/asleep.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <string>
#include <thread>
#include <vector>

namespace armci_test {
namespace {

namespace wait = armci::wait;
using armci::gmr::AccumulateLock;
using armci::gmr::Stripe;
using armci::gmr::Stripes;
using wait::Yields;

class Waits : public testing::Test {
protected:
    ~Waits() override
    {
        wait::set_spin(0);
        wait::set_processes_for_each_core(1);
        wait::set_yields(Yields::unknown);
        wait::set_network(false);
        wait::set_progress(nullptr);
    }

    static int looks(int spin, Yields yields, bool network, int processes_for_each_core = 1)
    {
        wait::set_spin(spin);
        wait::set_processes_for_each_core(processes_for_each_core);
        wait::set_yields(yields);
        wait::set_network(network);
        return wait::looks_before_sleep();
    }
};

TEST_F(Waits, sleep_early_only_where_yields_are_in_vain)
{
    EXPECT_EQ(looks(0, Yields::in_vain, false, 4), 3);
    EXPECT_EQ(looks(0, Yields::in_vain, false, 5), 1); // the other one is hardly on a core
    EXPECT_GE(looks(0, Yields::reach_others, false), 1000);
    EXPECT_GE(looks(500, Yields::unknown, false), 1500);
    EXPECT_GE(looks(500, Yields::in_vain, false), 1500); // a core for each process
    EXPECT_GE(looks(0, Yields::reach_others, true), 1'000'000'000);
    EXPECT_GE(looks(500, Yields::in_vain, true), 1'000'000'000);
    EXPECT_LE(looks(0, Yields::in_vain, true), 100);
}

// until() looks as often as it says before it sleeps, and a wake-up ends the sleep.
TEST_F(Waits, until_sleeps_after_so_many_looks)
{
    for (const Yields yields : {Yields::in_vain, Yields::unknown, Yields::reach_others}) {
        const int most = looks(0, yields, false);
        wait::Word word;
        std::atomic<int> thread_id{0}, looked{0}, looked_before_sleep{0};
        std::thread waiter([&] {
            thread_id = gettid();
            wait::until(word, [&](std::uint32_t value) {
                // The count stays as it is once the word knows of a sleeper.
                if (word.sleepers == 0 && looked_before_sleep == looked)
                    ++looked_before_sleep;
                ++looked;
                return value != 0;
            });
        });
        while (looked < most)
            std::this_thread::yield();
        await_sleep(getpid(), thread_id);
        word.value = 1;
        wait::wake(word);
        waiter.join();
        EXPECT_GE(looked_before_sleep, most);
    }
}

// A wait that sleeps, or naps, lets MPI progress all the same.
TEST_F(Waits, sleepers_let_mpi_progress)
{
    static std::atomic<int> progressed;
    wait::set_progress([] { ++progressed; });
    for (const bool network : {false, true}) {
        looks(0, Yields::in_vain, network);
        wait::Word word;
        progressed = 0;
        wait::until(word, [&](std::uint32_t) { return progressed > 5; });
        if (network) {
            progressed = 0;
            wait::until([&] { return progressed > 100; });
        }
    }
}

// Two processes on one core that yield until both have yielded 16 times.
struct Shared {
    std::atomic<int> yielded;
    std::atomic<bool> child_reached_others;
};

bool yields_reach(Shared& shared)
{
    bool told = false;
    const auto both_have_yielded = [&] {
        shared.yielded += told ? 0 : 1;
        told = true;
        return shared.yielded >= 2;
    };
    return wait::count_yields(16, 200, both_have_yielded).reached_others();
}

bool yields_reach_another_process(bool in_a_session_of_its_own)
{
    void* const memory =
        mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    Shared& shared = *static_cast<Shared*>(memory);
    cpu_set_t before, one;
    sched_getaffinity(0, sizeof before, &before);
    CPU_ZERO(&one);
    for (int cpu = 0; CPU_COUNT(&one) == 0; ++cpu)
        if (CPU_ISSET(cpu, &before))
            CPU_SET(cpu, &one);
    sched_setaffinity(0, sizeof one, &one);
    const pid_t child = fork();
    if (child == 0) {
        if (in_a_session_of_its_own)
            setsid();
        shared.child_reached_others = yields_reach(shared);
        _exit(0);
    }
    const bool mine = yields_reach(shared);
    waitpid(child, nullptr, 0);
    const bool both = mine && shared.child_reached_others;
    sched_setaffinity(0, sizeof before, &before);
    munmap(memory, sizeof(Shared));
    return both;
}

// Of many tries most must say the same: a machine that is busy takes the core away now and then, and for some
// milliseconds at a time.
constexpr int tries = 45;

int tries_that_reach(bool in_a_session_of_its_own)
{
    int count = 0;
    for (int i = 0; i < tries; ++i) {
        count += yields_reach_another_process(in_a_session_of_its_own) ? 1 : 0;
        std::this_thread::sleep_for(std::chrono::milliseconds(3));
    }
    return count;
}

TEST(CountedYields, reach_a_process_of_the_same_session)
{
    EXPECT_GT(tries_that_reach(false), tries / 2);
}

std::string first_line(const char* path)
{
    std::ifstream file(path);
    std::string line;
    std::getline(file, line);
    return line;
}

// Why a session of its own is no scheduling group here; empty where it is one.
std::string why_sessions_are_no_groups()
{
    if (first_line("/proc/sys/kernel/sched_autogroup_enabled") != "1")
        return "autogroup is off (/proc/sys/kernel/sched_autogroup_enabled)";
    std::ifstream groups("/proc/self/cgroup"); // number:controllers:path
    for (std::string line; std::getline(groups, line);) {
        const auto controllers = line.find(':') + 1;
        const auto path = line.find(':', controllers) + 1;
        const std::string all = ',' + line.substr(controllers, path - 1 - controllers) + ',';
        const std::string share = "/sys/fs/cgroup" + line.substr(path) + "/cpu.weight";
        if (line.substr(path) != "/" &&
            (all.find(",cpu,") != std::string::npos || (all == ",," && std::ifstream(share).good())))
            return "a control group takes the place of autogroup: " + line;
    }
    if (std::ifstream("/sys/fs/cgroup/cpu.weight").good())
        return "a container's control group takes the place of autogroup";
    return {};
}

TEST(CountedYields, reach_no_process_of_another_session)
{
    if (const std::string why = why_sessions_are_no_groups(); !why.empty())
        GTEST_SKIP() << why;
    EXPECT_LE(tries_that_reach(true), tries / 2);
}

// A condition may ask another process, and sleep until it answers: the thread that others of this process's
// node are served by must not sleep as well, or two that ask each other wait for ever.
TEST_F(Waits, the_thread_beside_serves_while_a_condition_asks)
{
    static int asleep = 0;
    static const wait::Standby standby{[](bool first) { asleep += first ? 1 : 0; }, [] { --asleep; }};
    looks(100, Yields::reach_others, true);
    wait::set_standby(&standby);
    int asked = 0;
    wait::until([&] {
        EXPECT_EQ(0, asleep) << "at look " << asked;
        return ++asked == 10;
    });
    wait::set_standby(nullptr);
    EXPECT_EQ(0, asleep);
}

// More contenders than cores, which sleep at once: no sum is lost, and none is left waiting.
TEST_F(Waits, accumulate_lock_excludes_and_hands_over)
{
    for (const Yields yields : {Yields::in_vain, Yields::reach_others}) {
        looks(0, yields, false);
        std::vector<Stripe> locks(1024);
        armci::gmr::set_accumulate_locks(Stripes(locks.data(), locks.size()));
        constexpr int threads = 32, rounds = 500;
        std::vector<std::byte> memory(2 * AccumulateLock::block_bytes);
        long sum = 0; // not atomic
        std::vector<std::thread> pool;
        for (int id = 0; id < threads; ++id)
            pool.emplace_back([&] {
                for (int round = 0; round < rounds; ++round) {
                    AccumulateLock lock;
                    lock.hold(&memory[0]);
                    ++sum;
                    if (round % 50 == 0)
                        std::this_thread::yield(); // others come while it is held
                }
            });
        for (std::thread& thread : pool)
            thread.join();
        EXPECT_EQ(sum, threads * rounds);
        armci::gmr::set_accumulate_locks({});
    }
}

} // namespace
} // namespace armci_test
