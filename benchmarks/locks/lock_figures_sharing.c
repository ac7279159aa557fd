/* Fig. 12: the first process of each node, its leader, gives something to each other process of its node,
 * then to each other leader, then to its node again, in turns of lock, put and unlock. And what that stands
 * for: each node has a queue of tasks, unequally many; all processes take tasks from their own node's queue,
 * and from the others' when it is empty. */
#include "lock_figures.h"

#define MOST_GIFTS 1000 /* to each, in each phase */
#define TASK_US 10.0
#define LEAST_TASKS 20 /* per process */
#define MOST_TASKS 100000

static void give(const struct setup* s, int to, long repeats)
{
    long gift = s->job.me + 1;
    while (repeats-- > 0) {
        ARMCI_Lock(0, to);
        ARMCI_Put(&gift, &s->slices[to]->tag, sizeof gift, to);
        ARMCI_Fence(to);
        ARMCI_Unlock(0, to);
    }
}

enum phase { own_node, other_leaders, own_node_again, phases };

/* Who gets something from me in the phase, as I am a leader. */
static int gets(const struct setup* s, enum phase phase, int process)
{
    if (s->place_of[s->job.me] != 0 || process == s->job.me)
        return 0;
    return phase == other_leaders ? s->place_of[process] == 0 : s->node_of[process] == s->node_of[s->job.me];
}

static void give_to_all(const struct setup* s, long repeats, double took[phases])
{
    ARMCI_Barrier();
    for (enum phase phase = own_node; phase < phases; ++phase) {
        const double begin = seconds();
        for (int p = 0; p < s->job.processes; ++p)
            if (gets(s, phase, p))
                give(s, p, repeats);
        took[phase] = seconds() - begin;
    }
    ARMCI_Barrier();
    MPI_Allreduce(MPI_IN_PLACE, took, phases, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
}

/* Each gift came from who may have given it last. */
static void check_gifts(const struct setup* s)
{
    const int me = s->job.me, leader = process_at(s, s->node_of[me], 0);
    long gift;
    ARMCI_Get(&s->slices[me]->tag, &gift, sizeof gift, me);
    const int giver = (int)gift - 1;
    const int from_leader = giver >= 0 && giver < s->job.processes && s->place_of[giver] == 0;
    if (me != leader ? giver != leader : s->nodes > 1 && (!from_leader || giver == me))
        fail("a gift was lost");
}

static void report_gifts(const struct setup* s)
{
    static const char* const series[] = {"own_node/turn", "other_leaders/turn", "own_node_again/turn"};
    const long few = 5;
    double took[phases], all = 0;
    int turns_of_all = 0;
    give_to_all(s, few, took);
    give_to_all(s, few, took);
    for (enum phase phase = own_node; phase < phases; ++phase)
        all += took[phase];
    const double hold = 2 * ROW_SECONDS / (all / few + 1e-9);
    const long repeats = hold > MOST_GIFTS ? MOST_GIFTS : hold < few ? few : (long)hold;
    give_to_all(s, repeats, took);
    all = 0;
    for (enum phase phase = own_node; phase < phases; ++phase) {
        int most = 0, mine = 0;
        for (int p = 0; p < s->job.processes; ++p)
            mine += gets(s, phase, p);
        MPI_Allreduce(&mine, &most, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
        row(s, series[phase], s->job.processes,
            most == 0 ? NOT_POSSIBLE : 1e6 * took[phase] / (double)(repeats * most));
        all += took[phase];
        turns_of_all += most;
    }
    row(s, "all_three/turn", s->job.processes,
        turns_of_all == 0 ? NOT_POSSIBLE : 1e6 * all / (double)(repeats * turns_of_all));
    check_gifts(s);
}

struct worker {
    const struct setup* setup;
    long tasks; /* per process */
    long done;  /* by me */
    long sum;   /* of 1 + the numbers of my tasks */
};

/* Node n has n + 1 times what node 0 has, so that queues run empty one after the other. */
static long tasks_of(const struct worker* w, int node)
{
    return w->tasks * w->setup->job.processes * (node + 1) / w->setup->nodes;
}

/* -1: the queue is empty. */
static long take_task(const struct worker* w, int node)
{
    const struct setup* const s = w->setup;
    const int owner = process_at(s, node, 0);
    long* const queue = &s->slices[owner]->next;
    long task;
    ARMCI_Lock(0, owner);
    ARMCI_Get(queue, &task, sizeof task, owner);
    if (task < tasks_of(w, node)) {
        long next = task + 1;
        ARMCI_Put(&next, queue, sizeof next, owner);
        ARMCI_Fence(owner);
    } else {
        task = -1;
    }
    ARMCI_Unlock(0, owner);
    return task;
}

static void work_on_all(void* worker, long repeats)
{
    struct worker* const w = worker;
    const struct setup* const s = w->setup;
    (void)repeats;
    for (int i = 0; i < s->nodes; ++i) {
        const int node = (s->node_of[s->job.me] + i) % s->nodes;
        for (long task; (task = take_task(w, node)) >= 0; compute(TASK_US)) {
            ++w->done;
            w->sum += task + 1;
        }
    }
}

static double us_per_task(const struct setup* s, long tasks)
{
    struct worker worker = {s, tasks, 0, 0};
    long zero = 0, all = 0, sum = 0, got[2];
    ARMCI_Put(&zero, &s->slices[s->job.me]->next, sizeof zero, s->job.me);
    ARMCI_Fence(s->job.me);
    const double took = slowest(1, work_on_all, &worker, 1);
    for (int node = 0; node < s->nodes; ++node) {
        const long here = tasks_of(&worker, node);
        all += here;
        sum += here * (here + 1) / 2;
    }
    const long mine[2] = {worker.done, worker.sum};
    MPI_Allreduce(mine, got, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (got[0] != all || got[1] != sum)
        fail("a task was lost or done twice");
    return 1e6 * took / (double)all;
}

void task_sharing(const struct setup* s)
{
    report_gifts(s);
    us_per_task(s, LEAST_TASKS);
    const double hold = 1e6 * ROW_SECONDS / us_per_task(s, LEAST_TASKS) / s->job.processes;
    const long tasks = hold > MOST_TASKS ? MOST_TASKS : hold < LEAST_TASKS ? LEAST_TASKS : (long)hold;
    row(s, "task_of_10_us/task", s->job.processes, us_per_task(s, tasks));
    check_exclusion(s, 1, 0);
}
