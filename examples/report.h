/*
 * What every example says about itself: its size argument, the time of each phase, and its checks.
 *
 * Verdicts and times are combined with MPI, never through ARMCI or Global Arrays, so that a fault in the
 * library on show cannot hide itself. Every function marked "collective" is called by all ranks of the world.
 */
#ifndef ARMCI_EXAMPLES_REPORT_H
#define ARMCI_EXAMPLES_REPORT_H

#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

enum { REPORT_MAX_PHASES = 8, REPORT_EXIT_WRONG = 1, REPORT_EXIT_USAGE = 2 };

typedef struct {
    const char* name; /* of the program */
    int me, ranks;
    int phases;
    const char* phase_name[REPORT_MAX_PHASES];
    double phase_seconds[REPORT_MAX_PHASES];
    int phase_is_work[REPORT_MAX_PHASES];
    double phase_start;
    int checks;
    int wrong_ranks; /* in the worst check so far; known to rank 0 */
} Report;

/* Collective; after MPI_Init. */
static inline void report_open(Report* report, const char* name)
{
    Report fresh = {0};
    *report = fresh;
    report->name = name;
    MPI_Comm_rank(MPI_COMM_WORLD, &report->me);
    MPI_Comm_size(MPI_COMM_WORLD, &report->ranks);
}

/* The optional first argument, or `fallback`. A bad one ends the job with a message. Collective. */
static inline int report_size_argument(const Report* report, int argc, char** argv, int fallback, int least,
                                       int most)
{
    if (argc < 2)
        return fallback;
    char* end = NULL;
    const long value = strtol(argv[1], &end, 10);
    if (argc == 2 && end != argv[1] && *end == '\0' && value >= least && value <= most)
        return (int)value;
    if (report->me == 0)
        fprintf(stderr, "usage: %s [size from %d to %d; default %d]\n", report->name, least, most, fallback);
    MPI_Barrier(MPI_COMM_WORLD); /* rank 0 speaks before anyone ends the job */
    MPI_Abort(MPI_COMM_WORLD, REPORT_EXIT_USAGE);
    return fallback;
}

/* Collective: ranks enter a phase together, so that its time is the phase's own. */
static inline void report_phase_begin(Report* report, const char* phase)
{
    if (report->phases == REPORT_MAX_PHASES) {
        fprintf(stderr, "%s: more than %d phases\n", report->name, REPORT_MAX_PHASES);
        MPI_Abort(MPI_COMM_WORLD, REPORT_EXIT_USAGE);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    report->phase_name[report->phases] = phase;
    report->phase_start = MPI_Wtime();
}

/* A phase that the program is there for; setting up and checking are not. Collective. */
static inline void report_work_begin(Report* report, const char* phase)
{
    report_phase_begin(report, phase);
    report->phase_is_work[report->phases] = 1;
}

/* Returns the seconds this rank spent in the phase. */
static inline double report_phase_end(Report* report)
{
    return report->phase_seconds[report->phases++] = MPI_Wtime() - report->phase_start;
}

/* The larger of `worst` and |difference|; a NaN becomes infinite, so that no later value hides it. */
static inline double report_worse(double worst, double difference)
{
    const double error = isnan(difference) ? HUGE_VAL : fabs(difference);
    return error > worst ? error : worst;
}

/* Rank 0 hears what every rank found (0 is right) and prints the verdict; one wrong rank makes it wrong.
 * Collective. */
static inline void report_verdict(Report* report, const char* what, double error, double limit, int counted)
{
    double* errors = report->me == 0 ? malloc(sizeof *errors * (size_t)report->ranks) : &error;
    if (errors == NULL)
        MPI_Abort(MPI_COMM_WORLD, REPORT_EXIT_USAGE);
    MPI_Gather(&error, 1, MPI_DOUBLE, errors, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
    report->checks++;
    if (report->me != 0)
        return;
    int wrong = 0, worst = 0;
    for (int rank = 0; rank < report->ranks; ++rank) {
        wrong += errors[rank] > limit;
        if (errors[rank] > errors[worst])
            worst = rank;
    }
    if (wrong > report->wrong_ranks)
        report->wrong_ranks = wrong;
    if (counted)
        printf("  check: %s: %.0f faults: ", what, errors[worst]);
    else
        printf("  check: %s: max error %.1e (limit %.0e): ", what, errors[worst], limit);
    if (wrong == 0)
        printf("ok\n");
    else
        printf("WRONG on %d of %d ranks, worst on rank %d\n", wrong, report->ranks, worst);
    free(errors);
}

/* Collective: a check on this rank's largest error, which may be signed; a NaN is wrong. */
static inline void report_check(Report* report, const char* what, double error, double limit)
{
    report_verdict(report, what, report_worse(0.0, error), limit, 0);
}

/* Collective: a check that this rank counted no fault. */
static inline void report_no_fault(Report* report, const char* what, long faults)
{
    report_verdict(report, what, (double)faults, 0.0, 1);
}

/*
 * Collective, before MPI_Finalize: prints verdict and times, those of the slowest rank, and returns the exit
 * status, the same on all ranks. For figures, where the environment has BENCHMARK_ROWS: a line of name,
 * ranks, seconds of all work and unit (benchmarks/measure/rows.h).
 */
static inline int report_close(const Report* report)
{
    double slowest[REPORT_MAX_PHASES], work = 0.0;
    int status = report->wrong_ranks == 0 && report->checks > 0 ? 0 : REPORT_EXIT_WRONG;
    MPI_Reduce(report->phase_seconds, slowest, report->phases, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Bcast(&status, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (report->me != 0)
        return status;
    printf("  time:");
    for (int i = 0; i < report->phases; ++i) {
        printf("%s %s %.4f s", i == 0 ? "" : ",", report->phase_name[i], slowest[i]);
        work += report->phase_is_work[i] ? slowest[i] : 0.0;
    }
    printf("\n");
    if (getenv("BENCHMARK_ROWS") != NULL)
        printf("%-12s %4d %12.6f  s\n", report->name, report->ranks, work);
    if (status == 0)
        printf("%s: all %d checks ok on %d ranks\n", report->name, report->checks, report->ranks);
    else
        printf("%s: WRONG on %d of %d ranks\n", report->name, report->wrong_ranks, report->ranks);
    fflush(stdout);
    return status;
}

#endif
