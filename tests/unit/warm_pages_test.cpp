#include "gmr/memory/warm_pages.hpp"

#include <gtest/gtest.h>

#include <map>
#include <random>
#include <vector>

namespace armci::gmr {
namespace {

class Warm : public testing::Test {
protected:
    WarmPages pages{100};
    std::vector<std::pair<std::uint64_t, std::uint64_t>> gone;

    void keep(std::uint64_t first, std::uint64_t bytes)
    {
        pages.keep(first, bytes,
                   [this](std::uint64_t at, std::uint64_t length) { gone.emplace_back(at, length); });
    }
    using Ranges = std::vector<std::pair<std::uint64_t, std::uint64_t>>;
};

TEST_F(Warm, keeps_up_to_the_limit_and_gives_up_the_oldest)
{
    keep(0, 60);
    keep(200, 40);
    EXPECT_TRUE(gone.empty());
    keep(400, 30);
    EXPECT_EQ(gone, (Ranges{{0, 60}}));
    EXPECT_EQ(70U, pages.bytes());
}

TEST_F(Warm, what_is_more_than_the_limit_goes_at_once_and_leaves_the_others)
{
    keep(0, 50);
    keep(200, 101);
    EXPECT_EQ(gone, (Ranges{{200, 101}}));
    EXPECT_EQ(50U, pages.bytes());
}

TEST_F(Warm, what_is_taken_is_never_discarded_and_the_rest_of_it_is)
{
    keep(0, 90);
    pages.take(30, 20);
    EXPECT_EQ(70U, pages.bytes());
    keep(500, 95);
    EXPECT_EQ(gone, (Ranges{{0, 30}, {50, 40}}));
}

TEST_F(Warm, agrees_with_a_page_table_of_single_bytes)
{
    std::mt19937 random(20261122);
    std::map<std::uint64_t, bool> is_warm; // of every free byte
    std::vector<bool> used(300, true);
    for (int step = 0; step < 20'000; ++step) {
        const std::uint64_t first = random() % 280, bytes = 1 + random() % 20;
        bool all_used = true, all_free = true;
        for (std::uint64_t i = first; i < first + bytes; ++i) {
            all_used = all_used && used[i];
            all_free = all_free && !used[i];
        }
        if (all_used) {
            for (std::uint64_t i = first; i < first + bytes; ++i) {
                used[i] = false;
                is_warm[i] = true;
            }
            pages.keep(first, bytes, [&](std::uint64_t at, std::uint64_t length) {
                for (std::uint64_t i = at; i < at + length; ++i) {
                    ASSERT_FALSE(used[i]) << "step " << step;
                    ASSERT_TRUE(is_warm[i]) << "twice, step " << step;
                    is_warm[i] = false;
                }
            });
        } else if (all_free) {
            for (std::uint64_t i = first; i < first + bytes; ++i) {
                used[i] = true;
                is_warm[i] = false;
            }
            pages.take(first, bytes);
        }
        std::uint64_t warm = 0;
        for (const auto& [at, is] : is_warm)
            warm += is ? 1 : 0;
        ASSERT_EQ(warm, pages.bytes()) << "step " << step;
        ASSERT_LE(warm, 100U);
    }
}

} // namespace
} // namespace armci::gmr
