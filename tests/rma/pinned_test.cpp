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

// Half of what there is already: not twice as much, as where windows take no memory.
TEST(Pinned, windows_grow_by_what_is_asked_for)
{
    std::size_t before = 0;
    for (const auto& window : windows)
        before += window.second;
    const Region first(40L << 20);
    const Region second(40L << 20); // not beside the first in 64 MiB
    std::size_t after = 0;
    for (const auto& window : windows)
        after += window.second;
    EXPECT_GT(after, before);
    EXPECT_LE(after - before, std::size_t{65} << 20);
    EXPECT_EQ(0, missing_pages());
}

} // namespace
} // namespace armci_test
