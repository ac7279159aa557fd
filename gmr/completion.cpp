#include "gmr/completion.hpp"

#include <algorithm>
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
Ordering how = Ordering::flush;

// Beyond this many intervals they are replaced by one that spans them: more flushes, never too few.
constexpr std::size_t most_intervals = 32;

Pending::Kind kind_of(Access access)
{
    return access == Access::accumulate ? Pending::Kind::accumulate : Pending::Kind::put;
}

// Whether `later` must wait for an earlier write of kind `earlier` to the same bytes.
bool must_wait(Pending::Kind earlier, Access later)
{
    if (earlier == Pending::Kind::accumulate) return later != Access::accumulate;
    return how == Ordering::flush || later == Access::accumulate; // ordered accumulates order puts and gets
}

bool meets(const Pending& pending, std::uint64_t first, std::uint64_t last, Access access)
{
    return std::any_of(pending.intervals.begin(), pending.intervals.end(), [&](const Pending::Interval& one) {
        return one.first < last && first < one.last && must_wait(one.kind, access);
    });
}

void flush(Window& window, int rank)
{
    mpi::check(MPI_Win_flush(rank, window.get()), "MPI_Win_flush");
    Pending& pending = window.pending(rank);
    pending.intervals.clear();
    pending.unfinished = false;
}

void refresh_unsettled()
{
    peers.detours &= ~PeerTable::unsettled;
    if (std::any_of(dirty.begin(), dirty.end(), [](const Dirty& one) { return one.on_my_node; }))
        peers.detours |= PeerTable::unsettled;
}

// Flushes the dirty targets for which `wanted` holds and takes them off the list.
template <class Wanted> void flush_where(Wanted wanted)
{
    const auto kept = std::partition(dirty.begin(), dirty.end(), [&](const Dirty& one) { return !wanted(one); });
    for (auto one = kept; one != dirty.end(); ++one) {
        Pending& pending = one->window->pending(one->rank);
        if (pending.unfinished || !pending.intervals.empty()) flush(*one->window, one->rank);
        pending.listed = false;
    }
    dirty.erase(kept, dirty.end());
    refresh_unsettled();
}

template <class Wanted> void finish_where(Wanted wanted)
{
    for (const Dirty& one : dirty) {
        Pending& pending = one.window->pending(one.rank);
        if (!pending.unfinished || !wanted(one)) continue;
        mpi::check(MPI_Win_flush_local(one.rank, one.window->get()), "MPI_Win_flush_local");
        pending.unfinished = false;
    }
}

void list(const Target& target)
{
    Pending& pending = target.window->pending(target.rank);
    if (pending.listed) return;
    pending.listed = true;
    dirty.push_back({target.window, target.rank, target.process, target.on_my_node});
    if (target.on_my_node) peers.detours |= PeerTable::unsettled;
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
    if (pending.intervals.empty()) return;
    if (meets(pending, target.displacement, target.displacement + extent, access)) flush(*target.window, target.rank);
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
    if (access == Access::read) return;

    const Pending::Interval added{target.displacement, target.displacement + extent, kind_of(access)};
    auto& intervals = pending.intervals;
    if (!intervals.empty() && intervals.back().kind == added.kind && intervals.back().last == added.first) {
        intervals.back().last = added.last; // a stream of neighbours
        return;
    }
    if (intervals.size() == most_intervals) {
        // Puts are what everybody waits for, so a span that covers both kinds counts as put; an accumulate may then
        // wait where it need not.
        Pending::Interval span{intervals.front().first, intervals.front().last, Pending::Kind::accumulate};
        for (const Pending::Interval& one : intervals) {
            span.first = std::min(span.first, one.first);
            span.last = std::max(span.last, one.last);
            if (one.kind == Pending::Kind::put) span.kind = Pending::Kind::put;
        }
        // Under ordered accumulates a get does not wait for puts, but must for accumulates: keep one span of each.
        intervals.assign(1, span);
        if (how == Ordering::accumulate && span.kind == Pending::Kind::put)
            intervals.push_back({span.first, span.last, Pending::Kind::accumulate});
    }
    intervals.push_back(added);
}

void finish_locally(const Target& target)
{
    const std::lock_guard lock(guard);
    mpi::check(MPI_Win_flush_local(target.rank, target.window->get()), "MPI_Win_flush_local");
    target.window->pending(target.rank).unfinished = false;
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

void set_ordering(Ordering ordering) { how = ordering; }
Ordering ordering() { return how; }

std::size_t dirty_targets()
{
    const std::lock_guard lock(guard);
    return dirty.size();
}

} // namespace armci::gmr::completion
