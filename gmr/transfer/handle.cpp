#include "gmr/transfer/handle.hpp"

#include "armci/base/diagnostics.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/observe/observe.hpp"
#include "armci/base/thread_turns.hpp"
#include "gmr/active_messages/active_messages.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/transfer/queues.hpp"

#include <algorithm>
#include <iterator>
#include <mutex>
#include <utility>

namespace armci::gmr::handle {

using slots::Slot;

int check(const char* call, const armci_hdl_t* handle)
{
    if (handle != nullptr)
        return 0;
    return diag::reject(
        call, "the handle is NULL; operations without one complete by ARMCI_WaitProc or ARMCI_WaitAll");
}

void set_aggregate(armci_hdl_t& handle, bool aggregate)
{
    const std::lock_guard lock(slots::guard());
    Slot* const slot = slots::of(handle);
    // A stream takes other handles' transfers, too. Gets go together, when they are waited for.
    if (slot != nullptr && (aggregate ? slot->streams : !queues::flush_brings(*slot)))
        queues::issue_one(*slot);
    handle.aggregate = aggregate ? 1 : 0;
}

void wait(armci_hdl_t& handle)
{
    Slot* const slot = slots::of(handle);
    if (slot == nullptr) {
        handle.target = slots::no_slot; // it may be of an earlier life
        return;
    }
    const observe::Waiting waiting("ARMCI_Wait", observe::Wait::handle);
    completion::somebody_waits();
    std::unique_lock lock(slots::guard());
    Target gets;
    if (queues::flush_brings(*slot))
        gets = queues::start_gets(*slot);
    else
        queues::issue_one(*slot);
    if (slot->users == 1)
        lock.unlock(); // else other threads may wait for the same requests
    if (gets.window != nullptr)
        completion::finish_locally(gets);
    slots::finish(*slot);
    slots::close(handle);
}

bool test(armci_hdl_t& handle)
{
    completion::handle_is_tested();
    Slot* const slot = slots::of(handle);
    if (slot == nullptr) {
        handle.target = slots::no_slot; // it may be of an earlier life
        return true;
    }
    queues::issue_one(*slot);
    std::unique_lock lock(slots::guard());
    slots::ask(*slot);
    if (slot->users == 1)
        lock.unlock();
    if (!std::all_of(slot->messages.begin(), slot->messages.end(), [](const slots::Message& one) {
            return ActiveMessages::the_one()->is_here(one.process, one.number);
        }))
        return false;
    int done = 1;
    if (!slot->requests.empty()) {
        const traits::Turn turn;
        if (!turn)
            return false;
        mpi::check(MPI_Testall(static_cast<int>(slot->requests.size()), slot->requests.data(), &done,
                               MPI_STATUSES_IGNORE),
                   "MPI_Testall");
    }
    if (done == 0)
        return false;
    slots::finish(*slot);
    slots::close(handle);
    return true;
}

void take(armci_hdl_t& handle, rma::Requests& requests, bool gets, Lent lent)
{
    if (requests.empty())
        return;
    const std::lock_guard lock(slots::guard()); // it may share the slot with a handle of another thread
    Slot& slot = slots::open(handle);
    if (gets)
        slots::count_gets(slot, static_cast<int>(requests.size()));
    slot.requests.insert(slot.requests.end(), requests.begin(), requests.end());
    requests.clear();
    std::move(lent.sources.begin(), lent.sources.end(), std::back_inserter(slot.sources));
    slots::keep(slot, std::move(lent.landings));
    slots::bound(slot);
}

void take_gets(armci_hdl_t& handle, const Target& target, Landings landings)
{
    const std::lock_guard lock(slots::guard());
    Slot& slot = slots::open(handle);
    slots::keep(slot, std::move(landings));
    slot.asked = false;
    if (std::none_of(slot.flushes.begin(), slot.flushes.end(), [&](const Target& one) {
            return one.window == target.window && one.rank == target.rank;
        }))
        slot.flushes.push_back(target);
    slots::bound(slot);
}

void take_message(armci_hdl_t& handle, slots::Message get)
{
    const std::lock_guard lock(slots::guard());
    std::vector<slots::Message>& messages = slots::open(handle).messages;
    const auto found = std::find_if(messages.begin(), messages.end(),
                                    [&](const slots::Message& one) { return one.process == get.process; });
    if (found == messages.end())
        messages.push_back(get);
    else
        found->number = std::max(found->number, get.number);
}

} // namespace armci::gmr::handle
