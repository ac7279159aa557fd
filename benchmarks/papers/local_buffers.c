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
#include "memory.h"

#include <sys/mman.h>

#define SPAN ((size_t)8 << 20)
#define LARGEST ((size_t)4 << 20)
#define PLACES_ON_NODE 64 /* so that the clock can tell */
#define PLACES_ON_NETWORK 16

enum source { ARMCI_LOCAL, MPI_ALLOC_MEM, MALLOC, UNTOUCHED, SOURCES };
static const char* const sources[SOURCES] = {"ARMCI_Malloc_local", "MPI_Alloc_mem", "malloc", "untouched"};

struct context {
    int is_get;
    const struct memory* raw; /* NULL: by ARMCI */
    int target;
    char* here; /* NULL: new pages for each batch */
    char* there;
    size_t bytes;
    size_t pitch; /* from place to place, whole pages: each operation touches its own */
    long places;
};

static void move(const struct context* c, int get, void* here, size_t at, size_t bytes)
{
    const enum kind kind = get ? GET : PUT;
    if (c->raw != NULL)
        mpi_flushed(c->raw, kind, here, c->target, at, bytes);
    else
        transfer_fenced(kind, here, c->there + at, bytes, NULL, c->target);
}

static double batch(void* context)
{
    static long stamp;
    const struct context* const c = context;
    const size_t span = (size_t)c->places * c->pitch, first = 0;
    const size_t last = (size_t)(c->places - 1) * c->pitch + c->bytes - sizeof stamp;
    char* const here = c->here != NULL
                           ? c->here
                           : mmap(NULL, span, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (here == MAP_FAILED)
        fail("no memory");

    /* The first and the last word change from batch to batch; untouched pages are sent as zeros. */
    long expected = ++stamp, found[2];
    if (c->is_get) {
        move(c, 0, &stamp, first, sizeof stamp);
        move(c, 0, &stamp, last, sizeof stamp);
    } else if (c->here == NULL) {
        expected = 0;
    } else {
        memcpy(here + first, &stamp, sizeof stamp);
        memcpy(here + last, &stamp, sizeof stamp);
    }
    const double begin = seconds();
    for (long i = 0; i < c->places; ++i)
        move(c, c->is_get, here + (size_t)i * c->pitch, (size_t)i * c->pitch, c->bytes);
    const double us = 1e6 * (seconds() - begin) / (double)c->places;
    if (c->is_get) {
        memcpy(&found[0], here + first, sizeof stamp);
        memcpy(&found[1], here + last, sizeof stamp);
    } else {
        move(c, 1, &found[0], first, sizeof stamp);
        move(c, 1, &found[1], last, sizeof stamp);
    }
    if (found[0] != expected || found[1] != expected)
        fail("data is wrong");
    if (c->here == NULL)
        munmap(here, span);
    return us;
}

static void measure_size(const struct context* all, const struct memory* window, char* const buffers[SOURCES])
{
    struct context contexts[2 * SOURCES];
    struct way ways[2 * SOURCES];
    for (int i = 0; i < 2 * SOURCES; ++i) {
        contexts[i] = *all;
        contexts[i].raw = i < SOURCES ? NULL : window;
        contexts[i].here = buffers[i % SOURCES];
        ways[i] = (struct way){batch, &contexts[i], 0};
    }
    measure_in_turns(ways, 2 * SOURCES);
    for (int i = 0; i < 2 * SOURCES; ++i)
        print_rowf((double)all->bytes, (double)all->bytes / ways[i].us, "MB/s", "%s%s/%s",
                   i < SOURCES ? "" : "MPI_", all->is_get ? "get" : "put", sources[i % SOURCES]);
}

static void measure_all(int target, long places, char* theirs, const struct memory* window, size_t largest)
{
    char* buffers[SOURCES] = {NULL};
    buffers[ARMCI_LOCAL] = not_null(ARMCI_Malloc_local(SPAN));
    MPI_Alloc_mem(SPAN, MPI_INFO_NULL, &buffers[MPI_ALLOC_MEM]);
    buffers[MALLOC] = not_null(malloc(SPAN));
    for (int i = 0; i < UNTOUCHED; ++i)
        memset(buffers[i], 0xff, SPAN);
    for (int is_get = 1; is_get >= 0; --is_get)
        for (size_t bytes = 64; bytes <= largest; bytes *= 4) {
            struct context c = {.is_get = is_get, .target = target, .there = theirs, .bytes = bytes};
            c.pitch = (bytes + PAGE - 1) / PAGE * PAGE;
            c.places = (size_t)places * c.pitch > SPAN ? (long)(SPAN / c.pitch) : places;
            measure_size(&c, window, buffers);
        }
    ARMCI_Free_local(buffers[ARMCI_LOCAL]);
    MPI_Free_mem(buffers[MPI_ALLOC_MEM]);
    free(buffers[MALLOC]);
}

int main(int argc, char** argv)
{
    double largest = LARGEST;
    const struct option options[] = {{"--largest", &largest, 64, LARGEST, NULL, 0}, {0}};
    budget = 0.16;
    const struct job job = begin_job(argc, argv, "Transfers by the origin's buffer", options);
    const long places = is_one_node(job) ? PLACES_ON_NODE : PLACES_ON_NETWORK;
    void** bases = zeroed_memory(job, SPAN);
    struct memory window = open_locked_window(job, SPAN);
    if (job.me == 0)
        measure_all(job.processes - 1, places, bases[job.processes - 1], &window, (size_t)largest);
    close_locked_window(&window);
    free_global_memory(job, bases);
    end_job();
    return 0;
}
