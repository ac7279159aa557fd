#include "gmr/completion.hpp"

#include "armci/base/mpi_quirks.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <vector>

namespace armci::gmr::completion {
namespace {

struct Dirty {
    Window* window;
    int rank;
    int process;
    bool on_my_node;
};

std::mutex guard;
std::vector<Dirty> dirty;
std::atomic<int> gets_in_flight{0};
Ordering how = Ordering::flush;

// Beyond this many lent buffers a target is completed locally.
constexpr std::size_t most_lent = 64;

// Beyond this many intervals they are replaced by one that spans them: more flushes, never too few.
constexpr std::size_t most_intervals = 32;

Pending::Kind kind_of(Access access)
{
    return access == Access::accumulate ? Pending::Kind::accumulate : Pending::Kind::put;
}

// Whether `later` must wait for an earlier write of kind `earlier` to the same bytes.
bool must_wait(Pending::Kind earlier, Access later)
{
    if (earlier == Pending::Kind::accumulate)
        return later != Access::accumulate;
    return how == Ordering::flush || later == Access::accumulate; // ordered accumulates order puts and gets
}

bool overlap(const Pending::Interval& one, std::uint64_t first, std::uint64_t last)
{
    return one.first < last && first < one.last;
}

bool meets_writes(const Pending& pending, std::uint64_t first, std::uint64_t last, Access access)
{
    return std::any_of(pending.intervals.begin(), pending.intervals.end(), [&](const Pending::Interval& one) {
        return overlap(one, first, last) && must_wait(one.kind, access);
    });
}

bool meets_reads(Pending& pending, std::uint64_t first, std::uint64_t last, Access access)
{
    if (access == Access::read || (how == Ordering::accumulate && access == Access::put))
        return false;
    if (gets_in_flight == 0)
        pending.reads.clear();
    return std::any_of(pending.reads.begin(), pending.reads.end(),
                       [&](const Pending::Interval& one) { return overlap(one, first, last); });
}

void note(std::vector<Pending::Interval>& intervals, const Pending::Interval& added)
{
    if (!intervals.empty() && intervals.back().kind == added.kind && intervals.back().last == added.first) {
        intervals.back().last = added.last; // a stream of neighbours
        return;
    }
    if (intervals.size() == most_intervals) {
        // Puts are what everybody waits for, so a span that covers both kinds counts as put; an accumulate
        // may then wait where it need not.
        Pending::Interval span{intervals.front().first, intervals.front().last, Pending::Kind::accumulate};
        for (const Pending::Interval& one : intervals) {
            span.first = std::min(span.first, one.first);
            span.last = std::max(span.last, one.last);
            if (one.kind == Pending::Kind::put)
                span.kind = Pending::Kind::put;
        }
        // Under ordered accumulates a get does not wait for puts, but must for accumulates: keep one span of
        // each.
        intervals.assign(1, span);
        if (how == Ordering::accumulate && span.kind == Pending::Kind::put)
            intervals.push_back({span.first, span.last, Pending::Kind::accumulate});
    }
    intervals.push_back(added);
}

void finished(Pending& pending)
{
    pending.unfinished = false;
    pending.reads.clear();
    pending.lent.clear();
}

void flush(Window& window, int rank)
{
    mpi::check(MPI_Win_flush(rank, window.get()), "MPI_Win_flush");
    Pending& pending = window.pending(rank);
    pending.intervals.clear();
    finished(pending);
}

void flush_local(Window& window, int rank)
{
    if (gets_in_flight > 0) {
        flush(window, rank);
    } else if (quirks::flush_local_hangs()) {
        mpi::check(MPI_Win_flush_local_all(window.get()), "MPI_Win_flush_local_all");
        for (const Dirty& one : dirty)
            if (one.window == &window)
                finished(window.pending(one.rank));
    } else {
        mpi::check(MPI_Win_flush_local(rank, window.get()), "MPI_Win_flush_local");
        finished(window.pending(rank));
    }
}

void refresh_unsettled()
{
    peers.detours &= ~PeerTable::unsettled;
    if (std::any_of(dirty.begin(), dirty.end(), [](const Dirty& one) { return one.on_my_node; }))
        peers.detours |= PeerTable::unsettled;
}

// Flushes the dirty targets for which `wanted` holds and takes them off the list.
template <class Wanted>
void flush_where(Wanted wanted)
{
    const auto kept =
        std::partition(dirty.begin(), dirty.end(), [&](const Dirty& one) { return !wanted(one); });
    for (auto one = kept; one != dirty.end(); ++one) {
        Pending& pending = one->window->pending(one->rank);
        if (pending.unfinished || !pending.intervals.empty())
            flush(*one->window, one->rank);
        pending.listed = false;
    }
    dirty.erase(kept, dirty.end());
    refresh_unsettled();
}

template <class Wanted>
void finish_where(Wanted wanted)
{
    for (const Dirty& one : dirty) {
        Pending& pending = one.window->pending(one.rank);
        if (!pending.unfinished || !wanted(one))
            continue;
        flush_local(*one.window, one.rank);
    }
}

void list(const Target& target)
{
    Pending& pending = target.window->pending(target.rank);
    if (pending.listed)
        return;
    pending.listed = true;
    dirty.push_back({target.window, target.rank, target.process, target.on_my_node});
    if (target.on_my_node)
        peers.detours |= PeerTable::unsettled;
}

} // namespace

void begin(const Target& target, std::uint64_t extent, Access access)
{
    if (!target.window->locks_all()) {
        target.window->begin(target.rank);
        return;
    }
    const std::lock_guard lock(guard);
    Pending& pending = target.window->pending(target.rank);
    const std::uint64_t last = target.displacement + extent;
    if (meets_writes(pending, target.displacement, last, access))
        flush(*target.window, target.rank);
    else if (meets_reads(pending, target.displacement, last, access))
        flush(*target.window, target.rank);
}

void end(const Target& target, std::uint64_t extent, Access access)
{
    if (!target.window->locks_all()) {
        target.window->end(target.rank);
        return;
    }
    const std::lock_guard lock(guard);
    Pending& pending = target.window->pending(target.rank);
    list(target);
    pending.unfinished = true;
    note(access == Access::read ? pending.reads : pending.intervals,
         {target.displacement, target.displacement + extent, kind_of(access)});
}

void finish_locally(const Target& target)
{
    const std::lock_guard lock(guard);
    flush_local(*target.window, target.rank);
}

void lend(const Target& target, Buffers buffers)
{
    const std::lock_guard lock(guard);
    Buffers& lent = target.window->pending(target.rank).lent;
    std::move(buffers.begin(), buffers.end(), std::back_inserter(lent));
    if (lent.size() > most_lent)
        flush_local(*target.window, target.rank);
}

void end_complete(const Target& target)
{
    if (!target.window->locks_all()) {
        target.window->end(target.rank);
        return;
    }
    const std::lock_guard lock(guard);
    flush(*target.window, target.rank);
}

void finish_all_locally()
{
    const std::lock_guard lock(guard);
    finish_where([](const Dirty&) { return true; });
}

void finish_all_locally(int process)
{
    const std::lock_guard lock(guard);
    finish_where([process](const Dirty& one) { return one.process == process; });
}

void fence(int process)
{
    const std::lock_guard lock(guard);
    flush_where([process](const Dirty& one) { return one.process == process; });
}

void fence_all()
{
    const std::lock_guard lock(guard);
    flush_where([](const Dirty&) { return true; });
}

void forget(Window& window)
{
    const std::lock_guard lock(guard);
    flush_where([&window](const Dirty& one) { return one.window == &window; });
}

void settle_node(int process)
{
    const std::lock_guard lock(guard);
    flush_where([process](const Dirty& one) { return one.on_my_node && one.process == process; });
}

void gets_began(int count)
{
    gets_in_flight += count;
}
void gets_ended(int count)
{
    gets_in_flight -= count;
}

void set_ordering(Ordering ordering)
{
    how = ordering;
}
Ordering ordering()
{
    return how;
}

std::size_t dirty_targets()
{
    const std::lock_guard lock(guard);
    return dirty.size();
}

} // namespace armci::gmr::completion
