// A process that seldom calls the library, and then for memory that load and store reach, still lets others
// change its own.
#include "tests/rma/region.hpp"

#include <atomic>
#include <chrono>
#include <thread>

namespace armci_test {
namespace {

TEST(Seldom, few_operations_on_the_own_node_let_others_in)
{
    constexpr int most = 50; // fewer than what lets MPI progress by their number alone
    Region region{64};
    std::atomic_ref<long> arrived(*reinterpret_cast<long*>(region.mine()));
    arrived = 0;
    ARMCI_Barrier();
    const int last = size() - 1;
    if (rank() != 0 && rank() == last) {
        long one = 1;
        ASSERT_EQ(0, ARMCI_Put(&one, region.of(0), sizeof one, 0));
        ARMCI_Fence(0);
    } else if (rank() == 0 && last > 0) {
        long own = 7;
        int calls = 0;
        while (arrived == 0 && calls++ < most) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20)); // computes
            ASSERT_EQ(0, ARMCI_Put(&own, region.of(0) + 32, sizeof own, 0));
        }
        EXPECT_EQ(1, arrived) << "after " << calls << " calls";
    }
    ARMCI_Barrier();
}

} // namespace
} // namespace armci_test
