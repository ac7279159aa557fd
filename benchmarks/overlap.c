/* How much of nonblocking puts or gets goes on behind computation. Process 0 works on the memory of the last
 * process while the others wait in MPI's barrier.
 *
 *     overlap [--seconds S] [--only table|sizes|operations]
 *
 *     --seconds S  time for each point, about (0.08)
 *     --only PART  the table, or the rows by message size, or by number of operations
 *
 * The table: with a transfer that takes T alone (started and waited for at once) and computation that takes C
 * alone, close to T, and both together E, the part hidden is (T + C - E) / min(T, C). The computation makes
 * no call, or only ARMCI_Test now and then.
 *
 * The rows are Figs 4 and 5 of paper "Designing Passive Synchronization for MPI-2 One-Sided Communication":
 * puts end with a fence, as the paper's with an unlock, and computation grows in steps to T. As long as E
 * stays T, computation is hidden; a row is the most of T that any step hid, (T + C - E) / T, in per cent. The
 * same by MPI alone (requests and flushes in a window that is locked for good) is what a library on MPI's
 * network path can reach. */
#include "bounded.h"
#include "computing.h"
#include "rows.h"

#define LARGEST ((size_t)4 << 20)
#define TESTS 16
#define STEPS 4
#define LEAST_ROUNDS 5 /* of a step, as the most of all steps counts */
#define MOST_OPERATIONS 64
#define OPERATION_BYTES (32 << 10) /* the paper's, where operations are counted */
#define MOST_REPEATS 256

enum kind { PUT, PUT_FENCED, GET };

struct context {
    enum kind kind;
    MPI_Win window; /* MPI_WIN_NULL: by ARMCI */
    int target;
    char* mine;
    char* theirs;
    int bytes;        /* of one operation */
    int operations;   /* under way together, each with a place of its own */
    long computation; /* turns */
    int tests;        /* in between */
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
        if (c->kind == PUT_FENCED)
            MPI_Win_flush(c->target, c->window);
        return;
    }
    for (int i = 0; i < c->operations; ++i)
        ARMCI_Wait(&c->handles[i]);
    if (c->kind == PUT_FENCED)
        ARMCI_Fence(c->target);
}

static void transfer(void* context, long repeats)
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
    struct context* c = context;
    while (repeats-- > 0) {
        start(c);
        if (c->tests == 0)
            turns(c->computation);
        for (int i = 0; i < c->tests; ++i) {
            turns(c->computation / c->tests);
            ARMCI_Test(&c->handles[0]);
        }
        finish(c);
    }
}

static void settle(void* context, long repeats)
{
    struct context* c = context;
    (void)repeats;
    if (c->window != MPI_WIN_NULL)
        MPI_Win_flush(c->target, c->window);
    else
        ARMCI_Fence(c->target);
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
        transfer(c, 1);
        settle(c, 1);
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
        settle(c, 1);
        c->kind = GET;
        transfer(c, 1);
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
    us.transfer = 1e6 * time_of(transfer, c, repeats) / (double)repeats;
    settle(c, 1);
    us.compute = 1e6 * time_of(compute, c, repeats) / (double)repeats;
    us.both = 1e6 * time_of(both, c, repeats) / (double)repeats;
    settle(c, 1);
    return us;
}

static void report(struct context* c, const char* name)
{
    const unsigned long salt = prepare(c);
    const double alone = measure_bounded(transfer, settle, c, 1).us;
    c->computation = turns_of(alone);
    if (c->computation < TESTS)
        c->computation = TESTS;

    double part[MOST_BATCHES], each[3][MOST_BATCHES];
    int rounds = 0;
    const double begin = seconds();
    while (rounds < MOST_BATCHES && (rounds < LEAST_BATCHES || seconds() - begin < 2 * budget)) {
        const struct times us = one_round(c, 1);
        each[0][rounds] = us.transfer;
        each[1][rounds] = us.compute;
        each[2][rounds] = us.both;
        part[rounds++] =
            (us.transfer + us.compute - us.both) / (us.transfer < us.compute ? us.transfer : us.compute);
    }
    verify(c, salt);
    printf("%-12s %-12s %9d %12.1f %12.1f %12.1f %8.0f%%\n", name, c->tests ? "ARMCI_Test" : "no call",
           c->bytes, median(each[0], rounds), median(each[1], rounds), median(each[2], rounds),
           percent(median(part, rounds)));
}

/* What a tenth of the rounds undercut: other load on the machine hardly moves it, and the most of several
 * medians would be the most of its noise. */
static double low(double* us, int rounds)
{
    qsort(us, (size_t)rounds, sizeof *us, ascending);
    return us[rounds / 10];
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
    const double transfers = low(each[0], rounds);
    return (transfers + low(each[1], rounds) - low(each[2], rounds)) / transfers;
}

static void report_point(struct context* c, const char* series, double x)
{
    const unsigned long salt = prepare(c);
    double times[LEAST_ROUNDS], most = 0;
    transfer(c, 1);
    for (int i = 0; i < LEAST_ROUNDS; ++i)
        times[i] = 1e6 * time_of(transfer, c, 1);
    const double alone = low(times, LEAST_ROUNDS);
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

static void table(struct context* c)
{
    static const char* const names[] = {"put", "put, fence", "get"};
    printf("%-12s %-12s %9s %12s %12s %12s %9s\n", "", "meanwhile", "bytes", "transfer us", "compute us",
           "both us", "hidden");
    c->window = MPI_WIN_NULL;
    c->operations = 1;
    for (int kind = PUT; kind <= GET; ++kind)
        for (int tests = 0; tests <= TESTS; tests += TESTS)
            for (int bytes = 64 << 10; bytes <= (int)LARGEST; bytes *= 4) {
                c->kind = (enum kind)kind;
                c->bytes = bytes;
                c->tests = tests;
                report(c, names[kind]);
            }
    c->tests = 0;
}

static void rows(struct context* c, MPI_Win window, int by_size)
{
    for (int kind = PUT_FENCED; kind <= GET; ++kind)
        for (int alone = 0; alone <= 1; ++alone) {
            char series[64];
            snprintf(series, sizeof series, "%s_by_%s/%s", kind == GET ? "get" : "put",
                     by_size ? "size" : "operations", alone ? "MPI" : "ARMCI");
            c->kind = (enum kind)kind;
            c->window = alone ? window : MPI_WIN_NULL;
            c->operations = 1;
            c->bytes = OPERATION_BYTES;
            if (by_size)
                for (c->bytes = 4 << 10; c->bytes <= (int)LARGEST; c->bytes *= 4)
                    report_point(c, series, c->bytes);
            else
                for (c->operations = 1; c->operations <= MOST_OPERATIONS; c->operations *= 2)
                    report_point(c, series, c->operations);
        }
}

static int read_options(int argc, char** argv, const char** only)
{
    for (int i = 1; i < argc; i += 2) {
        if (i + 1 == argc)
            return 0;
        if (strcmp(argv[i], "--seconds") == 0 && (budget = atof(argv[i + 1])) > 0)
            continue;
        *only = argv[i + 1];
        if (strcmp(argv[i], "--only") != 0 ||
            (strcmp(*only, "table") != 0 && strcmp(*only, "sizes") != 0 && strcmp(*only, "operations") != 0))
            return 0;
    }
    return 1;
}

static int wanted(const char* part, const char* only)
{
    return only == NULL || strcmp(part, only) == 0;
}

int main(int argc, char** argv)
{
    const char* only = NULL;
    const struct job job = begin_job(&argc, &argv, "Transfers behind computation");
    const int right = read_options(argc, argv, &only);
    if (!right && job.me == 0)
        fprintf(stderr, "usage: overlap [--seconds S] [--only table|sizes|operations]\n");
    if (!right) {
        end_job();
        return 2;
    }
    void** bases = global_memory(job, LARGEST);
    char* const mine = calloc(1, LARGEST);
    char* exposed;
    MPI_Win window;
    MPI_Win_allocate((MPI_Aint)LARGEST, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &exposed, &window);
    MPI_Win_lock_all(MPI_MODE_NOCHECK, window);
    if (mine == NULL)
        fail("no memory");
    memset(bases[job.me], 0, LARGEST);
    memset(exposed, 0, LARGEST);
    MPI_Win_sync(window);
    ARMCI_Barrier();
    if (job.me == 0) {
        static struct context c;
        c.window = MPI_WIN_NULL;
        c.target = job.processes - 1;
        c.mine = mine;
        c.theirs = bases[job.processes - 1];
        if (wanted("table", only))
            table(&c);
        if (wanted("sizes", only))
            rows(&c, window, 1);
        if (wanted("operations", only))
            rows(&c, window, 0);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* where targets wait: ARMCI's need not drive what MPI does by itself */
    ARMCI_Barrier();
    MPI_Win_unlock_all(window);
    MPI_Win_free(&window);
    free(mine);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
