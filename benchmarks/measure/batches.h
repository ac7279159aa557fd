/* Operations that cost a message or more: batches of a fixed number of them, so that two libraries do the
 * same work, and as many batches as a budget of time allows. */
#ifndef ARMCI_BENCHMARKS_BATCHES_H_
#define ARMCI_BENCHMARKS_BATCHES_H_

#include <mpi.h>

#include "clock.h"

#define MOST_BATCHES 101
#define LEAST_BATCHES 3

static double budget = 0.08; /* seconds for the batches of one figure: the option --seconds */

/* Whether another batch is to be, after so many and so long. */
static inline int goes_on(int batches, double passed)
{
    return batches < LEAST_BATCHES || (batches < MOST_BATCHES && passed < budget);
}

struct figure {
    double us;     /* per repeat, the median of batches */
    double low_us; /* what a tenth of them undercut */
};

static inline struct figure figure_of(double* us, int batches)
{
    return (struct figure){median(us, batches), tenth(us, batches)};
}

/* Microseconds of one operation in a batch. */
typedef double (*timed_batch)(void* context);

static inline struct figure measure_batches(timed_batch batch, void* context)
{
    double us[MOST_BATCHES];
    int batches = 0;
    batch(context); /* is not counted */
    const double begin = seconds();
    while (goes_on(batches, seconds() - begin))
        us[batches++] = batch(context);
    return figure_of(us, batches);
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
    const double us = us_of(w->what, w->context, w->repeats);
    if (w->settle != NULL)
        w->settle(w->context, 1);
    return us;
}

static inline struct figure measure_bounded(work what, work settle, void* context, long repeats)
{
    struct bounded_work w = {what, settle, context, repeats};
    return measure_batches(time_bounded, &w);
}

/* Of a batch: few where they are large, or where each costs a time slice because others use the cores. */
static inline long repeats_that_fit(work what, void* context, long most)
{
    what(context, 1);
    const double count = budget / 8 / time_of(what, context, 1);
    return count < 1 ? 1 : count > (double)most ? most : (long)count;
}

/* Collective, of what all processes do: microseconds of the slowest. All go by the slowest one's clock. */
static inline struct figure measure_together(timed_batch batch, void* context)
{
    double us[MOST_BATCHES], times[2] = {0, 0};
    int batches = 0;
    batch(context);
    const double begin = seconds();
    while (goes_on(batches, times[1])) {
        MPI_Barrier(MPI_COMM_WORLD);
        times[0] = batch(context);
        times[1] = seconds() - begin;
        MPI_Allreduce(MPI_IN_PLACE, times, 2, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        us[batches++] = times[0];
    }
    return figure_of(us, batches);
}

static inline struct figure measure_work_together(work what, void* context, long repeats)
{
    struct bounded_work w = {what, NULL, context, repeats};
    return measure_together(time_bounded, &w);
}

#define MOST_WAYS 8

struct way {
    timed_batch batch;
    void* context;
    double us; /* found: of one operation, the median */
};

/* By one process: a round has a batch of each way; the first does not count. */
static inline void measure_in_turns(struct way* ways, int count)
{
    static double us[MOST_WAYS][MOST_BATCHES];
    int order[MOST_WAYS];
    for (int i = 0; i < count; ++i)
        order[i] = i;
    double begin = 0;
    int rounds = -1;
    for (; rounds < 0 || goes_on(rounds, seconds() - begin); ++rounds) {
        if (rounds == 0)
            begin = seconds();
        shuffle(order, count);
        for (int turn = 0; turn < count; ++turn) {
            const int i = order[turn];
            const double found = ways[i].batch(ways[i].context);
            if (rounds >= 0)
                us[i][rounds] = found;
        }
    }
    for (int i = 0; i < count; ++i)
        ways[i].us = median(us[i], rounds);
}

#endif
