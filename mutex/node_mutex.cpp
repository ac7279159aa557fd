#include "mutex/node_mutex.hpp"

namespace armci::mutex {
namespace {

std::uint32_t group_of(std::uint32_t ticket)
{
    return std::uint32_t{1} << (ticket % 32);
}

} // namespace

void NodeMutex::lock(std::uint64_t holder)
{
    const std::uint32_t ticket = next_.fetch_add(1, std::memory_order_relaxed);
    wait::until(
        serving_, [ticket](std::uint32_t serving) { return serving == ticket; }, group_of(ticket));
    holder_.store(holder, std::memory_order_relaxed);
}

bool NodeMutex::try_lock(std::uint64_t holder)
{
    std::uint32_t serving = serving_.value.load(std::memory_order_acquire);
    if (!next_.compare_exchange_strong(serving, serving + 1, std::memory_order_acquire,
                                       std::memory_order_relaxed))
        return false;
    holder_.store(holder, std::memory_order_relaxed);
    return true;
}

void NodeMutex::unlock()
{
    holder_.store(0, std::memory_order_relaxed);
    // Only the holder writes `serving`; seq_cst against the sleepers' count.
    const std::uint32_t following = serving_.value.load(std::memory_order_relaxed) + 1;
    serving_.value.store(following, std::memory_order_seq_cst);
    wait::wake(serving_, group_of(following));
}

} // namespace armci::mutex
