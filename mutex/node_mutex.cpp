#include "mutex/node_mutex.hpp"

#include <algorithm>

namespace armci::mutex {
namespace {

// `serving` is a ticket, and one of these bits or none.
constexpr std::uint32_t kept = 1;  // its holder has let go, and may come again
constexpr std::uint32_t asked = 2; // its holder is to hand it over
constexpr std::uint32_t one_ticket = 4;

constexpr int looks_before_asking = 8; // beyond those of spinning; fewer where a wait sleeps before

std::uint32_t ticket_of(std::uint32_t serving)
{
    return serving & ~(kept | asked);
}

std::uint32_t group_of(std::uint32_t ticket)
{
    return std::uint32_t{1} << (ticket / one_ticket % 32);
}

} // namespace

bool NodeMutex::has_waiters() const
{
    const std::uint32_t mine = ticket_of(serving_.value.load(std::memory_order_relaxed));
    return next_.load(std::memory_order_relaxed) - mine > one_ticket;
}

void NodeMutex::begin_turns(std::uint64_t holder)
{
    turns_ = 1;
    holder_.store(holder, std::memory_order_relaxed);
}

bool NodeMutex::take_again(std::uint64_t holder)
{
    std::uint32_t serving = serving_.value.load(std::memory_order_acquire); // before the keeper
    if ((serving & kept) == 0 || keeper_.load(std::memory_order_relaxed) != holder ||
        !serving_.value.compare_exchange_strong(serving, ticket_of(serving), std::memory_order_acquire,
                                                std::memory_order_relaxed))
        return false;
    ++turns_;
    holder_.store(holder, std::memory_order_relaxed);
    return true;
}

void NodeMutex::await_turn(std::uint32_t ticket)
{
    const std::uint32_t before = ticket - one_ticket;
    wait::until(
        serving_, [=](std::uint32_t serving) { return ticket - ticket_of(serving) <= one_ticket; },
        group_of(ticket));
    // The next in line, or served already.
    const int most_looks = std::min(wait::spin_rounds() + looks_before_asking, wait::looks_before_sleep());
    int looks = 0;
    const auto takes = [&](std::uint32_t serving) {
        ++looks;
        // A failed swap decides anew: a sleep that began on a word that only came back would not have asked.
        for (;;) {
            if (ticket_of(serving) == ticket)
                return true; // with `asked` when the one behind me was quicker
            if (serving == (before | kept)) {
                if (serving_.value.compare_exchange_strong(serving, ticket, std::memory_order_acquire))
                    return true;
            } else if (serving == before && looks >= most_looks) {
                if (serving_.value.compare_exchange_strong(serving, before | asked,
                                                           std::memory_order_acquire))
                    return false;
            } else {
                return false;
            }
        }
    };
    wait::until(serving_, takes, group_of(ticket));
}

void NodeMutex::lock(std::uint64_t holder)
{
    if (take_again(holder))
        return;
    await_turn(next_.fetch_add(one_ticket, std::memory_order_relaxed));
    begin_turns(holder);
}

bool NodeMutex::try_lock(std::uint64_t holder)
{
    // Where it is kept or asked for somebody waits, and `next` is no such value.
    std::uint32_t serving = serving_.value.load(std::memory_order_acquire);
    if (!next_.compare_exchange_strong(serving, serving + one_ticket, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return false;
    begin_turns(holder);
    return true;
}

// For the holder: keeps the mutex if it may; fails when the next in line asks for it meanwhile.
bool NodeMutex::keep(std::uint64_t holder)
{
    std::uint32_t serving = serving_.value.load(std::memory_order_relaxed);
    const bool is_first = turns_ == 1;
    if (wait::spin_rounds() > 0 || turns_ >= most_in_a_row || (serving & asked) != 0 || !has_waiters())
        return false;
    keeper_.store(holder, std::memory_order_relaxed);
    const std::uint32_t following = serving + one_ticket;
    if (!serving_.value.compare_exchange_strong(serving, serving | kept, std::memory_order_seq_cst,
                                                std::memory_order_relaxed))
        return false;
    if (is_first)
        wait::wake(serving_, group_of(following));
    return true;
}

void NodeMutex::unlock()
{
    const std::uint64_t holder = holder_.load(std::memory_order_relaxed);
    holder_.store(0, std::memory_order_relaxed);
    if (keep(holder))
        return;
    // Others change `serving` only to ask; seq_cst against the sleepers' count.
    const std::uint32_t following = ticket_of(serving_.value.load(std::memory_order_relaxed)) + one_ticket;
    serving_.value.store(following, std::memory_order_seq_cst);
    wait::wake(serving_, group_of(following));
}

} // namespace armci::mutex
