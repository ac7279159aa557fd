// Ways to start and to end, one for each run: lives <which>. Ends with status 0 if all went as it should.
#include <armci.h>
#include <armcix.h>

#include <dirent.h>
#include <mpi.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <string>
#include <vector>

namespace {

int failures = 0;

#define CHECK(condition)                                                                                     \
    do {                                                                                                     \
        if (!(condition)) {                                                                                  \
            std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                     \
            ++failures;                                                                                      \
        }                                                                                                    \
    } while (false)

bool mpi_is_initialized()
{
    int flag = 0;
    MPI_Initialized(&flag);
    return flag != 0;
}

bool mpi_is_finalized()
{
    int flag = 0;
    MPI_Finalized(&flag);
    return flag != 0;
}

int world_size()
{
    int size = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    return size;
}

int world_rank()
{
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    return rank;
}

// Puts round a ring, an accumulate by all on one, a mutex, a group.
void use()
{
    CHECK(ARMCI_Initialized() != 0);
    const int me = armci_msg_me(), processes = armci_msg_nproc();
    const int right = (me + 1) % processes, left = (me + processes - 1) % processes;
    std::vector<void*> base(processes);
    CHECK(ARMCI_Malloc(base.data(), 200'000) == 0);
    std::memset(base[me], 0, 200'000);
    ARMCI_Barrier();
    std::vector<int> mine(40'000, me);
    CHECK(ARMCI_Put(mine.data(), base[right], 160'000, right) == 0);
    double one = 1, value = me;
    CHECK(ARMCI_Acc(ARMCI_ACC_DBL, &one, &value, static_cast<char*>(base[0]) + 160'000, 8, 0) == 0);
    ARMCI_Barrier();
    CHECK(static_cast<int*>(base[me])[0] == left);
    CHECK(static_cast<int*>(base[me])[39'999] == left);
    CHECK(ARMCI_GetValueDouble(static_cast<char*>(base[0]) + 160'000, 0) == processes * (processes - 1) / 2);
    CHECK(ARMCI_Create_mutexes(1) == 0);
    ARMCI_Lock(0, 0);
    ARMCI_Unlock(0, 0);
    CHECK(ARMCI_Destroy_mutexes() == 0);
    ARMCI_Barrier();
    CHECK(ARMCI_Free(base[me]) == 0);
}

// The library's own numbers are those of a communicator.
void expect_ranks_of(MPI_Comm comm)
{
    int rank = 0, size = 0;
    MPI_Comm_rank(comm, &rank);
    MPI_Comm_size(comm, &size);
    CHECK(armci_msg_me() == rank);
    CHECK(armci_msg_nproc() == size);
}

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

// --- Who starts and ends MPI
// -----------------------------------------------------------------------------------

void armci_starts_mpi()
{
    CHECK(!mpi_is_initialized());
    CHECK(ARMCI_Init() == 0);
    CHECK(mpi_is_initialized());
    use();
    CHECK(ARMCI_Finalize() == 0);
    CHECK(mpi_is_finalized());
    CHECK(ARMCI_Initialized() == 0);
}

// By the launcher, before MPI runs.
bool is_process_0()
{
    for (const char* const name : {"OMPI_COMM_WORLD_RANK", "PMI_RANK"})
        if (const char* const rank = std::getenv(name))
            return std::atoi(rank) == 0;
    return false;
}

// All processes but process 0 have MPI_THREAD_MULTIPLE.
void levels_differ()
{
    int level = 0;
    MPI_Init_thread(nullptr, nullptr, is_process_0() ? MPI_THREAD_SINGLE : MPI_THREAD_MULTIPLE, &level);
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// Process 0 wants another one-sided component of Open MPI than the others.
void components_differ()
{
    if (is_process_0())
        setenv("OMPI_MCA_osc", "ucx", 1);
    armci_starts_mpi();
}

void program_starts_mpi()
{
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    CHECK(!mpi_is_finalized());
    int sum = 1;
    MPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    CHECK(sum == world_size());
    MPI_Finalize();
}

// The service wants more than the program, which sees what it would see without this library.
void level_as_asked()
{
    int provided = -1;
    MPI_Init_thread(nullptr, nullptr, MPI_THREAD_FUNNELED, &provided);
    CHECK(provided == MPI_THREAD_FUNNELED);
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

void messages_start_mpi()
{
    armci_msg_init(nullptr, nullptr);
    CHECK(mpi_is_initialized());
    CHECK(ARMCI_Init() == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
    if (!mpi_is_finalized())
        armci_msg_finalize();
    CHECK(mpi_is_finalized());
}

void program_ends_mpi_first()
{
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use();
    MPI_Finalize();
    CHECK(ARMCI_Initialized() == 0);
    CHECK(ARMCI_Finalize() == 0);
    CHECK(ARMCI_Initialized() == 0);
}

void with_arguments(int* argc, char*** argv)
{
    CHECK(ARMCI_Init_args(argc, argv) == 0);
    CHECK(*argc == 2);
    CHECK(std::strcmp((*argv)[1], "arguments") == 0);
    use();
    CHECK(ARMCI_Finalize() == 0);
}

// --- Counting
// ----------------------------------------------------------------------------------------------------

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

// --- Communicators
// -------------------------------------------------------------------------------------------------

void halves()
{
    MPI_Init(nullptr, nullptr);
    MPI_Comm half;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() % 2, -world_rank(), &half); // in reverse order
    CHECK(ARMCI_Init_mpi_comm(half) == 1);
    expect_ranks_of(half);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Comm_free(&half);
    CHECK(ARMCI_Init() == 0);
    expect_ranks_of(MPI_COMM_WORLD);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// Only some processes of the job use the library, and later all do: what the first have found out about MPI
// is not yet known to the last.
void some()
{
    MPI_Init(nullptr, nullptr);
    MPI_Comm few;
    MPI_Comm_split(MPI_COMM_WORLD, world_rank() < world_size() - 1 || world_size() == 1 ? 0 : MPI_UNDEFINED,
                   0, &few);
    if (few != MPI_COMM_NULL) {
        CHECK(ARMCI_Init_mpi_comm(few) == 1);
        expect_ranks_of(few);
        use();
        CHECK(ARMCI_Finalize() == 0);
        MPI_Comm_free(&few);
    }
    CHECK(ARMCI_Init() == 0);
    expect_ranks_of(MPI_COMM_WORLD);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

void each_alone()
{
    int provided = 0, level = MPI_THREAD_MULTIPLE;
    if (std::getenv("ARMCI_FORCE_MPI") != nullptr)
        level = MPI_THREAD_SERIALIZED; // Open MPI's pt2pt has no windows with the other
    MPI_Init_thread(nullptr, nullptr, level, &provided);
    CHECK(ARMCI_Init_thread_comm(level, MPI_COMM_SELF) == 0);
    expect_ranks_of(MPI_COMM_SELF);
    use();
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// The messages of the program and of the library on one communicator do not meet.
void program_messages()
{
    MPI_Init(nullptr, nullptr);
    const int right = (world_rank() + 1) % world_size();
    int sent = world_rank(), received = -1;
    MPI_Request requests[2];
    MPI_Irecv(&received, 1, MPI_INT, MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &requests[0]);
    CHECK(ARMCI_Init() == 0);
    use();
    MPI_Isend(&sent, 1, MPI_INT, right, 3, MPI_COMM_WORLD, &requests[1]);
    use();
    MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
    CHECK(received == (world_rank() + world_size() - 1) % world_size());
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
}

// --- Little room
// ------------------------------------------------------------------------------------------------

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

// --- No Finalize
// -------------------------------------------------------------------------------------------------

void only_mpi_ends()
{
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use();
    MPI_Finalize();
}

void just_exits()
{
    CHECK(ARMCI_Init() == 0);
    use();
    std::exit(0);
}

// As a program does that ends by exit(), with handlers from before the library had anything, or with a global
// object of C++ whose destructor ends it.
void* use_at_exit = nullptr;

void end_at_exit()
{
    CHECK(use_at_exit != nullptr);
    use();
    CHECK(ARMCI_Free_local(use_at_exit) == 0);
    CHECK(ARMCI_Finalize() == 0);
    MPI_Finalize();
    if (failures > 0)
        std::_Exit(1);
}

void ends_at_exit()
{
    std::atexit(end_at_exit);
    MPI_Init(nullptr, nullptr);
    CHECK(ARMCI_Init() == 0);
    use_at_exit = ARMCI_Malloc_local(64);
    use();
    std::exit(0);
}

void cleans_up()
{
    CHECK(ARMCI_Init() == 0);
    use();
    ARMCI_Cleanup();
    CHECK(ARMCI_Finalize() == 0);
    ARMCI_Cleanup();
}

} // namespace

int main(int argc, char** argv)
{
    const std::map<std::string, std::function<void()>> ways{
        {"armci_starts_mpi", armci_starts_mpi},
        {"program_starts_mpi", program_starts_mpi},
        {"messages_start_mpi", messages_start_mpi},
        {"program_ends_mpi_first", program_ends_mpi_first},
        {"arguments", [&] { with_arguments(&argc, &argv); }},
        {"components_differ", components_differ},
        {"levels_differ", levels_differ},
        {"nested", nested},
        {"again_and_again", again_and_again},
        {"untidy", untidy},
        {"halves", halves},
        {"some", some},
        {"each_alone", each_alone},
        {"program_messages", program_messages},
        {"little_address_space", little_address_space},
        {"no_address_space", no_address_space},
        {"little_file_size", little_file_size},
        {"no_file_size", no_file_size},
        {"room", room},
        {"own_shm", own_shm},
        {"only_mpi_ends", only_mpi_ends},
        {"just_exits", just_exits},
        {"level_as_asked", level_as_asked},
        {"ends_at_exit", ends_at_exit},
        {"cleans_up", cleans_up},
    };
    const auto way = argc == 2 ? ways.find(argv[1]) : ways.end();
    if (way == ways.end()) {
        std::fprintf(stderr, "lives: no such way\n");
        return 2;
    }
    way->second();
    return failures == 0 ? 0 : 1;
}
