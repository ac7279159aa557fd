/* The clock, short batches, medians, and comparisons that stand a noisy machine. */
#ifndef ARMCI_BENCHMARKS_CLOCK_H_
#define ARMCI_BENCHMARKS_CLOCK_H_

#include <stdlib.h>
#include <string.h>
#include <time.h>

/* A call that the compiler can neither inline nor see through. */
static void* (*volatile out_of_line_memcpy)(void*, const void*, size_t) = memcpy;

static inline double seconds_of(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static inline double seconds(void)
{
    return seconds_of(CLOCK_MONOTONIC);
}

static inline double cpu_seconds(void)
{
    return seconds_of(CLOCK_PROCESS_CPUTIME_ID);
}

/* Does something `repeats` times. */
typedef void (*work)(void* context, long repeats);

static inline double time_of(work what, void* context, long repeats)
{
    const double begin = seconds();
    what(context, repeats);
    return seconds() - begin;
}

static inline double us_of(work what, void* context, long repeats)
{
    return 1e6 * time_of(what, context, repeats) / (double)repeats;
}

/* Much shorter than a time slice, so that most batches run undisturbed; much longer than reading the clock.
 */
#define BATCH_SECONDS 20e-6

/* Of several tries the fastest counts: a first call that faults pages in, or one interruption, must not end
 * the search at a batch so short that reading the clock is what is measured. */
static inline double fastest_time_of(work what, void* context, long repeats)
{
    double fastest = time_of(what, context, repeats);
    for (int i = 0; i < 4; ++i) {
        const double time = time_of(what, context, repeats);
        if (time < fastest)
            fastest = time;
    }
    return fastest;
}

static inline long repeats_per_batch(work what, void* context)
{
    long repeats = 1;
    while (fastest_time_of(what, context, repeats) < BATCH_SECONDS && repeats < 1000000)
        repeats *= 2;
    return repeats;
}

static inline int ascending(const void* a, const void* b)
{
    const double x = *(const double*)a, y = *(const double*)b;
    return (x > y) - (x < y);
}

static inline double median(double* values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return count % 2 ? values[count / 2] : (values[count / 2 - 1] + values[count / 2]) / 2;
}

/* A tenth of them is less: what other load on the machine hardly moves. */
static inline double tenth(double* values, int count)
{
    qsort(values, (size_t)count, sizeof *values, ascending);
    return values[count / 10];
}

/* The order of ways in a round: nobody always follows the same one, whose traces in the caches it would find.
 */
static inline void shuffle(int* order, int count)
{
    static unsigned seed = 1;
    for (int i = count; i-- > 1;) {
        const int other = (int)(rand_r(&seed) % (unsigned)(i + 1)), moved = order[i];
        order[i] = order[other];
        order[other] = moved;
    }
}

#define ROUNDS 1401

struct comparison {
    double ns;
    double reference_ns;
    double ratio; /* the median of ratios of neighbouring batches: what slows a moment slows both */
};

static inline struct comparison compare(work what, void* context, work reference, void* reference_context)
{
    static double ns[ROUNDS], reference_ns[ROUNDS], ratio[ROUNDS];
    const long repeats = repeats_per_batch(what, context);
    const long reference_repeats = repeats_per_batch(reference, reference_context);
    for (int i = 0; i < ROUNDS; ++i) {
        ns[i] = 1e3 * us_of(what, context, repeats);
        reference_ns[i] = 1e3 * us_of(reference, reference_context, reference_repeats);
        ratio[i] = ns[i] / reference_ns[i];
    }
    const struct comparison result = {median(ns, ROUNDS), median(reference_ns, ROUNDS),
                                      median(ratio, ROUNDS)};
    return result;
}

#endif
