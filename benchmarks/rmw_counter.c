/* A shared counter as task lists use it (NXTVAL): fetch-and-add of a long by process 0 while the others wait
 * in a barrier, and by all. Every number must be drawn once. Rows, by number of processes, are microseconds
 * that a process takes for a number; all of them together draw as many times faster as they are.
 *
 *     rmw_counter [--seconds S, for each row: 0.08] */
#include "bounded.h"
#include "rows.h"

#define DRAWS 64 /* between two looks at the clock */

struct context {
    long* counter;
    int owner;
    long drawn;
    long sum; /* of the numbers drawn */
};

static void draw(void* context, long repeats)
{
    struct context* c = context;
    long number;
    c->drawn += repeats;
    while (repeats-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &number, c->counter, 1, c->owner);
        c->sum += number;
    }
}

static void report(struct job job, void** bases, const char* line, int owner, int all)
{
    struct context c = {bases[owner], owner, 0, 0};
    double took = 0, longest;
    long mine[3], sums[3], last; /* drawn, the numbers' sum, drawn in the time */
    ARMCI_Barrier();
    memset(bases[job.me], 0, sizeof(long));
    ARMCI_Barrier();
    if (all || job.me == 0) {
        draw(&c, DRAWS); /* connects */
        const double begin = seconds();
        do
            draw(&c, DRAWS);
        while ((took = seconds() - begin) < budget);
    }
    ARMCI_Barrier();
    mine[0] = c.drawn;
    mine[1] = c.sum;
    mine[2] = took > 0 ? c.drawn - DRAWS : 0;
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(mine, sums, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (job.me != 0)
        return;
    const long drawn = sums[0];
    ARMCI_Get(c.counter, &last, sizeof last, owner);
    if (last != drawn || sums[1] != drawn * (drawn - 1) / 2)
        fail("a number was drawn twice or never");
    print_row(line, job.processes, 1e6 * longest * (all ? job.processes : 1) / (double)sums[2], "us");
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--seconds") == 0)
        budget = atof(argv[2]);
    else if (argc > 1)
        budget = 0;
    if (budget <= 0) {
        fprintf(stderr, "usage: rmw_counter [--seconds S]\n");
        return 2;
    }
    const struct job job = begin_job(&argc, &argv, "Shared counter");
    void** bases = global_memory(job, sizeof(long));
    report(job, bases, "one/its_own", 0, 0);
    report(job, bases, "one/of_the_last", job.processes - 1, 0);
    report(job, bases, "all/of_the_first", 0, 1);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
