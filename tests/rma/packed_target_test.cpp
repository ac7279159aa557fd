// Strided puts and gets of bytes that lie together at the target take the way of contiguous ones: counted by
// the profiling interface. Global Arrays makes them where a patch takes all columns of a process.
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

namespace armci_test {
namespace {

constexpr int rows = 50;
constexpr int row = 3;   // doubles
constexpr int apart = 5; // doubles from row to row here

class PackedTarget : public testing::Test {
protected:
    Region region{rows * row * sizeof(double)};
    const int target = neighbour();
    std::vector<double> here = std::vector<double>(rows * apart, -1);
    int stride_here[1] = {apart * sizeof(double)};
    int stride_there[1] = {row * sizeof(double)};
    int count[2] = {row * sizeof(double), rows};

    void SetUp() override
    {
        if (const std::string why = why_not_flushed(target); !why.empty())
            GTEST_SKIP() << why;
        if (setting("ARMCI_ORDERING") != "accumulate" || setting("ARMCI_STRIDED_METHOD") != "auto")
            GTEST_SKIP() << "puts are not accumulates, or not by derived types";
        ARMCI_Barrier();
    }
    void TearDown() override { ARMCI_Barrier(); }
};

TEST_F(PackedTarget, put_and_get_are_one_accumulate)
{
    std::vector<double> there(rows * row);
    std::iota(there.begin(), there.end(), 1000.0 * armci_msg_me());
    for (int i = 0; i < rows; ++i)
        std::copy_n(there.begin() + i * row, row, here.begin() + i * apart);
    const std::vector<double> sent = here;
    pmpi::reset();
    EXPECT_EQ(0, ARMCI_PutS(here.data(), stride_here, region.of(target), stride_there, count, 1, target));
    EXPECT_EQ(1, pmpi::count("MPI_Accumulate"));
    EXPECT_EQ(0, pmpi::count("MPI_Put"));
    ARMCI_Fence(target);

    std::fill(here.begin(), here.end(), -1);
    pmpi::reset();
    EXPECT_EQ(0, ARMCI_GetS(region.of(target), stride_there, here.data(), stride_here, count, 1, target));
    EXPECT_EQ(1, pmpi::count("MPI_Get_accumulate"));
    EXPECT_EQ(0, pmpi::count("MPI_Get"));
    EXPECT_EQ(sent, here) << "what lies between the rows included";
}

} // namespace
} // namespace armci_test
