/* Rows that a program times on one ARMCI, or on several that it holds: what one process pays for the memory
 * of the last one while the others wait in a barrier. `<name>_rows.c` is compiled once for each ARMCI; each
 * copy gives one `struct side`. The program may load such a copy several times, with other settings each
 * time.
 *
 * Collective: begin, barrier, end. The rest is for process 0; a row goes prepare, batch..., verify. */
#ifndef ARMCI_BENCHMARKS_SIDE_H_
#define ARMCI_BENCHMARKS_SIDE_H_

#include "bounded.h"

struct row {
    const char* name;
    size_t x;     /* on the axis of its figure */
    size_t bytes; /* of one operation */
};

struct side {
    const char* library;
    const char* x; /* what the axis has */
    /* Before begin: a word of the command line that says what to do; 0 where it says nothing here. */
    int (*choose)(const char* word);
    /* Starts the library and makes the memory. */
    void (*begin)(struct job job);
    void (*barrier)(void);
    void (*end)(void);
    int (*count)(void);
    struct row (*row)(int row);
    void (*prepare)(int row);
    double (*batch)(int row); /* microseconds of one operation; what must follow is off the clock */
    void (*verify)(int row);  /* ends the job when an operation was lost or wrong */
};

extern const struct side side;

/* Of a program with one ARMCI, on process 0: all rows whose name contains `only`. */
static inline double one_batch_of_side(void* row)
{
    return side.batch(*(const int*)row);
}

static inline void measure_rows(const char* only, void (*print)(const struct row* row, struct figure found))
{
    for (int i = 0; i < side.count(); ++i) {
        const struct row row = side.row(i);
        if (strstr(row.name, only) == NULL)
            continue;
        side.prepare(i);
        const struct figure found = measure_batches(one_batch_of_side, &i);
        side.verify(i);
        print(&row, found);
    }
}

#endif
