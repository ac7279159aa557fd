#include "gmr/memory/memory_budget.hpp"

#include "armci/base/node_memory.hpp"

#include <algorithm>
#include <ctime>

namespace armci::gmr {
namespace {

constexpr std::int64_t old_after_ns = 100'000'000;
constexpr std::int64_t small_request = std::int64_t{1} << 20;
constexpr std::int64_t kept_free = std::int64_t{64} << 20; // left for page tables and everybody else

std::int64_t now_ns()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_sec * 1'000'000'000 + now.tv_nsec;
}

std::int64_t clamped(std::uint64_t bytes)
{
    return static_cast<std::int64_t>(std::min<std::uint64_t>(bytes, INT64_MAX / 4));
}

} // namespace

MemoryBudget::MemoryBudget(const Arena& arena, int processes, std::uint64_t limit_per_process, bool check)
    : arena_(&arena), processes_(processes), check_(check)
{
    set_limit(limit_per_process);
}

void MemoryBudget::set_limit(std::uint64_t bytes_per_process)
{
    limit_ = bytes_per_process == 0
                 ? 0
                 : std::min(clamped(bytes_per_process), INT64_MAX / 4 / processes_) * processes_;
}

// What is free now, less what was handed out but not yet touched (the kernel does not count that yet).
std::int64_t MemoryBudget::measure() const
{
    const std::int64_t free = clamped(std::min(node_memory::available(), arena_->backing_room()));
    const NodeControl& control = arena_->control();
    const std::int64_t backed = clamped(arena_->resident()) - control.warm.load(std::memory_order_relaxed);
    const std::int64_t untouched = control.live.load(std::memory_order_relaxed) - backed;
    return free - kept_free - std::max<std::int64_t>(untouched, 0);
}

bool MemoryBudget::take(std::uint64_t request, std::uint64_t& available)
{
    NodeControl& control = arena_->control();
    const std::int64_t bytes = clamped(request);
    const auto refuse = [&](std::int64_t left) {
        available = static_cast<std::uint64_t>(std::max<std::int64_t>(left, 0));
        return false;
    };
    // What cannot be had at all is refused before it counts, or others that ask at this moment would be
    // refused too.
    if (limit_ > 0 && bytes > limit_)
        return refuse(limit_ - control.live.load(std::memory_order_relaxed));
    if (check_ && bytes > control.credit.load(std::memory_order_relaxed))
        if (const std::int64_t left = measure(); bytes > left)
            return refuse(left);

    const std::int64_t live = control.live.fetch_add(bytes, std::memory_order_relaxed) + bytes;
    const auto refuse_counted = [&](std::int64_t left) {
        control.live.fetch_sub(bytes, std::memory_order_relaxed);
        return refuse(left);
    };
    if (limit_ > 0 && live > limit_)
        return refuse_counted(limit_ - (live - bytes));
    if (!check_)
        return true;

    const std::int64_t credit = control.credit.fetch_sub(bytes, std::memory_order_relaxed);
    const std::int64_t now = now_ns();
    const bool fresh = now - control.measured_at.load(std::memory_order_relaxed) < old_after_ns;
    if (bytes <= credit / 8 && (bytes <= small_request || fresh))
        return true;

    // Our own request is already part of `live`, so what measure() leaves is what remains after it.
    const std::int64_t left = measure();
    control.credit.store(left, std::memory_order_relaxed);
    control.measured_at.store(now, std::memory_order_relaxed);
    if (left >= 0)
        return true;
    control.credit.fetch_add(bytes, std::memory_order_relaxed);
    return refuse_counted(left + bytes);
}

void MemoryBudget::give_back(std::uint64_t bytes)
{
    arena_->control().live.fetch_sub(clamped(bytes), std::memory_order_relaxed);
    arena_->control().credit.fetch_add(clamped(bytes), std::memory_order_relaxed);
}

void count_warm(const Arena& arena, std::int64_t more)
{
    arena.control().warm.fetch_add(more, std::memory_order_relaxed);
    arena.control().credit.fetch_sub(more, std::memory_order_relaxed);
}

std::uint64_t MemoryBudget::live() const
{
    return static_cast<std::uint64_t>(
        std::max<std::int64_t>(arena_->control().live.load(std::memory_order_relaxed), 0));
}

} // namespace armci::gmr
