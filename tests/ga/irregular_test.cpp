// Distributions that leave some processes with nothing.
#include "tests/ga/array.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

namespace {

// Puts, adds and gets all over; every process takes part, owner or not.
void use(const ga::Array& a)
{
    const ga::Patch everything = ga::whole(a.dims());
    std::vector<double> expected(everything.elements());
    GA_Zero(a.handle());
    if (GA_Nodeid() == GA_Nnodes() - 1) {
        ga::Buffer<double> values(everything, 1, 0.0);
        ga::Index i = everything.lo;
        do
            values[i] = 1.0 + static_cast<double>(ga::position(i, a.dims()));
        while (ga::next(i, everything));
        ga::put(a, values);
    }
    GA_Sync();
    ga::Buffer<double> tens(everything, 0, 10.0);
    ga::accumulate(a, tens, 1.0);
    GA_Sync();
    for (std::size_t n = 0; n < expected.size(); ++n)
        expected[n] = 1.0 + static_cast<double>(n) + 10.0 * GA_Nnodes();
    EXPECT_TRUE(ga::get_all<double>(a) == expected);
    GA_Sync();
}

std::size_t elements_owned_by_all(const ga::Array& a)
{
    std::size_t sum = 0;
    for (int r = 0; r < GA_Nnodes(); ++r)
        sum += a.owned_by(r).elements();
    return sum;
}

} // namespace

TEST(Irregular, fewer_blocks_than_processes)
{
    const int ranks = GA_Nnodes();
    const int rows = ranks > 2 ? 2 : 1;
    ga::Index begins;
    for (int b = 0; b < rows; ++b)
        begins.push_back(b * 3);
    begins.push_back(0);
    for (int round = 0; round < 5; ++round) {
        const ga::Array a = ga::Array::irregular(C_DBL, {11, 7}, {rows, 1}, begins);
        EXPECT_EQ(elements_owned_by_all(a), 77u);
        int owners = 0;
        for (int r = 0; r < ranks; ++r)
            owners += !a.owned_by(r).empty();
        EXPECT_EQ(owners, rows);
        use(a);
    }
}

TEST(Irregular, blocks_of_very_different_sizes)
{
    const int ranks = GA_Nnodes();
    ga::Index begins(ranks);
    for (int r = 0; r < ranks; ++r)
        begins[r] = r; // one row each, and the last has the rest
    const ga::Array a = ga::Array::irregular(C_DBL, {200}, {ranks}, begins);
    EXPECT_EQ(a.owned_by(ranks - 1).elements(), static_cast<std::size_t>(200 - ranks + 1));
    use(a);
}

TEST(Irregular, one_element_for_all)
{
    for (int round = 0; round < 20; ++round) {
        ga::Array a(C_DBL, {1});
        EXPECT_EQ(elements_owned_by_all(a), 1u);
        use(a);
    }
}

TEST(Irregular, smallest_block_keeps_the_array_on_few)
{
    ga::Array a(C_DBL, {40, 3}, GA_Pgroup_get_default(), {39, 3});
    EXPECT_EQ(elements_owned_by_all(a), 120u);
    use(a);
}

// Only the last process holds data, though all belong to the array's group.
TEST(Irregular, restricted_to_one_process)
{
    int last = GA_Nnodes() - 1;
    ga::Index dims{12, 5};
    const int handle = GA_Create_handle();
    GA_Set_data(handle, 2, dims.data(), C_DBL);
    GA_Set_restricted(handle, &last, 1);
    ASSERT_EQ(GA_Allocate(handle), 1);
    double value = 1.5;
    GA_Fill(handle, &value);
    std::vector<double> all(60, 0.0);
    ga::Index lo{0, 0}, hi{11, 4};
    double scale = 2;
    std::vector<double> ones(60, 1.0);
    GA_Sync();
    NGA_Acc(handle, lo.data(), hi.data(), ones.data(), &dims[1], &scale);
    GA_Sync();
    NGA_Get(handle, lo.data(), hi.data(), all.data(), &dims[1]);
    EXPECT_TRUE(all == std::vector<double>(60, 1.5 + 2.0 * GA_Nnodes()));
    GA_Sync();
    GA_Destroy(handle);
}
