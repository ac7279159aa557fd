// Mistakes in collective calls: every member gets an error, one of them says why, and the group works on.
#include "tests/errors/together.hpp"

#include <armcix.h>

#include <climits>
#include <numeric>

namespace armci_test {
namespace {

class Collective : public testing::Test {
protected:
    void SetUp() override
    {
        ASSERT_EQ(0, ARMCI_Malloc(first.data(), 1000));
        ASSERT_EQ(0, ARMCI_Malloc(second.data(), 200'000));
        std::memset(first[me], 1, 1000);
        ARMCI_Barrier();
    }
    void TearDown() override
    {
        EXPECT_EQ(0, ARMCI_Free(first[me])); // NULL on all ranks where the test has freed it
        EXPECT_EQ(0, ARMCI_Free(second[me]));
        ARMCI_Barrier();
    }

    // What was allocated before the refused call works on, and so does an allocation after it.
    template <class Call>
    void refused_on_all(std::initializer_list<std::string> fragments, Call call)
    {
        expect_refused_on_all(fragments, call);
        expect_memory_works();
        const int right = (me + 1) % processes;
        ASSERT_EQ(0, ARMCI_PutValueInt(2000 + me, second[right], right));
        ARMCI_Barrier();
        EXPECT_EQ(2000 + (me + processes - 1) % processes, *static_cast<int*>(second[me]));
        ARMCI_Barrier();
    }

    const int me = rank(), processes = size(), last = processes - 1;
    std::vector<void*> first = std::vector<void*>(processes), second = std::vector<void*>(processes);
};

TEST_F(Collective, NegativeSizeOnOneRank)
{
    std::vector<void*> bases(processes, this);
    for (const long wrong : {-1L, LONG_MIN})
        refused_on_all({"process " + std::to_string(last) + " asked for " + std::to_string(wrong) + " bytes"},
                       [&] { return ARMCI_Malloc(bases.data(), me == last ? wrong : 64); });
    refused_on_all({"ARMCI_Malloc_memdev", "must not be negative"},
                   [&] { return ARMCI_Malloc_memdev(bases.data(), me == 0 ? -5 : 64, "ram"); });
    for (void* const base : bases)
        EXPECT_EQ(this, base) << "output of a refused call";
}

TEST_F(Collective, NoArrayOnOneRank)
{
    std::vector<void*> bases(processes);
    refused_on_all({"process " + std::to_string(last) + " passed NULL for the array of pointers"},
                   [&] { return ARMCI_Malloc(me == last ? nullptr : bases.data(), 64); });
}

TEST_F(Collective, DifferentRegionsFreed)
{
    if (processes == 1)
        GTEST_SKIP() << "one process cannot disagree";
    refused_on_all({"belong to different allocations"},
                   [&] { return ARMCI_Free(me == last ? second[me] : first[me]); });
}

TEST_F(Collective, FreedTwice)
{
    void* const mine = first[me];
    ASSERT_EQ(0, ARMCI_Free(mine));
    first[me] = nullptr;
    refused_on_all({"process 0 passed", "freed already"}, [&] { return ARMCI_Free(mine); });
    refused_on_all({"ARMCI_Free_memdev", "freed already"}, [&] { return ARMCI_Free_memdev(mine); });
}

TEST_F(Collective, WhatCannotBeFreed)
{
    int on_stack = 0;
    refused_on_all({"process " + std::to_string(last), "not the start of global memory"},
                   [&] { return ARMCI_Free(me == last ? &on_stack : first[me]); });
    refused_on_all({"not the start of global memory"},
                   [&] { return ARMCI_Free(static_cast<char*>(first[me]) + 64); });
    if (processes > 1 &&
        armci_domain_count(ARMCI_DOMAIN_SMP) == 1) // on another node the address may be good, too
        refused_on_all({"not the start of global memory"},
                       [&] { return ARMCI_Free(first[(me + 1) % processes]); });
    armci_meminfo_t info;
    ASSERT_EQ(0, ARMCI_Memget(64, &info, 0));
    refused_on_all({"another group"}, [&] { return ARMCI_Free(info.addr); });
    ARMCI_Memctl(&info);
}

TEST_F(Collective, FreedOnAnotherGroup)
{
    ARMCI_Group group;
    std::vector<int> all(processes);
    std::iota(all.begin(), all.end(), 0);
    ARMCI_Group_create(processes, all.data(), &group);
    refused_on_all({"ARMCI_Free_group", "allocated on another group"},
                   [&] { return ARMCI_Free_group(first[me], &group); });
    std::vector<void*> bases(processes);
    ASSERT_EQ(0, ARMCI_Malloc_group(bases.data(), 64, &group));
    refused_on_all({"ARMCI_Free:", "allocated on another group"}, [&] { return ARMCI_Free(bases[me]); });
    EXPECT_EQ(0, ARMCI_Free_group(bases[me], &group));
    refused_on_all({"freed already"}, [&] { return ARMCI_Free_group(bases[me], &group); });
    ARMCI_Group_free(&group);
}

TEST_F(Collective, FreedWhileAccessed)
{
    if (me == last)
        ARMCI_Access_begin(first[me]);
    refused_on_all({"process " + std::to_string(last), "direct access is still open", "ARMCI_Access_end"},
                   [&] { return ARMCI_Free(first[me]); });
    if (me == last)
        ARMCI_Access_end(first[me]);
}

TEST_F(Collective, AccessModes)
{
    constexpr int contradiction = ARMCIX_MODE_READ_ONLY | ARMCIX_MODE_ACC_ONLY;
    for (const int wrong : {0x10, -1, contradiction})
        refused_on_all({"process " + std::to_string(last), "gave mode"},
                       [&] { return ARMCIX_Mode_set(me == last ? wrong : 0, first[me], nullptr); });
    refused_on_all({"not the start of global memory"},
                   [&] { return ARMCIX_Mode_set(0, static_cast<char*>(first[me]) + 64, nullptr); });
    if (processes > 1) {
        refused_on_all({"all must give the same"}, [&] {
            return ARMCIX_Mode_set(me == last ? ARMCIX_MODE_READ_ONLY : ARMCIX_MODE_CONFLICT_FREE, first[me],
                                   nullptr);
        });
        refused_on_all({"different allocations"},
                       [&] { return ARMCIX_Mode_set(0, me == last ? second[me] : first[me], nullptr); });
    }
    EXPECT_EQ(ARMCIX_MODE_ALL, ARMCIX_Mode_get(first[me]));
}

TEST_F(Collective, Mutexes)
{
    for (const int wrong : {-1, INT_MIN, INT_MAX}) {
        refused_on_all(
            {"process " + std::to_string(last) + " asked for " + std::to_string(wrong) + " mutexes"},
            [&] { return ARMCI_Create_mutexes(me == last ? wrong : 2); });
        std::string text;
        EXPECT_EQ(0, call_and_listen(
                         [&] { return ARMCIX_Create_mutexes_hdl(me == last ? wrong : 2, nullptr); }, text));
        expect_one_message(text, {"ARMCIX_Create_mutexes_hdl", "asked for"});
    }
    ASSERT_EQ(0, ARMCI_Create_mutexes(1)); // the refused ones left nothing behind
    if (me == last)
        ARMCI_Lock(0, 0);
    refused_on_all({"mutex 0 of process 0 is still held"}, [&] { return ARMCI_Destroy_mutexes(); });
    if (me == last)
        ARMCI_Unlock(0, 0);
    EXPECT_EQ(0, ARMCI_Destroy_mutexes());
}

} // namespace
} // namespace armci_test
