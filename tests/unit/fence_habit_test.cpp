#include "gmr/network/fence_habit.hpp"

#include <gtest/gtest.h>

namespace armci::gmr {
namespace {

using namespace std::chrono_literals;

class FenceHabitTest : public testing::Test {
protected:
    FenceHabit habit;
    FenceHabit::Clock::time_point now{};

    void write_and_fence(std::chrono::microseconds between, bool alone = true)
    {
        now += 1s;
        habit.wrote(now);
        habit.fenced(alone, now + between);
    }
    void learn()
    {
        for (int i = 0; i < 3; ++i) {
            EXPECT_FALSE(habit.expects_fence()) << i;
            write_and_fence(1us);
        }
        EXPECT_TRUE(habit.expects_fence());
    }
};

TEST_F(FenceHabitTest, is_learnt_from_three_and_kept)
{
    learn();
    for (int i = 0; i < 1000; ++i) {
        write_and_fence(1us);
        ASSERT_TRUE(habit.expects_fence()) << i;
    }
}

TEST_F(FenceHabitTest, is_lost_by_a_second_write)
{
    learn();
    habit.wrote(now);
    EXPECT_FALSE(habit.expects_fence()) << "the fence has not come";
    habit.wrote(now);
    habit.fenced(true, now);
    EXPECT_FALSE(habit.expects_fence());
    write_and_fence(1us);
    write_and_fence(1us);
    EXPECT_TRUE(habit.expects_fence());
}

TEST_F(FenceHabitTest, is_lost_by_a_late_fence)
{
    learn();
    write_and_fence(100us);
    learn();
}

TEST_F(FenceHabitTest, is_lost_by_a_fence_of_several)
{
    learn();
    write_and_fence(1us, false);
    learn();
}

TEST_F(FenceHabitTest, is_not_learnt_from_fences_without_writes)
{
    for (int i = 0; i < 10; ++i)
        habit.fenced(true, now);
    learn();
}

} // namespace
} // namespace armci::gmr
