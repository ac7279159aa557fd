// Gets of many segments with a handle: few MPI operations, complete when a wait or a test says so and not
// before, and never written to afterwards.
#include "armci/base/mpi_traits.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <algorithm>
#include <vector>

namespace armci_test {
namespace {

// By derived types or by a span, which may go by a request.
long gets()
{
    return pmpi::count("MPI_Get") + pmpi::count("MPI_Rget") + pmpi::count("MPI_Get_accumulate") +
           pmpi::count("MPI_Rget_accumulate");
}

constexpr int segments = 500;
constexpr int words = 3; // of a segment

class GetWithHandle : public testing::Test {
protected:
    Region region{segments * 2 * words * static_cast<int>(sizeof(long))};
    const int target = neighbour();
    std::vector<long> here = std::vector<long>(segments * words, -1);
    std::vector<void*> from, to;
    armci_hdl_t handle;

    void SetUp() override
    {
        ARMCI_INIT_HANDLE(&handle);
        write_mine(0);
        for (int i = 0; i < segments; ++i) {
            from.push_back(region.of(target, i * segment_apart));
            to.push_back(&here[static_cast<std::size_t>(i) * words]);
        }
        ARMCI_Barrier();
    }
    void TearDown() override { ARMCI_Barrier(); }

    static constexpr int segment_bytes = words * static_cast<int>(sizeof(long));
    static constexpr int segment_apart = 2 * segment_bytes;

    static long value(int process, int round, int word)
    {
        return process * 1'000'000L + round * 10'000L + word;
    }

    void write_mine(int round)
    {
        auto* const mine = reinterpret_cast<long*>(region.mine());
        for (int i = 0; i < segments; ++i)
            for (int k = 0; k < words; ++k)
                mine[i * 2 * words + k] = value(rank(), round, i * words + k);
    }

    int get_strided()
    {
        int apart[] = {segment_apart}, packed[] = {segment_bytes}, count[] = {segment_bytes, segments};
        return ARMCI_NbGetS(region.of(target), apart, here.data(), packed, count, 1, target, &handle);
    }
    int get_vector()
    {
        armci_giov_t all{from.data(), to.data(), segment_bytes, segments};
        return ARMCI_NbGetV(&all, 1, target, &handle);
    }
    void expect(int round)
    {
        for (int i = 0; i < segments * words; ++i)
            ASSERT_EQ(value(target, round, i), here[static_cast<std::size_t>(i)]) << "word " << i;
    }
    bool wants_counts() const
    {
        return why_not_flushed(target).empty() && setting("ARMCI_STRIDED_METHOD").empty() &&
               setting("ARMCI_IOV_METHOD").empty();
    }
    bool wants_one_flush() const { return wants_counts() && armci::traits::in_use.types_are_one_message; }
};

TEST_F(GetWithHandle, strided_is_one_operation_and_one_flush)
{
    pmpi::reset();
    ASSERT_EQ(0, get_strided());
    if (wants_counts()) {
        EXPECT_EQ(1, gets());
        EXPECT_EQ(0, pmpi::count("MPI_Win_flush"));
    }
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    expect(0);
    if (wants_one_flush()) {
        EXPECT_EQ(1, pmpi::count("MPI_Get"));
        EXPECT_EQ(1, pmpi::count("MPI_Win_flush"));
    }
}

TEST_F(GetWithHandle, vector_is_one_operation_and_one_flush)
{
    pmpi::reset();
    ASSERT_EQ(0, get_vector());
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    expect(0);
    if (wants_counts()) {
        EXPECT_EQ(1, gets());
    }
    if (wants_one_flush()) {
        EXPECT_EQ(1, pmpi::count("MPI_Get"));
        EXPECT_EQ(1, pmpi::count("MPI_Win_flush"));
    }
}

// Both ways in turns, as what a get leaves behind must not reach the next one's buffer.
TEST_F(GetWithHandle, complete_when_a_test_says_so_and_not_written_later)
{
    for (int round = 1; round < 40; ++round) {
        ARMCI_Barrier();
        write_mine(round);
        ARMCI_Barrier();
        ASSERT_EQ(0, round % 2 != 0 ? get_strided() : get_vector());
        while (ARMCI_Test(&handle) != 0)
            ;
        expect(round);
        std::fill(here.begin(), here.end(), -7);
        long other = 0;
        EXPECT_EQ(0, ARMCI_Get(region.of(target), &other, sizeof other, target));
        EXPECT_EQ(value(target, round, 0), other);
        EXPECT_EQ(segments * words, std::count(here.begin(), here.end(), -7));
    }
}

TEST_F(GetWithHandle, several_of_one_handle_complete_together)
{
    std::vector<long> first;
    ASSERT_EQ(0, get_strided());
    ASSERT_EQ(0, ARMCI_Wait(&handle));
    first = here;
    std::fill(here.begin(), here.end(), -1);
    ASSERT_EQ(0, get_vector());
    std::vector<long> more(segments * words, -1);
    int apart[] = {segment_apart}, packed[] = {segment_bytes}, count[] = {segment_bytes, segments};
    ASSERT_EQ(0, ARMCI_NbGetS(region.of(target), apart, more.data(), packed, count, 1, target, &handle));
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    expect(0);
    EXPECT_EQ(first, more);
}

TEST_F(GetWithHandle, a_later_write_to_the_same_bytes_waits_for_it)
{
    ARMCI_Barrier();
    if (rank() == 0 && target != 0) {
        ASSERT_EQ(0, get_strided());
        std::vector<long> zeros(segments * 2 * words, 0);
        EXPECT_EQ(0, ARMCI_Put(zeros.data(), region.of(target), static_cast<int>(zeros.size() * sizeof(long)),
                               target));
        EXPECT_EQ(0, ARMCI_Wait(&handle));
        expect(0);
    }
}

TEST(GetWithHandleOfRegion, may_be_waited_for_when_the_region_is_gone)
{
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    std::vector<char> here(100 * 16, 'x');
    {
        Region region{100 * 32};
        std::fill_n(reinterpret_cast<char*>(region.mine()), 100 * 32, 'y');
        ARMCI_Barrier();
        int apart[] = {32}, packed[] = {16}, count[] = {16, 100};
        ASSERT_EQ(0, ARMCI_NbGetS(region.of(neighbour()), apart, here.data(), packed, count, 1, neighbour(),
                                  &handle));
        ARMCI_Barrier();
    }
    EXPECT_EQ(0, ARMCI_Wait(&handle));
    EXPECT_EQ(static_cast<long>(here.size()), std::count(here.begin(), here.end(), 'y'));
}

} // namespace
} // namespace armci_test
