/* What live allocations cost: descriptors and mappings of the process, a put to any of them, time of one
 * more.
 *
 *     allocations [live | processes | heap] [--most COUNT] [--seconds S]
 *
 * live: by the number of live allocations; puts to any of them beside puts to as many places of one that has
 * all of their bytes, so that what places cost, which are in no cache, counts on both sides. processes: one
 * point at so many; time of an allocation, and private memory that it takes of each process beside its bytes.
 * heap: the same by the heap of the process that has most (paper 003). */
#include <dirent.h>
#include <malloc.h>

#include "measure/job.h"

/* Of the peer each is a window, which takes MPICH tens of milliseconds to make on several hosts. */
#ifdef BENCHMARK_PEER
#define MOST_LIVE 100
#define SAME_LIVE 100
#else
#define MOST_LIVE 10000
#define SAME_LIVE 1000 /* of rows by processes */
#endif

enum figure_of { LIVE, PROCESSES, HEAP };

static int open_descriptors(void)
{
    DIR* const folder = opendir("/proc/self/fd");
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
    FILE* const maps = fopen("/proc/self/maps", "r");
    int lines = 0, c;
    if (maps == NULL)
        return -1;
    while ((c = getc(maps)) != EOF)
        lines += c == '\n';
    fclose(maps);
    return lines;
}

#define MIXED 11
static const size_t mixed[MIXED] = {8, 24, 64, 100, 256, 1000, 1024, 4096, 10000, 32768, 100000};

/* Collective: `count` allocations, of `bytes` or, where that is 0, of mixed sizes; [i] are the bases by
 * process. */
static void*** allocate_many(struct job job, int count, size_t bytes)
{
    void*** const all = not_null(malloc((size_t)count * sizeof *all));
    for (int i = 0; i < count; ++i)
        all[i] = global_memory(job, bytes > 0 ? bytes : mixed[i % MIXED]);
    return all;
}

static void free_many(struct job job, void*** all, int count)
{
    ARMCI_Barrier();
    for (int i = 0; i < count; ++i)
        free_global_memory(job, all[i]);
    free(all);
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

/* Puts of 8 bytes to places in turn. */
#define TURNS (1 << 14) /* few enough to stay in the cache beside what is measured */

struct places {
    char* remote[TURNS];
    int target;
    long turn;
    double value;
};

static void put_around(void* context, long repeats)
{
    struct places* const p = context;
    long turn = p->turn;
    for (; repeats > 0; --repeats, turn = (turn + 1) & (TURNS - 1))
        ARMCI_Put(&p->value, p->remote[turn], 8, p->target);
    p->turn = turn;
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

static void verify_put(const struct places* p)
{
    for (int i = 0; i < 16; ++i) { /* the first, which were put to before */
        double found = 0;
        ARMCI_Get(p->remote[i], &found, sizeof found, p->target);
        if (found != p->value)
            fail("a put did not arrive");
    }
}

/* To any of the allocations, and to the same ones' places in `one`, in the same order. */
static void report_put(struct job job, void*** all, void** bases, int live)
{
    static struct places many, one;
    double zero = 0;
    many.target = one.target = job.processes - 1;
    many.value = one.value = live;
    many.turn = one.turn = 0;
    for (int i = 0; i < TURNS; ++i) {
        static unsigned seed = 1; /* the same numbers in each run */
        const int chosen = rand_r(&seed) % live;
        many.remote[i] = all[chosen][many.target];
        one.remote[i] = (char*)bases[one.target] + beginning(chosen);
    }
    for (int i = 0; i < live; ++i) { /* a page's first touch by this process is a fault, and no look-up */
        ARMCI_Put(&zero, all[i][many.target], sizeof zero, many.target);
        ARMCI_Put(&zero, (char*)bases[one.target] + beginning(i), sizeof zero, one.target);
    }
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
        void*** const all = allocate_many(job, live, 0);
        for (int i = 0; i < live; ++i)
            memset(all[i][job.me], 0, 8);
        ARMCI_Barrier();
        const double us = measure_together(allocate_and_free, &more).us;
        print_point(job, "malloc+free/1_KiB", live, us, "us");
        print_point(job, "held/mappings", live, mappings(), "mappings");
        print_point(job, "held/descriptors", live, open_descriptors(), "descriptors");
        /* After what is held was counted. */
        void** const bases = global_memory(job, beginning(live));
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
static double private_bytes(void)
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

/* The library's and MPI's books of what lives. */
static double heap_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

/* Collective: what each of `count` untouched allocations takes of this process, beside the callers' lists. */
static double bytes_of_each(struct job job, int count, size_t bytes, double (*held)(void))
{
    const size_t list = (size_t)count * (size_t)job.processes * sizeof(void*);
    void** const bases = not_null(malloc(list));
    memset(bases, 1, list);
    held(); /* reading it takes memory, too */
    const double before = held();
    for (int i = 0; i < count; ++i)
        if (ARMCI_Malloc(&bases[i * job.processes], (armci_size_t)bytes) != 0)
            fail("no global memory");
    const double took = held() - before;
    for (int i = 0; i < count; ++i)
        ARMCI_Free(bases[i * job.processes + job.me]);
    free(bases);
    return took / count;
}

static void report_by_processes(struct job job, int count)
{
    struct one_more one = {job, 4096};
    allocate_and_free(&one);
    double bytes = bytes_of_each(job, count, one.bytes, private_bytes);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    print_point(job, "memory/private", job.processes, bytes / job.processes, "B");
    print_point(job, "time/malloc+free_4_KiB", job.processes, measure_together(allocate_and_free, &one).us,
                "us");
}

static void report_heap(struct job job)
{
    struct one_more one = {job, 64};
    print_point(job, "allocation-time/malloc+free", job.processes,
                measure_together(allocate_and_free, &one).low_us, "us");
    double bytes = bytes_of_each(job, 100, one.bytes, heap_bytes);
    MPI_Allreduce(MPI_IN_PLACE, &bytes, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    print_point(job, "allocation-memory/heap", job.processes, bytes > 0 ? bytes : 0, "B");
}

int main(int argc, char** argv)
{
    int figure = LIVE;
    double most = 0;
    const struct option options[] = {{"live", NULL, 0, 0, &figure, LIVE},
                                     {"processes", NULL, 0, 0, &figure, PROCESSES},
                                     {"heap", NULL, 0, 0, &figure, HEAP},
                                     {"--most", &most, 1, 1e6, NULL, 0},
                                     {0}};
    const struct job job = begin_job(argc, argv, "Live allocations", options);
    if (figure == LIVE)
        report_by_live(job, most > 0 ? (int)most : MOST_LIVE);
    else if (figure == PROCESSES)
        report_by_processes(job, most > 0 ? (int)most : SAME_LIVE);
    else
        report_heap(job);
    end_job();
    return 0;
}
