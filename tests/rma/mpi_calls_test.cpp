// On one node no operation needs MPI: counted by the profiling interface, whoever makes the calls.
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"
#include "tests/support/pmpi_count.hpp"

#include <armcix.h>

#include <algorithm>

namespace armci_test {
namespace {

// Runs `act` and expects that nobody called MPI meanwhile.
template <class Act>
void expect_no_mpi(const char* what, Act act)
{
    pmpi::reset();
    act();
    const std::string calls = pmpi::report();
    EXPECT_EQ(calls, "") << what;
}

class MpiCalls : public testing::Test {
protected:
    static constexpr int bytes = 100'000;
    Region region{bytes};
    const int target = neighbour();
    std::vector<double> local = std::vector<double>(bytes / sizeof(double));
    double scale = 2;
    int stride[2] = {80, 800}, count[3] = {40, 5, 10};

    void SetUp() override
    {
        for (int p = 0; p < size(); ++p)
            if (!ARMCI_Same_node(p))
                GTEST_SKIP() << "process " << p << " is on another node";
        if (setting("ARMCI_FORCE_MPI") == "1")
            GTEST_SKIP() << "ARMCI_FORCE_MPI sends every operation through MPI";
    }
};

TEST_F(MpiCalls, none_for_contiguous_transfer)
{
    for (const int n : {8, 4096, bytes}) {
        expect_no_mpi("Put", [&] { ARMCI_Put(local.data(), region.of(target), n, target); });
        expect_no_mpi("Get", [&] { ARMCI_Get(region.of(target), local.data(), n, target); });
        expect_no_mpi("Acc",
                      [&] { ARMCI_Acc(ARMCI_ACC_DBL, &scale, local.data(), region.of(target), n, target); });
    }
    expect_no_mpi("Put_flag", [&] {
        ARMCI_Put_flag(local.data(), region.of(target), 800, region.as<int>(target, 1000), 1, target);
    });
    expect_no_mpi("values", [&] {
        ARMCI_PutValueDouble(1, region.of(target), target);
        ARMCI_GetValueInt(region.of(target), target);
    });
}

TEST_F(MpiCalls, none_for_strided_and_vector_transfer)
{
    std::byte* const there = region.of(target);
    expect_no_mpi("PutS", [&] { ARMCI_PutS(local.data(), stride, there, stride, count, 2, target); });
    expect_no_mpi("GetS", [&] { ARMCI_GetS(there, stride, local.data(), stride, count, 2, target); });
    // Rows of these widths have code of their own, and many of them others again.
    for (const int width : {8, 16, 32, 40, 64}) {
        for (const int rows : {2, 50}) {
            int one_level[2] = {width, rows};
            expect_no_mpi("PutS, one level",
                          [&] { ARMCI_PutS(local.data(), stride, there, stride, one_level, 1, target); });
            expect_no_mpi("GetS, one level",
                          [&] { ARMCI_GetS(there, stride, local.data(), stride, one_level, 1, target); });
        }
    }
    expect_no_mpi("AccS", [&] {
        ARMCI_AccS(ARMCI_ACC_DBL, &scale, local.data(), stride, there, stride, count, 2, target);
    });
    void* here_list[] = {&local[0], &local[10]};
    void* there_list[] = {there, there + 800};
    armci_giov_t out{here_list, there_list, 80, 2}, in{there_list, here_list, 80, 2};
    expect_no_mpi("PutV", [&] { ARMCI_PutV(&out, 1, target); });
    expect_no_mpi("GetV", [&] { ARMCI_GetV(&in, 1, target); });
    expect_no_mpi("AccV", [&] { ARMCI_AccV(ARMCI_ACC_DBL, &scale, &out, 1, target); });
}

TEST_F(MpiCalls, none_for_nonblocking_transfer_and_its_completion)
{
    expect_no_mpi("nonblocking", [&] {
        armci_hdl_t handle;
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_NbPut(local.data(), region.of(target), 8000, target, &handle);
        ARMCI_Wait(&handle);
        ARMCI_NbGetS(region.of(target), stride, local.data(), stride, count, 2, target, &handle);
        while (ARMCI_Test(&handle) != 0) {
        }
        ARMCI_NbAcc(ARMCI_ACC_DBL, &scale, local.data(), region.of(target), 8000, target, nullptr);
        ARMCI_WaitProc(target);
        ARMCI_WaitAll();
    });
}

TEST_F(MpiCalls, none_for_read_modify_write)
{
    long value = 0;
    expect_no_mpi("Rmw", [&] {
        for (const int operation :
             {ARMCI_FETCH_AND_ADD, ARMCI_FETCH_AND_ADD_LONG, ARMCI_SWAP, ARMCI_SWAP_LONG})
            ARMCI_Rmw(operation, &value, region.of(0), 1, 0);
    });
}

TEST_F(MpiCalls, none_for_fences)
{
    ARMCI_Group world;
    ARMCI_Group_get_world(&world);
    expect_no_mpi("fences", [&] {
        ARMCI_Put(local.data(), region.of(target), 800, target);
        ARMCI_Fence(target);
        ARMCI_AllFence();
        ARMCI_GroupFence(&world);
    });
}

TEST_F(MpiCalls, none_for_a_mutex_that_is_free)
{
    ASSERT_EQ(0, ARMCI_Create_mutexes(1));
    expect_no_mpi("Lock", [&] {
        ARMCI_Lock(0, rank()); // a mutex of its own for each rank
        ARMCI_Unlock(0, rank());
    });
    ASSERT_EQ(0, ARMCI_Destroy_mutexes());
}

TEST_F(MpiCalls, none_for_direct_access)
{
    expect_no_mpi("Access", [&] {
        ARMCI_Access_begin(region.mine());
        ARMCI_Access_end(region.mine());
    });
}

// --- Collective calls: no window and no communication of MPI; only a long wait may poll it
// ---------------------

// True when MPI was only polled for progress.
bool polled_only()
{
    return pmpi::without_polls() == pmpi::count("MPI_Improbe") + pmpi::count("MPI_Test");
}

TEST_F(MpiCalls, allocation_makes_no_window_and_sends_nothing)
{
    std::vector<void*> bases(static_cast<std::size_t>(size()));
    pmpi::reset();
    for (const long n : {1L, 100L, 100'000L, 10'000'000L}) {
        ASSERT_EQ(0, ARMCI_Malloc(bases.data(), n));
        ASSERT_EQ(0, ARMCI_Free(bases[static_cast<std::size_t>(rank())]));
    }
    EXPECT_EQ(pmpi::rma(), 0) << pmpi::report();
    EXPECT_TRUE(polled_only()) << pmpi::report();
    if (size() == 1) {
        EXPECT_EQ(pmpi::report(), "");
    }
}

TEST_F(MpiCalls, barrier_and_notify_send_nothing)
{
    pmpi::reset();
    for (int round = 0; round < 100; ++round) {
        ARMCI_Barrier();
        armci_msg_barrier();
        armci_notify(target);
        armci_notify_wait(neighbour(size() - 1), nullptr);
    }
    EXPECT_TRUE(polled_only()) << pmpi::report();
    if (size() == 1) {
        EXPECT_EQ(pmpi::report(), "");
    }
}

} // namespace
} // namespace armci_test
