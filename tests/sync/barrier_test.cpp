#include "tests/rma/region.hpp"
#include "tests/sync/delay.hpp"

#include <functional>
#include <string>

namespace armci_test {
namespace {

struct Kind {
    const char* name;
    std::function<void()> barrier;
};
const Kind kinds[] = {
    {"ARMCI_Barrier", [] { ARMCI_Barrier(); }},
    {"armci_msg_barrier", [] { armci_msg_barrier(); }},
    {"armci_msg_group_barrier",
     [] {
         ARMCI_Group world;
         ARMCI_Group_get_world(&world);
         armci_msg_group_barrier(&world);
     }},
};

class Barrier : public testing::TestWithParam<int> {};
INSTANTIATE_TEST_SUITE_P(Of, Barrier, testing::Values(0, 1, 2),
                         [](const auto& test) { return std::string(kinds[test.param].name); });

// Each rank counts its rounds in its own slice. Between two barriers nobody counts on, so all show the same
// round.
TEST_P(Barrier, nobody_leaves_before_all_have_come)
{
    Region region(sizeof(long));
    auto random = rank_generator(90);
    volatile long* const mine = region.as<long>(rank());
    for (long round = 1; round <= 400; ++round) {
        random_delay(random);
        *mine = round;
        kinds[GetParam()].barrier();
        for (int p = 0; p < size(); ++p) {
            const long seen = loads_reach(p) ? *static_cast<volatile long*>(region.as<long>(p))
                                             : ARMCI_GetValueLong(region.of(p), p);
            ASSERT_EQ(seen, round) << "of process " << p;
        }
        kinds[GetParam()].barrier();
    }
}

// No work between them: the phases of one must not mix with those of the next.
TEST_P(Barrier, many_in_a_row)
{
    for (int i = 0; i < 1500; ++i)
        kinds[GetParam()].barrier();
}

// One late rank; the others wait long enough to sleep.
TEST_P(Barrier, waits_for_a_late_rank)
{
    Region region(sizeof(int));
    for (int late = 0; late < size(); ++late) {
        *region.as<int>(rank()) = 0;
        ARMCI_Barrier();
        if (rank() == late) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
            for (int p = 0; p < size(); ++p)
                ASSERT_EQ(0, ARMCI_PutValueInt(1, region.of(p), p));
            ARMCI_AllFence();
        }
        kinds[GetParam()].barrier();
        EXPECT_EQ(*static_cast<volatile int*>(region.as<int>(rank())), 1);
        ARMCI_Barrier();
    }
}

} // namespace
} // namespace armci_test
