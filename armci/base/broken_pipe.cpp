#include "armci/base/broken_pipe.hpp"

#include "armci/base/diagnostics.hpp"

#include <signal.h>
#include <unistd.h>

namespace armci {
namespace {

// The writing thread's own signal, so nothing of what this calls was interrupted.
void explain(int)
{
    diag::tell_at_once("SIGPIPE: a connection was written to whose other end is closed; a host or a process "
                       "of the job is lost, or nobody reads the output any more, and the job ends");
    raise(SIGPIPE); // SA_NODEFER: it ends the process here, by default
    // The kernel spares the first process of a PID namespace, as a container's is.
    _exit(128 + SIGPIPE);
}

bool handled_by(void (*handler)(int))
{
    struct sigaction present {};
    return sigaction(SIGPIPE, nullptr, &present) == 0 && (present.sa_flags & SA_SIGINFO) == 0 &&
           present.sa_handler == handler;
}

} // namespace

BrokenPipe::BrokenPipe()
{
    if (!handled_by(SIG_DFL))
        return;
    struct sigaction once {};
    once.sa_handler = explain;
    once.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(SIGPIPE, &once, nullptr);
}

BrokenPipe::~BrokenPipe()
{
    if (handled_by(explain))
        signal(SIGPIPE, SIG_DFL);
}

} // namespace armci
