// Mutexes of a group, before all processes have any: over MPI's windows, some processes make their first one
// then.
#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <armcix.h>
#include <gtest/gtest.h>

namespace armci_test {
namespace {

void take_turns(armcix_mutex_hdl_t set)
{
    for (int i = 0; i < 20; ++i) {
        ARMCIX_Lock_hdl(set, 0, 0);
        ARMCIX_Unlock_hdl(set, 0, 0);
    }
}

TEST(FirstMutexes, of_a_group_and_then_of_all)
{
    ARMCI_Group world, group;
    ARMCI_Group_get_world(&world);
    const bool is_member = rank() < 2;
    ASSERT_EQ(0, ARMCIX_Group_split(&world, is_member ? 0 : 1, rank(), &group));
    armcix_mutex_hdl_t of_group = nullptr;
    if (is_member) {
        of_group = ARMCIX_Create_mutexes_hdl(1, &group);
        ASSERT_NE(of_group, nullptr);
        take_turns(of_group);
    }
    ARMCI_Barrier();
    const armcix_mutex_hdl_t of_all = ARMCIX_Create_mutexes_hdl(1, &world);
    ASSERT_NE(of_all, nullptr);
    take_turns(of_all);
    EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(of_all));
    // The others have no mutex any more.
    if (is_member) {
        take_turns(of_group);
        EXPECT_EQ(0, ARMCIX_Destroy_mutexes_hdl(of_group));
    }
    ARMCI_Group_free(&group);
}

} // namespace
} // namespace armci_test
