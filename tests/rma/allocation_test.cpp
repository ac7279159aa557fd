#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <mpi.h>

namespace armci_test {
namespace {

TEST(Allocation, sizes_may_differ_by_process)
{
    const auto bytes_of = [](int process) { return 1000L * (process + 1) + 3 * process; };
    Region region(bytes_of(rank()));
    for (int p = 0; p < size(); ++p)
        ASSERT_NE(region.of(p), nullptr);
    for (int p = 0; p < size(); ++p)
        if (p != rank() % size()) {
            ASSERT_EQ(0, ARMCI_PutValueInt(rank(), region.of(p, 4L * rank()), p));
        }
    ARMCI_Barrier();
    std::byte last{};
    for (int p = 0; p < size(); ++p)
        EXPECT_EQ(0, ARMCI_Get(region.of(p, bytes_of(p) - 1), &last, 1, p));
    for (int p = 0; p < size(); ++p)
        if (p != rank()) {
            EXPECT_EQ(region.as<int>(rank())[p], p);
        }
}

TEST(Allocation, empty_slices_have_null_addresses)
{
    for (int holder = 0; holder < size(); ++holder) { // one holds something
        Region region(rank() == holder ? 77 : 0);
        for (int p = 0; p < size(); ++p)
            EXPECT_EQ(region.of(p) != nullptr, p == holder);
        ASSERT_EQ(0, ARMCI_PutValueInt(5, region.of(holder), holder));
    }
    for (int absent = 0; absent < size(); ++absent) { // one holds nothing
        Region region(rank() == absent ? 0 : 77);
        for (int p = 0; p < size(); ++p)
            EXPECT_EQ(region.of(p) != nullptr, p != absent);
    }
}

TEST(Allocation, all_slices_may_be_empty)
{
    std::vector<void*> bases(static_cast<std::size_t>(size()), &bases);
    for (int round = 0; round < 3; ++round) {
        ASSERT_EQ(0, ARMCI_Malloc(bases.data(), 0));
        for (void* const base : bases)
            EXPECT_EQ(base, nullptr);
        EXPECT_EQ(0, ARMCI_Free(nullptr));
    }
}

TEST(Allocation, every_process_gets_the_same_addresses)
{
    Region region(100 + rank());
    auto all = region.bases();
    MPI_Bcast(all.data(), static_cast<int>(all.size() * sizeof(void*)), MPI_BYTE, 0, MPI_COMM_WORLD);
    for (int p = 0; p < size(); ++p)
        if (ARMCI_Same_node(p) && ARMCI_Same_node(0)) {
            EXPECT_EQ(all[static_cast<std::size_t>(p)], region.of(p)) << "slice of process " << p;
        }
}

TEST(Allocation, slices_are_aligned_for_every_type)
{
    // Accumulates need a double's; the arena gives more than MPI does.
    const std::uintptr_t unit = shares_addresses() ? 2 * sizeof(double) : alignof(double);
    for (long bytes = 1; bytes < 200; bytes += 13) {
        Region a(bytes), b(bytes + rank());
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(a.mine()) % unit, 0u);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(b.mine()) % unit, 0u);
    }
}

TEST(Allocation, slices_of_the_node_may_be_dereferenced)
{
    const bool shared = shares_addresses();
    ASSERT_EQ(ARMCI_Uses_shm() != 0, shared);
    ASSERT_EQ(ARMCI_Uses_shm_grp(nullptr) != 0, shared);
    Region region(1000L * size());
    for (int p = 0; p < size(); ++p)
        if (loads_reach(p)) {
            const auto data = pattern_bytes(static_cast<std::uint64_t>(rank()), 1000);
            std::copy(data.begin(), data.end(), region.of(p, 1000L * rank()));
        }
    ARMCI_Barrier();
    for (int p = 0; p < size(); ++p)
        if (loads_reach(p)) {
            const auto data = pattern_bytes(static_cast<std::uint64_t>(p), 1000);
            EXPECT_TRUE(std::equal(data.begin(), data.end(), region.mine(1000L * p))) << "from process " << p;
        }
}

TEST(Allocation, on_a_device_is_ordinary_memory)
{
    std::vector<void*> bases(static_cast<std::size_t>(size()));
    for (const char* device : {"", "sicm", "hbm"}) {
        ASSERT_EQ(0, ARMCI_Malloc_memdev(bases.data(), 1000, device));
        ASSERT_EQ(0, ARMCI_PutValueInt(rank(), bases[static_cast<std::size_t>(neighbour())], neighbour()));
        ARMCI_Barrier();
        EXPECT_EQ(*static_cast<int*>(bases[static_cast<std::size_t>(rank())]), neighbour(size() - 1));
        ASSERT_EQ(0, ARMCI_Free_memdev(bases[static_cast<std::size_t>(rank())]));
    }
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    ASSERT_EQ(0, ARMCI_Malloc_group_memdev(bases.data(), 1000, &world, "hbm"));
    ASSERT_EQ(0, ARMCI_Free_memdev(bases[static_cast<std::size_t>(rank())]));
}

// Blocks of all sizes come and go; each keeps its bytes as long as it lives.
TEST(Allocation, random_life_times_keep_every_byte)
{
    struct Live {
        std::unique_ptr<Region> region;
        long bytes;
        std::uint64_t salt;
    };
    std::vector<Live> live;
    auto random = common_generator(40); // the same on all: allocation is collective
    for (std::uint64_t step = 0; step < 300; ++step) {
        if (live.size() < 5 || (live.size() < 40 && random() % 2 == 0)) {
            const long most = std::vector<long>{64, 1000, 40'000, 300'000}[random() % 4];
            const long smallest = static_cast<long>(random() % static_cast<std::uint64_t>(most));
            const long bytes = smallest + (smallest % 3 == 0 ? rank() : 0);
            live.push_back(
                {std::make_unique<Region>(bytes), bytes, step * 100 + static_cast<std::uint64_t>(rank())});
            const auto data = pattern_bytes(live.back().salt, static_cast<std::size_t>(bytes));
            std::copy(data.begin(), data.end(), live.back().region->mine());
        } else {
            std::swap(live[random() % live.size()], live.back());
            const Live& leaving = live.back();
            const auto data = pattern_bytes(leaving.salt, static_cast<std::size_t>(leaving.bytes));
            EXPECT_TRUE(std::equal(data.begin(), data.end(), leaving.region->mine()))
                << leaving.bytes << " bytes";
            live.pop_back();
        }
    }
}

} // namespace
} // namespace armci_test
