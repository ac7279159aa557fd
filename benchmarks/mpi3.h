/* What the programs for paper 000, on MPI-3 one-sided communication, share: options, windows of MPI itself as
 * the bound, and times of what all processes do together.
 *
 * BENCHMARK_MPI=<create|allocate|dynamic> in the environment asks for the rows of MPI itself, on windows of
 * that flavour, in place of ARMCI's. */
#ifndef ARMCI_BENCHMARKS_MPI3_H_
#define ARMCI_BENCHMARKS_MPI3_H_

#include "bounded.h"
#include "rows.h"

struct number_option {
    const char* name; /* "--seconds" */
    double* value;
    double least;
};

static inline void end_wrong_use(struct job job, const char* usage)
{
    if (job.me == 0)
        fprintf(stderr, "usage: %s\n", usage);
    end_job();
    exit(2);
}

/* Collective, of options that each have a number; --seconds is always one. */
static inline void read_options(struct job job, int argc, char** argv, const struct number_option* options,
                                int count, const char* usage)
{
    const struct number_option own = {"--seconds", &budget, 0};
    for (int i = 0; i < argc; i += 2) {
        const struct number_option* found = strcmp(argv[i], own.name) == 0 ? &own : NULL;
        for (int o = 0; o < count && found == NULL; ++o)
            if (strcmp(argv[i], options[o].name) == 0)
                found = &options[o];
        char* end = NULL;
        const double value = found != NULL && i + 1 < argc ? strtod(argv[i + 1], &end) : 0;
        if (end == NULL || *end != '\0' || end == argv[i + 1] || !(value >= found->least))
            end_wrong_use(job, usage);
        *found->value = value;
    }
}

/* Which of `choices` the first argument is, which is taken away then; the first one where it is none. */
static inline int choose(int* argc, char*** argv, const char* const* choices, int count)
{
    for (int i = 0; i<count&& * argc> 0; ++i)
        if (strcmp(**argv, choices[i]) == 0) {
            --*argc;
            ++*argv;
            return i;
        }
    return 0;
}

/* NULL: ARMCI's rows are wanted. */
static inline const char* flavour_of_mpi(struct job job)
{
    const char* const flavour = getenv("BENCHMARK_MPI");
    if (flavour == NULL || *flavour == '\0')
        return NULL;
    if (strcmp(flavour, "create") != 0 && strcmp(flavour, "allocate") != 0 && strcmp(flavour, "dynamic") != 0)
        end_wrong_use(job, "BENCHMARK_MPI is create, allocate or dynamic");
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

/* A window of MPI: `bytes` of each process. */
struct window {
    MPI_Win handle;
    char* mine;
    MPI_Aint* at; /* by process: where its bytes begin */
    int is_dynamic;
    int is_allocated;
};

#define PAGE 4096 /* MPICH misplaces windows on memory that does not begin with a page */

static inline void* pages(size_t bytes)
{
    void* const memory = aligned_alloc(PAGE, (bytes + PAGE - 1) / PAGE * PAGE);
    if (memory == NULL)
        fail("no memory");
    return memory;
}

/* Collective. */
static inline struct window open_window(struct job job, size_t bytes, const char* flavour)
{
    struct window w = {.at = calloc((size_t)job.processes, sizeof *w.at)};
    w.is_dynamic = strcmp(flavour, "dynamic") == 0;
    w.is_allocated = strcmp(flavour, "allocate") == 0;
    if (w.at == NULL)
        fail("no memory");
    if (w.is_allocated) {
        MPI_Win_allocate((MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.mine, &w.handle);
        return w;
    }
    w.mine = pages(bytes);
    if (!w.is_dynamic) {
        MPI_Win_create(w.mine, (MPI_Aint)bytes, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &w.handle);
        return w;
    }
    MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &w.handle);
    MPI_Win_attach(w.handle, w.mine, (MPI_Aint)bytes);
    MPI_Aint mine;
    MPI_Get_address(w.mine, &mine);
    MPI_Allgather(&mine, 1, MPI_AINT, w.at, 1, MPI_AINT, MPI_COMM_WORLD);
    return w;
}

/* Collective; no epoch is open. */
static inline void close_window(struct window* w)
{
    MPI_Barrier(MPI_COMM_WORLD);
    if (w->is_dynamic)
        MPI_Win_detach(w->handle, w->mine);
    MPI_Win_free(&w->handle);
    if (!w->is_allocated)
        free(w->mine);
    free(w->at);
}

/* Collective. Microseconds of the slowest process, the median of batches. */
static inline double measure_together(timed_batch batch, void* context)
{
    double us[MOST_BATCHES];
    int batches = 0, more = 1;
    batch(context);
    const double begin = seconds();
    while (more) {
        MPI_Barrier(MPI_COMM_WORLD);
        const double mine = batch(context);
        MPI_Allreduce(&mine, &us[batches++], 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        more = batches < MOST_BATCHES && (batches < LEAST_BATCHES || seconds() - begin < budget);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    return median(us, batches);
}

/* Of a batch: few where they are large, or where each costs a time slice because others use the cores. */
static inline long repeats_that_fit(work what, void* context, long most)
{
    what(context, 1);
    const double count = budget / 8 / time_of(what, context, 1);
    return count < 1 ? 1 : count > (double)most ? most : (long)count;
}

#endif
