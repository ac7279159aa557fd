/* One operation in an epoch of its own, against one in an epoch for life with a flush (Fig. 11 of the paper
 * on MPI-3 one-sided communication).
 *
 *     lock_styles [targets] [--seconds S] [--most BYTES]
 *
 * Process 0 and the last one's memory, by size; or 8 bytes to every other process in turn; one point, at so
 * many targets. ARMCI_EPOCHS chooses the style of this library (with ARMCI_FORCE_MPI on a node, where
 * operations need no MPI); with BENCHMARK_MPI (memory.h), MPI itself in each style. */
#include "memory.h"

#define MOST_REPEATS 64

enum { FETCH_ADD = KINDS };
static const char* const names[] = {"put", "get", "acc", "fetch+add"};

enum style { LOCK_ALL, SHARED, EXCLUSIVE, styles, BY_ARMCI };
static const char* const style_names[] = {"lock_all", "shared", "exclusive", "", "armci"};

struct operation {
    int kind; /* or FETCH_ADD */
    enum style style;
    size_t bytes;
    int first, targets; /* processes from `first` on, in turn */
    long turn;          /* of the batch's first operation */
    double* mine;
    struct memory memory;
};

static void begin_by_mpi(const struct operation* o, int target)
{
    static const long one = 1;
    static long old;
    if (o->kind == FETCH_ADD)
        MPI_Fetch_and_op(&one, &old, MPI_LONG, target, o->memory.at[target], MPI_SUM, o->memory.window);
    else
        mpi_begin(&o->memory, (enum kind)o->kind, o->mine, target, 0, o->bytes);
}

/* What a completed operation means: its effect is at the target, or here. */
static void operate(void* context, long repeats)
{
    struct operation* const o = context;
    const MPI_Win window = o->memory.window;
    for (; repeats > 0; --repeats, ++o->turn) {
        const int target = o->first + (int)(o->turn % o->targets);
        long old;
        if (o->style == LOCK_ALL) {
            begin_by_mpi(o, target);
            MPI_Win_flush(target, window);
        } else if (o->style != BY_ARMCI) {
            MPI_Win_lock(o->style == SHARED ? MPI_LOCK_SHARED : MPI_LOCK_EXCLUSIVE, target, 0, window);
            begin_by_mpi(o, target);
            MPI_Win_unlock(target, window);
        } else if (o->kind == FETCH_ADD) {
            ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, o->memory.bases[target], 1, target);
        } else {
            move_once(&o->memory, (enum kind)o->kind, o->mine, target, 0, o->bytes);
        }
    }
}

static void fill(struct operation* o, double value)
{
    for (size_t i = 0; i < o->bytes / sizeof *o->mine; ++i)
        o->mine[i] = value;
}

/* Whether all that process 0's buffer holds is `value`, after it was read from `target` where there is one.
 */
static void expect(struct operation* o, int target, double value)
{
    struct operation get = *o;
    get.kind = GET;
    get.first = target;
    get.targets = 1;
    if (target >= 0)
        operate(&get, 1);
    for (size_t i = 0; i < o->bytes / sizeof *o->mine; ++i)
        if (o->mine[i] != value)
            fail("data is wrong");
}

static void report(struct operation* o, double x)
{
    struct operation put = *o;
    const double before = o->kind == PUT || o->kind == GET ? 5 : 0;
    put.kind = PUT;
    put.turn = 0;
    fill(&put, before);
    operate(&put, put.targets);
    fill(o, o->kind == PUT ? 7 : o->kind == ACC ? 1 : 0);
    o->turn = 0;
    /* As many to each target. */
    const long fit = repeats_that_fit(operate, o, MOST_REPEATS) / o->targets * o->targets;
    const long repeats = fit < o->targets ? o->targets : fit;
    while (o->turn % o->targets != 0)
        operate(o, 1);
    const double us = measure_bounded(operate, NULL, o, repeats).us;
    const long words = o->turn / o->targets;
    double sum = (double)words; /* of 1, in double or in long */
    if (o->kind == FETCH_ADD)
        memcpy(&sum, &words, sizeof sum);
    if (o->kind == GET)
        expect(o, -1, before);
    for (int i = 0; i < o->targets; ++i)
        expect(o, o->first + i, o->kind == PUT ? 7 : o->kind == GET ? before : sum);
    print_rowf(x, us, "us", "%s/%s", names[o->kind], style_names[o->style]);
}

static void report_style(struct operation* o, enum style style, size_t most, int by_targets)
{
    o->style = style;
    if (style == LOCK_ALL)
        MPI_Win_lock_all(0, o->memory.window);
    for (o->kind = PUT; o->kind <= FETCH_ADD; ++o->kind)
        for (o->bytes = sizeof(double); o->bytes <= (o->kind == FETCH_ADD ? sizeof(long) : most);
             o->bytes *= 8)
            report(o, by_targets ? (double)o->targets : (double)o->bytes);
    if (style == LOCK_ALL)
        MPI_Win_unlock_all(o->memory.window);
}

int main(int argc, char** argv)
{
    int by_targets = 0;
    double most = 32 << 10;
    const struct option options[] = {
        {"targets", NULL, 0, 0, &by_targets, 1}, {"--most", &most, sizeof(double), 0, NULL, 0}, {0}};
    const struct job job = begin_job(argc, argv, "One operation by style of epoch", options);
    const char* const flavour = flavour_of_mpi();
    const size_t bytes = by_targets ? sizeof(double) : (size_t)most;
    struct operation o = {.mine = pages(bytes), .first = job.processes - 1, .targets = 1};
    if (by_targets && job.processes > 1) {
        o.first = 1;
        o.targets = job.processes - 1;
    }
    o.memory = open_memory(job, bytes, flavour);
    memset(o.memory.mine, 0, bytes);
    meet(flavour);
    if (job.me == 0 && flavour == NULL)
        report_style(&o, BY_ARMCI, bytes, by_targets);
    for (enum style style = LOCK_ALL; job.me == 0 && flavour != NULL && style < styles; ++style)
        report_style(&o, style, bytes, by_targets);
    meet(flavour);
    close_memory(&o.memory);
    free(o.mine);
    end_job();
    return 0;
}
