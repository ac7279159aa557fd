#include "gmr/handle.hpp"

#include "armci/base/mpi.hpp"
#include "gmr/completion.hpp"
#include "gmr/joined.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace armci::gmr::handle {
namespace {

struct Slot {
    int users = 0; // handles that name it
    rma::Requests requests;
    int gets = 0; // of the requests, counted as in flight
    Buffers sources;
    Landings landings;           // of the requests
    std::vector<Target> flushes; // of gets without requests, each window and rank once
    bool asked = false;          // a request to each of them is among `requests`
    std::byte answer{};
    Joined queued;
    bool streams = false; // it is one of `streams`
    bool gathers = false; // its aggregate handle has something queued
};

std::recursive_mutex guard; // of the table and of the queues, which issue_queued() reaches from any thread
std::deque<Slot> slots;     // they stay where they are, and keep their vectors' room for the next handle
std::vector<int> free_slots;
std::atomic<int> queues{0}; // slots with something queued
int gathering = 0;          // of them, those of aggregate handles
int named = 0;              // slots with users
std::atomic<int> spans{0};  // landings of all slots
std::uint64_t begun = 0;    // landings ever

// Slots of small transfers that began while others were in flight, one for each target and direction; what is
// queued in them has no handle, or handles that share the slot. The longest queued is first.
std::vector<int> streams;
constexpr std::size_t most_streams = 8;

Slot& at(int index)
{
    return slots[static_cast<std::size_t>(index)];
}

Slot* slot_of(const armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    if (handle.target < 0 || static_cast<std::size_t>(handle.target) >= slots.size())
        return nullptr;
    Slot& slot = at(handle.target);
    return slot.users > 0 ? &slot : nullptr;
}

int free_slot()
{
    if (free_slots.empty()) {
        slots.emplace_back();
        return static_cast<int>(slots.size()) - 1;
    }
    const int index = free_slots.back();
    free_slots.pop_back();
    return index;
}

void name(armci_hdl_t& handle, int index)
{
    handle.target = index;
    if (at(index).users++ == 0)
        ++named;
}

Slot& open(armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    if (Slot* const slot = slot_of(handle))
        return *slot;
    name(handle, free_slot());
    return at(handle.target);
}

void close(armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    const int index = std::exchange(handle.target, no_slot);
    if (--at(index).users > 0)
        return;
    --named;
    free_slots.push_back(index);
}

void finish_requests(Slot& slot)
{
    for (MPI_Request& request : slot.requests)
        mpi::finish(request);
    slot.requests.clear();
    slot.sources.clear();
    completion::gets_ended(std::exchange(slot.gets, 0));
}

// With the guard held, where the landings that `ready` holds for are there.
template <class Ready>
void unpack_where(Slot& slot, Ready ready)
{
    spans -= static_cast<int>(std::erase_if(slot.landings, [&](const Landing& one) {
        if (!ready(one))
            return false;
        one.unpack();
        return true;
    }));
}

void finish(Slot& slot)
{
    finish_requests(slot);
    std::vector<Target> flushes;
    {
        const std::lock_guard lock(guard); // land() and forget() go through all slots
        flushes.swap(slot.flushes);
        slot.asked = false;
    }
    for (const Target& target : flushes)
        completion::finish_gets(target);
    const std::lock_guard lock(guard);
    unpack_where(slot, [](const Landing&) { return true; });
}

void count_gets(Slot& slot, int count)
{
    slot.gets += count;
    completion::gets_began(count);
}

void start(Slot& slot, rma::Requests* requests)
{
    gathering -= std::exchange(slot.gathers, false) ? 1 : 0;
    slot.queued.issue(requests);
    --queues;
}

void issue(Slot& slot)
{
    if (slot.queued.empty())
        return;
    const Target target = slot.queued.target();
    const bool gets = slot.queued.direction() == Direction::get;
    const std::size_t before = slot.requests.size();
    start(slot, slot.users > 0 ? &slot.requests : nullptr);
    if (gets && slot.users == 0)
        completion::gets_began(target, 1);
    else if (gets)
        count_gets(slot, static_cast<int>(slot.requests.size() - before));
    if (slot.users == 0)
        completion::left(target, 1);
}

std::uint64_t bytes_of(const Landings& landings)
{
    std::uint64_t bytes = 0;
    for (const Landing& one : landings)
        bytes += one.bytes();
    return bytes;
}

void keep(Slot& slot, Landings landings)
{
    spans += static_cast<int>(landings.size());
    for (Landing& one : landings)
        one.number = ++begun;
    std::move(landings.begin(), landings.end(), std::back_inserter(slot.landings));
}

void ask(Slot& slot)
{
    if (slot.flushes.empty() || std::exchange(slot.asked, true))
        return;
    const std::size_t before = slot.requests.size();
    for (const Target& target : slot.flushes)
        rma::get(target, &slot.answer, 1, &slot.requests);
    count_gets(slot, static_cast<int>(slot.requests.size() - before));
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
        free_slots.push_back(index);
}

void end_stream_of(const Slot& slot)
{
    end_stream(std::find_if(streams.begin(), streams.end(), [&](int one) { return &at(one) == &slot; }));
}

void bound(Slot& slot)
{
    if (slot.requests.size() <= most_requests)
        return;
    const auto kept = slot.requests.end() - most_requests / 2;
    for (auto request = slot.requests.begin(); request != kept; ++request)
        mpi::finish(*request);
    slot.requests.erase(slot.requests.begin(), kept);
}

// Whether there are gets of an aggregate handle that need no requests where somebody waits: one flush brings
// them all, and is slower for one.
bool flush_brings(const Slot& slot)
{
    return slot.gathers && slot.queued.direction() == Direction::get && slot.queued.blocks() > 1;
}

// Starts them; finish_locally() of the target that it returns ends them.
Target start_gets(Slot& slot)
{
    const Target target = slot.queued.target();
    start(slot, nullptr);
    completion::gets_began(target, 1);
    return target;
}

// Where waiting is allowed.
void issue_or_bring(Slot& slot)
{
    if (flush_brings(slot)) {
        completion::finish_locally(start_gets(slot));
        return;
    }
    issue(slot);
    bound(slot);
}

// Issues what aggregate handles have queued and an operation on [target, target + extent) must not overtake.
void issue_gathered(const Target& target, std::uint64_t extent, bool writes)
{
    for (std::size_t i = 0; gathering > 0 && i < slots.size(); ++i) {
        Slot& slot = slots[i];
        if (slot.gathers && (writes || slot.queued.direction() == Direction::put) &&
            slot.queued.meets(target, extent))
            issue_or_bring(slot);
    }
}

void issue_one(Slot& slot)
{
    const std::lock_guard lock(guard);
    if (slot.streams)
        end_stream_of(slot);
    else
        issue(slot);
}

void add(Slot& slot, Direction direction, const Target& target, void* mine, std::uint64_t bytes)
{
    if (slot.queued.empty()) {
        ++queues;
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
    const int index = streams.emplace_back(free_slot());
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

int check(const char* call, const armci_hdl_t* handle)
{
    if (handle != nullptr)
        return 0;
    return diag::reject(
        call, "the handle is NULL; operations without one complete by ARMCI_WaitProc or ARMCI_WaitAll");
}

void set_aggregate(armci_hdl_t& handle, bool aggregate)
{
    const std::lock_guard lock(guard);
    Slot* const slot = slot_of(handle);
    if (!aggregate && slot != nullptr && !flush_brings(*slot)) // gets go together, when they are waited for
        issue_one(*slot);
    handle.aggregate = aggregate ? 1 : 0;
}

void wait(armci_hdl_t& handle)
{
    Slot* const slot = slot_of(handle);
    if (slot == nullptr)
        return;
    completion::somebody_waits();
    std::unique_lock lock(guard);
    Target gets;
    if (flush_brings(*slot))
        gets = start_gets(*slot);
    else
        issue_one(*slot);
    if (slot->users == 1)
        lock.unlock(); // else other threads may wait for the same requests
    if (gets.window != nullptr)
        completion::finish_locally(gets);
    finish(*slot);
    close(handle);
}

bool test(armci_hdl_t& handle)
{
    completion::handle_is_tested();
    Slot* const slot = slot_of(handle);
    if (slot == nullptr)
        return true;
    issue_one(*slot);
    std::unique_lock lock(guard);
    ask(*slot);
    if (slot->users == 1)
        lock.unlock();
    int done = 1;
    if (!slot->requests.empty())
        mpi::check(MPI_Testall(static_cast<int>(slot->requests.size()), slot->requests.data(), &done,
                               MPI_STATUSES_IGNORE),
                   "MPI_Testall");
    if (done == 0)
        return false;
    finish(*slot);
    close(handle);
    return true;
}

void take(armci_hdl_t& handle, rma::Requests& requests, bool gets, Lent lent)
{
    if (requests.empty())
        return;
    const std::lock_guard lock(guard); // it may share the slot with a handle of another thread
    Slot& slot = open(handle);
    if (gets)
        count_gets(slot, static_cast<int>(requests.size()));
    slot.requests.insert(slot.requests.end(), requests.begin(), requests.end());
    requests.clear();
    std::move(lent.sources.begin(), lent.sources.end(), std::back_inserter(slot.sources));
    keep(slot, std::move(lent.landings));
    if (bytes_of(slot.landings) > most_landing)
        finish(slot);
    bound(slot);
}

void take_gets(armci_hdl_t& handle, const Target& target, Landings landings)
{
    const std::lock_guard lock(guard);
    Slot& slot = open(handle);
    keep(slot, std::move(landings));
    slot.asked = false;
    if (std::none_of(slot.flushes.begin(), slot.flushes.end(), [&](const Target& one) {
            return one.window == target.window && one.rank == target.rank;
        }))
        slot.flushes.push_back(target);
    if (bytes_of(slot.landings) > most_landing)
        finish(slot);
}

void forget(const Window& window)
{
    const std::lock_guard lock(guard);
    for (Slot& slot : slots)
        std::erase_if(slot.flushes, [&](const Target& one) { return one.window == &window; });
}

std::uint64_t landings_begun()
{
    if (spans.load(std::memory_order_acquire) == 0)
        return 0;
    const std::lock_guard lock(guard);
    return begun;
}

void land(int process, std::uint64_t last)
{
    if (last == 0 || spans.load(std::memory_order_acquire) == 0)
        return;
    const std::lock_guard lock(guard);
    for (Slot& slot : slots)
        unpack_where(slot, [=](const Landing& one) {
            return one.number <= last && (process == all_processes || one.process() == process);
        });
}

bool queue(armci_hdl_t* handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes)
{
    const bool aggregate = handle != nullptr && handle->aggregate != 0;
    const Joined::For whom = aggregate           ? Joined::For::aggregate
                             : handle != nullptr ? Joined::For::handle
                                                 : Joined::For::nobody;
    if (!Joined::takes(direction, target, bytes, whom))
        return false;
    const std::lock_guard lock(guard);
    issue_gathered(target, bytes, direction == Direction::put);
    if (!aggregate) {
        if (handle != nullptr && slot_of(*handle) != nullptr)
            return false; // it has something in flight
        if (named == 0 && streams.empty() && !completion::something_is_left(target))
            return false; // the first starts at once
    }
    end_streams_where([&](const Joined& queued) {
        return (aggregate || queued.direction() != direction) && queued.meets(target, bytes);
    });
    if (!aggregate) {
        const int stream = stream_for(direction, target, mine, bytes);
        add(at(stream), direction, target, mine, bytes);
        if (handle != nullptr)
            name(*handle, stream);
        return true;
    }
    Slot& slot = open(*handle);
    const bool is_full = direction == Direction::get && slot.queued.blocks() >= most_requests;
    if (!slot.queued.empty() && (is_full || !slot.queued.goes_with(direction, target, mine, bytes)))
        issue_or_bring(slot);
    add(slot, direction, target, mine, bytes);
    return true;
}

void issue_before(const Target& target, std::uint64_t extent, Access access, bool blocking)
{
    if (queues.load(std::memory_order_relaxed) == 0)
        return;
    const std::lock_guard lock(guard);
    issue_gathered(target, extent, access != Access::get && access != Access::ordered_get);
    end_streams_where([&](const Joined& queued) { return blocking || queued.meets(target, extent); });
}

void issue_queued(int process)
{
    if (queues.load(std::memory_order_relaxed) == 0)
        return;
    const std::lock_guard lock(guard);
    for (Slot& slot : slots)
        if (!slot.queued.empty() && (process < 0 || slot.queued.target().process == process))
            issue_one(slot);
}

} // namespace armci::gmr::handle
