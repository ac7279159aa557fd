/* Fences and barriers when one of many regions has been written to, against the same with one region. The two
 * take turns: the many are allocated and freed in each round.
 *
 *     dirty_regions [count [bytes]]
 *     dirty_regions --rows [--seconds S] [--most COUNT]
 *
 * Prints medians of the rounds, and the median of their ratios; or rows by number of regions. */
#include "mpi3.h"

#define REPEATS 32
#define FEW 4
#define SCATTER 377
#define ROWS 7
#define TURNS 7

/* Of the peer each is a window, which takes MPICH tens of milliseconds to make on several hosts. */
#ifdef BENCHMARK_PEER
#define MOST_REGIONS 100
#else
#define MOST_REGIONS 1000
#endif

struct regions {
    struct job job;
    int target;
    long count;
    void*** bases; /* by region, by process */
    int fits;      /* batches are as long as the budget asks, not of REPEATS */
    long written;  /* so many puts so far; the i-th put carries the number i */
};

static void put_number(struct regions* r, long region)
{
    long number = ++r->written;
    ARMCI_Put(&number, r->bases[region][r->target], sizeof number, r->target);
}

static long read_number(struct regions* r, long region)
{
    long number;
    ARMCI_Get(r->bases[region][r->target], &number, sizeof number, r->target);
    return number;
}

static void clean_fence(void* context, long repeats)
{
    const struct regions* r = context;
    while (repeats-- > 0)
        ARMCI_Fence(r->target);
}

static void clean_fence_all(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_AllFence();
}

static void fence_one(void* context, long repeats)
{
    struct regions* r = context;
    while (repeats-- > 0) {
        put_number(r, r->count / 2);
        ARMCI_Fence(r->target);
    }
}

static void fence_all(void* context, long repeats)
{
    struct regions* r = context;
    while (repeats-- > 0) {
        put_number(r, r->count / 2);
        ARMCI_AllFence();
    }
}

/* Another region each time. */
static void fence_another(void* context, long repeats)
{
    struct regions* r = context;
    for (long i = 0; i < repeats; ++i) {
        put_number(r, i * SCATTER % r->count);
        ARMCI_Fence(r->target);
    }
}

/* All take part; process 0 writes. */
static void barrier(void* context, long repeats)
{
    struct regions* r = context;
    while (repeats-- > 0) {
        if (r->job.me == 0)
            put_number(r, r->count / 2);
        ARMCI_Barrier();
    }
}

static void clean_barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_Barrier();
}

static const struct {
    const char* name;
    const char* series;
    work what;
    int all; /* take part */
} rows[ROWS] = {
    {"ARMCI_Fence, nothing pending", "fence/nothing_pending", clean_fence, 0},
    {"ARMCI_AllFence, nothing pending", "all_fence/nothing_pending", clean_fence_all, 0},
    {"put, ARMCI_Fence", "fence/put_before", fence_one, 0},
    {"put, ARMCI_AllFence", "all_fence/put_before", fence_all, 0},
    {"put elsewhere, ARMCI_Fence", "fence/put_elsewhere_before", fence_another, 0},
    {"put by one, ARMCI_Barrier", "barrier/put_before", barrier, 1},
    {"ARMCI_Barrier, nothing pending", "barrier/nothing_pending", clean_barrier, 1},
};

/* Process 0 writes to each region and reads it back, so that each has been dirty before. */
static void touch_all(struct regions* r)
{
    const long first = r->written + 1;
    for (long i = 0; i < r->count; ++i)
        put_number(r, i);
    ARMCI_Fence(r->target);
    for (long i = 0; i < r->count; ++i)
        if (read_number(r, i) != first + i)
            fail("a region holds a wrong number");
}

struct turns_of {
    struct regions* regions;
    work what;
};

static double few_turns(void* context)
{
    const struct turns_of* const t = context;
    return 1e6 * time_of(t->what, t->regions, FEW) / FEW;
}

static void take_times(struct regions* r, double us[ROWS])
{
    enum { batches = 15 };
    if (r->job.me == 0)
        touch_all(r);
    ARMCI_Barrier();
    for (int row = 0; row < ROWS; ++row) {
        struct turns_of turns = {r, rows[row].what};
        if (rows[row].all && r->fits) {
            us[row] = measure_together(few_turns, &turns);
        } else if (rows[row].all) {
            double each[batches];
            rows[row].what(r, REPEATS);
            for (int i = 0; i < batches; ++i)
                each[i] = 1e6 * time_of(rows[row].what, r, REPEATS) / REPEATS;
            us[row] = median(each, batches);
        } else if (r->job.me == 0) {
            const long repeats = r->fits ? repeats_that_fit(rows[row].what, r, REPEATS) : REPEATS;
            us[row] = measure_bounded(rows[row].what, NULL, r, repeats).us;
        }
        ARMCI_Barrier();
    }
    if (r->job.me == 0) {
        put_number(r, r->count / 2);
        if (read_number(r, r->count / 2) != r->written)
            fail("the last number did not arrive");
    }
    ARMCI_Barrier();
}

static void report_by_count(struct job job, int argc, char** argv)
{
    double us[ROWS] = {0}, most = MOST_REGIONS;
    const struct number_option options[] = {{"--most", &most, 1}};
    read_options(job, argc, argv, options, 1, "dirty_regions --rows [--seconds S] [--most COUNT]");
    struct regions r = {
        .job = job, .target = job.processes - 1, .bases = calloc((size_t)most, sizeof *r.bases)};
    if (r.bases == NULL)
        fail("no memory");
    for (long count = 1; count <= (long)most; count *= 10) {
        while (r.count < count)
            r.bases[r.count++] = global_memory(job, 4096);
        take_times(&r, us);
        for (int row = 0; job.me == 0 && row < ROWS; ++row)
            print_row(rows[row].series, (double)count, us[row], "us");
    }
    while (r.count > 0)
        free_global_memory(job, r.bases[--r.count]);
    free(r.bases);
}

int main(int argc, char** argv)
{
    struct regions r = {.job = begin_job(&argc, &argv, "Fences with one dirty region of many"), .count = 1};
    if (argc > 1 && strcmp(argv[1], "--rows") == 0) {
        budget = 0.03;
        report_by_count(r.job, argc - 2, argv + 2);
        end_job();
        return 0;
    }
    const long many = argc > 1 ? atol(argv[1]) : 1000;
    const size_t bytes = argc > 2 ? (size_t)atol(argv[2]) : 4096;
    if (many < 2 || bytes < sizeof(long))
        fail("usage: dirty_regions [count of at least 2 [bytes of at least 8]]");
    static double with_one[ROWS][TURNS], with_many[ROWS][TURNS], ratio[ROWS][TURNS];
    budget = 0.03;
    r.target = r.job.processes - 1;
    r.bases = calloc((size_t)many, sizeof *r.bases);
    if (r.bases == NULL)
        fail("no memory");

    r.bases[0] = global_memory(r.job, bytes);
    for (int turn = 0; turn < TURNS; ++turn) {
        double one[ROWS] = {0}, all[ROWS] = {0};
        r.count = 1;
        take_times(&r, one);
        for (long i = 1; i < many; ++i)
            r.bases[i] = global_memory(r.job, bytes);
        r.count = many;
        take_times(&r, all);
        for (long i = 1; i < many; ++i)
            free_global_memory(r.job, r.bases[i]);
        for (int row = 0; row < ROWS; ++row) {
            with_one[row][turn] = one[row];
            with_many[row][turn] = all[row];
            ratio[row][turn] = all[row] / one[row];
        }
    }
    free_global_memory(r.job, r.bases[0]);
    free(r.bases);

    if (r.job.me == 0) {
        printf("%-34s %12s %12ld %8s\n", "median us; regions", "1", many, "ratio");
        for (int row = 0; row < ROWS; ++row)
            printf("%-34s %12.2f %12.2f %8.2f\n", rows[row].name, median(with_one[row], TURNS),
                   median(with_many[row], TURNS), median(ratio[row], TURNS));
    }
    end_job();
    return 0;
}
