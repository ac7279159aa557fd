/* What one process pays for the memory of the last one while the others wait in a barrier; the lists of rows
 * are in `calls.c`. With `costs`, what calls of all processes cost, too; ARMCI_STRIDED_METHOD and
 * ARMCI_IOV_METHOD choose methods.
 *
 *     network [strided | vector | costs] [--seconds S]
 *
 *     --seconds S  time for each row (0.08) */
#include "calls.h"

static double one_batch(void* row)
{
    return side.batch(*(const int*)row);
}

static void report(int index)
{
    const struct row* const row = side.row(index);
    if (row->series[0] == '\0')
        return;
    side.prepare(index);
    const struct figure found = measure_batches(one_batch, &index);
    side.verify(index);
    const double us = row->tenth ? found.low_us : found.us;
    print_row(row->series, row->x, row->is_rate ? (double)row->bytes / us : us, row->is_rate ? "MB/s" : "us");
}

struct calls_of_all {
    double* next; /* the next process's memory */
    int process;
};

static void barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_Barrier();
}

static void fence_and_message_barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0) {
        ARMCI_AllFence();
        armci_msg_barrier();
    }
}

static void put_to_next(const struct calls_of_all* c)
{
    double zero = 0;
    ARMCI_Put(&zero, c->next, sizeof zero, c->process);
}

static void put_barrier(void* context, long repeats)
{
    for (; repeats > 0; --repeats) {
        put_to_next(context);
        barrier(NULL, 1);
    }
}

static void put_fence_and_message_barrier(void* context, long repeats)
{
    for (; repeats > 0; --repeats) {
        put_to_next(context);
        fence_and_message_barrier(NULL, 1);
    }
}

static void report_calls_of_all(struct job job)
{
    static const struct {
        const char* series;
        work what;
    } calls[] = {{"barrier/auto", barrier},
                 {"allfence+msg-barrier/auto", fence_and_message_barrier},
                 {"put+barrier/auto", put_barrier},
                 {"put+allfence+msg-barrier/auto", put_fence_and_message_barrier}};
    void** const bases = zeroed_memory(job, sizeof(double));
    struct calls_of_all context = {.process = (job.me + 1) % job.processes};
    context.next = bases[context.process];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i)
        print_point(job, calls[i].series, 1, measure_work_together(calls[i].what, &context, 8).low_us, "us");
    free_global_memory(job, bases);
}

int main(int argc, char** argv)
{
    int list = TRANSFERS;
    const struct option options[] = {{"strided", NULL, 0, 0, &list, STRIDED_CALLS},
                                     {"vector", NULL, 0, 0, &list, VECTOR_CALLS},
                                     {"costs", NULL, 0, 0, &list, COSTS},
                                     {0}};
    const struct job job = start_job(argc, argv, options);
    print_title(job, "One process and the memory of the last", side.library);
    side.begin(job, (enum list)list);
    for (int i = 0; job.me == 0 && i < side.count(); ++i)
        report(i);
    side.barrier();
    if (list == COSTS && getenv("ARMCI_STRIDED_METHOD") == NULL && getenv("ARMCI_IOV_METHOD") == NULL)
        report_calls_of_all(job);
    side.end();
    MPI_Finalize();
    return 0;
}
