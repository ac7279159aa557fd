#include "gmr/transfer/span.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <vector>

namespace armci::gmr {
namespace {

class SpanOf : public testing::Test {
protected:
    Span span;
    std::byte anywhere{};

    void add(std::uint64_t offset, std::uint64_t bytes)
    {
        ASSERT_TRUE(span.goes_with(offset, bytes));
        span.add(offset, &anywhere, bytes);
    }
};

TEST_F(SpanOf, takes_what_is_near_on_either_side)
{
    add(100'000, 8);
    add(100'008 + Span::most_gap, 8);
    EXPECT_FALSE(span.goes_with(span.start() + span.bytes() + Span::most_gap + 1, 8));
    add(100'000 - Span::most_gap - 8, 8);
    EXPECT_FALSE(span.goes_with(span.start() - Span::most_gap - 9, 8));
    add(100'000, 8); // again
    EXPECT_EQ(span.start(), 100'000 - Span::most_gap - 8);
    EXPECT_EQ(span.bytes(), 2 * Span::most_gap + 24);
}

TEST_F(SpanOf, leaves_long_segments_alone)
{
    EXPECT_TRUE(span.goes_with(0, std::uint64_t{1} << 40));
    add(0, 8);
    EXPECT_FALSE(span.goes_with(8, Span::most_segment + 1));
    span.clear();
    add(0, Span::most_segment + 1);
    EXPECT_FALSE(span.goes_with(Span::most_segment + 1, 8));
}

TEST_F(SpanOf, is_bounded)
{
    std::uint64_t offset = 0;
    for (; span.goes_with(offset, 1024); offset += 2048)
        add(offset, 1024);
    EXPECT_LE(span.bytes(), Span::most_bytes);
    EXPECT_GT(span.bytes(), Span::most_bytes - 4096);
}

TEST_F(SpanOf, lands_and_is_unpacked_in_the_order_of_its_segments)
{
    std::vector<unsigned char> there(100);
    std::iota(there.begin(), there.end(), static_cast<unsigned char>(0));
    std::vector<unsigned char> here(20, 255);
    span.add(50, &here[0], 5);
    span.add(10, &here[5], 5);
    span.add(90, &here[10], 5);
    span.add(60, &here[12], 5); // over the end of the last
    Landings landings;
    landings.push_back(span.land(0));
    EXPECT_TRUE(span.empty());
    std::copy_n(reinterpret_cast<const std::byte*>(&there[10]), 85, landings.back().buffer());
    unpack(landings);
    EXPECT_TRUE(landings.empty());
    EXPECT_EQ(here, (std::vector<unsigned char>{50, 51, 52, 53, 54, 10, 11, 12,  13,  14,
                                                90, 91, 60, 61, 62, 63, 64, 255, 255, 255}));
}

} // namespace
} // namespace armci::gmr
