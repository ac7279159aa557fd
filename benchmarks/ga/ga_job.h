/* A job on Global Arrays: start, end, options, and arrays whose values are known. */
#ifndef ARMCI_BENCHMARKS_GA_JOB_H_
#define ARMCI_BENCHMARKS_GA_JOB_H_

#include "measure/job.h"

#include <ga.h>
#include <macdecls.h>

static inline struct job begin_ga_job(int argc, char** argv, const char* title)
{
    const struct job job = start_job(argc, argv, NULL);
    GA_Initialize();
    /* Some operations of Global Arrays take their work space from its own allocator. */
    if (!MA_init(C_DBL, 1000000, 1000000))
        fail("MA_init failed");
    print_title(job, title, "Global Arrays on " LIBRARY);
    return job;
}

static inline void end_ga_job(void)
{
    GA_Terminate();
    MPI_Finalize();
}

/* An array of doubles; with `chunk` no process has fewer rows and columns than that. Collective. */
static inline int create_doubles(int rows, int columns, int* chunk)
{
    int dims[2] = {rows, columns};
    char name[] = "doubles";
    const int array = NGA_Create(C_DBL, 2, dims, name, chunk);
    if (array == 0)
        fail("no array");
    return array;
}

/* A process's own part of an array, in place. */
struct part {
    double* first;
    int lo[2], hi[2]; /* lo > hi: the process has none */
    int step;         /* from row to row */
};

static inline struct part open_part(int array)
{
    struct part part = {NULL, {0, 0}, {-1, -1}, 0};
    NGA_Distribution(array, GA_Nodeid(), part.lo, part.hi);
    if (part.lo[0] < 0 || part.lo[0] > part.hi[0] || part.lo[1] > part.hi[1])
        part.hi[0] = part.lo[0] - 1;
    else
        NGA_Access(array, part.lo, part.hi, &part.first, &part.step);
    return part;
}

static inline double* part_row(const struct part* part, int row)
{
    return part->first + (size_t)(row - part->lo[0]) * (size_t)part->step;
}

static inline void close_part(int array, struct part* part)
{
    if (part->first != NULL)
        NGA_Release_update(array, part->lo, part->hi);
}

/* Whole numbers, so that sums of few of them are exact. */
typedef double (*element)(int row, int column, const void* context);

/* Collective; each process fills what it owns. */
static inline void fill_array(int array, element value, const void* context)
{
    GA_Sync();
    struct part part = open_part(array);
    for (int i = part.lo[0]; i <= part.hi[0]; ++i)
        for (int j = part.lo[1]; j <= part.hi[1]; ++j)
            part_row(&part, i)[j - part.lo[1]] = value(i, j, context);
    close_part(array, &part);
    GA_Sync();
}

/* Collective; each process looks at what it owns, without a transfer. */
static inline void check_array(int array, element value, const void* context, const char* wrong)
{
    GA_Sync();
    struct part part = open_part(array);
    for (int i = part.lo[0]; i <= part.hi[0]; ++i)
        for (int j = part.lo[1]; j <= part.hi[1]; ++j)
            if (part_row(&part, i)[j - part.lo[1]] != value(i, j, context))
                fail(wrong);
    close_part(array, &part);
    GA_Sync();
}

#endif
