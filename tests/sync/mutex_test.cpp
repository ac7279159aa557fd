#include "tests/sync/asleep.hpp"
#include "tests/sync/lock_validator.hpp"

#include <armcix.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <numeric>
#include <sched.h>

namespace armci_test {
namespace {

TEST(Mutex, excludes_all_others)
{
    ASSERT_EQ(0, ARMCI_Create_mutexes(rank() == size() - 1 ? 1 : 0)); // hosted by the last process
    validate_lock(
        1, 300, [](int) { ARMCI_Lock(0, size() - 1); }, [](int) { ARMCI_Unlock(0, size() - 1); });
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

TEST(Mutex, all_mutexes_of_all_processes_are_different)
{
    ASSERT_EQ(0, ARMCI_Create_mutexes(5));
    validate_lock(
        5 * size(), 500, [](int i) { ARMCI_Lock(i / size(), i % size()); },
        [](int i) { ARMCI_Unlock(i / size(), i % size()); });
    // Each rank holds five at once, of another process.
    for (int i = 0; i < 5; ++i)
        ARMCI_Lock(i, neighbour());
    ARMCI_Barrier();
    for (int i = 4; i >= 0; --i)
        ARMCI_Unlock(i, neighbour());
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

TEST(Mutex, sets_come_and_go_with_any_counts)
{
    for (int round = 0; round < 20; ++round) {
        ASSERT_EQ(0, ARMCI_Create_mutexes((rank() + round) % 3)); // none on some
        for (int p = 0; p < size(); ++p)
            for (int i = 0; i < (p + round) % 3; ++i) {
                ARMCI_Lock(i, p);
                ARMCI_Unlock(i, p);
            }
        ASSERT_EQ(0, ARMCI_Destroy_mutexes());
    }
    ASSERT_EQ(0, ARMCI_Create_mutexes(0));
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

// Who queues first is served first, the last holder included when it comes again: the ranks are let into the
// queue one by one, each seen asleep before the next.
TEST(Mutex, serves_in_order_of_arrival)
{
    for (int p = 0; p < size(); ++p)
        if (!ARMCI_Same_node(p))
            GTEST_SKIP() << "process " << p << " is on another node; its sleep cannot be seen";
    if (std::getenv("ARMCI_FORCE_MPI") != nullptr)
        GTEST_SKIP() << "over MPI a wait drives MPI instead of sleeping";
    if (const char* const method = std::getenv("ARMCI_MUTEX_METHOD");
        method != nullptr && method != std::string("node"))
        GTEST_SKIP() << "a wait of " << method << " drives MPI instead of sleeping";
    ASSERT_EQ(0, ARMCI_Create_mutexes(1));
    { // a slice: my turn to queue, my process id, who has arrived, the number of those served
        Region region(4 * sizeof(int));
        std::fill_n(region.as<int>(rank()), 4, -1);
        region.as<int>(rank())[1] = getpid();
        region.as<int>(rank())[3] = 0;
        ARMCI_Barrier();
        const auto word = [&](int process, int i) {
            return std::atomic_ref<int>(region.as<int>(process)[i]);
        };
        auto random = common_generator(80);
        for (int round = 0; round < 10; ++round) {
            const int holder = round % size(),
                      host = static_cast<int>(random() % static_cast<std::uint64_t>(size()));
            std::vector<int> order(static_cast<std::size_t>(size()));
            std::iota(order.begin(), order.end(), 0);
            std::shuffle(order.begin(), order.end(), random);
            std::erase(order, holder);
            order.push_back(holder);

            if (rank() == holder) {
                ARMCI_Lock(0, host);
                for (const int waiter : order) {
                    if (waiter == holder)
                        continue;
                    word(waiter, 0) = round;
                    while (word(holder, 2) != waiter)
                        sched_yield();
                    await_sleep(word(waiter, 1), word(waiter, 1));
                }
                ARMCI_Unlock(0, host);
            } else {
                while (word(rank(), 0) != round)
                    sched_yield();
                word(holder, 2) = rank();
            }
            ARMCI_Lock(0, host);
            int place = -1;
            EXPECT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &place, region.as<int>(0) + 3, 1, 0));
            ARMCI_Unlock(0, host);
            EXPECT_EQ(order[static_cast<std::size_t>(place % size())], rank())
                << "served as number " << place % size();
            ARMCI_Barrier();
        }
    }
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

// --- Sets with a handle
// ---------------------------------------------------------------------------------------

class MutexHandle : public testing::Test {
protected:
    MutexHandle() { ARMCI_Group_get_world(&world); }
    ARMCI_Group world;
};

TEST_F(MutexHandle, excludes_all_others_with_lock_and_trylock_mixed)
{
    const armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(2, &world);
    ASSERT_NE(set, nullptr);
    int calls = 0;
    validate_lock(
        2 * size(), 400,
        [&](int i) {
            if (++calls % 2 == 0) {
                ARMCIX_Lock_hdl(set, i / size(), i % size());
            } else {
                while (ARMCIX_Trylock_hdl(set, i / size(), i % size()) != 0)
                    sched_yield();
            }
        },
        [&](int i) { ARMCIX_Unlock_hdl(set, i / size(), i % size()); });
    EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(set));
}

TEST_F(MutexHandle, trylock_takes_what_is_free_and_never_waits)
{
    const armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &world);
    ASSERT_NE(set, nullptr);
    for (int host = 0; host < size(); ++host) {
        if (rank() == 0) {
            ASSERT_EQ(0, ARMCIX_Trylock_hdl(set, 0, host)) << "it was free";
        }
        ARMCI_Barrier();
        // The holder waits in the barrier until all have come back from their attempts.
        if (rank() != 0) {
            for (int i = 0; i < 50; ++i)
                EXPECT_NE(0, ARMCIX_Trylock_hdl(set, 0, host)) << "another holds it";
        }
        ARMCI_Barrier();
        if (rank() == 0)
            ARMCIX_Unlock_hdl(set, 0, host);
        ARMCI_Barrier();
        // All at once: exactly one of them has it.
        int taken = ARMCIX_Trylock_hdl(set, 0, host) == 0 ? 1 : 0;
        const bool mine = taken != 0;
        ARMCI_Barrier();
        armci_msg_igop(&taken, 1, const_cast<char*>("+"));
        EXPECT_EQ(taken, 1);
        if (mine)
            ARMCIX_Unlock_hdl(set, 0, host);
        ARMCI_Barrier();
    }
    EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(set));
}

TEST_F(MutexHandle, sets_are_independent_of_each_other_and_of_the_world_set)
{
    ASSERT_EQ(0, ARMCI_Create_mutexes(1));
    std::vector<armcix_mutex_hdl_t> sets;
    for (int i = 0; i < 5; ++i) {
        sets.push_back(ARMCIX_Create_mutexes_hdl(1, &world));
        ASSERT_NE(sets.back(), nullptr);
    }
    if (rank() == 0) { // number 0 of process 0 in all sets at once
        ARMCI_Lock(0, 0);
        for (const auto set : sets)
            ARMCIX_Lock_hdl(set, 0, 0);
        for (const auto set : sets)
            ARMCIX_Unlock_hdl(set, 0, 0);
        ARMCI_Unlock(0, 0);
    }
    ARMCI_Barrier();
    std::swap(sets[1], sets[3]);
    for (const auto set : sets)
        EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(set));
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

// Even and odd ranks at the same time, each with a set of its own; processes are named by absolute ids.
TEST_F(MutexHandle, on_a_group_belongs_to_its_members)
{
    ARMCI_Group group;
    ASSERT_EQ(0, ARMCIX_Group_split(&world, rank() % 2, -rank(), &group)); // in reverse order
    int members = 0, me = -1;
    ARMCI_Group_size(&group, &members);
    ARMCI_Group_rank(&group, &me);
    const armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(me + 1, &group);
    ASSERT_NE(set, nullptr);
    long* counter = nullptr;
    {
        std::vector<void*> bases(static_cast<std::size_t>(members));
        ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), sizeof(long), &group));
        counter = static_cast<long*>(bases[0]);
        const int home = ARMCI_Absolute_id(&group, 0);
        if (me == 0)
            *counter = 0;
        armci_msg_group_barrier(&group);
        const int host = ARMCI_Absolute_id(&group, members - 1);
        auto random = rank_generator(81);
        for (int i = 0; i < 100; ++i) {
            ARMCIX_Lock_hdl(set, members - 1, host);
            long value = ARMCI_GetValueLong(counter, home);
            random_delay(random);
            ASSERT_EQ(0, ARMCI_PutValueLong(value + 1, counter, home));
            ARMCIX_Unlock_hdl(set, members - 1, host);
        }
        armci_msg_group_barrier(&group);
        EXPECT_EQ(ARMCI_GetValueLong(counter, home), 100L * members);
        armci_msg_group_barrier(&group);
        ASSERT_EQ(0, ARMCI_Free_group(bases[static_cast<std::size_t>(me)], &group));
    }
    EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(set));
    ARMCI_Group_free(&group);
}

// What others make meanwhile must not get the memory of the group that is gone.
TEST_F(MutexHandle, outlives_its_group)
{
    ARMCI_Group group;
    ASSERT_EQ(0, ARMCIX_Group_dup(&world, &group));
    const armcix_mutex_hdl_t set = ARMCIX_Create_mutexes_hdl(1, &group);
    ASSERT_NE(set, nullptr);
    ARMCI_Group_free(&group);
    std::vector<ARMCI_Group> others(4);
    for (ARMCI_Group& other : others)
        ASSERT_EQ(0, ARMCIX_Group_dup(&world, &other));
    Region counter(sizeof(long));
    auto* const count = counter.as<long>(0);
    if (rank() == 0)
        *count = 0;
    ARMCI_Barrier();
    for (int i = 0; i < 100; ++i) {
        ARMCIX_Lock_hdl(set, 0, size() - 1);
        ASSERT_EQ(0, ARMCI_PutValueLong(ARMCI_GetValueLong(count, 0) + 1, count, 0));
        ARMCIX_Unlock_hdl(set, 0, size() - 1);
    }
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_GetValueLong(count, 0), 100L * size());
    ARMCI_Barrier();
    EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(set));
    for (ARMCI_Group& other : others)
        ARMCI_Group_free(&other);
}

} // namespace
} // namespace armci_test
