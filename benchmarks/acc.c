/* Accumulate of doubles with a scale: one process alone, all into one place, all into places of their own;
 * the sums are checked. */
#include "measure.h"

#define LARGEST (29 << 10) /* what profiled NWChem runs accumulate on average */
#define STRIDE 1024        /* bytes between strided segments */
#define SEGMENT 464

struct context {
    struct job job;
    int target;
    double* from;
    char* to;
    int bytes;
    int strided;
    double scale;
    long done;
};

static void accumulate(void* context, long repeats)
{
    struct context* c = context;
    c->done += repeats;
    if (c->strided) {
        int stride = STRIDE;
        int count[2] = {SEGMENT, c->bytes / SEGMENT};
        while (repeats-- > 0)
            ARMCI_AccS(ARMCI_ACC_DBL, &c->scale, c->from, &stride, c->to, &stride, count, 1, c->target);
    } else {
        while (repeats-- > 0)
            ARMCI_Acc(ARMCI_ACC_DBL, &c->scale, c->from, c->to, c->bytes, c->target);
    }
}

static void report(struct context* c, const char* name, int bytes, int strided)
{
    enum { batches = 101 };
    static const char* const ways[] = {"one process", "all into one place", "all into own places"};
    const int span = strided ? bytes / SEGMENT * STRIDE : bytes;
    const long repeats = bytes < 1024 ? 1000 : 50;
    void** bases = global_memory(c->job, (size_t)span * (size_t)c->job.processes);
    c->bytes = bytes;
    c->strided = strided;
    for (int way = 0; way < 3; ++way) {
        double us[batches];
        const int takes_part = way > 0 || c->job.me == 0;
        memset(bases[c->job.me], 0, (size_t)span * (size_t)c->job.processes);
        c->to = (char*)bases[c->target] + (way == 2 ? c->job.me * span : 0);
        c->done = 0;
        ARMCI_Barrier();
        if (takes_part)
            for (int i = 0; i < batches; ++i)
                us[i] = 1e6 * time_of(accumulate, c, repeats) / (double)repeats;
        ARMCI_Barrier();
        long added = c->done;
        if (way == 1)
            MPI_Allreduce(&c->done, &added, 1, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
        double sum;
        ARMCI_Get(c->to, &sum, sizeof sum, c->target);
        if (takes_part && sum != c->scale * (double)added)
            fail("an accumulate got lost");
        ARMCI_Barrier();
        if (c->job.me == 0) {
            const double middle = median(us, batches);
            printf("%-24s %-22s %12.3f %12.0f\n", name, ways[way], middle, bytes / middle);
        }
    }
    free_global_memory(c->job, bases);
}

int main(int argc, char** argv)
{
    struct context c = {.job = begin_job(&argc, &argv, "Accumulate of doubles"), .scale = 0.5};
    c.target = c.job.processes - 1;
    c.from = malloc(LARGEST / SEGMENT * STRIDE);
    if (c.from == NULL)
        fail("no memory");
    for (size_t i = 0; i < LARGEST / SEGMENT * STRIDE / sizeof(double); ++i)
        c.from[i] = 1;
    if (c.job.me == 0)
        printf("%-24s %-22s %12s %12s\n", "", "", "median us", "MB/s each");
    report(&c, "64 B", 64, 0);
    report(&c, "29 KiB", LARGEST, 0);
    report(&c, "464 B strided", SEGMENT, 1);
    report(&c, "29 KiB, strided by 464 B", LARGEST / SEGMENT * SEGMENT, 1);
    free(c.from);
    end_job();
    return 0;
}
