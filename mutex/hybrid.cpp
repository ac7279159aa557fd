#include "mutex/hybrid.hpp"

#include "armci/base/wait.hpp"
#include "gmr/progress_turn.hpp"
#include "gmr/transfer/remote.hpp"

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
    : team_(team), numbers_(numbers), policy_(settings.mutex_policy), memory_(std::move(memory)),
      slots_(reinterpret_cast<Slot*>(node)),
      queue_(team, memory_[static_cast<std::size_t>(team.rank())], words_of(team, numbers), numbers.total(),
             settings.epochs),
      words_(queue_.words())
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

Queue::Place Hybrid::place(int mutex, int owner) const
{
    return {owner, numbers_.of(mutex, owner), word(mutex, tail), word(mutex, first_follower), true};
}

void Hybrid::hand_to_next_node(int mutex, int owner, std::int32_t queued_by)
{
    queue_.leave(place(mutex, owner), queued_by, false);
}

void Hybrid::lock(int mutex, int owner, std::uint64_t thread)
{
    Slot& mine = slot(mutex, owner);
    progress_for_others(owner);
    mine.mutex.lock(thread);
    if (mine.queued_by != nobody || (is_near(owner) && enter_by_cpu(mutex, owner)))
        return;
    queue_.enter(place(mutex, owner));
    mine.queued_by = team_.rank() + 1;
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
    if (!queue_.try_enter(place(mutex, owner))) {
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
