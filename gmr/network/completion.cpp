#include "gmr/network/completion.hpp"

#include "armci/base/mpi_traits.hpp"
#include "gmr/network/flush.hpp"
#include "gmr/network/modes.hpp"
#include "gmr/network/ordering.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

namespace armci::gmr::completion {
namespace {

using flush::Dirty;
using flush::gets_in_flight;
using flush::guard;

std::atomic<std::uint64_t> waits{0};         // of this program, for whatever
std::atomic<bool> handles_are_tested{false}; // by this program

// Beyond this many gets that only a flush completes, one is due: osc/pt2pt searches them all for each answer.
constexpr int most_gets = 256;

// Beyond this many operations without requests their target is completed locally; beyond this many in all,
// every one is. MPICH aborts at 262,144 accumulates (docs/mpi-facts.md).
constexpr int most_left = 4096;
constexpr int most_left_in_all = 65536;

// Beyond this many lent buffers a target is completed locally.
constexpr std::size_t most_buffers = 64;

bool all(const Dirty&)
{
    return true;
}

flush::Which those_of(int process)
{
    return [process](const Dirty& one) { return one.process == process; };
}

void put_in_order(const Target& target, Pending& pending, const Interval& mine)
{
    if (gets_in_flight == 0)
        pending.reads.clear();
    if (pending.writes.any_must_be_awaited_by(mine) || pending.reads.any_must_be_awaited_by(mine))
        flush::whole(*target.window, target.rank);
}

Interval interval_of(const Target& target, std::uint64_t extent, Access access)
{
    return {target.displacement, target.displacement + extent, access};
}

bool has_mode(const Target& target)
{
    return target.migrates && Modes::the_one() != nullptr;
}

// A barrier that closes an epoch of gmr/network/modes flushes what was issued before.
void issued(const Target& target)
{
    if (has_mode(target))
        Modes::the_one()->leave_mpi();
}

} // namespace

void begin(const Target& target, std::uint64_t extent, Access access)
{
    if (has_mode(target))
        Modes::the_one()->enter_mpi(target.process, access);
    if (!target.window->locks_all()) {
        target.window->begin(target.rank);
        return;
    }
    const std::lock_guard lock(guard());
    put_in_order(target, target.window->pending(target.rank), interval_of(target, extent, access));
}

void end(const Target& target, std::uint64_t extent, Access access)
{
    if (!target.window->locks_all()) {
        target.window->end(target.rank);
    } else {
        const std::lock_guard lock(guard());
        Pending& pending = target.window->pending(target.rank);
        flush::list(target);
        pending.unfinished = true;
        (is_get(access) ? pending.reads : pending.writes).add(interval_of(target, extent, access));
    }
    issued(target);
}

BlockingWrite::BlockingWrite(const Target& target, std::uint64_t extent, Access access)
    : target_(target), interval_(interval_of(target, extent, access))
{
    if (has_mode(target))
        Modes::the_one()->enter_mpi(target.process, access);
    if (!target.window->locks_all()) {
        target.window->begin(target.rank);
        return;
    }
    lock_ = std::unique_lock(guard());
    put_in_order(target, target.window->pending(target.rank), interval_);
}

BlockingWrite::~BlockingWrite()
{
    if (!lock_.owns_lock()) {
        target_.window->end(target_.rank);
    } else {
        Pending& pending = target_.window->pending(target_.rank);
        flush::list(target_);
        pending.writes.add(interval_);
        flush::end_of_write(target_, interval_.last - interval_.first);
    }
    issued(target_);
}

void finish_locally(const Target& target)
{
    const std::lock_guard lock(guard());
    flush::locally(*target.window, target.rank);
}

void finish_write(const Target& target, std::uint64_t extent)
{
    const std::lock_guard lock(guard());
    flush::end_of_write(target, extent);
}

void lend(const Target& target, Buffers buffers)
{
    const std::lock_guard lock(guard());
    Buffers& lent = target.window->pending(target.rank).lent;
    std::move(buffers.begin(), buffers.end(), std::back_inserter(lent));
    if (staging::much_is_lent() || lent.size() > most_buffers)
        flush::locally(*target.window, target.rank);
}

void end_complete(const Target& target)
{
    if (!target.window->locks_all()) {
        target.window->end(target.rank);
    } else {
        const std::lock_guard lock(guard());
        flush::whole(*target.window, target.rank);
    }
    issued(target);
}

void finish_all_locally()
{
    const std::lock_guard lock(guard());
    flush::locally_where(all);
}

void finish_all_locally(int process)
{
    const std::lock_guard lock(guard());
    flush::locally_where(those_of(process));
}

void fence(int process)
{
    const std::lock_guard lock(guard());
    flush::whole_where(those_of(process));
}

void fence_all()
{
    const std::lock_guard lock(guard());
    flush::whole_where(all);
}

void forget(Window& window)
{
    const std::lock_guard lock(guard());
    flush::whole_where([&window](const Dirty& one) { return one.window == &window; });
}

void settle_node(int process)
{
    const std::lock_guard lock(guard());
    flush::whole_where([process](const Dirty& one) { return one.on_my_node && one.process == process; });
}

void left(const Target& target, int count, std::uint64_t accumulated)
{
    if (!target.window->locks_all())
        return;
    const std::lock_guard lock(guard());
    Pending& pending = target.window->pending(target.rank);
    flush::count_left(pending, count);
    pending.accumulated += accumulated;
    if (flush::left_in_all() > most_left_in_all)
        flush::locally_where(all);
    else if (pending.left > most_left || pending.accumulated >= traits::in_use.accumulated_bytes)
        flush::locally(*target.window, target.rank);
}

bool something_is_left(const Target& target)
{
    const std::lock_guard lock(guard());
    const Pending* const pending = target.window->pending().find(target.rank);
    return pending != nullptr && pending->left > 0;
}

void gets_began(const Target& target, int count)
{
    if (!target.window->locks_all())
        return;
    const std::lock_guard lock(guard());
    int& gets = target.window->pending(target.rank).gets;
    gets += count;
    gets_in_flight += count;
    if (gets > most_gets)
        flush::whole(*target.window, target.rank);
}
void gets_began(int count)
{
    gets_in_flight += count;
}
bool gets_come_in_numbers(const Target& target)
{
    if (handles_are_tested)
        return false;
    const std::lock_guard lock(guard());
    return target.window->pending(target.rank).handles.begins(waits);
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
    const std::lock_guard lock(guard());
    const Pending* const pending = target.window->pending().find(target.rank);
    if (pending != nullptr && pending->gets > 0)
        flush::whole(*target.window, target.rank);
}
void gets_ended(int count)
{
    gets_in_flight -= count;
}

bool writes_are_pending()
{
    const std::lock_guard lock(guard());
    return flush::any([](const Dirty& one) { return !one.pending().writes.empty(); });
}

std::size_t dirty_targets()
{
    const std::lock_guard lock(guard());
    return flush::listed();
}

} // namespace armci::gmr::completion
