/* On the node: strided transfers against a loop written by hand over the same layout, and contiguous ones
 * against the best of several copies in the same process, from and to every kind of place within a page.
 * Process 0 works on the memory of the last one; the others wait in a barrier. Ratios are loop / library: 1
 * is as fast as the loop.
 *
 *     node_kernels [strided | contiguous]
 *     node_kernels anywhere [seconds [seed]]
 */
#include "node_kernels.h"

#include <stdint.h>

const char* const operation_names[] = {"put", "get", "acc"};

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
    const struct job job = begin_job(&argc, &argv, "Node kernels");
    const char* const only = argc > 1 ? argv[1] : "";
    void** bases = global_memory(job, SPACE);
    fill(bases[job.me]);
    ARMCI_Barrier();
    if (job.me == 0) {
        struct context c = {.target = job.processes - 1, .scale = 0.5};
        c.mine = aligned_alloc(PAGE, SPACE);
        c.theirs = page_start(bases[c.target]);
        c.plain = page_start(bases[plain_copy_process(job, c.target)]);
        if (c.mine == NULL)
            fail("no memory");
        fill(c.mine);
        const int anywhere = strcmp(only, "anywhere") == 0;
        if (!anywhere && strcmp(only, "contiguous") != 0)
            strided_against_loop(&c);
        const double time = argc > 2 ? atof(argv[2]) : 60;
        const unsigned seed = argc > 3 ? (unsigned)atoi(argv[3]) : (unsigned)(1e3 * seconds());
        if (anywhere)
            printf("seed %u\n", seed);
        for (c.reads = 1; strcmp(only, "strided") != 0 && c.reads >= 0; --c.reads)
            if (anywhere)
                contiguous_anywhere(&c, time / 2, seed);
            else
                contiguous_against_best_copy(&c);
        free(c.mine);
    }
    ARMCI_Barrier();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
