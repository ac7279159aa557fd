/* Rows that a program times on one ARMCI, or on several that it holds: what one process pays for the memory
 * of the last one while the others wait in a barrier. `calls.c` is compiled once for each ARMCI; each copy
 * gives one `struct side`. The program may load such a copy several times, with other settings each time.
 *
 * Collective: begin, barrier, end. The rest is for process 0; a row goes prepare, batch..., verify. */
#ifndef ARMCI_BENCHMARKS_CALLS_H_
#define ARMCI_BENCHMARKS_CALLS_H_

#include "measure/job.h"

enum list { TRANSFERS, STRIDED_CALLS, VECTOR_CALLS, COSTS };

struct row {
    char name[40];   /* in ratios of several libraries */
    char series[48]; /* of one; "": it has no figure */
    double x;
    size_t bytes; /* of one operation */
    int is_rate;  /* MB/s, or else microseconds */
    int tenth;    /* what a tenth of the batches undercut, or else the median */
};

struct side {
    const char* library;
    /* Starts the library and makes the memory. */
    void (*begin)(struct job job, enum list list);
    void (*barrier)(void);
    void (*end)(void);
    int (*count)(void);
    const struct row* (*row)(int row);
    void (*prepare)(int row);
    double (*batch)(int row); /* microseconds of one operation; what must follow is off the clock */
    void (*verify)(int row);  /* ends the job when an operation was lost or wrong */
};

extern const struct side side;

#endif
