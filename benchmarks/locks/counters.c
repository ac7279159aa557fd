/* What several processes want to change at once: sums, by accumulates of doubles with a scale, or a counter,
 * as task lists use it (NXTVAL), by fetch-and-add. Nothing may get lost, and no number be drawn twice.
 *
 *     counters sums|counter [--seconds S, for each row: 0.08]
 *
 * Rows, by number of processes, are microseconds that a process takes for one while it is alone or all are at
 * it; all of them together are as many times faster as they are. */
#include "measure/job.h"

#define LARGEST (29 << 10) /* what profiled NWChem runs accumulate on average */
#define SEGMENT 464        /* bytes of strided ones */

struct context {
    struct job job;
    int target;
    void* from;
    void* to;
    size_t bytes;
    int segments; /* 0: contiguous */
    double scale;
    long done;
    long sum; /* of the numbers drawn */
};

static void accumulate(void* context, long repeats)
{
    struct context* const c = context;
    c->done += repeats;
    while (repeats-- > 0)
        if (c->segments > 0)
            transfer_strided(ACC, c->from, c->to, SEGMENT, c->segments, &c->scale, c->target);
        else
            transfer(ACC, c->from, c->to, c->bytes, &c->scale, c->target);
}

static void draw(void* context, long repeats)
{
    struct context* const c = context;
    long number;
    c->done += repeats;
    while (repeats-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, c->to, 1, c->target);
        c->sum += number;
    }
}

/* Collective: `batch` of them between two looks at the clock. */
static void report(struct context* c, const char* series, work what, long batch, int all)
{
    double took = 0, longest;
    long timed, sum;
    c->done = c->sum = 0;
    ARMCI_Barrier();
    if (all || c->job.me == 0) {
        what(c, batch); /* connects, and touches pages */
        ARMCI_Fence(c->target);
        const double begin = seconds();
        do
            what(c, batch);
        while (seconds() - begin < budget);
        ARMCI_Fence(c->target); /* an accumulate is done when it is there */
        took = seconds() - begin;
    }
    ARMCI_Barrier();
    timed = c->done > 0 ? c->done - batch : 0;
    MPI_Reduce(&timed, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    print_point(c->job, series, c->job.processes, 1e6 * longest * (all ? c->job.processes : 1) / (double)sum,
                "us");
}

static void report_sums(struct context* c, const char* panel, size_t bytes, int segments)
{
    static const char* const ways[] = {"one_process", "all_into_one_place", "all_into_own_places"};
    const size_t span = segments > 0 ? 2 * bytes : bytes;
    c->bytes = bytes;
    c->segments = segments;
    for (int way = 0; way < 3; ++way) {
        void** const bases = zeroed_memory(c->job, span * (size_t)c->job.processes);
        char series[64];
        double sum;
        c->to = (char*)bases[c->target] + (way == 2 ? (size_t)c->job.me * span : 0);
        snprintf(series, sizeof series, "%s/%s", panel, ways[way]);
        report(c, series, accumulate, bytes < 1024 ? 200 : 20, way > 0);
        long added = c->done;
        if (way < 2)
            MPI_Allreduce(MPI_IN_PLACE, &added, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        ARMCI_Get(c->to, &sum, sizeof sum, c->target);
        if (sum != c->scale * (double)added)
            fail("an accumulate got lost");
        ARMCI_Barrier();
        free_global_memory(c->job, bases);
    }
}

static void report_counter(struct context* c, const char* series, int owner, int all)
{
    void** const bases = zeroed_memory(c->job, sizeof(long));
    long last;
    c->target = owner;
    c->to = bases[owner];
    report(c, series, draw, 64, all);
    long drawn[2] = {c->done, c->sum};
    MPI_Allreduce(MPI_IN_PLACE, drawn, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    ARMCI_Get(c->to, &last, sizeof last, owner);
    if (last != drawn[0] || drawn[1] != drawn[0] * (drawn[0] - 1) / 2)
        fail("a number was drawn twice or never");
    ARMCI_Barrier();
    free_global_memory(c->job, bases);
}

int main(int argc, char** argv)
{
    int sums = 0, counter = 0;
    const struct option options[] = {
        {"sums", NULL, 0, 0, &sums, 1}, {"counter", NULL, 0, 0, &counter, 1}, {0}};
    struct context c = {.job = begin_job(argc, argv, "Sums and a counter", options), .scale = 0.5};
    const int last = c.target = c.job.processes - 1;
    c.from = pages(LARGEST);
    for (size_t i = 0; i < LARGEST / sizeof(double); ++i)
        ((double*)c.from)[i] = 1;
    if (sums) {
        report_sums(&c, "64_B", 64, 0);
        report_sums(&c, "29_KiB", LARGEST, 0);
        report_sums(&c, "464_B_strided", SEGMENT, 1);
        report_sums(&c, "29_KiB_strided_by_464_B", LARGEST / SEGMENT * SEGMENT, LARGEST / SEGMENT);
    }
    if (counter) {
        report_counter(&c, "one/its_own", 0, 0);
        report_counter(&c, "one/of_the_last", last, 0);
        report_counter(&c, "all/of_the_first", 0, 1);
    }
    free(c.from);
    end_job();
    return 0;
}
