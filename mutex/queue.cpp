#include "mutex/queue.hpp"

#include "armci/base/mpi_traits.hpp"
#include "armci/base/wait.hpp"
#include "mutex/hand_over.hpp"

namespace armci::mutex {

Queue::Queue(gmr::Team& team, std::byte* memory, std::uint64_t words, std::size_t mutexes, EpochStyle epochs)
    : team_(team), messages_(mpi::Comm::duplicate(team.comm())), words_(team, memory, words, epochs),
      by_swaps_(traits::in_use.compare_and_swap_may_hang && !words_.change_by_cpus()),
      given_up_(by_swaps_ ? mutexes : 0)
{
}

// A message that is still to come must not meet another communicator. It never comes from a holder that has
// kept the mutex.
Queue::~Queue()
{
    for (const std::optional<Place>& place : given_up_)
        if (place && words_.read(place->owner, place->tail) == nobody)
            await_hand_over(messages_.get(), MPI_ANY_SOURCE, place->number);
}

std::int32_t Queue::swap_follower(const Place& place, std::int32_t entry, std::int32_t value) const
{
    if (place.on_owner)
        return words_.swap(place.owner, place.followers + static_cast<std::size_t>(entry - 1), value);
    return words_.swap(entry - 1, place.followers, value);
}

// It is in the tail, and has written itself into the word or is about to.
std::int32_t Queue::await_follower(const Place& place, std::int32_t entry) const
{
    std::int32_t next = nobody;
    wait::until([&] { return (next = swap_follower(place, entry, nobody)) != nobody; });
    return next;
}

// Whether this process, which had given up, stands in the queue no more.
bool Queue::is_out(std::size_t number)
{
    if (!given_up_[number])
        return true;
    if (!has_hand_over(messages_.get(), number))
        return false;
    await_hand_over(messages_.get(), MPI_ANY_SOURCE, number);
    given_up_[number].reset();
    return true;
}

void Queue::enter(const Place& place)
{
    const std::int32_t me = team_.rank() + 1;
    if (by_swaps_ && given_up_[place.number]) {
        await_hand_over(messages_.get(), MPI_ANY_SOURCE, place.number);
        given_up_[place.number].reset();
    }
    const std::int32_t before = words_.swap(place.owner, place.tail, me);
    if (before == nobody)
        return;
    swap_follower(place, before, me);
    await_hand_over(messages_.get(), MPI_ANY_SOURCE, place.number);
}

bool Queue::try_enter(const Place& place)
{
    const std::int32_t me = team_.rank() + 1;
    if (!by_swaps_)
        return words_.compare_and_swap(place.owner, place.tail, nobody, me) == nobody;
    if (!is_out(place.number) || words_.read(place.owner, place.tail) != nobody)
        return false;
    const std::int32_t before = words_.swap(place.owner, place.tail, me);
    if (before == nobody)
        return true;
    given_up_[place.number] = place;
    swap_follower(place, before, -me);
    return false;
}

bool Queue::leave(const Place& place, std::int32_t entry, bool looks_first)
{
    std::int32_t next = looks_first ? swap_follower(place, entry, nobody) : nobody;
    if (by_swaps_)
        return leave_by_swaps(place, entry, next);
    if (next == nobody && words_.compare_and_swap(place.owner, place.tail, entry, nobody) != entry)
        next = await_follower(place, entry);
    if (next != nobody)
        hand_over(messages_.get(), next - 1, place.number);
    return next != nobody;
}

bool Queue::leave_by_swaps(const Place& place, std::int32_t entry, std::int32_t next)
{
    for (bool was_followed = false;; was_followed = true) {
        std::int32_t between = nobody; // the last of those that came between the two swaps
        if (next == nobody) {
            const std::int32_t last = words_.swap(place.owner, place.tail, nobody);
            if (last != entry) {
                between = words_.swap(place.owner, place.tail, last);
                next = await_follower(place, entry);
            }
        }
        if (between != nobody)
            swap_follower(place, between, next);
        if (was_followed) // `entry` had given up, and is out
            hand_over(messages_.get(), entry - 1, place.number);
        if (next == nobody)
            return was_followed;
        if (between != nobody)
            return true;
        if (next > 0) {
            hand_over(messages_.get(), next - 1, place.number);
            return true;
        }
        entry = -next;
        next = swap_follower(place, entry, nobody);
    }
}

} // namespace armci::mutex
