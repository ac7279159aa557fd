/* Barriers and fences, with nothing pending and after a put. All processes take part. */
#include "measure.h"

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

static void all_fence(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_AllFence();
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

/* The number of repeats must be the same on all: batches of fixed size. */
static void report(struct context* c, const char* name, work what)
{
    enum { batches = 31, repeats = 50 };
    double us[batches];
    what(c, repeats);
    for (int i = 0; i < batches; ++i) {
        MPI_Barrier(MPI_COMM_WORLD);
        us[i] = 1e6 * time_of(what, c, repeats) / repeats;
    }
    qsort(us, batches, sizeof *us, ascending);
    if (c->job.me == 0)
        printf("%-36s %12.2f %12.2f\n", name, us[0], us[batches / 2]);
}

int main(int argc, char** argv)
{
    struct context c = {.job = begin_job(&argc, &argv, "Barriers and fences"), .value = 1};
    c.bases = global_memory(c.job, sizeof c.value);
    if (c.job.me == 0)
        printf("%-36s %12s %12s\n", "", "least us", "median us");
    report(&c, "ARMCI_Barrier", barrier);
    report(&c, "armci_msg_barrier", message_barrier);
    report(&c, "MPI_Barrier", mpi_barrier);
    report(&c, "put to a neighbour, ARMCI_Barrier", barrier_after_put);
    report(&c, "ARMCI_AllFence, nothing pending", all_fence);
    report(&c, "put to a neighbour, ARMCI_Fence", fence_after_put);
    free_global_memory(c.job, c.bases);
    end_job();
    return 0;
}
