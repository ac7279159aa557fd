/* Timing of operations that cost a message or more: batches of a fixed number of operations, so that two
 * libraries do the same work, and as many of them as a budget of time allows. */
#ifndef ARMCI_BENCHMARKS_BOUNDED_H_
#define ARMCI_BENCHMARKS_BOUNDED_H_

#include "measure.h"

#define MOST_BATCHES 101
#define LEAST_BATCHES 3

static double budget = 0.08; /* seconds for the batches of one figure */

struct figure {
    double us;     /* per repeat, the median of batches */
    double low_us; /* a tenth of the batches took less: what other load on the machine hardly moves */
    int ran;       /* batches, the first, which is not counted, included */
};

/* Microseconds of one operation in a batch. */
typedef double (*timed_batch)(void* context);

static inline struct figure measure_batches(timed_batch batch, void* context)
{
    double us[MOST_BATCHES];
    int batches = 0;
    batch(context);
    const double begin = seconds();
    while (batches < MOST_BATCHES && (batches < LEAST_BATCHES || seconds() - begin < budget))
        us[batches++] = batch(context);
    const double middle = median(us, batches); /* sorts */
    const struct figure result = {middle, us[batches / 10], batches + 1};
    return result;
}

struct bounded_work {
    work what;
    work settle; /* follows each batch off the clock, where given */
    void* context;
    long repeats;
};

static inline double time_bounded(void* context)
{
    const struct bounded_work* const w = context;
    const double us = 1e6 * time_of(w->what, w->context, w->repeats) / (double)w->repeats;
    if (w->settle != NULL)
        w->settle(w->context, 1);
    return us;
}

static inline struct figure measure_bounded(work what, work settle, void* context, long repeats)
{
    struct bounded_work w = {what, settle, context, repeats};
    return measure_batches(time_bounded, &w);
}

#endif
