#include "gmr/network/flush.hpp"

#include "armci/base/immortal.hpp"
#include "armci/base/mpi_traits.hpp"
#include "armci/base/thread_turns.hpp"
#include "gmr/memory/peers.hpp"
#include "gmr/network/ordering.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace armci::gmr::flush {
namespace {

std::mutex the_guard;
constinit Immortal<std::vector<Dirty>> the_dirty;
std::vector<Dirty>& dirty = the_dirty.value;
int left_by_all = 0;

// Beyond this extent a fenced write is sent before its flush: that costs little by then, and the target adds
// while the program goes on.
constexpr std::uint64_t most_fenced_early = 512 * 1024;

void is_here(Pending& pending)
{
    pending.unfinished = false;
    count_left(pending, -pending.left);
    pending.accumulated = 0;
    pending.reads.clear();
    pending.lent.clear();
}

void is_there(Pending& pending)
{
    pending.writes.clear();
    if (pending.gets > 0)
        gets_in_flight -= std::exchange(pending.gets, 0);
    is_here(pending);
}

// All ranks of a window.
void whole_window(Window& window)
{
    const auto turn = traits::await_turn();
    mpi::check(MPI_Win_flush_all(window.get()), "MPI_Win_flush_all");
    for (const Dirty& one : dirty)
        if (one.window == &window)
            is_there(one.pending());
}

bool wants_flush(const Dirty& one)
{
    return one.pending().unfinished || !one.pending().writes.empty();
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
    found->pending().listed = false;
    *found = dirty.back();
    dirty.pop_back();
    refresh_unsettled();
}

// Flushes all ranks of the windows in which at least half of them are wanted.
void whole_windows_where(const Which& wanted)
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
            whole_window(*window);
}

// Before the flushes, which take their time.
void learn_fences_where(const Which& wanted)
{
    const auto awaits = [&](const Dirty& one) { return wanted(one) && one.pending().fences.awaits_fence(); };
    const auto count = std::count_if(dirty.begin(), dirty.end(), awaits);
    if (count == 0)
        return;
    const auto now = FenceHabit::Clock::now();
    for (const Dirty& one : dirty)
        if (awaits(one))
            one.pending().fences.fenced(count == 1, now);
}

} // namespace

std::atomic<int> gets_in_flight{0};

std::mutex& guard()
{
    return the_guard;
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

std::size_t listed()
{
    return dirty.size();
}

bool any(const Which& wanted)
{
    return std::any_of(dirty.begin(), dirty.end(), wanted);
}

void whole(Window& window, int rank)
{
    const auto turn = traits::await_turn();
    mpi::check(MPI_Win_flush(rank, window.get()), "MPI_Win_flush");
    is_there(window.pending(rank));
}

void in_epoch(Window& window, int rank)
{
    const auto turn = traits::await_turn();
    mpi::check(MPI_Win_flush(rank, window.get()), "MPI_Win_flush");
}

void locally(Window& window, int rank)
{
    const auto turn = traits::await_turn();
    if (gets_in_flight > 0 || (ordering::by_accumulates() && traits::in_use.accumulates_are_acknowledged)) {
        whole(window, rank);
    } else if (traits::in_use.flush_local_may_hang) {
        mpi::check(MPI_Win_flush_local_all(window.get()), "MPI_Win_flush_local_all");
        for (const Dirty& one : dirty)
            if (one.window == &window)
                is_here(one.pending());
    } else {
        mpi::check(MPI_Win_flush_local(rank, window.get()), "MPI_Win_flush_local");
        is_here(window.pending(rank));
    }
}

void whole_where(const Which& wanted)
{
    learn_fences_where(wanted);
    whole_windows_where(wanted);
    bool on_my_node = false;
    for (std::size_t i = 0; i < dirty.size();) {
        const Dirty one = dirty[i];
        if (!wanted(one)) {
            ++i;
            continue;
        }
        if (wants_flush(one))
            whole(*one.window, one.rank);
        one.pending().listed = false;
        on_my_node = on_my_node || one.on_my_node;
        dirty[i] = dirty.back();
        dirty.pop_back();
    }
    if (on_my_node)
        refresh_unsettled();
}

void locally_where(const Which& wanted)
{
    for (const Dirty& one : dirty)
        if (one.pending().unfinished && wanted(one))
            locally(*one.window, one.rank);
}

void end_of_write(const Target& target, std::uint64_t extent)
{
    if (target.completes_at_once()) {
        whole(*target.window, target.rank);
        unlist(target);
        return;
    }
    FenceHabit& fences = target.window->pending(target.rank).fences;
    if (target.on_my_node || !traits::in_use.flushes_take_data_along) {
        locally(*target.window, target.rank);
        return;
    }
    if (fences.expects_fence() && extent <= most_fenced_early)
        whole(*target.window, target.rank);
    else
        locally(*target.window, target.rank);
    fences.wrote();
}

void count_left(Pending& pending, int count)
{
    pending.left += count;
    left_by_all += count;
}

int left_in_all()
{
    return left_by_all;
}

} // namespace armci::gmr::flush
