#include "tests/oracle/delays.hpp"

#include "tests/oracle/held.hpp"
#include "tests/oracle/program.hpp"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <sched.h>
#include <sys/time.h>

namespace {

std::atomic<int> in_a_thousand{0};
std::atomic<unsigned long> draws{0};

unsigned long draw()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return oracle::mix(static_cast<unsigned long>(now.tv_nsec) +
                       draws.fetch_add(1, std::memory_order_relaxed));
}

void sleep_for(long microseconds)
{
    const timespec time{0, 1000 * microseconds};
    nanosleep(&time, nullptr);
}

void delay()
{
    const int often = in_a_thousand.load(std::memory_order_relaxed);
    if (often == 0)
        return;
    const unsigned long random = draw();
    if (random % 1000 >= static_cast<unsigned>(often))
        return;
    if (random & 4096)
        sched_yield();
    else
        sleep_for(static_cast<long>((random >> 16) % 400));
}

// Of SIGPROF, which a running thread gets; it restarts what it interrupts.
void stop_here(int)
{
    const int error = errno;
    const unsigned long random = draw();
    if (random % 2 == 0)
        sleep_for(1 + static_cast<long>((random >> 16) % static_cast<unsigned long>(20 * in_a_thousand + 1)));
    errno = error;
}

} // namespace

namespace oracle {

void start_delays(int often)
{
    in_a_thousand = often;
    if (often == 0)
        return;
    struct sigaction action = {};
    action.sa_handler = stop_here;
    action.sa_flags = SA_RESTART;
    sigaction(SIGPROF, &action, nullptr);
    const itimerval ticks{{0, 3000}, {0, 3000}};
    setitimer(ITIMER_PROF, &ticks, nullptr);
}

void end_delays()
{
    in_a_thousand = 0;
    const itimerval none{};
    setitimer(ITIMER_PROF, &none, nullptr);
}

} // namespace oracle

#pragma GCC visibility push(default)

#define MPI_CALL(one_sided, name, parameters, arguments)                                                     \
    extern "C" int name parameters                                                                           \
    {                                                                                                        \
        delay();                                                                                             \
        return P##name arguments;                                                                            \
    }

#define MPI_CALL_HELD(one_sided, name, parameters, arguments)                                                \
    extern "C" int name parameters                                                                           \
    {                                                                                                        \
        delay();                                                                                             \
        return oracle::held::name arguments;                                                                 \
    }

#include "tests/support/mpi_calls.inc"
