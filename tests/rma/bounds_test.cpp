// Between nodes, over MPI: how much one call of MPI describes, and how many calls are under way, are bounded.
#include "armci/base/mpi_traits.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/pmpi_count.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace armci_test {
namespace {

using armci::traits::in_use;

// Its traits are those of the MPI again when it ends.
class Bounds : public testing::Test {
protected:
    Bounds() : before_(in_use) {}
    ~Bounds() override { in_use = before_; }

    const int target = neighbour();

private:
    armci::traits::Traits before_;
};

TEST_F(Bounds, blocks_of_one_put)
{
    if (!in_use.derived_types)
        GTEST_SKIP() << "this MPI is given no derived types: each segment is a put";
    constexpr int segments = 500;
    in_use.written_blocks = 60;
    const Region region(16 * segments * segments);
    std::vector<std::int64_t> data(segments);
    std::vector<void*> from(segments);
    std::vector<void*> to(segments);
    for (std::size_t i = 0; i < segments; ++i) {
        data[i] = static_cast<std::int64_t>(1000 * rank() + static_cast<int>(i));
        from[i] = &data[i];
        to[i] = region.of(target, static_cast<long>(8 * i * i)); // at no equal distances
    }
    armci_giov_t vector{from.data(), to.data(), 8, segments};
    pmpi::reset();
    EXPECT_EQ(0, ARMCI_PutV(&vector, 1, target));
    EXPECT_EQ(pmpi::count("MPI_Put") + pmpi::count("MPI_Accumulate"), (segments + 59) / 60) << pmpi::report();
    ARMCI_Barrier();
    for (std::size_t i = 0; i < segments; ++i)
        EXPECT_EQ(*region.as<std::int64_t>(rank(), static_cast<long>(8 * i * i)),
                  1000 * neighbour(size() - 1) + static_cast<int>(i));
}

// Each of these sums is a thousand calls.
TEST_F(Bounds, calls_under_way)
{
    constexpr long bytes = 4 << 20;
    constexpr int sums = 10;
    in_use.piece_bytes = in_use.piece_bytes_alone = 4096;
    in_use.accumulated_bytes = UINT64_MAX;
    const Region region(bytes);
    std::vector<int> ones(bytes / sizeof(int), 1);
    int scale = 1;
    std::memset(region.mine(), 0, bytes);
    ARMCI_Barrier();
    pmpi::reset();
    for (int i = 0; i < sums; ++i)
        EXPECT_EQ(0,
                  ARMCI_NbAcc(ARMCI_ACC_INT, &scale, ones.data(), region.of(target), bytes, target, nullptr));
    if (!in_use.adds_at_origin) { // else all goes by gets and puts of the library's own, one after the other
        EXPECT_EQ(pmpi::count("MPI_Accumulate"), sums * bytes / 4096);
        EXPECT_GE(pmpi::count("MPI_Win_flush_local") + pmpi::count("MPI_Win_flush_local_all") +
                      pmpi::count("MPI_Win_flush"),
                  sums * bytes / 4096 / 4096)
            << pmpi::report();
    }
    EXPECT_EQ(0, ARMCI_WaitAll());
    ARMCI_Barrier();
    const int* const mine = region.as<int>(rank());
    EXPECT_EQ(std::count(mine, mine + bytes / sizeof(int), sums), bytes / static_cast<long>(sizeof(int)));
}

} // namespace
} // namespace armci_test
