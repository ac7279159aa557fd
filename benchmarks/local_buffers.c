/* Get and put by size and by where the origin's buffer comes from (paper 001, Fig. 5): ARMCI_Malloc_local,
 * MPI_Alloc_mem, malloc, and pages that nobody has touched, new ones for each batch, whose faults are in the
 * time. Process 0 works on the memory of the last one while the others wait in a barrier; puts are fenced
 * each time. As the paper has it, the same in raw MPI on a window that it allocated. All take turns, batch by
 * batch.
 *
 *     local_buffers [--largest BYTES] [--seconds S]
 *
 *     --largest BYTES  sizes from 64 B to that (4 MiB, which is the most)
 *     --seconds S      time for each size of an operation, all buffers together (0.16) */
#include "transfers.h"

#include <sys/mman.h>

#define PAGE ((size_t)4096)
#define SPAN ((size_t)8 << 20)
#define LARGEST ((size_t)4 << 20)
#define PLACES_ON_NODE 64 /* so that the clock can tell */
#define PLACES_ON_NETWORK 16

enum source { ARMCI_LOCAL, MPI_ALLOC_MEM, MALLOC, UNTOUCHED, SOURCES };
static const char* const sources[SOURCES] = {"ARMCI_Malloc_local", "MPI_Alloc_mem", "malloc", "untouched"};

struct transfer {
    int is_get;
    int raw;
    int target;
    char* here; /* NULL: new pages for each batch */
    char* there;
    MPI_Win win;
    size_t bytes;
    size_t pitch; /* from place to place, whole pages: each operation touches its own */
    long places;
};

static void move(const struct transfer* t, int get, void* here, size_t at, size_t bytes)
{
    const int count = (int)bytes;
    if (t->raw) {
        if (get)
            MPI_Get(here, count, MPI_BYTE, t->target, (MPI_Aint)at, count, MPI_BYTE, t->win);
        else
            MPI_Put(here, count, MPI_BYTE, t->target, (MPI_Aint)at, count, MPI_BYTE, t->win);
        MPI_Win_flush(t->target, t->win);
    } else if (get) {
        ARMCI_Get(t->there + at, here, count, t->target);
    } else {
        ARMCI_Put(here, t->there + at, count, t->target);
        ARMCI_Fence(t->target);
    }
}

static double batch(void* context)
{
    static long stamp;
    const struct transfer* const t = context;
    const size_t span = (size_t)t->places * t->pitch, first = 0;
    const size_t last = (size_t)(t->places - 1) * t->pitch + t->bytes - sizeof stamp;
    char* const here = t->here != NULL
                           ? t->here
                           : mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (here == MAP_FAILED)
        fail("no memory");

    /* The first and the last word change from batch to batch; untouched pages are sent as zeros. */
    long expected = ++stamp, found[2];
    if (t->is_get) {
        move(t, 0, &stamp, first, sizeof stamp);
        move(t, 0, &stamp, last, sizeof stamp);
    } else if (t->here == NULL) {
        expected = 0;
    } else {
        memcpy(here + first, &stamp, sizeof stamp);
        memcpy(here + last, &stamp, sizeof stamp);
    }
    const double begin = seconds();
    for (long i = 0; i < t->places; ++i)
        move(t, t->is_get, here + (size_t)i * t->pitch, (size_t)i * t->pitch, t->bytes);
    const double us = 1e6 * (seconds() - begin) / (double)t->places;
    if (t->is_get) {
        memcpy(&found[0], here + first, sizeof stamp);
        memcpy(&found[1], here + last, sizeof stamp);
    } else {
        move(t, 1, &found[0], first, sizeof stamp);
        move(t, 1, &found[1], last, sizeof stamp);
    }
    if (found[0] != expected || found[1] != expected)
        fail("data is wrong");
    if (t->here == NULL)
        munmap(here, span);
    return us;
}

static void measure_size(const struct transfer* all, char* const buffers[SOURCES])
{
    struct transfer transfers[2 * SOURCES];
    struct way ways[2 * SOURCES];
    for (int i = 0; i < 2 * SOURCES; ++i) {
        transfers[i] = *all;
        transfers[i].raw = i / SOURCES;
        transfers[i].here = buffers[i % SOURCES];
        const struct way way = {batch, &transfers[i], 0};
        ways[i] = way;
    }
    measure_in_turns(ways, 2 * SOURCES);
    for (int i = 0; i < 2 * SOURCES; ++i) {
        char series[64];
        snprintf(series, sizeof series, "%s%s/%s", i < SOURCES ? "" : "MPI_", all->is_get ? "get" : "put",
                 sources[i % SOURCES]);
        print_row(series, (double)all->bytes, (double)all->bytes / ways[i].us, "MB/s");
    }
}

static void measure_all(int target, int on_node, char* theirs, MPI_Win win, size_t largest)
{
    char* buffers[SOURCES] = {NULL};
    buffers[ARMCI_LOCAL] = ARMCI_Malloc_local(SPAN);
    MPI_Alloc_mem(SPAN, MPI_INFO_NULL, &buffers[MPI_ALLOC_MEM]);
    buffers[MALLOC] = malloc(SPAN);
    if (buffers[ARMCI_LOCAL] == NULL || buffers[MALLOC] == NULL)
        fail("no memory");
    for (int i = 0; i < UNTOUCHED; ++i)
        memset(buffers[i], 0xff, SPAN);
    for (int is_get = 1; is_get >= 0; --is_get)
        for (size_t bytes = 64; bytes <= largest; bytes *= 4) {
            struct transfer t = {
                .is_get = is_get, .target = target, .there = theirs, .win = win, .bytes = bytes};
            t.pitch = (bytes + PAGE - 1) / PAGE * PAGE;
            t.places = on_node ? PLACES_ON_NODE : PLACES_ON_NETWORK;
            if ((size_t)t.places * t.pitch > SPAN)
                t.places = (long)(SPAN / t.pitch);
            measure_size(&t, buffers);
        }
    ARMCI_Free_local(buffers[ARMCI_LOCAL]);
    MPI_Free_mem(buffers[MPI_ALLOC_MEM]);
    free(buffers[MALLOC]);
}

int main(int argc, char** argv)
{
    size_t largest = LARGEST;
    budget = 0.16;
    for (int i = 1; i < argc; ++i)
        if (strcmp(argv[i], "--largest") == 0 && i + 1 < argc)
            largest = (size_t)atol(argv[++i]);
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            budget = atof(argv[++i]);
        else
            largest = 0;
    if (largest < 64 || largest > LARGEST || budget <= 0) {
        fprintf(stderr, "usage: local_buffers [--largest 64...4194304] [--seconds S]\n");
        return 2;
    }

    const struct job job = begin_job(&argc, &argv, "Transfers by the origin's buffer");
    const int on_node = is_one_node(job);
    void** bases = global_memory(job, SPAN);
    struct raw_window window = open_raw_window(job, SPAN);
    memset(bases[job.me], 0, SPAN);
    ARMCI_Barrier();
    if (job.me == 0)
        measure_all(job.processes - 1, on_node, bases[job.processes - 1], window.win, largest);
    MPI_Barrier(MPI_COMM_WORLD); /* one that serves MPI's windows, on a node too */
    close_raw_window(&window);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
