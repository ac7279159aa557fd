// Creating and destroying arrays by the thousand.
#include "tests/ga/array.hpp"
#include "tests/support/path.hpp"

#include <gtest/gtest.h>

#include <deque>

namespace {

// Writes `stamp` to what this process owns, without communicating.
void stamp_own_block(const ga::Array& a, long stamp)
{
    ga::Patch own = a.owned_by(GA_Nodeid());
    if (own.empty())
        return;
    long* data = nullptr;
    ga::Index ld(a.dims().size());
    NGA_Access(a.handle(), own.lo.data(), own.hi.data(), &data, ld.data());
    data[0] = stamp;
    NGA_Release_update(a.handle(), own.lo.data(), own.hi.data());
}

} // namespace

// Arrays of changing shape, many alive at a time; each must still hold its own stamp on the next process when
// its turn to go comes.
TEST(Lifetime, thousands_of_arrays)
{
    // Over MPI each one costs collective calls; 3000 are more than MPICH has communicators to lose.
    const int arrays = armci_test::uses_windows() ? 3000 : 10000;
    constexpr int alive = 150;
    const int neighbour = (GA_Nodeid() + 1) % GA_Nnodes();
    std::deque<ga::Array> live;
    int wrong = 0;
    for (int n = 0; n < arrays + alive; ++n) {
        if (n >= alive) {
            ga::Patch there = live.front().owned_by(neighbour);
            if (!there.empty() && ga::get_one<long>(live.front(), there.lo) != n - alive)
                ++wrong;
            live.pop_front();
        }
        if (n < arrays) {
            const ga::Index dims = n % 3 == 0 ? ga::Index{1 + n % 700} : ga::Index{1 + n % 41, 1 + n % 29};
            live.emplace_back(C_LONG, dims);
            stamp_own_block(live.back(), n);
        }
    }
    EXPECT_EQ(wrong, 0);
}

// Many arrays, all alive together, none disturbing another.
TEST(Lifetime, a_thousand_alive_together)
{
    constexpr int arrays = 1000;
    const int neighbour = (GA_Nodeid() + 1) % GA_Nnodes();
    {
        std::deque<ga::Array> live;
        for (int n = 0; n < arrays; ++n) {
            live.emplace_back(C_LONG, ga::Index{GA_Nnodes() * (1 + n % 5)});
            stamp_own_block(live.back(), n);
        }
        GA_Sync();
        for (int n = 0; n < arrays; ++n) {
            const ga::Patch there = live[n].owned_by(neighbour);
            ASSERT_FALSE(there.empty());
            ASSERT_EQ(ga::get_one<long>(live[n], there.lo), n);
        }
        GA_Sync();
    }
    ga::Array after(C_LONG, ga::Index{100});
    GA_Zero(after.handle());
    EXPECT_EQ(ga::get_all<long>(after), std::vector<long>(100, 0));
}

TEST(Lifetime, large_array_is_zeroed_and_freed_again_and_again)
{
    for (int round = 0; round < 20; ++round) {
        ga::Array big(C_DBL, ga::Index{512, 1024});
        double one = 1;
        GA_Fill(big.handle(), &one);
        EXPECT_EQ(GA_Ddot(big.handle(), big.handle()), 512.0 * 1024.0);
    }
}
