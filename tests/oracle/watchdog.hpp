// Ends a job that no longer moves, and says where each process stands.
#pragma once

#include "tests/oracle/executor.hpp"

#include <condition_variable>
#include <thread>

namespace oracle {

class Watchdog {
public:
    // Ends the process with status 3 when `position` stays where it is for that long.
    Watchdog(const Position& position, int seconds, int rank);
    ~Watchdog();
    Watchdog(const Watchdog&) = delete;
    Watchdog& operator=(const Watchdog&) = delete;

    // The program that the positions are of; it must live until the next one.
    void watch(const Program* program);

private:
    void run();

    const Position& position_;
    int seconds_, rank_;
    std::mutex lock_;
    std::condition_variable ends_;
    bool has_ended_ = false;
    const Program* program_ = nullptr;
    std::thread thread_;
};

} // namespace oracle
