/* The rows of `segments` on the ARMCI that this copy is linked with. */
#include "side.h"

#define MOST_SEGMENTS 1024
#define LONGEST 1024
#define SPACE ((size_t)2 * MOST_SEGMENTS * LONGEST)
#define MOST_ROWS 132

enum kind { PUT, GET, ACC, KINDS };
static const char* const names[KINDS] = {"put", "get", "acc"};

enum layout { STRIDED, VECTOR, LAYOUTS };
static const char* const layouts[LAYOUTS] = {"strided", "vector"};

struct point {
    struct row is;
    char name[32];
    enum kind kind;
    enum layout layout;
    int segment; /* bytes */
    int segments;
};

struct context {
    enum kind kind;
    int target;
    char* mine;
    char* theirs;
    int segment;
    int segments;
    void* here[MOST_SEGMENTS];
    void* there[MOST_SEGMENTS];
};

static struct job job;
static enum layout only = LAYOUTS;
static struct point points[MOST_ROWS];
static int point_count;
static void** bases;

/* Of the row that was prepared last. */
static struct context current;
static long repeats;

static double one = 1;

static void strided(void* context, long times)
{
    struct context* c = context;
    int packed[1] = {c->segment}, apart[1] = {2 * c->segment}, count[2] = {c->segment, c->segments};
    while (times-- > 0) {
        if (c->kind == GET)
            ARMCI_GetS(c->theirs, apart, c->mine, packed, count, 1, c->target);
        else if (c->kind == PUT)
            ARMCI_PutS(c->mine, packed, c->theirs, apart, count, 1, c->target);
        else
            ARMCI_AccS(ARMCI_ACC_DBL, &one, c->mine, packed, c->theirs, apart, count, 1, c->target);
        if (c->kind != GET)
            ARMCI_Fence(c->target);
    }
}

static void vector(void* context, long times)
{
    struct context* c = context;
    armci_giov_t put = {c->here, c->there, c->segment, c->segments};
    armci_giov_t get = {c->there, c->here, c->segment, c->segments};
    while (times-- > 0) {
        if (c->kind == GET)
            ARMCI_GetV(&get, 1, c->target);
        else if (c->kind == PUT)
            ARMCI_PutV(&put, 1, c->target);
        else
            ARMCI_AccV(ARMCI_ACC_DBL, &one, &put, 1, c->target);
        if (c->kind != GET)
            ARMCI_Fence(c->target);
    }
}

static const work calls[LAYOUTS] = {strided, vector};

static int choose(const char* word)
{
    for (int layout = 0; layout < LAYOUTS; ++layout)
        if (strcmp(word, layouts[layout]) == 0) {
            only = (enum layout)layout;
            return 1;
        }
    return 0;
}

static void add_points(enum layout layout, enum kind kind, int segment)
{
    for (int segments = 1; segments <= MOST_SEGMENTS; segments *= 2) {
        if (point_count == MOST_ROWS)
            fail("MOST_ROWS is too small");
        struct point* const p = &points[point_count++];
        *p = (struct point){.kind = kind, .layout = layout, .segment = segment, .segments = segments};
        snprintf(p->name, sizeof p->name, "%s_%d_B_%s", names[kind], segment, layouts[layout]);
        p->is = (struct row){p->name, (size_t)segments, (size_t)segment * (size_t)segments};
    }
}

static void begin(struct job of)
{
    job = of;
    ARMCI_Init();
    bases = global_memory(job, SPACE);
    memset(bases[job.me], 0, SPACE);
    current.target = job.processes - 1;
    current.theirs = bases[current.target];
    current.mine = calloc(1, SPACE);
    if (current.mine == NULL)
        fail("no memory");
    for (int layout = 0; layout < LAYOUTS; ++layout)
        for (int kind = 0; kind < KINDS && (only == LAYOUTS || only == (enum layout)layout); ++kind)
            for (int segment = 16; segment <= LONGEST; segment *= 64)
                add_points((enum layout)layout, (enum kind)kind, segment);
    ARMCI_Barrier();
}

static void barrier(void)
{
    ARMCI_Barrier();
}

static void end(void)
{
    ARMCI_Barrier();
    free(current.mine);
    free_global_memory(job, bases);
    ARMCI_Finalize();
}

static int count(void)
{
    return point_count;
}

static struct row row(int index)
{
    return points[index].is;
}

/* Of operations that are messages, more than the clock wants: the first after a barrier should count little.
 */
static long repeats_of(work call)
{
    const long enough = repeats_per_batch(call, &current);
    if (enough > 4)
        return enough;
    const long fit = (long)(400e-6 * (double)enough / fastest_time_of(call, &current, enough));
    return fit < 1 ? 1 : fit > 16 ? 16 : fit;
}

static void prepare(int index)
{
    const struct point* const p = &points[index];
    struct context* const c = &current;
    c->kind = p->kind;
    c->segment = p->segment;
    c->segments = p->segments;
    for (int i = 0; i < c->segments; ++i) {
        c->here[i] = c->mine + (size_t)i * (size_t)c->segment;
        c->there[i] = c->theirs + (size_t)i * 2 * (size_t)c->segment;
    }
    repeats = repeats_of(calls[p->layout]);
}

/* Where a batch is few calls, one before them finds the connection as another library left it. */
static double batch(int index)
{
    const work call = calls[points[index].layout];
    if (repeats < 4)
        call(&current, 1);
    return 1e6 * time_of(call, &current, repeats) / (double)repeats;
}

/* One call, on numbers that no other brought, looked at in the first and the last double of each segment. */
static void verify(int index)
{
    static double number;
    const struct context* const c = &current;
    const size_t reach = 2 * (size_t)c->segment * (size_t)c->segments,
                 last = (size_t)c->segment - sizeof number;
    char* const scratch = calloc(1, reach);
    if (scratch == NULL)
        fail("no memory");
    memset(c->mine, 0, reach / 2);
    const double first = number;
    for (int i = 0; i < c->segments; ++i) {
        char* const from = c->kind == GET ? scratch + (size_t)i * 2 * (size_t)c->segment : c->here[i];
        ++number;
        memcpy(from, &number, sizeof number);
        memcpy(from + last, &number, sizeof number);
    }
    ARMCI_Put(scratch, c->theirs, (int)reach, c->target);
    ARMCI_Fence(c->target);
    calls[points[index].layout](&current, 1);
    if (c->kind != GET)
        ARMCI_Get(c->theirs, scratch, (int)reach, c->target);
    for (int i = 0; i < c->segments; ++i) {
        const char* const to = c->kind == GET ? c->here[i] : scratch + (size_t)i * 2 * (size_t)c->segment;
        const double expected = first + i + 1;
        if (memcmp(to, &expected, sizeof expected) != 0 || memcmp(to + last, &expected, sizeof expected) != 0)
            fail("a segment is wrong");
    }
    free(scratch);
}

const struct side side = {LIBRARY, "segments", choose,  begin, barrier, end,
                          count,   row,        prepare, batch, verify};
