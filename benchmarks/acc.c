/* Accumulate of doubles with a scale: one process alone, all into one place, all into places of their own;
 * the sums are checked. Rows, by number of processes, are microseconds that a process
 * takes for one; all of them together add as many times faster as they are.
 *
 *     acc [--seconds S, for each row: 0.08] */
#include "bounded.h"
#include "rows.h"

#define LARGEST (29 << 10) /* what profiled NWChem runs accumulate on average */
#define STRIDE 1024        /* bytes between strided segments */
#define SEGMENT 464

struct context {
    struct job job;
    int target;
    double* from;
    char* to;
    int bytes;
    int strided;
    double scale;
    long done;
};

static void accumulate(void* context, long repeats)
{
    struct context* c = context;
    c->done += repeats;
    if (c->strided) {
        int stride = STRIDE;
        int count[2] = {SEGMENT, c->bytes / SEGMENT};
        while (repeats-- > 0)
            ARMCI_AccS(ARMCI_ACC_DBL, &c->scale, c->from, &stride, c->to, &stride, count, 1, c->target);
    } else {
        while (repeats-- > 0)
            ARMCI_Acc(ARMCI_ACC_DBL, &c->scale, c->from, c->to, c->bytes, c->target);
    }
}

static void report(struct context* c, const char* panel, int bytes, int strided)
{
    static const char* const ways[] = {"one_process", "all_into_one_place", "all_into_own_places"};
    const int span = strided ? bytes / SEGMENT * STRIDE : bytes;
    const long repeats = bytes < 1024 ? 200 : 20;
    void** bases = global_memory(c->job, (size_t)span * (size_t)c->job.processes);
    c->bytes = bytes;
    c->strided = strided;
    for (int way = 0; way < 3; ++way) {
        const int takes_part = way > 0 || c->job.me == 0;
        double took = 0, longest;
        memset(bases[c->job.me], 0, (size_t)span * (size_t)c->job.processes);
        c->to = (char*)bases[c->target] + (way == 2 ? c->job.me * span : 0);
        c->done = 0;
        ARMCI_Barrier();
        if (takes_part) {
            accumulate(c, repeats); /* connects, and touches pages */
            const double begin = seconds();
            do
                accumulate(c, repeats);
            while ((took = seconds() - begin) < budget);
        }
        ARMCI_Barrier();
        long timed = takes_part ? c->done - repeats : 0, all;
        MPI_Reduce(&timed, &all, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
        MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
        long added = c->done;
        if (way == 1)
            MPI_Allreduce(&c->done, &added, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        double sum;
        ARMCI_Get(c->to, &sum, sizeof sum, c->target);
        if (takes_part && sum != c->scale * (double)added)
            fail("an accumulate got lost");
        ARMCI_Barrier();
        if (c->job.me == 0) {
            char series[64];
            snprintf(series, sizeof series, "%s/%s", panel, ways[way]);
            print_row(series, c->job.processes,
                      1e6 * longest * (way == 0 ? 1 : c->job.processes) / (double)all, "us");
        }
    }
    free_global_memory(c->job, bases);
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--seconds") == 0)
        budget = atof(argv[2]);
    else if (argc > 1)
        budget = 0;
    if (budget <= 0) {
        fprintf(stderr, "usage: acc [--seconds S]\n");
        return 2;
    }
    struct context c = {.job = begin_job(&argc, &argv, "Accumulate of doubles"), .scale = 0.5};
    c.target = c.job.processes - 1;
    c.from = malloc(LARGEST / SEGMENT * STRIDE);
    if (c.from == NULL)
        fail("no memory");
    for (size_t i = 0; i < LARGEST / SEGMENT * STRIDE / sizeof(double); ++i)
        c.from[i] = 1;
    report(&c, "64_B", 64, 0);
    report(&c, "29_KiB", LARGEST, 0);
    report(&c, "464_B_strided", SEGMENT, 1);
    report(&c, "29_KiB_strided_by_464_B", LARGEST / SEGMENT * SEGMENT, 1);
    free(c.from);
    end_job();
    return 0;
}
