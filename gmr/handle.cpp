#include "gmr/handle.hpp"

#include "armci/base/mpi.hpp"
#include "gmr/completion.hpp"
#include "gmr/window.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <iterator>
#include <mutex>
#include <utility>
#include <vector>

namespace armci::gmr::handle {
namespace {

// Larger transfers gain nothing from company; more blocks trouble some MPI libraries (mpich 7886).
constexpr std::uint64_t most_queued_bytes = 4096;
constexpr std::size_t most_queued = 256;

struct Slot {
    bool taken = false;
    rma::Requests requests;
    int gets = 0; // of the requests, counted as in flight
    Buffers sources;
    // The queue of an aggregate handle.
    Direction direction = Direction::put;
    Target target; // of the first transfer
    rma::Blocks queued;
};

std::recursive_mutex guard; // of the table and of the queues, which issue_queued() reaches from any thread
std::deque<Slot> slots;     // they stay where they are, and keep their vectors' room for the next handle
std::vector<int> free_slots;
std::atomic<int> queues{0}; // slots with something queued

Slot* slot_of(const armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    if (handle.target < 0 || static_cast<std::size_t>(handle.target) >= slots.size())
        return nullptr;
    Slot& slot = slots[static_cast<std::size_t>(handle.target)];
    return slot.taken ? &slot : nullptr;
}

Slot& open(armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    if (Slot* const slot = slot_of(handle))
        return *slot;
    if (free_slots.empty()) {
        handle.target = static_cast<int>(slots.size());
        slots.emplace_back();
    } else {
        handle.target = free_slots.back();
        free_slots.pop_back();
    }
    Slot& slot = slots[static_cast<std::size_t>(handle.target)];
    slot.taken = true;
    return slot;
}

void close(armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    slots[static_cast<std::size_t>(handle.target)].taken = false;
    free_slots.push_back(handle.target);
    handle.target = no_slot;
}

// The span of the queue's displacements, as a target and extent for ordering.
Target span_of(const Slot& slot, std::uint64_t& extent)
{
    std::uint64_t first = UINT64_MAX;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < slot.queued.sizes.size(); ++i) {
        const auto start = static_cast<std::uint64_t>(slot.queued.displacements[i]);
        first = std::min(first, start);
        last = std::max(last, start + static_cast<std::uint64_t>(slot.queued.sizes[i]));
    }
    Target target = slot.target;
    target.displacement = first;
    extent = last - first;
    return target;
}

void finish(Slot& slot)
{
    for (MPI_Request& request : slot.requests)
        mpi::finish(request);
    slot.requests.clear();
    slot.sources.clear();
    completion::gets_ended(std::exchange(slot.gets, 0));
}

void count_gets(Slot& slot, int count)
{
    slot.gets += count;
    completion::gets_began(count);
}

void issue(Slot& slot)
{
    if (slot.queued.sizes.empty())
        return;
    std::uint64_t extent = 0;
    const Target target = span_of(slot, extent);
    const Access access = slot.direction == Direction::put ? Access::put : Access::get;
    completion::begin(target, extent, access);
    if (slot.direction == Direction::put)
        rma::put_blocks(target, slot.queued, &slot.requests);
    else {
        rma::get_blocks(target, slot.queued, &slot.requests);
        count_gets(slot, 1);
    }
    completion::end(target, extent, access);
    slot.queued.sizes.clear();
    slot.queued.addresses.clear();
    slot.queued.displacements.clear();
    --queues;
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

void issue_one(Slot& slot)
{
    const std::lock_guard lock(guard);
    issue(slot);
}

bool overlaps_queue(const Slot& slot, std::uint64_t displacement, std::uint64_t bytes)
{
    for (std::size_t i = 0; i < slot.queued.sizes.size(); ++i) {
        const auto start = static_cast<std::uint64_t>(slot.queued.displacements[i]);
        const auto last = start + static_cast<std::uint64_t>(slot.queued.sizes[i]);
        if (start < displacement + bytes && displacement < last)
            return true;
    }
    return false;
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
    if (!aggregate)
        if (Slot* const slot = slot_of(handle))
            issue_one(*slot);
    handle.aggregate = aggregate ? 1 : 0;
}

void wait(armci_hdl_t& handle)
{
    Slot* const slot = slot_of(handle);
    if (slot == nullptr)
        return;
    issue_one(*slot);
    finish(*slot);
    close(handle);
}

bool test(armci_hdl_t& handle)
{
    Slot* const slot = slot_of(handle);
    if (slot == nullptr)
        return true;
    issue_one(*slot);
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

void take(armci_hdl_t& handle, rma::Requests& requests, bool gets, Buffers& sources)
{
    if (requests.empty())
        return;
    Slot& slot = open(handle);
    if (gets)
        count_gets(slot, static_cast<int>(requests.size()));
    slot.requests.insert(slot.requests.end(), requests.begin(), requests.end());
    requests.clear();
    std::move(sources.begin(), sources.end(), std::back_inserter(slot.sources));
    sources.clear();
    bound(slot);
}

bool queue(armci_hdl_t& handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes)
{
    if (handle.aggregate == 0 || bytes > most_queued_bytes || !target.window->locks_all() ||
        !(direction == Direction::put ? rma::joins_puts() : rma::joins_gets()))
        return false;
    const std::lock_guard lock(guard);
    Slot& slot = open(handle);
    if (!slot.queued.sizes.empty() &&
        (slot.direction != direction || slot.target.window != target.window ||
         slot.target.rank != target.rank || slot.queued.sizes.size() == most_queued ||
         overlaps_queue(slot, target.displacement, bytes))) {
        issue(slot);
        bound(slot);
    }
    if (slot.queued.sizes.empty()) {
        slot.direction = direction;
        slot.target = target;
        ++queues;
    }
    MPI_Aint address = 0;
    mpi::check(MPI_Get_address(mine, &address), "MPI_Get_address");
    slot.queued.sizes.push_back(static_cast<int>(bytes));
    slot.queued.addresses.push_back(address);
    slot.queued.displacements.push_back(static_cast<MPI_Aint>(target.displacement));
    return true;
}

void issue_queued(int process)
{
    if (queues.load(std::memory_order_relaxed) == 0)
        return;
    const std::lock_guard lock(guard);
    for (Slot& slot : slots)
        if (!slot.queued.sizes.empty() && (process < 0 || slot.target.process == process))
            issue(slot);
}

} // namespace armci::gmr::handle
