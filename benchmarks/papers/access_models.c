/* A process that computes on its own slice while all others put to it, with and without brackets around its
 * loads and stores (Fig. 4 of the paper on MPI-3 one-sided communication: separate and unified memory model).
 *
 *     access_models [interval] [--seconds S] [--bytes B]
 *
 * One point, at so many writers; interval: by microseconds of one access. Rows: the time of one
 * access of process 0, and of one put of B bytes with its fence, the mean of all writers.
 *
 *     plain    loads and stores, no call at all: a put may have to wait until process 0 calls MPI
 *     probe    MPI_Iprobe between the accesses
 *     access   each in ARMCI_Access_begin and _end, MPI_Iprobe between
 *
 * With BENCHMARK_MPI (memory.h) the epochs of the paper: process 0 takes an exclusive lock of its own window
 * (separate) or a shared one (unified), and each writer a shared one for each put. */
#include "memory.h"

#define OWN_DOUBLES 4096

struct own_part {
    double values[OWN_DOUBLES];
};

enum model { PLAIN, PROBE, ACCESS, models_of_armci, SEPARATE = models_of_armci, UNIFIED, models };

static const char* const model_names[] = {"plain", "probe", "access", "separate", "unified"};

struct setup {
    struct job job;
    const char* flavour; /* NULL: ARMCI's global memory */
    size_t bytes;
    size_t pitch; /* of the writers' places, which follow process 0's own part */
    struct memory memory;
    struct own_part* own;
    char* source;
    long sweeps; /* over the own part */
    long puts;
};

static size_t place(const struct setup* s, int writer)
{
    return sizeof(struct own_part) + (size_t)(writer - 1) * s->pitch;
}

static void sweep_over(double* values)
{
    for (int i = 0; i < OWN_DOUBLES; ++i)
        values[i] += 1;
}

/* Not to be joined with the next sweep. */
static void (*volatile sweep)(double*) = sweep_over;

static void compute(struct setup* s, double interval)
{
    const double end = seconds() + interval;
    do {
        sweep(s->own->values);
        ++s->sweeps;
    } while (seconds() < end);
}

/* Seconds, without those of the probe, which may give the core away. */
static double access_once(struct setup* s, enum model model, double interval)
{
    int flag;
    const double begin = seconds();
    if (model == ACCESS)
        ARMCI_Access_begin(s->own);
    else if (model >= models_of_armci)
        MPI_Win_lock(model == SEPARATE ? MPI_LOCK_EXCLUSIVE : MPI_LOCK_SHARED, 0, 0, s->memory.window);
    compute(s, interval);
    if (model == ACCESS)
        ARMCI_Access_end(s->own);
    else if (model >= models_of_armci)
        MPI_Win_unlock(0, s->memory.window);
    const double took = seconds() - begin;
    if (model == PROBE || model == ACCESS)
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &flag, MPI_STATUS_IGNORE);
    return took;
}

static double write_once(struct setup* s)
{
    const double begin = seconds();
    const size_t at = place(s, s->job.me);
    ++s->puts;
    memcpy(s->source, &s->puts, sizeof s->puts);
    move_once(&s->memory, PUT, s->source, 0, at, s->bytes);
    return seconds() - begin;
}

static void verify(const struct setup* s)
{
    long* const puts = not_null(calloc((size_t)s->job.processes, sizeof *puts));
    MPI_Gather(&s->puts, 1, MPI_LONG, puts, 1, MPI_LONG, 0, MPI_COMM_WORLD);
    for (int writer = 1; s->job.me == 0 && writer < s->job.processes; ++writer) {
        long last;
        memcpy(&last, (char*)s->own + place(s, writer), sizeof last);
        if (last != puts[writer])
            fail("a writer's last put did not arrive");
    }
    for (int i = 0; s->job.me == 0 && i < OWN_DOUBLES; ++i)
        if (s->own->values[i] != (double)s->sweeps)
            fail("process 0's own values are wrong");
    free(puts);
    meet(s->flavour); /* before the next puts */
}

/* Microseconds of one access, and of one put. */
static void measure_model(struct setup* s, enum model model, int write, double interval, double us[2])
{
    double took = 0, count = 0, mine[2] = {0};
    const int me = s->job.me;
    if (me != 0 && write)
        write_once(s); /* opens connections */
    else if (me == 0)
        access_once(s, model, 0);
    meet(s->flavour);
    const double begin = seconds();
    if (me == 0 || write)
        do {
            took += me == 0 ? access_once(s, model, interval) : write_once(s);
            count += 1;
        } while (seconds() - begin < budget || (me == 0 && count < LEAST_BATCHES));
    meet(s->flavour);
    if (count > 0)
        mine[me == 0 ? 0 : 1] = 1e6 * took / count / (me == 0 ? 1 : s->job.processes - 1);
    MPI_Allreduce(mine, us, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    verify(s);
}

static void report(struct setup* s, enum model model, int write, double interval, double x)
{
    double us[2];
    measure_model(s, model, write, interval, us);
    if (s->job.me != 0)
        return;
    print_rowf(x, us[0], "us", "access/%s%s", model_names[model], write ? "" : "_alone");
    if (us[1] > 0)
        print_rowf(x, us[1], "us", "put/%s", model_names[model]);
}

int main(int argc, char** argv)
{
    static const double intervals[] = {10, 30, 100, 300, 1000, 3000}; /* us */
    int by_interval = 0;
    double bytes = 8;
    const struct option options[] = {{"writers", NULL, 0, 0, &by_interval, 0},
                                     {"interval", NULL, 0, 0, &by_interval, 1},
                                     {"--bytes", &bytes, sizeof(long), 0, NULL, 0},
                                     {0}};
    struct setup s = {.job = begin_job(argc, argv, "Direct access while others put", options)};
    s.flavour = flavour_of_mpi();
    s.bytes = (size_t)bytes;
    s.pitch = (s.bytes + PAGE - 1) / PAGE * PAGE;
    const size_t all = sizeof(struct own_part) + (size_t)(s.job.processes - 1) * s.pitch;
    s.source = pages(s.bytes);
    s.memory = open_memory(s.job, all, s.flavour);
    s.own = (struct own_part*)s.memory.mine;
    memset(s.own, 0, all);
    meet(s.flavour);

    const int writers = s.job.processes - 1;
    const enum model first = s.flavour != NULL ? models_of_armci : PLAIN;
    const enum model end = s.flavour != NULL ? models : models_of_armci;
    if (!by_interval) {
        report(&s, first, 0, 0, writers);
        for (enum model model = first; model < end; ++model)
            report(&s, model, 1, 0, writers);
    }
    for (size_t i = 0; by_interval && i < sizeof intervals / sizeof *intervals; ++i)
        for (enum model model = first; model < end; ++model)
            report(&s, model, 1, 1e-6 * intervals[i], intervals[i]);

    close_memory(&s.memory);
    free(s.source);
    end_job();
    return 0;
}
