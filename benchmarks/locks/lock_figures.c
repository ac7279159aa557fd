/* Locks on a node and between nodes: Fig. 5 of paper 000, Figs 6 to 12 of paper 004.
 *
 *     lock_figures [figure ...] [--turns N, for Fig. 5: 2000]
 *
 * A row is microseconds per turn, of the slowest process; none where it is not possible with these processes
 * on these nodes. Fig. N is in the function that lock_figures.h names.
 *
 * On more processes than cores, turns that fit into a time slice are taken one process after the other: there
 * Fig. 5 wants 200,000, so that all are in the queue at once. */
#include "lock_figures.h"

#include <sched.h>

#define CHECKED_TURNS 100
#define CHECKED_PAUSE 20000 /* ns, asleep, so that another comes between on a busy machine, too */

int process_at(const struct setup* s, int node, int place)
{
    for (int p = 0; p < s->job.processes; ++p)
        if (s->node_of[p] == node && s->place_of[p] == place)
            return p;
    return -1;
}

void lock_and_unlock(void* turns, long repeats)
{
    const struct turns* const t = turns;
    while (repeats-- > 0) {
        ARMCI_Lock(0, t->owner);
        if (t->sum != NULL) {
            long value;
            ARMCI_Get(t->sum, &value, sizeof value, t->owner);
            if (t->pause_ns > 0)
                nanosleep(&(struct timespec){0, t->pause_ns}, NULL);
            ++value;
            ARMCI_Put(&value, t->sum, sizeof value, t->owner);
            ARMCI_Fence(t->owner);
        }
        ARMCI_Unlock(0, t->owner);
    }
}

double slowest(int takes_part, work what, void* context, long repeats)
{
    double took = 0, longest;
    ARMCI_Barrier();
    if (takes_part)
        took = time_of(what, context, repeats);
    ARMCI_Barrier();
    MPI_Allreduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return longest;
}

double us_each(work what, void* context)
{
    long done = 0, batch = 1;
    double took = 0;
    what(context, 2);
    const double begin = seconds();
    while (took < ROW_SECONDS) {
        what(context, batch);
        done += batch;
        took = seconds() - begin;
        if (batch < 64 &&
            took < ROW_SECONDS / 10) /* else the clock would be what takes the time of fast ones */
            batch *= 2;
    }
    return 1e6 * took / (double)done;
}

double us_of_slowest(int takes_part, work what, void* context)
{
    ARMCI_Barrier();
    double us = takes_part ? us_each(what, context) : 0;
    ARMCI_Barrier();
    MPI_Allreduce(MPI_IN_PLACE, &us, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    return us;
}

long sum_at(const struct setup* s, int owner)
{
    long sum;
    ARMCI_Get(&s->slices[owner]->sum, &sum, sizeof sum, owner);
    return sum;
}

void check_exclusion(const struct setup* s, int takes_part, int owner)
{
    struct turns turns = {owner, &s->slices[owner]->sum, CHECKED_PAUSE};
    int takers;
    MPI_Allreduce(&takes_part, &takers, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    const long before = sum_at(s, owner);
    slowest(takes_part, lock_and_unlock, &turns, CHECKED_TURNS);
    if (sum_at(s, owner) - before != (long)takers * CHECKED_TURNS)
        fail("a mutex let two in at once");
    ARMCI_Barrier();
}

void compute(double us)
{
    if (us <= 0) {
        sched_yield();
        return;
    }
    const double end = seconds() + 1e-6 * us;
    while (seconds() < end)
        ;
}

int look(void)
{
    int there;
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, MPI_STATUS_IGNORE);
    return there;
}

void row(const struct setup* s, const char* series, double x, double us)
{
    if (us >= 0)
        print_point(s->job, series, x, us, "us");
}

static void find_nodes(struct setup* s)
{
    const size_t processes = (size_t)s->job.processes;
    int* const lowest = lowest_of_nodes(s->job);
    s->node_of = not_null(malloc(processes * sizeof *s->node_of));
    s->place_of = not_null(calloc(processes, sizeof *s->place_of));
    for (int p = 0; p < s->job.processes; ++p) {
        s->node_of[p] = lowest[p] == p ? s->nodes++ : s->node_of[lowest[p]];
        for (int q = 0; q < p; ++q)
            s->place_of[p] += lowest[q] == lowest[p];
    }
    free(lowest);
}

int main(int argc, char** argv)
{
    static void (*const run[])(const struct setup* s) = {counted_turns, on_the_node, owner_computing,
                                                         ring_of_locks, contention,  message_round_computing,
                                                         migration,     task_sharing};
    enum { COUNT = sizeof run / sizeof *run };
    int wanted[COUNT] = {0}, chosen = 0;
    double turns = 2000;
    const struct option options[] = {{"5", NULL, 0, 0, &wanted[0], 1},     {"6", NULL, 0, 0, &wanted[1], 1},
                                     {"7", NULL, 0, 0, &wanted[2], 1},     {"8", NULL, 0, 0, &wanted[3], 1},
                                     {"9", NULL, 0, 0, &wanted[4], 1},     {"10", NULL, 0, 0, &wanted[5], 1},
                                     {"11", NULL, 0, 0, &wanted[6], 1},    {"12", NULL, 0, 0, &wanted[7], 1},
                                     {"--turns", &turns, 1, 1e9, NULL, 0}, {0}};
    struct setup s = {.job = begin_job(argc, argv, "Locks", options)};
    s.turns = (long)turns;
    find_nodes(&s);
    s.slices = (struct slice**)zeroed_memory(s.job, sizeof(struct slice));
    if (ARMCI_Create_mutexes(1) != 0)
        fail("no mutexes");
    ARMCI_Barrier();
    for (int i = 0; i < COUNT; ++i)
        chosen += wanted[i];
    for (int i = 0; i < COUNT; ++i)
        if (wanted[i] || chosen == 0)
            run[i](&s);
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    free_global_memory(s.job, (void**)s.slices);
    free(s.node_of);
    free(s.place_of);
    end_job();
    return 0;
}
