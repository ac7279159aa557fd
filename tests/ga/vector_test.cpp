// Gather, scatter and scatter-accumulate of elements at random places.
#include "tests/ga/array.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace {

const ga::Index dims{37, 29, 3};
constexpr int all_elements = 37 * 29 * 3;

// Subscripts of an element by its position, as GA's flat calls take them.
void append_subscripts(std::vector<int>& subscripts, int position)
{
    subscripts.insert(subscripts.end(), {position / (29 * 3), position / 3 % 29, position % 3});
}

} // namespace

// Every rank writes elements of its own, dealt out at random, and reads all in another order.
TEST(Vector, scatter_then_gather)
{
    ga::Array a(C_DBL, dims);
    GA_Zero(a.handle());
    std::vector<int> dealt(all_elements);
    std::iota(dealt.begin(), dealt.end(), 0);
    auto common = armci_test::common_generator();
    std::shuffle(dealt.begin(), dealt.end(), common);
    std::vector<int> subscripts;
    std::vector<double> values;
    for (int n = GA_Nodeid(); n < all_elements; n += GA_Nnodes()) {
        append_subscripts(subscripts, dealt[n]);
        values.push_back(dealt[n] + 0.5);
    }
    if (!values.empty())
        NGA_Scatter_flat(a.handle(), values.data(), subscripts.data(), static_cast<int>(values.size()));
    GA_Sync();

    auto own = armci_test::rank_generator();
    std::shuffle(dealt.begin(), dealt.end(), own);
    subscripts.clear();
    for (int p : dealt)
        append_subscripts(subscripts, p);
    std::vector<double> read(all_elements, 0.0);
    NGA_Gather_flat(a.handle(), read.data(), subscripts.data(), all_elements);
    int wrong = 0;
    for (int n = 0; n < all_elements; ++n)
        wrong += read[n] != dealt[n] + 0.5;
    EXPECT_EQ(wrong, 0);
    GA_Sync();
}

// Ranks add to the same places, some of them more than once in a call.
TEST(Vector, scatter_accumulate_with_repeats)
{
    ga::Array a(C_LONG, dims);
    GA_Zero(a.handle());
    std::vector<long> expected(all_elements, 0);
    for (int r = 0; r < GA_Nnodes(); ++r) {
        auto generator = armci_test::common_generator(r);
        std::vector<int> subscripts;
        std::vector<long> values;
        for (int n = 0; n < 2000; ++n) {
            const int p = static_cast<int>(generator() % (n % 2 == 0 ? 10 : all_elements));
            append_subscripts(subscripts, p);
            values.push_back(1 + r);
            expected[p] += 3 * (1 + r);
        }
        long scale = 3;
        if (r == GA_Nodeid())
            NGA_Scatter_acc_flat(a.handle(), values.data(), subscripts.data(), 2000, &scale);
    }
    GA_Sync();
    EXPECT_TRUE(ga::get_all<long>(a) == expected);
    GA_Sync();
}
