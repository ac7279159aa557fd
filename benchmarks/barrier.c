/* Barriers and fences, with nothing pending and after a put. All processes take part. Rows are microseconds
 * by number of processes.
 *
 *     barrier [--seconds S, for each row: 0.08] */
#include "bounded.h"
#include "rows.h"

struct context {
    struct job job;
    void** bases;
    double value;
};

static void barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_Barrier();
}

static void message_barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        armci_msg_barrier();
}

static void mpi_barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        MPI_Barrier(MPI_COMM_WORLD);
}

static void barrier_after_put(void* context, long repeats)
{
    struct context* c = context;
    const int next = (c->job.me + 1) % c->job.processes;
    while (repeats-- > 0) {
        ARMCI_Put(&c->value, c->bases[next], sizeof c->value, next);
        ARMCI_Barrier();
    }
}

static void fence_after_put(void* context, long repeats)
{
    struct context* c = context;
    const int next = (c->job.me + 1) % c->job.processes;
    while (repeats-- > 0) {
        ARMCI_Put(&c->value, c->bases[next], sizeof c->value, next);
        ARMCI_Fence(next);
    }
}

static void put_to_all(struct context* c)
{
    for (int i = 1; i < c->job.processes; ++i) {
        const int other = (c->job.me + i) % c->job.processes;
        ARMCI_Put(&c->value, c->bases[other], sizeof c->value, other);
    }
}

static void barrier_after_puts(void* context, long repeats)
{
    while (repeats-- > 0) {
        put_to_all(context);
        ARMCI_Barrier();
    }
}

static void fence_after_puts(void* context, long repeats)
{
    while (repeats-- > 0) {
        put_to_all(context);
        ARMCI_AllFence();
    }
}

static void all_fence(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_AllFence();
}

/* The number of calls must be the same on all, so process 0 says when it is enough. */
static void report(struct context* c, const char* series, work what)
{
    enum { repeats = 20 };
    double us[MOST_BATCHES];
    int batches = 0, more = 1;
    what(c, repeats);
    const double begin = seconds();
    while (more) {
        MPI_Barrier(MPI_COMM_WORLD);
        us[batches++] = 1e6 * time_of(what, c, repeats) / repeats;
        more = batches < MOST_BATCHES && (batches < LEAST_BATCHES || seconds() - begin < budget);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    if (c->job.me == 0)
        print_row(series, c->job.processes, median(us, batches), "us");
}

/* Off the clock: what was put before a barrier, or before a fence and a message, is there. */
static void verify(struct context* c)
{
    const int me = c->job.me, processes = c->job.processes, next = (me + 1) % processes;
    for (int fenced = 0; fenced < 2; ++fenced) {
        c->value = me + 1 + fenced * processes;
        ARMCI_Put(&c->value, c->bases[next], sizeof c->value, next);
        if (fenced)
            ARMCI_Fence(next);
        fenced ? MPI_Barrier(MPI_COMM_WORLD) : ARMCI_Barrier();
        double found;
        ARMCI_Get(c->bases[me], &found, sizeof found, me);
        if (found != (me + processes - 1) % processes + 1 + fenced * processes)
            fail("a put was not there");
        ARMCI_Barrier();
    }
}

int main(int argc, char** argv)
{
    if (argc == 3 && strcmp(argv[1], "--seconds") == 0)
        budget = atof(argv[2]);
    else if (argc > 1)
        budget = 0;
    if (budget <= 0) {
        fprintf(stderr, "usage: barrier [--seconds S]\n");
        return 2;
    }
    struct context c = {.job = begin_job(&argc, &argv, "Barriers and fences"), .value = 1};
    c.bases = global_memory(c.job, sizeof c.value);
    verify(&c);
    report(&c, "barrier/ARMCI_Barrier", barrier);
    report(&c, "barrier/armci_msg_barrier", message_barrier);
    report(&c, "barrier/MPI_Barrier", mpi_barrier);
    report(&c, "put_to_a_neighbour/ARMCI_Barrier", barrier_after_put);
    report(&c, "put_to_a_neighbour/ARMCI_Fence", fence_after_put);
    report(&c, "put_to_all/ARMCI_Barrier", barrier_after_puts);
    report(&c, "put_to_all/ARMCI_AllFence", fence_after_puts);
    report(&c, "nothing_pending/ARMCI_AllFence", all_fence);
    free_global_memory(c.job, c.bases);
    end_job();
    return 0;
}
