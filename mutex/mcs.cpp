#include "mutex/mcs.hpp"

#include "armci/base/wait.hpp"

namespace armci::mutex {
namespace {

std::uint64_t words(const Numbers& numbers)
{
    return numbers.most() + numbers.total();
}

} // namespace

std::uint64_t Mcs::window_bytes(const Numbers& numbers)
{
    return Words::bytes(words(numbers));
}

Mcs::Mcs(gmr::Team& team, std::byte* memory, EpochStyle epochs, const Numbers& numbers)
    : team_(team), numbers_(numbers), turns_(numbers.total()),
      queue_(team, memory, words(numbers), numbers.total(), epochs), was_followed_(numbers.total())
{
}

Queue::Place Mcs::place(int mutex, int owner) const
{
    const std::size_t n = numbers_.of(mutex, owner);
    return {owner, n, static_cast<std::size_t>(mutex), numbers_.most() + n, false};
}

void Mcs::lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = numbers_.of(mutex, owner);
    turns_.take(n);
    queue_.enter(place(mutex, owner));
    turns_.hold(n, thread);
}

bool Mcs::try_lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = numbers_.of(mutex, owner);
    if (!turns_.try_take(n))
        return false;
    if (!queue_.try_enter(place(mutex, owner))) {
        turns_.give_back(n);
        return false;
    }
    turns_.hold(n, thread);
    return true;
}

void Mcs::unlock(int mutex, int owner)
{
    const std::size_t n = numbers_.of(mutex, owner);
    turns_.hold(n, 0);
    was_followed_[n] = queue_.leave(place(mutex, owner), team_.rank() + 1, was_followed_[n] != 0);
    if (was_followed_[n] == 0)
        wait::progress(); // see Queueing::unlock()
    turns_.give_back(n);
}

std::uint64_t Mcs::holder(int mutex, int owner) const
{
    return turns_.holder(numbers_.of(mutex, owner));
}

bool Mcs::is_held(int mutex)
{
    return queue_.words().read(team_.rank(), static_cast<std::size_t>(mutex)) != nobody;
}

} // namespace armci::mutex
