#include "gmr/progress_turn.hpp"

#include "armci/base/wait.hpp"

#include <chrono>
#include <ctime>

namespace armci::gmr {
namespace {

// A millisecond or a few, without reading the processor's clock.
long tick()
{
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return now.tv_nsec;
}

} // namespace

// Every so many, and whenever a tick has passed: who computes between few operations is waited for, too.
void take_turn_at_progress()
{
    constexpr unsigned turns_between = 64;
    thread_local unsigned turn = 0;
    thread_local long last = 0;
    if (!peers.detours.any_of(Detours::progress))
        return;
    const long now = tick();
    if (++turn % turns_between == 0 || now != last)
        wait::progress();
    last = now;
}

// What is got from here goes in several steps where it is long, and each waits until I enter MPI (rendezvous,
// full sockets): two products of 600 x 750 by Global Arrays on two nodes, which compute 3 ms between their
// patches, took 125 ms without these turns, and take 95.
void let_others_in(std::int64_t moved)
{
    using Clock = std::chrono::steady_clock;
    constexpr std::int64_t bytes_between = 512 << 10; // at least 10 us
    constexpr int most_turns = 16;
    constexpr std::chrono::nanoseconds idle{2000}; // a turn that finds nothing takes 300 to 800
    thread_local std::int64_t moved_since = 0;
    moved_since += moved;
    if (moved_since < bytes_between)
        return;
    moved_since = 0;
    Clock::time_point before = Clock::now();
    for (int i = 0; i < most_turns; ++i) {
        wait::progress();
        const Clock::time_point now = Clock::now();
        if (now - before < idle)
            return;
        before = now;
    }
}

} // namespace armci::gmr
