#include "gmr/completion.hpp"

#include "armci/base/mpi_traits.hpp"
#include "gmr/modes.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <mutex>
#include <utility>
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
std::atomic<std::uint64_t> waits{0};         // of this program, for whatever
std::atomic<bool> handles_are_tested{false}; // by this program
int left_in_all = 0;
bool accumulates = true; // are puts and gets

// Beyond this many gets that only a flush completes, one is due: osc/pt2pt searches them all for each answer.
constexpr int most_gets = 256;

// From this many gets with handles on, without a wait between them, a flush will complete them.
constexpr int many_gets = 4;

// Beyond this many operations without requests their target is completed locally; beyond this many in all,
// every one is. MPICH aborts at 262,144 accumulates (docs/mpi-facts.md).
constexpr int most_left = 4096;
constexpr int most_left_in_all = 65536;

// Beyond this many lent buffers a target is completed locally.
constexpr std::size_t most_buffers = 64;

// Beyond this extent a fenced write is sent before its flush: that costs little by then, and the target adds
// while the program goes on.
constexpr std::uint64_t most_fenced_early = 512 * 1024;

// Beyond this many intervals they are merged.
constexpr std::size_t most_intervals = 32;

bool writes(Access access)
{
    return access != Access::get && access != Access::ordered_get;
}

// Whether `later` must wait for an earlier access to the same bytes.
bool must_wait(Access earlier, Access later)
{
    switch (earlier) {
    case Access::put:
        return true;
    case Access::ordered_put:
        return later != Access::ordered_put && later != Access::ordered_get;
    case Access::get:
    case Access::ordered_get:
        return writes(later);
    default:
        return later != earlier;
    }
}

bool meets(const std::vector<Pending::Interval>& earlier, const Pending::Interval& later)
{
    return std::any_of(earlier.begin(), earlier.end(), [&](const Pending::Interval& one) {
        return one.first < later.last && later.first < one.last && must_wait(one.access, later.access);
    });
}

// Leaves one span for each kind of access: more flushes, never too few.
void merge(std::vector<Pending::Interval>& intervals)
{
    auto end = intervals.begin();
    for (const Pending::Interval& one : intervals) {
        const auto alike = std::find_if(
            intervals.begin(), end, [&](const Pending::Interval& kept) { return kept.access == one.access; });
        if (alike == end) {
            *end++ = one;
        } else {
            alike->first = std::min(alike->first, one.first);
            alike->last = std::max(alike->last, one.last);
        }
    }
    intervals.erase(end, intervals.end());
}

void note(std::vector<Pending::Interval>& intervals, const Pending::Interval& added)
{
    if (!intervals.empty()) {
        Pending::Interval& before = intervals.back(); // of a stream of neighbours, or the same again
        if (before.access == added.access && before.first <= added.first && added.first <= before.last) {
            before.last = std::max(before.last, added.last);
            return;
        }
    }
    if (intervals.size() == most_intervals)
        merge(intervals);
    intervals.push_back(added);
}

void finished(Pending& pending)
{
    pending.unfinished = false;
    left_in_all -= std::exchange(pending.left, 0);
    pending.accumulated = 0;
    pending.reads.clear();
    pending.lent.clear();
}

void flushed(Pending& pending)
{
    pending.writes.clear();
    if (pending.gets > 0)
        gets_in_flight -= std::exchange(pending.gets, 0);
    finished(pending);
}

void flush(Window& window, int rank)
{
    mpi::check(MPI_Win_flush(rank, window.get()), "MPI_Win_flush");
    flushed(window.pending(rank));
}

void flush_all(Window& window)
{
    mpi::check(MPI_Win_flush_all(window.get()), "MPI_Win_flush_all");
    for (const Dirty& one : dirty)
        if (one.window == &window)
            flushed(window.pending(one.rank));
}

bool wants_flush(const Dirty& one)
{
    const Pending& pending = one.window->pending(one.rank);
    return pending.unfinished || !pending.writes.empty();
}

void flush_local(Window& window, int rank)
{
    if (gets_in_flight > 0 || (accumulates && traits::in_use.accumulates_are_acknowledged)) {
        flush(window, rank);
    } else if (traits::in_use.flush_local_may_hang) {
        mpi::check(MPI_Win_flush_local_all(window.get()), "MPI_Win_flush_local_all");
        for (const Dirty& one : dirty)
            if (one.window == &window)
                finished(window.pending(one.rank));
    } else {
        mpi::check(MPI_Win_flush_local(rank, window.get()), "MPI_Win_flush_local");
        finished(window.pending(rank));
    }
}

// Decided first: another thread must not see its own operations settled meanwhile.
void refresh_unsettled()
{
    if (std::none_of(dirty.begin(), dirty.end(), [](const Dirty& one) { return one.on_my_node; }))
        peers.detours.clear(Detours::unsettled);
}

// What was flushed last is the last on the list, as a rule.
void unlist(const Target& target)
{
    const auto found = std::find_if(dirty.rbegin(), dirty.rend(), [&](const Dirty& one) {
        return one.window == target.window && one.rank == target.rank;
    });
    if (found == dirty.rend())
        return;
    target.window->pending(target.rank).listed = false;
    *found = dirty.back();
    dirty.pop_back();
    refresh_unsettled();
}

// Under the lock.
void finish_write_of(const Target& target, std::uint64_t extent)
{
    if (target.completes_at_once()) {
        flush(*target.window, target.rank);
        unlist(target);
        return;
    }
    FenceHabit& fences = target.window->pending(target.rank).fences;
    if (target.on_my_node || !traits::in_use.flushes_take_data_along) {
        flush_local(*target.window, target.rank);
        return;
    }
    if (fences.expects_fence() && extent <= most_fenced_early)
        flush(*target.window, target.rank);
    else
        flush_local(*target.window, target.rank);
    fences.wrote();
}

// Flushes all ranks of the windows in which at least half of them are dirty targets for which `wanted` holds.
template <class Wanted>
void flush_together_where(Wanted wanted)
{
    if (dirty.size() < 2 || !traits::in_use.flushes_take_turns)
        return;
    std::vector<std::pair<Window*, int>> counts;
    for (const Dirty& one : dirty) {
        if (!wanted(one) || !wants_flush(one))
            continue;
        const auto found = std::find_if(counts.begin(), counts.end(),
                                        [&](const auto& count) { return count.first == one.window; });
        if (found == counts.end())
            counts.emplace_back(one.window, 1);
        else
            ++found->second;
    }
    for (const auto& [window, count] : counts)
        if (count > 1 && 2 * count >= window->ranks())
            flush_all(*window);
}

// Before the flushes, which take their time.
template <class Wanted>
void learn_fences_where(Wanted wanted)
{
    const auto awaits = [&](const Dirty& one) {
        return wanted(one) && one.window->pending(one.rank).fences.awaits_fence();
    };
    const auto count = std::count_if(dirty.begin(), dirty.end(), awaits);
    if (count == 0)
        return;
    const auto now = FenceHabit::Clock::now();
    for (const Dirty& one : dirty)
        if (awaits(one))
            one.window->pending(one.rank).fences.fenced(count == 1, now);
}

// Flushes the dirty targets for which `wanted` holds and takes them off the list.
template <class Wanted>
void flush_where(Wanted wanted)
{
    learn_fences_where(wanted);
    flush_together_where(wanted);
    bool on_my_node = false;
    for (std::size_t i = 0; i < dirty.size();) {
        const Dirty one = dirty[i];
        if (!wanted(one)) {
            ++i;
            continue;
        }
        if (wants_flush(one))
            flush(*one.window, one.rank);
        one.window->pending(one.rank).listed = false;
        on_my_node = on_my_node || one.on_my_node;
        dirty[i] = dirty.back();
        dirty.pop_back();
    }
    if (on_my_node)
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
        peers.detours.set(Detours::unsettled);
}

void put_in_order(const Target& target, Pending& pending, const Pending::Interval& mine)
{
    if (gets_in_flight == 0)
        pending.reads.clear();
    if (meets(pending.writes, mine) || meets(pending.reads, mine))
        flush(*target.window, target.rank);
}

Pending::Interval interval_of(const Target& target, std::uint64_t extent, Access access)
{
    return {target.displacement, target.displacement + extent, access};
}

// A barrier that closes an epoch of gmr/modes flushes what was issued before.
void issued(const Target& target)
{
    if (target.migrates)
        Modes::the_one()->leave_mpi();
}

} // namespace

void begin(const Target& target, std::uint64_t extent, Access access)
{
    if (target.migrates)
        Modes::the_one()->enter_mpi(target.process, access);
    if (!target.window->locks_all()) {
        target.window->begin(target.rank);
        return;
    }
    const std::lock_guard lock(guard);
    put_in_order(target, target.window->pending(target.rank), interval_of(target, extent, access));
}

void end(const Target& target, std::uint64_t extent, Access access)
{
    if (!target.window->locks_all()) {
        target.window->end(target.rank);
    } else {
        const std::lock_guard lock(guard);
        Pending& pending = target.window->pending(target.rank);
        list(target);
        pending.unfinished = true;
        note(writes(access) ? pending.writes : pending.reads, interval_of(target, extent, access));
    }
    issued(target);
}

BlockingWrite::BlockingWrite(const Target& target, std::uint64_t extent, Access access)
    : target_(target), interval_(interval_of(target, extent, access))
{
    if (target.migrates)
        Modes::the_one()->enter_mpi(target.process, access);
    if (!target.window->locks_all()) {
        target.window->begin(target.rank);
        return;
    }
    lock_ = std::unique_lock(guard);
    put_in_order(target, target.window->pending(target.rank), interval_);
}

BlockingWrite::~BlockingWrite()
{
    if (!lock_.owns_lock()) {
        target_.window->end(target_.rank);
    } else {
        Pending& pending = target_.window->pending(target_.rank);
        list(target_);
        note(pending.writes, interval_);
        finish_write_of(target_, interval_.last - interval_.first);
    }
    issued(target_);
}

void finish_epoch(const Target& target)
{
    mpi::check(MPI_Win_flush(target.rank, target.window->get()), "MPI_Win_flush");
}

void finish_locally(const Target& target)
{
    const std::lock_guard lock(guard);
    flush_local(*target.window, target.rank);
}

void finish_write(const Target& target, std::uint64_t extent)
{
    const std::lock_guard lock(guard);
    finish_write_of(target, extent);
}

void lend(const Target& target, Buffers buffers)
{
    const std::lock_guard lock(guard);
    Buffers& lent = target.window->pending(target.rank).lent;
    std::move(buffers.begin(), buffers.end(), std::back_inserter(lent));
    if (staging::much_is_lent() || lent.size() > most_buffers)
        flush_local(*target.window, target.rank);
}

void end_complete(const Target& target)
{
    if (!target.window->locks_all()) {
        target.window->end(target.rank);
    } else {
        const std::lock_guard lock(guard);
        flush(*target.window, target.rank);
    }
    issued(target);
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

void left(const Target& target, int count, std::uint64_t accumulated)
{
    if (!target.window->locks_all())
        return;
    const std::lock_guard lock(guard);
    Pending& pending = target.window->pending(target.rank);
    pending.left += count;
    left_in_all += count;
    pending.accumulated += accumulated;
    if (left_in_all > most_left_in_all)
        finish_where([](const Dirty&) { return true; });
    else if (pending.left > most_left || pending.accumulated >= traits::in_use.accumulated_bytes)
        flush_local(*target.window, target.rank);
}

bool something_is_left(const Target& target)
{
    const std::lock_guard lock(guard);
    return target.window->pending(target.rank).left > 0;
}

void gets_began(const Target& target, int count)
{
    if (!target.window->locks_all())
        return;
    const std::lock_guard lock(guard);
    int& gets = target.window->pending(target.rank).gets;
    gets += count;
    gets_in_flight += count;
    if (gets > most_gets)
        flush(*target.window, target.rank);
}
void gets_began(int count)
{
    gets_in_flight += count;
}
bool gets_come_in_numbers(const Target& target)
{
    if (handles_are_tested)
        return false;
    const std::lock_guard lock(guard);
    Pending& pending = target.window->pending(target.rank);
    if (std::exchange(pending.waits, waits) != waits)
        pending.begun = 0;
    return ++pending.begun > many_gets;
}
void somebody_waits()
{
    ++waits;
}
void handle_is_tested()
{
    handles_are_tested = true;
}
void finish_gets(const Target& target)
{
    const std::lock_guard lock(guard);
    if (target.window->pending(target.rank).gets > 0)
        flush(*target.window, target.rank);
}
void gets_ended(int count)
{
    gets_in_flight -= count;
}

void set_ordering(Ordering ordering)
{
    accumulates = ordering != Ordering::flush;
}
bool by_accumulates()
{
    return accumulates;
}
Access put_access(std::uint64_t bytes)
{
    return accumulates || bytes <= traits::in_use.ordered_put_bytes ? Access::ordered_put : Access::put;
}
Access get_access()
{
    return accumulates || traits::in_use.ordered_put_bytes > 0 ? Access::ordered_get : Access::get;
}

bool writes_are_pending()
{
    const std::lock_guard lock(guard);
    return std::any_of(dirty.begin(), dirty.end(),
                       [](const Dirty& one) { return !one.window->pending(one.rank).writes.empty(); });
}

std::size_t dirty_targets()
{
    const std::lock_guard lock(guard);
    return dirty.size();
}

} // namespace armci::gmr::completion
