/* Barriers and fences, with nothing pending and after a put; or with one region of many written to.
 *
 *     fences [--seconds S]                            by number of processes, all of which take part
 *     fences regions [--most COUNT] [--seconds S]     by number of regions, one of which is dirty
 *     fences scale [--seconds S]                      the constants of tools/scale_model
 *
 * With regions, process 0 writes to the last one's memory and fences while the others wait; barriers are of
 * all. */
#include <malloc.h>

#include "network/scale.h"

#define REPEATS 20
#define FEW 4
#define MOST_REPEATS 32
#define SCATTER 377

/* Of the peer each region is a window, which takes MPICH tens of milliseconds to make on several hosts. */
#ifdef BENCHMARK_PEER
#define MOST_REGIONS 100
#else
#define MOST_REGIONS 1000
#endif

struct regions {
    struct job job;
    int target;
    long count;
    void*** bases; /* by region, by process */
    long written;  /* so many puts so far; the i-th carries the number i */
};

static void put_number(struct regions* r, long region, int target)
{
    long number = ++r->written;
    ARMCI_Put(&number, r->bases[region][target], sizeof number, target);
}

static long read_number(const struct regions* r, long region, int target)
{
    long number;
    ARMCI_Get(r->bases[region][target], &number, sizeof number, target);
    return number;
}

static void barrier(void* regions, long repeats)
{
    (void)regions;
    while (repeats-- > 0)
        ARMCI_Barrier();
}

static void message_barrier(void* regions, long repeats)
{
    (void)regions;
    while (repeats-- > 0)
        armci_msg_barrier();
}

static void mpi_barrier(void* regions, long repeats)
{
    (void)regions;
    while (repeats-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void fence(void* regions, long repeats)
{
    const struct regions* const r = regions;
    while (repeats-- > 0)
        ARMCI_Fence(r->target);
}

static void all_fence(void* regions, long repeats)
{
    (void)regions;
    while (repeats-- > 0)
        ARMCI_AllFence();
}

/* A put, and then what completes it. */
static void put_and(struct regions* r, work complete, long repeats)
{
    while (repeats-- > 0) {
        put_number(r, r->count / 2, r->target);
        complete(r, 1);
    }
}

static void put_fence(void* regions, long repeats)
{
    put_and(regions, fence, repeats);
}

static void put_all_fence(void* regions, long repeats)
{
    put_and(regions, all_fence, repeats);
}

static void put_barrier(void* regions, long repeats)
{
    put_and(regions, barrier, repeats);
}

static void put_to_all_and(struct regions* r, work complete, long repeats)
{
    for (; repeats > 0; --repeats) {
        for (int i = 1; i < r->job.processes; ++i)
            put_number(r, 0, (r->job.me + i) % r->job.processes);
        complete(r, 1);
    }
}

static void puts_barrier(void* regions, long repeats)
{
    put_to_all_and(regions, barrier, repeats);
}

static void puts_all_fence(void* regions, long repeats)
{
    put_to_all_and(regions, all_fence, repeats);
}

/* Another region each time. */
static void put_elsewhere_fence(void* regions, long repeats)
{
    struct regions* const r = regions;
    for (long i = 0; i < repeats; ++i) {
        put_number(r, i * SCATTER % r->count, r->target);
        ARMCI_Fence(r->target);
    }
}

/* All take part; process 0 writes. */
static void one_puts_barrier(void* regions, long repeats)
{
    struct regions* const r = regions;
    if (r->job.me == 0)
        put_barrier(r, repeats);
    else
        barrier(r, repeats);
}

struct measured {
    const char* series;
    work what;
    int all; /* take part */
};

static const struct measured by_processes[] = {{"barrier/ARMCI_Barrier", barrier, 1},
                                               {"barrier/armci_msg_barrier", message_barrier, 1},
                                               {"barrier/MPI_Barrier", mpi_barrier, 1},
                                               {"put_to_a_neighbour/ARMCI_Barrier", put_barrier, 1},
                                               {"put_to_a_neighbour/ARMCI_Fence", put_fence, 1},
                                               {"put_to_all/ARMCI_Barrier", puts_barrier, 1},
                                               {"put_to_all/ARMCI_AllFence", puts_all_fence, 1},
                                               {"nothing_pending/ARMCI_AllFence", all_fence, 1}};
static const struct measured by_regions[] = {{"fence/nothing_pending", fence, 0},
                                             {"all_fence/nothing_pending", all_fence, 0},
                                             {"fence/put_before", put_fence, 0},
                                             {"all_fence/put_before", put_all_fence, 0},
                                             {"fence/put_elsewhere_before", put_elsewhere_fence, 0},
                                             {"barrier/put_before", one_puts_barrier, 1},
                                             {"barrier/nothing_pending", barrier, 1}};

static void report(struct regions* r, const struct measured* m, double x, long repeats)
{
    if (m->all)
        print_point(r->job, m->series, x, measure_work_together(m->what, r, repeats).us, "us");
    else if (r->job.me == 0)
        print_row(m->series, x,
                  measure_bounded(m->what, NULL, r, repeats_that_fit(m->what, r, MOST_REPEATS)).us, "us");
    ARMCI_Barrier();
}

/* Off the clock: what was put before a barrier, or before a fence and a message, is there. */
static void verify_neighbours(struct regions* r)
{
    const int me = r->job.me, before = (me + r->job.processes - 1) % r->job.processes;
    for (int fenced = 0; fenced < 2; ++fenced) {
        r->written = 2 * me + fenced;
        (fenced ? put_fence : put_barrier)(r, 1);
        MPI_Barrier(MPI_COMM_WORLD);
        if (read_number(r, 0, me) != 2 * before + fenced + 1)
            fail("a put was not there");
        ARMCI_Barrier();
    }
}

/* Process 0 writes to each region and reads it back, so that each has been dirty before. */
static void touch_all(struct regions* r)
{
    const long first = r->written + 1;
    for (long i = 0; i < r->count; ++i)
        put_number(r, i, r->target);
    ARMCI_Fence(r->target);
    for (long i = 0; i < r->count; ++i)
        if (read_number(r, i, r->target) != first + i)
            fail("a region holds a wrong number");
}

static void verify_last(struct regions* r)
{
    put_number(r, r->count / 2, r->target);
    if (read_number(r, r->count / 2, r->target) != r->written)
        fail("the last number did not arrive");
}

static void report_by_regions(struct regions* r, long most)
{
    for (long count = 1; count <= most; count *= 10) {
        while (r->count < count)
            r->bases[r->count++] = zeroed_memory(r->job, PAGE);
        if (r->job.me == 0)
            touch_all(r);
        ARMCI_Barrier();
        for (size_t i = 0; i < sizeof by_regions / sizeof *by_regions; ++i)
            report(r, &by_regions[i], (double)count, FEW);
        if (r->job.me == 0)
            verify_last(r);
        ARMCI_Barrier();
    }
}

static double heap_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static struct start_cost start_library(struct job job)
{
    struct start_cost cost = {.mpi_us = job.mpi_us, .heap = heap_bytes()};
    MPI_Barrier(MPI_COMM_WORLD);
    const double begin = seconds();
    ARMCI_Init();
    cost.library_us = 1e6 * (seconds() - begin);
    cost.heap = heap_bytes() - cost.heap;
    return cost;
}

int main(int argc, char** argv)
{
    enum { PROCESSES, REGIONS, SCALE };
    int by = PROCESSES;
    double most = MOST_REGIONS;
    const struct option options[] = {{"regions", NULL, 0, 0, &by, REGIONS},
                                     {"scale", NULL, 0, 0, &by, SCALE},
                                     {"--most", &most, 1, 1e6, NULL, 0},
                                     {0}};
    const struct job job = start_job(argc, argv, options);
    const struct start_cost start = start_library(job);
    print_title(job, "Barriers and fences", LIBRARY);
    if (by == SCALE) {
        report_scale(job, start);
        end_job();
        return 0;
    }
    const int regions = by == REGIONS;
    struct regions r = {.job = job, .count = 1};
    r.bases = not_null(calloc((size_t)most, sizeof *r.bases));
    r.bases[0] = zeroed_memory(r.job, PAGE);
    r.target = regions ? r.job.processes - 1 : (r.job.me + 1) % r.job.processes;
    if (regions) {
        report_by_regions(&r, (long)most);
    } else {
        verify_neighbours(&r);
        for (size_t i = 0; i < sizeof by_processes / sizeof *by_processes; ++i)
            report(&r, &by_processes[i], r.job.processes, REPEATS);
    }
    while (r.count > 0)
        free_global_memory(r.job, r.bases[--r.count]);
    free(r.bases);
    end_job();
    return 0;
}
