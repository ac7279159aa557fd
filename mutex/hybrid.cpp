#include "mutex/hybrid.hpp"

#include "armci/base/wait.hpp"
#include "gmr/progress_turn.hpp"
#include "gmr/transfer/remote.hpp"
#include "mutex/hand_over.hpp"

#include <algorithm>
#include <utility>

namespace armci::mutex {
namespace {

constexpr std::int32_t network_mode = 1;

// Values of `announced`.
constexpr std::int32_t nothing = 0;
constexpr std::int32_t asks = 1;
constexpr std::int32_t holds = 2;

constexpr std::int32_t most_in_a_row = 16;
constexpr std::int32_t alone_before_cpu = 3; // times, for the policy `history`

} // namespace

std::uint64_t Hybrid::words_of(const gmr::Team& team, const Numbers& numbers)
{
    return numbers.most() * (first_follower + static_cast<std::uint64_t>(team.size()));
}

std::uint64_t Hybrid::window_bytes(const gmr::Team& team, const Numbers& numbers)
{
    constexpr std::uint64_t unit = alignof(Slot);
    return (Words::bytes(words_of(team, numbers)) + unit - 1) / unit * unit;
}

std::uint64_t Hybrid::node_bytes(const Numbers& numbers)
{
    return numbers.total() * sizeof(Slot);
}

Hybrid::Hybrid(gmr::Team& team, std::vector<std::byte*> memory, std::byte* node, const Settings& settings,
               const Numbers& numbers)
    : team_(team), messages_(mpi::Comm::duplicate(team.comm())), numbers_(numbers),
      policy_(settings.mutex_policy), memory_(std::move(memory)), slots_(reinterpret_cast<Slot*>(node)),
      words_(team, memory_[static_cast<std::size_t>(team.rank())], words_of(team, numbers), settings.epochs)
{
    if (policy_ == MigrationPolicy::fixed_network)
        for (std::size_t i = 0; i < numbers.most(); ++i)
            words_.swap(team.rank(), word(static_cast<int>(i), mode), network_mode);
    gmr::remote::fence(team.member(team.rank()));
    team.barrier();
}

std::size_t Hybrid::word(int mutex, std::size_t which) const
{
    return static_cast<std::size_t>(mutex) * (first_follower + static_cast<std::size_t>(team_.size())) +
           which;
}

std::atomic_ref<std::int32_t> Hybrid::here(int mutex, int owner, Word which) const
{
    auto* const words = reinterpret_cast<std::int32_t*>(memory_[static_cast<std::size_t>(owner)]);
    return std::atomic_ref(words[word(mutex, which)]);
}

// Another node may ask for the mutex while I never enter MPI. Not with the ticket in hand: MPI may yield.
void Hybrid::progress_for_others(int owner) const
{
    if (is_near(owner))
        gmr::take_turn_at_progress();
}

bool Hybrid::enter_by_cpu(int mutex, int owner) const
{
    const std::atomic_ref<std::int32_t> mine = here(mutex, owner, announced);
    mine.store(asks, std::memory_order_seq_cst);
    const bool enters = (here(mutex, owner, mode).load(std::memory_order_seq_cst) & network_mode) == 0;
    mine.store(enters ? holds : nothing, std::memory_order_release);
    return enters;
}

bool Hybrid::stop_cpus(int mutex, int owner, Slot& mine) const
{
    constexpr std::uint32_t times = 1024;
    const std::uint32_t arrival = static_cast<std::uint32_t>(team_.rank()) * times + ++mine.arrival % times;
    if ((words_.swap(owner, word(mutex, mode), static_cast<std::int32_t>(2 * arrival) | network_mode) &
         network_mode) != 0)
        return false;
    gmr::remote::fence(team_.member(owner)); // before announced is read
    return true;
}

bool Hybrid::is_held_by_cpu(int mutex, int owner) const
{
    std::int32_t state = nothing;
    wait::until([&] { return (state = words_.read(owner, word(mutex, announced))) != asks; });
    return state == holds;
}

void Hybrid::let_cpus_in(int mutex, int owner) const
{
    words_.add(owner, word(mutex, mode), -network_mode);
    gmr::remote::fence(team_.member(owner)); // before the next holder reads it
}

void Hybrid::look_back(int mutex, int owner, Slot& mine) const
{
    const auto seen =
        static_cast<std::uint32_t>(here(mutex, owner, mode).load(std::memory_order_relaxed)) / 2;
    mine.alone = seen == mine.arrival ? mine.alone + 1 : 0;
    mine.arrival = seen;
}

bool Hybrid::goes_back_to_cpu(int mutex, int owner, const Slot& mine) const
{
    if (is_near(owner) && (here(mutex, owner, mode).load(std::memory_order_relaxed) & network_mode) == 0)
        return false; // it is there
    switch (policy_) {
    case MigrationPolicy::fixed_cpu:
        return true;
    case MigrationPolicy::fixed_network:
        return false;
    case MigrationPolicy::pattern:
        return words_.read(owner, word(mutex, tail)) == mine.queued_by;
    case MigrationPolicy::history:
        return is_near(owner) && mine.alone >= alone_before_cpu;
    }
    return false;
}

void Hybrid::hand_to_next_node(int mutex, int owner, std::int32_t queued_by) const
{
    if (words_.compare_and_swap(owner, word(mutex, tail), queued_by, nobody) == queued_by)
        return;
    const std::size_t follower = word(mutex, first_follower + static_cast<std::size_t>(queued_by - 1));
    std::int32_t next = nobody;
    // It is in the tail and about to write itself here.
    wait::until([&] { return (next = words_.swap(owner, follower, nobody)) != nobody; });
    hand_over(messages_.get(), next - 1, numbers_.of(mutex, owner));
}

void Hybrid::lock(int mutex, int owner, std::uint64_t thread)
{
    Slot& mine = slot(mutex, owner);
    progress_for_others(owner);
    mine.mutex.lock(thread);
    if (mine.queued_by != nobody || (is_near(owner) && enter_by_cpu(mutex, owner)))
        return;
    const std::int32_t me = team_.rank() + 1;
    const std::int32_t before = words_.swap(owner, word(mutex, tail), me);
    if (before != nobody) {
        words_.swap(owner, word(mutex, first_follower + static_cast<std::size_t>(before - 1)), me);
        await_hand_over(messages_.get(), MPI_ANY_SOURCE, numbers_.of(mutex, owner));
    }
    mine.queued_by = me;
    mine.in_a_row = 0;
    if (is_near(owner))
        look_back(mutex, owner, mine);
    else if (stop_cpus(mutex, owner, mine))
        wait::until([&] { return words_.read(owner, word(mutex, announced)) == nothing; });
}

bool Hybrid::try_lock(int mutex, int owner, std::uint64_t thread)
{
    Slot& mine = slot(mutex, owner);
    progress_for_others(owner);
    if (!mine.mutex.try_lock(thread))
        return false;
    if (mine.queued_by != nobody || (is_near(owner) && enter_by_cpu(mutex, owner)))
        return true;
    const std::int32_t me = team_.rank() + 1;
    if (words_.compare_and_swap(owner, word(mutex, tail), nobody, me) != nobody) {
        mine.mutex.unlock();
        return false;
    }
    if (is_near(owner)) {
        look_back(mutex, owner, mine);
    } else if (stop_cpus(mutex, owner, mine) && is_held_by_cpu(mutex, owner)) {
        let_cpus_in(mutex, owner);
        hand_to_next_node(mutex, owner, me);
        mine.mutex.unlock();
        return false;
    }
    mine.queued_by = me;
    mine.in_a_row = 0;
    return true;
}

void Hybrid::unlock(int mutex, int owner)
{
    Slot& mine = slot(mutex, owner);
    if (mine.queued_by == nobody) {
        here(mutex, owner, announced).store(nothing, std::memory_order_release);
    } else if (mine.mutex.has_waiters() && mine.in_a_row < most_in_a_row) {
        ++mine.in_a_row;
    } else {
        if (goes_back_to_cpu(mutex, owner, mine))
            let_cpus_in(mutex, owner);
        hand_to_next_node(mutex, owner, std::exchange(mine.queued_by, nobody));
    }
    mine.mutex.unlock();
}

std::uint64_t Hybrid::holder(int mutex, int owner) const
{
    return slot(mutex, owner).mutex.holder();
}

bool Hybrid::is_held(int mutex)
{
    const int me = team_.rank();
    return here(mutex, me, announced).load(std::memory_order_acquire) != nothing ||
           words_.read(me, word(mutex, tail)) != nobody;
}

} // namespace armci::mutex
