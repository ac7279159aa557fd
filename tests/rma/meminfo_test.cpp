// Memory that one process makes and others of its node attach, and local memory.
#include "tests/rma/region.hpp"

#include <algorithm>
#include <cstring>
#include <mpi.h>

namespace armci_test {
namespace {

armci_meminfo_t broadcast(armci_meminfo_t info, int root)
{
    MPI_Bcast(&info, sizeof info, MPI_BYTE, root, MPI_COMM_WORLD);
    return info;
}

// Runs `act(info)` on the processes of the maker's node, then frees the memory.
template <class Act>
void with_memory_of(int maker, std::size_t bytes, Act act)
{
    armci_meminfo_t mine{};
    if (rank() == maker) {
        ASSERT_EQ(0, ARMCI_Memget(bytes, &mine, 0));
        EXPECT_EQ(mine.size, bytes);
        EXPECT_EQ(mine.cpid, maker);
        std::memset(mine.addr, 0, bytes);
    }
    armci_meminfo_t info = broadcast(mine, maker);
    std::vector<int> near;
    for (int p = 0; p < size(); ++p)
        if (armci_domain_id(ARMCI_DOMAIN_SMP, p) == armci_domain_id(ARMCI_DOMAIN_SMP, maker))
            near.push_back(p);
    ARMCI_Group group;
    ARMCI_Group_create(static_cast<int>(near.size()), near.data(), &group);
    if (group.rank >= 0)
        act(info, group, static_cast<int>(near.size()));
    ARMCI_Barrier();
    ARMCI_Group_free(&group);
    if (rank() == maker)
        ARMCI_Memctl(&mine);
}

TEST(Memget, memory_of_one_process_is_seen_by_its_node)
{
    constexpr std::size_t bytes = 100'000;
    for (int maker = 0; maker < size(); ++maker)
        with_memory_of(maker, bytes, [&](armci_meminfo_t& info, ARMCI_Group& group, int processes) {
            auto* const at = static_cast<std::byte*>(ARMCI_Memat(&info, 0));
            ASSERT_NE(at, nullptr);
            if (rank() == maker) {
                const auto data = pattern_bytes(5, bytes);
                std::copy(data.begin(), data.end(), at);
            }
            armci_msg_group_barrier(&group);
            EXPECT_TRUE(std::equal(at, at + bytes, pattern_bytes(5, bytes).begin())) << "by direct load";
            armci_msg_group_barrier(&group);
            // Everybody stores a byte of its own at an offset of its own.
            const long offset = 1000L * group.rank + 17;
            auto* const there = static_cast<std::byte*>(ARMCI_Memat(&info, offset));
            ASSERT_NE(there, nullptr);
            *there = static_cast<std::byte>(group.rank + 1);
            ARMCI_Memdt(&info, offset);
            armci_msg_group_barrier(&group);
            for (int i = 0; i < processes; ++i)
                EXPECT_EQ(at[1000 * i + 17], static_cast<std::byte>(i + 1));
            ARMCI_Memdt(&info, 0);
        });
}

// It is a target, too, of operations that name its maker.
TEST(Memget, memory_may_be_a_target)
{
    with_memory_of(0, 2 * sizeof(long), [](armci_meminfo_t& info, ARMCI_Group& group, int processes) {
        long value = 0;
        ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &value, info.armci_addr, 3, 0));
        armci_msg_group_barrier(&group);
        EXPECT_EQ(ARMCI_GetValueLong(info.armci_addr, 0), 3L * processes);
    });
}

TEST(Memget, many_pieces_at_once_do_not_overlap)
{
    std::vector<armci_meminfo_t> all(200);
    for (std::size_t i = 0; i < all.size(); ++i) {
        ASSERT_EQ(0, ARMCI_Memget(1 + i * 37, &all[i], 0));
        std::memset(ARMCI_Memat(&all[i], 0), static_cast<int>(i), all[i].size);
    }
    for (std::size_t i = 0; i < all.size(); ++i) {
        const auto* const bytes = static_cast<unsigned char*>(ARMCI_Memat(&all[i], 0));
        EXPECT_TRUE(std::all_of(bytes, bytes + all[i].size, [&](unsigned char c) { return c == i % 256; }))
            << i;
        ARMCI_Memctl(&all[i]);
    }
}

TEST(LocalMemory, is_page_aligned_and_separate)
{
    std::vector<std::pair<std::byte*, long>> blocks;
    for (const long bytes : {1L, 100L, 4096L, 5000L, 1L << 20, 9L << 20}) {
        auto* const block = static_cast<std::byte*>(ARMCI_Malloc_local(bytes));
        ASSERT_NE(block, nullptr);
        EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block) % 4096, 0u);
        std::memset(block, static_cast<int>(blocks.size()), static_cast<std::size_t>(bytes));
        blocks.emplace_back(block, bytes);
    }
    for (std::size_t i = 0; i < blocks.size(); ++i) {
        const auto [block, bytes] = blocks[i];
        EXPECT_TRUE(
            std::all_of(block, block + bytes, [&](std::byte b) { return b == static_cast<std::byte>(i); }));
        EXPECT_EQ(0, ARMCI_Free_local(block));
    }
}

TEST(LocalMemory, of_zero_bytes_is_null)
{
    EXPECT_EQ(ARMCI_Malloc_local(0), nullptr);
    EXPECT_EQ(0, ARMCI_Free_local(nullptr));
}

} // namespace
} // namespace armci_test
