/* One operation in an epoch of its own, against one in an epoch for life with a flush (Fig. 11 of the paper
 * on MPI-3 one-sided communication).
 *
 *     lock_styles [bytes|targets] [--seconds S] [--most BYTES]
 *
 * bytes: process 0 and the last one's memory, by size. targets: 8 bytes to every other process in turn; one
 * point, at so many targets. ARMCI_EPOCHS chooses the style of this library (with ARMCI_FORCE_MPI on a node,
 * where operations need no MPI); with BENCHMARK_MPI (mpi3.h), MPI itself in each style. */
#include "mpi3.h"

#define MOST_REPEATS 64

enum kind { PUT, GET, ACC, FETCH_ADD, kinds };

static const char* const kind_names[] = {"put", "get", "acc", "fetch+add"};

enum style { LOCK_ALL, SHARED, EXCLUSIVE, styles, BY_ARMCI };

static const char* const style_names[] = {"lock_all", "shared", "exclusive", "", "armci"};

struct operation {
    enum kind kind;
    enum style style;
    size_t bytes;
    int first, targets; /* processes from `first` on, in turn */
    long turn;          /* of the batch's first operation */
    long added;         /* to the words of each, by additions */
    double* mine;
    void** bases;
    struct window window;
};

static int target_of(const struct operation* o, long i)
{
    return o->first + (int)(i % o->targets);
}

/* What a completed operation means: its effect is at the target, or here. */
static void by_armci(const struct operation* o, int target)
{
    void* const there = o->bases[target];
    double one = 1;
    long old;
    switch (o->kind) {
    case PUT:
        ARMCI_Put(o->mine, there, (int)o->bytes, target);
        ARMCI_Fence(target);
        break;
    case GET:
        ARMCI_Get(there, o->mine, (int)o->bytes, target);
        break;
    case ACC:
        ARMCI_Acc(ARMCI_ACC_DBL, &one, o->mine, there, (int)o->bytes, target);
        ARMCI_Fence(target);
        break;
    default:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there, 1, target);
    }
}

static void issue(const struct operation* o, int target)
{
    static const long one = 1;
    static long old;
    const int count = (int)(o->bytes / sizeof(double));
    const MPI_Aint at = o->window.at[target];
    const MPI_Win window = o->window.handle;
    switch (o->kind) {
    case PUT:
        MPI_Put(o->mine, count, MPI_DOUBLE, target, at, count, MPI_DOUBLE, window);
        break;
    case GET:
        MPI_Get(o->mine, count, MPI_DOUBLE, target, at, count, MPI_DOUBLE, window);
        break;
    case ACC:
        MPI_Accumulate(o->mine, count, MPI_DOUBLE, target, at, count, MPI_DOUBLE, MPI_SUM, window);
        break;
    default:
        MPI_Fetch_and_op(&one, &old, MPI_LONG, target, at, MPI_SUM, window);
    }
}

static void operate(void* context, long repeats)
{
    struct operation* const o = context;
    const MPI_Win window = o->window.handle;
    for (long i = 0; i < repeats; ++i) {
        const int target = target_of(o, o->turn + i);
        if (o->style == BY_ARMCI) {
            by_armci(o, target);
        } else if (o->style == LOCK_ALL) {
            issue(o, target);
            MPI_Win_flush(target, window);
        } else {
            MPI_Win_lock(o->style == SHARED ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, window);
            issue(o, target);
            MPI_Win_unlock(target, window);
        }
    }
    o->turn += repeats;
}

static void fill(struct operation* o, double value)
{
    for (size_t i = 0; i < o->bytes / sizeof *o->mine; ++i)
        o->mine[i] = value;
}

/* Whether all that process 0's buffer holds is `value`, after it was read from `target` where so told. */
static void expect(struct operation* o, int target, int read, double value)
{
    struct operation get = *o;
    get.kind = GET;
    get.first = target;
    get.targets = 1;
    if (read)
        operate(&get, 1);
    for (size_t i = 0; i < o->bytes / sizeof *o->mine; ++i)
        if (o->mine[i] != value)
            fail("data is wrong");
}

static void report(struct operation* o, double x)
{
    char series[64];
    struct operation put = *o;
    const double before = o->kind == ACC || o->kind == FETCH_ADD ? 0 : 5;
    put.kind = PUT;
    fill(&put, o->kind == PUT ? 0 : before);
    put.turn = 0;
    operate(&put, put.targets);
    fill(o, o->kind == PUT ? 7 : o->kind == ACC ? 1 : 0);
    o->turn = 0;
    /* As many to each target. */
    const long fit = repeats_that_fit(operate, o, MOST_REPEATS) / o->targets * o->targets;
    const long repeats = fit < o->targets ? o->targets : fit;
    while (o->turn % o->targets != 0)
        operate(o, 1);
    const struct figure f = measure_bounded(operate, NULL, o, repeats);
    const double turns = (double)(o->turn / o->targets);

    if (o->kind == GET)
        expect(o, o->first, 0, before);
    for (int i = 0; i < o->targets; ++i) {
        double sum = turns; /* of 1, in double or in long */
        const long words = (long)turns;
        if (o->kind == FETCH_ADD)
            memcpy(&sum, &words, sizeof sum);
        expect(o, o->first + i, 1, o->kind == PUT ? 7 : o->kind == GET ? before : sum);
    }
    snprintf(series, sizeof series, "%s/%s", kind_names[o->kind], style_names[o->style]);
    print_row(series, x, f.us, "us");
}

static void report_style(struct operation* o, enum style style, size_t least, size_t most, int by_targets)
{
    o->style = style;
    if (style == LOCK_ALL)
        MPI_Win_lock_all(0, o->window.handle);
    for (o->kind = PUT; o->kind < kinds; ++o->kind)
        for (o->bytes = least; o->bytes <= (o->kind == FETCH_ADD ? sizeof(long) : most); o->bytes *= 8)
            report(o, by_targets ? (double)o->targets : (double)o->bytes);
    if (style == LOCK_ALL)
        MPI_Win_unlock_all(o->window.handle);
}

int main(int argc, char** argv)
{
    static const char usage[] = "lock_styles [bytes|targets] [--seconds S] [--most BYTES]";
    static const char* const figures[] = {"bytes", "targets"};
    const struct job job = begin_job(&argc, &argv, "One operation by style of epoch");
    const char* const flavour = flavour_of_mpi(job);
    double most = 32 << 10;
    const struct number_option options[] = {{"--most", &most, sizeof(double)}};
    --argc, ++argv;
    const int by_targets = choose(&argc, &argv, figures, 2);
    read_options(job, argc, argv, options, 1, usage);

    const size_t bytes = by_targets ? sizeof(double) : (size_t)most;
    struct operation o = {.mine = pages(bytes), .first = job.processes - 1, .targets = 1};
    if (by_targets && job.processes > 1) {
        o.first = 1;
        o.targets = job.processes - 1;
    }
    if (flavour != NULL) {
        o.window = open_window(job, bytes, flavour);
        memset(o.window.mine, 0, bytes);
    } else {
        o.bases = global_memory(job, bytes);
        memset(o.bases[job.me], 0, bytes);
    }
    meet(flavour);
    if (job.me == 0) {
        if (flavour == NULL)
            report_style(&o, BY_ARMCI, sizeof(double), bytes, by_targets);
        else
            for (enum style style = LOCK_ALL; style < styles; ++style)
                report_style(&o, style, sizeof(double), bytes, by_targets);
    }
    meet(flavour);
    if (flavour != NULL)
        close_window(&o.window);
    else
        free_global_memory(job, o.bases);
    free(o.mine);
    end_job();
    return 0;
}
