// What each process does here does not grow with their number, so that jobs of hundreds of processes end:
// scripts/many runs them.
#include "tests/rma/region.hpp"

#include <armcix.h>
#include <mpi.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace armci_test {
namespace {

template <class T>
std::vector<T> gathered(const std::vector<T>& mine)
{
    std::vector<T> all(mine.size() * static_cast<std::size_t>(size()));
    const int bytes = static_cast<int>(mine.size() * sizeof(T));
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    return all;
}

TEST(ManyProcesses, a_thousand_regions)
{
    constexpr int count = 1000;
    std::vector<std::vector<void*>> regions(count, std::vector<void*>(static_cast<std::size_t>(size())));
    for (auto& bases : regions)
        ASSERT_EQ(0, ARMCI_Malloc(bases.data(), sizeof(long)));
    const int half_way = neighbour(size() / 2);
    for (int i = 0; i < count; ++i) {
        long number = 1000L * rank() + i;
        ARMCI_Put(&number, regions[static_cast<std::size_t>(i)][static_cast<std::size_t>(half_way)],
                  sizeof number, half_way);
    }
    ARMCI_Barrier();
    const int writer = neighbour(size() - size() / 2);
    for (int i = 0; i < count; ++i)
        ASSERT_EQ(
            1000L * writer + i,
            *static_cast<long*>(regions[static_cast<std::size_t>(i)][static_cast<std::size_t>(rank())]));
    ARMCI_Barrier();
    for (const auto& bases : regions)
        ASSERT_EQ(0, ARMCI_Free(bases[static_cast<std::size_t>(rank())]));
}

TEST(ManyProcesses, all_reach_all)
{
    Region region(static_cast<long>(sizeof(long)) * size());
    for (int distance = 0; distance < size(); ++distance) {
        const int target = neighbour(distance);
        long number = 1 + rank();
        ARMCI_Put(&number, region.of(target, static_cast<long>(sizeof number) * rank()), sizeof number,
                  target);
    }
    ARMCI_Barrier();
    for (int from = 0; from < size(); ++from)
        ASSERT_EQ(1 + from, region.as<long>(rank())[from]);
}

TEST(ManyProcesses, one_counter)
{
    constexpr int each = 50;
    Region region(sizeof(long));
    *region.as<long>(rank()) = 0;
    ARMCI_Barrier();
    std::vector<long> numbers(each);
    for (long& number : numbers)
        ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, region.of(0), 1, 0));
    std::vector<long> all = gathered(numbers), wanted(all.size());
    std::sort(all.begin(), all.end());
    std::iota(wanted.begin(), wanted.end(), 0L);
    EXPECT_EQ(all, wanted);
}

// Adds under a mutex without an atomic operation: lost sums show two holders.
void add_under_mutex(int mutex, int owner, const Region& region)
{
    ARMCI_Lock(mutex, owner);
    long number = 0;
    ARMCI_Get(region.of(owner), &number, sizeof number, owner);
    ++number;
    ARMCI_Put(&number, region.of(owner), sizeof number, owner);
    ARMCI_Fence(owner);
    ARMCI_Unlock(mutex, owner);
}

// Each process adds `each` times, the i-th time at owner_of(i). Returns what was added at this one.
template <class OwnerOf>
long added_here(int each, OwnerOf owner_of)
{
    Region region(sizeof(long));
    *region.as<long>(rank()) = 0;
    EXPECT_EQ(0, ARMCI_Create_mutexes(1));
    ARMCI_Barrier();
    for (int i = 0; i < each; ++i)
        add_under_mutex(0, owner_of(i), region);
    ARMCI_Barrier();
    const long added = *region.as<long>(rank());
    EXPECT_EQ(0, ARMCI_Destroy_mutexes());
    return added;
}

TEST(ManyProcesses, one_mutex)
{
    constexpr int each = 3;
    EXPECT_EQ(rank() == 0 ? each * size() : 0, added_here(each, [](int) { return 0; }));
}

TEST(ManyProcesses, a_mutex_of_each)
{
    constexpr int each = 10;
    EXPECT_EQ(each, added_here(each, [](int i) { return neighbour(i * 7); }));
}

TEST(ManyProcesses, accumulates_to_one_block)
{
    constexpr int each = 5, words = 512;
    Region region(words * static_cast<long>(sizeof(double)));
    std::fill_n(region.as<double>(rank()), words, 0.0);
    ARMCI_Barrier();
    std::vector<double> ones(words, 1.0);
    double scale = 1.0;
    for (int i = 0; i < each; ++i)
        ARMCI_Acc(ARMCI_ACC_DBL, &scale, ones.data(), region.of(0), words * static_cast<int>(sizeof(double)),
                  0);
    ARMCI_Barrier();
    const double wanted = rank() == 0 ? 1.0 * each * size() : 0.0;
    EXPECT_EQ(words, std::count(region.as<double>(rank()), region.as<double>(rank()) + words, wanted));
}

TEST(ManyProcesses, groups_of_neighbours_and_of_every_fourth)
{
    ARMCI_Group world{};
    ARMCI_Group_get_world(&world);
    for (const int colour : {rank() / 4, rank() % 4}) {
        ARMCI_Group group{};
        ASSERT_EQ(0, ARMCIX_Group_split(&world, colour, rank(), &group));
        int me = -1, members = 0;
        ARMCI_Group_rank(&group, &me);
        ARMCI_Group_size(&group, &members);
        std::vector<void*> bases(static_cast<std::size_t>(members));
        ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), sizeof(int), &group));
        const int right = (me + 1) % members, left = ARMCI_Absolute_id(&group, (me + members - 1) % members);
        ASSERT_EQ(0, ARMCI_PutValueInt(rank(), bases[static_cast<std::size_t>(right)],
                                       ARMCI_Absolute_id(&group, right)));
        ARMCI_AllFence();
        armci_msg_group_barrier(&group);
        EXPECT_EQ(left, *static_cast<int*>(bases[static_cast<std::size_t>(me)]));
        armci_msg_group_barrier(&group);
        ASSERT_EQ(0, ARMCI_Free_group(bases[static_cast<std::size_t>(me)], &group));
        ARMCI_Group_free(&group);
    }
}

} // namespace
} // namespace armci_test
