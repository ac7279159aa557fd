/* Doubling a region of all processes: by a new one of twice the size, a copy, and the end of the old one; or
 * by one more of the same size (Fig. 13 of the paper on MPI-3 one-sided communication). Microseconds of the
 * slowest process.
 *
 *     region_growth [bytes|processes] [--seconds S] [--least BYTES] [--most BYTES]
 *
 * By bytes of each process's slice before it grows; or one point, at so many processes and BYTES (4 KiB)
 * each. ARMCI_WINDOW chooses the windows of this library (on a node with ARMCI_FORCE_MPI). With BENCHMARK_MPI
 * (mpi3.h), windows of MPI in place of regions; one dynamic window stays, and "add_locally" attaches memory
 * to it without telling the others where. */
#include "mpi3.h"

struct region {
    size_t bytes;
    void** bases;
    struct window window;
};

struct growth {
    struct job job;
    const char* flavour; /* NULL: ARMCI */
    MPI_Win dynamic;
    struct region old;
    long number; /* of the batch, which old and new memory hold */
};

static int stays(const struct growth* g)
{
    return g->flavour != NULL && strcmp(g->flavour, "dynamic") == 0;
}

static struct region attach(struct growth* g, size_t bytes, int tell)
{
    struct region r = {.bytes = bytes, .window = {.handle = g->dynamic, .is_dynamic = 1}};
    MPI_Aint mine;
    r.window.mine = pages(bytes);
    r.window.at = calloc((size_t)g->job.processes, sizeof *r.window.at);
    if (r.window.at == NULL)
        fail("no memory");
    MPI_Win_attach(g->dynamic, r.window.mine, (MPI_Aint)bytes);
    MPI_Get_address(r.window.mine, &mine);
    if (tell)
        MPI_Allgather(&mine, 1, MPI_AINT, r.window.at, 1, MPI_AINT, MPI_COMM_WORLD);
    return r;
}

static struct region allocate(struct growth* g, size_t bytes)
{
    if (stays(g))
        return attach(g, bytes, 1);
    struct region r = {.bytes = bytes};
    if (g->flavour != NULL)
        r.window = open_window(g->job, bytes, g->flavour);
    else
        r.bases = global_memory(g->job, bytes);
    return r;
}

static void release(struct growth* g, struct region* r)
{
    if (stays(g)) {
        MPI_Win_detach(g->dynamic, r->window.mine);
        free(r->window.mine);
        free(r->window.at);
    } else if (g->flavour != NULL) {
        close_window(&r->window);
    } else {
        free_global_memory(g->job, r->bases);
    }
}

static char* mine(const struct growth* g, const struct region* r)
{
    return g->flavour != NULL ? r->window.mine : r->bases[g->job.me];
}

static long read_word(const struct growth* g, const struct region* r, int process, size_t at)
{
    long word;
    if (g->flavour == NULL) {
        ARMCI_Get((char*)r->bases[process] + at, &word, sizeof word, process);
        return word;
    }
    const MPI_Win window = r->window.handle;
    MPI_Win_lock(MPI_LOCK_SHARED, process, 0, window);
    MPI_Get(&word, 1, MPI_LONG, process, r->window.at[process] + (MPI_Aint)at, 1, MPI_LONG, window);
    MPI_Win_unlock(process, window);
    return word;
}

static void write_word(const struct growth* g, const struct region* r, int process, size_t at, long word)
{
    if (g->flavour == NULL) {
        ARMCI_Put(&word, (char*)r->bases[process] + at, sizeof word, process);
        ARMCI_Fence(process);
        return;
    }
    const MPI_Win window = r->window.handle;
    MPI_Win_lock(MPI_LOCK_SHARED, process, 0, window);
    MPI_Put(&word, 1, MPI_LONG, process, r->window.at[process] + (MPI_Aint)at, 1, MPI_LONG, window);
    MPI_Win_unlock(process, window);
}

static long stamp(const struct growth* g, int process)
{
    return g->number * 1000 + process;
}

/* Old and known, with all of its pages there. */
static void renew(struct growth* g, struct region* r)
{
    const size_t last = r->bytes - sizeof(long);
    const long word = stamp(g, g->job.me);
    memset(mine(g, r), 1, r->bytes);
    memcpy(mine(g, r), &word, sizeof word);
    memcpy(mine(g, r) + last, &word, sizeof word);
    meet(g->flavour);
}

/* The neighbour's first `kept` bytes are what they were, and it can be written to the end. */
static void verify(const struct growth* g, const struct region* old, size_t kept, const struct region* grown)
{
    const int next = (g->job.me + 1) % g->job.processes;
    const size_t last = grown->bytes - sizeof(long);
    long found;
    meet(g->flavour);
    if (read_word(g, old, next, 0) != stamp(g, next) ||
        read_word(g, old, next, kept - sizeof(long)) != stamp(g, next))
        fail("what the region held is lost");
    meet(g->flavour);
    write_word(g, grown, next, last, -stamp(g, next));
    meet(g->flavour);
    memcpy(&found, mine(g, grown) + last, sizeof found);
    if (found != -stamp(g, g->job.me))
        fail("the region did not grow");
    meet(g->flavour);
}

static double reallocate(void* context)
{
    struct growth* const g = context;
    const size_t bytes = g->old.bytes;
    ++g->number;
    renew(g, &g->old);
    const double begin = seconds();
    struct region grown = allocate(g, 2 * bytes);
    memcpy(mine(g, &grown), mine(g, &g->old), bytes);
    release(g, &g->old);
    const double took = seconds() - begin;
    verify(g, &grown, bytes, &grown);
    release(g, &grown);
    g->old = allocate(g, bytes);
    return 1e6 * took;
}

static double add(void* context)
{
    struct growth* const g = context;
    ++g->number;
    renew(g, &g->old);
    const double begin = seconds();
    struct region more = allocate(g, g->old.bytes);
    const double took = seconds() - begin;
    verify(g, &g->old, g->old.bytes, &more);
    release(g, &more);
    return 1e6 * took;
}

static double add_locally(void* context)
{
    struct growth* const g = context;
    const double begin = seconds();
    struct region more = attach(g, g->old.bytes, 0);
    const double took = seconds() - begin;
    release(g, &more);
    return 1e6 * took;
}

static void report(struct growth* g, const char* series, timed_batch batch, int by_processes)
{
    const double us = measure_together(batch, g);
    if (g->job.me == 0)
        print_row(series, by_processes ? g->job.processes : (double)g->old.bytes, us, "us");
}

int main(int argc, char** argv)
{
    struct growth g = {.job = begin_job(&argc, &argv, "Doubling a region")};
    static const char* const figures[] = {"bytes", "processes"};
    double least = 4 << 10, most = 64 << 20;
    const struct number_option options[] = {{"--least", &least, sizeof(long)},
                                            {"--most", &most, sizeof(long)}};
    g.flavour = flavour_of_mpi(g.job);
    --argc, ++argv;
    const int by_processes = choose(&argc, &argv, figures, 2);
    read_options(g.job, argc, argv, options, 2,
                 "region_growth [bytes|processes] [--seconds S] [--least BYTES] [--most BYTES]");
    if (by_processes)
        most = least;

    if (stays(&g))
        MPI_Win_create_dynamic(MPI_INFO_NULL, MPI_COMM_WORLD, &g.dynamic);
    for (size_t bytes = (size_t)least; bytes <= (size_t)most; bytes *= 4) {
        g.old = allocate(&g, bytes);
        report(&g, "reallocate/time", reallocate, by_processes);
        report(&g, "add/time", add, by_processes);
        if (stays(&g))
            report(&g, "add_locally/time", add_locally, by_processes);
        release(&g, &g.old);
    }
    if (stays(&g))
        MPI_Win_free(&g.dynamic);
    end_job();
    return 0;
}
