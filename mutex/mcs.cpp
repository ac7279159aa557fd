#include "mutex/mcs.hpp"

#include "armci/base/wait.hpp"
#include "mutex/hand_over.hpp"

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
    : team_(team), messages_(mpi::Comm::duplicate(team.comm())), numbers_(numbers), turns_(numbers.total()),
      words_(team, memory, words(numbers), epochs), was_followed_(numbers.total())
{
}

// Leaves the word as my next turn wants it.
std::int32_t Mcs::take_follower(std::size_t number)
{
    return words_.swap(team_.rank(), follower(number), nobody);
}

void Mcs::lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = numbers_.of(mutex, owner);
    turns_.take(n);
    const std::int32_t me = team_.rank() + 1;
    const std::int32_t before = words_.swap(owner, static_cast<std::size_t>(mutex), me);
    if (before != nobody) {
        words_.swap(before - 1, follower(n), me);
        await_hand_over(messages_.get(), before - 1, n);
    }
    turns_.hold(n, thread);
}

bool Mcs::try_lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = numbers_.of(mutex, owner);
    if (!turns_.try_take(n))
        return false;
    const std::int32_t me = team_.rank() + 1;
    if (words_.compare_and_swap(owner, static_cast<std::size_t>(mutex), nobody, me) != nobody) {
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
    const std::int32_t me = team_.rank() + 1;
    std::int32_t next = was_followed_[n] ? take_follower(n) : nobody;
    if (next == nobody && words_.compare_and_swap(owner, static_cast<std::size_t>(mutex), me, nobody) != me) {
        // Somebody is behind me in the tail, and has written itself into my word or is about to.
        wait::until([&] { return (next = take_follower(n)) != nobody; });
    }
    was_followed_[n] = next != nobody;
    if (next != nobody)
        hand_over(messages_.get(), next - 1, n);
    else
        wait::progress(); // see Queueing::unlock()
    turns_.give_back(n);
}

std::uint64_t Mcs::holder(int mutex, int owner) const
{
    return turns_.holder(numbers_.of(mutex, owner));
}

bool Mcs::is_held(int mutex)
{
    return words_.read(team_.rank(), static_cast<std::size_t>(mutex)) != nobody;
}

} // namespace armci::mutex
