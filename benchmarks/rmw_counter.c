/* A shared counter as task lists use it (NXTVAL): fetch-and-add of a long by one process and by all. Every
 * number must be drawn once. */
#include "measure.h"

#define DRAWS 20000

struct context {
    long* counter;
    int owner;
    long sum; /* of the numbers drawn */
};

static void draw(void* context, long repeats)
{
    struct context* c = context;
    long number;
    while (repeats-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, c->counter, 1, c->owner);
        c->sum += number;
    }
}

static void report(struct job job, void** bases, int owner, int all)
{
    struct context c = {bases[owner], owner, 0};
    const long drawn = all ? (long)DRAWS * job.processes : DRAWS;
    long sum;
    double took = 0, longest;
    memset(bases[job.me], 0, sizeof(long));
    ARMCI_Barrier();
    if (all || job.me == 0)
        took = time_of(draw, &c, DRAWS);
    ARMCI_Barrier();
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&c.sum, &sum, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (job.me != 0)
        return;
    if (sum != drawn * (drawn - 1) / 2)
        fail("a number was drawn twice or never");
    printf("%-16s counter on process %-4d %12.3f %14.2f\n", all ? "all processes" : "process 0", owner,
           1e6 * longest / DRAWS, 1e-6 * (double)drawn / longest);
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(&argc, &argv, "Shared counter");
    void** bases = global_memory(job, sizeof(long));
    if (job.me == 0)
        printf("%-16s %-23s %12s %14s\n", "", "", "us per draw", "million/s all");
    report(job, bases, 0, 0);
    report(job, bases, job.processes - 1, 0);
    report(job, bases, 0, 1);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
