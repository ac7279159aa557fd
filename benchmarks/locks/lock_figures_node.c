/* Fig. 5 counts turns, Figs 6 to 9 go by time: one process, all in a ring, and several at one mutex. On
 * several nodes the ring stays within each, and the crowd comes from all. */
#include "lock_figures.h"

/* The least that a lock is. */
static void compare_and_swap_twice(void* context, long repeats)
{
    long* word = context;
    while (repeats-- > 0) {
        long expected = 0;
        __atomic_compare_exchange_n(word, &expected, 1, 0, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
        expected = 1;
        __atomic_compare_exchange_n(word, &expected, 0, 0, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
    }
}

static double us_of_turns(const struct setup* s, int all, int owner, long* sum)
{
    struct turns turns = {owner, sum, 0};
    return 1e6 * slowest(all || s->job.me == 0, lock_and_unlock, &turns, s->turns) / (double)s->turns /
           (all ? s->job.processes : 1);
}

void counted_turns(const struct setup* s)
{
    const int last = s->job.processes - 1, processes = s->job.processes;
    long word = 0, *const sum = &s->slices[last]->sum;
    const long before = sum_at(s, last);
    if (s->job.me == 0)
        row(s, "two_compare_and_swaps/turn", processes,
            measure_bounded(compare_and_swap_twice, NULL, &word,
                            repeats_per_batch(compare_and_swap_twice, &word))
                .us);
    row(s, "own_mutex/turn", processes, us_of_turns(s, 0, 0, NULL));
    row(s, "mutex_of_another/turn", processes, us_of_turns(s, 0, last, NULL));
    row(s, "all_at_one_mutex/turn", processes, us_of_turns(s, 1, last, NULL));
    row(s, "all_with_a_sum_under_it/turn", processes, us_of_turns(s, 1, last, sum));
    if (sum_at(s, last) - before != s->turns * processes)
        fail("a mutex let two in at once");
    ARMCI_Barrier();
}

static int neighbour_of_first(const struct setup* s)
{
    return process_at(s, s->node_of[0], 1);
}

void on_the_node(const struct setup* s)
{
    struct turns turns = {neighbour_of_first(s), NULL, 0};
    if (turns.owner < 0)
        return;
    row(s, "neighbour/turn", s->job.processes, us_of_slowest(s->job.me == 0, lock_and_unlock, &turns));
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
    if (turns.owner < 0)
        return;
    for (size_t i = 0; i < sizeof us / sizeof *us; ++i)
        row(s, "owner_computing/turn", us[i], turns_while_computing(s, turns, us[i]));
    check_exclusion(s, 1, turns.owner);
}

void ring_of_locks(const struct setup* s)
{
    const int node = s->node_of[s->job.me], next = process_at(s, node, s->place_of[s->job.me] + 1);
    struct turns turns = {next < 0 ? process_at(s, node, 0) : next, NULL, 0};
    row(s, "ring/turn", s->job.processes, us_of_slowest(1, lock_and_unlock, &turns));
    check_exclusion(s, 1, 0);
}

static void crowd(const struct setup* s, int size)
{
    struct turns turns = {0, NULL, 0}, with_sum = {0, &s->slices[0]->sum, 0};
    const int takes_part = s->job.me < size;
    row(s, "at_one_mutex/turn", size, us_of_slowest(takes_part, lock_and_unlock, &turns) / size);
    row(s, "with_a_sum_under_it/turn", size, us_of_slowest(takes_part, lock_and_unlock, &with_sum) / size);
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
