/* What the parts of node_kernels share. Process 0 works on the memory of the last one. */
#ifndef ARMCI_BENCHMARKS_NODE_KERNELS_H_
#define ARMCI_BENCHMARKS_NODE_KERNELS_H_

#include "measure/job.h"

#define SEGMENTS 1024
#define LARGEST ((size_t)16 << 20)
#define SPACE (LARGEST + 2 * PAGE)

struct context {
    enum kind kind;
    int target;
    char* mine;
    char* theirs; /* by the library */
    char* plain;  /* by the loop */
    int segment;
    int stride; /* there; mine is packed */
    size_t bytes;
    double scale;
    int reads; /* what was copied */
};

void strided_against_loop(struct context* c);

/* From and to 7 places of a page each. */
void contiguous_against_best_copy(struct context* c);

/* From and to places at random, for so long in all; puts and gets of every power of two. */
void contiguous_anywhere(struct context* c, double time, unsigned seed);

#endif
