#include "gmr/kernels/copy.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
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

TEST(CopyKernel, large_sizes)
{
    for (const std::size_t n : {4095u, 4096u, 65'537u, 1'000'003u, (5u << 20) + 7}) {
        std::vector<unsigned char> source(n), target(n + 2, 0xee);
        for (std::size_t i = 0; i < n; ++i)
            source[i] = static_cast<unsigned char>(i * 31 + (i >> 8));
        copy(target.data() + 1, source.data(), n);
        EXPECT_EQ(0, std::memcmp(source.data(), target.data() + 1, n)) << n;
        EXPECT_EQ(target.front(), 0xee);
        EXPECT_EQ(target.back(), 0xee);
        copy(target.data(), target.data() + 1, n);
        EXPECT_EQ(0, std::memcmp(source.data(), target.data(), n)) << n << " moved down by one";
    }
}

} // namespace
} // namespace armci_test
