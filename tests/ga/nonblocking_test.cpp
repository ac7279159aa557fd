// Nonblocking transfers with many handles in flight, waited for in any order.
#include "tests/ga/array.hpp"
#include "tests/support/mpi_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <numeric>

namespace {

constexpr int in_flight = 300;
const ga::Index dims{120, 110};

// Puts each element's own position everywhere.
void fill_with_positions(const ga::Array& a)
{
    ga::Patch own = a.owned_by(GA_Nodeid());
    if (!own.empty()) {
        ga::Buffer<long> values(own, 0, 0);
        ga::Index i = own.lo;
        do
            values[i] = static_cast<long>(ga::position(i, dims));
        while (ga::next(i, own));
        ga::put(a, values);
    }
    GA_Sync();
}

} // namespace

TEST(Nonblocking, many_gets_waited_for_in_random_order)
{
    ga::Array a(C_LONG, dims);
    fill_with_positions(a);
    auto generator = armci_test::rank_generator();
    std::deque<ga::Buffer<long>> buffers;
    std::vector<ga_nbhdl_t> handles(in_flight);
    for (int n = 0; n < in_flight; ++n) {
        ga::Buffer<long>& b = buffers.emplace_back(ga::random_patch(dims, generator, 30), 2, -1);
        NGA_NbGet(a.handle(), b.patch.lo.data(), b.patch.hi.data(), b.data.data(), b.ld.data(), &handles[n]);
    }
    std::vector<int> order(in_flight);
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), generator);
    for (int n : order) {
        NGA_NbWait(&handles[n]);
        ga::Buffer<long>& got = buffers[n];
        ga::Buffer<long> expected(got.patch, 2, -1);
        ga::Index i = got.patch.lo;
        do
            expected[i] = static_cast<long>(ga::position(i, dims));
        while (ga::next(i, got.patch));
        ASSERT_TRUE(got.data == expected.data) << "get " << n;
    }
    GA_Sync();
}

// Each rank writes rows of its own; the buffers may change after the wait, the array must not.
TEST(Nonblocking, many_puts_with_buffers_reused_after_the_wait)
{
    ga::Array a(C_LONG, dims);
    GA_Zero(a.handle());
    std::deque<ga::Buffer<long>> buffers;
    std::deque<ga_nbhdl_t> handles;
    for (int row = GA_Nodeid(); row < dims[0]; row += GA_Nnodes()) {
        ga::Buffer<long>& b = buffers.emplace_back(ga::Patch{{row, 0}, {row, dims[1] - 1}}, 0, 0);
        for (int column = 0; column < dims[1]; ++column)
            b[{row, column}] = static_cast<long>(ga::position({row, column}, dims));
        NGA_NbPut(a.handle(), b.patch.lo.data(), b.patch.hi.data(), b.data.data(), b.ld.data(),
                  &handles.emplace_back());
    }
    for (std::size_t n = handles.size(); n-- > 0;) {
        NGA_NbWait(&handles[n]);
        std::fill(buffers[n].data.begin(), buffers[n].data.end(), -5);
    }
    GA_Sync();
    std::vector<long> expected(dims[0] * dims[1]);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_TRUE(ga::get_all<long>(a) == expected);
    GA_Sync();
}

TEST(Nonblocking, many_accumulates_from_all_ranks)
{
    ga::Array a(C_DBL, dims);
    GA_Zero(a.handle());
    std::vector<ga_nbhdl_t> handles(100);
    ga::Buffer<double> ones(ga::whole(dims), 1, 1.0);
    double scale = 3;
    for (ga_nbhdl_t& handle : handles)
        NGA_NbAcc(a.handle(), ones.patch.lo.data(), ones.patch.hi.data(), ones.data.data(), ones.ld.data(),
                  &scale, &handle);
    for (ga_nbhdl_t& handle : handles)
        NGA_NbWait(&handle);
    GA_Sync();
    EXPECT_TRUE(ga::get_all<double>(a) == std::vector<double>(dims[0] * dims[1], 300.0 * GA_Nnodes()));
    GA_Sync();
}
