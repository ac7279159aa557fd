// What lies under global memory: that it has no name by which it could outlive the processes, and what a core
// dump holds of it.
#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <dirent.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace armci_test {
namespace {

constexpr long mega = 1L << 20;

bool is_of_arena(const std::string& path)
{
    return path.find("memfd:armci-arena") != std::string::npos ||
           path.find("/dev/shm/armci-") != std::string::npos;
}

struct Mapping {
    std::string line; // of /proc/self/smaps
    std::uintptr_t first = 0;
    std::uintptr_t last = 0;
    bool dumped = true;
};

std::vector<Mapping> maps_of_arena()
{
    std::vector<Mapping> found;
    std::ifstream maps("/proc/self/smaps");
    bool inside = false;
    for (std::string line; std::getline(maps, line);) {
        Mapping one{line};
        if (std::sscanf(line.c_str(), "%lx-%lx ", &one.first, &one.last) == 2) {
            inside = is_of_arena(line);
            if (inside)
                found.push_back(one);
        } else if (inside && line.starts_with("VmFlags:")) {
            found.back().dumped = line.find(" dd") == std::string::npos;
        }
    }
    return found;
}

// Each area of a slice has one range that is dumped.
constexpr std::size_t most_maps = 12;

long dumped_bytes()
{
    long bytes = 0;
    for (const Mapping& one : maps_of_arena())
        bytes += one.dumped ? static_cast<long>(one.last - one.first) : 0;
    return bytes;
}

bool is_dumped(const void* place)
{
    const auto address = reinterpret_cast<std::uintptr_t>(place);
    const auto maps = maps_of_arena();
    return std::any_of(maps.begin(), maps.end(), [&](const Mapping& one) {
        return one.dumped && one.first <= address && address < one.last;
    });
}

// What the node's shared memory has behind the arena.
long resident_bytes()
{
    for (const auto& entry : std::filesystem::directory_iterator("/proc/self/fd")) {
        std::error_code gone;
        struct stat status {};
        if (is_of_arena(std::filesystem::read_symlink(entry.path(), gone).string()) &&
            stat(entry.path().c_str(), &status) == 0)
            return static_cast<long>(status.st_blocks) * 512;
    }
    return -1;
}

std::vector<std::string> names_in_shm(const std::string& start)
{
    std::vector<std::string> found;
    DIR* const folder = opendir("/dev/shm");
    while (const dirent* const entry = folder != nullptr ? readdir(folder) : nullptr)
        if (std::string(entry->d_name).starts_with(start))
            found.emplace_back(entry->d_name);
    if (folder != nullptr)
        closedir(folder);
    return found;
}

TEST(Backing, HasNoName)
{
    std::vector<void*> base(size());
    ASSERT_EQ(0, ARMCI_Malloc(base.data(), 1 << 20));
    const int right = (rank() + 1) % size();
    ASSERT_EQ(0, ARMCI_PutValueInt(rank(), base[right], right));
    ARMCI_Barrier();
    EXPECT_EQ((rank() + size() - 1) % size(), *static_cast<int*>(base[rank()]));

    const char* const setting = std::getenv("ARMCI_ARENA_BACKING");
    const bool shm = setting != nullptr && std::string(setting) == "shm";
    const auto maps = maps_of_arena();
    ASSERT_FALSE(maps.empty());
    for (const auto& [line, first, last, dumped] : maps) {
        EXPECT_NE(std::string::npos, line.find(shm ? "/dev/shm/armci-" : "/memfd:armci-arena")) << line;
        EXPECT_NE(std::string::npos, line.find("(deleted)")) << line;
    }

    // Other jobs may be starting: look for those of this one.
    std::vector<long> pids(size());
    const long mine = getpid();
    MPI_Allgather(&mine, 1, MPI_LONG, pids.data(), 1, MPI_LONG, MPI_COMM_WORLD);
    for (const long pid : pids)
        EXPECT_TRUE(names_in_shm("armci-" + std::to_string(pid) + "-").empty()) << pid;
    ARMCI_Barrier();
    ASSERT_EQ(0, ARMCI_Free(base[rank()]));
}

TEST(CoreDumps, HoldMyAllocationsInFewMappings)
{
    const long before = dumped_bytes();
    EXPECT_LT(before, 32 * mega);
    std::vector<void*> base(size());
    ASSERT_EQ(0, ARMCI_Malloc(base.data(), 40 * mega));
    EXPECT_GE(dumped_bytes(), before + 38 * mega);
    EXPECT_LE(dumped_bytes(), before + 48 * mega);
    for (int process = 0; process < size(); ++process)
        EXPECT_EQ(process == rank(), is_dumped(base[process])) << process;

    std::vector<std::vector<void*>> many(120, std::vector<void*>(size()));
    for (std::size_t i = 0; i < many.size(); ++i)
        ASSERT_EQ(0, ARMCI_Malloc(many[i].data(), i % 3 == 0 ? 100 : static_cast<long>(i) * 5'000));
    EXPECT_LE(maps_of_arena().size(), most_maps);
    for (const auto& one : many)
        EXPECT_TRUE(is_dumped(one[rank()]));
    for (std::size_t i = 0; i < many.size(); i += 2)
        ASSERT_EQ(0, ARMCI_Free(many[i][rank()]));
    EXPECT_LE(maps_of_arena().size(), most_maps);
    for (std::size_t i = 1; i < many.size(); i += 2)
        ASSERT_EQ(0, ARMCI_Free(many[i][rank()]));
    ASSERT_EQ(0, ARMCI_Free(base[rank()]));
    EXPECT_LE(dumped_bytes(), before + 36 * mega) << "a long gap is in no dump";
    ARMCI_Barrier();
}

// Why no core can be looked at here; empty where one can.
std::string why_no_core()
{
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    return "sanitizers write no cores";
#endif
    std::string pattern;
    std::ifstream("/proc/sys/kernel/core_pattern") >> pattern;
    if (pattern.empty() || pattern.find('/') != std::string::npos || pattern[0] == '|')
        return "this machine's cores do not go to the current folder, but to '" + pattern + "'";
    rlimit limit{};
    getrlimit(RLIMIT_CORE, &limit);
    if (limit.rlim_max < static_cast<rlim_t>(1'024 * mega))
        return "this machine allows no cores of 1 GiB";
    return "";
}

// A child of this process crashes: it has the same mappings.
long size_of_core(const std::string& folder)
{
    const pid_t child = fork();
    if (child == 0) {
        const rlimit limit{static_cast<rlim_t>(1'024 * mega), static_cast<rlim_t>(1'024 * mega)};
        if (chdir(folder.c_str()) == 0 && setrlimit(RLIMIT_CORE, &limit) == 0) {
            std::signal(SIGABRT, SIG_DFL);
            std::abort();
        }
        _exit(1);
    }
    int status = 0;
    if (waitpid(child, &status, 0) != child || !WIFSIGNALED(status) || !WCOREDUMP(status))
        return -1;
    long bytes = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        bytes += static_cast<long>(entry.file_size());
    return bytes;
}

TEST(CoreDumps, AreOfWhatWasTouchedAndFillNoHoles)
{
    std::vector<void*> base(size());
    ASSERT_EQ(0, ARMCI_Malloc(base.data(), 40 * mega));
    std::memset(base[rank()], 1, 40 * mega);
    ARMCI_Barrier();
    const std::string reason = why_no_core();
    if (reason.empty() && rank() == 0) {
        char folder[] = "/tmp/armci-core-XXXXXX";
        ASSERT_NE(nullptr, mkdtemp(folder));
        const long before = resident_bytes();
        const long core = size_of_core(folder);
        EXPECT_GE(core, 40 * mega) << "my slice is in it";
        EXPECT_LE(core, 400 * mega);
        EXPECT_LE(resident_bytes(), before + 16 * mega) << "the dump filled holes";
        std::filesystem::remove_all(folder);
    }
    ARMCI_Barrier();
    ASSERT_EQ(0, ARMCI_Free(base[rank()]));
    if (!reason.empty())
        GTEST_SKIP() << reason;
}

} // namespace
} // namespace armci_test
