// Operations and waits of all sorts, counted by the profiling interface: this program defines ARMCI_X and
// calls PARMCI_X, as a profiler does.
//
//     workload FILE        the sums of all processes go to the file: "name TAB count TAB bytes" by line
//     workload end_badly   ends with status 1
#include <armci.h>
#include <message.h>
#include <mpi.h>

#include <cstdio>
#include <cstring>
#include <map>
#include <string>
#include <vector>

namespace {

struct Sum {
    long count = 0;
    long bytes = 0;
};
std::map<std::string, Sum> sums;

void count(const char* name, long bytes = 0)
{
    ++sums[name].count;
    sums[name].bytes += bytes;
}

long bytes_of(const int* counts, int levels)
{
    long bytes = 1;
    for (int i = 0; i <= levels; ++i)
        bytes *= counts[i];
    return bytes;
}

long bytes_of(const armci_giov_t* iov, int length)
{
    long bytes = 0;
    for (int i = 0; i < length; ++i)
        bytes += static_cast<long>(iov[i].bytes) * iov[i].ptr_array_len;
    return bytes;
}

} // namespace

extern "C" {

int ARMCI_Put(void* src, void* dst, int bytes, int proc)
{
    count("put", bytes);
    return PARMCI_Put(src, dst, bytes, proc);
}
int ARMCI_NbGet(void* src, void* dst, int bytes, int proc, armci_hdl_t* handle)
{
    count("get", bytes);
    return PARMCI_NbGet(src, dst, bytes, proc, handle);
}
int ARMCI_Acc(int type, void* scale, void* src, void* dst, int bytes, int proc)
{
    count("accumulate", bytes);
    return PARMCI_Acc(type, scale, src, dst, bytes, proc);
}
int ARMCI_PutS(void* src, int* src_stride, void* dst, int* dst_stride, int* counts, int levels, int proc)
{
    count("strided put", bytes_of(counts, levels));
    return PARMCI_PutS(src, src_stride, dst, dst_stride, counts, levels, proc);
}
int ARMCI_GetS(void* src, int* src_stride, void* dst, int* dst_stride, int* counts, int levels, int proc)
{
    count("strided get", bytes_of(counts, levels));
    return PARMCI_GetS(src, src_stride, dst, dst_stride, counts, levels, proc);
}
int ARMCI_NbAccS(int type, void* scale, void* src, int* src_stride, void* dst, int* dst_stride, int* counts,
                 int levels, int proc, armci_hdl_t* handle)
{
    count("strided acc", bytes_of(counts, levels));
    return PARMCI_NbAccS(type, scale, src, src_stride, dst, dst_stride, counts, levels, proc, handle);
}
int ARMCI_PutV(armci_giov_t* iov, int length, int proc)
{
    count("vector put", bytes_of(iov, length));
    return PARMCI_PutV(iov, length, proc);
}
int ARMCI_GetV(armci_giov_t* iov, int length, int proc)
{
    count("vector get", bytes_of(iov, length));
    return PARMCI_GetV(iov, length, proc);
}
int ARMCI_AccV(int type, void* scale, armci_giov_t* iov, int length, int proc)
{
    count("vector acc", bytes_of(iov, length));
    return PARMCI_AccV(type, scale, iov, length, proc);
}
int ARMCI_Rmw(int op, void* local, void* remote, int value, int proc)
{
    count("rmw", op == ARMCI_FETCH_AND_ADD_LONG || op == ARMCI_SWAP_LONG ? sizeof(long) : sizeof(int));
    return PARMCI_Rmw(op, local, remote, value, proc);
}
void ARMCI_Barrier(void)
{
    count("wait barrier");
    PARMCI_Barrier();
}
void ARMCI_Lock(int mutex, int proc)
{
    count("wait lock");
    PARMCI_Lock(mutex, proc);
}
int ARMCI_Malloc(void** pointers, armci_size_t bytes)
{
    count("wait allocation");
    return PARMCI_Malloc(pointers, bytes);
}
int ARMCI_Free(void* pointer)
{
    count("wait allocation");
    return PARMCI_Free(pointer);
}

} // extern "C"

namespace {

constexpr int elements = 4096; // of each process in a region
constexpr int turns = 20;

// One of each, on the memory of `process`; gives the bytes moved, and adds to `operations`.
long one_of_each(double* there, int process, int turn, long& operations)
{
    std::vector<double> mine(elements, 1);
    double* const here = mine.data();
    double scale = 1;
    long bytes = 0;
    const auto done = [&](long moved) {
        ++operations;
        bytes += moved;
    };
    const int length = 8 * (1 + turn * 20);
    ARMCI_Put(here, there, length, process);
    done(length);
    armci_hdl_t handle;
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbGet(there, here, length, process, &handle);
    ARMCI_Wait(&handle);
    done(length);
    ARMCI_Acc(ARMCI_ACC_DBL, &scale, here, there, length, process);
    done(length);
    int stride = 512;
    int counts[2] = {8 * (1 + turn), 5};
    ARMCI_PutS(here, &stride, there, &stride, counts, 1, process);
    done(bytes_of(counts, 1));
    ARMCI_GetS(there, &stride, here, &stride, counts, 1, process);
    done(bytes_of(counts, 1));
    ARMCI_INIT_HANDLE(&handle);
    ARMCI_NbAccS(ARMCI_ACC_DBL, &scale, here, &stride, there, &stride, counts, 1, process, &handle);
    ARMCI_Wait(&handle);
    done(bytes_of(counts, 1));
    void* here_at[3] = {here, here + 100, here + 200};
    void* there_at[3] = {there + 7, there + 300, there + 200};
    armci_giov_t out{here_at, there_at, 8 * (1 + turn), 3};
    armci_giov_t in{there_at, here_at, 8 * (1 + turn), 3};
    ARMCI_PutV(&out, 1, process);
    ARMCI_GetV(&in, 1, process);
    ARMCI_AccV(ARMCI_ACC_DBL, &scale, &out, 1, process);
    operations += 3;
    bytes += 3 * bytes_of(&out, 1);
    return bytes;
}

void work(int me, int processes)
{
    std::vector<void*> busy(static_cast<std::size_t>(processes));
    std::vector<void*> quiet(busy);
    std::vector<void*> counter(busy);
    ARMCI_Malloc(busy.data(), elements * sizeof(double));
    ARMCI_Malloc(quiet.data(), elements * sizeof(double));
    ARMCI_Malloc(counter.data(), me == 0 ? sizeof(long) : 0);
    if (me == 0)
        std::memset(counter[0], 0, sizeof(long));
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    for (int turn = 0; turn < turns; ++turn) {
        const int process = (me + turn) % processes;
        Sum& region = sums["region"];
        region.bytes += one_of_each(static_cast<double*>(busy[static_cast<std::size_t>(process)]), process,
                                    turn, region.count);
        long ignored = 0;
        if (turn % 4 == 0)
            one_of_each(static_cast<double*>(quiet[static_cast<std::size_t>(process)]), process, 0, ignored);
        long before = 0;
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, counter[0], 1, 0);
        ARMCI_Lock(0, process);
        ARMCI_Unlock(0, process);
        ARMCI_Barrier();
    }
    ARMCI_Destroy_mutexes();
    ARMCI_Free(counter[static_cast<std::size_t>(me)]);
    ARMCI_Free(busy[static_cast<std::size_t>(me)]);
    ARMCI_Barrier();
    ARMCI_Free(quiet[static_cast<std::size_t>(me)]);
}

void write_sums(const char* path, int me)
{
    std::FILE* const file = me == 0 ? std::fopen(path, "w") : nullptr;
    for (const auto& [name, sum] : sums) {
        const long mine[2] = {sum.count, sum.bytes};
        long all[2] = {};
        MPI_Reduce(mine, all, 2, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        if (file != nullptr)
            std::fprintf(file, "%s\t%ld\t%ld\n", name.c_str(), all[0], all[1]);
    }
    if (file != nullptr)
        std::fclose(file);
}

} // namespace

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    int me = 0;
    int processes = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &me);
    MPI_Comm_size(MPI_COMM_WORLD, &processes);
    ARMCI_Init();
    work(me, processes);
    ARMCI_Finalize();
    const bool badly = argc < 2 || std::strcmp(argv[1], "end_badly") == 0;
    if (!badly)
        write_sums(argv[1], me);
    MPI_Finalize();
    return badly ? 1 : 0;
}
