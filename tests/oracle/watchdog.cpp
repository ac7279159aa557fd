#include "tests/oracle/watchdog.hpp"

#include <chrono>
#include <csignal>
#include <cstdio>
#include <unistd.h>

namespace oracle {

Watchdog::Watchdog(const Position& position, int seconds, int rank)
    : position_(position), seconds_(seconds), rank_(rank), thread_([this] { run(); })
{
}

Watchdog::~Watchdog()
{
    {
        const std::lock_guard hold(lock_);
        has_ended_ = true;
    }
    ends_.notify_one();
    thread_.join();
}

void Watchdog::watch(const Program* program)
{
    const std::lock_guard hold(lock_);
    program_ = program;
}

void Watchdog::run()
{
    std::unique_lock hold(lock_);
    long moves = -1;
    for (int still = 0; !ends_.wait_for(hold, std::chrono::seconds(1), [this] { return has_ended_; });) {
        const long now = position_.moves;
        still = now == moves ? still + 1 : 0;
        moves = now;
        if (still < seconds_)
            continue;
        const long step = position_.step;
        const bool is_known =
            program_ != nullptr && step >= 0 && static_cast<std::size_t>(step) < program_->steps.size();
        std::printf("[rank %d] hangs for %d s at step %ld: %s\n", rank_, seconds_, step,
                    is_known ? text_of(program_->steps[static_cast<std::size_t>(step)]).c_str()
                             : "between programs, or at a sync");
        std::fflush(stdout);
        // The others say the same before the launcher ends them.
        hold.unlock();
        std::this_thread::sleep_for(std::chrono::seconds(3));
        _exit(3);
    }
}

} // namespace oracle
