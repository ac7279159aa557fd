// MPI on a network that takes the pages of a window when it is made, as InfiniBand adapters do: pages that
// were put in their place later would be seen by this node's processes only, so none may be.
#include "tests/rma/region.hpp"

#include <mpi.h>
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace {

std::vector<std::pair<std::byte*, std::size_t>> windows;

} // namespace

// In front of MPI's.
extern "C" int MPI_Win_create(void* base, MPI_Aint size, int unit, MPI_Info info, MPI_Comm comm,
                              MPI_Win* window)
{
    auto* const memory = static_cast<volatile std::byte*>(base);
    for (MPI_Aint i = 0; i < size; i += 4096)
        memory[i] = memory[i];
    windows.emplace_back(static_cast<std::byte*>(base), static_cast<std::size_t>(size));
    return PMPI_Win_create(base, size, unit, info, comm, window);
}

extern "C" int MPI_Win_free(MPI_Win* window)
{
    void* base = nullptr;
    int is_there = 0;
    MPI_Win_get_attr(*window, MPI_WIN_BASE, static_cast<void*>(&base), &is_there);
    std::erase_if(windows, [=](const auto& one) { return one.first == base; });
    return PMPI_Win_free(window);
}

namespace armci_test {
namespace {

long missing_pages()
{
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    long missing = 0;
    for (const auto& [base, bytes] : windows) {
        std::vector<unsigned char> pages((bytes + page - 1) / page);
        if (bytes > 0 && mincore(base, bytes, pages.data()) == 0)
            missing +=
                std::count_if(pages.begin(), pages.end(), [](unsigned char one) { return (one & 1) == 0; });
    }
    return missing;
}

TEST(Pinned, windows_keep_their_pages)
{
    ASSERT_FALSE(windows.empty());
    EXPECT_EQ(0, missing_pages());
    constexpr long large = 40L << 20; // pages of so many freed bytes go at once, else
    const int next = (rank() + 1) % size();
    for (int round = 1; round <= 3; ++round) {
        const Region region(large);
        std::vector<std::byte> mine(large, static_cast<std::byte>(round));
        ASSERT_EQ(0, ARMCI_Put(mine.data(), region.of(next), large, next));
        ARMCI_Barrier();
        EXPECT_EQ(large, std::count(region.mine(), region.mine(large), static_cast<std::byte>(round)));
        ARMCI_Barrier();
    }
    EXPECT_EQ(0, missing_pages());
}

// By the first size again: where windows take no memory, the third is twice as large.
TEST(Pinned, windows_grow_by_what_is_asked_for)
{
    const auto bytes_of_windows = [] {
        std::size_t bytes = 0;
        for (const auto& window : windows)
            bytes += window.second;
        return bytes;
    };
    const std::size_t before = bytes_of_windows();
    const Region first(40L << 20);
    const Region second(40L << 20); // not beside the first in 64 MiB
    const Region third(40L << 20);
    EXPECT_EQ(std::size_t{128} << 20, bytes_of_windows() - before);
    EXPECT_EQ(0, missing_pages());
}

} // namespace
} // namespace armci_test
