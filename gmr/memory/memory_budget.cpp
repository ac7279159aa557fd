#include "gmr/memory/memory_budget.hpp"

#include "armci/base/mpi.hpp"

#include <algorithm>
#include <ctime>
#include <vector>

namespace armci::gmr {
namespace {

constexpr std::int64_t old_after_ns = 100'000'000;
constexpr std::int64_t small_request = std::int64_t{1} << 20;
// Left of the machine's memory, for page tables and other programs.
constexpr std::int64_t kept_free = std::int64_t{64} << 20;
// One part of so many is left of the backing store, for directories and for MPI.
constexpr std::int64_t kept_part = 16;

std::int64_t now_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

std::int64_t clamped(std::uint64_t bytes)
{
    return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX / 4));
}

} // namespace

// The processes of a machine share one credit, so one of them names the machine.
node_memory::Counts MemoryBudget::count(MPI_Comm world, const Topology& topology)
{
    const node_memory::Domain mine = node_memory::here().domain();
    int rank = 0;
    mpi::check(MPI_Comm_rank(topology.machine_comm(), &rank), "MPI_Comm_rank");
    const node_memory::Domain named = rank == 0 ? mine : node_memory::Domain{};
    std::vector<node_memory::Domain> all(static_cast<std::size_t>(topology.processes()));
    mpi::allgather(&named, all.data(), sizeof named, world);
    node_memory::Counts counts{0, 0};
    for (const node_memory::Domain& one : all) {
        counts.on_machine += one.machine != 0 && one.machine == mine.machine ? 1 : 0;
        counts.in_group += one.group != 0 && one.group == mine.group ? 1 : 0;
    }
    return {std::max<std::uint64_t>(counts.on_machine, 1), std::max<std::uint64_t>(counts.in_group, 1)};
}

std::int64_t MemoryBudget::usable(std::optional<std::uint64_t> free, std::uint64_t room)
{
    const std::int64_t of_machine = free ? clamped(*free) - kept_free : INT64_MAX / 4;
    const std::int64_t of_store = clamped(room);
    return std::min(of_machine, of_store - std::min(kept_free, of_store / kept_part));
}

MemoryBudget::MemoryBudget(const Arena& arena, const node_memory::Counts& counts, int processes,
                           std::uint64_t limit_per_process, bool check)
    : arena_(&arena), counts_(counts), processes_(processes), check_(check)
{
    set_limit(limit_per_process);
}

void MemoryBudget::set_limit(std::uint64_t bytes_per_process)
{
    limit_ = bytes_per_process == 0
                 ? 0
                 : std::min(clamped(bytes_per_process), INT64_MAX / 4 / processes_) * processes_;
}

// What is free now, less what was handed out but not yet touched (the kernel does not count that yet). Where
// a network keeps pages that no region has, these are free, too.
std::int64_t MemoryBudget::measure() const
{
    const MachineControl& machine = arena_->machine();
    const std::int64_t backed = clamped(arena_->resident()) - machine.warm.load(std::memory_order_relaxed);
    const std::int64_t untouched = machine.live.load(std::memory_order_relaxed) - backed;
    const bool pinned = machine.pinned.load(std::memory_order_relaxed) != 0;
    return usable(node_memory::here().available(counts_), arena_->backing_room()) -
           (pinned ? untouched : std::max<std::int64_t>(untouched, 0));
}

bool MemoryBudget::take(std::uint64_t request, std::uint64_t& available)
{
    NodeControl& node = arena_->control();
    MachineControl& machine = arena_->machine();
    const std::int64_t bytes = clamped(request);
    const auto refuse = [&](std::int64_t left) {
        available = static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0));
        return false;
    };
    // What cannot be had at all is refused before it counts, or others that ask at this moment would be
    // refused too.
    if (limit_ > 0 && bytes > limit_)
        return refuse(limit_ - node.live.load(std::memory_order_relaxed));
    if (check_ && bytes > machine.credit.load(std::memory_order_relaxed))
        if (const std::int64_t left = measure(); bytes > left)
            return refuse(left);

    const std::int64_t live = node.live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    machine.live.fetch_add(bytes, std::memory_order_relaxed);
    const auto refuse_counted = [&](std::int64_t left) {
        node.live.fetch_sub(bytes, std::memory_order_relaxed);
        machine.live.fetch_sub(bytes, std::memory_order_relaxed);
        return refuse(left);
    };
    if (limit_ > 0 && live > limit_)
        return refuse_counted(limit_ - (live - bytes));
    if (!check_)
        return true;

    const std::int64_t credit = machine.credit.fetch_sub(bytes, std::memory_order_relaxed);
    const std::int64_t now = now_ns();
    const bool fresh = now - machine.measured_at.load(std::memory_order_relaxed) < old_after_ns;
    if (bytes <= credit / 8 && (bytes <= small_request || fresh))
        return true;

    // Our own request is already part of `live`, so what measure() leaves is what remains after it.
    const std::int64_t left = measure();
    machine.credit.store(left, std::memory_order_relaxed);
    machine.measured_at.store(now, std::memory_order_relaxed);
    if (left >= 0)
        return true;
    machine.credit.fetch_add(bytes, std::memory_order_relaxed);
    return refuse_counted(left + bytes);
}

void MemoryBudget::give_back(std::uint64_t bytes)
{
    arena_->control().live.fetch_sub(clamped(bytes), std::memory_order_relaxed);
    arena_->machine().live.fetch_sub(clamped(bytes), std::memory_order_relaxed);
    arena_->machine().credit.fetch_add(clamped(bytes), std::memory_order_relaxed);
}

void count_warm(const Arena& arena, std::int64_t more)
{
    arena.machine().warm.fetch_add(more, std::memory_order_relaxed);
    arena.machine().credit.fetch_sub(more, std::memory_order_relaxed);
}

std::uint64_t MemoryBudget::live() const
{
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(arena_->control().live.load(std::memory_order_relaxed), 0));
}

} // namespace armci::gmr
