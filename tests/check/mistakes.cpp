// Programs with one mistake each, and the same without, for ARMCI_CHECK to tell apart.
//
//     mistakes NAME
#include <armci.h>
#include <message.h>
#include <mpi.h>

#include <sys/mman.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

int me = 0;
int processes = 0;

// A region of 1024 doubles on each process.
struct Region {
    Region() : at(static_cast<std::size_t>(processes))
    {
        ARMCI_Malloc(at.data(), 1024 * sizeof(double));
        ARMCI_Barrier();
    }
    ~Region()
    {
        ARMCI_Barrier();
        ARMCI_Free(at[static_cast<std::size_t>(me)]);
    }
    Region(const Region&) = delete;
    Region& operator=(const Region&) = delete;
    double* of(int process) const { return static_cast<double*>(at[static_cast<std::size_t>(process)]); }

    std::vector<void*> at;
};

double value = 1;
double buffer[1024];

void put(double* to, int bytes = 8, int process = 0)
{
    ARMCI_Put(buffer, to, bytes, process);
}
void get(double* from, int bytes = 8, int process = 0)
{
    ARMCI_Get(from, buffer, bytes, process);
}
void add(double* to, int process = 0)
{
    ARMCI_Acc(ARMCI_ACC_DBL, &value, buffer, to, 8, process);
}
void patch(double* to, int process = 0) // 4 rows of 2 elements, 10 elements apart
{
    int here = 16;
    int there = 80;
    int count[2] = {16, 4};
    ARMCI_PutS(buffer, &here, to, &there, count, 1, process);
}

// --- Accesses that nothing orders. Processes 0 and 1 of at least two. ---

void put_put()
{
    Region region;
    if (me < 2)
        put(region.of(0));
}
void put_get()
{
    Region region;
    if (me == 0)
        put(region.of(1) + 4, 64, 1);
    if (me == 1)
        get(region.of(1) + 11, 16, 1);
}
void acc_put()
{
    Region region;
    if (me == 0)
        add(region.of(0) + 3);
    if (me == 1)
        put(region.of(0), 32);
}
void patch_put()
{
    Region region;
    if (me == 0)
        patch(region.of(0));
    if (me == 1)
        put(region.of(0) + 21); // of the third row
}
void vector_get()
{
    Region region;
    if (me == 0) {
        void* from[2] = {buffer, buffer + 1};
        void* to[2] = {region.of(0) + 5, region.of(0) + 9};
        armci_giov_t segments{from, to, 8, 2};
        ARMCI_PutV(&segments, 1, 0);
    }
    if (me == 1)
        get(region.of(0) + 8, 16);
}
void rmw_put()
{
    Region region;
    long before = 0;
    if (me == 0)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, region.of(0), 1, 0);
    if (me == 1)
        put(region.of(0));
}
void wrong_mutex() // each takes another
{
    Region region;
    ARMCI_Create_mutexes(2);
    if (me < 2) {
        ARMCI_Lock(me, 0);
        put(region.of(0));
        ARMCI_Unlock(me, 0);
    }
    ARMCI_Destroy_mutexes();
}
void after_the_message() // what is put after a message is not ordered by it
{
    Region region;
    int number = 0;
    if (me == 0) {
        armci_msg_snd(1, &number, sizeof number, 1);
        put(region.of(0));
    }
    if (me == 1) {
        armci_msg_rcv(1, &number, sizeof number, nullptr, 0);
        get(region.of(0));
    }
}
void of_a_freed_region()
{
    Region region;
    std::vector<void*> at(static_cast<std::size_t>(processes));
    ARMCI_Malloc(at.data(), 8192);
    if (me < 2)
        put(static_cast<double*>(at[0]));
    ARMCI_Free(at[static_cast<std::size_t>(me)]);
}

// --- The same, ordered. ---

void ordered_by_barrier()
{
    Region region;
    if (me == 0)
        put(region.of(0), 64);
    ARMCI_Barrier();
    if (me == 1)
        get(region.of(0), 64);
    ARMCI_Barrier();
    if (me == 0)
        add(region.of(0) + 3);
}
void ordered_by_mutex()
{
    Region region;
    ARMCI_Create_mutexes(1);
    for (int turn = 0; turn < 5; ++turn) {
        ARMCI_Lock(0, 1 % processes);
        get(region.of(0));
        put(region.of(0));
        ARMCI_Unlock(0, 1 % processes);
    }
    ARMCI_Destroy_mutexes();
}
void ordered_by_counter() // who draws a number owns that element
{
    Region region;
    if (me == 0)
        std::memset(region.of(0), 0, 8);
    ARMCI_Barrier();
    for (int turn = 0; turn < 10; ++turn) {
        long number = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, region.of(0), 1, 0);
        put(region.of(0) + 1 + number);
    }
}
void ordered_by_notify() // along a chain
{
    Region region;
    if (me > 0)
        armci_notify_wait(me - 1, nullptr);
    get(region.of(0), 64);
    put(region.of(0), 64);
    ARMCI_Fence(0);
    if (me + 1 < processes)
        armci_notify(me + 1);
}
void ordered_by_message()
{
    Region region;
    int number = 0;
    if (me == 0) {
        patch(region.of(0));
        ARMCI_AllFence();
        armci_msg_snd(1, &number, sizeof number, 1);
    }
    if (me == 1) {
        armci_msg_rcv(1, &number, sizeof number, nullptr, 0);
        get(region.of(0), 1024);
    }
}
void ordered_by_sum()
{
    Region region;
    put(region.of(me), 512, me);
    armci_msg_dgop(buffer, 1, const_cast<char*>("+"));
    get(region.of((me + 1) % processes), 512, (me + 1) % processes);
}
void ordered_by_broadcast()
{
    Region region;
    if (me == 0)
        put(region.of(0), 512);
    armci_msg_brdcst(buffer, 8, 0);
    get(region.of(0), 512);
}
void ordered_by_group()
{
    Region region;
    std::vector<int> members;
    for (int i = 0; i < processes; ++i)
        members.push_back(i);
    ARMCI_Group group;
    ARMCI_Group_create(processes, members.data(), &group);
    if (me == 0)
        put(region.of(0), 512);
    ARMCI_AllFence();
    armci_msg_group_barrier(&group);
    get(region.of(0), 512);
    ARMCI_Group_free(&group);
}
void only_atomic()
{
    Region region;
    long before = 0;
    std::memset(buffer, 0, sizeof buffer);
    add(region.of(0));
    ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, region.of(0) + 1, 1, 0);
    get(region.of(0) + 2);
}
void neighbours() // bytes that touch, but do not overlap
{
    Region region;
    put(region.of(0) + 8 * me, 64);
    patch(region.of(1 % processes) + 2 * me, 1 % processes);
}

// --- Buffers and handles. ---

armci_hdl_t handle;

void changed_too_early()
{
    Region region;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPut(buffer, region.of(me), 800, me, &handle);
    buffer[99] += 1;
    ARMCI_Wait(&handle);
}
void freed_too_early()
{
    Region region;
    constexpr std::size_t bytes = 1 << 20;
    void* const large = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPut(large, region.of(me), 1024, me, &handle);
    munmap(large, bytes);
    ARMCI_Wait(&handle);
}
void read_too_early()
{
    Region region;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(region.of(me), buffer, 800, me, &handle);
    ARMCI_Put(buffer + 50, region.of(me) + 500, 8, me);
    ARMCI_Wait(&handle);
}
void written_too_early()
{
    Region region;
    int here = 16;
    int there = 80;
    int count[2] = {16, 4};
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbPutS(buffer, &here, region.of(me), &there, count, 1, me, &handle);
    ARMCI_Get(region.of(me) + 500, buffer + 7, 8, me);
    ARMCI_Wait(&handle);
}
void never_waited()
{
    Region region;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(region.of(me), buffer, 800, me, &handle);
}
void made_anew()
{
    Region region;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(region.of(me), buffer, 800, me, &handle);
    ARMCI_INIT_HANDLE(&handle);
}
void waited_in_time()
{
    Region region;
    armci_hdl_t other;
    for (int turn = 0; turn < 3; ++turn) {
        ARMCI_INIT_HANDLE(&handle);
        ARMCI_INIT_HANDLE(&other);
        ARMCI_NbPut(buffer, region.of(me), 800, me, &handle);
        ARMCI_NbPut(buffer + 50, region.of(me) + 500, 800, me, &other); // both read it
        ARMCI_Wait(&handle);
        while (ARMCI_Test(&other) != 0) {
        }
        buffer[99] += 1;
        ARMCI_NbGet(region.of(me), buffer, 800, me, nullptr);
        ARMCI_WaitProc(me);
        ARMCI_NbPut(buffer, region.of(me), 800, me, nullptr);
        ARMCI_WaitAll();
        ARMCI_NbGet(region.of(me), buffer, 800, me, nullptr);
        ARMCI_Barrier();
        ARMCI_Put(buffer, region.of(me), 8, me);
        buffer[99] += 1;
    }
}

// --- Calls and regions. ---

void different_calls()
{
    void* pointers[64];
    if (me == 0)
        ARMCI_Barrier();
    else
        ARMCI_Malloc(pointers, 8);
}
void different_roots()
{
    armci_msg_brdcst(buffer, 8, me % 2);
}
void different_lengths()
{
    armci_msg_dgop(buffer, 1 + me % 2, const_cast<char*>("+"));
}
void one_ends()
{
    if (me != 0)
        ARMCI_Barrier();
}
void comes_late()
{
    if (me == processes - 1)
        sleep(31);
    ARMCI_Barrier();
}
void never_freed()
{
    std::vector<void*> at(static_cast<std::size_t>(processes));
    ARMCI_Malloc(at.data(), me == 1 ? 800 : 0);
}

const std::map<std::string, void (*)()> programs = {
#define PROGRAM(name)                                                                                        \
    {                                                                                                        \
#name, name                                                                                          \
    }
    PROGRAM(put_put),           PROGRAM(put_get),
    PROGRAM(acc_put),           PROGRAM(patch_put),
    PROGRAM(vector_get),        PROGRAM(rmw_put),
    PROGRAM(wrong_mutex),       PROGRAM(after_the_message),
    PROGRAM(of_a_freed_region), PROGRAM(ordered_by_barrier),
    PROGRAM(ordered_by_mutex),  PROGRAM(ordered_by_counter),
    PROGRAM(ordered_by_notify), PROGRAM(ordered_by_message),
    PROGRAM(ordered_by_sum),    PROGRAM(ordered_by_broadcast),
    PROGRAM(ordered_by_group),  PROGRAM(only_atomic),
    PROGRAM(neighbours),        PROGRAM(changed_too_early),
    PROGRAM(freed_too_early),   PROGRAM(read_too_early),
    PROGRAM(written_too_early), PROGRAM(never_waited),
    PROGRAM(made_anew),         PROGRAM(waited_in_time),
    PROGRAM(different_calls),   PROGRAM(different_roots),
    PROGRAM(different_lengths), PROGRAM(one_ends),
    PROGRAM(comes_late),        PROGRAM(never_freed)};

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    const auto program = programs.find(argc > 1 ? argv[1] : "");
    if (program == programs.end())
        return 2;
    ARMCI_Init();
    program->second();
    ARMCI_Finalize();
    MPI_Finalize();
    return 0;
}
