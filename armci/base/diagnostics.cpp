#include "armci/base/diagnostics.hpp"

#include <mpi.h>
#include <poll.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <ctime>

namespace armci::diag {
namespace {

int my_rank = -1;
int job_size = 0;
OnError on_error = OnError::abort;

// How long a silent process waits for the speaker's abort to reach it before it speaks and aborts itself.
constexpr unsigned silent_seconds = 10;

struct Line {
    char text[2048];
    std::size_t used = 0;
};

[[gnu::format(printf, 4, 0)]] void compose(Line& line, const char* kind, const char* call, const char* format,
                                           va_list args)
{
    auto append = [&](int written) {
        if (written > 0)
            line.used = std::min(line.used + static_cast<std::size_t>(written), sizeof line.text - 2);
    };
    const auto room = [&] { return sizeof line.text - 1 - line.used; };
    if (my_rank >= 0)
        append(std::snprintf(line.text, room(), "armci: rank %d of %d: ", my_rank, job_size));
    else
        append(std::snprintf(line.text, room(), "armci: pid %ld: ", static_cast<long>(getpid())));
    append(std::snprintf(line.text + line.used, room(), "%s", kind));
    if (call != nullptr)
        append(std::snprintf(line.text + line.used, room(), "%s: ", call));
    append(std::vsnprintf(line.text + line.used, room(), format, args));
    line.text[line.used++] = '\n';
}

[[gnu::format(printf, 3, 0)]] void print(const char* kind, const char* call, const char* format, va_list args)
{
    Line line;
    compose(line, kind, call, format, args);
    std::fflush(stdout);
    for (std::size_t done = 0; done < line.used;) {
        const ssize_t n = write(STDERR_FILENO, line.text + done, line.used - done);
        if (n <= 0)
            break;
        done += static_cast<std::size_t>(n);
    }
}

// Waits, a second at most, until the launcher has read what stderr still holds: MPICH's drops the rest when a
// process aborts, and with it the reason.
void let_launcher_read()
{
    constexpr timespec nap{0, 1'000'000};
    int unread = 0;
    for (int naps = 0; naps < 1000 && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0; ++naps)
        nanosleep(&nap, nullptr);
}

} // namespace

void set_identity(int rank, int size)
{
    my_rank = rank;
    job_size = size;
}

void set_policy(OnError policy)
{
    on_error = policy;
}

int reject(const char* call, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    print("", call, format, args);
    va_end(args);
    if (on_error == OnError::abort)
        end_job(rejected);
    return rejected;
}

int reject_together(bool speaker, const char* call, const char* format, ...)
{
    const bool ends = on_error == OnError::abort;
    if (ends && !speaker)
        sleep(silent_seconds);
    if (ends || speaker) {
        va_list args;
        va_start(args, format);
        print("", call, format, args);
        va_end(args);
    }
    if (ends)
        end_job(rejected);
    return rejected;
}

void fatal(const char* call, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    print("", call, format, args);
    va_end(args);
    end_job(rejected);
}

void fatal_together(bool speaker, const char* call, const char* format, ...)
{
    if (!speaker)
        sleep(silent_seconds);
    va_list args;
    va_start(args, format);
    print("", call, format, args);
    va_end(args);
    end_job(rejected);
}

void warn(const char* format, ...)
{
    va_list args;
    va_start(args, format);
    print("warning: ", nullptr, format, args);
    va_end(args);
}

void say(const char* format, ...)
{
    va_list args;
    va_start(args, format);
    print("", nullptr, format, args);
    va_end(args);
}

void tell_at_once(const char* format, ...)
{
    Line line;
    va_list args;
    va_start(args, format);
    compose(line, "", nullptr, format, args);
    va_end(args);
    // A pipe that is ready takes a short line whole. Where it is full, its reader is gone, perhaps beyond the
    // cut.
    constexpr int patience_ms = 1000;
    pollfd stderr_ready{STDERR_FILENO, POLLOUT, 0};
    if (poll(&stderr_ready, 1, patience_ms) != 1)
        return;
    [[maybe_unused]] const ssize_t n = write(STDERR_FILENO, line.text, line.used);
}

void end_job_beside()
{
    // MPICH's launcher does not end with a process that just exits while another host is beyond reach:
    // MPI_Abort tells it to. The level of threads that MPI was started with may forbid the call here; MPI is
    // of no more use anyway.
    constexpr unsigned abort_seconds = 5;
    sigset_t ours;
    sigemptyset(&ours);
    sigaddset(&ours, SIGALRM);
    // By default the kernel spares the first process of a PID namespace, as a container's is.
    signal(SIGALRM, [](int) { _exit(rejected); });
    pthread_sigmask(SIG_UNBLOCK, &ours, nullptr);
    alarm(abort_seconds);
    end_job(rejected);
}

void end_job(int code)
{
    const int status =
        (code & 0xff) == 0 ? 1 : code; // the system keeps 8 bits; no failure may look like success
    let_launcher_read();
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized)
        MPI_Abort(MPI_COMM_WORLD, status);
    // MPICH's launcher 4.2 loses the status of one of several processes that end at once, as after
    // MPI_Finalize.
    constexpr timespec others_first{0, 100'000'000};
    if (finalized)
        nanosleep(&others_first, nullptr);
    _exit(status);
}

} // namespace armci::diag
