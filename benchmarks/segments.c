/* Strided and vector put, get and accumulate of doubles: the grid of paper 001's Fig. 4, segments of 16 B and
 * 1 KiB, 1 to 1,024 of them, as far apart again as they are long. Process 0 works on the memory of the last
 * one while the others wait in a barrier. Gets are complete when they return; puts and accumulates are fenced
 * each time. */
#include "bounded.h"

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

static void measure_point(struct context* c)
{
    for (int i = 0; i < c->segments; ++i) {
        c->here[i] = c->mine + (size_t)i * (size_t)c->segment;
        c->there[i] = c->theirs + (size_t)i * 2 * (size_t)c->segment;
    }
    const double bytes = (double)c->segment * c->segments;
    const struct figure s = measure_bounded(strided, NULL, c, 2);
    const struct figure v = measure_bounded(vector, NULL, c, 2);
    printf("%-4s %8d %9d  %12.1f %12.1f  %12.1f %12.1f\n", names[c->kind], c->segment, c->segments, s.us,
           bytes / s.us, v.us, bytes / v.us);
}

int main(int argc, char** argv)
{
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
        printf("%-4s %8s %9s  %12s %12s  %12s %12s\n", "call", "bytes", "segments", "strided us", "MB/s",
               "vector us", "MB/s");
        for (c.kind = PUT; c.kind < KINDS; ++c.kind)
            for (c.segment = 16; c.segment <= LONGEST; c.segment *= 64)
                for (c.segments = 1; c.segments <= MOST_SEGMENTS; c.segments *= 4)
                    measure_point(&c);
        free(c.mine);
    }
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
