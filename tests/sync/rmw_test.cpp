#include "tests/rma/region.hpp"

#include <algorithm>
#include <climits>
#include <limits>
#include <mpi.h>
#include <numeric>

namespace armci_test {
namespace {

template <class T>
struct Operation;
template <>
struct Operation<int> {
    static constexpr int add = ARMCI_FETCH_AND_ADD, swap = ARMCI_SWAP;
};
template <>
struct Operation<long> {
    static constexpr int add = ARMCI_FETCH_AND_ADD_LONG, swap = ARMCI_SWAP_LONG;
};

template <class T>
std::vector<T> gathered(const std::vector<T>& mine)
{
    std::vector<T> all(mine.size() * static_cast<std::size_t>(size()));
    const int bytes = static_cast<int>(mine.size() * sizeof(T));
    MPI_Allgather(mine.data(), bytes, MPI_BYTE, all.data(), bytes, MPI_BYTE, MPI_COMM_WORLD);
    return all;
}

template <class T>
class Rmw : public testing::Test {
};
using RmwTypes = testing::Types<int, long>;
TYPED_TEST_SUITE(Rmw, RmwTypes);

TYPED_TEST(Rmw, fetch_and_add_returns_the_old_value)
{
    using T = TypeParam;
    Region region(static_cast<long>(3 * sizeof(T)) * size());
    for (int target = 0; target < size(); ++target) {
        T* const at = region.as<T>(target) + 3 * rank() + 1;
        const std::vector<T> start{-7, 40, -9};
        ASSERT_EQ(0, ARMCI_Put(const_cast<T*>(start.data()), at - 1, 3 * sizeof(T), target));
        T old = 0;
        for (const auto& [value, before] :
             {std::pair<int, T>{2, 40}, {-50, 42}, {0, -8}, {INT_MAX, -8}, {INT_MIN, T{INT_MAX} - 8}}) {
            ASSERT_EQ(0, ARMCI_Rmw(Operation<T>::add, &old, at, value, target));
            EXPECT_EQ(old, before) << "adding " << value;
        }
        std::vector<T> got(3);
        ASSERT_EQ(0, ARMCI_Get(at - 1, got.data(), 3 * sizeof(T), target));
        EXPECT_EQ(got, (std::vector<T>{-7, -9, -9}));
    }
}

TYPED_TEST(Rmw, swap_exchanges_and_ignores_the_value)
{
    using T = TypeParam;
    Region region(static_cast<long>(sizeof(T)) * size());
    for (int target = 0; target < size(); ++target) {
        T* const at = region.as<T>(target) + rank();
        T local = std::numeric_limits<T>::min();
        ASSERT_EQ(0, ARMCI_Put(&local, at, sizeof local, target));
        local = std::numeric_limits<T>::max();
        ASSERT_EQ(0, ARMCI_Rmw(Operation<T>::swap, &local, at, 12345, target));
        EXPECT_EQ(local, std::numeric_limits<T>::min());
        ASSERT_EQ(0, ARMCI_Get(at, &local, sizeof local, target));
        EXPECT_EQ(local, std::numeric_limits<T>::max());
    }
}

// A counter on every process, incremented by all, the owner too: each number is handed out once.
TYPED_TEST(Rmw, counters_hand_out_each_number_once)
{
    using T = TypeParam;
    constexpr int each = 400;
    Region region(sizeof(T));
    *region.as<T>(rank()) = 0;
    ARMCI_Barrier();
    std::vector<std::vector<T>> numbers(static_cast<std::size_t>(size()));
    for (int i = 0; i < each; ++i)
        for (int distance = 0; distance < size(); ++distance) {
            const int owner = neighbour(distance);
            T number = -1;
            ASSERT_EQ(0, ARMCI_Rmw(Operation<T>::add, &number, region.of(owner), 1, owner));
            auto& mine = numbers[static_cast<std::size_t>(owner)];
            if (!mine.empty()) {
                ASSERT_GT(number, mine.back());
            }
            mine.push_back(number);
        }
    ARMCI_Barrier();
    for (int owner = 0; owner < size(); ++owner) {
        std::vector<T> all = gathered(numbers[static_cast<std::size_t>(owner)]), wanted(all.size());
        std::sort(all.begin(), all.end());
        std::iota(wanted.begin(), wanted.end(), T{0});
        EXPECT_EQ(all, wanted) << "counter of process " << owner;
    }
    EXPECT_EQ(*region.as<T>(rank()), each * size()) << "by direct load";
}

// Tokens are passed through one place: none is lost, none is doubled.
TYPED_TEST(Rmw, swaps_neither_lose_nor_double_a_token)
{
    using T = TypeParam;
    constexpr int each = 1000;
    Region region(sizeof(T));
    *region.as<T>(rank()) = -1 - rank();
    ARMCI_Barrier();
    for (int owner = 0; owner < size(); ++owner) {
        std::vector<T> taken(each);
        for (int i = 0; i < each; ++i) {
            taken[static_cast<std::size_t>(i)] = each * rank() + i;
            ASSERT_EQ(0, ARMCI_Rmw(Operation<T>::swap, &taken[static_cast<std::size_t>(i)], region.of(owner),
                                   0, owner));
        }
        ARMCI_Barrier();
        std::vector<T> all = gathered(taken);
        T last{};
        ASSERT_EQ(0, ARMCI_Get(region.of(owner), &last, sizeof last, owner));
        all.push_back(last);
        std::sort(all.begin(), all.end());
        std::vector<T> wanted(all.size());
        std::iota(wanted.begin() + 1, wanted.end(), T{0});
        wanted[0] = -1 - owner;
        EXPECT_EQ(all, wanted) << "at process " << owner;
    }
}

// Neighbours in one cache line, and halves of one 8-byte word, belong to different ranks.
TYPED_TEST(Rmw, neighbouring_locations_are_independent)
{
    using T = TypeParam;
    constexpr int each = 3000;
    Region region(static_cast<long>(sizeof(T)) * size());
    std::fill_n(region.as<T>(rank()), size(), T{-1});
    ARMCI_Barrier();
    T old{};
    for (int i = 0; i < each; ++i) {
        ASSERT_EQ(0, ARMCI_Rmw(Operation<T>::add, &old, region.as<T>(0) + rank(), 1, 0));
        ASSERT_EQ(old, i - 1);
    }
}

TYPED_TEST(Rmw, sums_wrap_around)
{
    using T = TypeParam;
    Region region(sizeof(T));
    T value = std::numeric_limits<T>::max();
    ASSERT_EQ(0, ARMCI_Put(&value, region.of(neighbour()), sizeof value, neighbour()));
    ASSERT_EQ(0, ARMCI_Rmw(Operation<T>::add, &value, region.of(neighbour()), 1, neighbour()));
    ASSERT_EQ(0, ARMCI_Get(region.of(neighbour()), &value, sizeof value, neighbour()));
    EXPECT_EQ(value, std::numeric_limits<T>::min());
}

// `local` may be global memory.
TYPED_TEST(Rmw, result_may_go_to_global_memory)
{
    using T = TypeParam;
    Region region(2 * sizeof(T));
    T value = 17;
    ASSERT_EQ(0, ARMCI_Put(&value, region.of(neighbour()), sizeof value, neighbour()));
    ARMCI_Barrier();
    ASSERT_EQ(0,
              ARMCI_Rmw(Operation<T>::add, region.as<T>(rank()) + 1, region.of(neighbour()), 1, neighbour()));
    EXPECT_EQ(region.as<T>(rank())[1], 17);
    ARMCI_Barrier();
    EXPECT_EQ(region.as<T>(rank())[0], 18);
}

} // namespace
} // namespace armci_test
