#include "armci/base/settings.hpp"
#include "gmr/node/kernels/copy.hpp"
#include "strided/rows.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <iostream>
#include <memory>
#include <numeric>
#include <vector>

namespace armci_test {
namespace {

using armci::gmr::kernels::copy;

// Every size to 200, moved by every distance that overlaps (and the first that do not), within one buffer.
TEST(CopyKernel, equals_memmove_at_all_small_overlaps)
{
    std::array<unsigned char, 700> start, got, wanted;
    std::iota(start.begin(), start.end(), static_cast<unsigned char>(1));
    for (std::size_t n = 0; n <= 200; ++n)
        for (std::size_t to = 250 - n - 1; to <= 250 + n + 1; ++to) {
            got = wanted = start;
            copy(got.data() + to, got.data() + 250, n);
            std::memmove(wanted.data() + to, wanted.data() + 250, n);
            ASSERT_EQ(got, wanted) << n << " bytes from 250 to " << to;
        }
}

TEST(CopyKernel, all_misalignments_of_both_sides)
{
    std::array<unsigned char, 400> source, got, wanted;
    std::iota(source.begin(), source.end(), static_cast<unsigned char>(3));
    for (std::size_t n = 0; n <= 200; ++n)
        for (std::size_t from = 0; from < 16; ++from)
            for (std::size_t to = 0; to < 16; ++to) {
                got.fill(0xee);
                wanted.fill(0xee);
                copy(got.data() + 64 + to, source.data() + from, n);
                std::memcpy(wanted.data() + 64 + to, source.data() + from, n);
                ASSERT_EQ(got, wanted) << n << " bytes from " << from << " to " << to;
            }
}

// Exactly sized heap blocks: the address sanitizer sees a read or write beyond them.
TEST(CopyKernel, touches_nothing_outside)
{
    for (std::size_t n = 1; n <= 200; ++n) {
        const auto source = std::make_unique<unsigned char[]>(n);
        const auto target = std::make_unique<unsigned char[]>(n);
        for (std::size_t i = 0; i < n; ++i)
            source[i] = static_cast<unsigned char>(i + 1);
        copy(target.get(), source.get(), n);
        EXPECT_EQ(0, std::memcmp(source.get(), target.get(), n)) << n;
    }
}

// Each instruction set by itself: around the least size and around multiples of its steps, at all places of
// both sides within a vector, moved by distances that overlap, with guards.
TEST(CopyKernel, long_copies_of_each_instruction_set)
{
    using namespace armci::gmr::kernels;
    constexpr std::size_t most = 6000;
    std::vector<unsigned char> source(most + 200);
    std::iota(source.begin(), source.end(), static_cast<unsigned char>(5));
    for (int i = 0; i <= static_cast<int>(widest()); ++i) {
        const auto set = static_cast<InstructionSet>(i);
        const LongCopy move = long_copy_of(set);
        const auto bytes = [](auto& all) { return reinterpret_cast<std::byte*>(all.data()); };
        for (const std::size_t n : {2048u, 2049u, 2303u, 2304u, 2305u, 4096u, 5999u})
            for (std::size_t from = 0; from < 64; from += 7)
                for (std::size_t to = 0; to < 70; ++to) {
                    std::vector<unsigned char> got(most + 200, 0xee), wanted(most + 200, 0xee);
                    move(bytes(got) + 64 + to, bytes(source) + from, n);
                    std::memcpy(wanted.data() + 64 + to, source.data() + from, n);
                    ASSERT_EQ(got, wanted)
                        << name_of(set) << ", " << n << " bytes from " << from << " to " << to;
                }
        for (const int distance : {-2048, -2047, -65, -1, 0, 1, 64, 2047, 2048}) {
            auto got = source, wanted = source;
            move(bytes(got) + 2100 + distance, bytes(got) + 2100, 2048);
            std::memmove(wanted.data() + 2100 + distance, wanted.data() + 2100, 2048);
            ASSERT_EQ(got, wanted) << name_of(set) << ", moved by " << distance;
        }
    }
    std::cout << "tried: up to " << name_of(widest()) << "\n";
}

// Counts around those from which other loops copy, with each instruction set, up, down and onto one place.
TEST(CopyRows, are_copies_one_after_the_other)
{
    using namespace armci::gmr::kernels;
    using armci::strided::copy_rows;
    constexpr int middle = 6000;
    std::vector<std::byte> source(2 * middle), start(2 * middle, std::byte{0xee});
    for (std::size_t i = 0; i < source.size(); ++i)
        source[i] = static_cast<std::byte>(i * 13 + (i >> 8));
    const std::vector<std::int64_t> counts{1, 2, 3, 4, 5, 29, 31, 32, 33, 35, 63, 64, 65, 67};
    for (int set = 0; set <= static_cast<int>(widest()); ++set) {
        use(static_cast<InstructionSet>(set), InstructionSet::portable);
        for (const std::int64_t segment : {8, 16, 24, 32, 64})
            for (const std::int64_t count : counts)
                for (const std::int64_t from : {-70, 0, 64, 80})
                    for (const std::int64_t to : {-80, 0, 5, 64, 71}) {
                        auto got = start, wanted = start;
                        copy_rows(segment, count, &source[middle], from, &got[middle], to);
                        for (std::int64_t i = 0; i < count; ++i)
                            std::memcpy(&wanted[static_cast<std::size_t>(middle + i * to)],
                                        &source[static_cast<std::size_t>(middle + i * from)],
                                        static_cast<std::size_t>(segment));
                        ASSERT_TRUE(got == wanted) << name_of(in_use()) << ", " << count << " rows of "
                                                   << segment << " bytes, strides " << from << " and " << to;
                    }
    }
    use(InstructionSet::portable, InstructionSet::portable);
}

// Each row is the copy of what the rows before it left there.
TEST(CopyRows, may_overlap_their_destinations)
{
    using namespace armci::gmr::kernels;
    using armci::strided::copy_rows;
    constexpr int middle = 6000;
    std::vector<std::byte> start(2 * middle);
    for (std::size_t i = 0; i < start.size(); ++i)
        start[i] = static_cast<std::byte>(i * 13 + (i >> 8));
    for (int set = 0; set <= static_cast<int>(widest()); ++set) {
        use(static_cast<InstructionSet>(set), InstructionSet::portable);
        for (const std::int64_t segment : {8, 16, 24, 32, 64})
            for (const std::int64_t count : {2, 5, 40, 70})
                for (const std::int64_t stride : {-70, 64, 80})
                    for (const std::int64_t apart : {-65, -8, -1, 1, 13, 33, 64, 70}) {
                        auto got = start, wanted = start;
                        copy_rows(segment, count, &got[middle], stride, &got[middle + apart], stride);
                        for (std::int64_t i = 0; i < count; ++i)
                            std::memmove(&wanted[static_cast<std::size_t>(middle + apart + i * stride)],
                                         &wanted[static_cast<std::size_t>(middle + i * stride)],
                                         static_cast<std::size_t>(segment));
                        ASSERT_TRUE(got == wanted)
                            << name_of(in_use()) << ", " << count << " rows of " << segment
                            << " bytes, stride " << stride << ", moved by " << apart;
                    }
    }
    use(InstructionSet::portable, InstructionSet::portable);
}

TEST(InstructionSet, is_what_the_setting_asks_for_or_the_widest)
{
    using namespace armci::gmr::kernels;
    using armci::Kernels;
    armci::Settings settings;
    const auto set_for = [&](Kernels wanted) {
        settings.kernels = wanted;
        set_policy(settings, false);
        return in_use();
    };
    EXPECT_EQ(set_for(Kernels::automatic), widest());
    EXPECT_EQ(in_use_for_long_copies(), best_for_long_copies());
    EXPECT_EQ(set_for(Kernels::portable), InstructionSet::portable);
    EXPECT_EQ(in_use_for_long_copies(), InstructionSet::portable);
    EXPECT_EQ(set_for(Kernels::avx2), std::min(widest(), InstructionSet::avx2));
    EXPECT_EQ(in_use_for_long_copies(), in_use());
    EXPECT_EQ(set_for(Kernels::avx512), widest());
    EXPECT_EQ(in_use_for_long_copies(), in_use());
    use(InstructionSet::portable, InstructionSet::portable);
}

TEST(CopyKernel, large_sizes)
{
    using namespace armci::gmr::kernels;
    for (int i = 0; i <= static_cast<int>(widest()); ++i) {
        use(InstructionSet::portable, static_cast<InstructionSet>(i));
        for (const std::size_t n :
             {4095u, 4096u, 65'537u, 1'000'003u, (8u << 20) - 1, 8u << 20, 14u << 20, (15u << 20) + 4077}) {
            std::vector<unsigned char> source(n), target(n + 2, 0xee);
            for (std::size_t k = 0; k < n; ++k)
                source[k] = static_cast<unsigned char>(k * 31 + (k >> 8));
            copy(target.data() + 1, source.data(), n);
            EXPECT_EQ(0, std::memcmp(source.data(), target.data() + 1, n)) << n;
            EXPECT_EQ(target.front(), 0xee);
            EXPECT_EQ(target.back(), 0xee);
            copy(target.data(), target.data() + 1, n);
            EXPECT_EQ(0, std::memcmp(source.data(), target.data(), n)) << n << " moved down by one";
        }
    }
    use(InstructionSet::portable, InstructionSet::portable);
}

// How far further on in its page the target is decides over the way of some sizes, and what it took before
// over that of large ones: each 32nd goes by the slower one.
TEST(CopyKernel, all_ways_at_the_places_that_choose_them)
{
    using namespace armci::gmr::kernels;
    constexpr std::size_t page = 4096;
    constexpr std::size_t most = (17u << 20) + 5;
    struct alignas(page) Page {
        unsigned char bytes[page];
    };
    std::vector<Page> sources(most / page + 2), targets(most / page + 2);
    unsigned char* const source = sources[0].bytes + 128;
    for (std::size_t k = 0; k < most; ++k)
        source[k] = static_cast<unsigned char>(k * 31 + (k >> 8));
    for (int i = 0; i <= static_cast<int>(widest()); ++i) {
        use(InstructionSet::portable, static_cast<InstructionSet>(i));
        for (const std::size_t n :
             {std::size_t{64 * 1024}, std::size_t{100'001}, std::size_t{256 * 1024}, std::size_t{300'007},
              std::size_t{15u << 20}, std::size_t{16u << 20}, most})
            for (int turn = 0; turn < (n > 256 * 1024 ? 33 : 1) * 6; ++turn) {
                constexpr std::array<std::size_t, 6> places{0, 1, 17, 63, 64, 65};
                const std::size_t further = places.at(static_cast<std::size_t>(turn) % places.size());
                unsigned char* const target = targets[0].bytes + 128 + further;
                std::fill(target - 1, target + n + 1, static_cast<unsigned char>(0xee));
                copy(target, source, n);
                ASSERT_EQ(0, std::memcmp(source, target, n)) << n << " bytes, " << further << " further";
                ASSERT_EQ(target[-1], 0xee);
                ASSERT_EQ(target[n], 0xee);
            }
    }
    use(InstructionSet::portable, InstructionSet::portable);
}

} // namespace
} // namespace armci_test
