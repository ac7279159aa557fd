/* The rows of `network` and `side_by_side`: what one process pays for the memory of the last one while the
 * others wait in a barrier. network_rows.c is compiled once for each ARMCI that a program holds, and each
 * copy gives one `struct network`.
 *
 * Collective: begin, barrier, end. The rest is for process 0; a row goes prepare, batch..., verify. */
#ifndef ARMCI_BENCHMARKS_NETWORK_H_
#define ARMCI_BENCHMARKS_NETWORK_H_

#include "bounded.h"

struct row {
    const char* name;
    size_t bytes; /* of one operation */
};

struct network {
    const char* library;
    /* Starts the library and makes the memory. `local`: buffers of the origin come from ARMCI_Malloc_local.
     */
    void (*begin)(struct job job, int local);
    void (*barrier)(void);
    void (*end)(void);
    int (*count)(void);
    struct row (*row)(int row);
    void (*prepare)(int row);
    double (*batch)(int row); /* microseconds of one operation; what must follow is off the clock */
    void (*verify)(int row);  /* ends the job when an operation was lost or wrong */
};

extern const struct network network;

struct network_options {
    int local;
    const char* only;
};

/* [--local] [--seconds S] [--only TEXT] */
static inline struct network_options read_options(int argc, char** argv)
{
    struct network_options options = {0, ""};
    for (int i = 1; i < argc; ++i) {
        if (strcmp(argv[i], "--local") == 0)
            options.local = 1;
        else if (strcmp(argv[i], "--seconds") == 0 && i + 1 < argc)
            budget = atof(argv[++i]);
        else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc)
            options.only = argv[++i];
        else
            fail("usage: [--local] [--seconds S] [--only TEXT]");
    }
    return options;
}

#endif
