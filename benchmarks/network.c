/* What one process pays for the memory of the last one while the others wait in a barrier: latency of
 * blocking calls, with and without a fence, bandwidth of nonblocking streams, and the rate of small scattered
 * puts and gets. Each batch touches each place at most once; what arrived is compared after each figure.
 *
 *     network [--local] [--seconds S] [--only TEXT]
 *
 *     --local      buffers of the origin come from ARMCI_Malloc_local, not malloc
 *     --seconds S  time for each figure (0.08)
 *     --only TEXT  rows whose name contains TEXT
 *
 * A row is: name, bytes, microseconds per operation (median of batches, and what a tenth of them undercut),
 * MB/s by the median. `against_peer` reads them. */
#include "bounded.h"

#define SPAN ((size_t)16 << 20) /* bytes of each buffer */
#define IN_FLIGHT 64
#define MOST_OPERATIONS 1024
#define SCATTER 377 /* odd, so that i * SCATTER takes all values modulo MOST_OPERATIONS */

enum kind { PUT, GET, ACC };
enum completion { BLOCKING, FENCED, IMPLICIT, HANDLES, AGGREGATE };

struct context {
    int target;
    char* mine;
    char* theirs;
    size_t bytes;
    size_t pitch; /* from place to place */
    long scatter; /* the i-th operation takes place i * scatter, modulo MOST_OPERATIONS */
    enum kind kind;
    enum completion completion;
    double scale;
    long value; /* of RMW and of values put */
};

static const char* only = "";

static size_t place(const struct context* c, long i)
{
    return (size_t)(i * c->scatter % MOST_OPERATIONS) * c->pitch;
}

static void one(struct context* c, long i, armci_hdl_t* handle)
{
    const size_t at = place(c, i);
    char *const mine = c->mine + at, *const theirs = c->theirs + at;
    const int bytes = (int)c->bytes;
    const int blocking = c->completion == BLOCKING || c->completion == FENCED;
    if (c->kind == PUT)
        blocking ? ARMCI_Put(mine, theirs, bytes, c->target)
                 : ARMCI_NbPut(mine, theirs, bytes, c->target, handle);
    else if (c->kind == GET)
        blocking ? ARMCI_Get(theirs, mine, bytes, c->target)
                 : ARMCI_NbGet(theirs, mine, bytes, c->target, handle);
    else
        blocking ? ARMCI_Acc(ARMCI_ACC_DBL, &c->scale, mine, theirs, bytes, c->target)
                 : ARMCI_NbAcc(ARMCI_ACC_DBL, &c->scale, mine, theirs, bytes, c->target, handle);
}

static void fence(void* context, long repeats)
{
    (void)repeats;
    ARMCI_Fence(((struct context*)context)->target);
}

static void blocking_calls(void* context, long repeats)
{
    struct context* c = context;
    for (long i = 0; i < repeats; ++i) {
        one(c, i, NULL);
        if (c->completion == FENCED)
            ARMCI_Fence(c->target);
    }
}

/* Waits whenever IN_FLIGHT operations are on their way, and for the target at the end. */
static void stream(void* context, long repeats)
{
    struct context* c = context;
    armci_hdl_t handles[IN_FLIGHT];
    for (long begun = 0; begun < repeats; begun += IN_FLIGHT) {
        const long in_flight = repeats - begun < IN_FLIGHT ? repeats - begun : IN_FLIGHT;
        if (c->completion == AGGREGATE) {
            ARMCI_INIT_HANDLE(handles);
            ARMCI_SET_AGGREGATE_HANDLE(handles);
            for (long i = 0; i < in_flight; ++i)
                one(c, begun + i, handles);
            ARMCI_Wait(handles);
            ARMCI_UNSET_AGGREGATE_HANDLE(handles);
        } else if (c->completion == HANDLES) {
            for (long i = 0; i < in_flight; ++i) {
                ARMCI_INIT_HANDLE(&handles[i]);
                one(c, begun + i, &handles[i]);
            }
            for (long i = 0; i < in_flight; ++i)
                ARMCI_Wait(&handles[i]);
        } else {
            for (long i = 0; i < in_flight; ++i)
                one(c, begun + i, NULL);
            ARMCI_WaitProc(c->target);
        }
    }
    if (c->kind != GET)
        ARMCI_Fence(c->target);
}

/* The word at `at` of a buffer that only this figure writes. */
static unsigned long stamp(unsigned long figure, size_t at)
{
    return figure << 32 | at;
}

static void write_stamps(char* buffer, size_t bytes, unsigned long figure)
{
    for (size_t at = 0; at < bytes; at += sizeof(long))
        *(unsigned long*)(buffer + at) = stamp(figure, at);
}

static void put_all(const struct context* c, size_t bytes)
{
    ARMCI_Put(c->mine, c->theirs, (int)bytes, c->target);
    ARMCI_Fence(c->target);
}

static void prepare(struct context* c, size_t used, unsigned long figure)
{
    switch (c->kind) {
    case PUT:
        write_stamps(c->mine, used, figure);
        break;
    case GET:
        write_stamps(c->mine, used, figure);
        put_all(c, used);
        memset(c->mine, 0xff, used);
        break;
    case ACC:
        memset(c->mine, 0, used);
        put_all(c, used);
        for (size_t at = 0; at < used; at += sizeof(double))
            *(double*)(c->mine + at) = 1;
        break;
    }
}

/* Looks at the first and the last place that were used. */
static void verify(struct context* c, const char* name, long repeats, unsigned long figure, int batches)
{
    for (int last = 0; last < 2; ++last) {
        const size_t at = place(c, last ? repeats - 1 : 0);
        if (c->kind != GET) {
            memset(c->mine + at, 0xff, c->bytes);
            ARMCI_Get(c->theirs + at, c->mine + at, (int)c->bytes, c->target);
        }
        for (size_t in = at; in < at + c->bytes; in += sizeof(long)) {
            unsigned long expected = stamp(figure, in), found;
            const double sum = c->scale * batches;
            if (c->kind == ACC)
                memcpy(&expected, &sum, sizeof expected);
            memcpy(&found, c->mine + in, sizeof found);
            if (found == expected)
                continue;
            fprintf(stderr, "%s of %zu bytes, place at %zu, byte %zu: %#lx instead of %#lx\n", name, c->bytes,
                    at, in - at, found, expected);
            fail("data is wrong");
        }
    }
}

static void print_row(const char* name, size_t bytes, struct figure found)
{
    printf("%-18s %9zu %12.2f %12.2f %12.1f\n", name, bytes, found.us, found.low_us,
           (double)bytes / found.us);
}

static void report(struct context* c, const char* name, work what, work settle, long repeats)
{
    static unsigned long figure = 0;
    if (strstr(name, only) == NULL)
        return;
    const size_t used = c->scatter == 1 ? (size_t)repeats * c->pitch : MOST_OPERATIONS * c->pitch;
    prepare(c, used, ++figure);
    const struct figure found = measure_bounded(what, settle, c, repeats);
    verify(c, name, repeats, figure, found.ran);
    print_row(name, c->bytes, found);
}

static long at_most(size_t bytes_in_all, size_t bytes, long most)
{
    const long count = (long)(bytes_in_all / bytes);
    return count < 1 ? 1 : count > most ? most : count;
}

static void report_sizes(struct context* c, enum kind kind, double scale, const char* names[3])
{
    static const size_t sizes[] = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20};
    c->kind = kind;
    c->scale = scale;
    c->scatter = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        c->bytes = c->pitch = sizes[i];
        const long calls = at_most(SPAN / 8, c->bytes, 64);
        c->completion = BLOCKING;
        report(c, names[0], blocking_calls, kind == GET ? NULL : fence, calls);
        c->completion = FENCED;
        if (kind != GET)
            report(c, names[1], blocking_calls, NULL, calls);
        c->completion = IMPLICIT;
        report(c, names[2], stream, NULL, at_most(SPAN, c->bytes, MOST_OPERATIONS));
    }
}

static void report_small_streams(struct context* c, enum kind kind, const char* names[3])
{
    static const size_t sizes[] = {8, 32, 128, 256};
    c->kind = kind;
    c->scatter = SCATTER;
    for (int way = 0; way < 3; ++way)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            c->bytes = sizes[i];
            c->pitch = 4 * c->bytes;
            c->completion = (enum completion)(IMPLICIT + way);
            report(c, names[way], stream, NULL, MOST_OPERATIONS);
        }
}

/* Writes to one word over and over: what keeping writes to one place in order costs. */
static void put_again(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0) {
        *(long*)c->mine = ++c->value;
        ARMCI_Put(c->mine, c->theirs, sizeof(long), c->target);
    }
}

/* Each put is read back. */
static void put_then_get(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0) {
        *(long*)c->mine = ++c->value;
        ARMCI_Put(c->mine, c->theirs, sizeof(long), c->target);
        ARMCI_Get(c->theirs, c->mine + sizeof(long), sizeof(long), c->target);
        if (((long*)c->mine)[1] != c->value)
            fail("a get came before the put");
    }
}

static void add_long(void* context, long repeats)
{
    struct context* c = context;
    long before;
    while (repeats-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, c->theirs, 1, c->target);
        if (before != c->value++)
            fail("fetch-and-add drew a wrong number");
    }
}

static void add_int(void* context, long repeats)
{
    struct context* c = context;
    int before;
    while (repeats-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &before, c->theirs, 1, c->target);
        if (before != c->value++)
            fail("fetch-and-add drew a wrong number");
    }
}

static void swap_long(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0) {
        long value = c->value + 1;
        ARMCI_Rmw(ARMCI_SWAP_LONG, &value, c->theirs, 0, c->target);
        if (value != c->value++)
            fail("swap gave a wrong number");
    }
}

static void report_word(struct context* c, const char* name, size_t bytes, work what, work settle)
{
    if (strstr(name, only) == NULL)
        return;
    long last = 0;
    c->value = 0;
    memset(c->mine, 0, sizeof(long));
    put_all(c, sizeof(long));
    const struct figure found = measure_bounded(what, settle, c, 64);
    print_row(name, bytes, found);
    ARMCI_Get(c->theirs, &last, (int)bytes, c->target);
    if (last != c->value || last != 64L * found.ran)
        fail("the word is wrong at the end");
}

static void report_everything(struct context* c)
{
    printf("%-18s %9s %12s %12s %12s\n", "operation", "bytes", "us each", "low us", "MB/s");
    report_word(c, "rmw-add-long", sizeof(long), add_long, NULL);
    report_word(c, "rmw-add-int", sizeof(int), add_int, NULL);
    report_word(c, "rmw-swap-long", sizeof(long), swap_long, NULL);
    report_word(c, "put-again", sizeof(long), put_again, fence);
    report_word(c, "put-then-get", sizeof(long), put_then_get, NULL);
    report_small_streams(c, PUT, (const char*[]){"nbput-implicit", "nbput-handles", "nbput-aggregate"});
    report_small_streams(c, GET, (const char*[]){"nbget-implicit", "nbget-handles", "nbget-aggregate"});
    report_sizes(c, PUT, 1, (const char*[]){"put", "put+fence", "put-stream"});
    report_sizes(c, GET, 1, (const char*[]){"get", "", "get-stream"});
    report_sizes(c, ACC, 1, (const char*[]){"acc", "acc+fence", "acc-stream"});
    report_sizes(c, ACC, 0.5, (const char*[]){"scaled-acc", "scaled-acc+fence", "scaled-acc-stream"});
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(&argc, &argv, "One process and the memory of the last");
    int local = 0;
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--local") == 0)
            local = 1;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            budget = atof(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            only = argv[++i];
        else
            fail("usage: network [--local] [--seconds S] [--only TEXT]");
    }
    void** bases = global_memory(job, SPAN);
    char* const mine = local ? ARMCI_Malloc_local(SPAN) : malloc(SPAN);
    if (mine == NULL)
        fail("no memory");
    memset(mine, 0, SPAN);
    memset(bases[job.me], 0, SPAN);
    struct context c = {.target = job.processes - 1, .mine = mine, .theirs = bases[job.processes - 1]};
    ARMCI_Barrier();
    if (job.me == 0)
        report_everything(&c);
    ARMCI_Barrier();
    if (local)
        ARMCI_Free_local(mine);
    else
        free(mine);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
