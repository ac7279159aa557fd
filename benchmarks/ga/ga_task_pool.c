/* A pool of tasks as quantum chemistry has them: each process draws a number from a shared counter, gets two
 * tiles, computes, and accumulates one. The computation makes no call.
 *
 *     ga_task_pool [--seconds S]
 *
 *     --seconds S  processor time that each process computes for each row (0.5)
 *
 * Rows by milliseconds of a task, 1 to 100: efficiency, the processor time that tasks take by themselves over
 * the time of the slowest process times processes. Two jobs of as many processes, on one node and on two,
 * tell what the network costs. The sums are checked. */
#include "ga_job.h"

#include "measure/computing.h"

#define TILE 64
#define TILES 8 /* in each direction */
#define SIDE (TILE * TILES)

struct pool {
    struct job job;
    int left, right, sum, counter;
    double tile[3][TILE * TILE];
};

static double one(int row, int column, const void* context)
{
    (void)row;
    (void)column;
    (void)context;
    return 1;
}

static double nothing(int row, int column, const void* context)
{
    (void)row;
    (void)column;
    (void)context;
    return 0;
}

static double times_added(int row, int column, const void* context)
{
    const long task = (long)(row / TILE) * TILES + column / TILE, tasks = *(const long*)context;
    const long all = (long)TILES * TILES;
    return 2.0 * (double)(tasks / all + (task < tasks % all));
}

static void patch_of(long number, int lo[2], int hi[2])
{
    const int place = (int)(number % (TILES * TILES));
    lo[0] = place / TILES * TILE;
    lo[1] = place % TILES * TILE;
    hi[0] = lo[0] + TILE - 1;
    hi[1] = lo[1] + TILE - 1;
}

static void do_task(struct pool* p, long task, long count)
{
    int lo[2], hi[2], step[1] = {TILE};
    double scale = 1;
    patch_of(task * 7 + 3, lo, hi);
    NGA_Get(p->left, lo, hi, p->tile[0], step);
    patch_of(task * 5 + 1, lo, hi);
    NGA_Get(p->right, lo, hi, p->tile[1], step);
    turns(count);
    for (int i = 0; i < TILE * TILE; ++i)
        p->tile[2][i] = p->tile[0][i] + p->tile[1][i];
    patch_of(task, lo, hi);
    NGA_Acc(p->sum, lo, hi, p->tile[2], step, &scale);
}

/* Collective: the slowest process's time. */
static double run_pool(struct pool* p, long tasks, long count)
{
    int first[1] = {0};
    GA_Zero(p->counter);
    fill_array(p->sum, nothing, NULL);
    GA_Sync();
    double time = seconds();
    for (long task; (task = NGA_Read_inc(p->counter, first, 1)) < tasks;)
        do_task(p, task, count);
    GA_Sync();
    time = seconds() - time;
    MPI_Allreduce(MPI_IN_PLACE, &time, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    check_array(p->sum, times_added, &tasks, "a sum of tasks is wrong");
    return time;
}

int main(int argc, char** argv)
{
    static struct pool p;
    int one_element[1] = {1};
    char name[] = "counter";
    budget = 0.5;
    p.job = begin_ga_job(argc, argv, "A pool of tasks");
    p.left = create_doubles(SIDE, SIDE, NULL);
    p.right = create_doubles(SIDE, SIDE, NULL);
    p.sum = create_doubles(SIDE, SIDE, NULL);
    p.counter = NGA_Create(C_LONG, 1, one_element, name, NULL);
    fill_array(p.left, one, NULL);
    fill_array(p.right, one, NULL);
    /* The fastest process's rate, by its processor: cores differ, and others may have them meanwhile. */
    double rate = turns_per_us();
    MPI_Allreduce(MPI_IN_PLACE, &rate, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    static const double milliseconds[] = {1, 3, 10, 30, 100};
    for (size_t i = 0; i < sizeof milliseconds / sizeof *milliseconds; ++i) {
        const double ms = milliseconds[i];
        /* As many for each, so that the end is even. */
        long each = (long)(1e3 * budget / ms);
        each = each > 4 ? each : 4;
        const long tasks = each * p.job.processes;
        run_pool(&p, p.job.processes, 1); /* opens connections */
        const double time = run_pool(&p, tasks, (long)(1e3 * ms * rate));
        print_point(p.job, "efficiency/task_pool", ms, 1e-3 * ms * (double)each / time, "x");
    }
    GA_Destroy(p.counter);
    GA_Destroy(p.sum);
    GA_Destroy(p.right);
    GA_Destroy(p.left);
    end_ga_job();
    return 0;
}
