/* How much of a nonblocking transfer goes on behind computation that makes no call, or only ARMCI_Test now
 * and then. Process 0 works on the memory of the last process while the others wait in a barrier.
 *
 * With a transfer that takes T alone (started and waited for at once) and computation that takes C alone,
 * close to T, and both together E, the part hidden is (T + C - E) / min(T, C). */
#include "bounded.h"

#define LARGEST ((size_t)4 << 20)
#define TESTS 16

enum kind { PUT, PUT_FENCED, GET };

struct context {
    enum kind kind;
    int target;
    char* mine;
    char* theirs;
    int bytes;
    long computation; /* turns */
    int tests;        /* in between */
};

static volatile double number = 0.5; /* which the compiler cannot know */

static void turns(long count)
{
    double x = number;
    for (long i = 0; i < count; ++i)
        x = x * 0.999999 + 1e-6;
    number = x;
}

static void start(struct context* c, armci_hdl_t* handle)
{
    ARMCI_INIT_HANDLE(handle);
    if (c->kind == GET)
        ARMCI_NbGet(c->theirs, c->mine, c->bytes, c->target, handle);
    else
        ARMCI_NbPut(c->mine, c->theirs, c->bytes, c->target, handle);
}

static void finish(struct context* c, armci_hdl_t* handle)
{
    ARMCI_Wait(handle);
    if (c->kind == PUT_FENCED)
        ARMCI_Fence(c->target);
}

static void transfer(void* context, long repeats)
{
    armci_hdl_t handle;
    while (repeats-- > 0) {
        start(context, &handle);
        finish(context, &handle);
    }
}

static void compute(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0)
        turns(c->computation);
}

static void both(void* context, long repeats)
{
    struct context* c = context;
    armci_hdl_t handle;
    while (repeats-- > 0) {
        start(c, &handle);
        if (c->tests == 0)
            turns(c->computation);
        for (int i = 0; i < c->tests; ++i) {
            turns(c->computation / c->tests);
            ARMCI_Test(&handle);
        }
        finish(c, &handle);
    }
}

static void settle(void* context, long repeats)
{
    (void)repeats;
    ARMCI_Fence(((struct context*)context)->target);
}

/* Turns of computation in a microsecond. */
static double turns_per_us(void)
{
    double rate[11];
    for (int i = 0; i < 11; ++i) {
        const double begin = seconds();
        turns(100000);
        rate[i] = 100000 / (1e6 * (seconds() - begin));
    }
    return median(rate, 11);
}

static void fill(char* buffer, int bytes, unsigned long salt)
{
    for (int at = 0; at < bytes; at += (int)sizeof salt) {
        const unsigned long word = salt << 32 | (unsigned long)at;
        memcpy(buffer + at, &word, sizeof word);
    }
}

static int filled(const char* buffer, int bytes, unsigned long salt)
{
    for (int at = 0; at < bytes; at += (int)sizeof salt) {
        const unsigned long word = salt << 32 | (unsigned long)at;
        if (memcmp(buffer + at, &word, sizeof word) != 0)
            return 0;
    }
    return 1;
}

static void report(struct context* c, const char* name, int tests)
{
    static unsigned long salt = 0;
    fill(c->mine, c->bytes, ++salt);
    if (c->kind == GET) {
        ARMCI_Put(c->mine, c->theirs, c->bytes, c->target);
        ARMCI_Fence(c->target);
        memset(c->mine, 0, (size_t)c->bytes);
    }
    c->tests = tests;
    const double alone = measure_bounded(transfer, settle, c, 1).us;
    c->computation = (long)(alone * turns_per_us());
    if (c->computation < TESTS)
        c->computation = TESTS;

    /* One after the other in each round: what slows a moment slows all three. */
    double part[MOST_BATCHES], each[3][MOST_BATCHES];
    int rounds = 0;
    const double begin = seconds();
    while (rounds < MOST_BATCHES && (rounds < LEAST_BATCHES || seconds() - begin < 3 * budget)) {
        const double t = each[0][rounds] = 1e6 * time_of(transfer, c, 1);
        settle(c, 1);
        const double w = each[1][rounds] = 1e6 * time_of(compute, c, 1);
        const double e = each[2][rounds] = 1e6 * time_of(both, c, 1);
        settle(c, 1);
        part[rounds++] = (t + w - e) / (t < w ? t : w);
    }
    if (c->kind != GET) {
        memset(c->mine, 0, (size_t)c->bytes);
        ARMCI_Get(c->theirs, c->mine, c->bytes, c->target);
    }
    if (!filled(c->mine, c->bytes, salt))
        fail("data is wrong");
    const double share = median(part, rounds);
    printf("%-12s %-12s %9d %12.1f %12.1f %12.1f %8.0f%%\n", name, tests ? "ARMCI_Test" : "no call", c->bytes,
           median(each[0], rounds), median(each[1], rounds), median(each[2], rounds),
           100 * (share < 0   ? 0
                  : share > 1 ? 1
                              : share));
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(&argc, &argv, "Transfers behind computation");
    void** bases = global_memory(job, LARGEST);
    char* const mine = calloc(1, LARGEST);
    if (mine == NULL)
        fail("no memory");
    memset(bases[job.me], 0, LARGEST);
    struct context c = {.target = job.processes - 1, .mine = mine, .theirs = bases[job.processes - 1]};
    ARMCI_Barrier();
    if (job.me == 0) {
        static const char* const names[] = {"put", "put, fence", "get"};
        printf("%-12s %-12s %9s %12s %12s %12s %9s\n", "", "meanwhile", "bytes", "transfer us", "compute us",
               "both us", "hidden");
        for (int kind = PUT; kind <= GET; ++kind)
            for (int tests = 0; tests <= TESTS; tests += TESTS)
                for (int bytes = 64 << 10; bytes <= (int)LARGEST; bytes *= 4) {
                    c.kind = (enum kind)kind;
                    c.bytes = bytes;
                    report(&c, names[kind], tests);
                }
    }
    ARMCI_Barrier();
    free(mine);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
