#include "gmr/memory/slice_allocator.hpp"

#include "tests/support/mpi_test.hpp"
#include "tests/unit/sparse_directory.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <iterator>
#include <map>
#include <set>
#include <vector>

namespace armci_test {
namespace {

using armci::gmr::Block;
using armci::gmr::chunk_bytes;
using armci::gmr::Directory;
using armci::gmr::SliceAllocator;

constexpr std::uint64_t chunks = 64;
constexpr std::uint64_t first = 3 * chunk_bytes, last = 61 * chunk_bytes;
constexpr std::uint64_t full = last - first;
constexpr std::uint32_t first_descriptor = 100, last_descriptor = 1'000'000;

SliceAllocator allocator_over(Directory directory, std::uint64_t from, std::uint64_t to,
                              std::uint32_t from_descriptor, std::uint32_t to_descriptor)
{
    SliceAllocator allocator(directory, from_descriptor, to_descriptor);
    allocator.grow(from, to);
    return allocator;
}

class Allocator : public testing::Test {
protected:
    SparseDirectory memory{chunks};
    Directory directory = memory.view();
    SliceAllocator allocator = allocator_over(directory, first, last, first_descriptor, last_descriptor);

    std::vector<Block> fill(std::uint64_t bytes)
    {
        std::vector<Block> blocks;
        while (const auto block = allocator.allocate(bytes))
            blocks.push_back(*block);
        return blocks;
    }

    // Room is whole again, in one piece.
    void expect_all_free()
    {
        EXPECT_EQ(allocator.room(), full);
        const auto everything = allocator.allocate(full);
        ASSERT_TRUE(everything.has_value());
        EXPECT_EQ(everything->offset, first);
        EXPECT_EQ(allocator.room(), 0u);
        EXPECT_EQ(allocator.release(*everything), full);
    }
};

// Sizes of every class: cache lines, slabs, chunks and several chunks, with the neighbours of each power of
// two.
std::uint64_t random_size(std::mt19937_64& random)
{
    const std::uint64_t power = std::uint64_t{1} << (random() % 19);
    switch (random() % 4) {
    case 0:
        return power;
    case 1:
        return power + 1;
    case 2:
        return std::max<std::uint64_t>(1, power - 1);
    default:
        return 1 + random() % power;
    }
}

// What the allocator promises about live blocks, kept beside it.
class Model {
public:
    explicit Model(Directory directory) : directory_(directory) {}

    void add(const Block& block, std::uint64_t bytes)
    {
        const std::uint64_t alignment = std::clamp(std::bit_ceil(bytes), std::uint64_t{64}, chunk_bytes);
        EXPECT_EQ(block.offset % alignment, 0u) << bytes << " bytes at " << block.offset;
        EXPECT_GE(block.offset, first);
        EXPECT_LE(block.offset + bytes, last);
        const auto after = live_.lower_bound(block.offset);
        if (after != live_.end()) {
            EXPECT_LE(block.offset + bytes, after->first) << "overlaps the next";
        }
        if (after != live_.begin()) {
            EXPECT_LE(std::prev(after)->first + std::prev(after)->second.bytes, block.offset)
                << "overlaps the one before";
        }
        EXPECT_GE(block.descriptor, first_descriptor);
        EXPECT_LT(block.descriptor, last_descriptor);
        EXPECT_TRUE(descriptors_.insert(block.descriptor).second)
            << "descriptor in use: " << block.descriptor;
        for (const std::uint64_t at : {std::uint64_t{0}, bytes / 2, bytes - 1}) {
            const auto* const found = directory_.find(block.offset + at);
            ASSERT_NE(found, nullptr);
            EXPECT_EQ(directory_.index_of(found), block.descriptor) << "byte " << at << " of " << bytes;
        }
        live_.emplace(block.offset, Live{block, bytes});
    }

    Block take(std::uint64_t index, std::uint64_t& bytes)
    {
        const auto found = std::next(live_.begin(), static_cast<std::ptrdiff_t>(index));
        const Live taken = found->second;
        live_.erase(found);
        descriptors_.erase(taken.block.descriptor);
        bytes = taken.bytes;
        return taken.block;
    }

    std::size_t size() const { return live_.size(); }

private:
    struct Live {
        Block block;
        std::uint64_t bytes;
    };

    Directory directory_;
    std::map<std::uint64_t, Live> live_; // by offset
    std::set<std::uint32_t> descriptors_;
};

TEST_F(Allocator, random_blocks_never_overlap_and_all_room_comes_back)
{
    auto random = common_generator(1);
    Model model(directory);
    int refused = 0;
    for (int step = 0; step < 30'000; ++step) {
        const bool grow = step % 6000 < 4000 ? random() % 3 != 0 : random() % 3 == 0; // up to full, then down
        if (grow || model.size() == 0) {
            const std::uint64_t bytes = random_size(random);
            const std::uint64_t room = allocator.room();
            if (const auto block = allocator.allocate(bytes)) {
                model.add(*block, bytes);
            } else {
                ++refused;
                EXPECT_EQ(allocator.room(), room) << "a refused request took room";
            }
        } else {
            std::uint64_t bytes = 0;
            const Block block = model.take(random() % model.size(), bytes);
            EXPECT_GE(allocator.release(block), bytes);
        }
    }
    EXPECT_GT(refused, 0) << "the range was never full";
    while (model.size() > 0) {
        std::uint64_t bytes = 0;
        allocator.release(model.take(random() % model.size(), bytes));
    }
    expect_all_free();
}

TEST_F(Allocator, same_calls_give_same_places)
{
    SparseDirectory other_memory(chunks);
    SliceAllocator other =
        allocator_over(other_memory.view(), first, last, first_descriptor, last_descriptor);
    auto random = common_generator(2);
    std::vector<Block> live;
    for (int step = 0; step < 20'000; ++step) {
        if (live.empty() || random() % 5 > 1) {
            const std::uint64_t bytes = random_size(random);
            const auto a = allocator.allocate(bytes), b = other.allocate(bytes);
            ASSERT_EQ(a.has_value(), b.has_value());
            if (!a)
                continue;
            ASSERT_EQ(a->offset, b->offset);
            ASSERT_EQ(a->descriptor, b->descriptor);
            live.push_back(*a);
        } else {
            std::swap(live[random() % live.size()], live.back());
            EXPECT_EQ(allocator.release(live.back()), other.release(live.back()));
            live.pop_back();
        }
        ASSERT_EQ(allocator.room(), other.room());
    }
}

TEST_F(Allocator, freed_neighbours_join_in_any_order)
{
    std::vector<int> order{0, 1, 2, 3, 4};
    do {
        std::vector<Block> blocks;
        for (int i = 0; i < 4; ++i)
            blocks.push_back(allocator.allocate(5 * chunk_bytes).value());
        blocks.push_back(allocator.allocate(full - 20 * chunk_bytes).value());
        EXPECT_FALSE(allocator.allocate(1).has_value());
        for (const int i : order)
            allocator.release(blocks[static_cast<std::size_t>(i)]);
        expect_all_free();
    } while (std::next_permutation(order.begin(), order.end()));
}

TEST_F(Allocator, small_blocks_share_a_chunk)
{
    for (std::uint64_t bytes = 64; bytes <= chunk_bytes / 2; bytes *= 2) {
        std::vector<Block> blocks;
        for (std::uint64_t i = 0; i < chunk_bytes / bytes; ++i) {
            blocks.push_back(allocator.allocate(bytes).value());
            EXPECT_EQ(blocks.back().offset / chunk_bytes, blocks.front().offset / chunk_bytes);
        }
        EXPECT_EQ(allocator.room(), full - chunk_bytes) << bytes;
        const Block next = allocator.allocate(bytes).value();
        EXPECT_EQ(allocator.room(), full - 2 * chunk_bytes) << "one more needs another chunk";
        allocator.release(next);
        for (const Block& block : blocks)
            EXPECT_EQ(allocator.release(block), bytes);
        expect_all_free();
    }
}

TEST_F(Allocator, slab_reuses_its_holes_first)
{
    const auto blocks = fill(64);
    ASSERT_EQ(blocks.size(), full / 64);
    std::vector<std::size_t> holes{5, 1023, 1024, 2000, blocks.size() - 1};
    for (const std::size_t hole : holes)
        allocator.release(blocks[hole]);
    std::set<std::uint64_t> expected, got;
    for (const std::size_t hole : holes) {
        expected.insert(blocks[hole].offset);
        got.insert(allocator.allocate(33).value().offset);
    }
    EXPECT_EQ(got, expected);
    EXPECT_FALSE(allocator.allocate(1).has_value());
}

TEST_F(Allocator, an_empty_slab_serves_other_sizes)
{
    for (const Block& block : fill(64))
        allocator.release(block);
    const auto blocks = fill(chunk_bytes / 2);
    EXPECT_EQ(blocks.size(), 2 * full / chunk_bytes);
    for (const Block& block : blocks)
        allocator.release(block);
    expect_all_free();
}

TEST_F(Allocator, freed_place_is_in_no_region)
{
    for (const std::uint64_t bytes : {std::uint64_t{64}, chunk_bytes / 2, chunk_bytes, 3 * chunk_bytes}) {
        const Block block = allocator.allocate(bytes).value();
        EXPECT_NE(directory.find(block.offset), nullptr);
        allocator.release(block);
        EXPECT_EQ(directory.find(block.offset), nullptr) << bytes;
        EXPECT_EQ(directory.find(block.offset + bytes - 1), nullptr) << bytes;
    }
}

TEST_F(Allocator, request_beyond_the_range_is_refused)
{
    for (const std::uint64_t bytes : {full + 1, memory.span(), memory.span() + 1, std::uint64_t{1} << 48,
                                      std::uint64_t{1} << 63, UINT64_MAX - chunk_bytes + 1, UINT64_MAX})
        EXPECT_FALSE(allocator.allocate(bytes).has_value()) << bytes;
    expect_all_free();
}

TEST_F(Allocator, long_blocks_begin_where_asked)
{
    constexpr std::uint64_t lead = 128;
    EXPECT_EQ(allocator.allocate(chunk_bytes / 2, lead).value().offset % 64, 0u);
    const std::uint64_t room = allocator.room();
    const Block whole = allocator.allocate(chunk_bytes - lead, lead).value();
    EXPECT_EQ(whole.offset % chunk_bytes, lead);
    EXPECT_EQ(allocator.room(), room - chunk_bytes);
    const Block longer = allocator.allocate(chunk_bytes, lead).value();
    EXPECT_EQ(longer.offset % chunk_bytes, lead);
    EXPECT_EQ(allocator.room(), room - 3 * chunk_bytes);
    EXPECT_FALSE(allocator.allocate(memory.span(), lead).has_value());
    EXPECT_EQ(allocator.release(longer), 2 * chunk_bytes);
    EXPECT_EQ(allocator.release(whole), chunk_bytes);
    EXPECT_EQ(allocator.room(), room);
}

TEST_F(Allocator, best_fit_keeps_large_pieces_whole)
{
    const Block a = allocator.allocate(3 * chunk_bytes).value();
    const Block b = allocator.allocate(chunk_bytes).value();
    const Block c = allocator.allocate(2 * chunk_bytes).value();
    const Block d = allocator.allocate(chunk_bytes).value();
    allocator.release(a);
    allocator.release(c);
    EXPECT_EQ(allocator.allocate(2 * chunk_bytes).value().offset, c.offset);
    EXPECT_EQ(allocator.allocate(3 * chunk_bytes).value().offset, a.offset);
    (void)b;
    (void)d;
}

TEST_F(Allocator, tells_the_free_range_around_an_offset)
{
    using Range = std::pair<std::uint64_t, std::uint64_t>;
    EXPECT_EQ(allocator.free_around(first - 1), Range(0, 0));
    EXPECT_EQ(allocator.free_around(first), Range(first, last));
    EXPECT_EQ(allocator.free_around(last), Range(0, 0));
    const Block a = allocator.allocate(2 * chunk_bytes).value();
    const Block b = allocator.allocate(chunk_bytes).value();
    EXPECT_EQ(allocator.free_around(a.offset), Range(0, 0));
    EXPECT_EQ(allocator.free_around(last - 1), Range(b.offset + chunk_bytes, last));
    allocator.release(a);
    EXPECT_EQ(allocator.free_around(a.offset + chunk_bytes), Range(first, b.offset));
    EXPECT_EQ(allocator.free_around(b.offset), Range(0, 0));
    allocator.release(b);
    EXPECT_EQ(allocator.free_around(b.offset), Range(first, last));
}

TEST(AllocatorDescriptors, run_out_without_losing_address_range)
{
    SparseDirectory memory(chunks);
    SliceAllocator allocator = allocator_over(memory.view(), 0, memory.span(), 10, 14);
    std::vector<Block> large;
    while (const auto block = allocator.allocate(chunk_bytes))
        large.push_back(*block);
    EXPECT_EQ(large.size(), 4u);
    const std::uint64_t room = allocator.room();
    EXPECT_EQ(room, memory.span() - 4 * chunk_bytes);
    EXPECT_FALSE(allocator.allocate(64).has_value());
    EXPECT_EQ(allocator.room(), room);
    allocator.release(large[1]);
    const auto again = allocator.allocate(2 * chunk_bytes);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->descriptor, large[1].descriptor);
}

} // namespace
} // namespace armci_test
