#include "tests/rma/region.hpp"

#include <armcix.h>

namespace armci_test {
namespace {

TEST(Access, brackets_direct_loads_and_stores)
{
    Region region(1000);
    for (int round = 0; round < 10; ++round) {
        ARMCI_Access_begin(region.mine());
        region.as<int>(rank())[round] = 100 * rank() + round;
        ARMCI_Access_end(region.mine());
    }
    ARMCI_Barrier();
    for (int p = 0; p < size(); ++p)
        for (int round = 0; round < 10; ++round)
            EXPECT_EQ(ARMCI_GetValueInt(region.as<int>(p) + round, p), 100 * p + round);
}

TEST(Access, may_nest_and_name_any_byte_of_the_slice)
{
    Region a(1000), b(1000);
    ARMCI_Access_begin(a.mine());
    ARMCI_Access_begin(a.mine(999));
    ARMCI_Access_begin(b.mine(5));
    *a.mine(10) = std::byte{7};
    ARMCI_Access_end(a.mine(500));
    ARMCI_Access_end(b.mine());
    ARMCI_Access_end(a.mine());
    ARMCI_Barrier();
    EXPECT_EQ(*a.mine(10), std::byte{7});
}

TEST(Access, others_may_communicate_meanwhile)
{
    Region region(static_cast<long>(sizeof(int)) * size());
    ARMCI_Access_begin(region.mine());
    ASSERT_EQ(0, ARMCI_PutValueInt(rank() + 1, region.as<int>(neighbour()) + rank(), neighbour()));
    ARMCI_Access_end(region.mine());
    ARMCI_Barrier();
    const int left = neighbour(size() - 1);
    EXPECT_EQ(region.as<int>(rank())[left], left + 1);
}

TEST(Mode, is_all_at_first_and_then_what_was_set)
{
    Region region(1000);
    EXPECT_EQ(ARMCIX_Mode_get(region.mine()), ARMCIX_MODE_ALL);
    for (const int mode :
         {static_cast<int>(ARMCIX_MODE_CONFLICT_FREE), static_cast<int>(ARMCIX_MODE_NO_LOAD_STORE),
          ARMCIX_MODE_CONFLICT_FREE | ARMCIX_MODE_NO_LOAD_STORE | ARMCIX_MODE_READ_ONLY,
          ARMCIX_MODE_NO_LOAD_STORE | ARMCIX_MODE_ACC_ONLY, static_cast<int>(ARMCIX_MODE_ALL)}) {
        ASSERT_EQ(0, ARMCIX_Mode_set(mode, region.mine(), nullptr));
        EXPECT_EQ(ARMCIX_Mode_get(region.mine()), mode);
        EXPECT_EQ(ARMCIX_Mode_get(region.mine(999)), mode) << "of any byte of the slice";
    }
}

TEST(Mode, belongs_to_one_region)
{
    Region a(1000), b(1000);
    ASSERT_EQ(0, ARMCIX_Mode_set(ARMCIX_MODE_READ_ONLY, a.mine(), nullptr));
    EXPECT_EQ(ARMCIX_Mode_get(b.mine()), ARMCIX_MODE_ALL);
    EXPECT_EQ(ARMCIX_Mode_get(a.mine()), ARMCIX_MODE_READ_ONLY);
}

TEST(Mode, synchronises_and_completes_what_came_before)
{
    Region region(static_cast<long>(sizeof(int)));
    ASSERT_EQ(0, ARMCI_PutValueInt(rank() + 50, region.as<int>(neighbour()), neighbour()));
    ASSERT_EQ(0, ARMCIX_Mode_set(ARMCIX_MODE_READ_ONLY, region.mine(), nullptr));
    EXPECT_EQ(*region.as<int>(rank()), neighbour(size() - 1) + 50);
}

// A promise that is kept never changes an answer.
TEST(Mode, kept_promises_give_the_same_answers)
{
    Region region(static_cast<long>(sizeof(long)) * 100);
    for (int i = 0; i < 100; ++i)
        region.as<long>(rank())[i] = i;
    ASSERT_EQ(0, ARMCIX_Mode_set(ARMCIX_MODE_ACC_ONLY | ARMCIX_MODE_NO_LOAD_STORE, region.mine(), nullptr));
    std::vector<long> ones(100, 1);
    long scale = 2;
    for (int p = 0; p < size(); ++p)
        ASSERT_EQ(0, ARMCI_Acc(ARMCI_ACC_LNG, &scale, ones.data(), region.of(p), 800, p));
    ASSERT_EQ(0, ARMCIX_Mode_set(ARMCIX_MODE_READ_ONLY, region.mine(), nullptr));
    for (int p = 0; p < size(); ++p) {
        std::vector<long> got(100);
        ASSERT_EQ(0, ARMCI_Get(region.of(p), got.data(), 800, p));
        for (int i = 0; i < 100; ++i)
            EXPECT_EQ(got[static_cast<std::size_t>(i)], i + 2 * size());
    }
    ASSERT_EQ(0, ARMCIX_Mode_set(ARMCIX_MODE_ALL, region.mine(), nullptr));
}

TEST(Mode, of_a_region_where_some_slices_are_empty)
{
    Region region(rank() == 0 ? 100 : 0);
    ASSERT_EQ(0, ARMCIX_Mode_set(ARMCIX_MODE_READ_ONLY, region.mine(), nullptr));
    if (rank() == 0) {
        EXPECT_EQ(ARMCIX_Mode_get(region.mine()), ARMCIX_MODE_READ_ONLY);
    }
}

} // namespace
} // namespace armci_test
