/* Lock and unlock: by one process, beside two compare-and-swaps of a CPU, which is the least that a lock is;
 * and by all, with a sum under the lock that must come out right.
 *
 *     mutex [turns]    of each process in each row (2,000)
 *
 * On more processes than cores, turns that fit into a time slice are taken one process after the other: there
 * it wants 200,000, so that all are in the queue at once.
 */
#include "measure.h"
#include "rows.h"

struct context {
    int owner;
    long* sum; /* NULL: nothing to do under the lock */
};

static void lock_and_unlock(void* context, long repeats)
{
    const struct context* c = context;
    while (repeats-- > 0) {
        ARMCI_Lock(0, c->owner);
        if (c->sum != NULL) {
            long value;
            ARMCI_Get(c->sum, &value, sizeof value, c->owner);
            ++value;
            ARMCI_Put(&value, c->sum, sizeof value, c->owner);
            ARMCI_Fence(c->owner);
        }
        ARMCI_Unlock(0, c->owner);
    }
}

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

static void row(struct job job, const char* name, const char* series, double us)
{
    printf("%-44s %14.3f\n", name, us);
    print_row_if_asked(series, job.processes, us, "us");
}

static void report(struct job job, const char* name, const char* series, struct context c, int all,
                   long turns)
{
    double took = 0, longest;
    ARMCI_Barrier();
    if (all || job.me == 0)
        took = time_of(lock_and_unlock, &c, turns);
    ARMCI_Barrier();
    MPI_Reduce(&took, &longest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (job.me == 0)
        row(job, name, series, 1e6 * longest / (double)turns / (all ? job.processes : 1));
}

int main(int argc, char** argv)
{
    const struct job job = begin_job(&argc, &argv, "Mutexes");
    const int last = job.processes - 1;
    const long turns = argc > 1 ? atol(argv[1]) : 2000;
    void** bases = global_memory(job, sizeof(long));
    memset(bases[job.me], 0, sizeof(long));
    if (ARMCI_Create_mutexes(1) != 0)
        fail("no mutexes");
    if (job.me == 0)
        printf("%-44s %14s\n", "", "us per turn");
    long word = 0;
    if (job.me == 0)
        row(job, "two compare-and-swaps of process 0", "two_compare_and_swaps/turn",
            1e-3 * measure(compare_and_swap_twice, &word));
    report(job, "process 0, its own mutex", "own_mutex/turn", (struct context){0, NULL}, 0, turns);
    report(job, "process 0, mutex of the last process", "mutex_of_another/turn", (struct context){last, NULL},
           0, turns);
    report(job, "all, one mutex", "all_at_one_mutex/turn", (struct context){last, NULL}, 1, turns);
    report(job, "all, one mutex, a sum under it", "all_with_a_sum_under_it/turn",
           (struct context){last, bases[last]}, 1, turns);
    long sum;
    ARMCI_Get(bases[last], &sum, sizeof sum, last);
    if (sum != turns * job.processes)
        fail("the mutex let two in at once");
    ARMCI_Barrier();
    ARMCI_Destroy_mutexes();
    free_global_memory(job, bases);
    end_job();
    return 0;
}
