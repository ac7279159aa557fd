/* What a process that computes costs the processes that ask for its memory, and what they cost it. The last
 * process computes without a call. Process 0 asks: 4 KiB by get, put, accumulate, an 8-byte fetch-and-add,
 * and a lock of the target's mutex. Puts and accumulates are complete at the target (fence). All others
 * sleep.
 *
 *     busy_target [--seconds S] [--rate R]
 *
 *     --seconds S  how long the target computes for each row, from 0.1 on (1)
 *     --rate R     requests a second (200)
 *
 * Rows: median and p99 of each operation, microseconds; `slow_down`: time of the computation with these
 * requests over time without, by the clock and by processor time of the target's process; `idle`: processor
 * time that the target's process takes while its program sleeps and no process asks, per cent of a core. */
#include "measure/computing.h"
#include "measure/job.h"

#include <unistd.h>

#define BYTES 4096
#define MOST_REQUESTS 100000

enum ask { ASK_GET, ASK_PUT, ASK_ACC, ASK_ADD, ASK_LOCK, ASKS, NOTHING };
static const char* const names[] = {"get", "put_fence", "accumulate_fence", "fetch_and_add", "lock"};

struct setup {
    struct job job;
    int target;
    char** theirs;
    double* mine;
    long turns;
    double rate;
};

static void ask(struct setup* s, enum ask what)
{
    char* const there = s->theirs[s->target];
    double one = 1;
    long old;
    switch (what) {
    case ASK_GET:
        transfer_fenced(GET, s->mine, there, BYTES, &one, s->target);
        break;
    case ASK_PUT:
        transfer_fenced(PUT, s->mine, there + BYTES, BYTES, &one, s->target);
        break;
    case ASK_ACC:
        transfer_fenced(ACC, s->mine, there + 2 * BYTES, BYTES, &one, s->target);
        break;
    case ASK_ADD:
        ARMCI_Rmw(ARMCI_FETCH_AND_ADD_LONG, &old, there + 3 * BYTES, 1, s->target);
        break;
    default:
        ARMCI_Lock(0, s->target);
    }
}

/* Off the clock: the mutex is free for the next lock. */
static void end_ask(const struct setup* s, enum ask what)
{
    if (what == ASK_LOCK)
        ARMCI_Unlock(0, s->target);
}

static void sleep_for(double time)
{
    const struct timespec pause = {(time_t)time, (long)(1e9 * (time - (double)(time_t)time))};
    if (time > 0)
        nanosleep(&pause, NULL);
}

/* Collective: the target computes, process 0 asks meanwhile. Returns the number of requests; `spent` is the
 * target's time by the clock and of its processor, known to all. */
static int one_round(struct setup* s, enum ask what, double* us, double spent[2])
{
    const double lead = 0.02;
    int count = 0;
    ARMCI_Barrier();
    if (s->job.me == s->target) {
        spent[0] = seconds();
        spent[1] = cpu_seconds();
        turns(s->turns);
        spent[0] = seconds() - spent[0];
        spent[1] = cpu_seconds() - spent[1];
    } else if (s->job.me == 0 && what != NOTHING) {
        const double begin = seconds() + lead, end = begin + budget - 3 * lead;
        for (double next = begin; next < end && count < MOST_REQUESTS; next += 1 / s->rate) {
            sleep_for(next - seconds());
            const double start = seconds();
            ask(s, what);
            us[count++] = 1e6 * (seconds() - start);
            end_ask(s, what);
        }
    } else {
        sleep_for(budget);
    }
    ARMCI_Barrier();
    MPI_Bcast(spent, 2, MPI_DOUBLE, s->target, MPI_COMM_WORLD);
    return count;
}

static void report(struct setup* s)
{
    static double us[MOST_REQUESTS];
    double without[2], with[2], slow[2][ASKS];
    for (int what = 0; what < ASKS; ++what) {
        one_round(s, NOTHING, us, without);
        const int count = one_round(s, (enum ask)what, us, with);
        if (s->job.me == 0) {
            const double middle = median(us, count);
            print_rowf(BYTES, middle, "us", "median/%s", names[what]);
            print_rowf(BYTES, us[(int)(0.99 * count)], "us", "p99/%s", names[what]);
        }
        slow[0][what] = with[0] / without[0];
        slow[1][what] = with[1] / without[1];
    }
    if (s->job.me == 0) {
        print_rowf(s->rate, median(slow[0], ASKS), "times", "slow_down/clock");
        print_rowf(s->rate, median(slow[1], ASKS), "times", "slow_down/processor");
    }
}

static void report_idle(struct setup* s)
{
    double idle[2] = {0, 0};
    ARMCI_Barrier();
    sleep_for(0.1); /* what is left of the barrier */
    if (s->job.me == s->target) {
        idle[0] = cpu_seconds();
        idle[1] = seconds();
        sleep_for(2 * budget);
        idle[0] = cpu_seconds() - idle[0];
        idle[1] = seconds() - idle[1];
    } else {
        sleep_for(2 * budget);
    }
    ARMCI_Barrier();
    MPI_Bcast(idle, 2, MPI_DOUBLE, s->target, MPI_COMM_WORLD);
    if (s->job.me == 0)
        print_rowf(0, 100 * idle[0] / idle[1], "%", "idle/processor");
}

int main(int argc, char** argv)
{
    struct setup s = {.rate = 200};
    const struct option options[] = {{"--rate", &s.rate, 1, 1e5, NULL, 0}, {0}};
    budget = 1;
    s.job = begin_job(argc, argv, "A target that computes", options);
    if (budget < 0.1)
        fail("--seconds from 0.1 on, please: requests need some of it");
    if (s.job.processes < 2)
        fail("at least two processes, please: one computes");
    s.target = s.job.processes - 1;
    s.theirs = (char**)zeroed_memory(s.job, 4 * BYTES);
    s.mine = pages(BYTES);
    s.turns = (long)(1e6 * budget * turns_per_us());
    ARMCI_Create_mutexes(1);
    for (int what = 0; what < ASKS && s.job.me == 0; ++what) { /* opens connections */
        ask(&s, (enum ask)what);
        end_ask(&s, (enum ask)what);
    }
    report(&s);
    report_idle(&s);
    ARMCI_Destroy_mutexes();
    free(s.mine);
    free_global_memory(s.job, (void**)s.theirs);
    end_job();
    return 0;
}
