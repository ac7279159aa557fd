#include "network/scale.h"

#define LONG_MESSAGE 65536
#define MANY_PROCESSES (1L << 20)
/* Of a batch: short ones, of which some are undisturbed where others use the cores. */
#define FEW 4

struct scale {
    struct job job;
    void** bases;
    int target;
    size_t bytes;
    enum kind kind;
    char* buffer;
};

static void print_scale(const struct scale* s, const char* name, double bytes, double value, const char* unit)
{
    const int nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
    if (s->job.me == 0)
        print_rowf(bytes, value, unit, "scale/%s:%dx%d", name, nodes, s->job.processes / nodes);
}

static void barrier(void* scale, long repeats)
{
    (void)scale;
    while (repeats-- > 0)
        ARMCI_Barrier();
}

static void allocation(void* scale, long repeats)
{
    const struct scale* const s = scale;
    while (repeats-- > 0)
        free_global_memory(s->job, global_memory(s->job, s->bytes));
}

static void sum(void* scale, long repeats)
{
    const struct scale* const s = scale;
    char plus[] = "+";
    while (repeats-- > 0) {
        memset(s->buffer, 0, s->bytes);
        armci_msg_dgop((double*)s->buffer, (int)(s->bytes / sizeof(double)), plus);
    }
}

/* All processes draw from the counter of process 0. */
static void counter(void* scale, long repeats)
{
    const struct scale* const s = scale;
    long drawn;
    while (repeats-- > 0)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &drawn, s->bases[0], 1, 0);
}

static void one_counter(void* scale, long repeats)
{
    const struct scale* const s = scale;
    long drawn;
    while (repeats-- > 0)
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &drawn, s->bases[s->target], 1, s->target);
}

static void one_transfer(void* scale, long repeats)
{
    const struct scale* const s = scale;
    double one = 1;
    while (repeats-- > 0)
        transfer_fenced(s->kind, s->buffer, s->bases[s->target], s->bytes, &one, s->target);
}

/* Between a batch and MPI's calls before and after it, in which processes that share cores may wait awake for
 * a whole time slice each. */
static double time_after_a_barrier(void* work)
{
    ARMCI_Barrier();
    return time_bounded(work);
}

static void report_all(struct scale* s, const char* name, work what, size_t bytes)
{
    struct bounded_work batch = {.what = what, .settle = barrier, .context = s, .repeats = FEW};
    s->bytes = bytes;
    print_scale(s, name, (double)bytes, measure_together(time_after_a_barrier, &batch).low_us, "us");
}

/* By process 0, on the memory of the last one. */
static void report_one(struct scale* s, const char* name, work what, size_t bytes)
{
    s->bytes = bytes;
    ARMCI_Barrier();
    if (s->job.me == 0)
        print_scale(s, name, (double)bytes,
                    measure_bounded(what, NULL, s, repeats_that_fit(what, s, FEW)).low_us, "us");
    ARMCI_Barrier();
}

/* An allocation fills its caller's array, with an address for each process of the job. */
static void fill(void* array, long repeats)
{
    for (; repeats > 0; --repeats) {
        char** const addresses = array;
        for (long i = 0; i < MANY_PROCESSES; ++i)
            addresses[i] = (char*)array + i % 64 * PAGE;
    }
}

static void report_array(const struct scale* s)
{
    void* const array = pages(MANY_PROCESSES * sizeof(char*));
    const double us = measure_bounded(fill, NULL, array, 1).low_us;
    print_scale(s, "array", (double)MANY_PROCESSES, us, "us");
    free(array);
}

static void report_start(const struct scale* s, struct start_cost start)
{
    double most[3] = {start.mpi_us, start.library_us, start.heap};
    MPI_Allreduce(MPI_IN_PLACE, most, 3, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    print_scale(s, "mpi-start", 0, most[0], "us");
    print_scale(s, "start", 0, most[1], "us");
    print_scale(s, "start-heap", 0, most[2], "B");
}

/* Fails where nodes have different numbers of processes: a row is named NODESxPROCESSES. */
static void require_even_nodes(void)
{
    const int nodes = armci_domain_count(ARMCI_DOMAIN_SMP);
    for (int node = 1; node < nodes; ++node)
        if (armci_domain_nprocs(ARMCI_DOMAIN_SMP, node) != armci_domain_nprocs(ARMCI_DOMAIN_SMP, 0))
            fail("scale: nodes have different numbers of processes; start as many on each");
}

void report_scale(struct job job, struct start_cost start)
{
    require_even_nodes();
    struct scale s = {.job = job, .target = job.processes - 1};
    s.bases = zeroed_memory(job, LONG_MESSAGE);
    s.buffer = pages(LONG_MESSAGE);
    report_start(&s, start);
    report_array(&s);
    report_all(&s, "barrier", barrier, 0);
    report_all(&s, "malloc+free", allocation, 64);
    report_all(&s, "sum", sum, sizeof(double));
    report_all(&s, "sum", sum, LONG_MESSAGE);
    report_all(&s, "counter", counter, sizeof(long));
    report_one(&s, "rmw", one_counter, sizeof(long));
    static const char* const names[] = {"put+fence", "get", "acc+fence"};
    for (s.kind = PUT; s.kind < KINDS; ++s.kind)
        for (size_t bytes = sizeof(double); bytes <= LONG_MESSAGE; bytes = bytes * LONG_MESSAGE / 8)
            report_one(&s, names[s.kind], one_transfer, bytes);
    free(s.buffer);
    free_global_memory(job, s.bases);
}
