/* The constants from which tools/scale_model projects: what a start, a collective call and one operation cost
 * in a job of this shape. */
#ifndef ARMCI_BENCHMARKS_NETWORK_SCALE_H_
#define ARMCI_BENCHMARKS_NETWORK_SCALE_H_

#include "measure/job.h"

struct start_cost {
    double mpi_us;     /* MPI_Init */
    double library_us; /* ARMCI_Init */
    double heap;       /* bytes that ARMCI_Init took, MPI's for it included */
};

/* Collective. Prints rows `scale/NAME:NODESxPROCESSES`, x being bytes. */
void report_scale(struct job job, struct start_cost start);

#endif
