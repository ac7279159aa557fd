#include "gmr/memory/directory.hpp"

#include "tests/unit/sparse_directory.hpp"

#include <gtest/gtest.h>

#include <set>
#include <vector>

namespace armci_test {
namespace {

using armci::gmr::chunk_bytes;
using armci::gmr::chunk_shift;
using armci::gmr::ChunkEntry;
using armci::gmr::Directory;
using armci::gmr::Peer;
using Wide = unsigned __int128;

struct Region {
    std::uint64_t start, size;
};

// A slice of 16 chunks at an address where no memory is: holds() must not look at it.
class Holds : public testing::Test {
protected:
    static constexpr std::uintptr_t base = 0x1234'0000'0000;
    SparseDirectory memory{16};
    Directory directory = memory.view();
    Peer peer{reinterpret_cast<std::byte*>(base), directory};
    std::vector<Region> regions;

    void large(std::uint64_t chunk, std::uint64_t count, std::uint64_t size, std::uint32_t descriptor,
               std::uint64_t lead = 0)
    {
        directory.set_chunks(chunk, count, ChunkEntry(descriptor, chunk_shift));
        directory.publish(descriptor, chunk * chunk_bytes + lead, size);
        regions.push_back({chunk * chunk_bytes + lead, size});
    }

    bool expected(std::uintptr_t address, std::uint64_t extent) const
    {
        for (const Region& region : regions) {
            const Wide begin = Wide{base} + region.start, end = begin + region.size;
            if (Wide{address} >= begin && Wide{address} < end && Wide{address} + extent <= end)
                return true;
        }
        return false;
    }

    // All pairs of an address near a boundary and an extent that ends near one.
    void check_all_edges() const
    {
        std::set<std::uint64_t> boundaries{0, memory.span()};
        for (std::uint64_t chunk = 0; chunk <= memory.span(); chunk += chunk_bytes)
            boundaries.insert(chunk);
        for (const Region& region : regions) {
            boundaries.insert(region.start);
            boundaries.insert(region.start + region.size);
        }
        std::set<std::uintptr_t> addresses{0, 1, UINTPTR_MAX};
        for (const std::uint64_t boundary : boundaries)
            for (const int by : {-2, -1, 0, 1, 2})
                addresses.insert(base + boundary + static_cast<std::uintptr_t>(by));
        long held = 0;
        for (const std::uintptr_t from : addresses) {
            std::set<std::uint64_t> extents{0, 1, 2, UINT64_MAX, UINT64_MAX - from, UINT64_MAX - from + 1};
            for (const std::uintptr_t to : addresses)
                extents.insert(to - from); // wraps where it lies below
            for (const std::uint64_t extent : extents) {
                EXPECT_EQ(peer.holds(from, extent), expected(from, extent))
                    << std::hex << from << " + " << extent;
                held += peer.holds(from, extent) ? 1 : 0;
            }
        }
        EXPECT_GT(held, 0);
    }
};

TEST_F(Holds, region_of_whole_chunks)
{
    large(2, 3, 3 * chunk_bytes, 7);
    check_all_edges();
}

TEST_F(Holds, region_that_ends_inside_its_last_chunk)
{
    large(2, 3, 2 * chunk_bytes + 1, 7);
    large(5, 1, chunk_bytes - 1, 8);
    large(6, 2, chunk_bytes + 12'345, 9);
    check_all_edges();
}

TEST_F(Holds, region_that_begins_inside_its_first_chunk)
{
    large(0, 1, 100, 6, 128);
    large(2, 3, 3 * chunk_bytes - 128, 7, 128);
    large(5, 2, chunk_bytes, 8, 1);
    check_all_edges();
    directory.withdraw(7);
    EXPECT_FALSE(peer.holds(base + 2 * chunk_bytes, 1));
    EXPECT_FALSE(peer.holds(base + 2 * chunk_bytes + 128, 1));
}

TEST_F(Holds, first_and_last_byte_of_the_slice)
{
    large(0, 1, 1, 1);
    large(15, 1, chunk_bytes, 2);
    check_all_edges();
}

TEST_F(Holds, slab_blocks_of_every_size)
{
    for (int shift = 6; shift < chunk_shift; ++shift) {
        SCOPED_TRACE(shift);
        const auto chunk = static_cast<std::uint64_t>(shift - 6);
        const std::uint64_t block = std::uint64_t{1} << shift;
        const auto descriptor = static_cast<std::uint32_t>(2000 * shift);
        directory.set_chunks(chunk, 1, ChunkEntry(descriptor, shift));
        // The first, the last, and one in between; of full size, one less and one byte.
        const std::uint64_t blocks = chunk_bytes / block;
        const std::uint64_t places[] = {0, blocks / 2, blocks - 1};
        const std::uint64_t sizes[] = {block, block - 1, 1};
        for (int i = 0; i < 3; ++i) {
            if (i > 0 && places[i] == places[i - 1])
                continue;
            directory.publish(descriptor + static_cast<std::uint32_t>(places[i]),
                              chunk * chunk_bytes + places[i] * block, sizes[i]);
            regions.push_back({chunk * chunk_bytes + places[i] * block, sizes[i]});
        }
    }
    check_all_edges();
}

TEST_F(Holds, withdrawn_region_is_gone)
{
    large(2, 2, 2 * chunk_bytes, 7);
    large(4, 2, 2 * chunk_bytes, 8);
    directory.withdraw(7);
    regions.erase(regions.begin());
    check_all_edges();
    EXPECT_FALSE(peer.holds(base + 2 * chunk_bytes, 0));
}

TEST_F(Holds, neighbouring_regions_are_not_one)
{
    large(2, 1, chunk_bytes, 7);
    large(3, 1, chunk_bytes, 8);
    EXPECT_TRUE(peer.holds(base + 2 * chunk_bytes, chunk_bytes));
    EXPECT_FALSE(peer.holds(base + 2 * chunk_bytes, chunk_bytes + 1));
    check_all_edges();
}

TEST_F(Holds, published_before_its_chunks_is_not_found)
{
    directory.publish(7, 0, 100);
    EXPECT_FALSE(peer.holds(base, 1));
}

TEST(Peer, of_another_node_holds_nothing)
{
    const Peer nobody;
    for (const std::uintptr_t address : {std::uintptr_t{0}, std::uintptr_t{1}, UINTPTR_MAX})
        for (const std::uint64_t extent : {std::uint64_t{0}, std::uint64_t{1}, UINT64_MAX})
            EXPECT_FALSE(nobody.holds(address, extent));
}

TEST(Directory, finds_nothing_beyond_its_span_or_in_unused_chunks)
{
    const SparseDirectory memory(4);
    Directory directory = memory.view();
    EXPECT_EQ(directory.find(0), nullptr);
    directory.set_chunks(1, 2, ChunkEntry(5, chunk_shift));
    EXPECT_EQ(directory.find(chunk_bytes - 1), nullptr);
    ASSERT_NE(directory.find(chunk_bytes), nullptr);
    EXPECT_EQ(directory.index_of(directory.find(chunk_bytes)), 5u);
    EXPECT_EQ(directory.index_of(directory.find(3 * chunk_bytes - 1)), 5u);
    EXPECT_EQ(directory.find(3 * chunk_bytes), nullptr);
    EXPECT_EQ(directory.find(memory.span()), nullptr);
    EXPECT_EQ(directory.find(UINT64_MAX), nullptr);
}

// Descriptor 0 in a slab of the least shift must not look like an unused chunk.
TEST(Directory, entry_of_descriptor_zero_is_not_empty)
{
    EXPECT_FALSE(ChunkEntry(0, 6).empty());
    EXPECT_FALSE(ChunkEntry(0, chunk_shift).empty());
    EXPECT_TRUE(ChunkEntry().empty());
}

} // namespace
} // namespace armci_test
