#include "armci/base/stats.hpp"

#include "armci/base/diagnostics.hpp"

#include <array>
#include <atomic>
#include <cinttypes>
#include <cstddef>

namespace armci::stats {

bool enabled = false;

namespace {

constexpr auto kinds = static_cast<std::size_t>(Kind::kinds);
constexpr std::array<const char*, kinds> names = {"put",         "get",         "accumulate", "strided put",
                                                  "strided get", "strided acc", "vector put", "vector get",
                                                  "vector acc",  "rmw"};

struct Counter {
    std::atomic<std::uint64_t> operations{0};
    std::atomic<std::uint64_t> bytes{0};
};

std::array<Counter, 2 * kinds> counters; // by load/store, then by MPI
Counter allocations;
std::atomic<std::uint64_t> switches{0};

void add(Counter& counter, std::int64_t bytes)
{
    counter.operations.fetch_add(1, std::memory_order_relaxed);
    counter.bytes.fetch_add(static_cast<std::uint64_t>(bytes), std::memory_order_relaxed);
}

} // namespace

void count_enabled(Kind kind, std::int64_t bytes, bool load_store)
{
    add(counters[static_cast<std::size_t>(kind) + (load_store ? 0 : kinds)], bytes);
}

void count_allocation(std::int64_t bytes)
{
    if (enabled)
        add(allocations, bytes);
}

void count_switch()
{
    if (enabled)
        switches.fetch_add(1, std::memory_order_relaxed);
}

std::array<std::uint64_t, totals> read()
{
    std::array<std::uint64_t, totals> result{};
    for (std::size_t kind = 0; kind < 2 * kinds; ++kind) {
        result[2 * kind] = counters[kind].operations.load(std::memory_order_relaxed);
        result[2 * kind + 1] = counters[kind].bytes.load(std::memory_order_relaxed);
    }
    result[4 * kinds] = allocations.operations.load(std::memory_order_relaxed);
    result[4 * kinds + 1] = allocations.bytes.load(std::memory_order_relaxed);
    result[4 * kinds + 2] = switches.load(std::memory_order_relaxed);
    return result;
}

void print(const std::array<std::uint64_t, totals>& sums)
{
    diag::say("statistics, all processes:        operations            bytes  path");
    for (std::size_t kind = 0; kind < 2 * kinds; ++kind)
        if (sums[2 * kind] > 0)
            diag::say("  %-28s %14" PRIu64 " %16" PRIu64 "  %s", names[kind % kinds], sums[2 * kind],
                      sums[2 * kind + 1], kind < kinds ? "load/store" : "MPI");
    diag::say("  %-28s %14" PRIu64 " %16" PRIu64, "allocation (per process)", sums[4 * kinds],
              sums[4 * kinds + 1]);
    if (sums[4 * kinds + 2] > 0)
        diag::say("  %-28s %14" PRIu64, "atomics went over to MPI", sums[4 * kinds + 2]);
}

} // namespace armci::stats
