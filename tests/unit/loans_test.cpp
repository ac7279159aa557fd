#include "armci/base/check/loans.hpp"

#include <gtest/gtest.h>

#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <vector>

namespace armci_test {
namespace {

using armci::check::Bytes;
using armci::check::Loans;

std::array<unsigned char, 100000> memory;
int first_handle;
int second_handle;

std::vector<Bytes> bytes(std::size_t begin, std::size_t end)
{
    const auto at = reinterpret_cast<std::uintptr_t>(memory.data());
    return {{at + begin, at + end}};
}

TEST(Loans, stand_against_writing_what_is_read_and_any_use_of_what_is_written)
{
    Loans loans;
    loans.lend("ARMCI_NbPut", &first_handle, 0, false, bytes(0, 10));
    loans.lend("ARMCI_NbGet", &first_handle, 0, true, bytes(20, 30));
    EXPECT_EQ(loans.against(bytes(5, 6), false), nullptr);
    EXPECT_NE(loans.against(bytes(9, 12), true), nullptr);
    EXPECT_NE(loans.against(bytes(29, 40), false), nullptr);
    EXPECT_NE(loans.against(bytes(15, 21), true), nullptr);
    EXPECT_EQ(loans.against(bytes(10, 20), true), nullptr);
}

TEST(Loans, end_with_their_handle_or_their_process)
{
    Loans loans;
    loans.lend("ARMCI_NbPut", &first_handle, 1, false, bytes(0, 10));
    loans.lend("ARMCI_NbPut", &second_handle, 2, false, bytes(10, 20));
    loans.lend("ARMCI_NbGet", nullptr, 1, true, bytes(20, 30));
    loans.lend("ARMCI_NbPut", nullptr, 2, false, bytes(30, 40));
    loans.end_handle(&first_handle);
    EXPECT_EQ(loans.all().size(), 3u);
    loans.end_process(1, true, false); // a fence completes no gets
    EXPECT_EQ(loans.all().size(), 3u);
    loans.end_process(2, false, true);
    EXPECT_EQ(loans.all().size(), 2u);
    loans.end_process(-1, true, true);
    EXPECT_TRUE(loans.all().empty());
}

TEST(Loans, tell_when_a_buffer_was_changed)
{
    Loans loans;
    loans.lend("ARMCI_NbPut", &first_handle, 0, false, bytes(0, memory.size()));
    EXPECT_TRUE(loans.end_handle(&first_handle).empty());
    loans.lend("ARMCI_NbPut", &first_handle, 0, false, bytes(0, memory.size()));
    ++memory[memory.size() - 1];
    EXPECT_EQ(loans.end_handle(&first_handle).size(), 1u);
    loans.lend("ARMCI_NbGet", &first_handle, 0, true, bytes(0, 10)); // of course it changes
    ++memory[0];
    EXPECT_TRUE(loans.end_handle(&first_handle).empty());
}

TEST(Loans, look_at_the_memory_of_a_forked_child_in_it)
{
    Loans loans;
    loans.lend("ARMCI_NbPut", &first_handle, 0, false, bytes(0, memory.size()));
    const pid_t child = fork();
    if (child == 0) {
        ++memory[0];
        _exit(static_cast<int>(loans.end_handle(&first_handle).size()));
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(WEXITSTATUS(status), 1);
    EXPECT_TRUE(loans.end_handle(&first_handle).empty());
}

TEST(Loans, tell_when_a_buffer_is_gone)
{
    Loans loans;
    void* const page = mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ASSERT_NE(page, MAP_FAILED);
    const auto at = reinterpret_cast<std::uintptr_t>(page);
    loans.lend("ARMCI_NbPut", &first_handle, 0, false, {{at + 100, at + 200}});
    munmap(page, 4096);
    EXPECT_EQ(loans.end_handle(&first_handle).size(), 1u);
}

} // namespace
} // namespace armci_test
