/* How much of nonblocking puts or gets goes on behind computation: Figs 4 and 5 of paper "Designing Passive
 * Synchronization for MPI-2 One-Sided Communication". Process 0 works on the memory of the last process while
 * the others wait in MPI's barrier.
 *
 *     overlap [sizes | operations] [--seconds S]
 *
 *     sizes, operations  the rows by message size, or by number of operations, alone
 *     --seconds S        time for each point, about (0.08)
 *
 * Puts end with a fence, as the paper's with an unlock. With transfers that take T alone, computation without
 * calls grows in steps to T; it takes C alone, and both together E. As long as E stays T, computation is
 * hidden; a row is the most of T that any step hid, (T + C - E) / T, in per cent. The same by MPI alone
 * (requests and flushes in a window that is locked for good) is what a library on MPI's network path can
 * reach. */
#include "measure/computing.h"
#include "memory.h"

#define LARGEST ((size_t)4 << 20)
#define STEPS 4
#define LEAST_ROUNDS 5 /* of a step, as the most of all steps counts */
#define MOST_OPERATIONS 64
#define OPERATION_BYTES (32 << 10) /* the paper's, where operations are counted */
#define MOST_REPEATS 256

struct context {
    enum kind kind;
    MPI_Win window; /* MPI_WIN_NULL: by ARMCI */
    int target;
    char* mine;
    char* theirs;
    int bytes;        /* of one operation */
    int operations;   /* under way together, each with a place of its own */
    long computation; /* turns */
    armci_hdl_t handles[MOST_OPERATIONS];
    MPI_Request requests[MOST_OPERATIONS];
};

static void start_mpi(struct context* c)
{
    for (int i = 0; i < c->operations; ++i) {
        char* const here = c->mine + (size_t)i * (size_t)c->bytes;
        const MPI_Aint there = (MPI_Aint)i * c->bytes;
        if (c->kind == GET)
            MPI_Rget(here, c->bytes, MPI_BYTE, c->target, there, c->bytes, MPI_BYTE, c->window,
                     &c->requests[i]);
        else
            MPI_Rput(here, c->bytes, MPI_BYTE, c->target, there, c->bytes, MPI_BYTE, c->window,
                     &c->requests[i]);
    }
}

static void start(struct context* c)
{
    if (c->window != MPI_WIN_NULL) {
        start_mpi(c);
        return;
    }
    for (int i = 0; i < c->operations; ++i) {
        char* const here = c->mine + (size_t)i * (size_t)c->bytes;
        char* const there = c->theirs + (size_t)i * (size_t)c->bytes;
        ARMCI_INIT_HANDLE(&c->handles[i]);
        if (c->kind == GET)
            ARMCI_NbGet(there, here, c->bytes, c->target, &c->handles[i]);
        else
            ARMCI_NbPut(here, there, c->bytes, c->target, &c->handles[i]);
    }
}

static void finish(struct context* c)
{
    if (c->window != MPI_WIN_NULL) {
        for (int i = 0; i < c->operations; ++i)
            MPI_Wait(&c->requests[i], MPI_STATUS_IGNORE);
        if (c->kind == PUT)
            MPI_Win_flush(c->target, c->window);
        return;
    }
    for (int i = 0; i < c->operations; ++i)
        ARMCI_Wait(&c->handles[i]);
    if (c->kind == PUT)
        ARMCI_Fence(c->target);
}

static void move(void* context, long repeats)
{
    while (repeats-- > 0) {
        start(context);
        finish(context);
    }
}

static void compute(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0)
        turns(c->computation);
}

static void both(void* context, long repeats)
{
    while (repeats-- > 0) {
        start(context);
        compute(context, 1);
        finish(context);
    }
}

static void fill(char* buffer, size_t bytes, unsigned long salt)
{
    for (size_t at = 0; at < bytes; at += sizeof salt) {
        const unsigned long word = salt << 32 | (unsigned long)at;
        memcpy(buffer + at, &word, sizeof word);
    }
}

static int filled(const char* buffer, size_t bytes, unsigned long salt)
{
    for (size_t at = 0; at < bytes; at += sizeof salt) {
        const unsigned long word = salt << 32 | (unsigned long)at;
        if (memcmp(buffer + at, &word, sizeof word) != 0)
            return 0;
    }
    return 1;
}

/* Source or target hold what the transfers are to bring. */
static unsigned long prepare(struct context* c)
{
    static unsigned long salt = 0;
    const size_t bytes = (size_t)c->bytes * (size_t)c->operations;
    fill(c->mine, bytes, ++salt);
    if (c->kind == GET) {
        c->kind = PUT;
        move(c, 1);
        c->kind = GET;
        memset(c->mine, 0, bytes);
    }
    return salt;
}

static void verify(struct context* c, unsigned long salt)
{
    const size_t bytes = (size_t)c->bytes * (size_t)c->operations;
    const enum kind kind = c->kind;
    if (kind != GET) {
        memset(c->mine, 0, bytes);
        c->kind = GET;
        move(c, 1);
        c->kind = kind;
    }
    if (!filled(c->mine, bytes, salt))
        fail("data is wrong");
}

static long turns_of(double us)
{
    static double rate = 0;
    if (rate == 0)
        rate = turns_per_us();
    return (long)(us * rate);
}

static double percent(double share)
{
    return 100 * (share < 0 ? 0 : share > 1 ? 1 : share);
}

struct times {
    double transfer;
    double compute;
    double both;
};

/* One after the other, so that what slows a moment slows all three. */
static struct times one_round(struct context* c, long repeats)
{
    struct times us;
    us.transfer = us_of(move, c, repeats);
    us.compute = us_of(compute, c, repeats);
    us.both = us_of(both, c, repeats);
    return us;
}

/* The share of the transfers that is hidden, when `part` of their time is computed meanwhile. */
static double hidden_behind(struct context* c, double alone, double part, long repeats)
{
    double each[3][MOST_BATCHES];
    int rounds = 0;
    c->computation = turns_of(alone * part) + 1;
    const double begin = seconds();
    while (rounds < MOST_BATCHES && (rounds < LEAST_ROUNDS || seconds() - begin < 2 * budget / STEPS)) {
        const struct times us = one_round(c, repeats);
        each[0][rounds] = us.transfer;
        each[1][rounds] = us.compute;
        each[2][rounds++] = us.both;
    }
    const double transfers = tenth(each[0], rounds);
    return (transfers + tenth(each[1], rounds) - tenth(each[2], rounds)) / transfers;
}

static void report_point(struct context* c, const char* series, double x)
{
    const unsigned long salt = prepare(c);
    double times[LEAST_ROUNDS], most = 0;
    move(c, 1);
    for (int i = 0; i < LEAST_ROUNDS; ++i)
        times[i] = 1e6 * time_of(move, c, 1);
    const double alone = tenth(times, LEAST_ROUNDS);
    const double fit = 1e6 * BATCH_SECONDS / alone;
    const long repeats = fit < 1 ? 1 : fit > MOST_REPEATS ? MOST_REPEATS : (long)fit;
    for (int step = 1; step <= STEPS; ++step) {
        const double share = hidden_behind(c, alone, (double)step / STEPS, repeats);
        if (share > most)
            most = share;
    }
    verify(c, salt);
    print_row(series, x, percent(most), "percent");
}

static void rows(struct context* c, MPI_Win window, int by_size)
{
    for (c->kind = PUT; c->kind <= GET; ++c->kind)
        for (int alone = 0; alone <= 1; ++alone) {
            char series[64];
            snprintf(series, sizeof series, "%s_by_%s/%s", kinds[c->kind], by_size ? "size" : "operations",
                     alone ? "MPI" : "ARMCI");
            c->window = alone ? window : MPI_WIN_NULL;
            c->operations = 1;
            c->bytes = OPERATION_BYTES;
            if (by_size)
                for (c->bytes = 4 << 10; c->bytes <= (int)LARGEST; c->bytes *= 4)
                    report_point(c, series, c->bytes);
            else
                for (; c->operations <= MOST_OPERATIONS; c->operations *= 2)
                    report_point(c, series, c->operations);
        }
}

int main(int argc, char** argv)
{
    enum { BOTH, SIZES, OPERATIONS };
    int only = BOTH;
    const struct option options[] = {
        {"sizes", NULL, 0, 0, &only, SIZES}, {"operations", NULL, 0, 0, &only, OPERATIONS}, {0}};
    const struct job job = begin_job(argc, argv, "Transfers behind computation", options);
    void** bases = zeroed_memory(job, LARGEST);
    struct memory window = open_locked_window(job, LARGEST);
    if (job.me == 0) {
        static struct context c;
        c.target = job.processes - 1;
        c.mine = pages(LARGEST);
        c.theirs = bases[c.target];
        if (only != OPERATIONS)
            rows(&c, window.window, 1);
        if (only != SIZES)
            rows(&c, window.window, 0);
        free(c.mine);
    }
    close_locked_window(&window); /* where targets wait: ARMCI's need not drive what MPI does by itself */
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
