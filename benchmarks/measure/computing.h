/* Computation that makes no call and touches no memory: what transfers are hidden behind, or disturb. */
#ifndef ARMCI_BENCHMARKS_COMPUTING_H_
#define ARMCI_BENCHMARKS_COMPUTING_H_

#include "clock.h"

static volatile double number = 0.5; /* which the compiler cannot know */

/* A chain, so that a turn takes as long as its operations do. */
static inline void turns(long count)
{
    double x = number;
    for (long i = 0; i < count; ++i)
        x = x * 0.999999 + 1e-6;
    number = x;
}

/* By the processor's time: others may have the core meanwhile. */
static inline double turns_per_us(void)
{
    double rate[11];
    for (int i = 0; i < 11; ++i) {
        const double begin = cpu_seconds();
        turns(100000);
        rate[i] = 100000 / (1e6 * (cpu_seconds() - begin));
    }
    return median(rate, 11);
}

#endif
