#include "gmr/handle.hpp"

#include "armci/base/mpi.hpp"
#include "armci/base/wait.hpp"
#include "gmr/completion.hpp"
#include "gmr/window.hpp"

#include <algorithm>
#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

namespace armci::gmr::handle {
namespace {

// Larger transfers gain nothing from company; more blocks trouble some MPI libraries (mpich 7886).
constexpr std::uint64_t most_queued_bytes = 4096;
constexpr std::size_t most_queued = 256;

struct Slot {
    rma::Requests requests;
    // The queue of an aggregate handle.
    Direction direction = Direction::put;
    Target target; // of the first transfer
    std::vector<int> sizes;
    std::vector<MPI_Aint> addresses;
    std::vector<MPI_Aint> displacements;
    bool issued_blocks = false; // completes by a flush, not by a request
};

std::recursive_mutex guard; // of the table and of the queues, which issue_queued() reaches from any thread
std::vector<std::unique_ptr<Slot>> slots;
std::vector<int> free_slots;
std::atomic<int> queues{0}; // slots with something queued

Slot* slot_of(const armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    if (handle.target < 0 || static_cast<std::size_t>(handle.target) >= slots.size()) return nullptr;
    return slots[static_cast<std::size_t>(handle.target)].get();
}

Slot& open(armci_hdl_t& handle)
{
    if (Slot* const slot = slot_of(handle)) return *slot;
    const std::lock_guard lock(guard);
    if (free_slots.empty()) {
        handle.target = static_cast<int>(slots.size());
        slots.emplace_back();
    } else {
        handle.target = free_slots.back();
        free_slots.pop_back();
    }
    auto& slot = slots[static_cast<std::size_t>(handle.target)];
    slot = std::make_unique<Slot>();
    return *slot;
}

void close(armci_hdl_t& handle)
{
    const std::lock_guard lock(guard);
    slots[static_cast<std::size_t>(handle.target)].reset();
    free_slots.push_back(handle.target);
    handle.target = no_slot;
}

// The span of the queue's displacements, as a target and extent for ordering.
Target span_of(const Slot& slot, std::uint64_t& extent)
{
    std::uint64_t first = UINT64_MAX;
    std::uint64_t last = 0;
    for (std::size_t i = 0; i < slot.sizes.size(); ++i) {
        const auto start = static_cast<std::uint64_t>(slot.displacements[i]);
        first = std::min(first, start);
        last = std::max(last, start + static_cast<std::uint64_t>(slot.sizes[i]));
    }
    Target target = slot.target;
    target.displacement = first;
    extent = last - first;
    return target;
}

void issue(Slot& slot)
{
    if (slot.sizes.empty()) return;
    std::uint64_t extent = 0;
    const Target target = span_of(slot, extent);
    const auto access = slot.direction == Direction::put ? completion::Access::put : completion::Access::read;
    completion::begin(target, extent, access);
    if (slot.direction == Direction::put)
        rma::put_blocks(target, slot.sizes, slot.addresses, slot.displacements);
    else
        rma::get_blocks(target, slot.sizes, slot.addresses, slot.displacements);
    completion::end(target, extent, access);
    slot.target = target;
    slot.issued_blocks = true;
    slot.sizes.clear();
    slot.addresses.clear();
    slot.displacements.clear();
    --queues;
}

void issue_one(Slot& slot)
{
    const std::lock_guard lock(guard);
    issue(slot);
}

bool overlaps_queue(const Slot& slot, std::uint64_t displacement, std::uint64_t bytes)
{
    for (std::size_t i = 0; i < slot.sizes.size(); ++i) {
        const auto start = static_cast<std::uint64_t>(slot.displacements[i]);
        if (start < displacement + bytes && displacement < start + static_cast<std::uint64_t>(slot.sizes[i])) return true;
    }
    return false;
}

} // namespace

int check(const char* call, const armci_hdl_t* handle)
{
    if (handle != nullptr) return 0;
    return diag::reject(call, "the handle is NULL; operations without one complete by ARMCI_WaitProc or ARMCI_WaitAll");
}

void set_aggregate(armci_hdl_t& handle, bool aggregate)
{
    if (!aggregate)
        if (Slot* const slot = slot_of(handle)) issue_one(*slot);
    handle.aggregate = aggregate ? 1 : 0;
}

void wait(armci_hdl_t& handle)
{
    Slot* const slot = slot_of(handle);
    if (slot == nullptr) return;
    issue_one(*slot);
    for (MPI_Request& request : slot->requests) mpi::finish(request);
    if (slot->issued_blocks) completion::finish_locally(slot->target);
    close(handle);
}

bool test(armci_hdl_t& handle)
{
    Slot* const slot = slot_of(handle);
    if (slot == nullptr) return true;
    issue_one(*slot);
    int done = 1;
    if (!slot->requests.empty())
        mpi::check(MPI_Testall(static_cast<int>(slot->requests.size()), slot->requests.data(), &done,
                               MPI_STATUSES_IGNORE),
                   "MPI_Testall");
    if (done == 0) return false;
    // Blocks have no request to test. What they wait for is the origin's own progress, which a flush makes.
    if (slot->issued_blocks) completion::finish_locally(slot->target);
    close(handle);
    return true;
}

rma::Requests& requests(armci_hdl_t& handle) { return open(handle).requests; }

void bound(armci_hdl_t& handle)
{
    Slot* const slot = slot_of(handle);
    if (slot == nullptr || slot->requests.size() <= most_requests) return;
    const auto half = slot->requests.begin() + most_requests / 2;
    for (auto request = slot->requests.begin(); request != half; ++request) mpi::finish(*request);
    slot->requests.erase(slot->requests.begin(), half);
}

bool queue(armci_hdl_t& handle, Direction direction, const Target& target, void* mine, std::uint64_t bytes)
{
    if (handle.aggregate == 0 || bytes > most_queued_bytes || !target.window->locks_all()) return false;
    const std::lock_guard lock(guard);
    Slot& slot = open(handle);
    if (!slot.sizes.empty() &&
        (slot.direction != direction || slot.target.window != target.window || slot.target.rank != target.rank ||
         slot.sizes.size() == most_queued || overlaps_queue(slot, target.displacement, bytes)))
        issue(slot);
    if (slot.sizes.empty()) {
        // Blocks of another target that are still in flight complete first; the slot keeps one target.
        if (slot.issued_blocks && (slot.target.window != target.window || slot.target.rank != target.rank))
            completion::finish_locally(slot.target);
        slot.direction = direction;
        slot.target = target;
        ++queues;
    }
    MPI_Aint address = 0;
    mpi::check(MPI_Get_address(mine, &address), "MPI_Get_address");
    slot.sizes.push_back(static_cast<int>(bytes));
    slot.addresses.push_back(address);
    slot.displacements.push_back(static_cast<MPI_Aint>(target.displacement));
    return true;
}

void issue_queued(int process)
{
    if (queues.load(std::memory_order_relaxed) == 0) return;
    const std::lock_guard lock(guard);
    for (const auto& slot : slots)
        if (slot && !slot->sizes.empty() && (process < 0 || slot->target.process == process)) issue(*slot);
}

} // namespace armci::gmr::handle
