/* Doubling a region of all processes: by a new one of twice the size, a copy, and the end of the old one; or
 * by one more of the same size (Fig. 13 of the paper on MPI-3 one-sided communication). Microseconds of the
 * slowest process.
 *
 *     region_growth [processes] [--seconds S] [--least BYTES] [--most BYTES]
 *
 * By bytes of each process's slice before it grows; or one point, at so many processes and BYTES (4 KiB)
 * each. ARMCI_WINDOW chooses the windows of this library (on a node with ARMCI_FORCE_MPI). With BENCHMARK_MPI
 * (memory.h), windows of MPI in place of regions; one dynamic window stays, and "add_locally" attaches memory
 * to it without telling the others where. */
#include "memory.h"

struct growth {
    struct job job;
    const char* flavour; /* NULL: ARMCI */
    MPI_Win dynamic;     /* where it stays */
    struct memory old;
    long number; /* of the batch, which old and new memory hold */
};

static int stays(const struct growth* g)
{
    return g->flavour != NULL && strcmp(g->flavour, "dynamic") == 0;
}

static struct memory allocate(const struct growth* g, size_t bytes)
{
    return stays(g) ? attach_memory(g->job, bytes, g->dynamic, 1) : open_memory(g->job, bytes, g->flavour);
}

static long stamp(const struct growth* g, int process)
{
    return g->number * 1000 + process;
}

/* Old and known, with all of its pages there. */
static void renew(struct growth* g)
{
    const struct memory* const m = &g->old;
    ++g->number;
    const long word = stamp(g, g->job.me);
    memset(m->mine, 1, m->bytes);
    memcpy(m->mine, &word, sizeof word);
    memcpy(m->mine + m->bytes - sizeof word, &word, sizeof word);
    meet(g->flavour);
}

/* The neighbour's first `kept` bytes are what they were, and it can be written to the end. */
static void verify(const struct growth* g, const struct memory* old, size_t kept, const struct memory* grown)
{
    const int next = (g->job.me + 1) % g->job.processes;
    const size_t last = grown->bytes - sizeof(long);
    long first, end, found, word = -stamp(g, next);
    meet(g->flavour);
    move_once(old, GET, &first, next, 0, sizeof first);
    move_once(old, GET, &end, next, kept - sizeof end, sizeof end);
    if (first != stamp(g, next) || end != stamp(g, next))
        fail("what the region held is lost");
    meet(g->flavour);
    move_once(grown, PUT, &word, next, last, sizeof word);
    meet(g->flavour);
    memcpy(&found, grown->mine + last, sizeof found);
    if (found != -stamp(g, g->job.me))
        fail("the region did not grow");
    meet(g->flavour);
}

static double reallocate(void* context)
{
    struct growth* const g = context;
    const size_t bytes = g->old.bytes;
    renew(g);
    const double begin = seconds();
    struct memory grown = allocate(g, 2 * bytes);
    memcpy(grown.mine, g->old.mine, bytes);
    close_memory(&g->old);
    const double took = seconds() - begin;
    verify(g, &grown, bytes, &grown);
    close_memory(&grown);
    g->old = allocate(g, bytes);
    return 1e6 * took;
}

static double add(void* context)
{
    struct growth* const g = context;
    renew(g);
    const double begin = seconds();
    struct memory more = allocate(g, g->old.bytes);
    const double took = seconds() - begin;
    verify(g, &g->old, g->old.bytes, &more);
    close_memory(&more);
    return 1e6 * took;
}

static double add_locally(void* context)
{
    struct growth* const g = context;
    const double begin = seconds();
    struct memory more = attach_memory(g->job, g->old.bytes, g->dynamic, 0);
    const double took = seconds() - begin;
    close_memory(&more);
    return 1e6 * took;
}

int main(int argc, char** argv)
{
    static const struct {
        const char* series;
        timed_batch batch;
    } ways[] = {{"reallocate/time", reallocate}, {"add/time", add}, {"add_locally/time", add_locally}};
    int by_processes = 0;
    double least = 4 << 10, most = 64 << 20;
    const struct option options[] = {{"processes", NULL, 0, 0, &by_processes, 1},
                                     {"--least", &least, sizeof(long), 0, NULL, 0},
                                     {"--most", &most, sizeof(long), 0, NULL, 0},
                                     {0}};
    struct growth g = {.job = begin_job(argc, argv, "Doubling a region", options)};
    g.flavour = flavour_of_mpi();
    if (stays(&g))
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &g.dynamic);
    for (size_t bytes = (size_t)least; bytes <= (size_t)(by_processes ? least : most); bytes *= 4) {
        g.old = allocate(&g, bytes);
        for (int i = 0; i < 2 + stays(&g); ++i)
            print_point(g.job, ways[i].series, by_processes ? g.job.processes : (double)bytes,
                        measure_together(ways[i].batch, &g).us, "us");
        close_memory(&g.old);
    }
    if (stays(&g))
        MPI_Win_free(&g.dynamic);
    end_job();
    return 0;
}
