#include "tests/support/pmpi_count.hpp"

#include <mpi.h>

#include <atomic>
#include <map>

namespace {

// One per function, constructed with the program and chained.
struct Counter {
    Counter(const char* counted_name, bool counted_rma) : name(counted_name), is_rma(counted_rma), next(first)
    {
        first = this;
    }

    const char* name;
    bool is_rma;
    std::atomic<long> calls{0};
    Counter* next;
    static Counter* first;
};

constinit Counter* Counter::first = nullptr;

} // namespace

namespace pmpi {

void reset()
{
    for (Counter* c = Counter::first; c != nullptr; c = c->next)
        c->calls = 0;
}

long total()
{
    long sum = 0;
    for (const Counter* c = Counter::first; c != nullptr; c = c->next)
        sum += c->calls;
    return sum;
}

long rma()
{
    long sum = 0;
    for (const Counter* c = Counter::first; c != nullptr; c = c->next)
        if (c->is_rma)
            sum += c->calls;
    return sum;
}

long count(std::string_view name)
{
    for (const Counter* c = Counter::first; c != nullptr; c = c->next)
        if (name == c->name)
            return c->calls;
    return -1;
}

long polls()
{
    return count("MPI_Iprobe") + count("MPI_Request_get_status");
}

std::string report()
{
    std::map<std::string_view, long> called;
    for (const Counter* c = Counter::first; c != nullptr; c = c->next)
        if (c->calls != 0)
            called[c->name] = c->calls;
    std::string text;
    for (const auto& [name, calls] : called)
        text += (text.empty() ? "" : ", ") + std::string(name) + " " + std::to_string(calls);
    return text;
}

} // namespace pmpi

// Visible to libarmci.so, whose calls are then bound to these.
#pragma GCC visibility push(default)

#define COUNTED(one_sided, name, parameters, arguments)                                                      \
    static Counter counter_##name{#name, one_sided};                                                         \
    extern "C" int name parameters                                                                           \
    {                                                                                                        \
        counter_##name.calls.fetch_add(1, std::memory_order_relaxed);                                        \
        return P##name arguments;                                                                            \
    }

// clang-format off

// --- One-sided
COUNTED(true, MPI_Put, (const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g,
    MPI_Win h), (a, b, c, d, e, f, g, h))
COUNTED(true, MPI_Get, (void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g, MPI_Win h),
    (a, b, c, d, e, f, g, h))
COUNTED(true, MPI_Accumulate, (const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f,
    MPI_Datatype g, MPI_Op h, MPI_Win i), (a, b, c, d, e, f, g, h, i))
COUNTED(true, MPI_Get_accumulate, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
    int g, MPI_Aint h, int i, MPI_Datatype j, MPI_Op k, MPI_Win l), (a, b, c, d, e, f, g, h, i, j, k, l))
COUNTED(true, MPI_Rput, (const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g,
    MPI_Win h, MPI_Request* i), (a, b, c, d, e, f, g, h, i))
COUNTED(true, MPI_Rget, (void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f, MPI_Datatype g,
    MPI_Win h, MPI_Request* i), (a, b, c, d, e, f, g, h, i))
COUNTED(true, MPI_Raccumulate, (const void* a, int b, MPI_Datatype c, int d, MPI_Aint e, int f,
    MPI_Datatype g, MPI_Op h, MPI_Win i, MPI_Request* j), (a, b, c, d, e, f, g, h, i, j))
COUNTED(true, MPI_Rget_accumulate, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
    int g, MPI_Aint h, int i, MPI_Datatype j, MPI_Op k, MPI_Win l, MPI_Request* m),
    (a, b, c, d, e, f, g, h, i, j, k, l, m))
COUNTED(true, MPI_Fetch_and_op, (const void* a, void* b, MPI_Datatype c, int d, MPI_Aint e, MPI_Op f,
    MPI_Win g), (a, b, c, d, e, f, g))
COUNTED(true, MPI_Compare_and_swap, (const void* a, const void* b, void* c, MPI_Datatype d, int e,
    MPI_Aint f, MPI_Win g), (a, b, c, d, e, f, g))
COUNTED(true, MPI_Win_create, (void* a, MPI_Aint b, int c, MPI_Info d, MPI_Comm e, MPI_Win* f),
    (a, b, c, d, e, f))
COUNTED(true, MPI_Win_allocate, (MPI_Aint a, int b, MPI_Info c, MPI_Comm d, void* e, MPI_Win* f),
    (a, b, c, d, e, f))
COUNTED(true, MPI_Win_allocate_shared, (MPI_Aint a, int b, MPI_Info c, MPI_Comm d, void* e, MPI_Win* f),
    (a, b, c, d, e, f))
COUNTED(true, MPI_Win_create_dynamic, (MPI_Info a, MPI_Comm b, MPI_Win* c), (a, b, c))
COUNTED(true, MPI_Win_attach, (MPI_Win a, void* b, MPI_Aint c), (a, b, c))
COUNTED(true, MPI_Win_detach, (MPI_Win a, const void* b), (a, b))
COUNTED(true, MPI_Win_free, (MPI_Win* a), (a))
COUNTED(true, MPI_Win_shared_query, (MPI_Win a, int b, MPI_Aint* c, int* d, void* e), (a, b, c, d, e))
COUNTED(true, MPI_Win_lock, (int a, int b, int c, MPI_Win d), (a, b, c, d))
COUNTED(true, MPI_Win_unlock, (int a, MPI_Win b), (a, b))
COUNTED(true, MPI_Win_lock_all, (int a, MPI_Win b), (a, b))
COUNTED(true, MPI_Win_unlock_all, (MPI_Win a), (a))
COUNTED(true, MPI_Win_flush, (int a, MPI_Win b), (a, b))
COUNTED(true, MPI_Win_flush_all, (MPI_Win a), (a))
COUNTED(true, MPI_Win_flush_local, (int a, MPI_Win b), (a, b))
COUNTED(true, MPI_Win_flush_local_all, (MPI_Win a), (a))
COUNTED(true, MPI_Win_sync, (MPI_Win a), (a))
COUNTED(true, MPI_Win_fence, (int a, MPI_Win b), (a, b))
COUNTED(true, MPI_Win_start, (MPI_Group a, int b, MPI_Win c), (a, b, c))
COUNTED(true, MPI_Win_complete, (MPI_Win a), (a))
COUNTED(true, MPI_Win_post, (MPI_Group a, int b, MPI_Win c), (a, b, c))
COUNTED(true, MPI_Win_wait, (MPI_Win a), (a))
COUNTED(true, MPI_Win_test, (MPI_Win a, int* b), (a, b))

// --- The others that communicate or wait
COUNTED(false, MPI_Send, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f), (a, b, c, d, e, f))
COUNTED(false, MPI_Ssend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Bsend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Rsend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Isend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
    (a, b, c, d, e, f, g))
COUNTED(false, MPI_Issend, (const void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
    (a, b, c, d, e, f, g))
COUNTED(false, MPI_Recv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Status* g),
    (a, b, c, d, e, f, g))
COUNTED(false, MPI_Irecv, (void* a, int b, MPI_Datatype c, int d, int e, MPI_Comm f, MPI_Request* g),
    (a, b, c, d, e, f, g))
COUNTED(false, MPI_Sendrecv, (const void* a, int b, MPI_Datatype c, int d, int e, void* f, int g,
    MPI_Datatype h, int i, int j, MPI_Comm k, MPI_Status* l), (a, b, c, d, e, f, g, h, i, j, k, l))
COUNTED(false, MPI_Sendrecv_replace, (void* a, int b, MPI_Datatype c, int d, int e, int f, int g,
    MPI_Comm h, MPI_Status* i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Probe, (int a, int b, MPI_Comm c, MPI_Status* d), (a, b, c, d))
COUNTED(false, MPI_Iprobe, (int a, int b, MPI_Comm c, int* d, MPI_Status* e), (a, b, c, d, e))
COUNTED(false, MPI_Request_get_status, (MPI_Request a, int* b, MPI_Status* c), (a, b, c))
COUNTED(false, MPI_Mprobe, (int a, int b, MPI_Comm c, MPI_Message* d, MPI_Status* e), (a, b, c, d, e))
COUNTED(false, MPI_Improbe, (int a, int b, MPI_Comm c, int* d, MPI_Message* e, MPI_Status* f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Mrecv, (void* a, int b, MPI_Datatype c, MPI_Message* d, MPI_Status* e), (a, b, c, d, e))
COUNTED(false, MPI_Imrecv, (void* a, int b, MPI_Datatype c, MPI_Message* d, MPI_Request* e), (a, b, c, d, e))
COUNTED(false, MPI_Wait, (MPI_Request* a, MPI_Status* b), (a, b))
COUNTED(false, MPI_Waitany, (int a, MPI_Request* b, int* c, MPI_Status* d), (a, b, c, d))
COUNTED(false, MPI_Waitall, (int a, MPI_Request* b, MPI_Status* c), (a, b, c))
COUNTED(false, MPI_Waitsome, (int a, MPI_Request* b, int* c, int* d, MPI_Status* e), (a, b, c, d, e))
COUNTED(false, MPI_Test, (MPI_Request* a, int* b, MPI_Status* c), (a, b, c))
COUNTED(false, MPI_Testany, (int a, MPI_Request* b, int* c, int* d, MPI_Status* e), (a, b, c, d, e))
COUNTED(false, MPI_Testall, (int a, MPI_Request* b, int* c, MPI_Status* d), (a, b, c, d))
COUNTED(false, MPI_Testsome, (int a, MPI_Request* b, int* c, int* d, MPI_Status* e), (a, b, c, d, e))
COUNTED(false, MPI_Start, (MPI_Request* a), (a))
COUNTED(false, MPI_Startall, (int a, MPI_Request* b), (a, b))
COUNTED(false, MPI_Cancel, (MPI_Request* a), (a))
COUNTED(false, MPI_Barrier, (MPI_Comm a), (a))
COUNTED(false, MPI_Bcast, (void* a, int b, MPI_Datatype c, int d, MPI_Comm e), (a, b, c, d, e))
COUNTED(false, MPI_Gather, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g,
    MPI_Comm h), (a, b, c, d, e, f, g, h))
COUNTED(false, MPI_Gatherv, (const void* a, int b, MPI_Datatype c, void* d, const int* e, const int* f,
    MPI_Datatype g, int h, MPI_Comm i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Scatter, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g,
    MPI_Comm h), (a, b, c, d, e, f, g, h))
COUNTED(false, MPI_Scatterv, (const void* a, const int* b, const int* c, MPI_Datatype d, void* e, int f,
    MPI_Datatype g, int h, MPI_Comm i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Allgather, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
    MPI_Comm g), (a, b, c, d, e, f, g))
COUNTED(false, MPI_Allgatherv, (const void* a, int b, MPI_Datatype c, void* d, const int* e, const int* f,
    MPI_Datatype g, MPI_Comm h), (a, b, c, d, e, f, g, h))
COUNTED(false, MPI_Alltoall, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
    MPI_Comm g), (a, b, c, d, e, f, g))
COUNTED(false, MPI_Alltoallv, (const void* a, const int* b, const int* c, MPI_Datatype d, void* e,
    const int* f, const int* g, MPI_Datatype h, MPI_Comm i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Alltoallw, (const void* a, const int* b, const int* c, const MPI_Datatype* d, void* e,
    const int* f, const int* g, const MPI_Datatype* h, MPI_Comm i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Reduce, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g),
    (a, b, c, d, e, f, g))
COUNTED(false, MPI_Allreduce, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Reduce_scatter, (const void* a, void* b, const int* c, MPI_Datatype d, MPI_Op e,
    MPI_Comm f), (a, b, c, d, e, f))
COUNTED(false, MPI_Reduce_scatter_block, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e,
    MPI_Comm f), (a, b, c, d, e, f))
COUNTED(false, MPI_Scan, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Exscan, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Reduce_local, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e), (a, b, c, d, e))
COUNTED(false, MPI_Ibarrier, (MPI_Comm a, MPI_Request* b), (a, b))
COUNTED(false, MPI_Ibcast, (void* a, int b, MPI_Datatype c, int d, MPI_Comm e, MPI_Request* f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Igather, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g,
    MPI_Comm h, MPI_Request* i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Igatherv, (const void* a, int b, MPI_Datatype c, void* d, const int* e, const int* f,
    MPI_Datatype g, int h, MPI_Comm i, MPI_Request* j), (a, b, c, d, e, f, g, h, i, j))
COUNTED(false, MPI_Iscatter, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f, int g,
    MPI_Comm h, MPI_Request* i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Iallgather, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
    MPI_Comm g, MPI_Request* h), (a, b, c, d, e, f, g, h))
COUNTED(false, MPI_Iallgatherv, (const void* a, int b, MPI_Datatype c, void* d, const int* e, const int* f,
    MPI_Datatype g, MPI_Comm h, MPI_Request* i), (a, b, c, d, e, f, g, h, i))
COUNTED(false, MPI_Ialltoall, (const void* a, int b, MPI_Datatype c, void* d, int e, MPI_Datatype f,
    MPI_Comm g, MPI_Request* h), (a, b, c, d, e, f, g, h))
COUNTED(false, MPI_Ialltoallv, (const void* a, const int* b, const int* c, MPI_Datatype d, void* e,
    const int* f, const int* g, MPI_Datatype h, MPI_Comm i, MPI_Request* j), (a, b, c, d, e, f, g, h, i, j))
COUNTED(false, MPI_Ireduce, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, int f, MPI_Comm g,
    MPI_Request* h), (a, b, c, d, e, f, g, h))
COUNTED(false, MPI_Iallreduce, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f,
    MPI_Request* g), (a, b, c, d, e, f, g))
COUNTED(false, MPI_Iscan, (const void* a, void* b, int c, MPI_Datatype d, MPI_Op e, MPI_Comm f,
    MPI_Request* g), (a, b, c, d, e, f, g))
COUNTED(false, MPI_Comm_dup, (MPI_Comm a, MPI_Comm* b), (a, b))
COUNTED(false, MPI_Comm_create, (MPI_Comm a, MPI_Group b, MPI_Comm* c), (a, b, c))
COUNTED(false, MPI_Comm_create_group, (MPI_Comm a, MPI_Group b, int c, MPI_Comm* d), (a, b, c, d))
COUNTED(false, MPI_Comm_split, (MPI_Comm a, int b, int c, MPI_Comm* d), (a, b, c, d))
COUNTED(false, MPI_Comm_split_type, (MPI_Comm a, int b, int c, MPI_Info d, MPI_Comm* e), (a, b, c, d, e))
COUNTED(false, MPI_Comm_idup, (MPI_Comm a, MPI_Comm* b, MPI_Request* c), (a, b, c))
COUNTED(false, MPI_Comm_free, (MPI_Comm* a), (a))
COUNTED(false, MPI_Intercomm_create, (MPI_Comm a, int b, MPI_Comm c, int d, int e, MPI_Comm* f),
    (a, b, c, d, e, f))
COUNTED(false, MPI_Intercomm_merge, (MPI_Comm a, int b, MPI_Comm* c), (a, b, c))
COUNTED(false, MPI_Pack, (const void* a, int b, MPI_Datatype c, void* d, int e, int* f, MPI_Comm g),
    (a, b, c, d, e, f, g))
COUNTED(false, MPI_Unpack, (const void* a, int b, int* c, void* d, int e, MPI_Datatype f, MPI_Comm g),
    (a, b, c, d, e, f, g))
COUNTED(false, MPI_Type_commit, (MPI_Datatype* a), (a))
COUNTED(false, MPI_Type_free, (MPI_Datatype* a), (a))
// clang-format on
