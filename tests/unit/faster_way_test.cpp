// The choice between two ways by what they took.
#include "gmr/node/kernels/faster_way.hpp"

#include <gtest/gtest.h>

#include <array>

namespace armci_test {
namespace {

using armci::gmr::kernels::FasterWay;

class FasterWays : public testing::Test {
protected:
    FasterWay ways{1};
    std::array<double, 2> costs{2, 1};

    // How often the first way was taken.
    int run(int times)
    {
        int first = 0;
        for (int i = 0; i < times; ++i) {
            const unsigned way = ways.choose();
            first += way == 0;
            ways.took(way, costs.at(way));
        }
        return first;
    }
};

TEST_F(FasterWays, begins_with_the_one_it_is_told)
{
    EXPECT_EQ(1U, ways.choose());
    EXPECT_EQ(0U, FasterWay(0).choose());
}

TEST_F(FasterWays, takes_the_faster_and_looks_at_the_other_now_and_then)
{
    run(1);
    EXPECT_EQ(10, run(320));
}

TEST_F(FasterWays, changes_to_the_other_when_that_is_faster)
{
    costs = {1, 2};
    run(64);
    EXPECT_LE(300, run(320));
}

TEST_F(FasterWays, follows_a_change)
{
    run(320);
    costs = {1, 1.2};
    run(96);
    EXPECT_LE(300, run(320));
    costs = {1.2, 1};
    run(96);
    EXPECT_GE(20, run(320));
}

TEST_F(FasterWays, forgets_what_was_slow_once)
{
    ways.took(1, 50); // as when pages are touched for the first time
    costs = {2, 1};
    run(96);
    EXPECT_GE(20, run(320));
}

} // namespace
} // namespace armci_test
