#include "gmr/transfer/queues.hpp"

#include "armci/base/immortal.hpp"
#include "gmr/network/completion.hpp"

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>
#include <vector>

namespace armci::gmr::queues {

using slots::at;
using slots::Slot;

namespace {

std::atomic<int> waiting{0}; // slots with something queued
int gathering = 0;           // of them, those of aggregate handles

// Slots of small transfers that began while others were in flight, one for each target and direction; what is
// queued in them has no handle, or handles that share the slot. The longest queued is first.
constinit Immortal<std::vector<int>> the_streams;
std::vector<int>& streams = the_streams.value;
constexpr std::size_t most_streams = 8;

void start(Slot& slot, rma::Requests* requests)
{
    gathering -= std::exchange(slot.gathers, false) ? 1 : 0;
    slot.queued.issue(requests);
    --waiting;
}

void issue(Slot& slot)
{
    if (slot.queued.empty())
        return;
    const Target target = slot.queued.target();
    const bool gets = slot.queued.direction() == Direction::get;
    const std::size_t before = slot.requests.size();
    const completion::IssuingGets issuing(gets);
    start(slot, slot.users > 0 ? &slot.requests : nullptr);
    if (gets && slot.users == 0)
        completion::gets_began(target, 1);
    else if (gets)
        slots::count_gets(slot, static_cast<int>(slot.requests.size() - before));
    if (slot.users == 0)
        completion::left(target, 1);
    else
        slots::bound_sum(slot);
}

// Issues what a stream has queued, and leaves the slot to those who named it.
void end_stream(std::vector<int>::iterator stream)
{
    const int index = *stream;
    streams.erase(stream);
    Slot& slot = at(index);
    slot.streams = false;
    issue(slot);
    if (slot.users == 0)
        slots::give_back(index);
}

void end_stream_of(const Slot& slot)
{
    end_stream(std::find_if(streams.begin(), streams.end(), [&](int one) { return &at(one) == &slot; }));
}

// Where waiting is allowed.
void issue_or_bring(Slot& slot)
{
    if (flush_brings(slot)) {
        completion::finish_locally(start_gets(slot));
        return;
    }
    issue(slot);
    slots::bound(slot);
}

// Issues what aggregate handles have queued and an operation on [target, target + extent) must not overtake.
void issue_gathered(const Target& target, std::uint64_t extent, bool writes)
{
    for (std::size_t i = 0; gathering > 0 && i < slots::all().size(); ++i) {
        Slot& slot = slots::all()[i];
        if (slot.gathers && (writes || slot.queued.direction() == Direction::put) &&
            slot.queued.meets(target, extent))
            issue_or_bring(slot);
    }
}

void add(Slot& slot, Direction direction, const Target& target, void* mine, std::uint64_t bytes)
{
    if (slot.queued.empty()) {
        ++waiting;
        slot.gathers = !slot.streams;
        gathering += slot.gathers ? 1 : 0;
    }
    if (direction == Direction::get) // now: what issues it later may be a test, which must not wait
        completion::begin(target, bytes, Access::get);
    slot.queued.add(direction, target, mine, bytes);
}

// The stream that takes the transfer, ended first where it has no room; a new one otherwise.
int stream_for(Direction direction, const Target& target, const void* mine, std::uint64_t bytes)
{
    const auto found = std::find_if(streams.begin(), streams.end(), [&](int one) {
        return at(one).queued.direction() == direction && at(one).queued.is_to(target);
    });
    if (found != streams.end()) {
        if (at(*found).queued.goes_with(direction, target, mine, bytes))
            return *found;
        end_stream(found);
    }
    if (streams.size() == most_streams)
        end_stream(streams.begin());
    const int index = streams.emplace_back(slots::take_free());
    at(index).streams = true;
    return index;
}

// Ends the streams for which `wanted` holds.
template <class Wanted>
void end_streams_where(Wanted wanted)
{
    for (std::size_t i = 0; i < streams.size();)
        if (wanted(at(streams[i]).queued))
            end_stream(streams.begin() + static_cast<std::ptrdiff_t>(i));
        else
            ++i;
}

} // namespace

void issue_one(Slot& slot)
{
    const std::lock_guard lock(slots::guard());
    if (slot.streams)
        end_stream_of(slot);
    else
        issue(slot);
}

bool flush_brings(const Slot& slot)
{
    return slot.gathers && slot.queued.direction() == Direction::get && slot.queued.blocks() > 1;
}

Target start_gets(Slot& slot)
{
    const Target target = slot.queued.target();
    const completion::IssuingGets issuing(true);
    start(slot, nullptr);
    completion::gets_began(target, 1);
    return target;
}

bool take(armci_hdl_t* handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes)
{
    const bool aggregate = handle != nullptr && handle->aggregate != 0;
    const Joined::For whom = aggregate           ? Joined::For::aggregate
                             : handle != nullptr ? Joined::For::handle
                                                 : Joined::For::nobody;
    if (!Joined::takes(direction, target, bytes, whom))
        return false;
    const std::lock_guard lock(slots::guard());
    issue_gathered(target, bytes, direction == Direction::put);
    if (!aggregate) {
        if (handle != nullptr && slots::of(*handle) != nullptr)
            return false; // it has something in flight
        if (!slots::are_named() && streams.empty() && !completion::something_is_left(target))
            return false; // the first starts at once
    }
    end_streams_where([&](const Joined& queued) {
        return (aggregate || queued.direction() != direction) && queued.meets(target, bytes);
    });
    if (!aggregate) {
        const int stream = stream_for(direction, target, mine, bytes);
        add(at(stream), direction, target, mine, bytes);
        if (handle != nullptr)
            slots::name(*handle, stream);
        return true;
    }
    Slot& slot = slots::open(*handle);
    const bool is_full = direction == Direction::get && slot.queued.blocks() >= slots::most_requests;
    if (!slot.queued.empty() && (is_full || !slot.queued.goes_with(direction, target, mine, bytes)))
        issue_or_bring(slot);
    add(slot, direction, target, mine, bytes);
    return true;
}

void issue_before(const Target& target, std::uint64_t extent, Access access, bool blocking)
{
    if (waiting.load(std::memory_order_relaxed) == 0)
        return;
    const std::lock_guard lock(slots::guard());
    issue_gathered(target, extent, !is_get(access));
    end_streams_where([&](const Joined& queued) { return blocking || queued.meets(target, extent); });
}

void issue_queued(int process)
{
    if (waiting.load(std::memory_order_relaxed) == 0)
        return;
    const std::lock_guard lock(slots::guard());
    for (Slot& slot : slots::all())
        if (!slot.queued.empty() && (process == all_processes || slot.queued.target().process == process))
            issue_one(slot);
}

} // namespace armci::gmr::queues
