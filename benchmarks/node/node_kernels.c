/* On the node: strided transfers against a loop written by hand over the same layout, and contiguous ones
 * against the best of several copies in the same process, from and to every kind of place within a page.
 * Process 0 works on the memory of the last one; the others wait in a barrier. Ratios are loop / library: 1
 * is as fast as the loop.
 *
 *     node_kernels [strided | contiguous]
 *     node_kernels anywhere [--time S] [--seed N]
 */
#include "node_kernels.h"

#include <stdint.h>

/* No zeros: Zen 5 stores those past the caches twice as fast as any other data. */
static void fill(char* memory)
{
    double* const values = (double*)memory;
    for (size_t i = 0; i < SPACE / sizeof *values; ++i)
        values[i] = 0.1 * (double)(i % 1009 + 1);
}

/* Regions need not begin with one. */
static char* page_start(char* memory)
{
    return memory + (PAGE - (uintptr_t)memory % PAGE) % PAGE;
}

int main(int argc, char** argv)
{
    enum { BOTH, STRIDED, CONTIGUOUS, ANYWHERE };
    int only = BOTH;
    double time = 60, seed = 0;
    const struct option options[] = {
        {"strided", NULL, 0, 0, &only, STRIDED},   {"contiguous", NULL, 0, 0, &only, CONTIGUOUS},
        {"anywhere", NULL, 0, 0, &only, ANYWHERE}, {"--time", &time, 1, 0, NULL, 0},
        {"--seed", &seed, 1, 0, NULL, 0},          {0}};
    const struct job job = begin_job(argc, argv, "Node kernels", options);
    void** bases = global_memory(job, SPACE);
    fill(bases[job.me]);
    ARMCI_Barrier();
    if (job.me == 0) {
        struct context c = {.target = job.processes - 1, .scale = 0.5};
        c.mine = pages(SPACE);
        c.theirs = page_start(bases[c.target]);
        c.plain = page_start(bases[plain_copy_process(job, c.target)]);
        fill(c.mine);
        if (only == BOTH || only == STRIDED)
            strided_against_loop(&c);
        seed = seed > 0 ? seed : (double)(unsigned)(1e3 * seconds());
        if (only == ANYWHERE)
            printf("seed %.0f\n", seed);
        for (c.reads = 1; only != STRIDED && c.reads >= 0; --c.reads)
            if (only == ANYWHERE)
                contiguous_anywhere(&c, time / 2, (unsigned)seed);
            else
                contiguous_against_best_copy(&c);
        free(c.mine);
    }
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
