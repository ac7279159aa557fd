// Short delays of random length, so that ranks meet in many orders.
#pragma once

#include <chrono>
#include <random>
#include <sched.h>
#include <thread>

namespace armci_test {

// Mostly nothing, sometimes a yield, a spin of a few microseconds, or a sleep.
inline void random_delay(std::mt19937_64& random)
{
    switch (random() % 16) {
    case 0:
        sched_yield();
        break;
    case 1:
        for (auto end = std::chrono::steady_clock::now() + std::chrono::microseconds(random() % 20);
             std::chrono::steady_clock::now() < end;) {
        }
        break;
    case 2:
        std::this_thread::sleep_for(std::chrono::microseconds(random() % 100));
        break;
    default:
        break;
    }
}

} // namespace armci_test
