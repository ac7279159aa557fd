/* Timing for the benchmarks: short batches, medians, and comparisons that stand a noisy machine. */
#ifndef ARMCI_BENCHMARKS_MEASURE_H_
#define ARMCI_BENCHMARKS_MEASURE_H_

#include <mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "armci.h"

/* BENCHMARK_PEER is defined when the program is linked with another ARMCI than this project's. */
#ifdef BENCHMARK_PEER
#define LIBRARY "the peer"
#else
#define LIBRARY "armci-rma"
#endif

/* A call that the compiler can neither inline nor see through. */
static void* (*volatile out_of_line_memcpy)(void*, const void*, size_t) = memcpy;

static inline double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Does something `repeats` times. */
typedef void (*work)(void* context, long repeats);

static inline double time_of(work what, void* context, long repeats)
{
    const double begin = seconds();
    what(context, repeats);
    return seconds() - begin;
}

/* Much shorter than a time slice, so that most batches run undisturbed; much longer than reading the clock.
 */
#define BATCH_SECONDS 20e-6

/* Of several tries the fastest counts: a first call that faults pages in, or one interruption, must not end
 * the search at a batch so short that reading the clock is what is measured. */
static inline double fastest_time_of(work what, void* context, long repeats)
{
    double fastest = time_of(what, context, repeats);
    for (int i = 0; i < 4; ++i) {
        const double time = time_of(what, context, repeats);
        if (time < fastest)
            fastest = time;
    }
    return fastest;
}

static inline long repeats_per_batch(work what, void* context)
{
    long repeats = 1;
    while (fastest_time_of(what, context, repeats) < BATCH_SECONDS && repeats < 1000000)
        repeats *= 2;
    return repeats;
}

static inline int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static inline double median(double* values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* The order of ways in a round: nobody always follows the same one, whose traces in caches it would find. */
static inline void shuffle(int* order, int count)
{
    static unsigned seed = 1;
    for (int i = count; i-- > 1;) {
        const int other = (int)(rand_r(&seed) % (unsigned)(i + 1)), moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

#define ROUNDS 1401

/* Nanoseconds per repeat, the median of many batches. */
static inline double measure(work what, void* context)
{
    static double ns[ROUNDS];
    const long repeats = repeats_per_batch(what, context);
    for (int i = 0; i < ROUNDS; ++i)
        ns[i] = 1e9 * time_of(what, context, repeats) / (double)repeats;
    return median(ns, ROUNDS);
}

struct comparison {
    double ns;
    double reference_ns;
    double ratio; /* the median of ratios of neighbouring batches: what slows a moment slows both */
};

static inline struct comparison compare(work what, void* context, work reference, void* reference_context)
{
    static double ns[ROUNDS], reference_ns[ROUNDS], ratio[ROUNDS];
    const long repeats = repeats_per_batch(what, context);
    const long reference_repeats = repeats_per_batch(reference, reference_context);
    for (int i = 0; i < ROUNDS; ++i) {
        ns[i] = 1e9 * time_of(what, context, repeats) / (double)repeats;
        reference_ns[i] =
            1e9 * time_of(reference, reference_context, reference_repeats) / (double)reference_repeats;
        ratio[i] = ns[i] / reference_ns[i];
    }
    const struct comparison result = {median(ns, ROUNDS), median(reference_ns, ROUNDS),
                                      median(ratio, ROUNDS)};
    return result;
}

struct job {
    int me;
    int processes;
};

/* MPI alone; with threads where a progress thread is asked for, this library's or the peer's. */
static inline struct job start_job(int* argc, char*** argv)
{
    const char* const thread = getenv("ARMCI_PROGRESS_THREAD");
    int granted;
    if (thread != NULL && strcmp(thread, "1") == 0)
        MPI_Init_thread(argc, argv, MPI_THREAD_MULTIPLE, &granted);
    else
        MPI_Init(argc, argv);
    struct job job;
    MPI_Comm_rank(MPI_COMM_WORLD, &job.me);
    MPI_Comm_size(MPI_COMM_WORLD, &job.processes);
    setvbuf(stdout, NULL, _IOLBF, BUFSIZ);
    return job;
}

static inline struct job begin_job(int* argc, char*** argv, const char* title)
{
    const struct job job = start_job(argc, argv);
    ARMCI_Init();
    if (job.me == 0)
        printf("%s, on %s, %d process%s\n", title, LIBRARY, job.processes, job.processes > 1 ? "es" : "");
    return job;
}

static inline void end_job(void)
{
    ARMCI_Finalize();
    MPI_Finalize();
}

static inline void fail(const char* what)
{
    fprintf(stderr, "benchmark: %s\n", what);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* Collective: `bytes` of global memory on each process, by process. */
static inline void** global_memory(struct job job, size_t bytes)
{
    void** bases = calloc((size_t)job.processes, sizeof *bases);
    if (bases == NULL || ARMCI_Malloc(bases, (armci_size_t)bytes) != 0)
        fail("no global memory");
    return bases;
}

static inline void free_global_memory(struct job job, void** bases)
{
    ARMCI_Free(bases[job.me]);
    free(bases);
}

/* Collective. By MPI, as the peer's ARMCI_Same_node says no to every other process, and both libraries must
 * do the same work. */
static inline int is_one_node(struct job job)
{
    MPI_Comm node;
    int processes;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &processes);
    MPI_Comm_free(&node);
    return processes == job.processes;
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

#endif
