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
#include "memory.h"

#define LARGEST ((size_t)16 << 20)
#define MOST_IN_STREAM 256
#define SCATTER 97 /* odd, so that i * SCATTER takes all values modulo a power of two */

enum by { BY_ARMCI, BY_MPI, BY_COPY };
static const char* const lines[] = {"ARMCI", "MPI", "copy"};

/* One way to transfer, with bytes of its own on either side. */
struct context {
    enum by by;
    enum kind kind;
    int target;
    char* here;
    char* there;
    struct memory* window;
    size_t bytes;
    long in_stream; /* operations; 0 where each blocks */
    long repeats;   /* of a batch: operations, or streams */
    double done;
};

static double one = 1;

/* Places of a stream lie apart and come in no order that a library could join. */
static size_t place(const struct context* c, long i)
{
    return c->in_stream == 0 ? 0 : (size_t)(i * SCATTER % c->in_stream) * 2 * c->bytes;
}

static size_t used(const struct context* c)
{
    return c->in_stream == 0 ? c->bytes : (size_t)c->in_stream * 2 * c->bytes;
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

static void add_by_loop(double* sum, const double* term, size_t count)
{
    const double scale = *(volatile double*)&one;
#if defined(__x86_64__)
    if (__builtin_cpu_supports("avx2")) {
        add_avx2(sum, term, scale, count);
        return;
    }
#endif
    add(sum, term, scale, count);
}

/* Complete where it blocks. */
static void move(const struct context* c, enum kind kind, char* here, size_t at, size_t bytes, int blocks)
{
    char* const there = c->there + at;
    if (c->by == BY_ARMCI && blocks)
        transfer_fenced(kind, here, there, bytes, &one, c->target);
    else if (c->by == BY_ARMCI)
        transfer_nonblocking(kind, here, there, bytes, &one, c->target, NULL);
    else if (c->by == BY_MPI && blocks)
        mpi_flushed(c->window, kind, here, c->target, at, bytes);
    else if (c->by == BY_MPI)
        mpi_begin(c->window, kind, here, c->target, at, bytes);
    else if (kind == ACC)
        add_by_loop((double*)there, (const double*)here, bytes / sizeof(double));
    else
        out_of_line_memcpy(kind == PUT ? there : here, kind == PUT ? here : there, bytes);
}

static void finish_stream(const struct context* c)
{
    if (c->by == BY_MPI)
        MPI_Win_flush(c->target, c->window->window);
    if (c->by == BY_ARMCI)
        ARMCI_WaitProc(c->target);
    if (c->by == BY_ARMCI && c->kind != GET)
        ARMCI_Fence(c->target);
}

static void work_through(void* context, long repeats)
{
    struct context* const c = context;
    c->done += (double)repeats;
    for (; repeats > 0 && c->in_stream == 0; --repeats)
        move(c, c->kind, c->here, 0, c->bytes, 1);
    for (; repeats > 0; --repeats) {
        for (long i = 0; i < c->in_stream; ++i)
            move(c, c->kind, c->here + place(c, i), place(c, i), c->bytes, 0);
        finish_stream(c);
    }
}

/* What a batch finds in the caches is what its own kind left there: one repeat is off the clock. */
static double batch(void* context)
{
    struct context* const c = context;
    work_through(c, 1);
    return us_of(work_through, c, c->repeats) / (c->in_stream == 0 ? 1 : (double)c->in_stream);
}

/* Words that no other size and way has, so that what an earlier one left is found out. */
static unsigned long stamp(const struct context* c, size_t at)
{
    static const unsigned long prime = 1000003;
    return (((unsigned long)c->kind * prime + c->bytes) * prime + (unsigned long)c->by) * prime + at;
}

static void prepare(struct context* c, char* scratch)
{
    const size_t all = used(c);
    memset(c->here, 0, all);
    memset(scratch, 0, all);
    for (size_t at = 0; at < all; at += sizeof(long)) {
        const unsigned long word = stamp(c, at);
        if (c->kind == ACC)
            memcpy(c->here + at, &one, sizeof one);
        else
            memcpy((c->kind == PUT ? c->here : scratch) + at, &word, sizeof word);
    }
    move(c, PUT, scratch, 0, all, 1);
    c->done = 0;
    c->repeats = repeats_per_batch(work_through, c);
}

static void verify(struct context* c, char* scratch)
{
    const char* const found = c->kind == GET ? c->here : scratch;
    if (c->kind != GET)
        move(c, GET, scratch, 0, used(c), 1);
    for (long i = 0; i == 0 || i < c->in_stream; ++i)
        for (size_t at = place(c, i), end = at + c->bytes; at < end; at += sizeof(long)) {
            unsigned long expected = stamp(c, at);
            if (c->kind == ACC)
                memcpy(&expected, &c->done, sizeof expected);
            if (memcmp(found + at, &expected, sizeof expected) == 0)
                continue;
            fprintf(stderr, "%s by %s, %zu bytes: word at %zu\n", kinds[c->kind], lines[c->by], c->bytes, at);
            fail("data is wrong");
        }
}

enum shown { BANDWIDTH, TIME, STREAMS };

static void measure_size(struct context* contexts, int count, enum shown shown, char* scratch)
{
    struct way ways[MOST_WAYS];
    for (int i = 0; i < count; ++i) {
        prepare(&contexts[i], scratch);
        ways[i] = (struct way){batch, &contexts[i], 0};
    }
    measure_in_turns(ways, count);
    for (int i = 0; i < count; ++i) {
        struct context* const c = &contexts[i];
        const double us = ways[i].us, bytes = (double)c->bytes;
        verify(c, scratch);
        print_rowf(bytes,
                   shown == BANDWIDTH ? bytes / us
                   : shown == TIME    ? us
                                      : 1 / us,
                   shown == BANDWIDTH ? "MB/s"
                   : shown == TIME    ? "us"
                                      : "million/s",
                   "%s/%s", kinds[c->kind], lines[c->by]);
    }
}

static size_t span_of(enum shown shown, size_t largest)
{
    const size_t stream = MOST_IN_STREAM * 2 * largest;
    return shown != STREAMS ? largest : stream < 2 * LARGEST ? stream : 2 * LARGEST;
}

static void measure_all(int ways, int target, char* theirs, char* plain, struct memory* window,
                        enum shown shown, size_t largest)
{
    const size_t span = span_of(shown, largest);
    char* const scratch = pages(span);
    struct context contexts[3];
    for (int i = 0; i < ways; ++i)
        contexts[i] = (struct context){.by = (enum by)i,
                                       .target = target,
                                       .here = pages(span),
                                       .there = i == BY_COPY ? plain : theirs,
                                       .window = window};
    for (enum kind kind = PUT; kind < KINDS; ++kind)
        for (size_t bytes = 8; bytes <= largest; bytes *= 2) {
            for (int i = 0; i < ways; ++i) {
                struct context* const c = &contexts[i];
                c->kind = kind;
                c->bytes = bytes;
                c->in_stream = shown == STREAMS ? MOST_IN_STREAM : 0;
                while (c->in_stream > 0 && used(c) > span)
                    c->in_stream /= 2;
            }
            measure_size(contexts, ways, shown, scratch);
        }
    for (int i = 0; i < ways; ++i)
        free(contexts[i].here);
    free(scratch);
}

int main(int argc, char** argv)
{
    int shown = BANDWIDTH;
    double most = 0;
    const struct option options[] = {{"bandwidth", NULL, 0, 0, &shown, BANDWIDTH},
                                     {"time", NULL, 0, 0, &shown, TIME},
                                     {"streams", NULL, 0, 0, &shown, STREAMS},
                                     {"--largest", &most, 8, LARGEST, NULL, 0},
                                     {0}};
    const struct job job = begin_job(argc, argv, "Contiguous transfers", options);
    const size_t largest = most > 0 ? (size_t)most : shown == STREAMS ? 4 << 10 : 4 << 20;
    const size_t span = span_of((enum shown)shown, largest);
    const int ways = is_one_node(job) ? 3 : 2, target = job.processes - 1;
    void** bases = zeroed_memory(job, 2 * span); /* the second half for plain copies */
    struct memory window = open_locked_window(job, span);
    if (job.me == 0)
        measure_all(ways, target, bases[target], (char*)bases[plain_copy_process(job, target)] + span,
                    &window, (enum shown)shown, largest);
    close_locked_window(&window);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
