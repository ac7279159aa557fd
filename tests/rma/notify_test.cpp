#include "tests/rma/region.hpp"

#include <algorithm>

namespace armci_test {
namespace {

// The counts go on over the tests of a program; each test relates to what it finds.
int send_and_take(int to, int from)
{
    armci_notify(to);
    int number = -1;
    EXPECT_EQ(0, armci_notify_wait(from, &number));
    return number;
}

TEST(Notify, whoever_is_notified_has_the_puts)
{
    Region region(5000);
    const int right = neighbour(), left = neighbour(size() - 1);
    for (std::uint64_t round = 0; round < 200; ++round) {
        auto data = pattern_bytes(round + static_cast<std::uint64_t>(rank()), 5000);
        ASSERT_EQ(0, ARMCI_Put(data.data(), region.of(right), 5000, right));
        send_and_take(right, left);
        const auto wanted = pattern_bytes(round + static_cast<std::uint64_t>(left), 5000);
        ASSERT_TRUE(std::equal(wanted.begin(), wanted.end(), region.mine())) << "round " << round;
        send_and_take(left, right); // I have looked
    }
}

TEST(Notify, counts_one_up_for_each_pair)
{
    std::vector<int> sent(static_cast<std::size_t>(size())), taken = sent;
    for (int p = 0; p < size(); ++p) {
        sent[static_cast<std::size_t>(p)] = armci_notify(p);
        EXPECT_EQ(0, armci_notify_wait(p, &taken[static_cast<std::size_t>(p)]));
    }
    for (int round = 1; round <= 20; ++round)
        for (int p = 0; p < size(); ++p) {
            EXPECT_EQ(armci_notify(p), sent[static_cast<std::size_t>(p)] + round);
            int number = 0;
            EXPECT_EQ(0, armci_notify_wait(p, &number));
            EXPECT_EQ(number, taken[static_cast<std::size_t>(p)] + round);
        }
    ARMCI_Barrier();
}

TEST(Notify, none_is_lost_when_many_come_before_the_first_wait)
{
    constexpr int many = 1000;
    const int right = neighbour(), left = neighbour(size() - 1);
    for (int i = 0; i < many; ++i)
        armci_notify(right);
    ARMCI_Barrier();
    int before = 0, number = 0;
    for (int i = 0; i < many; ++i) {
        EXPECT_EQ(0, armci_notify_wait(left, &number));
        if (i > 0) {
            EXPECT_EQ(number, before + 1);
        }
        before = number;
    }
    ARMCI_Barrier();
}

TEST(Notify, waits_for_the_one_named_not_for_whoever_comes)
{
    // Notifications of all others are there long before the one of the process waited for.
    if (rank() == 0) {
        for (int p = 1; p < size(); ++p)
            EXPECT_EQ(0, armci_notify_wait(p, nullptr));
        for (int p = size() - 1; p > 0; --p)
            armci_notify(p);
    } else {
        armci_notify(0);
        EXPECT_EQ(0, armci_notify_wait(0, nullptr));
    }
    ARMCI_Barrier();
}

} // namespace
} // namespace armci_test
