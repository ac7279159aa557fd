// A process whose parent is gone: what it says, and that it ends.
#include "armci/base/orphan_watch.hpp"

#include "armci/base/diagnostics.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using Pipe = std::array<int, 2>;

// Ready to be left alone; then looks by itself, as waits do.
void look(const Pipe& ready)
{
    const pid_t parent = getppid();
    const armci::OrphanWatch watch(false);
    [[maybe_unused]] const ssize_t told = write(ready[1], "r", 1);
    while (getppid() == parent)
        usleep(1000);
    armci::OrphanWatch::leave_if_orphaned();
}

// In an MPI_Init that does not end.
void start(const Pipe& ready)
{
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    setenv("PMIX_RANK", "0", 1);
    const armci::OrphanWatch watch = armci::OrphanWatch::of_start();
    [[maybe_unused]] const ssize_t told = write(ready[1], "r", 1);
    sleep(20);
}

// The parent is a process of its own, which ends when the child has begun to watch it.
[[noreturn]] void be_parent(void (*child)(const Pipe&), const Pipe& ready, const Pipe& said)
{
    if (fork() == 0) {
        dup2(said[1], STDERR_FILENO);
        child(ready);
        _exit(0);
    }
    char byte = 0;
    [[maybe_unused]] const ssize_t got = read(ready[0], &byte, 1);
    _exit(0);
}

void expect_end(void (*child)(const Pipe&))
{
    ASSERT_EQ(prctl(PR_SET_CHILD_SUBREAPER, 1), 0); // the child is this process's to wait for, then
    Pipe ready{};
    Pipe said{};
    ASSERT_EQ(pipe(ready.data()), 0);
    ASSERT_EQ(pipe(said.data()), 0);
    const pid_t parent = fork();
    if (parent == 0)
        be_parent(child, ready, said);
    close(said[1]);
    std::string text;
    std::array<char, 256> part{};
    for (ssize_t bytes = 0; (bytes = read(said[0], part.data(), part.size())) > 0;)
        text.append(part.data(), static_cast<std::size_t>(bytes));
    int status = 0;
    EXPECT_EQ(waitpid(parent, &status, 0), parent);
    EXPECT_GT(wait(&status), 0);
    EXPECT_TRUE(WIFEXITED(status));
    EXPECT_EQ(WEXITSTATUS(status), armci::diag::rejected);
    EXPECT_NE(text.find("the launcher of this process is gone, and with it perhaps the others"),
              std::string::npos)
        << text;
}

TEST(OrphanWatch, a_process_whose_launcher_is_gone_says_so_and_ends)
{
    expect_end(look);
}

TEST(OrphanWatch, so_does_one_that_is_stuck_in_mpi_init)
{
    expect_end(start);
}

} // namespace
