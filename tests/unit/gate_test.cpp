// The gate in front of MPI: one thread inside at a time, which may pass again; a child of fork() passes.
#include "armci/service/gate.hpp"

#include <gtest/gtest.h>

#include <sys/wait.h>
#include <unistd.h>

#include <thread>
#include <vector>

namespace {

namespace gate = armci::gate;

class Gate : public testing::TestWithParam<gate::Rule> {
protected:
    ~Gate() override { gate::set_rule(gate::Rule::none); }
};

bool another_thread_can_enter()
{
    bool entered = false;
    std::thread([&] {
        entered = gate::try_enter();
        if (entered)
            gate::leave();
    }).join();
    return entered;
}

TEST_F(Gate, OfNoServiceLetsAllPass)
{
    const std::uint32_t before = gate::entries();
    const gate::Hold hold;
    EXPECT_FALSE(gate::is_occupied());
    EXPECT_TRUE(another_thread_can_enter());
    EXPECT_EQ(gate::entries(), before);
}

TEST_F(Gate, ThatCountsLetsAllPassAndChanges)
{
    gate::set_rule(gate::Rule::count);
    const std::uint32_t before = gate::entries();
    const gate::Hold hold;
    EXPECT_FALSE(gate::is_occupied());
    EXPECT_TRUE(another_thread_can_enter());
    EXPECT_NE(gate::entries(), before);
}

TEST_F(Gate, KeepsOthersOutUntilTheOutermostHoldEnds)
{
    gate::set_rule(gate::Rule::exclusive);
    const std::uint32_t before = gate::entries();
    {
        const gate::Hold hold;
        EXPECT_TRUE(gate::is_occupied());
        {
            const gate::Hold again;
            EXPECT_FALSE(another_thread_can_enter());
        }
        EXPECT_FALSE(another_thread_can_enter());
        EXPECT_EQ(gate::entries(), before + 1);
    }
    EXPECT_FALSE(gate::is_occupied());
    EXPECT_TRUE(another_thread_can_enter());
}

TEST_F(Gate, WhoseRuleEndsInsideIsLeftAllTheSame)
{
    gate::set_rule(gate::Rule::exclusive);
    {
        const gate::Hold hold;
        gate::set_rule(gate::Rule::none);
    }
    EXPECT_FALSE(gate::is_occupied());
    EXPECT_TRUE(another_thread_can_enter());
}

TEST_F(Gate, ExcludesThreadsThatEnterAtOnce)
{
    gate::set_rule(gate::Rule::exclusive);
    constexpr int threads = 4;
    constexpr long turns = 20000;
    long count = 0; // by no atomic: only the gate keeps it right
    std::vector<std::thread> all;
    for (int i = 0; i < threads; ++i)
        all.emplace_back([&, i] {
            for (long turn = 0; turn < turns;) {
                if (i == 0 && !gate::try_enter())
                    continue;
                if (i == 0) {
                    ++count;
                    gate::leave();
                } else {
                    const gate::Hold hold;
                    ++count;
                }
                ++turn;
            }
        });
    for (std::thread& one : all)
        one.join();
    EXPECT_EQ(count, threads * turns);
}

TEST_F(Gate, IsOpenInAChildWhileAThreadOfTheParentIsInside)
{
    gate::set_rule(gate::Rule::exclusive);
    ASSERT_TRUE(gate::try_enter());
    pid_t child = -1;
    std::thread([&] { // not the thread that is inside
        child = fork();
        if (child == 0) {
            const gate::Hold hold;
            _exit(gate::is_occupied() ? 1 : 0);
        }
    })
        .join();
    gate::leave();
    int status = -1;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), 0);
}

} // namespace
