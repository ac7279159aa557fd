// Lives where memory or files are limited.
#include "lives.hpp"

#include <armci.h>
#include <mpi.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

namespace lives {

namespace {

long address_space()
{
    long pages = 0;
    std::FILE* const file = std::fopen("/proc/self/statm", "r");
    if (std::fscanf(file, "%ld", &pages) != 1)
        pages = 0;
    std::fclose(file);
    return pages * sysconf(_SC_PAGESIZE);
}

void limit_address_space(long more)
{
    const auto bytes = static_cast<rlim_t>(address_space() + more);
    const rlimit limit{bytes, bytes};
    CHECK(setrlimit(RLIMIT_AS, &limit) == 0);
}

void little_address_space()
{
    MPI_Init(nullptr, nullptr);
    limit_address_space((2L << 30) * world_size());
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

void no_address_space()
{
    MPI_Init(nullptr, nullptr);
    limit_address_space(32L << 20);
    ARMCI_Init(); // ends the job
}

void little_file_size()
{
    MPI_Init(nullptr, nullptr);
    const rlimit limit{rlim_t{4} << 30, rlim_t{4} << 30};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

void no_file_size()
{
    MPI_Init(nullptr, nullptr);
    const rlimit limit{rlim_t{16} << 20, rlim_t{16} << 20};
    CHECK(setrlimit(RLIMIT_FSIZE, &limit) == 0);
    ARMCI_Init(); // ends the job
}

// TEST_ROOM is the bytes that the processes share. One process gets most of it. Two that know of one another
// are refused more than there is, and what they get can be touched.
void room()
{
    setenv("ARMCI_ERRORS", "return", 1);
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    const char* const text = std::getenv("TEST_ROOM");
    const long room = std::atol(text == nullptr ? "0" : text), most = room / 3 * 2;
    const bool alone = world_size() == 1;
    std::vector<void*> base(world_size());
    if (!alone)
        CHECK(ARMCI_Malloc(base.data(), most) != 0);
    const long mine = alone ? most : room / 6;
    const bool given = ARMCI_Malloc(base.data(), mine) == 0;
    CHECK(given);
    if (given) {
        std::memset(base[world_rank()], 1, static_cast<std::size_t>(mine));
        ARMCI_Barrier();
        CHECK(ARMCI_Free(base[world_rank()]) == 0);
    }
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// In mounts of its own, each process has a /dev/shm of its own from now on. MPI keeps what it has open.
void own_shm()
{
    MPI_Init(nullptr, nullptr);
    CHECK(mount("tmpfs", "/dev/shm", "tmpfs", 0, "") == 0);
    CHECK(ARMCI_Init() == 0);
    CHECK(armci_domain_count(ARMCI_DOMAIN_SMP) == world_size());
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

} // namespace

const Ways& little_room()
{
    static const Ways ways{
        {"little_address_space", little_address_space},
        {"no_address_space", no_address_space},
        {"little_file_size", little_file_size},
        {"no_file_size", no_file_size},
        {"room", room},
        {"own_shm", own_shm},
    };
    return ways;
}

} // namespace lives
