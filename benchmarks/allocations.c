/* What live allocations cost: descriptors and mappings of the process, latency of a put to one of them, time
 * of allocating and freeing one more.
 *
 *     allocations [count, 10000 by default]
 *     allocations --rows [live|processes] [--seconds S] [--most COUNT]
 *
 * Rows are by the number of live allocations, puts to any of them beside puts to as many places of one that
 * has all of their bytes, so that what places cost, which are in no cache, counts on both sides; or one point
 * at so many processes: time of an allocation and private memory that it takes of each process, beside its
 * bytes.
 */
#include <dirent.h>

#include "mpi3.h"
#include "transfers.h"

#define PROMISE 2.0

/* Of the peer each is a window, which takes MPICH tens of milliseconds to make on several hosts. */
#ifdef BENCHMARK_PEER
#define MOST_LIVE 100
#define SAME_LIVE 100
#else
#define MOST_LIVE 10000
#define SAME_LIVE 1000 /* of rows by processes */
#endif

static int open_descriptors(void)
{
    DIR* folder = opendir("/proc/self/fd");
    int count = 0;
    if (folder == NULL)
        return -1;
    while (readdir(folder) != NULL)
        ++count;
    closedir(folder);
    return count - 3; /* ".", ".." and the folder's own */
}

static int mappings(void)
{
    FILE* maps = fopen("/proc/self/maps", "r");
    int lines = 0, c;
    if (maps == NULL)
        return -1;
    while ((c = getc(maps)) != EOF)
        lines += c == '\n';
    fclose(maps);
    return lines;
}

/* Collective: `count` allocations of sizes[i % kinds] bytes; [i] are the bases by process. */
static void*** allocate_many(struct job job, int count, const size_t* sizes, int kinds)
{
    void*** all = malloc((size_t)count * sizeof *all);
    if (all == NULL)
        fail("no memory");
    for (int i = 0; i < count; ++i) {
        all[i] = global_memory(job, sizes[i % kinds]);
        memset(all[i][job.me], 0, 8);
    }
    ARMCI_Barrier();
    return all;
}

static void free_many(struct job job, void*** all, int count)
{
    ARMCI_Barrier();
    for (int i = 0; i < count; ++i)
        free_global_memory(job, all[i]);
    free(all);
}

/* Puts of 8 bytes to places in turn. */
#define TURNS (1 << 14) /* few enough to stay in the cache beside what is measured */

struct places {
    void* remote[TURNS];
    void* plain[TURNS];
    int target;
    long turn;
    double value;
};

static void put_around(void* context, long repeats)
{
    struct places* p = context;
    long turn = p->turn;
    for (; repeats > 0; --repeats, turn = (turn + 1) & (TURNS - 1))
        ARMCI_Put(&p->value, p->remote[turn], 8, p->target);
    p->turn = turn;
}

static void memcpy_around(void* context, long repeats)
{
    struct places* p = context;
    long turn = p->turn;
    for (; repeats > 0; --repeats, turn = (turn + 1) & (TURNS - 1))
        out_of_line_memcpy(p->plain[turn], &p->value, 8);
    p->turn = turn;
}

/* The same numbers in each run. */
static unsigned long next_random(void)
{
    static unsigned long state = 88172645463325252ul;
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state;
}

/* Any of the allocations. */
static void aim_at_allocations(struct job job, struct places* p, void*** all, int count)
{
    const int plain = plain_copy_process(job, p->target);
    for (int i = 0; i < TURNS; ++i) {
        const unsigned long chosen = next_random() % (unsigned long)count;
        p->remote[i] = all[chosen][p->target];
        p->plain[i] = all[chosen][plain];
    }
}

/* Any multiple of `step` bytes in one allocation. */
static void aim_inside(struct job job, struct places* p, void** bases, size_t steps, size_t step)
{
    const int plain = plain_copy_process(job, p->target);
    for (int i = 0; i < TURNS; ++i) {
        const size_t offset = (size_t)(next_random() % steps) * step;
        p->remote[i] = (char*)bases[p->target] + offset;
        p->plain[i] = (char*)bases[plain] + offset;
    }
}

/* One allocation that has `steps` places `step` bytes apart, against `count` allocations of the given sizes.
 */
static void compare_latency(struct job job, const char* title, int count, const size_t* sizes, int kinds,
                            size_t steps, size_t step)
{
    static struct places one, many;
    void** bases = global_memory(job, steps * step);
    void*** all = allocate_many(job, count, sizes, kinds);
    memset(bases[job.me], 0, steps * step);
    ARMCI_Barrier();
    if (job.me == 0) {
        one.target = many.target = job.processes - 1;
        aim_inside(job, &one, bases, steps, step);
        aim_at_allocations(job, &many, all, count);
        /* A page's first touch by this process is a fault, and no look-up. */
        put_around(&one, TURNS);
        put_around(&many, TURNS);
        memcpy_around(&one, TURNS);
        memcpy_around(&many, TURNS);
        const struct comparison c = compare(put_around, &many, put_around, &one);
        const struct comparison plain = compare(memcpy_around, &many, memcpy_around, &one);
        printf("%-42s %10.1f %10.1f %7.2fx%-6s %10.1f %10.1f %7.2fx\n", title, c.reference_ns, c.ns, c.ratio,
               c.ratio > PROMISE ? "  over" : "", plain.reference_ns, plain.ns, plain.ratio);
    }
    ARMCI_Barrier();
    free_many(job, all, count);
    free_global_memory(job, bases);
}

#define MIXED 11
static const size_t eight = 8, line = 64;
static const size_t mixed[MIXED] = {8, 24, 64, 100, 256, 1000, 1024, 4096, 10000, 32768, 100000};

static void latency(struct job job, int count)
{
    size_t total = 0;
    for (int i = 0; i < count; ++i)
        total += mixed[i % MIXED];
    if (job.me == 0)
        printf("\nput of 8 bytes                             %10s %10s %8s       %10s %10s %8s\n"
               "promise: <= %.1fx                           %10s %10s %8s       %10s %10s %8s\n",
               "to one", "to any of", "ratio", "memcpy", "memcpy", "ratio", PROMISE, "ns", "many, ns", "",
               "to one", "to many", "");
    compare_latency(job, "one of 8 B, many of 8 B", count, &eight, 1, 1, 8);
    compare_latency(job, "one, many of 64 B, same bytes in all", count, &line, 1, (size_t)count, 64);
    compare_latency(job, "one, many of 8 B to 100 kB, same in all", count, mixed, MIXED,
                    (total + 4095) / 4096, 4096);
}

#define PAIRS 301

static void allocation_time(struct job job, int count)
{
    if (job.me == 0)
        printf("\n%10s %24s %12s %12s\n", "live", "Malloc + Free, 1 kB, us", "descriptors", "mappings");
    for (int live = 1; live <= count; live = live < count && live * 10 > count ? count : live * 10) {
        static double us[PAIRS];
        void*** all = allocate_many(job, live, mixed, MIXED);
        for (int i = 0; i < PAIRS; ++i) {
            const double begin = seconds();
            free_global_memory(job, global_memory(job, 1024));
            us[i] = 1e6 * (seconds() - begin);
        }
        if (job.me == 0)
            printf("%10d %24.1f %12d %12d\n", live, median(us, PAIRS), open_descriptors(), mappings());
        free_many(job, all, live);
    }
}

struct one_more {
    struct job job;
    size_t bytes;
};

static double allocate_and_free(void* context)
{
    const struct one_more* const one = context;
    const double begin = seconds();
    free_global_memory(one->job, global_memory(one->job, one->bytes));
    return 1e6 * (seconds() - begin);
}

static void fence(void* context, long repeats)
{
    (void)repeats;
    ARMCI_Fence(((struct places*)context)->target);
}

/* Where the i-th allocation would begin in one that has the bytes of all, each on lines of its own. */
static size_t beginning(int i)
{
    size_t of_all_kinds = 0, before = 0;
    for (int kind = 0; kind < MIXED; ++kind) {
        const size_t bytes = (mixed[kind] + 63) / 64 * 64;
        of_all_kinds += bytes;
        before += kind < i % MIXED ? bytes : 0;
    }
    return (size_t)(i / MIXED) * of_all_kinds + before;
}

/* The same ones in the same order. */
static void aim_alike(struct places* many, struct places* one, void*** all, void** bases, int live)
{
    for (int i = 0; i < TURNS; ++i) {
        const int chosen = (int)(next_random() % (unsigned long)live);
        many->remote[i] = all[chosen][many->target];
        one->remote[i] = (char*)bases[one->target] + beginning(chosen);
    }
}

/* A page's first touch by this process is a fault, and no look-up. */
static void touch_alike(const struct places* p, void*** all, void** bases, int live)
{
    double zero = 0;
    for (int i = 0; i < live; ++i) {
        ARMCI_Put(&zero, all[i][p->target], sizeof zero, p->target);
        ARMCI_Put(&zero, (char*)bases[p->target] + beginning(i), sizeof zero, p->target);
    }
}

static void verify_put(const struct places* p)
{
    for (int i = 0; i < 16; ++i) { /* the first, which were put to before */
        double found = 0;
        ARMCI_Get(p->remote[i], &found, sizeof found, p->target);
        if (found != p->value)
            fail("a put did not arrive");
    }
}

static void report_put(struct job job, void*** all, void** bases, int live)
{
    static struct places many, one;
    many.target = one.target = job.processes - 1;
    many.value = one.value = live;
    many.turn = one.turn = 0;
    aim_alike(&many, &one, all, bases, live);
    touch_alike(&many, all, bases, live);
    struct bounded_work to_many = {put_around, fence, &many, 256}, to_one = {put_around, fence, &one, 256};
    struct way ways[] = {{time_bounded, &to_many, 0}, {time_bounded, &to_one, 0}};
    measure_in_turns(ways, 2);
    print_row("put/8_B_to_any", live, ways[0].us, "us");
    print_row("put/8_B_to_as_many_places_of_one", live, ways[1].us, "us");
    verify_put(&many);
    verify_put(&one);
}

static void report_by_live(struct job job, int most)
{
    for (int live = 1; live <= most; live *= 10) {
        struct one_more more = {job, 1024};
        void*** all = allocate_many(job, live, mixed, MIXED);
        const double us = measure_together(allocate_and_free, &more);
        if (job.me == 0) {
            print_row("malloc+free/1_KiB", live, us, "us");
            print_row("held/mappings", live, mappings(), "mappings");
            print_row("held/descriptors", live, open_descriptors(), "descriptors");
        }
        /* After what is held was counted. */
        void** bases = global_memory(job, beginning(live));
        for (int i = 0; i < live; ++i)
            memset((char*)bases[job.me] + beginning(i), 0, 8);
        ARMCI_Barrier();
        if (job.me == 0)
            report_put(job, all, bases, live);
        ARMCI_Barrier();
        free_global_memory(job, bases);
        free_many(job, all, live);
    }
}

/* Bytes that no other process maps: a shared page that only its owner has touched is one of them. */
static double private_memory(void)
{
    char text[256];
    double sum = 0;
    FILE* const file = fopen("/proc/self/smaps_rollup", "r");
    if (file == NULL)
        fail("no /proc/self/smaps_rollup");
    while (fgets(text, sizeof text, file) != NULL) {
        long kilobytes;
        if (sscanf(text, "Private_Clean: %ld", &kilobytes) == 1 ||
            sscanf(text, "Private_Dirty: %ld", &kilobytes) == 1)
            sum += 1024.0 * (double)kilobytes;
    }
    fclose(file);
    return sum;
}

/* Untouched allocations: what they take is the library's and MPI's. */
static void report_by_processes(struct job job, int count)
{
    struct one_more one = {job, 4096};
    void** const bases = malloc((size_t)count * (size_t)job.processes * sizeof *bases);
    if (bases == NULL)
        fail("no memory");
    memset(bases, 1, (size_t)count * (size_t)job.processes * sizeof *bases);
    allocate_and_free(&one);
    private_memory(); /* reading it takes memory, too */
    const double before = private_memory();
    for (int i = 0; i < count; ++i)
        if (ARMCI_Malloc(&bases[i * job.processes], (armci_size_t)one.bytes) != 0)
            fail("no global memory");
    const double took = private_memory() - before;
    double sum;
    MPI_Allreduce(&took, &sum, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (job.me == 0)
        print_row("memory/private", job.processes, sum / job.processes / count, "B");
    for (int i = 0; i < count; ++i)
        ARMCI_Free(bases[i * job.processes + job.me]);
    free(bases);
    const double us = measure_together(allocate_and_free, &one);
    if (job.me == 0)
        print_row("time/malloc+free_4_KiB", job.processes, us, "us");
}

static void report_rows(struct job job, int argc, char** argv)
{
    static const char* const figures[] = {"live", "processes"};
    const int by_processes = choose(&argc, &argv, figures, 2);
    double most = by_processes ? SAME_LIVE : MOST_LIVE;
    const struct number_option options[] = {{"--most", &most, 1}};
    read_options(job, argc, argv, options, 1,
                 "allocations --rows [live|processes] [--seconds S] [--most COUNT]");
    if (by_processes)
        report_by_processes(job, (int)most);
    else
        report_by_live(job, (int)most);
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(&argc, &argv, "Live allocations");
    if (argc > 1 && strcmp(argv[1], "--rows") == 0) {
        report_rows(job, argc - 2, argv + 2);
        end_job();
        return 0;
    }
    const int count = argc > 1 ? atoi(argv[1]) : 10000;
    if (count < 1)
        fail("usage: allocations [count]");

    /* What MPI opens at its first collective calls is not the allocations' doing. */
    free_global_memory(job, global_memory(job, 8));
    const int descriptors_before = open_descriptors();
    const int mappings_before = mappings();
    const double begin = seconds();
    void*** all = allocate_many(job, count, mixed, MIXED);
    const double each = 1e6 * (seconds() - begin) / count;
    if (job.me == 0) {
        printf("%d allocations of 8 B to 100 kB: %.1f us each\n", count, each);
        printf("descriptors: %d before, %d with them\n", descriptors_before, open_descriptors());
        printf("mappings:    %d before, %d with them\n", mappings_before, mappings());
    }
    free_many(job, all, count);

    latency(job, count);
    allocation_time(job, count);
    end_job();
    return 0;
}
