// What allocations cost the process and the node: descriptors, mappings, memory.
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"

#include <dirent.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <climits>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>

namespace armci_test {
namespace {

std::vector<std::string> open_descriptors()
{
    std::vector<std::string> numbers;
    DIR* const folder = opendir("/proc/self/fd");
    if (folder == nullptr)
        return numbers;
    while (const dirent* const entry = readdir(folder))
        if (entry->d_name[0] != '.' && std::stoi(entry->d_name) != dirfd(folder))
            numbers.push_back(entry->d_name);
    closedir(folder);
    return numbers;
}

long mappings()
{
    std::ifstream file("/proc/self/maps");
    return std::count(std::istreambuf_iterator<char>(file), {}, '\n');
}

// Bytes that the shared object under global memory really occupies, for all processes of the node.
long occupied()
{
    for (const std::string& number : open_descriptors()) {
        const std::string path = "/proc/self/fd/" + number;
        std::array<char, PATH_MAX> name{};
        if (readlink(path.c_str(), name.data(), name.size() - 1) <= 0)
            continue;
        if (std::strstr(name.data(), "memfd:armci-arena") == nullptr &&
            std::strncmp(name.data(), "/dev/shm/armci", 14) != 0)
            continue;
        struct stat status {};
        if (fstat(std::stoi(number), &status) == 0)
            return static_cast<long>(status.st_blocks) * 512;
    }
    ADD_FAILURE() << "no descriptor of the arena among those of this process";
    return 0;
}

constexpr long mebibyte = 1 << 20;

class Footprint : public testing::Test {
protected:
    void SetUp() override
    {
        if (!shares_addresses())
            GTEST_SKIP() << "with ARMCI_WINDOW=" << setting("ARMCI_WINDOW") << " MPI makes the memory";
    }
};

TEST_F(Footprint, ten_thousand_live_allocations_cost_no_descriptor_and_no_mapping)
{
    constexpr int many = 10'000;
    { // what the first use of anything loads is not counted
        Region warm(64);
        ASSERT_EQ(0, ARMCI_PutValueInt(1, warm.of(neighbour()), neighbour()));
    }
    const std::size_t descriptors_before = open_descriptors().size();
    const long mappings_before = mappings();
    std::vector<std::vector<void*>> all(many, std::vector<void*>(static_cast<std::size_t>(size())));
    const auto bytes_of = [](int i) { return i % 100 == 0 ? 70'000L : 4L + i % 300; };
    for (int i = 0; i < many; ++i) {
        ASSERT_EQ(0, ARMCI_Malloc(all[static_cast<std::size_t>(i)].data(), bytes_of(i))) << i;
        const int target = neighbour(i);
        ASSERT_EQ(0, ARMCI_PutValueInt(i ^ rank(),
                                       all[static_cast<std::size_t>(i)][static_cast<std::size_t>(target)],
                                       target));
    }
    EXPECT_EQ(open_descriptors().size(), descriptors_before);
    EXPECT_LE(mappings(), mappings_before + 16) << "the heap may grow; allocations may not map";
    ARMCI_Barrier();
    for (int i = 0; i < many; ++i) {
        const int from = ((rank() - i) % size() + size()) % size();
        ASSERT_EQ(*static_cast<int*>(all[static_cast<std::size_t>(i)][static_cast<std::size_t>(rank())]),
                  i ^ from)
            << i;
    }
    ARMCI_Barrier();
    // Half of them out of order, so that others live on among them.
    for (int i = 0; i < many; i += 2)
        ASSERT_EQ(0, ARMCI_Free(all[static_cast<std::size_t>(i)][static_cast<std::size_t>(rank())]));
    for (int i = 1; i < many; i += 2) {
        const int from = ((rank() - i) % size() + size()) % size();
        ASSERT_EQ(*static_cast<int*>(all[static_cast<std::size_t>(i)][static_cast<std::size_t>(rank())]),
                  i ^ from)
            << i;
    }
    for (int i = 1; i < many; i += 2)
        ASSERT_EQ(0, ARMCI_Free(all[static_cast<std::size_t>(i)][static_cast<std::size_t>(rank())]));
    EXPECT_EQ(open_descriptors().size(), descriptors_before);
}

TEST_F(Footprint, untouched_memory_costs_nothing)
{
    const long before = occupied();
    ARMCI_Barrier();
    Region region(256 * mebibyte);
    ARMCI_Barrier();
    EXPECT_LT(occupied() - before, 8 * mebibyte);
    ARMCI_Barrier();
}

// What was freed last may keep its pages: 32 MiB of each process.
TEST_F(Footprint, memory_of_a_freed_region_goes_back_to_the_system)
{
    const long each = 48 * mebibyte, all = each * armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1);
    { // what the library itself touches when it hands out memory stays
        Region warm(each);
    }
    ARMCI_Barrier();
    const long before = occupied();
    ARMCI_Barrier();
    for (int round = 0; round < 3; ++round) {
        {
            Region region(each);
            std::memset(region.mine(), round + 1, static_cast<std::size_t>(each));
            ARMCI_Barrier();
            EXPECT_GE(occupied() - before, all) << "round " << round;
            ARMCI_Barrier();
        }
        ARMCI_Barrier();
        EXPECT_LT(occupied() - before, 4 * mebibyte) << "round " << round;
        ARMCI_Barrier();
    }
}

TEST_F(Footprint, of_many_freed_regions_only_the_last_keep_their_pages)
{
    const long before = occupied();
    ARMCI_Barrier();
    {
        std::vector<std::unique_ptr<Region>> regions;
        for (int i = 0; i < 40; ++i) {
            regions.push_back(std::make_unique<Region>(4 * mebibyte));
            std::memset(regions.back()->mine(), i, 4 * mebibyte);
        }
        ARMCI_Barrier();
    }
    ARMCI_Barrier();
    EXPECT_LE(occupied() - before, (32 + 4) * mebibyte * armci_domain_nprocs(ARMCI_DOMAIN_SMP, -1));
    ARMCI_Barrier();
}

// The pages of neighbours that live on are not given back with a freed region.
TEST(Neighbours, of_a_freed_region_keep_their_bytes)
{
    constexpr long bytes = mebibyte + 100;
    Region before(bytes);
    auto middle = std::make_unique<Region>(bytes);
    Region after(bytes);
    std::memset(before.mine(), 1, bytes);
    std::memset(middle->mine(), 2, bytes);
    std::memset(after.mine(), 3, bytes);
    middle.reset();
    EXPECT_TRUE(
        std::all_of(before.mine(), before.mine(bytes), [](std::byte b) { return b == std::byte{1}; }));
    EXPECT_TRUE(std::all_of(after.mine(), after.mine(bytes), [](std::byte b) { return b == std::byte{3}; }));
}

} // namespace
} // namespace armci_test
