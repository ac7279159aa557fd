#include "armci/base/observe/statistics.hpp"

#include "armci/base/immortal.hpp"
#include "armci/base/mpi.hpp"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <tuple>

namespace armci::observe::statistics {
namespace {

constexpr std::size_t paths = 2;
constexpr std::size_t all_series = kinds * paths + waits;

// One sort of operation or wait. As numbers to be added up: count, bytes, total, then the histogram.
struct Series {
    static constexpr std::size_t sums = 3 + Histogram::buckets;

    std::atomic<std::uint64_t> count{0};
    std::atomic<std::uint64_t> bytes{0};
    std::atomic<std::uint64_t> total{0};
    std::atomic<std::uint64_t> least{INT64_MAX};
    std::atomic<std::uint64_t> most{0};
    Histogram histogram;

    void add(std::uint64_t moved, std::uint64_t took)
    {
        count.fetch_add(1, std::memory_order_relaxed);
        bytes.fetch_add(moved, std::memory_order_relaxed);
        total.fetch_add(took, std::memory_order_relaxed);
        for (std::uint64_t seen = least.load(std::memory_order_relaxed);
             took < seen && !least.compare_exchange_weak(seen, took, std::memory_order_relaxed);) {
        }
        for (std::uint64_t seen = most.load(std::memory_order_relaxed);
             took > seen && !most.compare_exchange_weak(seen, took, std::memory_order_relaxed);) {
        }
        histogram.add(took);
    }
};

struct Traffic {
    std::atomic<std::uint64_t> operations{0};
    std::atomic<std::uint64_t> bytes{0};
};

struct State {
    explicit State(int processes) : targets(static_cast<std::size_t>(processes)), began(now()) {}

    std::array<Series, all_series> series;
    std::vector<Traffic> targets; // by process
    Regions regions;
    Traffic allocations;
    std::atomic<std::uint64_t> switches{0};
    std::atomic<std::uint64_t> answers{0};
    Nanoseconds began;
};

constinit Immortal<std::unique_ptr<State>> the_state;
std::unique_ptr<State>& state = the_state.value;

Series& series_of(Kind kind, bool load_store)
{
    return state->series[static_cast<std::size_t>(kind) * paths + (load_store ? 0 : 1)];
}

Series& series_of(Wait wait)
{
    return state->series[kinds * paths + static_cast<std::size_t>(wait)];
}

std::uint64_t unsigned_of(std::int64_t value)
{
    return static_cast<std::uint64_t>(std::max<std::int64_t>(value, 0));
}

// By a thread that outlives the state.
std::atomic<std::uint64_t> messages{0};

// What is added up over processes, and of what the greatest is sought.
constexpr std::size_t extra_sums = 5; // allocations, their bytes, switches, answers, messages
constexpr std::size_t all_sums = all_series * Series::sums + extra_sums;

std::vector<std::uint64_t> my_sums()
{
    std::vector<std::uint64_t> result;
    result.reserve(all_sums);
    for (const Series& one : state->series) {
        result.insert(result.end(), {one.count.load(), one.bytes.load(), one.total.load()});
        for (std::size_t bucket = 0; bucket < Histogram::buckets; ++bucket)
            result.push_back(one.histogram.count(bucket));
    }
    result.insert(result.end(), {state->allocations.operations.load(), state->allocations.bytes.load(),
                                 state->switches.load(), state->answers.load(), messages.load()});
    return result;
}

// Of each series the longest, and the shortest below 0. Signed: MPICH takes MPI_UINT64_T for that in a
// maximum (docs/mpi-facts.md).
std::vector<std::int64_t> my_extremes()
{
    std::vector<std::int64_t> result;
    for (const Series& one : state->series)
        result.insert(result.end(), {static_cast<std::int64_t>(one.most.load()),
                                     -static_cast<std::int64_t>(one.least.load())});
    return result;
}

template <class Number>
std::vector<Number> reduce(const std::vector<Number>& mine, MPI_Datatype type, MPI_Op op, MPI_Comm world)
{
    std::vector<Number> all(mine.size());
    mpi::check(MPI_Reduce(mine.data(), all.data(), static_cast<int>(mine.size()), type, op, 0, world),
               "MPI_Reduce");
    return all;
}

Durations durations(std::span<const std::uint64_t> sums, std::span<const std::int64_t> extremes)
{
    Durations result;
    result.count = sums[0];
    result.bytes = sums[1];
    result.total = sums[2];
    if (result.count == 0)
        return result;
    result.most = static_cast<std::uint64_t>(extremes[0]);
    result.least = static_cast<std::uint64_t>(-extremes[1]);
    const auto counts = sums.subspan(3);
    const auto within = [&](double share) {
        return std::clamp(Histogram::quantile(counts, share), result.least, result.most);
    };
    result.median = within(0.5);
    result.p99 = within(0.99);
    return result;
}

// Everybody's records, one after the other, on rank 0.
template <class Record>
std::vector<Record> collect(const std::vector<Record>& mine, MPI_Comm world)
{
    int processes = 0;
    mpi::check(MPI_Comm_size(world, &processes), "MPI_Comm_size");
    const int my_bytes = static_cast<int>(mine.size() * sizeof(Record));
    std::vector<int> bytes(static_cast<std::size_t>(processes));
    mpi::check(MPI_Gather(&my_bytes, 1, MPI_INT, bytes.data(), 1, MPI_INT, 0, world), "MPI_Gather");
    std::vector<int> places(bytes.size());
    int sum = 0;
    for (std::size_t i = 0; i < bytes.size(); ++i) {
        places[i] = sum;
        sum += bytes[i];
    }
    std::vector<Record> all(static_cast<std::size_t>(sum) / sizeof(Record));
    mpi::check(MPI_Gatherv(mine.data(), my_bytes, MPI_BYTE, all.data(), bytes.data(), places.data(), MPI_BYTE,
                           0, world),
               "MPI_Gatherv");
    return all;
}

// My busiest partners; the busiest of the job are among them.
std::vector<PairTraffic> my_pairs(int me)
{
    std::vector<PairTraffic> result;
    for (std::size_t i = 0; i < state->targets.size(); ++i)
        if (const std::uint64_t operations = state->targets[i].operations.load())
            result.push_back({me, static_cast<std::int32_t>(i), operations, state->targets[i].bytes.load()});
    return result;
}

void keep_busiest(std::vector<PairTraffic>& pairs)
{
    std::sort(pairs.begin(), pairs.end(), [](const PairTraffic& a, const PairTraffic& b) {
        return std::tie(b.bytes, b.operations, a.origin, a.target) <
               std::tie(a.bytes, a.operations, b.origin, b.target);
    });
    pairs.resize(std::min(pairs.size(), Report::most_listed));
}

std::vector<RegionTraffic> add_up(const std::vector<RegionTraffic>& traffic)
{
    std::map<RegionName, RegionTraffic> by_name;
    for (const RegionTraffic& one : traffic) {
        RegionTraffic& sum = by_name[one.region];
        sum.region = one.region;
        sum.operations += one.operations;
        sum.bytes += one.bytes;
    }
    std::vector<RegionTraffic> result;
    result.reserve(by_name.size());
    for (const auto& [name, sum] : by_name)
        result.push_back(sum);
    std::stable_sort(result.begin(), result.end(),
                     [](const RegionTraffic& a, const RegionTraffic& b) { return a.bytes > b.bytes; });
    result.resize(std::min(result.size(), Report::most_listed));
    return result;
}

ProcessShare my_share()
{
    ProcessShare share{};
    for (std::size_t i = 0; i < all_series; ++i) {
        const Series& one = state->series[i];
        if (i >= kinds * paths) {
            share.in_waits += one.total.load();
            continue;
        }
        share.operations += one.count.load();
        share.bytes += one.bytes.load();
        share.in_operations += one.total.load();
    }
    return share;
}

} // namespace

void start(int processes)
{
    state = std::make_unique<State>(processes);
    messages = 0;
}

void stop()
{
    state.reset();
}

bool enabled()
{
    return state != nullptr;
}

void count(const Operation& operation, std::int64_t bytes, bool load_store, Nanoseconds took)
{
    const std::uint64_t moved = unsigned_of(bytes);
    series_of(operation.kind, load_store).add(moved, unsigned_of(took));
    Traffic& target = state->targets[static_cast<std::size_t>(operation.process)];
    target.operations.fetch_add(1, std::memory_order_relaxed);
    target.bytes.fetch_add(moved, std::memory_order_relaxed);
    state->regions.count(operation.process, reinterpret_cast<std::uintptr_t>(operation.address), moved);
}

void count(Wait wait, Nanoseconds took)
{
    series_of(wait).add(0, unsigned_of(took));
}

void count_allocation(std::int64_t bytes, std::uint64_t number, std::span<const Regions::Slice> slices)
{
    if (!enabled())
        return;
    state->allocations.operations.fetch_add(1, std::memory_order_relaxed);
    state->allocations.bytes.fetch_add(unsigned_of(bytes), std::memory_order_relaxed);
    state->regions.add(number, slices);
}

void forget_allocation(int process, std::uintptr_t start)
{
    if (enabled())
        state->regions.remove(process, start);
}

void count_switch()
{
    if (enabled())
        state->switches.fetch_add(1, std::memory_order_relaxed);
}

void count_answer()
{
    if (enabled())
        state->answers.fetch_add(1, std::memory_order_relaxed);
}

void count_messages(std::uint64_t count)
{
    messages.fetch_add(count, std::memory_order_relaxed);
}

Report gather(MPI_Comm world, int nodes)
{
    constexpr std::size_t most_regions =
        128; // of a process: what is less is not among the busiest of the job
    int me = 0;
    Report report;
    mpi::check(MPI_Comm_rank(world, &me), "MPI_Comm_rank");
    mpi::check(MPI_Comm_size(world, &report.processes), "MPI_Comm_size");
    report.nodes = nodes;
    report.elapsed = unsigned_of(now() - state->began);
    const auto sums = reduce(my_sums(), MPI_UINT64_T, MPI_SUM, world);
    const auto extremes = reduce(my_extremes(), MPI_INT64_T, MPI_MAX, world);
    const auto series = [&](std::size_t number) {
        return durations(std::span(sums).subspan(number * Series::sums, Series::sums),
                         std::span(extremes).subspan(2 * number, 2));
    };
    for (std::size_t kind = 0; kind < kinds; ++kind)
        for (std::size_t path = 0; path < paths; ++path)
            report.operations[kind][path] = series(kind * paths + path);
    for (std::size_t wait = 0; wait < waits; ++wait)
        report.waited[wait] = series(kinds * paths + wait);
    const auto extra = std::span(sums).last(extra_sums);
    report.allocations = extra[0];
    report.allocated = extra[1];
    report.switches = extra[2];
    report.answers = extra[3];
    report.messages = extra[4];
    std::vector<PairTraffic> pairs = my_pairs(me);
    keep_busiest(pairs);
    report.pairs = collect(pairs, world);
    keep_busiest(report.pairs);
    report.regions = add_up(collect(state->regions.busiest(most_regions), world));
    report.shares = collect(std::vector{my_share()}, world);
    return report;
}

} // namespace armci::observe::statistics
