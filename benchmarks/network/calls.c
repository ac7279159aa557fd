/* The rows of `network` on the ARMCI that this copy is linked with.
 *
 * TRANSFERS: latency with and without a fence, streams of nonblocking operations, small scattered ones; a
 * batch has a fixed number of them, each in a place of its own. STRIDED_CALLS, VECTOR_CALLS: the grid of
 * paper 001's Fig. 4, segments of 16 B and 1 KiB, 1 to 1,024 of them. COSTS: every operation by every method,
 * as points to fit models to (driver/models.py): T = a + b * bytes + c * segments; "+fence" is complete at
 * the target when the clock stops, and so are calls of several segments; otherwise the fence is off the
 * clock.
 *
 * Remote segments are as far apart again as they are long, local ones are not apart. */
#include "calls.h"

#define SPAN ((size_t)16 << 20) /* bytes of each buffer */
#define IN_FLIGHT 64
#define MOST_OPERATIONS 1024
#define MOST_SEGMENTS 1024
#define SCATTER 377 /* odd, so that i * SCATTER takes all values modulo MOST_OPERATIONS */
#define MOST_ROWS 256

enum form { BLOCKING, WAITED, IMPLICIT, HANDLES, AGGREGATE, STRIDED, VECTOR, LOOP, NB_LOOP };

struct call {
    struct row is;
    work word; /* of rows on one word; else NULL, and the rest counts */
    enum kind kind;
    enum form way;
    int fenced;  /* on the clock: each, or each IN_FLIGHT of a stream */
    int settled; /* by a fence after each batch, off the clock */
    double scale;
    size_t segment;
    int segments;
    long scatter; /* the i-th operation takes place i * scatter, modulo MOST_OPERATIONS */
    size_t pitch; /* from place to place */
    long repeats; /* operations of a batch; 0: as many as the clock wants */
};

static struct job job;
static enum list list;
static int target;
static void** bases;
static char *mine, *theirs, *scratch;
static struct call calls[MOST_ROWS];
static int call_count;

/* Of the row that was prepared last. */
static void *here[MOST_SEGMENTS], *there[MOST_SEGMENTS];
static long repeats;
static long done;  /* operations */
static long value; /* of a word */

static double stamp(size_t at)
{
    return 1 + (double)(at / sizeof(double) % 1021);
}

static size_t place(const struct call* c, long i)
{
    return (size_t)(i * c->scatter % MOST_OPERATIONS) * c->pitch;
}

static void vector(struct call* c)
{
    armci_giov_t out = {here, there, (int)c->segment, c->segments};
    armci_giov_t in = {there, here, (int)c->segment, c->segments};
    if (c->kind == PUT)
        ARMCI_PutV(&out, 1, target);
    else if (c->kind == GET)
        ARMCI_GetV(&in, 1, target);
    else
        ARMCI_AccV(ARMCI_ACC_DBL, &c->scale, &out, 1, target);
}

static void nonblocking(struct call* c, long i, armci_hdl_t* handle)
{
    transfer_nonblocking(c->kind, mine + place(c, i), theirs + place(c, i), c->segment, &c->scale, target,
                         handle);
}

static void one(struct call* c, long i)
{
    armci_hdl_t handle;
    switch (c->way) {
    case WAITED:
        ARMCI_INIT_HANDLE(&handle);
        nonblocking(c, i, &handle);
        ARMCI_Wait(&handle);
        break;
    case STRIDED:
        transfer_strided(c->kind, mine, theirs, (int)c->segment, c->segments, &c->scale, target);
        break;
    case VECTOR:
        vector(c);
        break;
    case LOOP:
        for (int s = 0; s < c->segments; ++s)
            transfer(c->kind, here[s], there[s], c->segment, &c->scale, target);
        break;
    case NB_LOOP:
        for (int s = 0; s < c->segments; ++s)
            transfer_nonblocking(c->kind, here[s], there[s], c->segment, &c->scale, target, NULL);
        ARMCI_WaitProc(target);
        break;
    default:
        transfer(c->kind, mine + place(c, i), theirs + place(c, i), c->segment, &c->scale, target);
    }
}

static void one_by_one(void* context, long times)
{
    struct call* const c = context;
    done += times;
    for (long i = 0; i < times; ++i) {
        one(c, i);
        if (c->fenced)
            ARMCI_Fence(target);
    }
}

/* Waits whenever IN_FLIGHT operations are on their way, and for the target at the end. */
static void stream(void* context, long times)
{
    struct call* const c = context;
    armci_hdl_t handles[IN_FLIGHT];
    done += times;
    for (long begun = 0; begun < times; begun += IN_FLIGHT) {
        const long in_flight = times - begun < IN_FLIGHT ? times - begun : IN_FLIGHT;
        if (c->way == AGGREGATE) {
            ARMCI_INIT_HANDLE(handles);
            ARMCI_SET_AGGREGATE_HANDLE(handles);
            for (long i = 0; i < in_flight; ++i)
                nonblocking(c, begun + i, handles);
            ARMCI_Wait(handles);
            ARMCI_UNSET_AGGREGATE_HANDLE(handles);
        } else if (c->way == HANDLES) {
            for (long i = 0; i < in_flight; ++i) {
                ARMCI_INIT_HANDLE(&handles[i]);
                nonblocking(c, begun + i, &handles[i]);
            }
            for (long i = 0; i < in_flight; ++i)
                ARMCI_Wait(&handles[i]);
        } else {
            for (long i = 0; i < in_flight; ++i)
                nonblocking(c, begun + i, NULL);
            ARMCI_WaitProc(target);
        }
        if (c->fenced)
            ARMCI_Fence(target);
    }
    if (c->kind != GET)
        ARMCI_Fence(target);
}

static void fence(void* context, long times)
{
    (void)context;
    while (times-- > 0)
        ARMCI_Fence(target);
}

/* --- Words: the target's first. --- */

static void put_word(long word)
{
    *(long*)mine = word;
    ARMCI_Put(mine, theirs, sizeof word, target);
}

static long get_word(size_t bytes)
{
    long word = 0;
    ARMCI_Get(theirs, &word, (int)bytes, target);
    return word;
}

/* Writes to one word over and over: what keeping writes to one place in order costs. */
static void put_again(void* context, long times)
{
    (void)context;
    while (times-- > 0)
        put_word(++value);
}

static void put_then_get(void* context, long times)
{
    (void)context;
    while (times-- > 0) {
        put_word(++value);
        if (get_word(sizeof value) != value)
            fail("a get came before the put");
    }
}

static void add_long(void* context, long times)
{
    (void)context;
    long before;
    while (times-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, theirs, 1, target);
        if (before != value++)
            fail("fetch-and-add drew a wrong number");
    }
}

static void add_int(void* context, long times)
{
    (void)context;
    int before;
    while (times-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD, &before, theirs, 1, target);
        if (before != value++)
            fail("fetch-and-add drew a wrong number");
    }
}

static void swap_long(void* context, long times)
{
    (void)context;
    while (times-- > 0) {
        long word = value + 1;
        ARMCI_Rmw(ARMCI_SWAP_LONG, &word, theirs, 0, target);
        if (word != value++)
            fail("swap gave a wrong number");
    }
}

static void lock_unlock(void* context, long times)
{
    (void)context;
    while (times-- > 0) {
        ARMCI_Lock(0, target);
        ARMCI_Unlock(0, target);
    }
}

/* What a program without read-modify-write would do. */
static void add_locked(void* context, long times)
{
    (void)context;
    while (times-- > 0) {
        ARMCI_Lock(0, target);
        if (get_word(sizeof value) != value)
            fail("a locked addition was lost");
        put_word(++value);
        ARMCI_Fence(target);
        ARMCI_Unlock(0, target);
    }
}

static void all_fence(void* context, long times)
{
    (void)context;
    while (times-- > 0)
        ARMCI_AllFence();
}

/* --- The lists. --- */

static struct call* add(struct call call, double x, const char* name, const char* series)
{
    if (call_count == MOST_ROWS)
        fail("MOST_ROWS is too small");
    struct call* const c = &calls[call_count++];
    *c = call;
    c->is.x = x;
    c->is.bytes = c->segment * (size_t)c->segments;
    snprintf(c->is.name, sizeof c->is.name, "%s", name);
    snprintf(c->is.series, sizeof c->is.series, "%s", series);
    return c;
}

static void add_word(const char* name, size_t bytes, work word, int settled)
{
    const struct call call = {
        .word = word, .segment = bytes, .segments = 1, .settled = settled, .repeats = IN_FLIGHT};
    add(call, (double)bytes, name, "");
}

static void add_small_streams(enum kind kind)
{
    static const size_t sizes[] = {8, 32, 128, 256};
    static const char* const ways[] = {"implicit", "handles", "aggregate"};
    char name[40], series[48];
    for (int way = 0; way < 3; ++way)
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
            const struct call call = {.kind = kind,
                                      .way = (enum form)(IMPLICIT + way),
                                      .segment = sizes[i],
                                      .segments = 1,
                                      .scatter = SCATTER,
                                      .pitch = 4 * sizes[i],
                                      .repeats = MOST_OPERATIONS};
            snprintf(name, sizeof name, "nb%s-%s", kinds[kind], ways[way]);
            snprintf(series, sizeof series, "scattered_nb%s/%s", kinds[kind], ways[way]);
            add(call, (double)sizes[i], name, series);
        }
}

static long at_most(size_t bytes_in_all, size_t bytes, long most)
{
    const long count = (long)(bytes_in_all / bytes);
    return count < 1 ? 1 : count > most ? most : count;
}

static void add_sizes(enum kind kind, const char* name, double scale)
{
    static const size_t sizes[] = {8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20, 4 << 20};
    static const struct {
        const char *end, *panel, *line;
    } forms[] = {
        {"", "latency", "blocking"}, {"+fence", "latency", "fence"}, {"-stream", "stream", "stream"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (int form = 0; form < 3; ++form) {
            const size_t bytes = sizes[i];
            const int is_stream = form == 2;
            const struct call call = {.kind = kind,
                                      .way = is_stream ? IMPLICIT : BLOCKING,
                                      .fenced = form == 1,
                                      .settled = form == 0 && kind != GET,
                                      .scale = scale,
                                      .segment = bytes,
                                      .segments = 1,
                                      .scatter = 1,
                                      .pitch = bytes,
                                      .repeats = is_stream ? at_most(SPAN, bytes, MOST_OPERATIONS)
                                                           : at_most(SPAN / 8, bytes, 64)};
            char full[40], series[48];
            snprintf(full, sizeof full, "%s%s", name, forms[form].end);
            snprintf(series, sizeof series, "%s_%s/%s", forms[form].panel, name, forms[form].line);
            if (form != 1 || kind != GET)
                add(call, (double)bytes, full, series);
        }
}

static void add_transfers(void)
{
    add_word("rmw-add-long", sizeof(long), add_long, 0);
    add_word("rmw-add-int", sizeof(int), add_int, 0);
    add_word("rmw-swap-long", sizeof(long), swap_long, 0);
    add_word("put-again", sizeof(long), put_again, 1);
    add_word("put-then-get", sizeof(long), put_then_get, 0);
    add_small_streams(PUT);
    add_small_streams(GET);
    add_sizes(PUT, "put", 1);
    add_sizes(GET, "get", 1);
    add_sizes(ACC, "acc", 1);
    add_sizes(ACC, "scaled-acc", 0.5);
}

static struct call of_segments(enum kind kind, enum form way, size_t segment, int segments)
{
    const struct call call = {.kind = kind,
                              .way = way,
                              .fenced = kind != GET,
                              .scale = 1,
                              .segment = segment,
                              .segments = segments};
    return call;
}

static void add_grid(enum form way, const char* suffix)
{
    char name[40], series[48];
    for (enum kind kind = PUT; kind < KINDS; ++kind)
        for (size_t segment = 16; segment <= 1024; segment *= 64)
            for (int segments = 1; segments <= MOST_SEGMENTS; segments *= 2) {
                snprintf(name, sizeof name, "%s_%zu_B_%s", kinds[kind], segment, suffix);
                snprintf(series, sizeof series, "%s_%zu_B_%s/bandwidth", kinds[kind], segment, suffix);
                add(of_segments(kind, way, segment, segments), segments, name, series)->is.is_rate = 1;
            }
}

static void add_cost(struct call call, const char* operation, const char* method, double x)
{
    char series[48];
    if (call.segments > 1)
        snprintf(series, sizeof series, "%s:%d/%s", operation, call.segments, method);
    else
        snprintf(series, sizeof series, "%s/%s", operation, method);
    add(call, x, operation, series)->is.tenth =
        1; /* models are of the machine, not of what else runs on it */
}

static void add_costs_of_segments(enum form way, const char* suffix, const char* method)
{
    static const struct {
        size_t bytes;
        int segments;
    } grid[] = {{16, 4},   {16, 32},   {16, 256},   {16, 1024}, {256, 4},    {256, 32}, {256, 256},
                {2048, 4}, {2048, 32}, {2048, 256}, {16384, 4}, {16384, 32}, {65536, 4}};
    for (enum kind kind = PUT; kind < KINDS; ++kind)
        for (size_t i = 0; i < sizeof grid / sizeof *grid; ++i) {
            const size_t bytes = grid[i].bytes;
            const int segments = grid[i].segments;
            char operation[32];
            if (kind == GET && strcmp(method, "packed") == 0)
                continue; /* there are no sources to pack */
            if ((segments > 32 || bytes > 16384) && way != STRIDED && way != VECTOR)
                continue; /* one by one is what others are held against */
            snprintf(operation, sizeof operation, "%s-%s", kinds[kind], suffix);
            add_cost(of_segments(kind, way, bytes, segments), operation, method, (double)bytes * segments);
        }
}

static void add_costs_of_one(enum kind kind, const char* operation, enum form way, double scale)
{
    static const size_t sizes[] = {8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
    /* What is only held against others takes fewer points. */
    const size_t step = way == WAITED || scale != 1 ? 2 : 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += step) {
        struct call call = of_segments(kind, way, sizes[i], 1);
        call.fenced = strstr(operation, "+fence") != NULL;
        call.settled = kind != GET && !call.fenced;
        call.scale = scale;
        add_cost(call, operation, "auto", (double)sizes[i]);
    }
}

static void add_costs(void)
{
    static const struct {
        const char* name;
        work word;
        size_t x;
    } words[] = {{"fetch-add", add_long, 8},      {"swap", swap_long, 8}, {"add-locked", add_locked, 8},
                 {"lock+unlock", lock_unlock, 1}, {"fence", fence, 1},    {"allfence", all_fence, 1}};
    const char* const by_strided = getenv("ARMCI_STRIDED_METHOD");
    const char* const by_vector = getenv("ARMCI_IOV_METHOD");
    /* First, so that jobs of all methods have the same past: connections and heaps remember it. */
    if (by_strided != NULL || by_vector == NULL)
        add_costs_of_segments(STRIDED, "strided", by_strided != NULL ? by_strided : "auto");
    if (by_vector != NULL || by_strided == NULL)
        add_costs_of_segments(VECTOR, "vector", by_vector != NULL ? by_vector : "auto");
    if (by_strided != NULL || by_vector != NULL)
        return; /* which change nothing else */
    add_costs_of_one(PUT, "put", BLOCKING, 1);
    add_costs_of_one(PUT, "put+fence", BLOCKING, 1);
    add_costs_of_one(PUT, "nbput+wait", WAITED, 1);
    add_costs_of_one(PUT, "nbput+wait+fence", WAITED, 1);
    add_costs_of_one(GET, "get", BLOCKING, 1);
    add_costs_of_one(GET, "nbget+wait", WAITED, 1);
    add_costs_of_one(ACC, "acc", BLOCKING, 1);
    add_costs_of_one(ACC, "acc+fence", BLOCKING, 1);
    add_costs_of_one(ACC, "acc-scaled+fence", BLOCKING, 0.5);
    for (size_t bytes = 8; bytes <= 16 << 10; bytes *= bytes < 512 ? 8 : 32) {
        struct call call = of_segments(PUT, IMPLICIT, bytes, 1);
        call.scatter = 1;
        call.pitch = bytes;
        call.repeats = IN_FLIGHT;
        add_cost(call, "nbput-stream", "auto", (double)bytes);
    }
    add_costs_of_segments(LOOP, "loop", "auto");
    add_costs_of_segments(NB_LOOP, "nbloop", "auto");
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        const struct call call = {.word = words[i].word, .segment = sizeof(long), .segments = 1};
        add_cost(call, words[i].name, "auto", (double)words[i].x);
    }
}

/* --- The side. --- */

static void begin(struct job of, enum list wanted)
{
    job = of;
    list = wanted;
    target = job.processes - 1;
    ARMCI_Init();
    bases = zeroed_memory(job, SPAN);
    theirs = bases[target];
    mine = pages(SPAN);
    scratch = pages(SPAN);
    if (list == TRANSFERS)
        add_transfers();
    else if (list == COSTS)
        add_costs();
    else
        add_grid(list == STRIDED_CALLS ? STRIDED : VECTOR, list == STRIDED_CALLS ? "strided" : "vector");
    if (list == COSTS)
        ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
}

static void barrier(void)
{
    ARMCI_Barrier();
}

static void end(void)
{
    ARMCI_Barrier();
    if (list == COSTS)
        ARMCI_Destroy_mutexes();
    free(mine);
    free(scratch);
    free_global_memory(job, bases);
    ARMCI_Finalize();
}

static int count(void)
{
    return call_count;
}

static const struct row* row(int index)
{
    return &calls[index].is;
}

static work work_of(const struct call* c)
{
    return c->word != NULL ? c->word : c->way >= IMPLICIT && c->way <= AGGREGATE ? stream : one_by_one;
}

/* Bytes of one operation at the target. */
static size_t reach_of(const struct call* c)
{
    return (size_t)(2 * c->segments - 1) * c->segment;
}

/* Bytes of all places, of operations that have so many. */
static size_t span_of(const struct call* c, size_t bytes)
{
    return c->scatter == 0 ? bytes : (size_t)(c->scatter == 1 ? c->repeats : MOST_OPERATIONS) * c->pitch;
}

/* Of operations that are messages, more than the clock wants: the first after a barrier should count little.
 * Several of what is fenced off the clock: a library may see that each is fenced at once, and complete it. */
static long repeats_of(struct call* c)
{
    const work what = work_of(c);
    const long enough = repeats_per_batch(what, c);
    const long most = c->is.bytes > 64 << 10 ? 4 : 16, least = c->settled ? 4 : 1;
    if (enough > 4)
        return enough;
    const long fit = (long)(400e-6 * (double)enough / fastest_time_of(what, c, enough));
    return fit < least ? least : fit > most ? most : fit;
}

/* The first and the last place are those that verify() looks at. */
static size_t place_to_check(const struct call* c, int last)
{
    return place(c, last ? repeats - 1 : 0);
}

static void prepare(int index)
{
    struct call* const c = &calls[index];
    const size_t bytes = span_of(c, c->is.bytes), reach = reach_of(c);
    repeats = c->repeats;
    done = value = 0;
    for (int s = 0; s < c->segments; ++s) {
        here[s] = mine + (size_t)s * c->segment;
        there[s] = theirs + (size_t)s * 2 * c->segment;
    }
    if (c->word != NULL) {
        put_word(0);
    } else if (c->kind == GET) {
        for (size_t at = 0; at < span_of(c, reach); at += sizeof(double))
            *(double*)(scratch + at) = stamp(at);
        ARMCI_Put(scratch, theirs, (int)span_of(c, reach), target);
        memset(mine, 0, bytes);
    } else {
        for (size_t at = 0; at < bytes; at += sizeof(double))
            *(double*)(mine + at) = stamp(at);
        memset(scratch, 0, reach);
        for (int last = 0; last < 2; ++last)
            ARMCI_Put(scratch, theirs + place_to_check(c, last), (int)reach, target);
    }
    ARMCI_Fence(target);
    if (repeats == 0)
        repeats = repeats_of(c);
}

/* Few calls, or large ones, find the connection as another library's batch left it: one of their own comes
 * first. */
static double batch(int index)
{
    struct call* const c = &calls[index];
    struct bounded_work w = {work_of(c), c->settled ? fence : NULL, c, repeats};
    if (list != COSTS && (c->is.bytes >= 64 << 10 || repeats < 4))
        w.what(c, c->scatter == 0 ? 1 : repeats);
    if (c->word == NULL && c->kind == GET) /* so that verify() sees what this batch loses */
        for (int last = 0; last < 2; ++last)
            memset(mine + place_to_check(c, last), 0xff, sizeof(double));
    return time_bounded(&w);
}

static void check_place(const struct call* c, size_t at)
{
    /* Each batch goes to each place once. */
    const double times = c->kind == ACC ? c->scale * (double)(c->scatter == 0 ? done : done / repeats) : 1;
    if (c->kind != GET)
        ARMCI_Get(theirs + at, scratch, (int)reach_of(c), target);
    for (int s = 0; s < c->segments; ++s)
        for (size_t i = 0; i < c->segment; i += sizeof(double)) {
            const size_t near = (size_t)s * c->segment + i, far = 2 * (size_t)s * c->segment + i;
            const double expected = c->kind == GET ? stamp(at + far) : times * stamp(at + near);
            const double found = *(double*)(c->kind == GET ? mine + at + near : scratch + far);
            const int is_gap_clean =
                c->kind == GET || s + 1 == c->segments || *(double*)(scratch + far + c->segment) == 0;
            if (found == expected && is_gap_clean)
                continue;
            fprintf(stderr, "%s, %g: place at %zu, segment %d, byte %zu: %g instead of %g\n", c->is.name,
                    c->is.x, at, s, i, found, expected);
            fail("data is wrong");
        }
}

static void verify(int index)
{
    const struct call* const c = &calls[index];
    ARMCI_Fence(target);
    if (c->word != NULL && get_word(c->is.bytes) != value)
        fail("the word is wrong at the end");
    for (int last = 0; c->word == NULL && last < 2; ++last)
        check_place(c, place_to_check(c, last));
}

const struct side side = {LIBRARY, begin, barrier, end, count, row, prepare, batch, verify};
