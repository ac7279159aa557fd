/* Accumulates and read-modify-writes on the memory of process 0: by process 1, which lives on its node,
 * alone; and in turns with the last process, which does not, a barrier after each phase or both in one. */
#include "measure/job.h"

#define DOUBLES 8
#define WARM_EPOCHS 30
#define EPOCHS 150

struct context {
    double* sums;
    long* counter;
    double terms[512];
};

static void add(struct context* c, int doubles)
{
    double one = 1;
    ARMCI_Acc(ARMCI_ACC_DBL, &one, c->terms, c->sums, doubles * (int)sizeof(double), 0);
}

static void add_many(struct context* c, int doubles, long repeats)
{
    while (repeats-- > 0)
        add(c, doubles);
}

/* Each ends when the sums are there. */
static void add_64(void* context, long repeats)
{
    add_many(context, DOUBLES, repeats);
    ARMCI_Fence(0);
}

static void add_4096(void* context, long repeats)
{
    add_many(context, 512, repeats);
    ARMCI_Fence(0);
}

static void count(void* context, long repeats)
{
    struct context* c = context;
    long old;
    while (repeats-- > 0)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, c->counter, 1, 0);
}

static double longest(double took)
{
    double most;
    MPI_Allreduce(&took, &most, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return most;
}

/* Microseconds of one operation of process 1 while the others wait. */
static void alone(struct job job, const char* series, work what, struct context* c)
{
    const long repeats = 2000;
    double took = 0;
    ARMCI_Barrier();
    if (job.me == 1) {
        what(c, repeats / 10);
        took = time_of(what, c, repeats);
    }
    ARMCI_Barrier();
    print_point(job, series, 1, 1e6 * longest(took) / (double)repeats, "us");
}

/* Microseconds of one round: `near` accumulates of process 1, and `far` of the last one. */
static void in_turns(struct job job, struct context* c, long near, long far, int together)
{
    double times[2];
    for (int warm = 0; warm < 2; ++warm) {
        const int epochs = warm ? EPOCHS : WARM_EPOCHS;
        ARMCI_Barrier();
        const double begin = seconds();
        for (int i = 0; i < epochs; ++i) {
            if (job.me == 1)
                add_many(c, DOUBLES, near);
            if (!together)
                ARMCI_Barrier();
            if (job.me == job.processes - 1)
                add_many(c, DOUBLES, far);
            ARMCI_Barrier();
        }
        times[warm] = longest(seconds() - begin) / epochs;
    }
    if (job.me == 0)
        print_rowf((double)near, 1e6 * times[1], "us", "%s_%ld_far/round",
                   together ? "together_with" : "followed_by", far);
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(argc, argv, "Atomic operations", NULL);
    if (job.processes < 3)
        fail("three processes at least, the first two on one node");
    void** bases = zeroed_memory(job, 512 * sizeof(double));
    void** counters = zeroed_memory(job, sizeof(long));
    static struct context c;
    c.sums = bases[0];
    c.counter = counters[0];
    for (int i = 0; i < 512; ++i)
        c.terms[i] = 1;

    alone(job, "near_alone/acc_64B", add_64, &c);
    alone(job, "near_alone/acc_4096B", add_4096, &c);
    alone(job, "near_alone/fetch_and_add", count, &c);
    const long shares[][2] = {{0, 0}, {1, 1}, {3, 1}, {10, 1}, {100, 1}, {1, 10}, {10, 10}, {100, 10}};
    const int rows = (int)(sizeof shares / sizeof *shares);
    double wanted = 2 * 2200;
    for (int together = 0; together < 2; ++together)
        for (int i = 0; i < rows; ++i) {
            in_turns(job, &c, shares[i][0], shares[i][1], together);
            wanted += (double)((shares[i][0] + shares[i][1]) * (EPOCHS + WARM_EPOCHS));
        }
    double sum;
    ARMCI_Get(c.sums, &sum, sizeof sum, 0);
    if (sum != wanted)
        fail("a sum is wrong");
    ARMCI_Barrier();
    free_global_memory(job, counters);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
