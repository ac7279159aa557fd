/* A job: its options, start and end, global memory, and who shares a node. */
#ifndef ARMCI_BENCHMARKS_JOB_H_
#define ARMCI_BENCHMARKS_JOB_H_

#include <mpi.h>

#include <stdio.h>

#include "armci.h"
#include "batches.h"
#include "rows.h"

/* BENCHMARK_PEER is defined when the program is linked with another ARMCI than this project's. */
#ifdef BENCHMARK_PEER
#define LIBRARY "the peer"
#else
#define LIBRARY "armci-rma"
#endif

struct job {
    int me;
    int processes;
    double mpi_us; /* that MPI_Init took */
};

static inline void fail(const char* what)
{
    fprintf(stderr, "benchmark: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* "--name NUMBER", or a word alone that says what to do. A list of them ends with one without a name. */
struct option {
    const char* name;
    double* number;
    double least, most; /* no bound: 0 */
    int* chosen;        /* of a word */
    int value;          /* that it gets then */
};

/* How many arguments it took; 0: it is none of these. */
static inline int read_option(int argc, char** argv, const struct option* options)
{
    for (; options->name != NULL; ++options) {
        if (strcmp(*argv, options->name) != 0)
            continue;
        if (options->number == NULL) {
            *options->chosen = options->value;
            return 1;
        }
        char* end = NULL;
        const double value = argc > 1 ? strtod(argv[1], &end) : 0;
        if (end == NULL || end == argv[1] || *end != '\0' || !(value >= options->least) ||
            (options->most > 0 && value > options->most))
            return 0;
        *options->number = value;
        return 2;
    }
    return 0;
}

/* MPI alone; with threads where the peer's progress thread is asked for. --seconds is always an option. */
static inline struct job start_job(int argc, char** argv, const struct option* options)
{
    static const struct option none = {0}, own[] = {{"--seconds", &budget, 1e-6, 60, NULL, 0}, {0}};
    const double begin = seconds();
#ifdef BENCHMARK_PEER
    const char* const thread = getenv("ARMCI_PROGRESS_THREAD");
    int granted;
    if (thread != NULL && strcmp(thread, "1") == 0)
        MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &granted);
    else
        MPI_Init(&argc, &argv);
#else
    MPI_Init(&argc, &argv);
#endif
    struct job job = {.mpi_us = 1e6 * (seconds() - begin)};
    MPI_Comm_rank(MPI_COMM_WORLD, &job.me);
    MPI_Comm_size(MPI_COMM_WORLD, &job.processes);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    options = options != NULL ? options : &none;
    for (int i = 1, took; i < argc; i += took) {
        took = read_option(argc - i, argv + i, own);
        took = took > 0 ? took : read_option(argc - i, argv + i, options);
        if (took > 0)
            continue;
        if (job.me == 0)
            fprintf(stderr, "usage: %s [--seconds S]", argv[0]);
        for (; job.me == 0 && options->name != NULL; ++options)
            fprintf(stderr, " [%s%s]", options->name, options->number != NULL ? " N" : "");
        if (job.me == 0)
            fprintf(stderr, "\n");
        MPI_Finalize();
        exit(2);
    }
    return job;
}

static inline void print_title(struct job job, const char* title, const char* on)
{
    if (job.me == 0)
        printf("%s, on %s, %d process%s\n", title, on, job.processes, job.processes > 1 ? "es" : "");
}

static inline struct job begin_job(int argc, char** argv, const char* title, const struct option* options)
{
    const struct job job = start_job(argc, argv, options);
    ARMCI_Init();
    print_title(job, title, LIBRARY);
    return job;
}

static inline void end_job(void)
{
    ARMCI_Finalize();
    MPI_Finalize();
}

/* By process 0. */
static inline void print_point(struct job job, const char* series, double x, double value, const char* unit)
{
    if (job.me == 0)
        print_row(series, x, value, unit);
}

static inline void* not_null(void* memory)
{
    if (memory == NULL)
        fail("no memory");
    return memory;
}

#define PAGE 4096

/* Whole ones: MPICH misplaces windows on memory that does not begin with a page. */
static inline void* untouched_pages(size_t bytes)
{
    return not_null(aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE));
}

static inline void* pages(size_t bytes)
{
    return memset(untouched_pages(bytes), 0, bytes);
}

/* Collective: `bytes` of global memory on each process, by process. */
static inline void** global_memory(struct job job, size_t bytes)
{
    void** bases = not_null(calloc((size_t)job.processes, sizeof *bases));
    if (ARMCI_Malloc(bases, (armci_size_t)bytes) != 0)
        fail("no global memory");
    return bases;
}

/* Collective: the same, touched and 0, for all to see. */
static inline void** zeroed_memory(struct job job, size_t bytes)
{
    void** const bases = global_memory(job, bytes);
    memset(bases[job.me], 0, bytes);
    ARMCI_Barrier();
    return bases;
}

static inline void free_global_memory(struct job job, void** bases)
{
    ARMCI_Free(bases[job.me]);
    free(bases);
}

/* Collective: the lowest process of each one's node. By names of hosts, as both libraries must do the same
 * work: the peer's ARMCI_Same_node says no to every other process, and so does MPICH 5's MPI_Comm_split_type
 * (docs/mpi-facts.md). */
static inline int* lowest_of_nodes(struct job job)
{
    typedef char host[MPI_MAX_PROCESSOR_NAME];
    host mine = "";
    host* const hosts = not_null(calloc((size_t)job.processes, sizeof *hosts));
    int* const all = not_null(malloc((size_t)job.processes * sizeof *all));
    int length;
    MPI_Get_processor_name(mine, &length);
    MPI_Allgather(mine, sizeof mine, MPI_CHAR, hosts, sizeof mine, MPI_CHAR, MPI_COMM_WORLD);
    for (int p = 0; p < job.processes; ++p)
        for (all[p] = 0; strcmp(hosts[all[p]], hosts[p]) != 0;)
            ++all[p];
    free(hosts);
    return all;
}

/* Collective. */
static inline int is_on_node_of(struct job job, int process)
{
    int* const lowest = lowest_of_nodes(job);
    const int same = lowest[job.me] == lowest[process];
    free(lowest);
    return same;
}

/* Collective. */
static inline int is_one_node(struct job job)
{
    int same = is_on_node_of(job, 0);
    MPI_Allreduce(MPI_IN_PLACE, &same, 1, MPI_INT, MPI_LAND, MPI_COMM_WORLD);
    return same;
}

/* Where a plain memcpy may write instead of a put to `target`: the same bytes where the library maps them
 * here; a peer need not, so there it is the caller's own slice. */
static inline int plain_copy_process(struct job job, int target)
{
#ifdef BENCHMARK_PEER
    (void)target;
    return job.me;
#else
    (void)job;
    return target;
#endif
}

/* What operations move between contiguous places. */
enum kind { PUT, GET, ACC, KINDS };
static const char* const kinds[] __attribute__((unused)) = {"put", "get", "acc"};

/* Complete for the caller: a fence makes it so at the target. */
static inline void transfer(enum kind kind, void* here, void* there, size_t bytes, double* scale, int target)
{
    if (kind == PUT)
        ARMCI_Put(here, there, (int)bytes, target);
    else if (kind == GET)
        ARMCI_Get(there, here, (int)bytes, target);
    else
        ARMCI_Acc(ARMCI_ACC_DBL, scale, here, there, (int)bytes, target);
}

static inline void transfer_fenced(enum kind kind, void* here, void* there, size_t bytes, double* scale,
                                   int target)
{
    transfer(kind, here, there, bytes, scale, target);
    if (kind != GET)
        ARMCI_Fence(target);
}

static inline void transfer_nonblocking(enum kind kind, void* here, void* there, size_t bytes, double* scale,
                                        int target, armci_hdl_t* handle)
{
    if (kind == PUT)
        ARMCI_NbPut(here, there, (int)bytes, target, handle);
    else if (kind == GET)
        ARMCI_NbGet(there, here, (int)bytes, target, handle);
    else
        ARMCI_NbAcc(ARMCI_ACC_DBL, scale, here, there, (int)bytes, target, handle);
}

/* One segment after the other here, as far apart again as they are long there. */
static inline void transfer_strided(enum kind kind, void* here, void* there, int segment, int segments,
                                    double* scale, int target)
{
    int packed[1] = {segment}, apart[1] = {2 * segment}, count[2] = {segment, segments};
    if (kind == PUT)
        ARMCI_PutS(here, packed, there, apart, count, 1, target);
    else if (kind == GET)
        ARMCI_GetS(there, apart, here, packed, count, 1, target);
    else
        ARMCI_AccS(ARMCI_ACC_DBL, scale, here, packed, there, apart, count, 1, target);
}

#endif
