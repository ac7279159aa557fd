/* What a process that computes loses to others which work on its memory, and how fast they are meanwhile:
 * Fig. 6 of paper "Designing Passive Synchronization for MPI-2 One-Sided Communication". The last process
 * computes, without a call, and all others put to its memory, get from it or accumulate into it: 32 KiB, the
 * paper's, in a place for each, complete there after each operation, as after the paper's unlock.
 *
 *     target_overlap [--seconds S]
 *
 *     --seconds S  processor time of one computation (0.08)
 *
 * Rows by number of origins: time of the computation with traffic over time while all others sleep, by the
 * clock and by the processor time of the target's process, its threads included; and what the origins of its
 * own node and of others moved while it computed. With more processes than cores the clock tells what share
 * of a core the target had, the processor time what the traffic cost. */
#include "measure/computing.h"
#include "measure/job.h"

#include <sched.h>

#define BYTES (32 << 10)
#define DOUBLES (BYTES / (int)sizeof(double))
#define ROUNDS_OF_KIND 5
#define LOOKS 50 /* of an origin for the end of a computation: each may give the core away */
#define LEAD_SECONDS 2e-3

enum { SLEEP = KINDS };

enum tag { GO, DONE };

struct setup {
    struct job job;
    int target;
    int same_node; /* as the target */
    double** theirs;
    double* mine;
    double* expected; /* sums of my place at the target */
    double one;
    long turns;
};

static double* my_place(const struct setup* s)
{
    return s->theirs[s->target] + (size_t)s->job.me * DOUBLES;
}

static void poll(double for_seconds)
{
    const double end = seconds() + for_seconds;
    int there;
    do {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
        sched_yield();
    } while (seconds() < end);
}

static int told(const struct setup* s, enum tag tag)
{
    int there;
    MPI_Iprobe(s->target, tag, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    if (there)
        MPI_Recv(NULL, 0, MPI_BYTE, s->target, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    return there;
}

static void tell(const struct setup* s, enum tag tag)
{
    for (int p = 0; p < s->target; ++p)
        MPI_Send(NULL, 0, MPI_BYTE, p, tag, MPI_COMM_WORLD);
}

struct spent {
    double wall;
    double cpu;
};

/* The target's part. What is left of the barrier and of the message has to leave before it computes: where
 * MPI needs this process for it, nobody else would begin. */
static struct spent compute(const struct setup* s)
{
    poll(LEAD_SECONDS);
    tell(s, GO);
    poll(LEAD_SECONDS / 10);
    struct spent spent = {seconds(), cpu_seconds()};
    turns(s->turns);
    spent.wall = seconds() - spent.wall;
    spent.cpu = cpu_seconds() - spent.cpu;
    tell(s, DONE); /* and the barrier that follows drives MPI for those who wait for it */
    return spent;
}

static void operation(struct setup* s, int kind)
{
    transfer_fenced((enum kind)kind, s->mine, my_place(s), BYTES, &s->one, s->target);
}

/* An origin's part; operations that were complete before the target was done. */
static long work_on_target(struct setup* s, int kind)
{
    const struct timespec pause = {0, 500000};
    long all = 0, meanwhile = 0;
    while (!told(s, GO))
        sched_yield();
    while (!told(s, DONE)) {
        meanwhile = all;
        if (kind == SLEEP) {
            nanosleep(&pause, NULL);
            continue;
        }
        const double end = seconds() + budget / LOOKS;
        do {
            operation(s, kind);
            ++all;
        } while (seconds() < end);
    }
    if (kind == ACC)
        *s->expected += (double)all;
    return meanwhile;
}

struct outcome {
    struct spent spent;
    double node_rate; /* MB/s */
    double network_rate;
};

/* Collective; the same outcome everywhere. */
static struct outcome one_round(struct setup* s, int kind)
{
    struct spent spent = {0, 0};
    double moved[2] = {0, 0};
    ARMCI_Barrier();
    if (s->job.me == s->target)
        spent = compute(s);
    else
        moved[!s->same_node] = (double)work_on_target(s, kind) * BYTES;
    ARMCI_Barrier();
    MPI_Allreduce(MPI_IN_PLACE, moved, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    double times[2] = {spent.wall, spent.cpu};
    MPI_Bcast(times, 2, MPI_DOUBLE, s->target, MPI_COMM_WORLD);
    const struct outcome outcome = {
        {times[0], times[1]}, 1e-6 * moved[0] / times[0], 1e-6 * moved[1] / times[0]};
    return outcome;
}

static void fill(double* place, double value)
{
    for (int i = 0; i < DOUBLES; ++i)
        place[i] = value + i;
}

static void check(const double* place, double value, double by_index)
{
    for (int i = 0; i < DOUBLES; ++i)
        if (place[i] != value + by_index * i)
            fail("data is wrong");
}

/* Each round has values of its own, so that bytes of an earlier one are found. */
static void prepare(struct setup* s, int kind, int round)
{
    const double value = 1000.0 * (KINDS * round + (int)kind + 1);
    fill(s->mine, s->job.me + (kind == GET ? 0 : value));
    if (kind == ACC)
        for (int i = 0; i < DOUBLES; ++i)
            s->mine[i] = 1;
    *s->expected = 0;
    ARMCI_Barrier();
    for (int p = 0; s->job.me == s->target && p < s->target; ++p) {
        double* const place = s->theirs[s->target] + (size_t)p * DOUBLES;
        fill(place, p + (kind == GET ? value : 0));
        if (kind == ACC)
            memset(place, 0, BYTES);
    }
    ARMCI_Barrier();
    if (s->job.me != s->target) { /* opens connections */
        operation(s, kind);
        *s->expected += kind == ACC;
    }
}

static void verify(struct setup* s, int kind, int round)
{
    const double value = 1000.0 * (KINDS * round + (int)kind + 1);
    if (kind == GET) {
        if (s->job.me != s->target)
            check(s->mine, s->job.me + value, 1);
        return;
    }
    double* const sums = not_null(calloc((size_t)s->job.processes, sizeof *sums));
    MPI_Allgather(s->expected, 1, MPI_DOUBLE, sums, 1, MPI_DOUBLE, MPI_COMM_WORLD);
    if (s->job.me == s->target)
        for (int p = 0; p < s->target; ++p)
            check(s->theirs[s->target] + (size_t)p * DOUBLES, kind == ACC ? sums[p] : p + value, kind != ACC);
    free(sums);
}

static void report(struct setup* s, int kind, const int origins[2])
{
    double wall[ROUNDS_OF_KIND], cpu[ROUNDS_OF_KIND], node[ROUNDS_OF_KIND], network[ROUNDS_OF_KIND];
    for (int round = 0; round < ROUNDS_OF_KIND; ++round) {
        prepare(s, kind, round);
        const struct outcome without = one_round(s, SLEEP);
        const struct outcome with = one_round(s, kind);
        verify(s, kind, round);
        wall[round] = with.spent.wall / without.spent.wall;
        cpu[round] = with.spent.cpu / without.spent.cpu;
        node[round] = with.node_rate;
        network[round] = with.network_rate;
    }
    if (s->job.me != 0)
        return;
    const struct {
        const char* panel;
        double* values;
        const char* unit;
        int has;
    } panels[] = {
        {"wall_time", wall, "times", 1},
        {"processor_time", cpu, "times", 1},
        {"origins_on_the_node", node, "MB/s", origins[0] > 0},
        {"origins_elsewhere", network, "MB/s", origins[1] > 0},
    };
    for (size_t i = 0; i < sizeof panels / sizeof *panels; ++i)
        if (panels[i].has)
            print_rowf(s->target, median(panels[i].values, ROUNDS_OF_KIND), panels[i].unit, "%s/%s",
                       panels[i].panel, kind == ACC ? "accumulate" : kinds[kind]);
}

int main(int argc, char** argv)
{
    struct setup s = {.job = begin_job(argc, argv, "A target that computes", NULL), .one = 1};
    if (s.job.processes < 2)
        fail("at least two processes, please: one computes");
    double expected;
    s.target = s.job.processes - 1;
    s.same_node = is_on_node_of(s.job, s.target);
    s.theirs = (double**)global_memory(s.job, (size_t)s.job.processes * BYTES);
    s.mine = pages(BYTES);
    s.expected = &expected;
    s.turns = (long)(1e6 * budget * turns_per_us());
    int origins[2] = {0, 0};
    if (s.job.me != s.target)
        origins[!s.same_node] = 1;
    MPI_Allreduce(MPI_IN_PLACE, origins, 2, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    for (int kind = PUT; kind < KINDS; ++kind)
        report(&s, kind, origins);
    ARMCI_Barrier();
    free(s.mine);
    free_global_memory(s.job, (void**)s.theirs);
    end_job();
    return 0;
}
