// The first process of a PID namespace, as a container's is: the kernel spares it from signals that it has
// not asked for, those of its own included. What should end it must end it all the same.
#include "armci/base/broken_pipe.hpp"
#include "armci/base/diagnostics.hpp"

#include <gtest/gtest.h>

#include <mpi.h>
#include <sched.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>

namespace {

constexpr int no_namespace = 77;
std::array<int, 2> ready{};
bool mpi_hangs = false;

// Runs `work` in the first process of a namespace; its number here comes in `first`. Returns what waits for
// it, which ends with its status, or with 128 and its signal.
template <class Work>
pid_t start_first_process(Work work, pid_t& first)
{
    std::array<int, 2> number{};
    EXPECT_EQ(pipe(number.data()), 0);
    EXPECT_EQ(pipe(ready.data()), 0);
    const pid_t outer = fork();
    if (outer == 0) {
        if (unshare(CLONE_NEWPID) != 0)
            _exit(no_namespace);
        const pid_t child = fork();
        if (child == 0) {
            work();
            _exit(0);
        }
        [[maybe_unused]] const ssize_t told = write(number[1], &child, sizeof child);
        int status = 0;
        waitpid(child, &status, 0);
        _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
    }
    close(number[1]);
    if (read(number[0], &first, sizeof first) != sizeof first)
        first = -1;
    close(number[0]);
    return outer;
}

int status_of(pid_t process)
{
    int status = 0;
    EXPECT_EQ(waitpid(process, &status, 0), process);
    return WEXITSTATUS(status);
}

TEST(FirstProcess, is_ended_by_a_broken_pipe)
{
    pid_t first = -1;
    const pid_t waits = start_first_process(
        [] {
            const armci::BrokenPipe guard;
            std::array<int, 2> ends{};
            if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()) == 0 && close(ends[1]) == 0) {
                [[maybe_unused]] const ssize_t n = write(ends[0], "x", 1);
            }
        },
        first);
    const int status = status_of(waits);
    if (status == no_namespace)
        GTEST_SKIP() << "this machine gives us no PID namespace";
    EXPECT_EQ(status, 128 + SIGPIPE);
}

TEST(FirstProcess, is_ended_by_its_alarm_when_mpi_hangs_in_abort)
{
    mpi_hangs = true;
    pid_t first = -1;
    const pid_t waits = start_first_process([] { armci::diag::end_job_beside(); }, first);
    mpi_hangs = false;
    if (first < 0) {
        EXPECT_EQ(status_of(waits), no_namespace);
        GTEST_SKIP() << "this machine gives us no PID namespace";
    }
    char byte = 0;
    EXPECT_EQ(read(ready[0], &byte, 1), 1);
    kill(first, SIGALRM); // at once, as five seconds later
    for (int look = 0; look < 200; ++look) {
        int status = 0;
        if (waitpid(waits, &status, WNOHANG) == waits) {
            EXPECT_EQ(WEXITSTATUS(status), armci::diag::rejected);
            return;
        }
        usleep(10'000);
    }
    ADD_FAILURE() << "it lives on";
    kill(first, SIGKILL);
    status_of(waits);
}

} // namespace

// In place of MPI's.
extern "C" __attribute__((visibility("default"))) int MPI_Abort(MPI_Comm comm, int status)
{
    if (!mpi_hangs)
        return PMPI_Abort(comm, status);
    [[maybe_unused]] const ssize_t told = write(ready[1], "r", 1);
    for (;;)
        pause();
}
