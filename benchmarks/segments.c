/* Strided and vector put, get and accumulate of doubles: the grid of paper 001's Fig. 4, segments of 16 B and
 * 1 KiB, 1 to 1,024 of them, as far apart again as they are long. Process 0 works on the memory of the last
 * one while the others wait in a barrier. Gets are complete when they return; puts and accumulates are fenced
 * each time. ARMCI_STRIDED_METHOD and ARMCI_IOV_METHOD choose the methods. Rows are MB/s by number of
 * segments.
 *
 *     segments [strided | vector] [--seconds S]
 *
 *     strided, vector  these calls alone
 *     --seconds S      time for each point (0.08) */
#include "bounded.h"
#include "rows.h"

#define MOST_SEGMENTS 1024
#define LONGEST 1024
#define SPACE ((size_t)2 * MOST_SEGMENTS * LONGEST)

enum kind { PUT, GET, ACC, KINDS };
static const char* const names[KINDS] = {"put", "get", "acc"};

struct context {
    enum kind kind;
    int target;
    char* mine;
    char* theirs;
    int segment; /* bytes */
    int segments;
    void* here[MOST_SEGMENTS];
    void* there[MOST_SEGMENTS];
};

static double one = 1;

static void strided(void* context, long repeats)
{
    struct context* c = context;
    int packed[1] = {c->segment}, apart[1] = {2 * c->segment}, count[2] = {c->segment, c->segments};
    while (repeats-- > 0) {
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

static void vector(void* context, long repeats)
{
    struct context* c = context;
    armci_giov_t put = {c->here, c->there, c->segment, c->segments};
    armci_giov_t get = {c->there, c->here, c->segment, c->segments};
    while (repeats-- > 0) {
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

enum layout { STRIDED, VECTOR, LAYOUTS };
static const char* const layouts[LAYOUTS] = {"strided", "vector"};
static const work calls[LAYOUTS] = {strided, vector};

/* One call, on numbers that no other brought, looked at in the first and the last double of each segment. */
static void verify(struct context* c, work call)
{
    static double number;
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
    call(c, 1);
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

static void measure_point(struct context* c, enum layout layout)
{
    char series[64];
    for (int i = 0; i < c->segments; ++i) {
        c->here[i] = c->mine + (size_t)i * (size_t)c->segment;
        c->there[i] = c->theirs + (size_t)i * 2 * (size_t)c->segment;
    }
    verify(c, calls[layout]);
    const struct figure found = measure_bounded(calls[layout], NULL, c, repeats_per_batch(calls[layout], c));
    snprintf(series, sizeof series, "%s_%d_B_%s/bandwidth", names[c->kind], c->segment, layouts[layout]);
    print_row(series, c->segments, (double)c->segment * c->segments / found.us, "MB/s");
}

int main(int argc, char** argv)
{
    int only = LAYOUTS, wrong = 0;
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], layouts[STRIDED]) == 0)
            only = STRIDED;
        else if (strcmp(argv[i], layouts[VECTOR]) == 0)
            only = VECTOR;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            budget = atof(argv[++i]);
        else
            wrong = 1;
    if (wrong || budget <= 0) {
        fprintf(stderr, "usage: segments [strided | vector] [--seconds S]\n");
        return 2;
    }

    const struct job job = begin_job(&argc, &argv, "Strided and vector transfers");
    void** bases = global_memory(job, SPACE);
    memset(bases[job.me], 0, SPACE);
    ARMCI_Barrier();
    if (job.me == 0) {
        static struct context c;
        c.target = job.processes - 1;
        c.mine = calloc(1, SPACE);
        if (c.mine == NULL)
            fail("no memory");
        c.theirs = bases[c.target];
        for (int layout = STRIDED; layout < LAYOUTS; ++layout)
            for (c.kind = PUT; c.kind < KINDS && (only == LAYOUTS || only == layout); ++c.kind)
                for (c.segment = 16; c.segment <= LONGEST; c.segment *= 64)
                    for (c.segments = 1; c.segments <= MOST_SEGMENTS; c.segments *= 2)
                        measure_point(&c, (enum layout)layout);
        free(c.mine);
    }
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
