// More handles with an operation under way than some MPIs bear requests (ompi 14192).
#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace armci_test {
namespace {

constexpr std::size_t handles = 600;

enum class End { by_waits, by_tests };

// Tests one handle after the other, so that all are asked about before the first is complete.
void test_all(std::vector<armci_hdl_t>& all)
{
    for (std::size_t left = all.size(); left > 0;) {
        left = 0;
        for (armci_hdl_t& one : all)
            left += ARMCI_Test(&one) == 0 ? 0 : 1;
    }
}

// Moves a block of `words` by each handle to or from the other process; waits are for the last ones first.
template <class Move>
void with_all(std::size_t words, End end, Move move)
{
    std::vector<armci_hdl_t> all(handles);
    for (std::size_t i = 0; i < handles; ++i) {
        ARMCI_INIT_HANDLE(&all[i]);
        ASSERT_EQ(0, move(i * words, static_cast<int>(words * sizeof(long)), &all[i]));
    }
    if (end == End::by_tests)
        return test_all(all);
    for (std::size_t i = handles; i-- > 0;)
        ASSERT_EQ(0, ARMCI_Wait(&all[i]));
}

class ManyHandles : public ::testing::TestWithParam<std::size_t> {};

TEST_P(ManyHandles, move_what_they_are_given)
{
    const std::size_t words = GetParam();
    const int other = 1 - rank();
    std::vector<void*> bases(2);
    ASSERT_EQ(0, ARMCI_Malloc(bases.data(), static_cast<armci_size_t>(handles * words * sizeof(long))));
    auto* const there = static_cast<long*>(bases[static_cast<std::size_t>(other)]);
    std::vector<long> sent(handles * words), back(sent.size());
    for (std::size_t i = 0; i < sent.size(); ++i)
        sent[i] = static_cast<long>(i) * 3 + rank();
    with_all(words, End::by_waits, [&](std::size_t at, int bytes, armci_hdl_t* handle) {
        return ARMCI_NbPut(&sent[at], there + at, bytes, other, handle);
    });
    ARMCI_Barrier();
    for (const End end : {End::by_waits, End::by_tests}) {
        std::fill(back.begin(), back.end(), -1);
        with_all(words, end, [&](std::size_t at, int bytes, armci_hdl_t* handle) {
            return ARMCI_NbGet(there + at, &back[at], bytes, other, handle);
        });
        EXPECT_EQ(back, sent);
    }
    ARMCI_Barrier();
    ASSERT_EQ(0, ARMCI_Free(bases[static_cast<std::size_t>(rank())]));
}

INSTANTIATE_TEST_SUITE_P(Words, ManyHandles, ::testing::Values(1, 400));

} // namespace
} // namespace armci_test
