/* What every operation costs, as points to fit models to (driver/models.py): T = a + b * bytes + c *
 * segments.
 *
 *     costs [--seconds S] [--allocations]
 *
 * Process 0 works on the memory of the last one while the others wait in a barrier. A row is
 * "<operation>[:<segments>]/<method>", bytes of all segments, microseconds. The method is what the settings
 * ask strided or vector calls for, "auto" otherwise; with one asked for, only such calls are measured, as it
 * changes nothing else. Remote segments are as far apart again as they are long, local ones are not apart.
 *
 * "+fence": complete at the target when the clock stops; strided, vector and loop rows of put and acc are,
 * too. Without it the fence is off the clock. "loop" is a blocking call for each segment, "nbloop" a
 * nonblocking one each and one wait.
 *
 * A tenth of the batches took less: models are of the machine, not of what else runs on it.
 *
 * --allocations: rows of time and memory of one allocation against the number of processes, instead.
 */
#include <malloc.h>

#include "bounded.h"
#include "rows.h"

#define SPACE ((size_t)2 << 20) /* of the last process; the half of it here */
#define MOST_SEGMENTS 1024
#define MOST_REPEATS 4096
#define STREAM 64 /* puts under way */

enum kind { PUT, GET, ACC, KINDS };
static const char* const kinds[KINDS] = {"put", "get", "acc"};

enum way { CONTIGUOUS, WAITED, STRIDED, VECTOR, LOOP, NB_LOOP };

struct context {
    struct job job;
    int target;
    char* mine;
    char* theirs;
    long* counter;
    enum kind kind;
    enum way way;
    int fenced;
    double scale;
    int segment; /* bytes */
    int segments;
    void* here[MOST_SEGMENTS];
    void* there[MOST_SEGMENTS];
    long done; /* operations since the last check */
};

static void one(struct context* c, int i)
{
    if (c->kind == PUT)
        ARMCI_Put(c->here[i], c->there[i], c->segment, c->target);
    else if (c->kind == GET)
        ARMCI_Get(c->there[i], c->here[i], c->segment, c->target);
    else
        ARMCI_Acc(ARMCI_ACC_DBL, &c->scale, c->here[i], c->there[i], c->segment, c->target);
}

static void one_nonblocking(struct context* c, int i, armci_hdl_t* handle)
{
    if (c->kind == PUT)
        ARMCI_NbPut(c->here[i], c->there[i], c->segment, c->target, handle);
    else if (c->kind == GET)
        ARMCI_NbGet(c->there[i], c->here[i], c->segment, c->target, handle);
    else
        ARMCI_NbAcc(ARMCI_ACC_DBL, &c->scale, c->here[i], c->there[i], c->segment, c->target, handle);
}

static void strided(struct context* c)
{
    int packed[1] = {c->segment}, apart[1] = {2 * c->segment}, count[2] = {c->segment, c->segments};
    if (c->kind == PUT)
        ARMCI_PutS(c->mine, packed, c->theirs, apart, count, 1, c->target);
    else if (c->kind == GET)
        ARMCI_GetS(c->theirs, apart, c->mine, packed, count, 1, c->target);
    else
        ARMCI_AccS(ARMCI_ACC_DBL, &c->scale, c->mine, packed, c->theirs, apart, count, 1, c->target);
}

static void vector(struct context* c)
{
    armci_giov_t out = {c->here, c->there, c->segment, c->segments};
    armci_giov_t in = {c->there, c->here, c->segment, c->segments};
    if (c->kind == PUT)
        ARMCI_PutV(&out, 1, c->target);
    else if (c->kind == GET)
        ARMCI_GetV(&in, 1, c->target);
    else
        ARMCI_AccV(ARMCI_ACC_DBL, &c->scale, &out, 1, c->target);
}

static void move(void* context, long repeats)
{
    struct context* c = context;
    c->done += repeats;
    for (; repeats > 0; --repeats) {
        armci_hdl_t handle;
        switch (c->way) {
        case CONTIGUOUS:
            one(c, 0);
            break;
        case WAITED:
            ARMCI_INIT_HANDLE(&handle);
            one_nonblocking(c, 0, &handle);
            ARMCI_Wait(&handle);
            break;
        case STRIDED:
            strided(c);
            break;
        case VECTOR:
            vector(c);
            break;
        case LOOP:
            for (int i = 0; i < c->segments; ++i)
                one(c, i);
            break;
        case NB_LOOP:
            for (int i = 0; i < c->segments; ++i)
                one_nonblocking(c, i, NULL);
            ARMCI_WaitProc(c->target);
            break;
        }
        if (c->fenced)
            ARMCI_Fence(c->target);
    }
}

static void fence(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0)
        ARMCI_Fence(c->target);
}

/* As many that a batch is long against the clock; few enough that what MPI has to keep stays small. Several
 * of what is fenced off the clock: a library may see that each is fenced at once, and complete it there. */
static long repeats_of(work what, void* context, int is_settled, long most)
{
    long repeats = is_settled ? 4 : 1;
    what(context, 1); /* first touches, first connections */
    while (repeats < most && time_of(what, context, repeats) < 2 * BATCH_SECONDS)
        repeats *= 2;
    return repeats < most ? repeats : most;
}

static void report(const char* operation, int segments, const char* method, double bytes, double us)
{
    char series[64];
    if (segments > 1)
        snprintf(series, sizeof series, "%s:%d/%s", operation, segments, method);
    else
        snprintf(series, sizeof series, "%s/%s", operation, method);
    print_row(series, bytes, us, "us");
}

static double measured(work what, work settle, struct context* c, long most)
{
    return measure_bounded(what, settle, c, repeats_of(what, c, settle != NULL, most)).low_us;
}

/* --- Moving bytes: what arrived is looked at after each point. --- */

static double stamp(int i)
{
    return 1 + i % 1021;
}

static void set_target(struct context* c, size_t bytes, int stamped)
{
    static double values[SPACE / sizeof(double)];
    for (size_t i = 0; i < bytes / sizeof(double); ++i)
        values[i] = stamped ? stamp((int)i) : 0;
    ARMCI_Put(values, c->theirs, (int)bytes, c->target);
    ARMCI_Fence(c->target);
}

/* Element i of segment s lies in the target at 2 * s * segment, with others. */
static void check_arrived(struct context* c, size_t reach)
{
    static double found[SPACE / sizeof(double)];
    const int elements = c->segment / (int)sizeof(double);
    const double times = c->kind == ACC ? c->scale * (double)c->done : 1;
    if (c->kind == GET)
        memcpy(found, c->mine, (size_t)c->segment * (size_t)c->segments);
    else
        ARMCI_Get(c->theirs, found, (int)reach, c->target);
    for (int s = 0; s < c->segments; ++s)
        for (int i = 0; i < elements; ++i) {
            const int here = s * elements + i, there = 2 * s * elements + i;
            const double expected = c->kind == GET ? stamp(there) : times * stamp(here);
            const double got = found[c->kind == GET ? here : there];
            if (got != expected)
                fail("data is wrong");
            if (c->kind != GET && s + 1 < c->segments && found[there + elements] != 0)
                fail("bytes between segments changed");
        }
}

static double cost_of_moving(struct context* c)
{
    const size_t bytes = (size_t)c->segment * (size_t)c->segments;
    const size_t reach = 2 * bytes - (size_t)c->segment;
    for (int s = 0; s < c->segments; ++s) {
        c->here[s] = c->mine + (size_t)s * (size_t)c->segment;
        c->there[s] = c->theirs + (size_t)s * 2 * (size_t)c->segment;
    }
    for (size_t i = 0; i < bytes / sizeof(double); ++i)
        ((double*)c->mine)[i] = c->kind == GET ? 0 : stamp((int)i);
    set_target(c, reach, c->kind == GET);
    c->done = 0;
    const double us =
        measured(move, c->kind == GET || c->fenced ? NULL : fence, c, bytes > (64 << 10) ? 4 : MOST_REPEATS);
    ARMCI_Fence(c->target);
    check_arrived(c, reach);
    return us;
}

static void move_contiguous(struct context* c, const char* name, enum kind kind, enum way way, int fenced,
                            double scale)
{
    static const int sizes[] = {8, 64, 512, 4 << 10, 16 << 10, 64 << 10, 256 << 10, 1 << 20};
    /* What is only held against others takes fewer points. */
    const size_t step = way == WAITED || scale != 1 ? 2 : 1;
    c->kind = kind;
    c->way = way;
    c->fenced = fenced;
    c->scale = scale;
    c->segments = 1;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i += step) {
        c->segment = sizes[i];
        report(name, 1, "auto", sizes[i], cost_of_moving(c));
    }
}

static void move_segments(struct context* c, const char* suffix, enum way way, const char* method)
{
    static const struct {
        int bytes, segments;
    } grid[] = {{16, 4},   {16, 32},   {16, 256},   {16, 1024}, {256, 4},    {256, 32}, {256, 256},
                {2048, 4}, {2048, 32}, {2048, 256}, {16384, 4}, {16384, 32}, {65536, 4}};
    c->way = way;
    c->scale = 1;
    for (c->kind = PUT; c->kind < KINDS; ++c->kind) {
        char name[32];
        if (c->kind == GET && strcmp(method, "packed") == 0)
            continue; /* there are no sources to pack */
        snprintf(name, sizeof name, "%s-%s", kinds[c->kind], suffix);
        c->fenced = c->kind != GET;
        for (size_t i = 0; i < sizeof grid / sizeof *grid; ++i) {
            if ((grid[i].segments > 32 || grid[i].bytes > 16384) && way != STRIDED && way != VECTOR)
                continue; /* one by one is what others are held against */
            c->segment = grid[i].bytes;
            c->segments = grid[i].segments;
            report(name, c->segments, method, (double)c->segment * c->segments, cost_of_moving(c));
        }
    }
}

/* Time of one of a stream of nonblocking puts, STREAM of them under way, complete at the end. */
static void stream(void* context, long repeats)
{
    struct context* c = context;
    for (; repeats > 0; --repeats) {
        for (int i = 0; i < STREAM; ++i)
            ARMCI_NbPut(c->mine + i * c->segment, c->theirs + i * c->segment, c->segment, c->target, NULL);
        ARMCI_WaitProc(c->target);
        ARMCI_Fence(c->target);
    }
}

static void move_streams(struct context* c)
{
    for (c->segment = 8; c->segment <= 16 << 10; c->segment *= c->segment < 512 ? 8 : 32) {
        const int elements = STREAM * c->segment / (int)sizeof(double);
        static double found[STREAM * (16 << 10) / sizeof(double)];
        for (int i = 0; i < elements; ++i)
            ((double*)c->mine)[i] = stamp(i);
        set_target(c, (size_t)STREAM * (size_t)c->segment, 0);
        report("nbput-stream", 1, "auto", c->segment, measured(stream, NULL, c, 16) / STREAM);
        ARMCI_Get(c->theirs, found, elements * (int)sizeof(double), c->target);
        for (int i = 0; i < elements; ++i)
            if (found[i] != stamp(i))
                fail("a stream lost data");
    }
}

/* --- Words, mutexes and fences. --- */

static void fetch_add(void* context, long repeats)
{
    struct context* c = context;
    long before;
    while (repeats-- > 0) {
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &before, c->counter, 1, c->target);
        if (before != c->done++)
            fail("fetch-and-add drew a wrong number");
    }
}

static void swap(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0) {
        long value = c->done + 1;
        ARMCI_Rmw(ARMCI_SWAP_LONG, &value, c->counter, 0, c->target);
        if (value != c->done++)
            fail("swap gave a wrong number");
    }
}

static void lock_unlock(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0) {
        ARMCI_Lock(0, c->target);
        ARMCI_Unlock(0, c->target);
    }
}

/* What a program without read-modify-write would do. */
static void add_locked(void* context, long repeats)
{
    struct context* c = context;
    long value;
    while (repeats-- > 0) {
        ARMCI_Lock(0, c->target);
        ARMCI_Get(c->counter, &value, sizeof value, c->target);
        if (value++ != c->done++)
            fail("a locked addition was lost");
        ARMCI_Put(&value, c->counter, sizeof value, c->target);
        ARMCI_Fence(c->target);
        ARMCI_Unlock(0, c->target);
    }
}

static void all_fence(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_AllFence();
}

static void word(struct context* c, const char* name, work what)
{
    long zero = 0, last = 0;
    ARMCI_Put(&zero, c->counter, sizeof zero, c->target);
    ARMCI_Fence(c->target);
    c->done = 0;
    report(name, 1, "auto", sizeof(long), measured(what, NULL, c, MOST_REPEATS));
    ARMCI_Fence(c->target);
    ARMCI_Get(c->counter, &last, sizeof last, c->target);
    if (last != c->done)
        fail("the word is wrong at the end");
}

static void alone(struct context* c, const char* strided_method, const char* vector_method)
{
    /* First, so that jobs of all methods have the same past: connections and heaps remember it. */
    if (strided_method != NULL || vector_method == NULL)
        move_segments(c, "strided", STRIDED, strided_method != NULL ? strided_method : "auto");
    if (vector_method != NULL || strided_method == NULL)
        move_segments(c, "vector", VECTOR, vector_method != NULL ? vector_method : "auto");
    if (strided_method == NULL && vector_method == NULL) {
        move_contiguous(c, "put", PUT, CONTIGUOUS, 0, 1);
        move_contiguous(c, "put+fence", PUT, CONTIGUOUS, 1, 1);
        move_contiguous(c, "nbput+wait", PUT, WAITED, 0, 1);
        move_contiguous(c, "nbput+wait+fence", PUT, WAITED, 1, 1);
        move_contiguous(c, "get", GET, CONTIGUOUS, 0, 1);
        move_contiguous(c, "nbget+wait", GET, WAITED, 0, 1);
        move_contiguous(c, "acc", ACC, CONTIGUOUS, 0, 1);
        move_contiguous(c, "acc+fence", ACC, CONTIGUOUS, 1, 1);
        move_contiguous(c, "acc-scaled+fence", ACC, CONTIGUOUS, 1, 0.5);
        move_streams(c);
        move_segments(c, "loop", LOOP, "auto");
        move_segments(c, "nbloop", NB_LOOP, "auto");
        word(c, "fetch-add", fetch_add);
        word(c, "swap", swap);
        word(c, "add-locked", add_locked);
        report("lock+unlock", 1, "auto", 1, measured(lock_unlock, NULL, c, MOST_REPEATS));
        report("fence", 1, "auto", 1, measured(fence, NULL, c, MOST_REPEATS));
        report("allfence", 1, "auto", 1, measured(all_fence, NULL, c, MOST_REPEATS));
    }
}

/* --- Calls of all processes: batches of one length, as everybody must make the same. --- */

static void barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        ARMCI_Barrier();
}

static void fence_and_message_barrier(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0) {
        ARMCI_AllFence();
        armci_msg_barrier();
    }
}

static void put_to_next(struct context* c)
{
    ARMCI_Put(&c->scale, c->theirs, sizeof c->scale, (c->job.me + 1) % c->job.processes);
}

static void put_barrier(void* context, long repeats)
{
    while (repeats-- > 0) {
        put_to_next(context);
        ARMCI_Barrier();
    }
}

static void put_fence_and_message_barrier(void* context, long repeats)
{
    while (repeats-- > 0) {
        put_to_next(context);
        ARMCI_AllFence();
        armci_msg_barrier();
    }
}

/* Process 0 decides when there were enough batches. */
static double together(work what, void* context, long repeats)
{
    double us[MOST_BATCHES];
    int batches = 0, more = 1;
    const double begin = seconds();
    what(context, repeats);
    while (more) {
        MPI_Barrier(MPI_COMM_WORLD);
        us[batches++] = 1e6 * time_of(what, context, repeats) / (double)repeats;
        more = batches < MOST_BATCHES && (batches < LEAST_BATCHES || seconds() - begin < budget);
        MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
    }
    median(us, batches); /* sorts */
    return us[batches / 10];
}

static void all_of_us(struct context* c, void** bases)
{
    static const struct {
        const char* name;
        work what;
    } calls[] = {{"barrier", barrier},
                 {"allfence+msg-barrier", fence_and_message_barrier},
                 {"put+barrier", put_barrier},
                 {"put+allfence+msg-barrier", put_fence_and_message_barrier}};
    c->theirs = bases[(c->job.me + 1) % c->job.processes];
    for (size_t i = 0; i < sizeof calls / sizeof *calls; ++i) {
        const double us = together(calls[i].what, c, 8);
        if (c->job.me == 0)
            report(calls[i].name, 1, "auto", 1, us);
    }
}

/* --- Allocations. --- */

static void allocate_and_free(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0)
        free_global_memory(c->job, global_memory(c->job, 64));
}

/* Bytes of this process's heap: the library's and MPI's books of what lives. */
static double heap_bytes(void)
{
    const struct mallinfo2 info = mallinfo2();
    return (double)info.uordblks + (double)info.hblkhd;
}

static void measure_allocations(struct context* c)
{
    enum { live = 100 };
    void** bases[live];
    const double us = together(allocate_and_free, c, 2);
    const double before = heap_bytes();
    for (int i = 0; i < live; ++i)
        bases[i] = global_memory(c->job, 64);
    /* The caller's array of addresses is no book of the library's. */
    const double own = (double)malloc_usable_size(bases[0]) + sizeof(size_t);
    double bytes = (heap_bytes() - before) / live - own, most;
    MPI_Reduce(&bytes, &most, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    for (int i = 0; i < live; ++i)
        free_global_memory(c->job, bases[i]);
    if (c->job.me == 0) {
        print_row("allocation-time/malloc+free", c->job.processes, us, "us");
        print_row("allocation-memory/heap", c->job.processes, most > 0 ? most : 0, "B");
    }
}

static int options(int argc, char** argv, int* allocations)
{
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--allocations") == 0)
            *allocations = 1;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc && atof(argv[i + 1]) > 0)
            budget = atof(argv[++i]);
        else
            return 0;
    }
    return 1;
}

int main(int argc, char** argv)
{
    static struct context c;
    int allocations = 0;
    budget = 0.03;
    c.job = start_job(&argc, &argv);
    if (!options(argc, argv, &allocations)) {
        if (c.job.me == 0)
            fputs("usage: costs [--seconds S] [--allocations]\n", stderr);
        MPI_Finalize();
        return 2;
    }
    ARMCI_Init();
    if (c.job.me == 0)
        printf("Costs, on %s, %d processes\n", LIBRARY, c.job.processes);
    if (allocations) {
        measure_allocations(&c);
        end_job();
        return 0;
    }
    void** bases = global_memory(c.job, SPACE);
    void** counters = global_memory(c.job, sizeof(long));
    memset(bases[c.job.me], 0, SPACE);
    ARMCI_Create_mutexes(1);
    ARMCI_Barrier();
    c.target = c.job.processes - 1;
    c.theirs = bases[c.target];
    c.counter = counters[c.target];
    if (c.job.me == 0) {
        c.mine = malloc(SPACE / 2);
        if (c.mine == NULL)
            fail("no memory");
        alone(&c, getenv("ARMCI_STRIDED_METHOD"), getenv("ARMCI_IOV_METHOD"));
        free(c.mine);
    }
    ARMCI_Barrier();
    if (getenv("ARMCI_STRIDED_METHOD") == NULL && getenv("ARMCI_IOV_METHOD") == NULL)
        all_of_us(&c, bases);
    ARMCI_Destroy_mutexes();
    free_global_memory(c.job, counters);
    free_global_memory(c.job, bases);
    end_job();
    return 0;
}
