// NGA_Read_inc from all ranks: no value is handed out twice, none is left out.
#include "tests/ga/array.hpp"

#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>

namespace {

// All values any rank saw, sorted.
std::vector<long> gather_sorted(const std::vector<long>& seen)
{
    const int mine = static_cast<int>(seen.size());
    std::vector<int> counts(GA_Nnodes()), offsets(GA_Nnodes() + 1, 0);
    MPI_Allgather(&mine, 1, MPI_INT, counts.data(), 1, MPI_INT, MPI_COMM_WORLD);
    for (int r = 0; r < GA_Nnodes(); ++r)
        offsets[r + 1] = offsets[r] + counts[r];
    std::vector<long> all(offsets.back());
    MPI_Allgatherv(seen.data(), mine, MPI_LONG, all.data(), counts.data(), offsets.data(), MPI_LONG,
                   MPI_COMM_WORLD);
    std::sort(all.begin(), all.end());
    return all;
}

template <class T>
void values_are_a_permutation(ga::Index element, long step)
{
    constexpr int calls = 2000;
    ga::Array counters(ga::type_code<T>, {8, 8});
    GA_Zero(counters.handle());
    std::vector<long> seen(calls);
    for (long& value : seen)
        value = NGA_Read_inc(counters.handle(), element.data(), step);
    EXPECT_TRUE(std::is_sorted(seen.begin(), seen.end())) << "one rank sees the counter grow";
    GA_Sync();
    const std::vector<long> all = gather_sorted(seen);
    ASSERT_EQ(all.size(), static_cast<std::size_t>(calls) * GA_Nnodes());
    for (std::size_t n = 0; n < all.size(); ++n)
        ASSERT_EQ(all[n], static_cast<long>(n) * step);
    EXPECT_EQ(ga::get_one<T>(counters, element), static_cast<T>(all.size() * step));
    GA_Sync();
    const std::vector<T> array = ga::get_all<T>(counters);
    EXPECT_EQ(std::count(array.begin(), array.end(), T(0)), 63) << "the other elements are left alone";
    GA_Sync();
}

} // namespace

TEST(Counter, first_rank_hosts_an_int)
{
    values_are_a_permutation<int>({0, 0}, 1);
}

TEST(Counter, last_rank_hosts_a_long)
{
    values_are_a_permutation<long>({7, 7}, 1);
}

TEST(Counter, steps_other_than_one)
{
    values_are_a_permutation<long>({3, 4}, 13);
}

// Work shared out by a counter, as quantum chemistry codes do: every task is done once.
TEST(Counter, shares_out_work)
{
    constexpr long tasks = 3000;
    ga::Array counter(C_LONG, {1}), done(C_INT, {static_cast<int>(tasks)});
    GA_Zero(counter.handle());
    GA_Zero(done.handle());
    ga::Index zero{0};
    int one = 1;
    for (long task; (task = NGA_Read_inc(counter.handle(), zero.data(), 1)) < tasks;) {
        ga::Index at{static_cast<int>(task)};
        NGA_Acc(done.handle(), at.data(), at.data(), &one, nullptr, &one);
    }
    GA_Sync();
    EXPECT_TRUE(ga::get_all<int>(done) == std::vector<int>(tasks, 1));
    GA_Sync();
}
