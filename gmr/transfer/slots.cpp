#include "gmr/transfer/slots.hpp"

#include "armci/base/immortal.hpp"
#include "armci/base/mpi.hpp"
#include "armci/base/mpi_traits.hpp"
#include "gmr/active_messages/active_messages.hpp"
#include "gmr/network/completion.hpp"

#include <algorithm>
#include <atomic>
#include <iterator>
#include <utility>

namespace armci::gmr::slots {
namespace {

// Never destroyed, as an Immortal.
std::deque<Slot>& table()
{
    static auto* const slots = new std::deque<Slot>;
    return *slots;
}

std::recursive_mutex the_guard;
constinit Immortal<std::vector<int>> the_free_slots;
std::vector<int>& free_slots = the_free_slots.value;
int named = 0;             // slots with users
std::atomic<int> spans{0}; // landings of all slots
std::uint64_t begun = 0;   // landings ever

void finish_requests(Slot& slot)
{
    for (MPI_Request& request : slot.requests)
        mpi::finish(request);
    slot.requests.clear();
    slot.sources.clear();
    completion::gets_ended(std::exchange(slot.gets, 0));
}

// Of all slots, with the guard held. Only where MPI bears few of them: handles may be many.
std::size_t all_requests()
{
    if (traits::in_use.most_requests == SIZE_MAX)
        return 0;
    std::size_t count = 0;
    for (const Slot& slot : table())
        count += slot.requests.size();
    return count;
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

std::uint64_t bytes_of(const Landings& landings)
{
    std::uint64_t bytes = 0;
    for (const Landing& one : landings)
        bytes += one.bytes();
    return bytes;
}

} // namespace

std::recursive_mutex& guard()
{
    return the_guard;
}

std::deque<Slot>& all()
{
    return table();
}

Slot& at(int index)
{
    return table()[static_cast<std::size_t>(index)];
}

bool are_named()
{
    return named > 0;
}

int take_free()
{
    if (free_slots.empty()) {
        table().emplace_back();
        return static_cast<int>(table().size()) - 1;
    }
    const int index = free_slots.back();
    free_slots.pop_back();
    return index;
}

void give_back(int index)
{
    free_slots.push_back(index);
}

Slot* of(const armci_hdl_t& handle)
{
    const std::lock_guard lock(the_guard);
    if (handle.target < 0 || static_cast<std::size_t>(handle.target) >= table().size())
        return nullptr;
    Slot& slot = at(handle.target);
    return slot.users > 0 ? &slot : nullptr;
}

void name(armci_hdl_t& handle, int index)
{
    handle.target = index;
    if (at(index).users++ == 0)
        ++named;
}

Slot& open(armci_hdl_t& handle)
{
    const std::lock_guard lock(the_guard);
    if (Slot* const slot = of(handle))
        return *slot;
    name(handle, take_free());
    return at(handle.target);
}

void close(armci_hdl_t& handle)
{
    const std::lock_guard lock(the_guard);
    const int index = std::exchange(handle.target, no_slot);
    if (--at(index).users > 0)
        return;
    --named;
    free_slots.push_back(index);
}

void count_gets(Slot& slot, int count)
{
    slot.gets += count;
    completion::gets_began(count);
}

void keep(Slot& slot, Landings landings)
{
    spans += static_cast<int>(landings.size());
    for (Landing& one : landings)
        one.number = ++begun;
    std::move(landings.begin(), landings.end(), std::back_inserter(slot.landings));
}

void bound_sum(Slot& slot)
{
    if (all_requests() > traits::in_use.most_requests)
        finish_requests(slot);
}

void ask(Slot& slot)
{
    if (slot.flushes.empty() || std::exchange(slot.asked, true))
        return;
    const std::size_t before = slot.requests.size();
    for (const Target& target : slot.flushes)
        rma::get(target, &slot.answer, 1, &slot.requests);
    count_gets(slot, static_cast<int>(slot.requests.size() - before));
    bound_sum(slot);
}

void bound(Slot& slot)
{
    if (bytes_of(slot.landings) > most_landing)
        finish(slot);
    bound_sum(slot);
    if (slot.requests.size() <= most_requests)
        return;
    const auto kept = slot.requests.end() - most_requests / 2;
    for (auto request = slot.requests.begin(); request != kept; ++request)
        mpi::finish(*request);
    slot.requests.erase(slot.requests.begin(), kept);
}

void finish(Slot& slot)
{
    finish_requests(slot);
    std::vector<Target> flushes;
    {
        const std::lock_guard lock(the_guard); // land() and forget() go through all slots
        flushes.swap(slot.flushes);
        slot.asked = false;
    }
    for (const Target& target : flushes)
        completion::finish_gets(target);
    for (const Message& one : slot.messages)
        ActiveMessages::the_one()->await(one.process, one.number);
    slot.messages.clear();
    const std::lock_guard lock(the_guard);
    unpack_where(slot, [](const Landing&) { return true; });
}

std::uint64_t landings_begun()
{
    if (spans.load(std::memory_order_acquire) == 0)
        return 0;
    const std::lock_guard lock(the_guard);
    return begun;
}

void land(int process, std::uint64_t last)
{
    if (last == 0 || spans.load(std::memory_order_acquire) == 0)
        return;
    const std::lock_guard lock(the_guard);
    for (Slot& slot : table())
        unpack_where(slot, [=](const Landing& one) {
            return one.number <= last && (process == all_processes || one.process() == process);
        });
}

void forget(const Window& window)
{
    const std::lock_guard lock(the_guard);
    for (Slot& slot : table())
        std::erase_if(slot.flushes, [&](const Target& one) { return one.window == &window; });
}

void forget_all()
{
    const std::lock_guard lock(the_guard);
    for (std::size_t i = 0; i < table().size(); ++i) {
        Slot& slot = table()[i];
        slot.flushes.clear();
        slot.messages.clear();
        slot.asked = false;
        finish_requests(slot);
        unpack_where(slot, [](const Landing&) { return true; });
        if (std::exchange(slot.users, 0) > 0) {
            --named;
            free_slots.push_back(static_cast<int>(i));
        }
    }
}

} // namespace armci::gmr::slots
