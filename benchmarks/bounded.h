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

/* `settle`, where given, follows each batch off the clock. */
static inline struct figure measure_bounded(work what, work settle, void* context, long repeats)
{
    double us[MOST_BATCHES];
    int batches = 0;
    what(context, repeats);
    if (settle != NULL)
        settle(context, 1);
    const double begin = seconds();
    while (batches < MOST_BATCHES && (batches < LEAST_BATCHES || seconds() - begin < budget)) {
        us[batches++] = 1e6 * time_of(what, context, repeats) / (double)repeats;
        if (settle != NULL)
            settle(context, 1);
    }
    const double middle = median(us, batches); /* sorts */
    const struct figure result = {middle, us[batches / 10], batches + 1};
    return result;
}

#endif
