/* What `scripts/bench` reads of a benchmark: one line for each point of a figure. */
#ifndef ARMCI_BENCHMARKS_ROWS_H_
#define ARMCI_BENCHMARKS_ROWS_H_

#include <stdio.h>
#include <stdlib.h>

/* `series` is a plot and a line in it, as "put/16_B"; without '/', the only plot's line. No blanks: those
 * part the fields of a row. By process 0 alone, for every x in turn. */
static inline void print_row(const char* series, double x, double value, const char* unit)
{
    printf("%-36s %14.10g %14.6g  %s\n", series, x, value, unit);
}

/* The same, of a program that has a table for people: only where the environment has BENCHMARK_ROWS. */
static inline void print_row_if_asked(const char* series, double x, double value, const char* unit)
{
    if (getenv("BENCHMARK_ROWS") != NULL)
        print_row(series, x, value, unit);
}

#endif
