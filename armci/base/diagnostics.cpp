#include "armci/base/diagnostics.hpp"

#include <mpi.h>
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

// How long a silent process waits for the speaker's abort to reach it before it aborts by itself.
constexpr unsigned silent_seconds = 10;

[[gnu::format(printf, 3, 0)]] void print(const char* kind, const char* call, const char* format, va_list args)
{
    char line[2048];
    std::size_t used = 0;
    auto append = [&](int written) {
        if (written > 0) used = std::min(used + static_cast<std::size_t>(written), sizeof line - 2);
    };
    if (my_rank >= 0)
        append(std::snprintf(line, sizeof line - 1, "armci: rank %d of %d: ", my_rank, job_size));
    else
        append(std::snprintf(line, sizeof line - 1, "armci: pid %ld: ", static_cast<long>(getpid())));
    append(std::snprintf(line + used, sizeof line - 1 - used, "%s", kind));
    if (call != nullptr) append(std::snprintf(line + used, sizeof line - 1 - used, "%s: ", call));
    append(std::vsnprintf(line + used, sizeof line - 1 - used, format, args));
    line[used++] = '\n';
    std::fflush(stdout);
    for (std::size_t done = 0; done < used;) {
        const ssize_t n = write(STDERR_FILENO, line + done, used - done);
        if (n <= 0) break;
        done += static_cast<std::size_t>(n);
    }
}

// Waits, a second at most, until the launcher has read what stderr still holds: MPICH's drops the rest when a process
// aborts, and with it the reason.
void let_launcher_read()
{
    constexpr timespec nap{0, 1'000'000};
    int unread = 0;
    for (int naps = 0; naps < 1000 && ioctl(STDERR_FILENO, FIONREAD, &unread) == 0 && unread > 0; ++naps)
        nanosleep(&nap, nullptr);
}

[[noreturn]] void end_job_together(bool speaker)
{
    if (!speaker) sleep(silent_seconds);
    end_job(rejected);
}

} // namespace

void set_identity(int rank, int size)
{
    my_rank = rank;
    job_size = size;
}

void set_policy(OnError policy) { on_error = policy; }

int reject(const char* call, const char* format, ...)
{
    va_list args;
    va_start(args, format);
    print("", call, format, args);
    va_end(args);
    if (on_error == OnError::abort) end_job(rejected);
    return rejected;
}

int reject_together(bool speaker, const char* call, const char* format, ...)
{
    if (speaker) {
        va_list args;
        va_start(args, format);
        print("", call, format, args);
        va_end(args);
    }
    if (on_error == OnError::abort) end_job_together(speaker);
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
    if (speaker) {
        va_list args;
        va_start(args, format);
        print("", call, format, args);
        va_end(args);
    }
    end_job_together(speaker);
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

void end_job(int code)
{
    const int status = (code & 0xff) == 0 ? 1 : code; // the system keeps 8 bits; no failure may look like success
    let_launcher_read();
    int initialized = 0;
    int finalized = 0;
    MPI_Initialized(&initialized);
    MPI_Finalized(&finalized);
    if (initialized && !finalized) MPI_Abort(MPI_COMM_WORLD, status);
    _exit(status);
}

} // namespace armci::diag
