/* Contiguous put, get and accumulate of doubles by size (paper 001, Fig. 3): process 0 on the memory of the
 * last one while the others wait in a barrier. Gets are complete when they return; puts and accumulates are
 * fenced, in streams of nonblocking ones at the end. The bounds take turns with the library, batch by batch:
 * `MPI`, the same in raw MPI on a window that it allocated, one flush for a fence; on a node `copy`, memcpy
 * or a loop of sums.
 *
 *     contiguous [bandwidth | time | streams] [--largest BYTES] [--seconds S]
 *
 *     bandwidth        rows are MB/s (what is printed without one of these)
 *     time             microseconds
 *     streams          million operations a second, up to 256 of them between two fences
 *     --largest BYTES  to that size (4 MiB, streams 4 KiB; at most 16 MiB)
 *     --seconds S      time for each size of an operation (0.08) */
#include "transfers.h"

#define LARGEST ((size_t)16 << 20)
#define MOST_IN_STREAM 256
#define SCATTER 97 /* odd, so that i * SCATTER takes all values modulo a power of two */

enum kind { PUT, GET, ACC, KINDS };
static const char* const kinds[KINDS] = {"put", "get", "acc"};

/* One way to transfer, with bytes of its own on either side. */
struct transfer {
    const char* line;
    work what; /* a repeat is one operation, or one stream */
    void (*fill)(struct transfer* t, const char* from, size_t bytes);
    void (*read)(struct transfer* t, char* to, size_t bytes);
    enum kind kind;
    int target;
    char* here;
    char* there;
    MPI_Win win;
    size_t bytes;
    long in_stream; /* operations; 0 where each blocks */
    long repeats;   /* of a batch */
    double done;
};

static double one = 1;

/* Places of a stream lie apart and come in no order that a library could join. */
static size_t place(const struct transfer* t, long i)
{
    return (size_t)(i * SCATTER % t->in_stream) * 2 * t->bytes;
}

static size_t used(const struct transfer* t)
{
    return t->in_stream == 0 ? t->bytes : (size_t)t->in_stream * 2 * t->bytes;
}

static void blocking_armci(void* context, long repeats)
{
    const struct transfer* const t = context;
    const int bytes = (int)t->bytes;
    while (repeats-- > 0) {
        if (t->kind == GET) {
            ARMCI_Get(t->there, t->here, bytes, t->target);
            continue;
        }
        if (t->kind == PUT)
            ARMCI_Put(t->here, t->there, bytes, t->target);
        else
            ARMCI_Acc(ARMCI_ACC_DBL, &one, t->here, t->there, bytes, t->target);
        ARMCI_Fence(t->target);
    }
}

static void stream_armci(void* context, long repeats)
{
    const struct transfer* const t = context;
    const int bytes = (int)t->bytes;
    while (repeats-- > 0) {
        for (long i = 0; i < t->in_stream; ++i) {
            char *const here = t->here + place(t, i), *const there = t->there + place(t, i);
            if (t->kind == GET)
                ARMCI_NbGet(there, here, bytes, t->target, NULL);
            else if (t->kind == PUT)
                ARMCI_NbPut(here, there, bytes, t->target, NULL);
            else
                ARMCI_NbAcc(ARMCI_ACC_DBL, &one, here, there, bytes, t->target, NULL);
        }
        ARMCI_WaitProc(t->target);
        if (t->kind != GET)
            ARMCI_Fence(t->target);
    }
}

static void issue_mpi(const struct transfer* t, size_t at)
{
    char* const here = t->here + at;
    const int bytes = (int)t->bytes, doubles = (int)(t->bytes / sizeof(double));
    if (t->kind == GET)
        MPI_Get(here, bytes, MPI_BYTE, t->target, (MPI_Aint)at, bytes, MPI_BYTE, t->win);
    else if (t->kind == PUT)
        MPI_Put(here, bytes, MPI_BYTE, t->target, (MPI_Aint)at, bytes, MPI_BYTE, t->win);
    else
        MPI_Accumulate(here, doubles, MPI_DOUBLE, t->target, (MPI_Aint)at, doubles, MPI_DOUBLE, MPI_SUM,
                       t->win);
}

static void blocking_mpi(void* context, long repeats)
{
    const struct transfer* const t = context;
    while (repeats-- > 0) {
        issue_mpi(t, 0);
        MPI_Win_flush(t->target, t->win);
    }
}

static void stream_mpi(void* context, long repeats)
{
    const struct transfer* const t = context;
    while (repeats-- > 0) {
        for (long i = 0; i < t->in_stream; ++i)
            issue_mpi(t, place(t, i));
        MPI_Win_flush(t->target, t->win);
    }
}

static inline __attribute__((always_inline)) void add(double* restrict sum, const double* restrict term,
                                                      double scale, size_t count)
{
    for (size_t k = 0; k < count; ++k)
        sum[k] += scale * term[k];
    __asm__ volatile("" ::: "memory");
}

#if defined(__x86_64__)
__attribute__((target("avx2"))) static void add_avx2(double* sum, const double* term, double scale,
                                                     size_t count)
{
    add(sum, term, scale, count);
}
#endif

static void copy_once(const struct transfer* t, size_t at)
{
    if (t->kind == ACC) {
        double* const sum = (double*)(t->there + at);
        const double* const term = (const double*)(t->here + at);
        const double scale = *(volatile double*)&one;
#if defined(__x86_64__)
        if (__builtin_cpu_supports("avx2")) {
            add_avx2(sum, term, scale, t->bytes / sizeof(double));
            return;
        }
#endif
        add(sum, term, scale, t->bytes / sizeof(double));
    } else if (t->kind == PUT) {
        out_of_line_memcpy(t->there + at, t->here + at, t->bytes);
    } else {
        out_of_line_memcpy(t->here + at, t->there + at, t->bytes);
    }
}

static void blocking_copy(void* context, long repeats)
{
    while (repeats-- > 0)
        copy_once(context, 0);
}

static void stream_copy(void* context, long repeats)
{
    const struct transfer* const t = context;
    while (repeats-- > 0)
        for (long i = 0; i < t->in_stream; ++i)
            copy_once(t, place(t, i));
}

static void fill_armci(struct transfer* t, const char* from, size_t bytes)
{
    ARMCI_Put((void*)from, t->there, (int)bytes, t->target);
    ARMCI_Fence(t->target);
}

static void read_armci(struct transfer* t, char* to, size_t bytes)
{
    ARMCI_Get(t->there, to, (int)bytes, t->target);
}

static void fill_mpi(struct transfer* t, const char* from, size_t bytes)
{
    MPI_Put(from, (int)bytes, MPI_BYTE, t->target, 0, (int)bytes, MPI_BYTE, t->win);
    MPI_Win_flush(t->target, t->win);
}

static void read_mpi(struct transfer* t, char* to, size_t bytes)
{
    MPI_Get(to, (int)bytes, MPI_BYTE, t->target, 0, (int)bytes, MPI_BYTE, t->win);
    MPI_Win_flush(t->target, t->win);
}

static void fill_copy(struct transfer* t, const char* from, size_t bytes)
{
    memcpy(t->there, from, bytes);
}

static void read_copy(struct transfer* t, char* to, size_t bytes)
{
    memcpy(to, t->there, bytes);
}

/* What a batch finds in the caches is what its own kind left there: one repeat is off the clock. */
static double batch(void* context)
{
    struct transfer* const t = context;
    t->what(t, 1);
    t->done += 1 + (double)t->repeats;
    return 1e6 * time_of(t->what, t, t->repeats) / (double)t->repeats /
           (t->in_stream == 0 ? 1 : (double)t->in_stream);
}

/* Words that no other size and way has, so that what an earlier one left is found out. */
static unsigned long stamp(const struct transfer* t, size_t at)
{
    static const unsigned long prime = 1000003;
    return (((unsigned long)t->kind * prime + t->bytes) * prime + (unsigned char)t->line[0]) * prime + at;
}

static void prepare(struct transfer* t, char* scratch)
{
    const size_t all = used(t);
    t->done = 0;
    memset(t->here, 0, all);
    memset(scratch, 0, all);
    for (size_t at = 0; at < all; at += sizeof(long)) {
        const unsigned long word = stamp(t, at);
        if (t->kind == PUT)
            memcpy(t->here + at, &word, sizeof word);
        else if (t->kind == GET)
            memcpy(scratch + at, &word, sizeof word);
        else
            memcpy(t->here + at, &one, sizeof one);
    }
    t->fill(t, scratch, all);
}

static void verify(struct transfer* t, char* scratch)
{
    const char* found = t->here;
    if (t->kind != GET) {
        memset(scratch, 0xff, used(t));
        t->read(t, scratch, used(t));
        found = scratch;
    }
    const long places = t->in_stream == 0 ? 1 : t->in_stream;
    for (long i = 0; i < places; ++i)
        for (size_t in = 0; in < t->bytes; in += sizeof(long)) {
            const size_t at = (t->in_stream == 0 ? 0 : place(t, i)) + in;
            unsigned long expected = stamp(t, at);
            if (t->kind == ACC)
                memcpy(&expected, &t->done, sizeof expected);
            if (memcmp(found + at, &expected, sizeof expected) == 0)
                continue;
            fprintf(stderr, "%s by %s, %zu bytes: word at %zu\n", kinds[t->kind], t->line, t->bytes, at);
            fail("data is wrong");
        }
}

/* Up to a whole number of operations or streams that the clock can tell. */
static long repeats_of(struct transfer* t)
{
    long repeats = 1;
    for (;; repeats *= 2) {
        t->repeats = repeats;
        double least = 1e9;
        for (int i = 0; i < 3; ++i) {
            const double begin = seconds();
            t->what(t, repeats);
            const double took = seconds() - begin;
            t->done += (double)repeats;
            least = took < least ? took : least;
        }
        if (least >= BATCH_SECONDS)
            return repeats;
    }
}

enum shown { BANDWIDTH, TIME, STREAMS };
static const char* const modes[] = {"bandwidth", "time", "streams"};

static void measure_size(struct transfer* transfers, int count, enum shown shown, char* scratch)
{
    struct way ways[MOST_WAYS];
    for (int i = 0; i < count; ++i) {
        struct transfer* const t = &transfers[i];
        prepare(t, scratch);
        t->repeats = repeats_of(t);
        const struct way way = {batch, t, 0};
        ways[i] = way;
    }
    measure_in_turns(ways, count);
    for (int i = 0; i < count; ++i) {
        struct transfer* const t = &transfers[i];
        char series[64];
        verify(t, scratch);
        snprintf(series, sizeof series, "%s/%s", kinds[t->kind], t->line);
        const double us = ways[i].us, bytes = (double)t->bytes;
        if (shown == BANDWIDTH)
            print_row(series, bytes, bytes / us, "MB/s");
        else if (shown == TIME)
            print_row(series, bytes, us, "us");
        else
            print_row(series, bytes, 1 / us, "million/s");
    }
}

static size_t span_of(enum shown shown, size_t largest)
{
    const size_t stream = MOST_IN_STREAM * 2 * largest;
    return shown != STREAMS ? largest : stream < 2 * LARGEST ? stream : 2 * LARGEST;
}

static char* touched(size_t bytes)
{
    char* const memory = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);
    if (memory == NULL)
        fail("no memory");
    memset(memory, 0, bytes);
    return memory;
}

static void measure_all(struct job job, int on_node, char* theirs, char* plain, MPI_Win win, enum shown shown,
                        size_t largest)
{
    const int streams = shown == STREAMS, target = job.processes - 1;
    const size_t span = span_of(shown, largest);
    struct transfer transfers[] = {
        {.line = "ARMCI",
         .what = streams ? stream_armci : blocking_armci,
         .fill = fill_armci,
         .read = read_armci},
        {.line = "MPI", .what = streams ? stream_mpi : blocking_mpi, .fill = fill_mpi, .read = read_mpi},
        {.line = "copy",
         .what = streams ? stream_copy : blocking_copy,
         .fill = fill_copy,
         .read = read_copy}};
    const int count = on_node ? 3 : 2;
    char* const scratch = touched(span);
    char* here[3];
    for (int i = 0; i < 3; ++i)
        here[i] = touched(span);
    for (int kind = PUT; kind < KINDS; ++kind)
        for (size_t bytes = 8; bytes <= largest; bytes *= 2) {
            for (int i = 0; i < count; ++i) {
                struct transfer* const t = &transfers[i];
                t->kind = (enum kind)kind;
                t->target = target;
                t->here = here[i];
                t->there = i == 0 ? theirs : plain;
                t->win = win;
                t->bytes = bytes;
                t->in_stream = !streams ? 0 : MOST_IN_STREAM;
                while (streams && used(t) > span)
                    t->in_stream /= 2;
            }
            measure_size(transfers, count, shown, scratch);
        }
    for (int i = 0; i < 3; ++i)
        free(here[i]);
    free(scratch);
}

int main(int argc, char** argv)
{
    enum shown shown = BANDWIDTH;
    size_t largest = 0;
    for (int i = 1; i < argc; ++i) {
        int mode = BANDWIDTH;
        while (mode <= STREAMS && strcmp(argv[i], modes[mode]) != 0)
            ++mode;
        if (mode <= STREAMS)
            shown = (enum shown)mode;
        else if (strcmp(argv[i], "--largest") == 0 && i + 1 < argc)
            largest = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            budget = atof(argv[++i]);
        else
            largest = LARGEST + 1;
    }
    if (largest == 0)
        largest = shown == STREAMS ? 4 << 10 : 4 << 20;
    if (largest < 8 || largest > LARGEST || budget <= 0) {
        fprintf(stderr,
                "usage: contiguous [bandwidth | time | streams] [--largest 8...16777216] [--seconds S]\n");
        return 2;
    }

    const struct job job = begin_job(&argc, &argv, "Contiguous transfers");
    const int on_node = is_one_node(job);
    const size_t span = span_of(shown, largest);
    void** bases = global_memory(job, 2 * span); /* the second half for plain copies */
    struct raw_window window = open_raw_window(job, span);
    memset(bases[job.me], 0, 2 * span);
    ARMCI_Barrier();
    if (job.me == 0) {
        const int target = job.processes - 1;
        measure_all(job, on_node, bases[target], (char*)bases[plain_copy_process(job, target)] + span,
                    window.win, shown, largest);
    }
    MPI_Barrier(MPI_COMM_WORLD); /* one that serves MPI's windows, on a node too */
    close_raw_window(&window);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
