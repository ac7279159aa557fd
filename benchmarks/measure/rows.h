/* What `scripts/bench` reads of a benchmark: one line for each point of a figure. */
#ifndef ARMCI_BENCHMARKS_ROWS_H_
#define ARMCI_BENCHMARKS_ROWS_H_

#include <stdarg.h>
#include <stdio.h>

/* `series` is a plot and a line in it, as "put/16_B"; without '/', the only plot's line. No blanks: those
 * part the fields of a row. By process 0 alone, for every x in turn. */
static inline void print_row(const char* series, double x, double value, const char* unit)
{
    printf("%-36s %14.10g %14.6g  %s\n", series, x, value, unit);
}

/* The same, of a series that is put together. */
__attribute__((format(printf, 4, 5))) static inline void print_rowf(double x, double value, const char* unit,
                                                                    const char* series, ...)
{
    char text[96];
    va_list words;
    va_start(words, series);
    vsnprintf(text, sizeof text, series, words);
    va_end(words);
    print_row(text, x, value, unit);
}

#endif
