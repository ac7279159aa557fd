// Figures of memory: each source absent, zero, huge, negative and no number. Unknown is no limit.
#include "armci/base/node_memory.hpp"

#include "armci/base/shared_file.hpp"
#include "gmr/memory/memory_budget.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <limits>
#include <optional>
#include <string>

namespace armci_test {
namespace {

using armci::gmr::MemoryBudget;
using armci::node_memory::Sources;
using Figure = std::optional<std::uint64_t>;

constexpr std::uint64_t kilo = 1024;
constexpr std::uint64_t mega = kilo * kilo;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

// Text that stands for no plausible number, in each file where a number is read.
const char* const nonsense[] = {"", "-5", "99999999999999999999999", "18446744073709551615", "plenty"};

// A folder that takes the place of the machine's root.
class NodeMemory : public testing::Test {
protected:
    NodeMemory()
    {
        char name[] = "/tmp/armci-sources-XXXXXX";
        root_ = mkdtemp(name);
    }
    ~NodeMemory() override { std::filesystem::remove_all(root_); }

    void write(const std::string& path, const std::string& text)
    {
        std::filesystem::create_directories(std::filesystem::path(root_ + path).parent_path());
        std::ofstream(root_ + path) << text;
    }
    void write_meminfo(const std::string& total, const std::string& available)
    {
        write("/proc/meminfo", "MemTotal:       " + total + " kB\nMemFree: 1 kB\nMemAvailable:   " +
                                   available + " kB\nSwapTotal: 50 kB\nSwapFree: 20 kB\n");
    }
    // Of version 2, below a group that has no limit.
    void write_group(const std::string& maximum, const std::string& used, const std::string& reclaimable)
    {
        write("/proc/self/cgroup", "0::/job/step\n");
        write("/sys/fs/cgroup/job/memory.max", "max\n");
        write("/sys/fs/cgroup/job/memory.current", "1\n");
        write("/sys/fs/cgroup/job/step/memory.max", maximum + "\n");
        write("/sys/fs/cgroup/job/step/memory.current", used + "\n");
        write("/sys/fs/cgroup/job/step/memory.stat", "anon 7\ninactive_file " + reclaimable + "\n");
    }
    Sources sources() const { return Sources(root_); }

    std::string root_;
};

TEST_F(NodeMemory, is_unknown_where_nothing_is_readable)
{
    EXPECT_EQ(std::nullopt, sources().total());
    EXPECT_EQ(std::nullopt, sources().available());
    EXPECT_EQ(0u, sources().domain().machine);
    EXPECT_EQ(0u, sources().domain().group);
}

TEST_F(NodeMemory, is_ram_and_swap)
{
    write_meminfo("1000", "300");
    EXPECT_EQ(Figure(1050 * kilo), sources().total());
    EXPECT_EQ(Figure(320 * kilo), sources().available());
    EXPECT_EQ(Figure(160 * kilo), sources().available({2, 3}));
}

TEST_F(NodeMemory, of_a_full_machine_is_nothing)
{
    write_meminfo("1000", "0");
    EXPECT_EQ(Figure(20 * kilo), sources().available()) << "swap";
}

TEST_F(NodeMemory, of_a_meminfo_of_zeros_is_unknown)
{
    write_meminfo("0", "0");
    EXPECT_EQ(std::nullopt, sources().total());
    EXPECT_EQ(std::nullopt, sources().available());
}

TEST_F(NodeMemory, of_an_implausible_meminfo_is_unknown)
{
    for (const char* const text : nonsense) {
        write_meminfo(text, text);
        EXPECT_EQ(std::nullopt, sources().total()) << text;
        EXPECT_EQ(std::nullopt, sources().available()) << text;
    }
    write("/proc/meminfo", "MemTotal: 1000 kB\nMemFree: 500 kB\n");
    EXPECT_EQ(std::nullopt, sources().available()) << "an old kernel";
    write_meminfo("1000", "2000");
    EXPECT_EQ(Figure(1020 * kilo), sources().available()) << "no more than the machine has";
}

TEST_F(NodeMemory, is_what_the_control_group_leaves)
{
    write_meminfo("1000000", "900000");
    write_group("5000", "3000", "500");
    EXPECT_EQ(Figure(5000), sources().total());
    EXPECT_EQ(Figure(2500), sources().available());
    EXPECT_EQ(Figure(1250), sources().available({1, 2}));
    write_group("5000", "6000", "0");
    EXPECT_EQ(Figure(0), sources().available()) << "more in use than allowed";
    write_group("5000", "300", "500");
    EXPECT_EQ(Figure(5000), sources().available()) << "more reclaimable than in use";
    std::filesystem::remove(root_ + "/proc/meminfo");
    EXPECT_EQ(Figure(5000), sources().available()) << "known though the machine's is not";
}

// Files that a job has read twice are "active", and the kernel drops them all the same where memory is
// wanted.
TEST_F(NodeMemory, files_in_the_cache_are_free_memory)
{
    write_meminfo("1000000", "900000");
    write_group("5000", "3000", "500\nactive_anon 1\nactive_file 1200");
    EXPECT_EQ(Figure(3700), sources().available());
}

TEST_F(NodeMemory, is_what_a_machine_without_overcommitment_still_promises)
{
    write("/proc/meminfo",
          "MemTotal: 1000 kB\nMemAvailable: 600 kB\nCommitLimit: 500 kB\nCommitted_AS: 450 kB\n");
    write("/proc/sys/vm/overcommit_memory", "0\n");
    EXPECT_EQ(Figure(600 * kilo), sources().available());
    write("/proc/sys/vm/overcommit_memory", "2\n");
    EXPECT_EQ(Figure(50 * kilo), sources().available());
    write("/proc/meminfo",
          "MemTotal: 1000 kB\nMemAvailable: 600 kB\nCommitLimit: 500 kB\nCommitted_AS: 501 kB\n");
    EXPECT_EQ(Figure(0), sources().available());
}

TEST_F(NodeMemory, ignores_implausible_control_groups)
{
    write_meminfo("1000", "300");
    for (const char* const text : {"", "-5", "99999999999999999999999", "max", "0", "9223372036854771712"}) {
        write_group(text, "3000", "500");
        EXPECT_EQ(Figure(1050 * kilo), sources().total()) << text;
        EXPECT_EQ(Figure(320 * kilo), sources().available()) << text;
    }
    for (const char* const text : nonsense) {
        write_group("5000", text, "500");
        EXPECT_EQ(Figure(320 * kilo), sources().available()) << text;
    }
    for (const char* const text : {"", "-5", "99999999999999999999999", "plenty"}) {
        write_group("5000", "3000", text);
        EXPECT_EQ(Figure(2000), sources().available()) << text;
    }
}

// Version 1 in a container: the path is the machine's, the folder the container's.
TEST_F(NodeMemory, is_limited_by_version_1)
{
    write("/proc/self/cgroup", "9:cpu:/x\n4:memory:/docker/1234\n0::/\n");
    write("/sys/fs/cgroup/memory/memory.limit_in_bytes", "7000\n");
    write("/sys/fs/cgroup/memory/memory.usage_in_bytes", "4000\n");
    write("/sys/fs/cgroup/memory/memory.stat", "inactive_file 9\ntotal_inactive_file 1000\n");
    EXPECT_EQ(Figure(7000), sources().total());
    EXPECT_EQ(Figure(4000), sources().available());
}

TEST_F(NodeMemory, tells_machines_and_groups_apart)
{
    write("/proc/sys/kernel/random/boot_id", "one\n");
    EXPECT_NE(0u, sources().domain().machine);
    EXPECT_EQ(0u, sources().domain().group) << "none limits";
    write_group("5000", "1", "0");
    const auto mine = sources().domain();
    EXPECT_NE(0u, mine.group);
    write("/proc/sys/kernel/random/boot_id", "other\n");
    EXPECT_NE(mine.machine, sources().domain().machine);
    EXPECT_NE(mine.group, sources().domain().group);
}

TEST(HereNodeMemory, total_and_available_fit_together)
{
    const Sources& here = armci::node_memory::here();
    EXPECT_EQ(here.total(), here.total());
    if (here.total() && here.available()) {
        EXPECT_GT(*here.total(), 16 * mega);
        EXPECT_GT(*here.available(), 0u);
        EXPECT_LE(*here.available(), *here.total());
    }
}

TEST(BackingRoom, of_an_implausible_file_system_is_unlimited)
{
    struct statvfs system {};
    system.f_frsize = 4096;
    system.f_bavail = 10;
    EXPECT_EQ(unlimited, armci::shared_file::room(system)) << "no size, as memfds have none";
    system.f_blocks = 20;
    EXPECT_EQ(40'960u, armci::shared_file::room(system));
    system.f_bavail = 0;
    EXPECT_EQ(0u, armci::shared_file::room(system)) << "full";
    system.f_bavail = static_cast<fsblkcnt_t>(-3);
    EXPECT_EQ(unlimited, armci::shared_file::room(system));
    system.f_blocks = system.f_bavail = std::numeric_limits<fsblkcnt_t>::max() / 2;
    EXPECT_EQ(unlimited, armci::shared_file::room(system));
    system.f_blocks = system.f_bavail = 20;
    system.f_frsize = 0;
    EXPECT_EQ(unlimited, armci::shared_file::room(system));
}

TEST(FileLimit, allows_what_it_says)
{
    EXPECT_TRUE(armci::shared_file::allows({RLIM_INFINITY, RLIM_INFINITY}, std::size_t{1} << 46));
    EXPECT_TRUE(armci::shared_file::allows({100, RLIM_INFINITY}, 100));
    EXPECT_FALSE(armci::shared_file::allows({100, RLIM_INFINITY}, 101));
    EXPECT_FALSE(armci::shared_file::allows({0, 0}, 1));
}

TEST(MemoryBudget, leaves_64_MiB_of_memory_and_little_of_the_backing_store)
{
    EXPECT_EQ(std::int64_t(36 * mega), MemoryBudget::usable(100 * mega, unlimited));
    EXPECT_LT(MemoryBudget::usable(10 * mega, unlimited), 0);
    EXPECT_EQ(std::int64_t(60 * mega), MemoryBudget::usable(1000 * mega, 64 * mega)) << "Docker's /dev/shm";
    EXPECT_EQ(std::int64_t(60 * mega), MemoryBudget::usable(std::nullopt, 64 * mega));
    EXPECT_EQ(std::int64_t(10'000 * mega - 64 * mega), MemoryBudget::usable(std::nullopt, 10'000 * mega));
    EXPECT_EQ(0, MemoryBudget::usable(1000 * mega, 0));
    EXPECT_GT(MemoryBudget::usable(std::nullopt, unlimited), std::int64_t{1} << 60);
    EXPECT_GT(MemoryBudget::usable(unlimited, unlimited), std::int64_t{1} << 60);
}

} // namespace
} // namespace armci_test
