// One life in another, and one after another.
#include "lives.hpp"

#include <armci.h>
#include <armcix.h>
#include <dirent.h>
#include <mpi.h>

#include <cstdio>
#include <cstdlib>
#include <numeric>
#include <vector>

namespace lives {

namespace {

int entries_of(const char* folder)
{
    int count = 0;
    DIR* const directory = opendir(folder);
    while (directory != nullptr && readdir(directory) != nullptr)
        ++count;
    closedir(directory);
    return count;
}

int lines_of(const char* path)
{
    int count = 0;
    std::FILE* const file = std::fopen(path, "r");
    for (int c = 0; file != nullptr && (c = std::fgetc(file)) != EOF;)
        count += c == '\n';
    std::fclose(file);
    return count;
}

void nested()
{
    CHECK(ARMCI_Init() == 0);
    CHECK(ARMCI_Init_args(nullptr, nullptr) == 0);
    CHECK(ARMCI_Init_thread(MPI_THREAD_SINGLE) == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    use();
    CHECK(!mpi_is_finalized());
    CHECK(ARMCI_Finalize() == 0);
    CHECK(ARMCI_Initialized() == 0);
    CHECK(mpi_is_finalized());
}

void again_and_again()
{
    MPI_Init(nullptr, nullptr);
    int files = 0, maps = 0;
    for (int life = 0; life < 8; ++life) {
        CHECK(ARMCI_Init() == 0);
        use();
        CHECK(ARMCI_Finalize() == 0);
        MPI_Barrier(MPI_COMM_WORLD);
        if (life == 3) { // MPI has what it keeps by then
            files = entries_of("/proc/self/fd");
            maps = lines_of("/proc/self/maps");
        }
    }
    CHECK(entries_of("/proc/self/fd") < files + 4); // four lives; MPI may open something late
#ifdef __SANITIZE_ADDRESS__
    constexpr int spare = 16; // its allocator maps more now and then for a thread that begins, 4 in 54 lives
#else
    constexpr int spare = 4; // the C library's own
#endif
    CHECK(lines_of("/proc/self/maps") <= maps + spare);
    MPI_Finalize();
}

// What a life left behind does not disturb the next.
void untidy()
{
    setenv("ARMCI_ERRORS", "return", 1);
    MPI_Init(nullptr, nullptr);
    armcix_mutex_hdl_t stale = nullptr;
    for (int life = 0; life < 3; ++life) {
        CHECK(ARMCI_Init() == 0);
        std::vector<void*> base(world_size());
        CHECK(ARMCI_Malloc(base.data(), 100'000) == 0);
        const int next = (world_rank() + 1) % world_size();
        std::vector<char> got(100'000);
        armci_hdl_t waited_late;
        ARMCI_INIT_HANDLE(&waited_late);
        CHECK(ARMCI_NbGet(base[next], got.data(), 100'000, next, &waited_late) == 0);
        ARMCI_Group group;
        std::vector<int> all(world_size());
        std::iota(all.begin(), all.end(), 0);
        ARMCI_Group_create(world_size(), all.data(), &group);
        ARMCI_Group_set_default(&group);
        CHECK(ARMCI_Malloc_group(base.data(), 64, &group) == 0);
        CHECK(ARMCI_Create_mutexes(3) == 0);
        stale = ARMCIX_Create_mutexes_hdl(2, &group);
        CHECK(stale != nullptr);
        armci_meminfo_t info;
        CHECK(ARMCI_Memget(100, &info, 0) == 0);
        ARMCI_Access_begin(base[world_rank()]);
        CHECK(ARMCI_Finalize() == 0);
        armci_hdl_t copy = waited_late;
        CHECK(ARMCI_Wait(&copy) == 0); // it was complete when the library ended

        CHECK(ARMCI_Init() == 0);
        CHECK(ARMCI_Wait(&waited_late) == 0);
        ARMCI_Group now;
        ARMCI_Group_get_default(&now);
        CHECK(now.size == world_size());
        CHECK(ARMCIX_Trylock_hdl(stale, 0, 0) != 0); // says that the handle is none
        use();
        CHECK(ARMCI_Finalize() == 0);
    }
    MPI_Finalize();
}

} // namespace

const Ways& again()
{
    static const Ways ways{
        {"nested", nested},
        {"again_and_again", again_and_again},
        {"untidy", untidy},
    };
    return ways;
}

} // namespace lives
