// What lies under global memory, and that it has no name by which it could outlive the processes.
#include "tests/support/mpi_test.hpp"

#include <armci.h>
#include <gtest/gtest.h>
#include <mpi.h>

#include <dirent.h>
#include <unistd.h>

#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

namespace armci_test {
namespace {

std::vector<std::string> maps_of_arena()
{
    std::vector<std::string> found;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);)
        if (line.find("memfd:armci-arena") != std::string::npos ||
            line.find("/dev/shm/armci-") != std::string::npos)
            found.push_back(line);
    return found;
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
    ASSERT_EQ(1u, maps.size()) << "one mapping for all";
    EXPECT_NE(std::string::npos, maps[0].find(shm ? "/dev/shm/armci-" : "/memfd:armci-arena")) << maps[0];
    EXPECT_NE(std::string::npos, maps[0].find("(deleted)")) << maps[0];

    // Other jobs may be starting: look for those of this one.
    std::vector<long> pids(size());
    const long mine = getpid();
    MPI_Allgather(&mine, 1, MPI_LONG, pids.data(), 1, MPI_LONG, MPI_COMM_WORLD);
    for (const long pid : pids)
        EXPECT_TRUE(names_in_shm("armci-" + std::to_string(pid) + "-").empty()) << pid;
    ARMCI_Barrier();
    ASSERT_EQ(0, ARMCI_Free(base[rank()]));
}

} // namespace
} // namespace armci_test
