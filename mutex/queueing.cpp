#include "mutex/queueing.hpp"

#include "armci/base/wait.hpp"
#include "gmr/network/completion.hpp"
#include "gmr/network/flush.hpp"
#include "gmr/network/rma.hpp"
#include "mutex/hand_over.hpp"

#include <algorithm>

namespace armci::mutex {

std::uint64_t Queueing::window_bytes(const gmr::Team& team, const Numbers& numbers)
{
    return std::max<std::uint64_t>(numbers.most() * static_cast<std::uint64_t>(team.size()),
                                   gmr::window_alignment());
}

Queueing::Queueing(gmr::Team& team, std::byte* memory, const Numbers& numbers)
    : team_(team), messages_(mpi::Comm::duplicate(team.comm())), numbers_(numbers), turns_(numbers.total()),
      window_(gmr::Window::over(team.comm(), memory, window_bytes(team, numbers), EpochStyle::exclusive_lock))
{
}

gmr::Target Queueing::byte(int mutex, int owner, int rank) const
{
    gmr::Target target;
    target.window = window_.get();
    target.rank = owner;
    target.process = team_.member(owner);
    target.displacement = static_cast<std::uint64_t>(mutex) * static_cast<std::uint64_t>(team_.size()) +
                          static_cast<std::uint64_t>(rank);
    return target;
}

void Queueing::read_others(int mutex, int owner, std::vector<char>& bytes) const
{
    bytes.assign(static_cast<std::size_t>(team_.size()), 0);
    const int me = team_.rank();
    const int after = team_.size() - me - 1;
    if (me > 0)
        gmr::rma::get(byte(mutex, owner, 0), bytes.data(), static_cast<std::uint64_t>(me), nullptr);
    if (after > 0)
        gmr::rma::get(byte(mutex, owner, me + 1), bytes.data() + me + 1, static_cast<std::uint64_t>(after),
                      nullptr);
}

std::optional<int> Queueing::set_and_find(int mutex, int owner, char mine) const
{
    const int me = team_.rank();
    const gmr::Target all = byte(mutex, owner, 0);
    const auto count = static_cast<std::uint64_t>(team_.size());
    std::vector<char> bytes;
    gmr::completion::begin(all, count, gmr::Access::put);
    gmr::rma::put(byte(mutex, owner, me), &mine, sizeof mine, nullptr, true);
    read_others(mutex, owner, bytes);
    gmr::completion::end(all, count, gmr::Access::put);
    for (int step = 1; step < team_.size(); ++step) {
        const int rank = (me + step) % team_.size();
        if (bytes[static_cast<std::size_t>(rank)] != 0)
            return rank;
    }
    return std::nullopt;
}

void Queueing::lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = numbers_.of(mutex, owner);
    turns_.take(n);
    if (set_and_find(mutex, owner, 1))
        await_hand_over(messages_.get(), MPI_ANY_SOURCE, n);
    turns_.hold(n, thread);
}

bool Queueing::try_lock(int mutex, int owner, std::uint64_t thread)
{
    const std::size_t n = numbers_.of(mutex, owner);
    if (!turns_.try_take(n))
        return false;
    const gmr::Target all = byte(mutex, owner, 0);
    const auto count = static_cast<std::uint64_t>(team_.size());
    std::vector<char> bytes;
    gmr::completion::begin(all, count, gmr::Access::put);
    read_others(mutex, owner, bytes);
    gmr::flush::in_epoch(*all.window, all.rank);
    const char mine = 1;
    const bool is_free = std::all_of(bytes.begin(), bytes.end(), [](char byte) { return byte == 0; });
    if (is_free)
        gmr::rma::put(byte(mutex, owner, team_.rank()), &mine, sizeof mine, nullptr, true);
    gmr::completion::end(all, count, gmr::Access::put);
    if (is_free) {
        turns_.hold(n, thread);
        misses_.store(0, std::memory_order_relaxed);
    } else {
        turns_.give_back(n);
        give_way();
    }
    return is_free;
}

// Windows that hand their epochs over unfairly would give this process the next one, too: over UCX a mutex of
// its own came to nobody else for minutes.
void Queueing::give_way()
{
    constexpr int most = 6; // 64 turns, about what an epoch takes
    const int misses = std::min(misses_.load(std::memory_order_relaxed), most);
    misses_.store(misses + 1, std::memory_order_relaxed);
    wait::until([turns = 1 << misses]() mutable { return turns-- == 0; });
}

void Queueing::unlock(int mutex, int owner)
{
    const std::size_t n = numbers_.of(mutex, owner);
    turns_.hold(n, 0);
    if (const auto next = set_and_find(mutex, owner, 0))
        hand_over(messages_.get(), *next, n);
    else
        wait::progress(); // whoever asks my memory for it: what I do there lets no MPI progress with osc/ucx
    turns_.give_back(n);
}

std::uint64_t Queueing::holder(int mutex, int owner) const
{
    return turns_.holder(numbers_.of(mutex, owner));
}

bool Queueing::is_held(int mutex)
{
    const int me = team_.rank();
    const gmr::Target all = byte(mutex, me, 0);
    const auto count = static_cast<std::uint64_t>(team_.size());
    std::vector<char> bytes;
    gmr::completion::begin(all, count, gmr::Access::get);
    read_others(mutex, me, bytes);
    gmr::completion::end(all, count, gmr::Access::get);
    const bool by_others = std::any_of(bytes.begin(), bytes.end(), [](char byte) { return byte != 0; });
    return by_others || holder(mutex, me) != 0;
}

} // namespace armci::mutex
