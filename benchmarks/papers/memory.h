/* Memory of each process that the others reach, by ARMCI or by MPI itself, which is the bound of what an
 * ARMCI on MPI can reach.
 *
 * BENCHMARK_MPI=<create|allocate|dynamic> in the environment asks the programs for paper 000 for the rows of
 * MPI itself, on windows of that flavour, in place of ARMCI's. */
#ifndef ARMCI_BENCHMARKS_MEMORY_H_
#define ARMCI_BENCHMARKS_MEMORY_H_

#include "measure/job.h"

/* NULL: ARMCI's rows are wanted. */
static inline const char* flavour_of_mpi(void)
{
    const char* const flavour = getenv("BENCHMARK_MPI");
    if (flavour == NULL || *flavour == '\0')
        return NULL;
    if (strcmp(flavour, "create") != 0 && strcmp(flavour, "allocate") != 0 && strcmp(flavour, "dynamic") != 0)
        fail("BENCHMARK_MPI is create, allocate or dynamic");
    return flavour;
}

/* Collective. Who waits for rows of MPI itself waits in MPI: on a node ARMCI_Barrier need not help it along.
 */
static inline void meet(const char* flavour)
{
    if (flavour != NULL)
        MPI_Barrier(MPI_COMM_WORLD);
    else
        ARMCI_Barrier();
}

struct memory {
    struct job job;
    const char* flavour; /* NULL: ARMCI's global memory */
    size_t bytes;        /* of each process */
    char* mine;
    void** bases;   /* by process, as ARMCI names them */
    MPI_Win window; /* of MPI's */
    MPI_Aint* at;   /* in the window, by process: where its bytes begin */
    int shares;     /* a window that outlives it */
};

/* Collective where the others are told. */
static inline struct memory attach_memory(struct job job, size_t bytes, MPI_Win dynamic, int tell)
{
    struct memory m = {job, "dynamic", bytes, untouched_pages(bytes), NULL, dynamic, NULL, 1};
    MPI_Aint mine;
    m.at = not_null(calloc((size_t)job.processes, sizeof *m.at));
    MPI_Win_attach(dynamic, m.mine, (MPI_Aint)bytes);
    MPI_Get_address(m.mine, &mine);
    if (tell)
        MPI_Allgather(&mine, 1, MPI_AINT, m.at, 1, MPI_AINT, MPI_COMM_WORLD);
    return m;
}

/* Collective. */
static inline struct memory open_memory(struct job job, size_t bytes, const char* flavour)
{
    struct memory m = {.job = job, .flavour = flavour, .bytes = bytes};
    if (flavour == NULL) {
        m.bases = global_memory(job, bytes);
        m.mine = m.bases[job.me];
        return m;
    }
    if (strcmp(flavour, "dynamic") == 0) {
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &m.window);
        m = attach_memory(job, bytes, m.window, 1);
        m.shares = 0;
        return m;
    }
    m.at = not_null(calloc((size_t)job.processes, sizeof *m.at));
    if (strcmp(flavour, "allocate") == 0) {
        MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &m.mine, &m.window);
        return m;
    }
    m.mine = untouched_pages(bytes);
    MPI_Win_create(m.mine, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &m.window);
    return m;
}

/* Collective; no epoch is open. */
static inline void close_memory(struct memory* m)
{
    if (m->flavour == NULL) {
        free_global_memory(m->job, m->bases);
        return;
    }
    if (!m->shares)
        MPI_Barrier(MPI_COMM_WORLD);
    if (strcmp(m->flavour, "dynamic") == 0)
        MPI_Win_detach(m->window, m->mine);
    if (!m->shares)
        MPI_Win_free(&m->window);
    if (strcmp(m->flavour, "allocate") != 0)
        free(m->mine);
    free(m->at);
}

/* Collective: memory of MPI's in one epoch for life, `at` 0 everywhere and all of it 0. After ARMCI_Init,
 * which on Open MPI stands for the components that make windows over TCP. */
static inline struct memory open_locked_window(struct job job, size_t bytes)
{
    const struct memory m = open_memory(job, bytes, "allocate");
    const int next = (job.me + 1) % job.processes, before = (job.me + job.processes - 1) % job.processes;
    const long mine = job.me + 1;
    memset(m.mine, 0, bytes);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, m.window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Put(&mine, sizeof mine, MPI_BYTE, next, 0, sizeof mine, MPI_BYTE, m.window);
    MPI_Win_flush(next, m.window);
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_sync(m.window);
    if (*(volatile long*)m.mine != before + 1)
        fail("MPI's window is not where MPI says it is");
    MPI_Barrier(MPI_COMM_WORLD); /* one that serves MPI's windows, on a node too */
    return m;
}

static inline void close_locked_window(struct memory* m)
{
    MPI_Barrier(MPI_COMM_WORLD);
    MPI_Win_unlock_all(m->window);
    close_memory(m);
}

/* By MPI, in an epoch: what `transfer` does by ARMCI, begun; sums of doubles as they are. */
static inline void mpi_begin(const struct memory* m, enum kind kind, void* here, int target, size_t offset,
                             size_t bytes)
{
    const MPI_Aint there = m->at[target] + (MPI_Aint)offset;
    const int count = (int)bytes, doubles = (int)(bytes / sizeof(double));
    if (kind == PUT)
        MPI_Put(here, count, MPI_BYTE, target, there, count, MPI_BYTE, m->window);
    else if (kind == GET)
        MPI_Get(here, count, MPI_BYTE, target, there, count, MPI_BYTE, m->window);
    else
        MPI_Accumulate(here, doubles, MPI_DOUBLE, target, there, doubles, MPI_DOUBLE, MPI_SUM, m->window);
}

/* In an epoch for life. */
static inline void mpi_flushed(const struct memory* m, enum kind kind, void* here, int target, size_t offset,
                               size_t bytes)
{
    mpi_begin(m, kind, here, target, offset, bytes);
    MPI_Win_flush(target, m->window);
}

/* In an epoch of its own. */
static inline void mpi_locked(const struct memory* m, int lock, enum kind kind, void* here, int target,
                              size_t offset, size_t bytes)
{
    MPI_Win_lock(lock, target, 0, m->window);
    mpi_begin(m, kind, here, target, offset, bytes);
    MPI_Win_unlock(target, m->window);
}

/* Complete at the target, by ARMCI or in a shared epoch of MPI's. */
static inline void move_once(const struct memory* m, enum kind kind, void* here, int target, size_t offset,
                             size_t bytes)
{
    double one = 1;
    if (m->flavour == NULL)
        transfer_fenced(kind, here, (char*)m->bases[target] + offset, bytes, &one, target);
    else
        mpi_locked(m, MPI_LOCK_SHARED, kind, here, target, offset, bytes);
}

#endif
