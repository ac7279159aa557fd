// Wrong arguments of contiguous transfers, flags, nonblocking handles, ordering and read-modify-write.
#include "tests/errors/refusal.hpp"

#include <climits>
#include <cstdlib>

namespace armci_test {
namespace {

class Contiguous : public Watched {
protected:
    // Every call that moves bytes between `remote` of a process and the origin buffer.
    static void refused_by_all(std::initializer_list<std::string> fragments, void* remote, int bytes,
                               int process)
    {
        char* const mine = origin.data();
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        refused("ARMCI_Put", fragments, [&] { return ARMCI_Put(mine, remote, bytes, process); });
        refused("ARMCI_Get", fragments, [&] { return ARMCI_Get(remote, mine, bytes, process); });
        refused("ARMCI_NbPut", fragments, [&] { return ARMCI_NbPut(mine, remote, bytes, process, &handle); });
        refused("ARMCI_NbGet", fragments, [&] { return ARMCI_NbGet(remote, mine, bytes, process, nullptr); });
    }
    static void refused_accumulate(std::initializer_list<std::string> fragments, int type, void* scale,
                                   void* remote, int bytes, int process)
    {
        refused("ARMCI_Acc", fragments,
                [&] { return ARMCI_Acc(type, scale, origin.data(), remote, bytes, process); });
        refused("ARMCI_NbAcc", fragments,
                [&] { return ARMCI_NbAcc(type, scale, origin.data(), remote, bytes, process, nullptr); });
    }
    // Calls of one element.
    static void refused_by_values(std::initializer_list<std::string> fragments, void* remote, int process)
    {
        int value = 0;
        const auto wrong_value = [&](const char* name, auto get) {
            std::string text;
            call_and_listen(get, text); // the result is a value, and may be any
            EXPECT_TRUE(is_one_message(text, name, fragments));
        };
        refused("ARMCI_PutValueInt", fragments, [&] { return ARMCI_PutValueInt(1, remote, process); });
        refused("ARMCI_PutValueLong", fragments, [&] { return ARMCI_PutValueLong(1, remote, process); });
        refused("ARMCI_PutValueFloat", fragments, [&] { return ARMCI_PutValueFloat(1, remote, process); });
        refused("ARMCI_PutValueDouble", fragments, [&] { return ARMCI_PutValueDouble(1, remote, process); });
        refused("ARMCI_NbPutValueInt", fragments,
                [&] { return ARMCI_NbPutValueInt(1, remote, process, nullptr); });
        refused("ARMCI_NbPutValueLong", fragments,
                [&] { return ARMCI_NbPutValueLong(1, remote, process, nullptr); });
        refused("ARMCI_NbPutValueFloat", fragments,
                [&] { return ARMCI_NbPutValueFloat(1, remote, process, nullptr); });
        refused("ARMCI_NbPutValueDouble", fragments,
                [&] { return ARMCI_NbPutValueDouble(1, remote, process, nullptr); });
        wrong_value("ARMCI_GetValueInt", [&] { return ARMCI_GetValueInt(remote, process); });
        wrong_value("ARMCI_GetValueLong", [&] { return ARMCI_GetValueLong(remote, process); });
        wrong_value("ARMCI_GetValueFloat", [&] { return ARMCI_GetValueFloat(remote, process); });
        wrong_value("ARMCI_GetValueDouble", [&] { return ARMCI_GetValueDouble(remote, process); });
        refused("ARMCI_Rmw", fragments,
                [&] { return ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &value, remote, 1, process); });
        EXPECT_EQ(0, value);
    }

    inline static double one = 1.0;
};

TEST_F(Contiguous, ProcessOutOfRange)
{
    for (const int process : {-1, processes, INT_MAX, INT_MIN}) {
        const std::string named = "process " + std::to_string(process) + " does not exist";
        const std::string range = "0 to " + std::to_string(processes - 1);
        refused_by_all({named, range}, large, 64, process);
        refused_accumulate({named, range}, ARMCI_ACC_DBL, &one, large, 64, process);
        refused_by_values({named, range}, large, process);
        int flag = 0;
        refused("ARMCI_Put_flag", {named, range}, [&] {
            return ARMCI_Put_flag(origin.data(), large, 8, reinterpret_cast<int*>(small), 1, process);
        });
        refused("ARMCI_Fence", {named, range}, [&] { ARMCI_Fence(process); });
        refused("ARMCI_WaitProc", {named, range}, [&] { return ARMCI_WaitProc(process); });
        refused("armci_notify_wait", {named, range}, [&] { return armci_notify_wait(process, &flag); });
        std::string text;
        EXPECT_EQ(0, call_and_listen([&] { return armci_notify(process); }, text));
        EXPECT_TRUE(is_one_message(text, "armci_notify", {named, range}));
    }
}

TEST_F(Contiguous, AddressInNoRegion)
{
    int on_stack = 0;
    void* const on_heap = std::malloc(64);
    void* const in_local = ARMCI_Malloc_local(64);
    for (void* const address : {static_cast<void*>(nullptr), static_cast<void*>(&on_stack), on_heap, in_local,
                                static_cast<void*>(large - 8), static_cast<void*>(large + large_bytes),
                                static_cast<void*>(small - 8), reinterpret_cast<void*>(INTPTR_MAX - 63)}) {
        // %p shows NULL as (nil)
        const std::string named = "address " + text_of(address);
        const std::string process = "process " + std::to_string(target);
        refused_by_all({named, process, "lies in no global memory"}, address, 8, target);
        refused_by_values({process},
                          reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(address) & ~7ul), target);
    }
    refused_accumulate({"lies in no global memory"}, ARMCI_ACC_INT, &one, &on_stack, 4, target);
    std::free(on_heap);
    ARMCI_Free_local(in_local);
}

TEST_F(Contiguous, PointerOfAnotherProcess)
{
    if (processes == 1)
        GTEST_SKIP() << "one process has no other to confuse it with";
    const int other = (target + 1) % processes;
    if (!same_node(target, other))
        GTEST_SKIP() << "on another node the address may be good, too";
    if (!armci_test::shares_addresses())
        GTEST_SKIP() << "with windows of their own the address may be good in both processes";
    refused_by_all({"lies in no global memory of process " + std::to_string(other),
                    "belongs to process " + std::to_string(target)},
                   large, 64, other);
}

TEST_F(Contiguous, MemoryThatIsFreed)
{
    std::vector<void*> bases(processes);
    for (const int bytes : {48, large_bytes}) {
        ASSERT_EQ(0, ARMCI_Malloc(bases.data(), bytes));
        double value = 0; // look-ups remember what they found
        EXPECT_EQ(0, ARMCI_Get(bases[target], &value, sizeof value, target));
        ARMCI_Barrier();
        ARMCI_Free(bases[me]);
        ARMCI_Barrier(); // the target has freed it too
        refused_by_all({"lies in no global memory"}, bases[target], 8, target);
        ARMCI_Barrier();
    }
}

TEST_F(Contiguous, ExtentPastTheEnd)
{
    const auto past_end = [](char* start, int size, int from, int bytes) {
        refused_by_all({std::to_string(bytes) + " bytes from " + text_of(start + from),
                        "end " + std::to_string(from + static_cast<long>(bytes) - size) + " bytes past",
                        "the region has " + std::to_string(size) + " bytes",
                        std::to_string(size - from) + " are left"},
                       start + from, bytes, target);
        if (bytes % 8 == 0 && from % 8 == 0)
            refused_accumulate({"past the region's end"}, ARMCI_ACC_DBL, &one, start + from, bytes, target);
    };
    past_end(large, large_bytes, 0, large_bytes + 1);
    past_end(large, large_bytes, large_bytes - 8, 16);
    past_end(large, large_bytes, large_bytes - 1, 2);
    past_end(large, large_bytes, 1, INT_MAX);
    past_end(small, small_bytes, 0, small_bytes + 8);
    past_end(small, small_bytes, small_bytes - 1, 2);
    refused_by_values({"past the region's end", "2 are left"}, large + large_bytes - 2, target);
}

TEST_F(Contiguous, NegativeSize)
{
    for (const int bytes : {-1, INT_MIN}) {
        const std::string named = "size is " + std::to_string(bytes) + " bytes";
        refused_by_all({named, "must not be negative"}, large, bytes, target);
        refused_accumulate({named}, ARMCI_ACC_INT, &one, large, bytes, target);
        refused("ARMCI_Copy", {named}, [&] { ARMCI_Copy(origin.data(), large, bytes); });
        refused("ARMCI_Put_flag", {named}, [&] {
            return ARMCI_Put_flag(origin.data(), large, bytes, reinterpret_cast<int*>(small), 1, target);
        });
    }
}

TEST_F(Contiguous, AccumulateTypeAndScale)
{
    for (const int type : {-1, 6, INT_MAX})
        refused_accumulate({"type is " + std::to_string(type), "0 (ARMCI_ACC_INT) to 5 (ARMCI_ACC_DCP)"},
                           type, &one, large, 64, target);
    refused_accumulate({"scale is NULL"}, ARMCI_ACC_DBL, nullptr, large, 64, target);
}

TEST_F(Contiguous, AccumulateSizeAndAlignment)
{
    struct {
        int type, size, alignment;
    } const kinds[] = {{ARMCI_ACC_INT, 4, 4}, {ARMCI_ACC_LNG, 8, 8}, {ARMCI_ACC_FLT, 4, 4},
                       {ARMCI_ACC_DBL, 8, 8}, {ARMCI_ACC_CPL, 8, 4}, {ARMCI_ACC_DCP, 16, 8}};
    double complex[2] = {1, 1};
    for (const auto& kind : kinds) {
        for (const int bytes : {1, kind.size - 1, kind.size + 1, 3 * kind.size + kind.size / 2})
            refused_accumulate({"a segment has " + std::to_string(bytes) + " bytes",
                                "multiple of " + std::to_string(kind.size)},
                               kind.type, complex, large, bytes, target);
        for (const int shift :
             {1, 2, 3, kind.alignment / 2}) // no alignment is asked for, but the bounds hold
            refused_accumulate({"past the region's end"}, kind.type, complex,
                               large + large_bytes - 2 * kind.size + shift, 2 * kind.size, target);
    }
}

TEST_F(Contiguous, FlagIsJudgedBeforeDataMoves)
{
    const auto put_flag = [](void* flag) {
        return
            [flag] { return ARMCI_Put_flag(origin.data(), large, 64, static_cast<int*>(flag), 7, target); };
    };
    refused("ARMCI_Put_flag", {"flag address " + text_of(small + 2), "multiple of 4"}, put_flag(small + 2));
    refused("ARMCI_Put_flag", {"lies in no global memory"}, put_flag(nullptr));
    refused("ARMCI_Put_flag", {"lies in no global memory"}, put_flag(large + large_bytes + 2));
    // And the data before the flag is raised.
    refused("ARMCI_Put_flag", {"past the region's end"}, [] {
        return ARMCI_Put_flag(origin.data(), large + 8, large_bytes, reinterpret_cast<int*>(small), 7,
                              target);
    });
}

TEST_F(Contiguous, NullHandle)
{
    refused("ARMCI_INIT_HANDLE", {"handle is NULL"}, [] { ARMCI_INIT_HANDLE(nullptr); });
    refused("ARMCI_SET_AGGREGATE_HANDLE", {"handle is NULL"}, [] { ARMCI_SET_AGGREGATE_HANDLE(nullptr); });
    refused("ARMCI_UNSET_AGGREGATE_HANDLE", {"handle is NULL"},
            [] { ARMCI_UNSET_AGGREGATE_HANDLE(nullptr); });
    refused("ARMCI_Wait", {"handle is NULL", "ARMCI_WaitAll"}, [] { return ARMCI_Wait(nullptr); });
    refused("ARMCI_Test", {"handle is NULL"}, [] { return ARMCI_Test(nullptr); });
}

TEST_F(Contiguous, ReadModifyWrite)
{
    long value = 5;
    const auto rmw = [&](int operation, void* local, void* remote) {
        return [=] { return ARMCI_Rmw(operation, local, remote, 1, target); };
    };
    for (const int operation : {-1, 4, INT_MAX})
        refused("ARMCI_Rmw", {"operation is " + std::to_string(operation), "3 (ARMCI_SWAP_LONG)"},
                rmw(operation, &value, large));
    refused("ARMCI_Rmw", {"local buffer is NULL"}, rmw(ARMCI_SWAP, nullptr, large));
    refused("ARMCI_Rmw", {text_of(large + 2), "multiple of 4"}, rmw(ARMCI_FETCH_AND_ADD, &value, large + 2));
    refused("ARMCI_Rmw", {text_of(large + 4), "multiple of 8"}, rmw(ARMCI_SWAP_LONG, &value, large + 4));
    refused("ARMCI_Rmw", {"lies in no global memory"}, rmw(ARMCI_SWAP, &value, &value));
    EXPECT_EQ(5, value);
}

// Loads and stores reach it on a node; no window does between nodes.
TEST_F(Contiguous, MemoryOfAGroupFromOutside)
{
    if (processes == 1)
        GTEST_SKIP() << "there is one process, and none outside its group";
    int member = 1;
    ARMCI_Group group;
    ARMCI_Group_create(1, &member, &group);
    void* base = nullptr;
    if (me == 1) {
        ASSERT_EQ(0, ARMCI_Malloc_group(&base, sizeof(long), &group));
        *static_cast<long*>(base) = 5;
    }
    armci_msg_brdcst(&base, sizeof base, 1);
    long value = 7;
    if (me == 0 && ARMCI_Same_node(1))
        EXPECT_EQ(0, ARMCI_Put(&value, base, sizeof value, 1));
    else if (me == 0)
        refused("ARMCI_Put", {"lies in no global memory of process 1"},
                [&] { return ARMCI_Put(&value, base, sizeof value, 1); });
    ARMCI_Barrier();
    if (me == 1) {
        EXPECT_EQ(*static_cast<long*>(base), ARMCI_Same_node(0) ? 7 : 5);
        ASSERT_EQ(0, ARMCI_Free_group(base, &group));
        ARMCI_Group_free(&group);
    }
    ARMCI_Barrier();
}

} // namespace
} // namespace armci_test
