// What a process keeps about others, in bytes, for made-up jobs of 2 to 1,048,576 processes.
#include "armci/base/runs.hpp"
#include "gmr/network/pending_table.hpp"
#include "tests/support/counted_bytes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

namespace armci_test {
namespace {

using armci::Runs;
using armci::gmr::Access;
using armci::gmr::Pending;
using armci::gmr::PendingTable;

constexpr int jobs[] = {2, 3, 4, 8, 16, 64, 256, 4096, 1'048'576};

// Bytes on the heap of a Runs over these numbers.
long bytes_of(const std::vector<std::uint64_t>& each)
{
    const long before = counted_bytes();
    const Runs runs(each);
    const long bytes = counted_bytes() - before;
    for (std::size_t i = 0; i < each.size(); i += 1 + each.size() / 1000)
        EXPECT_EQ(runs.of(static_cast<int>(i)), each[i]) << i << " of " << each.size();
    EXPECT_EQ(runs.of(static_cast<int>(each.size()) - 1), each.back());
    return bytes;
}

std::vector<std::uint64_t> numbers(int processes, std::uint64_t value)
{
    return std::vector<std::uint64_t>(static_cast<std::size_t>(processes), value);
}

TEST(Runs, of_equal_numbers_take_no_memory)
{
    for (const int processes : jobs)
        EXPECT_EQ(bytes_of(numbers(processes, 4096)), 0) << processes << " processes";
}

// As Global Arrays lays out an array: full blocks, one that is smaller, none.
TEST(Runs, of_a_distributed_array_take_a_few_bytes)
{
    for (const int processes : jobs) {
        std::vector<std::uint64_t> sizes = numbers(processes, 0);
        const std::size_t full = sizes.size() * 2 / 3;
        std::fill_n(sizes.begin(), full, std::uint64_t{1} << 40);
        if (full < sizes.size())
            sizes[full] = 17;
        EXPECT_LE(bytes_of(sizes), 64) << processes << " processes";
    }
}

TEST(Runs, where_all_differ_take_little_more_than_the_numbers)
{
    for (const int processes : jobs) {
        std::vector<std::uint64_t> sizes = numbers(processes, 0);
        std::iota(sizes.begin(), sizes.end(), (std::uint64_t{1} << 40) - 5);
        EXPECT_LE(bytes_of(sizes), 12L * processes + processes / 16 + 64) << processes << " processes";
    }
}

TEST(Runs, made_of_runs_are_those_made_of_numbers)
{
    const Runs by_runs({{0, 5}, {3, 7}, {2, 7}, {0, 1}, {1, 0}, {4, 7}});
    const Runs by_numbers(std::vector<std::uint64_t>{7, 7, 7, 7, 7, 0, 7, 7, 7, 7});
    EXPECT_TRUE(by_runs == by_numbers);
    EXPECT_EQ(by_runs.later_runs(), 2u);
    EXPECT_FALSE(by_runs == Runs(std::vector<std::uint64_t>{7, 7, 7, 7, 0, 0, 7, 7, 7, 7}));
    const std::vector<std::pair<std::size_t, std::uint64_t>> none;
    EXPECT_TRUE(Runs(none) == Runs());
    const long before = counted_bytes();
    const Runs one(std::vector<std::pair<std::size_t, std::uint64_t>>{{1'048'576, 4096}});
    EXPECT_EQ(one.of(1'048'575), 4096u);
    EXPECT_EQ(counted_bytes(), before);
}

TEST(Runs, find_every_boundary)
{
    for (int processes = 1; processes <= 9; ++processes)
        for (unsigned pattern = 0; pattern < 1U << processes; ++pattern) {
            std::vector<std::uint64_t> each;
            for (int i = 0; i < processes; ++i)
                each.push_back((pattern >> i & 1U) != 0 ? ~std::uint64_t{0} : 7);
            const Runs runs(each);
            for (int i = 0; i < processes; ++i)
                ASSERT_EQ(runs.of(i), each[static_cast<std::size_t>(i)]) << pattern << ' ' << i;
        }
}

// Writes to one target after the other, each settled before the next.
TEST(PendingTable, of_settled_targets_stays_small)
{
    const auto after = [](int targets) {
        const long before = counted_bytes();
        PendingTable table;
        for (int rank = 0; rank < targets; ++rank) {
            table.of(rank).writes.add({0, 8, Access::put});
            table.of(rank).writes.clear();
        }
        EXPECT_LE(table.size(), PendingTable::most);
        return counted_bytes() - before;
    };
    EXPECT_EQ(PendingTable().size(), 0u);
    const long most = after(static_cast<int>(PendingTable::most));
    for (const int processes : jobs)
        EXPECT_LE(after(processes), 5 * most / 4) << processes << " processes";
}

// What is pending stays, however many targets there are; what is not goes when there are many more.
TEST(PendingTable, keeps_what_is_pending)
{
    for (const int processes : {2, 256, 4096}) {
        PendingTable table;
        for (int rank = 0; rank < processes; ++rank) {
            Pending& pending = table.of(rank);
            switch (rank % 6) {
            case 0:
                pending.writes.add({0, 8, Access::put});
                break;
            case 1:
                pending.reads.add({0, 8, Access::get});
                break;
            case 2:
                pending.listed = true;
                break;
            case 3:
                pending.gets = 1;
                break;
            case 4:
                pending.left = 1;
                break;
            default:
                pending.unfinished = true;
            }
        }
        EXPECT_EQ(table.size(), static_cast<std::size_t>(processes));
        for (int rank = 0; rank < processes; ++rank) {
            ASSERT_NE(table.find(rank), nullptr);
            EXPECT_FALSE(table.find(rank)->is_settled()) << rank;
            table.of(rank) = Pending();
        }
        for (int rank = 0; rank < 3 * processes; ++rank)
            table.of(rank + processes);
        EXPECT_LE(table.size(),
                  std::max<std::size_t>(PendingTable::most, 2 * static_cast<std::size_t>(processes)));
    }
}

TEST(PendingTable, remembers_the_record_of_a_rank)
{
    PendingTable table;
    table.of(3).left = 33;
    table.of(4).left = 44;
    EXPECT_EQ(table.of(3).left, 33);
    EXPECT_EQ(table.of(4).left, 44);
    EXPECT_EQ(table.find(5), nullptr);
    EXPECT_EQ(table.size(), 2u);
}

} // namespace
} // namespace armci_test
