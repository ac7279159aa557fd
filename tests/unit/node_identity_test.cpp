// Who can share memory with whom, by what the system says.
#include "armci/base/node_identity.hpp"

#include <gtest/gtest.h>

#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>

namespace {

// What a child finds: 0 the same identity as this process, 1 another, 2 none; 3 if it could not look.
int seen_by_child(const std::function<bool()>& prepare)
{
    const auto mine = armci::node_identity();
    const pid_t child = fork();
    if (child == 0) {
        if (!prepare())
            _exit(3);
        const auto seen = armci::node_identity();
        _exit(!seen ? 2 : seen == mine ? 0 : 1);
    }
    int status = 0;
    EXPECT_EQ(waitpid(child, &status, 0), child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 3;
}

bool covers(const char* path)
{
    return unshare(CLONE_NEWNS) == 0 && mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) == 0 &&
           mount("/dev/null", path, nullptr, MS_BIND, nullptr) == 0;
}

TEST(NodeIdentity, is_that_of_the_processes_of_a_node)
{
    ASSERT_TRUE(armci::node_identity().has_value());
    EXPECT_EQ(seen_by_child([] { return true; }), 0);
}

TEST(NodeIdentity, is_unknown_where_the_kernel_does_not_say_which_it_is)
{
    const int seen = seen_by_child([] { return covers("/proc/sys/kernel/random/boot_id"); });
    if (seen == 3)
        GTEST_SKIP() << "this machine gives us no mount namespace";
    EXPECT_EQ(seen, 2);
}

} // namespace
