#include "tools/scale/memory.hpp"

#include "armci/base/record_runs.hpp"
#include "armci/base/wait.hpp"
#include "gmr/memory/directory.hpp"
#include "gmr/network/pending_table.hpp"
#include "gmr/regions/agreement.hpp"
#include "gmr/regions/region.hpp"

#include <algorithm>
#include <cstddef>

namespace armci::scale {
namespace {

// What blocks of the heap and entries of hash tables take beside what they hold.
constexpr double block = 8;
constexpr double entry = 32; // with its place among the buckets
constexpr double run_of_sizes = 12;

// The group's two tables, which its handle shows, and a bit of the team.
constexpr double group_table = 2 * sizeof(int) + 1.0 / 8;
// How many members each node has, and its number.
constexpr double node_table = 2 * sizeof(int);

} // namespace

double bytes_for_each_process(Shape shape)
{
    return group_table + (shape.nodes > 1 ? node_table / static_cast<double>(shape.per_node) : 0);
}

// The region and its places in the tables by allocation and by descriptor; between nodes one by descriptor
// with the sizes.
double bytes_for_each_region(Shape shape)
{
    const double kept = sizeof(gmr::Region) + block + 2 * entry;
    return shape.nodes > 1 ? kept + entry + sizeof(std::uint64_t) + sizeof(Runs) : kept;
}

double bytes_for_each_run()
{
    return run_of_sizes;
}

double bytes_while_allocating(Shape shape)
{
    const auto processes = static_cast<double>(shape.processes());
    const auto record = static_cast<double>(record_runs::most_bytes(1, sizeof(gmr::Offer)));
    return sizeof(void*) * processes + (shape.nodes > 1 ? record * processes / 2 : 0);
}

std::vector<Holding> held(const Use& use, const Machine& machine)
{
    const auto processes = static_cast<double>(use.shape.processes());
    const auto regions = static_cast<double>(use.regions);
    const bool network = use.shape.nodes > 1;
    const auto on_node = static_cast<double>(use.shape.per_node);
    const auto targets = static_cast<double>(std::min<std::int64_t>(use.targets, gmr::PendingTable::most));
    std::vector<Holding> all;
    all.push_back({"tables by process", processes * bytes_for_each_process(use.shape)});
    all.push_back({"signals (in the arena)", (network ? processes * sizeof(wait::Word) : 0) + on_node * 64});
    all.push_back({"regions", regions * bytes_for_each_region(use.shape)});
    all.push_back(
        {"sizes of unequal parts",
         regions * static_cast<double>(std::max<std::int64_t>(use.runs - 1, 0)) * bytes_for_each_run()});
    all.push_back({"descriptors (in the arena)", regions * sizeof(gmr::Descriptor)});
    all.push_back({"records of targets", network ? targets * (sizeof(gmr::Pending) + entry) : 0});
    all.push_back({"start of library and MPI, as measured", machine.cost("start-heap", use.shape)});
    all.push_back({"the caller's pointers of live regions", regions * processes * sizeof(void*), true});
    return all;
}

} // namespace armci::scale
