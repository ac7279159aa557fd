// An MPI that loses updates unless locks are exclusive, one that mixes up derived types, one that says it is
// MPICH 4.0.2, whose windows cannot allocate, one that does not know who shares a node, one that keeps two
// copies of the memory of windows, and one that does not answer: made of the real one by its profiling
// interface. The library must notice at start-up, say so once where it matters to users, and give right
// answers all the same.
#include "armci/base/mpi_traits.hpp"
#include "tests/rma/region.hpp"
#include "tests/support/path.hpp"

#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string_view>

namespace {

bool breaks(std::string_view what)
{
    const char* const wanted = std::getenv("TEST_BREAK");
    return wanted != nullptr && what == wanted;
}

int exclusive_locks = 0;
int updates = 0;
int accumulates = 0;
int derived_transfers = 0;
int allocating_windows = 0;
MPI_Win put_window = MPI_WIN_NULL;
std::set<MPI_Win> synchronised;

} // namespace

extern "C" int MPI_Get_library_version(char* text, int* length)
{
    if (!breaks("windows"))
        return PMPI_Get_library_version(text, length);
    *length = std::snprintf(text, MPI_MAX_LIBRARY_VERSION_STRING, "MPICH Version:\t4.0.2\n");
    return MPI_SUCCESS;
}

extern "C" int MPI_Win_allocate(MPI_Aint bytes, int unit, MPI_Info info, MPI_Comm comm, void* base,
                                MPI_Win* window)
{
    ++allocating_windows;
    return PMPI_Win_allocate(bytes, unit, info, comm, base, window);
}

extern "C" int MPI_Comm_split_type(MPI_Comm comm, int type, int key, MPI_Info info, MPI_Comm* result)
{
    return PMPI_Comm_split_type(breaks("nodes") ? MPI_COMM_SELF : comm, type, key, info, result);
}

extern "C" int MPI_Win_get_attr(MPI_Win window, int key, void* value, int* found)
{
    static int separate = MPI_WIN_SEPARATE;
    const int result = PMPI_Win_get_attr(window, key, value, found);
    if (breaks("copies") && key == MPI_WIN_MODEL)
        *static_cast<int**>(value) = &separate;
    return result;
}

extern "C" int MPI_Win_sync(MPI_Win window)
{
    synchronised.insert(window);
    return PMPI_Win_sync(window);
}

extern "C" int MPI_Win_flush(int rank, MPI_Win window)
{
    while (breaks("answers"))
        pause();
    return PMPI_Win_flush(rank, window);
}

extern "C" int MPI_Win_lock(int kind, int rank, int assert, MPI_Win window)
{
    if (kind == MPI_LOCK_EXCLUSIVE)
        ++exclusive_locks;
    return PMPI_Win_lock(kind, rank, assert, window);
}

extern "C" int MPI_Win_unlock(int rank, MPI_Win window)
{
    exclusive_locks = 0;
    return PMPI_Win_unlock(rank, window);
}

extern "C" int MPI_Accumulate(const void* origin, int count, MPI_Datatype type, int rank,
                              MPI_Aint displacement, int target_count, MPI_Datatype target_type, MPI_Op op,
                              MPI_Win window)
{
    ++accumulates;
    if (breaks("updates") && exclusive_locks == 0 && ++updates % 5 == 0)
        return MPI_SUCCESS;
    return PMPI_Accumulate(origin, count, type, rank, displacement, target_count, target_type, op, window);
}

extern "C" int MPI_Put(const void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement,
                       int target_count, MPI_Datatype target_type, MPI_Win window)
{
    put_window = window;
    if (target_type != MPI_BYTE) {
        ++derived_transfers;
        displacement += breaks("derived") ? 1 : 0;
    }
    return PMPI_Put(origin, count, type, rank, displacement, target_count, target_type, window);
}

extern "C" int MPI_Rput(const void* origin, int count, MPI_Datatype type, int rank, MPI_Aint displacement,
                        int target_count, MPI_Datatype target_type, MPI_Win window, MPI_Request* request)
{
    put_window = window;
    if (target_type != MPI_BYTE) {
        ++derived_transfers;
        displacement += breaks("derived") ? 1 : 0;
    }
    return PMPI_Rput(origin, count, type, rank, displacement, target_count, target_type, window, request);
}

namespace armci_test {
namespace {

TEST(BrokenMpi, sums_are_right_all_the_same)
{
    // Apart: they are not atomic against each other.
    constexpr long drawn_at = sizeof(long);
    Region region(2 * sizeof(long));
    long one = 1;
    for (int round = 0; round < 50; ++round)
        for (int p = 0; p < size(); ++p) {
            ASSERT_EQ(0, ARMCI_Acc(ARMCI_ACC_LNG, &one, &one, region.of(p), sizeof one, p));
            long old = 0;
            ASSERT_EQ(0, ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, region.of(p, drawn_at), 1, p));
        }
    ARMCI_Barrier();
    EXPECT_EQ(ARMCI_GetValueLong(region.of(rank()), rank()), 50L * size());
    EXPECT_EQ(ARMCI_GetValueLong(region.of(rank(), drawn_at), rank()), 50L * size());
    ARMCI_Barrier();
    if (breaks("updates")) {
        EXPECT_GT(updates, 0) << "nothing was broken";
    }
    if (breaks("windows")) {
        EXPECT_EQ(allocating_windows, 0) << "they overwrite each other (mpich 6140)";
    }
}

TEST(BrokenMpi, nodes_are_found_all_the_same)
{
    if (breaks("nodes") && !setting("ARMCI_NODE_SIZE").empty())
        GTEST_SKIP() << "skipped: ARMCI_NODE_SIZE says who shares a node";
    if (breaks("nodes")) {
        EXPECT_EQ(armci_domain_count(ARMCI_DOMAIN_SMP), 1);
        EXPECT_EQ(accumulates, 0) << "they went by MPI";
    }
}

TEST(BrokenMpi, copies_of_memory_are_made_to_agree)
{
    if (!breaks("copies"))
        GTEST_SKIP() << "skipped: this MPI keeps one copy";
    Region region(sizeof(long));
    const auto agree = [&](const char* when) {
        EXPECT_TRUE(synchronised.contains(put_window)) << when;
        synchronised.clear();
    };
    long value = 7 + rank();
    ASSERT_EQ(0, ARMCI_Put(&value, region.of(neighbour()), sizeof value, neighbour()));
    synchronised.clear();
    ARMCI_Barrier();
    agree("after a barrier");
    ARMCI_Access_begin(region.of(rank()));
    agree("before loads and stores");
    EXPECT_EQ(*reinterpret_cast<const long*>(region.of(rank())), 7 + neighbour(size() - 1));
    ARMCI_Access_end(region.of(rank()));
    agree("after loads and stores");
    ARMCI_Barrier();
}

TEST(BrokenMpi, aggregates_arrive_all_the_same)
{
    constexpr int many = 20;
    Region region(2 * many * sizeof(long));
    std::array<long, many> values{};
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_SET_AGGREGATE_HANDLE(&handle);
    const int target = neighbour();
    for (int i = 0; i < many; ++i) {
        values[static_cast<std::size_t>(i)] = 7 * i + rank();
        ASSERT_EQ(0, ARMCI_NbPut(&values[static_cast<std::size_t>(i)], region.of(target, 16 * i),
                                 sizeof(long), target, &handle));
    }
    ARMCI_Wait(&handle);
    ARMCI_UNSET_AGGREGATE_HANDLE(&handle);
    ARMCI_Barrier();
    for (int i = 0; i < many; ++i)
        EXPECT_EQ(ARMCI_GetValueLong(region.of(rank(), 16 * i), rank()), 7L * i + neighbour(size() - 1));
    ARMCI_Barrier();
    if (armci::traits::in_use.derived_types)
        EXPECT_GT(derived_transfers, 0) << "nothing was joined, or broken";
    else
        EXPECT_EQ(derived_transfers, 0) << "this MPI is not good at derived types";
}

} // namespace
} // namespace armci_test
