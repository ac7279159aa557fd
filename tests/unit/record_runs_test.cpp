// Runs of equal records: short where records are alike, and what was put in comes out.
#include "armci/base/record_runs.hpp"
#include "armci/base/record_table.hpp"

#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <random>

namespace armci_test {
namespace {

namespace runs = armci::record_runs;
using Record = std::uint32_t;
constexpr std::size_t each = sizeof(Record);

runs::Bytes runs_of(const std::vector<Record>& records)
{
    runs::Bytes bytes;
    runs::append(bytes, reinterpret_cast<const std::byte*>(records.data()), records.size(), each);
    return bytes;
}

std::vector<Record> expanded(const runs::Bytes& bytes, std::size_t count)
{
    std::vector<Record> records(count);
    runs::expand(bytes, each, reinterpret_cast<std::byte*>(records.data()));
    return records;
}

TEST(RecordRuns, one_run_where_all_are_alike)
{
    const std::vector<Record> alike(1'000'000, 7);
    EXPECT_EQ(runs_of(alike).size(), runs::most_bytes(1, each));
    EXPECT_EQ(expanded(runs_of(alike), alike.size()), alike);
    EXPECT_TRUE(runs_of({}).empty());
}

TEST(RecordTable, has_the_records_of_its_runs)
{
    auto random = common_generator();
    for (int round = 0; round < 500; ++round) {
        std::vector<Record> records(1 + random() % 40);
        for (std::size_t i = 0; i < records.size(); ++i)
            records[i] = i > 0 && random() % 3 != 0 ? records[i - 1] : static_cast<Record>(random() % 4);
        const armci::RecordTable<Record> table{std::span<const std::byte>(runs_of(records))};
        ASSERT_EQ(table.size(), records.size());
        std::size_t next = 0;
        for (const auto& run : table.runs()) {
            ASSERT_EQ(run.first, next);
            next += run.count;
        }
        ASSERT_EQ(next, records.size());
        for (std::size_t i = 0; i < records.size(); ++i)
            ASSERT_EQ(table[i], records[i]);
        const Record wanted = records[random() % records.size()];
        const auto first = std::find(records.begin(), records.end(), wanted) - records.begin();
        const auto* const run = table.find([wanted](Record one) { return one == wanted; });
        ASSERT_NE(run, nullptr);
        ASSERT_EQ(run->first, static_cast<std::size_t>(first));
        ASSERT_FALSE(table.any([](Record one) { return one > 3; }));
    }
}

TEST(RecordRuns, any_records_come_back_whole_parted_and_joined)
{
    auto random = common_generator();
    for (int round = 0; round < 2000; ++round) {
        std::vector<Record> records(random() % 40);
        for (std::size_t i = 0; i < records.size(); ++i)
            records[i] = i > 0 && random() % 3 != 0 ? records[i - 1] : static_cast<Record>(random() % 4);
        const runs::Bytes whole = runs_of(records);
        ASSERT_LE(whole.size(), runs::most_bytes(records.size(), each));
        ASSERT_EQ(expanded(whole, records.size()), records);

        const std::size_t count = random() % (records.size() + 1);
        auto [first, rest] = runs::split(whole, count, each);
        const auto cut = records.begin() + static_cast<std::ptrdiff_t>(count);
        ASSERT_EQ(expanded(first, count), std::vector<Record>(records.begin(), cut));
        ASSERT_EQ(expanded(rest, records.size() - count), std::vector<Record>(cut, records.end()));
        runs::append(first, rest, each);
        ASSERT_EQ(first, whole);
    }
}

} // namespace
} // namespace armci_test
