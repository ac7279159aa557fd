#include "tests/rma/region.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <numeric>

namespace armci_test {
namespace {

// All sizes that a kernel may treat apart, and some large ones.
std::vector<long> sizes()
{
    std::vector<long> result(140);
    std::iota(result.begin(), result.end(), 0);
    for (const long power : {256L, 1024L, 4096L, 16384L, 65536L, 262144L})
        for (const long by : {-1L, 0L, 1L, 7L})
            result.push_back(power + by);
    result.push_back((1 << 20) + 3);
    return result;
}

// A place in a slice for each size, at every misalignment, with a gap before it.
struct Place {
    long offset, bytes;
};
std::vector<Place> places(long& end)
{
    std::vector<Place> result;
    long at = 16;
    for (const long bytes : sizes()) {
        at = (at + 63) / 64 * 64 + static_cast<long>(result.size() % 16);
        result.push_back({at, bytes});
        at += bytes + 16;
    }
    end = at;
    return result;
}

constexpr std::byte untouched{0xee};

TEST(Contiguous, put_writes_exactly_its_bytes)
{
    long bytes = 0;
    const auto all = places(bytes);
    Region region(bytes);
    for (int distance = 0; distance < size(); ++distance) {
        std::fill_n(region.mine(), bytes, untouched);
        ARMCI_Barrier();
        const int target = neighbour(distance);
        for (const Place& place : all) {
            // An exactly sized origin at another misalignment; reused at once.
            std::vector<std::byte> origin(static_cast<std::size_t>(place.bytes + place.offset % 5));
            for (long i = 0; i < place.bytes; ++i)
                origin[static_cast<std::size_t>(place.offset % 5 + i)] =
                    pattern(static_cast<std::uint64_t>(rank()), static_cast<std::uint64_t>(place.offset + i));
            ASSERT_EQ(0, ARMCI_Put(origin.data() + place.offset % 5, region.of(target, place.offset),
                                   static_cast<int>(place.bytes), target));
            std::fill(origin.begin(), origin.end(), std::byte{0});
        }
        ARMCI_Barrier();
        std::vector<std::byte> wanted(static_cast<std::size_t>(bytes), untouched);
        const auto from = static_cast<std::uint64_t>((rank() + size() - distance) % size());
        for (const Place& place : all)
            for (long i = 0; i < place.bytes; ++i)
                wanted[static_cast<std::size_t>(place.offset + i)] =
                    pattern(from, static_cast<std::uint64_t>(place.offset + i));
        const auto [bad, good] = std::mismatch(wanted.begin(), wanted.end(), region.mine());
        EXPECT_EQ(bad, wanted.end()) << "byte " << bad - wanted.begin() << " from process " << from;
        ARMCI_Barrier();
    }
}

TEST(Contiguous, get_fills_exactly_its_bytes)
{
    long bytes = 0;
    const auto all = places(bytes);
    Region region(bytes);
    for (long i = 0; i < bytes; ++i)
        *region.mine(i) = pattern(static_cast<std::uint64_t>(rank()), static_cast<std::uint64_t>(i));
    ARMCI_Barrier();
    for (int distance = 0; distance < size(); ++distance) {
        const int target = neighbour(distance);
        for (const Place& place : all) {
            const auto lead = static_cast<std::size_t>(place.offset % 7);
            std::vector<std::byte> got(static_cast<std::size_t>(place.bytes) + lead + 3, untouched),
                wanted = got;
            for (long i = 0; i < place.bytes; ++i)
                wanted[lead + static_cast<std::size_t>(i)] =
                    pattern(static_cast<std::uint64_t>(target), static_cast<std::uint64_t>(place.offset + i));
            ASSERT_EQ(0, ARMCI_Get(region.of(target, place.offset), got.data() + lead,
                                   static_cast<int>(place.bytes), target));
            ASSERT_EQ(got, wanted) << place.bytes << " bytes from process " << target;
        }
    }
}

TEST(Contiguous, first_and_last_byte_of_a_slice)
{
    for (const long bytes : {1L, 64L, 65L, 65536L, 65537L}) {
        Region region(bytes);
        *region.mine(0) = *region.mine(bytes - 1) = untouched;
        ARMCI_Barrier();
        std::byte values[] = {pattern(1, 1), pattern(1, 2)};
        ASSERT_EQ(0, ARMCI_Put(&values[0], region.of(neighbour()), 1, neighbour()));
        ASSERT_EQ(0, ARMCI_Put(&values[1], region.of(neighbour(), bytes - 1), 1, neighbour()));
        ARMCI_Barrier();
        EXPECT_EQ(*region.mine(bytes - 1), values[1]);
        if (bytes > 1) {
            EXPECT_EQ(*region.mine(), values[0]);
        }
    }
}

TEST(Contiguous, my_operations_on_a_target_are_seen_in_order)
{
    Region region(1000L * size());
    const int target = neighbour();
    std::byte* const at = region.of(target, 1000L * rank());
    for (std::uint64_t round = 0; round < 300; ++round) {
        auto data = pattern_bytes(round, 1000);
        ASSERT_EQ(0, ARMCI_Put(data.data(), at, 1000, target));
        auto part = pattern_bytes(round + 5000, 100);
        const auto from = static_cast<std::size_t>(round * 3);
        ASSERT_EQ(0, ARMCI_Put(part.data(), at + from, 100, target)); // over what is there
        std::copy(part.begin(), part.end(), data.begin() + static_cast<long>(from));
        ASSERT_EQ(fetch(at, 1000, target), data) << "round " << round;
    }
}

// --- Origins of all kinds
// -------------------------------------------------------------------------------------

TEST(Origin, may_be_read_only)
{
    static const char text[] = "this text lies in read-only memory";
    Region region(4096);
    ASSERT_EQ(0, ARMCI_Put(const_cast<char*>(text), region.of(neighbour()), sizeof text, neighbour()));
    void* const page = mmap(nullptr, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    ASSERT_EQ(0, ARMCI_Put(page, region.of(neighbour(), 100), 3000, neighbour()));
    ARMCI_Barrier();
    EXPECT_EQ(0, std::memcmp(region.mine(), text, sizeof text));
    EXPECT_TRUE(
        std::all_of(region.mine(100), region.mine(3100), [](std::byte b) { return b == std::byte{0}; }));
    munmap(page, 4096);
}

TEST(Origin, may_be_the_stack_or_local_memory)
{
    Region region(1024);
    std::array<int, 5> stack{1, 2, 3, 4, rank()};
    ASSERT_EQ(0, ARMCI_Put(stack.data(), region.of(neighbour()), sizeof stack, neighbour()));
    auto* const local = static_cast<int*>(ARMCI_Malloc_local(5 * sizeof(int)));
    ASSERT_NE(local, nullptr);
    ASSERT_EQ(0, ARMCI_Get(region.of(neighbour()), local, sizeof stack, neighbour()));
    EXPECT_TRUE(std::equal(stack.begin(), stack.end(), local));
    EXPECT_EQ(0, ARMCI_Free_local(local));
}

TEST(Origin, may_be_global_memory_of_the_same_or_another_region)
{
    Region a(4096), b(4096);
    const auto data = pattern_bytes(static_cast<std::uint64_t>(rank()), 4096);
    std::copy(data.begin(), data.end(), a.mine());
    ARMCI_Barrier();
    ASSERT_EQ(0, ARMCI_Put(a.mine(), b.of(neighbour()), 4096, neighbour()));
    ARMCI_Barrier();
    const auto from_left = pattern_bytes(static_cast<std::uint64_t>(neighbour(size() - 1)), 4096);
    EXPECT_EQ(fetch(b.mine(), 4096, rank()), from_left);
    ASSERT_EQ(0, ARMCI_Get(b.of(neighbour()), a.mine(), 2048, neighbour())); // what I put there
    EXPECT_TRUE(std::equal(data.begin(), data.begin() + 2048, a.mine()));
}

// Slices of my node may be dereferenced, so they may be origins, too.
TEST(Origin, may_be_the_slice_of_another_process_of_the_node)
{
    Region a(4096), b(4096L * size());
    const auto data = pattern_bytes(static_cast<std::uint64_t>(100 + rank()), 4096);
    std::copy(data.begin(), data.end(), a.mine());
    ARMCI_Barrier();
    const int from = neighbour(1), to = neighbour(2);
    if (!loads_reach(from))
        GTEST_SKIP() << "loads do not reach the slice of process " << from;
    ASSERT_EQ(0, ARMCI_Put(a.of(from), b.of(to, 4096L * rank()), 4096, to));
    ARMCI_Fence(to);
    EXPECT_EQ(fetch(b.of(to, 4096L * rank()), 4096, to),
              pattern_bytes(static_cast<std::uint64_t>(100 + from), 4096));
}

// --- Source and target in the same bytes
// ----------------------------------------------------------------------

TEST(Overlap, put_and_get_within_my_slice_move_as_if_through_a_buffer)
{
    constexpr std::size_t bytes = 3000;
    Region region(bytes);
    for (const std::size_t n : {1u, 7u, 8u, 16u, 31u, 64u, 65u, 100u, 257u, 1000u})
        for (const int shift : {-900, -100, -33, -8, -1, 0, 1, 4, 15, 64, 999}) {
            auto model = pattern_bytes(n, bytes);
            std::copy(model.begin(), model.end(), region.mine());
            const auto to = static_cast<std::size_t>(1000 + shift);
            ASSERT_EQ(0, ARMCI_Put(region.mine(1000), region.mine(static_cast<long>(to)), static_cast<int>(n),
                                   rank()));
            std::memmove(&model[to], &model[1000], n);
            ASSERT_EQ(fetch(region.mine(), bytes, rank()), model) << "put " << n << " bytes by " << shift;
            ASSERT_EQ(0, ARMCI_Get(region.mine(static_cast<long>(to)), region.mine(1000), static_cast<int>(n),
                                   rank()));
            std::memmove(&model[1000], &model[to], n);
            ASSERT_EQ(fetch(region.mine(), bytes, rank()), model) << "get " << n << " bytes by " << shift;
        }
}

TEST(Overlap, copy_moves_as_if_through_a_buffer)
{
    std::vector<std::byte> got = pattern_bytes(9, 500), wanted = got;
    for (const int n : {0, 1, 8, 50, 100, 200})
        for (const int shift : {-100, -7, 0, 7, 100}) {
            ARMCI_Copy(&got[150], &got[static_cast<std::size_t>(150 + shift)], n);
            std::memmove(&wanted[static_cast<std::size_t>(150 + shift)], &wanted[150],
                         static_cast<std::size_t>(n));
            ASSERT_EQ(got, wanted) << n << " bytes by " << shift;
        }
}

// --- Nothing to do
// --------------------------------------------------------------------------------------------

TEST(ZeroBytes, do_nothing_wherever_they_point)
{
    std::byte one{1};
    int scale = 1;
    EXPECT_EQ(0, ARMCI_Put(&one, nullptr, 0, neighbour()));
    EXPECT_EQ(0, ARMCI_Get(nullptr, &one, 0, neighbour()));
    EXPECT_EQ(0, ARMCI_Put(nullptr, nullptr, 0, neighbour()));
    EXPECT_EQ(0, ARMCI_Acc(ARMCI_ACC_INT, &scale, nullptr, nullptr, 0, neighbour()));
    ARMCI_Copy(nullptr, nullptr, 0);
    EXPECT_EQ(one, std::byte{1});
}

} // namespace
} // namespace armci_test
