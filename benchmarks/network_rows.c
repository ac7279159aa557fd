/* The rows of `network` on the ARMCI that this copy is linked with. Each batch touches each place at most
 * once; what arrived is compared after each row. */
#include "side.h"

#define SPAN ((size_t)16 << 20) /* bytes of each buffer */
#define IN_FLIGHT 64
#define MOST_OPERATIONS 1024
#define SCATTER 377 /* odd, so that i * SCATTER takes all values modulo MOST_OPERATIONS */
#define MOST_ROWS 128

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

struct work_row {
    struct row is;
    struct context context; /* but for the memory */
    work what;
    work settle;  /* follows each batch off the clock, where given */
    long repeats; /* operations of a batch */
    int word;     /* all of them on one word */
};

static struct job job;
static int is_local;
static void** bases;
static char* mine;
static struct work_row rows[MOST_ROWS];
static int row_count;

/* Of the row that was prepared last. */
static struct context current;
static long batches;
static unsigned long figure;

static size_t place(const struct context* c, long i)
{
    return (size_t)(i * c->scatter % MOST_OPERATIONS) * c->pitch;
}

static void one(struct context* c, long i, armci_hdl_t* handle)
{
    const size_t at = place(c, i);
    char *const here = c->mine + at, *const there = c->theirs + at;
    const int bytes = (int)c->bytes;
    const int blocking = c->completion == BLOCKING || c->completion == FENCED;
    if (c->kind == PUT)
        blocking ? ARMCI_Put(here, there, bytes, c->target)
                 : ARMCI_NbPut(here, there, bytes, c->target, handle);
    else if (c->kind == GET)
        blocking ? ARMCI_Get(there, here, bytes, c->target)
                 : ARMCI_NbGet(there, here, bytes, c->target, handle);
    else
        blocking ? ARMCI_Acc(ARMCI_ACC_DBL, &c->scale, here, there, bytes, c->target)
                 : ARMCI_NbAcc(ARMCI_ACC_DBL, &c->scale, here, there, bytes, c->target, handle);
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

static long at_most(size_t bytes_in_all, size_t bytes, long most)
{
    const long count = (long)(bytes_in_all / bytes);
    return count < 1 ? 1 : count > most ? most : count;
}

static void add_row(const char* name, const struct context* c, work what, work settle, long repeats, int word)
{
    if (row_count == MOST_ROWS)
        fail("MOST_ROWS is too small");
    const struct work_row row = {{name, c->bytes, c->bytes}, *c, what, settle, repeats, word};
    rows[row_count++] = row;
}

static void add_word(const char* name, size_t bytes, work what, work settle)
{
    const struct context c = {.bytes = bytes};
    add_row(name, &c, what, settle, 64, 1);
}

static void add_small_streams(enum kind kind, const char* names[3])
{
    static const size_t sizes[] = {8, 32, 128, 256};
    for (int way = 0; way < 3; ++way)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            const struct context c = {.kind = kind,
                                      .completion = (enum completion)(IMPLICIT + way),
                                      .scatter = SCATTER,
                                      .bytes = sizes[i],
                                      .pitch = 4 * sizes[i]};
            add_row(names[way], &c, stream, NULL, MOST_OPERATIONS, 0);
        }
}

static void add_sizes(enum kind kind, double scale, const char* names[3])
{
    static const size_t sizes[] = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        struct context c = {.kind = kind, .scale = scale, .scatter = 1, .bytes = sizes[i], .pitch = sizes[i]};
        const long calls = at_most(SPAN / 8, c.bytes, 64);
        c.completion = BLOCKING;
        add_row(names[0], &c, blocking_calls, kind == GET ? NULL : fence, calls, 0);
        c.completion = FENCED;
        if (kind != GET)
            add_row(names[1], &c, blocking_calls, NULL, calls, 0);
        c.completion = IMPLICIT;
        add_row(names[2], &c, stream, NULL, at_most(SPAN, c.bytes, MOST_OPERATIONS), 0);
    }
}

static void add_rows(void)
{
    add_word("rmw-add-long", sizeof(long), add_long, NULL);
    add_word("rmw-add-int", sizeof(int), add_int, NULL);
    add_word("rmw-swap-long", sizeof(long), swap_long, NULL);
    add_word("put-again", sizeof(long), put_again, fence);
    add_word("put-then-get", sizeof(long), put_then_get, NULL);
    add_small_streams(PUT, (const char*[]){"nbput-implicit", "nbput-handles", "nbput-aggregate"});
    add_small_streams(GET, (const char*[]){"nbget-implicit", "nbget-handles", "nbget-aggregate"});
    add_sizes(PUT, 1, (const char*[]){"put", "put+fence", "put-stream"});
    add_sizes(GET, 1, (const char*[]){"get", "", "get-stream"});
    add_sizes(ACC, 1, (const char*[]){"acc", "acc+fence", "acc-stream"});
    add_sizes(ACC, 0.5, (const char*[]){"scaled-acc", "scaled-acc+fence", "scaled-acc-stream"});
}

static int choose(const char* word)
{
    if (strcmp(word, "--local") != 0)
        return 0;
    return is_local = 1;
}

static void begin(struct job of)
{
    job = of;
    ARMCI_Init();
    bases = global_memory(job, SPAN);
    mine = is_local ? ARMCI_Malloc_local(SPAN) : malloc(SPAN);
    if (mine == NULL)
        fail("no memory");
    memset(mine, 0, SPAN);
    memset(bases[job.me], 0, SPAN);
    add_rows();
    ARMCI_Barrier();
}

static void barrier(void)
{
    ARMCI_Barrier();
}

static void end(void)
{
    ARMCI_Barrier();
    if (is_local)
        ARMCI_Free_local(mine);
    else
        free(mine);
    free_global_memory(job, bases);
    ARMCI_Finalize();
}

static int count(void)
{
    return row_count;
}

static struct row row(int index)
{
    return rows[index].is;
}

/* The word at `at` of a buffer that only this row writes. */
static unsigned long stamp(size_t at)
{
    return figure << 32 | at;
}

static void write_stamps(char* buffer, size_t bytes)
{
    for (size_t at = 0; at < bytes; at += sizeof(long))
        *(unsigned long*)(buffer + at) = stamp(at);
}

static void put_all(size_t bytes)
{
    ARMCI_Put(current.mine, current.theirs, (int)bytes, current.target);
    ARMCI_Fence(current.target);
}

static void prepare(int index)
{
    const struct work_row* const r = &rows[index];
    struct context* const c = &current;
    *c = r->context;
    c->target = job.processes - 1;
    c->mine = mine;
    c->theirs = bases[c->target];
    batches = 0;
    ++figure;
    if (r->word) {
        memset(c->mine, 0, sizeof(long));
        put_all(sizeof(long));
        return;
    }
    const size_t used = c->scatter == 1 ? (size_t)r->repeats * c->pitch : MOST_OPERATIONS * c->pitch;
    switch (c->kind) {
    case PUT:
        write_stamps(c->mine, used);
        break;
    case GET:
        write_stamps(c->mine, used);
        put_all(used);
        memset(c->mine, 0xff, used);
        break;
    case ACC:
        memset(c->mine, 0, used);
        put_all(used);
        for (size_t at = 0; at < used; at += sizeof(double))
            *(double*)(c->mine + at) = 1;
        break;
    }
}

/* Large ones find the connection as another library's batch left it: one of their own comes first. */
static double batch(int index)
{
    const struct work_row* const r = &rows[index];
    struct bounded_work w = {r->what, r->settle, &current, r->repeats};
    if (current.bytes >= 64 << 10) {
        ++batches;
        time_bounded(&w);
    }
    ++batches;
    if (!r->word && current.kind == GET) /* so that verify() sees what this batch loses */
        for (int last = 0; last < 2; ++last)
            memset(current.mine + place(&current, last ? r->repeats - 1 : 0), 0xff, sizeof(long));
    return time_bounded(&w);
}

static void verify_word(const struct work_row* r)
{
    long last = 0;
    ARMCI_Get(current.theirs, &last, (int)r->is.bytes, current.target);
    if (last != current.value || last != r->repeats * batches)
        fail("the word is wrong at the end");
}

/* Looks at the first and the last place that were used. */
static void verify(int index)
{
    const struct work_row* const r = &rows[index];
    struct context* const c = &current;
    if (r->word) {
        verify_word(r);
        return;
    }
    for (int last = 0; last < 2; ++last) {
        const size_t at = place(c, last ? r->repeats - 1 : 0);
        if (c->kind != GET) {
            memset(c->mine + at, 0xff, c->bytes);
            ARMCI_Get(c->theirs + at, c->mine + at, (int)c->bytes, c->target);
        }
        for (size_t in = at; in < at + c->bytes; in += sizeof(long)) {
            unsigned long expected = stamp(in), found;
            const double sum = c->scale * (double)batches;
            if (c->kind == ACC)
                memcpy(&expected, &sum, sizeof expected);
            memcpy(&found, c->mine + in, sizeof found);
            if (found == expected)
                continue;
            fprintf(stderr, "%s of %zu bytes, place at %zu, byte %zu: %#lx instead of %#lx\n", r->is.name,
                    c->bytes, at, in - at, found, expected);
            fail("data is wrong");
        }
    }
}

const struct side side = {LIBRARY, "bytes", choose, begin, barrier, end, count, row, prepare, batch, verify};
