// Gets of near segments by ARMCI_STRIDED_METHOD=spans, and on Open MPI by itself: one MPI operation, with the
// bytes between them left alone here.
#include "gmr/network/rma.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace armci_test {
namespace {

constexpr int word = static_cast<int>(sizeof(long));

class Spans : public testing::Test {
protected:
    explicit Spans(int size = 1 << 20) : words(size), region(static_cast<long>(size) * word) {}

    const int words;
    Region region;
    const int target = neighbour();
    armci_hdl_t handle;

    static long value(int process, long index) { return process * 100'000'000L + index; }

    void SetUp() override
    {
        ARMCI_INIT_HANDLE(&handle);
        auto* const mine = reinterpret_cast<long*>(region.mine());
        for (long i = 0; i < words; ++i)
            mine[i] = value(rank(), i);
        ARMCI_Barrier();
    }
    void TearDown() override { ARMCI_Barrier(); }

    // On MPICH gets are accumulates that change nothing (ARMCI_ORDERING).
    static long gets()
    {
        return pmpi::count("MPI_Get") + pmpi::count("MPI_Rget") + pmpi::count("MPI_Get_accumulate") +
               pmpi::count("MPI_Rget_accumulate");
    }
    bool counts() const
    {
        return why_not_flushed(target).empty() && setting("ARMCI_STRIDED_METHOD") == "spans";
    }

    // `rows` of one word, `apart` words apart there and 2 here.
    std::vector<long> here;
    int get(int rows, int apart, armci_hdl_t* with, bool blocking)
    {
        here.assign(static_cast<std::size_t>(rows) * 2, -1);
        int there[] = {apart * word}, mine[] = {2 * word}, count[] = {word, rows};
        pmpi::reset();
        return blocking ? ARMCI_GetS(region.of(target), there, here.data(), mine, count, 1, target)
                        : ARMCI_NbGetS(region.of(target), there, here.data(), mine, count, 1, target, with);
    }
    void expect(int rows, int apart)
    {
        for (int i = 0; i < rows; ++i) {
            ASSERT_EQ(here[2 * static_cast<std::size_t>(i)], value(target, static_cast<long>(i) * apart))
                << i;
            ASSERT_EQ(here[2 * static_cast<std::size_t>(i) + 1], -1) << "behind " << i;
        }
    }
};

TEST_F(Spans, near_segments_are_one_get)
{
    ASSERT_EQ(0, get(1000, 16, nullptr, true));
    if (counts()) {
        EXPECT_EQ(1, gets());
    }
    expect(1000, 16);
}

TEST_F(Spans, far_segments_are_one_get_each)
{
    ASSERT_EQ(0, get(100, 1024, nullptr, true));
    if (counts()) {
        EXPECT_EQ(100, gets());
    }
    expect(100, 1024);
}

TEST_F(Spans, rows_of_near_segments_are_one_get_each)
{
    constexpr int rows = 7, near = 30, far = 4096;
    std::vector<long> mine(rows * near, -1);
    int there[] = {2 * word, far * word}, packed[] = {word, near * word}, count[] = {word, near, rows};
    pmpi::reset();
    ASSERT_EQ(0, ARMCI_GetS(region.of(target), there, mine.data(), packed, count, 2, target));
    if (counts()) {
        EXPECT_EQ(rows, gets());
    }
    for (int i = 0; i < rows * near; ++i)
        ASSERT_EQ(mine[static_cast<std::size_t>(i)], value(target, i / near * far + i % near * 2L)) << i;
}

TEST_F(Spans, are_in_place_when_the_handle_is_waited_for)
{
    ASSERT_EQ(0, get(1000, 16, &handle, false));
    if (counts()) {
        EXPECT_EQ(1, gets());
    }
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    expect(1000, 16);
}

TEST_F(Spans, are_in_place_when_a_test_says_so)
{
    for (int round = 0; round < 20; ++round) {
        ASSERT_EQ(0, get(1000, 16, &handle, false));
        while (ARMCI_Test(&handle) != 0)
            ;
        expect(1000, 16);
    }
}

// Where many segments do not go as one operation, requests cost more than their share of a flush.
TEST_F(Spans, far_ones_of_a_handle_come_by_one_flush)
{
    for (const int rows : {2, 100, 1000}) {
        ASSERT_EQ(0, get(rows, 1024, &handle, false));
        if (armci::gmr::rma::gets_by_spans()) {
            EXPECT_EQ(0, pmpi::count("MPI_Rget"));
            if (counts()) {
                EXPECT_EQ(rows, pmpi::count("MPI_Get"));
            }
        }
        ASSERT_EQ(0, ARMCI_Wait(&handle));
        expect(rows, 1024);
        ASSERT_EQ(0, get(rows, 1024, &handle, false));
        while (ARMCI_Test(&handle) != 0)
            ;
        expect(rows, 1024);
    }
}

TEST_F(Spans, spans_far_apart_are_in_place_when_the_handle_is_waited_for)
{
    constexpr int rows = 70, near = 3, far = 4096;
    std::vector<long> mine(rows * near, -1);
    int there[] = {2 * word, far * word}, packed[] = {word, near * word}, count[] = {word, near, rows};
    ASSERT_EQ(0, ARMCI_NbGetS(region.of(target), there, mine.data(), packed, count, 2, target, &handle));
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    for (int i = 0; i < rows * near; ++i)
        ASSERT_EQ(mine[static_cast<std::size_t>(i)], value(target, i / near * far + i % near * 2L)) << i;
}

TEST_F(Spans, without_a_handle_are_in_place_when_the_process_is_waited_for)
{
    ASSERT_EQ(0, get(1000, 16, nullptr, false));
    ASSERT_EQ(0, ARMCI_WaitProc(target));
    expect(1000, 16);
}

// Whatever completes gets puts those of handles in place, and their wait leaves the buffer alone then.
TEST_F(Spans, with_a_handle_are_in_place_after_any_wait)
{
    for (int way = 0; way < 9; ++way) {
        ASSERT_EQ(0, get(1000, 16, &handle, false));
        if (way % 3 == 0)
            ARMCI_WaitAll();
        else if (way % 3 == 1)
            ARMCI_WaitProc(target);
        else
            ARMCI_Barrier();
        expect(1000, 16);
        std::fill(here.begin(), here.end(), -5);
        ASSERT_EQ(0, ARMCI_Wait(&handle));
        EXPECT_EQ(std::count(here.begin(), here.end(), -5), static_cast<long>(here.size()));
    }
}

class LongSpans : public Spans {
protected:
    LongSpans() : Spans(4 << 20) {}
};

// 32 MiB to be unpacked, more than a handle keeps.
TEST_F(LongSpans, land_whatever_the_handle)
{
    constexpr int apart = 128;
    const int rows = words / apart;
    ASSERT_EQ(0, get(rows, apart, &handle, false));
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    expect(rows, apart);
    ASSERT_EQ(0, get(rows, apart, nullptr, true));
    expect(rows, apart);
}

TEST_F(Spans, see_what_this_process_wrote_before)
{
    ARMCI_Barrier();
    if (rank() == 0 && target != 0) {
        const long zero = 0;
        ASSERT_EQ(0, ARMCI_Put(const_cast<long*>(&zero), region.of(target, 16 * word), word, target));
        ASSERT_EQ(0, get(1000, 16, nullptr, true));
        EXPECT_EQ(here[2], 0);
    }
}

// A vector over two regions: what lies between them may be nobody's memory.
TEST_F(Spans, vectors_cross_regions)
{
    Region next{64 * word};
    std::fill_n(reinterpret_cast<long*>(next.mine()), 64, value(rank(), -1));
    ARMCI_Barrier();
    std::vector<long> mine(128, 0);
    std::vector<void*> from, to;
    for (int i = 0; i < 128; ++i) {
        from.push_back(i % 2 == 0 ? region.of(target, i * 4 * word) : next.of(target, i / 2 * word));
        to.push_back(&mine[static_cast<std::size_t>(i)]);
    }
    armci_giov_t all{from.data(), to.data(), word, 128};
    ASSERT_EQ(0, ARMCI_GetV(&all, 1, target));
    for (int i = 0; i < 128; ++i)
        EXPECT_EQ(mine[static_cast<std::size_t>(i)], value(target, i % 2 == 0 ? i * 4L : -1)) << i;
    ARMCI_Barrier();
}

TEST_F(Spans, near_segments_of_a_vector_are_one_get)
{
    if (!setting("ARMCI_IOV_METHOD").empty() && setting("ARMCI_IOV_METHOD") != "auto")
        GTEST_SKIP() << "ARMCI_IOV_METHOD=" << setting("ARMCI_IOV_METHOD") << " asks for one get each";
    std::vector<long> mine(200, 0);
    std::vector<void*> from, to;
    for (int i = 0; i < 200; ++i) {
        from.push_back(region.of(target, i * 5 * word));
        to.push_back(&mine[static_cast<std::size_t>(i)]);
    }
    armci_giov_t all{from.data(), to.data(), word, 200};
    pmpi::reset();
    ASSERT_EQ(0, ARMCI_GetV(&all, 1, target));
    if (counts()) {
        EXPECT_EQ(1, gets());
    }
    for (int i = 0; i < 200; ++i)
        ASSERT_EQ(mine[static_cast<std::size_t>(i)], value(target, i * 5L)) << i;
}

} // namespace
} // namespace armci_test
