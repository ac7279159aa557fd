/* A write and then a read of the same bytes, which has to bring them (Fig. 7 of the paper on MPI-3 one-sided
 * communication): ordered by a fence, or by the library's location consistency alone.
 *
 *     write_then_read [--seconds S] [--most BYTES]
 *
 * Process 0 and the last one's memory; the others wait. With BENCHMARK_MPI (memory.h), MPI itself: an epoch
 * for each of the two; in one epoch flushes, or accumulates, which MPI keeps in order, and one flush.
 * ARMCI_ORDERING and ARMCI_EPOCHS choose what this library does of that. */
#include "memory.h"

#define MOST_REPEATS 64

struct pair {
    int target;
    size_t bytes;
    long number; /* of the pair, written to the first and the last word */
    long wrong;  /* pairs that read something else */
    char* from;
    char* to;
    struct memory memory;
};

static void prepare(struct pair* p)
{
    const size_t last = p->bytes - sizeof(long);
    ++p->number;
    memcpy(p->from, &p->number, sizeof p->number);
    memcpy(p->from + last, &p->number, sizeof p->number);
}

static void look(struct pair* p)
{
    long first, last;
    memcpy(&first, p->to, sizeof first);
    memcpy(&last, p->to + p->bytes - sizeof last, sizeof last);
    p->wrong += first != p->number || last != p->number;
}

static void armci(struct pair* p, enum kind kind)
{
    transfer(kind, kind == PUT ? p->from : p->to, p->memory.bases[p->target], p->bytes, NULL, p->target);
}

static void fenced(void* context, long repeats)
{
    struct pair* const p = context;
    for (; repeats > 0; --repeats) {
        prepare(p);
        armci(p, PUT);
        ARMCI_Fence(p->target);
        armci(p, GET);
        look(p);
    }
}

static void location_consistent(void* context, long repeats)
{
    struct pair* const p = context;
    for (; repeats > 0; --repeats) {
        prepare(p);
        armci(p, PUT);
        armci(p, GET);
        look(p);
    }
}

static void epochs(struct pair* p, long repeats, int lock)
{
    for (; repeats > 0; --repeats) {
        prepare(p);
        mpi_locked(&p->memory, lock, PUT, p->from, p->target, 0, p->bytes);
        mpi_locked(&p->memory, lock, GET, p->to, p->target, 0, p->bytes);
        look(p);
    }
}

static void exclusive_epochs(void* context, long repeats)
{
    epochs(context, repeats, MPI_LOCK_EXCLUSIVE);
}

static void shared_epochs(void* context, long repeats)
{
    epochs(context, repeats, MPI_LOCK_SHARED);
}

static void flushes(void* context, long repeats)
{
    struct pair* const p = context;
    for (; repeats > 0; --repeats) {
        prepare(p);
        mpi_flushed(&p->memory, PUT, p->from, p->target, 0, p->bytes);
        mpi_flushed(&p->memory, GET, p->to, p->target, 0, p->bytes);
        look(p);
    }
}

static void ordered_accumulates(void* context, long repeats)
{
    struct pair* const p = context;
    const MPI_Win window = p->memory.window;
    const MPI_Aint at = p->memory.at[p->target];
    const int words = (int)(p->bytes / sizeof(long));
    for (; repeats > 0; --repeats) {
        prepare(p);
        MPI_Accumulate(p->from, words, MPI_LONG, p->target, at, words, MPI_LONG, MPI_REPLACE, window);
        MPI_Get_accumulate(NULL, 0, MPI_LONG, p->to, words, MPI_LONG, p->target, at, words, MPI_LONG,
                           MPI_NO_OP, window);
        MPI_Win_flush(p->target, window);
        look(p);
    }
}

struct order {
    const char* series;
    work what;
    int rests_on_others; /* the order is MPI's or the peer's to keep: no row where they do not */
    int locks_all;       /* runs in one lock_all epoch, which is not timed */
};

#ifdef BENCHMARK_PEER
#define OF_PEER 1
#else
#define OF_PEER 0
#endif

static const struct order of_armci[] = {{"write+read/fence", fenced, 0, 0},
                                        {"write+read/location_consistency", location_consistent, OF_PEER, 0}};
static const struct order of_mpi[] = {{"write+read/exclusive_epochs", exclusive_epochs, 0, 0},
                                      {"write+read/shared_epochs", shared_epochs, 0, 0},
                                      {"write+read/flushes", flushes, 0, 1},
                                      {"write+read/ordered_accumulates", ordered_accumulates, 1, 1}};

/* The bytes between the first and the last word, too. */
static void verify_all(struct pair* p, const struct order* way)
{
    for (size_t i = 0; i < p->bytes; ++i)
        p->from[i] = (char)(i * 7 + (size_t)p->number);
    memset(p->to, 0, p->bytes);
    way->what(p, 1);
    if (memcmp(p->from, p->to, p->bytes) != 0)
        ++p->wrong;
}

static void report(struct pair* p, const struct order* way)
{
    p->wrong = 0;
    if (way->locks_all)
        MPI_Win_lock_all(0, p->memory.window);
    const long repeats = repeats_that_fit(way->what, p, MOST_REPEATS);
    const struct figure f = measure_bounded(way->what, NULL, p, repeats);
    verify_all(p, way);
    if (way->locks_all)
        MPI_Win_unlock_all(p->memory.window);
    if (p->wrong == 0)
        print_row(way->series, (double)p->bytes, f.us, "us");
    else if (way->rests_on_others)
        printf("%s, %zu bytes: %ld reads did not bring what was written\n", way->series, p->bytes, p->wrong);
    else
        fail("a read did not bring what was written before it");
}

int main(int argc, char** argv)
{
    double most = 64 << 10;
    const struct option options[] = {{"--most", &most, sizeof(long), 0, NULL, 0}, {0}};
    const struct job job = begin_job(argc, argv, "Write, then read", options);
    const char* const flavour = flavour_of_mpi();
    const size_t bytes = (size_t)most;
    struct pair p = {.target = job.processes - 1, .from = pages(bytes), .to = pages(bytes)};
    p.memory = open_memory(job, bytes, flavour);
    memset(p.memory.mine, 0, bytes);
    const struct order* const ways = flavour != NULL ? of_mpi : of_armci;
    const size_t count =
        flavour != NULL ? sizeof of_mpi / sizeof *of_mpi : sizeof of_armci / sizeof *of_armci;
    meet(flavour);
    if (job.me == 0)
        for (p.bytes = sizeof(long); p.bytes <= bytes; p.bytes *= p.bytes < 64 ? 8 : 4)
            for (size_t i = 0; i < count; ++i)
                report(&p, &ways[i]);
    meet(flavour);
    close_memory(&p.memory);
    free(p.from);
    free(p.to);
    end_job();
    return 0;
}
