/* Put, get and strided put on the node against an out-of-line memcpy of the same bytes in the same process.
 * Process 0 measures, to the last process; the others wait in a barrier. */
#include "measure.h"
#include "rows.h"

#define PROMISE 3.0
#define LARGEST ((size_t)64 << 10)

struct transfer {
    char* local;
    char* remote;
    char* plain; /* where memcpy goes instead of `remote` */
    int bytes;
    int target;
    /* of strided transfers */
    int stride;
    int count[2];
};

static void put(void* context, long repeats)
{
    const struct transfer* t = context;
    while (repeats-- > 0)
        ARMCI_Put(t->local, t->remote, t->bytes, t->target);
}

static void get(void* context, long repeats)
{
    const struct transfer* t = context;
    while (repeats-- > 0)
        ARMCI_Get(t->remote, t->local, t->bytes, t->target);
}

static void put_strided(void* context, long repeats)
{
    struct transfer* t = context;
    while (repeats-- > 0)
        ARMCI_PutS(t->local, &t->stride, t->remote, &t->stride, t->count, 1, t->target);
}

static void memcpy_there(void* context, long repeats)
{
    const struct transfer* t = context;
    while (repeats-- > 0)
        out_of_line_memcpy(t->plain, t->local, (size_t)t->bytes);
}

static void memcpy_here(void* context, long repeats)
{
    const struct transfer* t = context;
    while (repeats-- > 0)
        out_of_line_memcpy(t->local, t->plain, (size_t)t->bytes);
}

static void memcpy_segments(void* context, long repeats)
{
    const struct transfer* t = context;
    while (repeats-- > 0)
        for (int i = 0; i < t->count[1]; ++i)
            out_of_line_memcpy(t->plain + (size_t)i * (size_t)t->stride,
                               t->local + (size_t)i * (size_t)t->stride, (size_t)t->count[0]);
}

static void contiguous(struct transfer* t)
{
    printf("\n%-8s %10s  %12s %12s  %8s   promise: <= %.1fx\n", "call", "bytes", "ns", "memcpy ns", "ratio",
           PROMISE);
    for (int direction = 0; direction < 2; ++direction)
        for (size_t bytes = 8; bytes <= LARGEST; bytes *= 2) {
            t->bytes = (int)bytes;
            const struct comparison c =
                direction == 0 ? compare(put, t, memcpy_there, t) : compare(get, t, memcpy_here, t);
            const char* const call = direction == 0 ? "put" : "get";
            char series[32];
            printf("%-8s %10zu  %12.1f %12.1f  %7.2fx%s\n", call, bytes, c.ns, c.reference_ns, c.ratio,
                   c.ratio > PROMISE ? "  over" : "");
            snprintf(series, sizeof series, "%s/time", call);
            print_row_if_asked(series, (double)bytes, c.ns, "ns");
            snprintf(series, sizeof series, "%s/out_of_line_memcpy", call);
            print_row_if_asked(series, (double)bytes, c.reference_ns, "ns");
            snprintf(series, sizeof series, "%s_to_memcpy/time_ratio", call);
            print_row_if_asked(series, (double)bytes, c.ratio, "x");
        }
}

static void strided(struct transfer* t)
{
    static const struct {
        int segment, segments;
    } shapes[] = {{8, 8}, {16, 4}, {32, 2}, {64, 1}, {64, 4}, {64, 16}, {64, 64}};

    printf("\n%-8s %10s  %12s %12s  %8s   promise: <= %.1fx %20s  %8s\n", "call", "shape", "ns", "memcpy ns",
           "ratio", PROMISE, "memcpy/segment ns", "ratio");
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; ++i) {
        t->count[0] = shapes[i].segment;
        t->count[1] = shapes[i].segments;
        t->bytes = shapes[i].segment * shapes[i].segments;
        t->stride = 2 * shapes[i].segment;
        const struct comparison whole = compare(put_strided, t, memcpy_there, t);
        const struct comparison pieces = compare(put_strided, t, memcpy_segments, t);
        char shape[32];
        snprintf(shape, sizeof shape, "%d x %d B", shapes[i].segments, shapes[i].segment);
        printf("%-8s %10s  %12.1f %12.1f  %7.2fx%-17s %20.1f  %7.2fx\n", "putS", shape, whole.ns,
               whole.reference_ns, whole.ratio, whole.ratio > PROMISE ? "  over" : "", pieces.reference_ns,
               pieces.ratio);
        snprintf(shape, sizeof shape, "putS_%dB_to_memcpy/time_ratio", shapes[i].segment);
        print_row_if_asked(shape, shapes[i].segments, whole.ratio, "x");
    }
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(&argc, &argv, "Latency on the node");
    void** bases = global_memory(job, LARGEST);
    memset(bases[job.me], 0, LARGEST);
    ARMCI_Barrier();
    if (job.me == 0) {
        struct transfer t = {0};
        t.target = job.processes - 1;
        t.local = aligned_alloc(64, LARGEST);
        if (t.local == NULL)
            fail("no memory");
        memset(t.local, 1, LARGEST);
        t.remote = bases[t.target];
        t.plain = bases[plain_copy_process(job, t.target)];
        contiguous(&t);
        strided(&t);
        free(t.local);
    }
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
