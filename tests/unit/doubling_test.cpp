// Collectives by plain messages, against what they mean, at any number of processes.
#include "armci/base/doubling.hpp"

#include "armci/base/mpi.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <string>
#include <vector>

namespace armci_test {
namespace {

namespace mpi = armci::mpi;

class Doubling : public testing::Test {
protected:
    mpi::Comm owned = mpi::Comm::duplicate(MPI_COMM_WORLD);
    const MPI_Comm comm = owned.get();
};

// Strings of bytes, joined: an operation whose order shows.
class Joined {
public:
    static constexpr std::size_t bytes = 64;
    explicit Joined(const std::string& text) { std::memcpy(text_.data(), text.data(), text.size()); }
    std::byte* data() { return reinterpret_cast<std::byte*>(text_.data()); }
    std::string text() const { return text_.data(); }
    static void fold(std::byte* into, const std::byte* from, std::size_t length)
    {
        ASSERT_EQ(length, bytes);
        auto* const text = reinterpret_cast<char*>(into);
        std::strcat(text, reinterpret_cast<const char*>(from));
    }

private:
    std::array<char, bytes> text_{};
};

std::string sorted(std::string text)
{
    std::sort(text.begin(), text.end());
    return text;
}

std::string all_letters()
{
    std::string letters;
    for (int i = 0; i < size(); ++i)
        letters += static_cast<char>('a' + i);
    return letters;
}

TEST_F(Doubling, combination_folds_each_once_in_one_order_for_all)
{
    Joined mine(std::string(1, static_cast<char>('a' + rank())));
    mpi::combine(mine.data(), Joined::bytes, Joined::bytes, Joined::fold, comm);
    EXPECT_EQ(sorted(mine.text()), all_letters());
    Joined first = mine;
    MPI_Bcast(first.data(), Joined::bytes, MPI_BYTE, 0, comm);
    EXPECT_EQ(mine.text(), first.text());
}

TEST_F(Doubling, reduction_folds_each_once)
{
    Joined mine(std::string(1, static_cast<char>('a' + rank())));
    mpi::reduce(mine.data(), Joined::bytes, Joined::bytes, Joined::fold, comm);
    if (rank() == 0) {
        EXPECT_EQ(sorted(mine.text()), all_letters());
    }
}

TEST_F(Doubling, long_data_go_in_whole_units)
{
    constexpr std::size_t unit = 3 * sizeof(int);
    std::vector<int> mine(3 * 200'000, 1); // more than a message has
    const auto add = [](std::byte* into, const std::byte* from, std::size_t length) {
        ASSERT_EQ(length % unit, 0U);
        for (std::size_t i = 0; i < length / sizeof(int); ++i)
            reinterpret_cast<int*>(into)[i] += reinterpret_cast<const int*>(from)[i];
    };
    const std::size_t bytes = mine.size() * sizeof(int);
    mpi::combine(reinterpret_cast<std::byte*>(mine.data()), bytes, unit, add, comm);
    EXPECT_EQ(mine, std::vector<int>(mine.size(), size()));
    std::fill(mine.begin(), mine.end(), rank());
    for (int root = 0; root < size(); ++root) {
        if (rank() == root)
            std::fill(mine.begin(), mine.end(), root + 100);
        mpi::broadcast_in_steps(reinterpret_cast<std::byte*>(mine.data()), bytes, root, comm);
        ASSERT_EQ(mine, std::vector<int>(mine.size(), root + 100));
    }
}

TEST_F(Doubling, barrier_tells_whether_all_agree)
{
    for (int against = -1; against < size(); ++against)
        EXPECT_EQ(mpi::barrier(comm, rank() != against), against < 0) << against;
}

TEST_F(Doubling, gathering_one_of_each)
{
    std::vector<int> all(static_cast<std::size_t>(size()), -1);
    const int mine = rank() / 2; // pairs are alike
    mpi::allgather(&mine, all.data(), sizeof mine, comm);
    for (int i = 0; i < size(); ++i)
        EXPECT_EQ(all[static_cast<std::size_t>(i)], i / 2);
}

TEST_F(Doubling, gathering_as_many_as_each_has)
{
    auto random = common_generator();
    for (int round = 0; round < 50; ++round) {
        std::vector<int> counts(static_cast<std::size_t>(size()));
        for (int& count : counts)
            count = static_cast<int>(random() % 4);
        std::vector<int> wanted;
        std::vector<int> mine;
        for (int process = 0; process < size(); ++process)
            for (int i = 0; i < counts[static_cast<std::size_t>(process)]; ++i) {
                wanted.push_back(static_cast<int>(random() % 3));
                if (process == rank())
                    mine.push_back(wanted.back());
            }
        const auto runs =
            mpi::gather_runs(reinterpret_cast<const std::byte*>(mine.data()), sizeof(int), counts, comm);
        std::vector<int> all(wanted.size());
        armci::record_runs::expand(runs, sizeof(int), reinterpret_cast<std::byte*>(all.data()));
        ASSERT_EQ(all, wanted);
    }
}

} // namespace
} // namespace armci_test
