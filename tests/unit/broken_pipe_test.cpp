// A process that writes to a closed connection: what it says before SIGPIPE ends it.
#include "armci/base/broken_pipe.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <sys/socket.h>
#include <unistd.h>

namespace {

void write_to_nobody()
{
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 || close(ends[1]) != 0)
        std::abort();
    [[maybe_unused]] const ssize_t n = write(ends[0], "x", 1);
}

TEST(BrokenPipeDeathTest, is_explained_and_still_ends_the_process)
{
    EXPECT_EXIT(
        {
            const armci::BrokenPipe guard;
            write_to_nobody();
            std::_Exit(0);
        },
        testing::KilledBySignal(SIGPIPE),
        "^armci: .*SIGPIPE: a connection was written to whose other end is closed");
}

TEST(BrokenPipeDeathTest, is_left_to_a_program_that_ignores_it)
{
    EXPECT_EXIT(
        {
            signal(SIGPIPE, SIG_IGN);
            const armci::BrokenPipe guard;
            write_to_nobody();
            std::_Exit(errno == EPIPE ? 3 : 4);
        },
        testing::ExitedWithCode(3), "^$");
}

TEST(BrokenPipeDeathTest, is_the_systems_again_afterwards)
{
    EXPECT_EXIT(
        {
            {
                const armci::BrokenPipe guard;
            }
            write_to_nobody();
            std::_Exit(0);
        },
        testing::KilledBySignal(SIGPIPE), "^$");
}

} // namespace
