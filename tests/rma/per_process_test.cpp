// What a process keeps about the job and its regions, in bytes of the library's own heap, as jobs grow: the
// library is started over the first 2, 4, 8, ... processes of the world in turn.
#include "tests/support/counted_bytes.hpp"
#include "tests/support/mpi_test.hpp"
#include "tests/support/path.hpp"
#include "tools/scale/memory.hpp"

#include <armci.h>
#include <armcix.h>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdio>
#include <vector>

namespace armci_test {
namespace {

constexpr int regions = 64;
// Tables by process that are left; docs/design/0016 lists them.
constexpr double most_for_each_peer = 40;
// The address and name of another host.
constexpr double most_for_each_host = 160;
// Room for the records of other processes that an exchange may receive, for half of them at once.
constexpr double most_in_a_call = 24;

struct Kept {
    double by_start = 0;   // bytes that a start takes
    double by_equal = 0;   // for each region of equal parts
    double by_unequal = 0; // for each region of a distributed array: full parts, one smaller, none
    double by_targets = 0; // that writes to all targets leave behind
    double in_call = 0;    // that an allocation and a free need while they run
    armci::scale::Shape shape;
    int processes = 0;
    int hosts = 1;
};

int hosts_of(MPI_Comm comm)
{
    MPI_Comm host = MPI_COMM_NULL;
    int rank = 0;
    MPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_rank(host, &rank);
    MPI_Comm_free(&host);
    int hosts = rank == 0 ? 1 : 0;
    MPI_Allreduce(MPI_IN_PLACE, &hosts, 1, MPI_INT, MPI_SUM, comm);
    return hosts;
}

using Regions = std::vector<std::vector<void*>>;

// Bytes for each of `regions` more regions in which process i has size_of(i) bytes.
template <class SizeOf>
double bytes_of_regions(Regions& all, int me, int processes, SizeOf size_of)
{
    const std::size_t first = all.size();
    all.resize(first + regions, std::vector<void*>(static_cast<std::size_t>(processes)));
    const long before = counted_bytes();
    for (std::size_t i = first; i < all.size(); ++i)
        EXPECT_EQ(ARMCI_Malloc(all[i].data(), size_of(me)), 0);
    return static_cast<double>(counted_bytes() - before) / regions;
}

// The most bytes that an allocation and its free take at once, beside what the region keeps.
double bytes_in_calls(int me, int processes)
{
    std::vector<void*> bases(static_cast<std::size_t>(processes));
    const long before = counted_bytes();
    counted_most();
    EXPECT_EQ(ARMCI_Malloc(bases.data(), 1000), 0);
    EXPECT_EQ(ARMCI_Free(bases[static_cast<std::size_t>(me)]), 0);
    return static_cast<double>(counted_most() - before);
}

Kept measure(MPI_Comm comm)
{
    int me = 0, processes = 0;
    MPI_Comm_rank(comm, &me);
    MPI_Comm_size(comm, &processes);
    Kept kept;
    kept.processes = processes;
    kept.hosts = hosts_of(comm);
    const long before = counted_bytes();
    EXPECT_EQ(ARMCI_Init_mpi_comm(comm), 1);
    kept.shape.nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
    kept.shape.per_node = processes / kept.shape.nodes;
    kept.by_start = static_cast<double>(counted_bytes() - before);
    Regions all;
    all.reserve(2 * regions);
    kept.by_equal = bytes_of_regions(all, me, processes, [](int) { return 1000L; });
    const int full = processes / 2;
    kept.by_unequal = bytes_of_regions(all, me, processes, [full](int i) {
        return i < full ? 1000L : i == full ? 72L : 0L;
    });
    kept.in_call = bytes_in_calls(me, processes);
    const long before_writes = counted_bytes();
    for (int target = 0; target < processes; ++target)
        EXPECT_EQ(ARMCI_PutValueInt(1, all[0][static_cast<std::size_t>(target)], target), 0);
    ARMCI_Barrier();
    kept.by_targets = static_cast<double>(counted_bytes() - before_writes);
    for (const std::vector<void*>& region : all)
        EXPECT_EQ(ARMCI_Free(region[static_cast<std::size_t>(me)]), 0);
    ARMCI_Barrier();
    ARMCI_Finalize();
    return kept;
}

// What tools/scale says of regions and runs of sizes, where the job's network is that of its nodes.
void expect_as_projected(const Kept& kept)
{
    constexpr double rounding = 32; // of blocks of the heap, which are multiples of 16 bytes
    const double equal = armci::scale::bytes_for_each_region(kept.shape);
    EXPECT_NEAR(kept.by_equal, equal, rounding);
    if (kept.shape.nodes == 1)
        return;
    const double three_runs = equal + 2 * armci::scale::bytes_for_each_run();
    EXPECT_NEAR(kept.by_unequal, three_runs, rounding);
}

class PerProcess : public testing::Test {
protected:
    // The first `processes` of the world measure, the others wait.
    static Kept of(int processes)
    {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Comm_split(MPI_COMM_WORLD, rank() < processes ? 0 : MPI_UNDEFINED, rank(), &comm);
        Kept kept;
        if (comm != MPI_COMM_NULL) {
            kept = measure(comm);
            MPI_Comm_free(&comm);
        }
        quiet_barrier();
        return kept;
    }
};

TEST_F(PerProcess, regions_cost_the_same_in_every_job)
{
    Kept least;
    for (int processes = 2; processes <= size(); processes *= 2) {
        of(processes); // what the first start loads is not counted
        const Kept kept = of(processes);
        if (rank() >= 2) // has nothing to compare with
            continue;
        if (rank() == 0)
            std::printf(
                "%d processes: start %.0f bytes, region %.0f and %.0f, writes to all %.0f, allocating "
                "%.0f\n",
                processes, kept.by_start, kept.by_equal, kept.by_unequal, kept.by_targets, kept.in_call);
        // A job of several hosts has what a job of one has not.
        if (least.processes == 0 || (least.hosts == 1 && kept.hosts > 1)) {
            least = kept;
            continue;
        }
        const int more = processes - least.processes;
        if (setting("ARMCI_FORCE_MPI") != "1")
            expect_as_projected(kept);
        EXPECT_LE(kept.by_equal, least.by_equal + 8) << processes << " processes";
        EXPECT_LE(kept.by_unequal, least.by_unequal + 40) << processes << " processes";
        EXPECT_LE(kept.by_start, least.by_start + 512 + most_for_each_peer * more +
                                     most_for_each_host * (kept.hosts - least.hosts))
            << processes << " processes";
        EXPECT_LE(kept.in_call, least.in_call + 64 + most_in_a_call * more) << processes << " processes";
        EXPECT_LE(kept.by_targets, least.by_targets + 2048 + 512.0 * more) << processes << " processes";
    }
}

} // namespace
} // namespace armci_test
