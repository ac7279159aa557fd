#include "armci/base/side_thread.hpp"

#include "armci/base/diagnostics.hpp"

#include <pthread.h>
#include <signal.h>

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

} // namespace armci
