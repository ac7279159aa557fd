/* Figs 6 to 12 of paper "Natively Supporting True One-sided Communication in MPI on Multi-core Systems":
 * locks on a node and between nodes.
 *
 *     lock_figures [figure ...]
 *
 * A row is: name, microseconds per turn, of the slowest process; a dash: not with these processes on these
 * nodes. Fig. N is in the function that lock_figures.h names. The script of the same name runs them with each
 * algorithm. */
#include "lock_figures.h"
#include "rows.h"

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

static long sum_of(const struct setup* s, int owner)
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
    const long before = sum_of(s, owner);
    slowest(takes_part, lock_and_unlock, &turns, CHECKED_TURNS);
    if (sum_of(s, owner) - before != (long)takers * CHECKED_TURNS)
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

void row(const struct setup* s, const char* name, const char* series, double x, double us)
{
    if (s->job.me != 0)
        return;
    if (us < 0) {
        printf("%-44s %14s\n", name, "-");
        return;
    }
    printf("%-44s %14.3f\n", name, us);
    print_row_if_asked(series, x, us, "us");
}

static void find_nodes(struct setup* s)
{
    MPI_Comm node;
    int lowest = s->job.me;
    int* const lowest_of = malloc((size_t)s->job.processes * sizeof *lowest_of);
    s->node_of = malloc((size_t)s->job.processes * sizeof *s->node_of);
    s->place_of = calloc((size_t)s->job.processes, sizeof *s->place_of);
    if (lowest_of == NULL || s->node_of == NULL || s->place_of == NULL)
        fail("no memory");
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, s->job.me, MPI_INFO_NULL, &node);
    MPI_Bcast(&lowest, 1, MPI_INT, 0, node);
    MPI_Comm_free(&node);
    MPI_Allgather(&lowest, 1, MPI_INT, lowest_of, 1, MPI_INT, MPI_COMM_WORLD);
    s->nodes = 0;
    for (int p = 0; p < s->job.processes; ++p) {
        s->node_of[p] = lowest_of[p] == p ? s->nodes++ : s->node_of[lowest_of[p]];
        for (int q = 0; q < p; ++q)
            s->place_of[p] += lowest_of[q] == lowest_of[p];
    }
    free(lowest_of);
}

static const struct figure {
    int number;
    const char* title;
    void (*run)(const struct setup* s);
} figures[] = {
    {6, "process 0 at the mutex of a neighbour on its node", on_the_node},
    {7, "the same while the neighbour computes", owner_computing},
    {8, "each process at the mutex of the next one of its node", ring_of_locks},
    {9, "several processes at one mutex", contention},
    {10, "a message goes round from node to node while all compute", message_round_computing},
    {11, "a mutex wanted by its node, and in part by another", migration},
    {12, "leaders of nodes share tasks", task_sharing},
};

static int is_wanted(int number, int argc, char** argv)
{
    for (int i = 1; i < argc; ++i)
        if (atoi(argv[i]) == number)
            return 1;
    return argc < 2;
}

int main(int argc, char** argv)
{
    struct setup s = {.job = begin_job(&argc, &argv, "Figures of locks")};
    find_nodes(&s);
    s.slices = (struct slice**)global_memory(s.job, sizeof(struct slice));
    memset(s.slices[s.job.me], 0, sizeof(struct slice));
    if (ARMCI_Create_mutexes(1) != 0)
        fail("no mutexes");
    ARMCI_Barrier();
    for (size_t i = 0; i < sizeof figures / sizeof *figures; ++i) {
        if (!is_wanted(figures[i].number, argc, argv))
            continue;
        if (s.job.me == 0)
            printf("Fig. %d: %s; us per turn\n", figures[i].number, figures[i].title);
        figures[i].run(&s);
    }
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    free_global_memory(s.job, (void**)s.slices);
    free(s.node_of);
    free(s.place_of);
    end_job();
    return 0;
}
