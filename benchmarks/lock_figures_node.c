/* Figs 6 to 9: one process, all in a ring, and several at one mutex. On several nodes the ring stays within
 * each, and the crowd comes from all. */
#include "lock_figures.h"

static int neighbour_of_first(const struct setup* s)
{
    return process_at(s, s->node_of[0], 1);
}

void on_the_node(const struct setup* s)
{
    struct turns turns = {neighbour_of_first(s), NULL, 0};
    const char* const name = "mutex of a neighbour";
    if (turns.owner < 0) {
        row(s, name, "", 0, NOT_POSSIBLE);
        return;
    }
    row(s, name, "neighbour/turn", s->job.processes, us_of_slowest(s->job.me == 0, lock_and_unlock, &turns));
    check_exclusion(s, 1, turns.owner);
}

static double turns_while_computing(const struct setup* s, struct turns turns, double owner_us)
{
    double us = 0;
    ARMCI_Barrier();
    if (s->job.me == 0) {
        us = us_each(lock_and_unlock, &turns);
        MPI_Send(NULL, 0, MPI_INT, turns.owner, 0, MPI_COMM_WORLD);
    } else if (s->job.me == turns.owner) {
        while (!look())
            compute(owner_us);
        MPI_Recv(NULL, 0, MPI_INT, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    }
    ARMCI_Barrier();
    return us;
}

void owner_computing(const struct setup* s)
{
    static const int us[] = {0, 10, 100, 1000};
    const struct turns turns = {neighbour_of_first(s), NULL, 0};
    for (size_t i = 0; i < sizeof us / sizeof *us; ++i) {
        char name[64];
        snprintf(name, sizeof name, "owner away from MPI for %d us", us[i]);
        row(s, name, "owner_computing/turn", us[i],
            turns.owner < 0 ? NOT_POSSIBLE : turns_while_computing(s, turns, us[i]));
    }
    if (turns.owner >= 0)
        check_exclusion(s, 1, turns.owner);
}

void ring_of_locks(const struct setup* s)
{
    const int node = s->node_of[s->job.me], next = process_at(s, node, s->place_of[s->job.me] + 1);
    struct turns turns = {next < 0 ? process_at(s, node, 0) : next, NULL, 0};
    row(s, "mutex of the next process on the node", "ring/turn", s->job.processes,
        us_of_slowest(1, lock_and_unlock, &turns));
    check_exclusion(s, 1, 0);
}

static void crowd(const struct setup* s, int size)
{
    struct turns turns = {0, NULL, 0}, with_sum = {0, &s->slices[0]->sum, 0};
    const int takes_part = s->job.me < size;
    char name[64];
    snprintf(name, sizeof name, "%d at one mutex", size);
    row(s, name, "at_one_mutex/turn", size, us_of_slowest(takes_part, lock_and_unlock, &turns) / size);
    snprintf(name, sizeof name, "%d at one mutex, a sum under it", size);
    row(s, name, "with_a_sum_under_it/turn", size,
        us_of_slowest(takes_part, lock_and_unlock, &with_sum) / size);
    check_exclusion(s, takes_part, 0);
}

/* The time is that of all turns together by their number, so that a figure which does not grow is a mutex
 * that loses nothing to the crowd. */
void contention(const struct setup* s)
{
    int size = 1;
    for (; size < s->job.processes; size *= 2)
        crowd(s, size);
    crowd(s, s->job.processes);
}
