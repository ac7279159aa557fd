/* Put, get and strided put on the node against an out-of-line memcpy of the same bytes in the same process.
 * Process 0 measures, to the last process; the others wait in a barrier. */
#include "measure/job.h"

#define LARGEST ((size_t)64 << 10)

struct context {
    char* local;
    char* remote;
    char* plain; /* where memcpy goes instead of `remote` */
    size_t bytes;
    int target;
    /* of strided transfers */
    int stride;
    int count[2];
};

static void put(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0)
        ARMCI_Put(c->local, c->remote, (int)c->bytes, c->target);
}

static void get(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0)
        ARMCI_Get(c->remote, c->local, (int)c->bytes, c->target);
}

static void put_strided(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0)
        ARMCI_PutS(c->local, &c->stride, c->remote, &c->stride, c->count, 1, c->target);
}

static void memcpy_there(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0)
        out_of_line_memcpy(c->plain, c->local, c->bytes);
}

static void memcpy_here(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0)
        out_of_line_memcpy(c->local, c->plain, c->bytes);
}

static void contiguous(struct context* c, const char* call, work what, work reference)
{
    for (c->bytes = 8; c->bytes <= LARGEST; c->bytes *= 2) {
        const double x = (double)c->bytes;
        const struct comparison found = compare(what, c, reference, c);
        print_rowf(x, found.ns, "ns", "%s/time", call);
        print_rowf(x, found.reference_ns, "ns", "%s/out_of_line_memcpy", call);
        print_rowf(x, found.ratio, "x", "%s_to_memcpy/time_ratio", call);
    }
}

static void strided(struct context* c)
{
    static const struct {
        int segment, segments;
    } shapes[] = {{8, 8}, {16, 4}, {32, 2}, {64, 1}, {64, 4}, {64, 16}, {64, 64}};
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        c->count[0] = shapes[i].segment;
        c->count[1] = shapes[i].segments;
        c->bytes = (size_t)(shapes[i].segment * shapes[i].segments);
        c->stride = 2 * shapes[i].segment;
        print_rowf(shapes[i].segments, compare(put_strided, c, memcpy_there, c).ratio, "x",
                   "putS_%dB_to_memcpy/time_ratio", shapes[i].segment);
    }
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(argc, argv, "Latency on the node", NULL);
    void** bases = zeroed_memory(job, LARGEST);
    if (job.me == 0) {
        struct context c = {.target = job.processes - 1, .local = pages(LARGEST)};
        memset(c.local, 1, LARGEST);
        c.remote = bases[c.target];
        c.plain = bases[plain_copy_process(job, c.target)];
        contiguous(&c, "put", put, memcpy_there);
        contiguous(&c, "get", get, memcpy_here);
        strided(&c);
        free(c.local);
    }
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
