#include "armci/base/side_thread.hpp"

#include "armci/base/diagnostics.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cstdint>
#include <system_error>
#include <utility>

namespace armci {

std::thread start_beside(const char* to_do_what, std::function<void()> work)
{
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); // which the thread inherits
    std::thread thread;
    try {
        thread = std::thread(std::move(work));
    } catch (const std::system_error& error) {
        diag::warn("no thread %s: %s", to_do_what, error.what());
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return thread;
}

void ask_for_short_turns()
{
    struct {
        std::uint32_t size, policy;
        std::uint64_t flags;
        std::int32_t nice;
        std::uint32_t priority;
        std::uint64_t runtime, deadline, period;
    } attributes{};
    attributes.size = sizeof attributes;
    attributes.nice = getpriority(PRIO_PROCESS, 0); // this thread's
    attributes.runtime = 100'000;                   // nanoseconds, the least that Linux takes
    syscall(SYS_sched_setattr, 0, &attributes, 0U);
}

} // namespace armci
