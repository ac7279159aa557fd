/*
 * Random access and processor groups with Global Arrays.
 *
 * Part 1, all ranks: the cells of a matrix are dealt out at random and scattered; every rank gathers cells of
 * its own random choice; then all ranks add to random cells at once, repeats included (NGA_Scatter_acc), and
 * the sums, of small integers, must be exact.
 *
 * Part 2, groups: the ranks are dealt out to up to three groups, which work at the same time without waiting
 * for each other. Each group has its own matrix, its own shared counter and its own sums, first by naming the
 * group in each call, then by making it the default group. The groups' results meet in an array of the world.
 *
 *     ga_groups [n]      the matrix has n rows and n - 7 columns; default 60
 */
#include "report.h"

#include <ga.h>
#include <macdecls.h>

enum { DEFAULT_SIZE = 60, LEAST_SIZE = 20, MOST_SIZE = 2000, MOST_GROUPS = 3 };

static unsigned next_random(unsigned* state)
{
    *state ^= *state << 13;
    *state ^= *state >> 17;
    *state ^= *state << 5;
    return *state;
}

static void* memory(size_t count, size_t size)
{
    void* block = calloc(count > 0 ? count : 1, size);
    if (block == NULL)
        GA_Error("no memory", (int)count);
    return block;
}

/* What cell number `cell` of the matrix with this key holds: a whole number, so that sums are exact. */
static double cell_value(int key, int cell)
{
    return (double)(1000 * key + cell % 997);
}

static void set_subscript(int* subscripts, int which, int cell, int columns)
{
    subscripts[2 * which] = cell / columns;
    subscripts[2 * which + 1] = cell % columns;
}

static int create_matrix(char* name, int rows, int columns, int group)
{
    int dims[2] = {rows, columns};
    const int handle = NGA_Create_config(C_DBL, 2, dims, name, NULL, group);
    if (handle == 0)
        GA_Error("cannot create the matrix", rows);
    return handle;
}

/* This rank's share of a random deal of all cells, the same deal on all ranks: scatters their values. */
static void scatter_deal(int array, int key, int rows, int columns, int me, int ranks)
{
    const int cells = rows * columns;
    int *deal = memory((size_t)cells, sizeof *deal),
        *subscripts = memory((size_t)cells, 2 * sizeof *subscripts);
    double* values = memory((size_t)cells, sizeof *values);
    unsigned state = 12345u + (unsigned)key;
    for (int i = 0; i < cells; ++i)
        deal[i] = i;
    for (int i = cells - 1; i > 0; --i) {
        const int other = (int)(next_random(&state) % (unsigned)(i + 1)), kept = deal[i];
        deal[i] = deal[other];
        deal[other] = kept;
    }
    int count = 0;
    for (int i = me; i < cells; i += ranks) {
        set_subscript(subscripts, count, deal[i], columns);
        values[count++] = cell_value(key, deal[i]);
    }
    NGA_Scatter_flat(array, values, subscripts, count);
    free(deal);
    free(subscripts);
    free(values);
}

/* Gathers `count` cells of this rank's own random choice; returns how many have a wrong value. */
static long gather_faults(int array, int key, int rows, int columns, int me, int count)
{
    int *subscripts = memory((size_t)count, 2 * sizeof *subscripts),
        *cell = memory((size_t)count, sizeof *cell);
    double* values = memory((size_t)count, sizeof *values);
    unsigned state = 777u + 31u * (unsigned)me;
    for (int i = 0; i < count; ++i) {
        cell[i] = (int)(next_random(&state) % (unsigned)(rows * columns));
        set_subscript(subscripts, i, cell[i], columns);
        values[i] = -1.0;
    }
    NGA_Gather_flat(array, values, subscripts, count);
    long faults = 0;
    for (int i = 0; i < count; ++i)
        if (values[i] != cell_value(key, cell[i]))
            ++faults;
    free(subscripts);
    free(cell);
    free(values);
    return faults;
}

/* The cells and amounts that `rank` adds; every rank can work out every other's. */
static void draw_additions(int rank, int cells, int count, int* cell, double* amount)
{
    unsigned state = 999u + 17u * (unsigned)rank;
    for (int i = 0; i < count; ++i) {
        cell[i] = (int)(next_random(&state) % (unsigned)cells);
        amount[i] = (double)(next_random(&state) % 9u);
    }
}

/* Adds from all ranks to random cells of a zeroed matrix, and ends a phase of the report. Returns how many
 * cells have a wrong sum. Collective. */
static long scatter_acc_faults(Report* report, int array, int rows, int columns, int me, int ranks)
{
    const int cells = rows * columns, count = cells / 2;
    int *subscripts = memory((size_t)count, 2 * sizeof *subscripts),
        *cell = memory((size_t)count, sizeof *cell);
    double *amount = memory((size_t)count, sizeof *amount), *sums = memory((size_t)cells, sizeof *sums);
    double *seen = memory((size_t)cells, sizeof *seen), twice = 2.0;
    GA_Zero(array);
    draw_additions(me, cells, count, cell, amount);
    for (int i = 0; i < count; ++i)
        set_subscript(subscripts, i, cell[i], columns);
    NGA_Scatter_acc_flat(array, amount, subscripts, count, &twice);
    GA_Sync();
    report_phase_end(report);

    for (int rank = 0; rank < ranks; ++rank) {
        draw_additions(rank, cells, count, cell, amount);
        for (int i = 0; i < count; ++i)
            sums[cell[i]] += twice * amount[i];
    }
    int lo[2] = {0, 0}, hi[2] = {rows - 1, columns - 1}, ld[1] = {columns};
    NGA_Get(array, lo, hi, seen, ld);
    long faults = 0;
    for (int i = 0; i < cells; ++i)
        if (seen[i] != sums[i])
            ++faults;
    free(subscripts);
    free(cell);
    free(amount);
    free(sums);
    free(seen);
    return faults;
}

/* Draws tickets from a counter of the group; returns the sum over the group of the tickets this rank drew. */
static double draw_tickets(int group, long tickets)
{
    int one[1] = {1}, first[1] = {0};
    char add[] = "+";
    const int counter = NGA_Create_config(C_LONG, 1, one, "tickets", NULL, group);
    if (counter == 0)
        GA_Error("cannot create the counter", 0);
    GA_Zero(counter);
    GA_Pgroup_sync(group);
    double sum = 0.0;
    for (long ticket = NGA_Read_inc(counter, first, 1); ticket < tickets;
         ticket = NGA_Read_inc(counter, first, 1))
        sum += (double)ticket;
    GA_Pgroup_dgop(group, &sum, 1, add);
    GA_Pgroup_sync(group);
    GA_Destroy(counter);
    return sum;
}

static double sum_below(long count)
{
    return 0.5 * (double)count * (double)(count - 1);
}

/* Each group deals with a different number of tickets, so that groups that waited for each other would hang.
 */
static long tickets_of(int colour)
{
    return 100 + 57 * colour;
}

/* Everything that one group does by naming itself; returns the faults this rank saw. */
static long group_faults(int group, int colour, const int* members, int count, int rows, int columns)
{
    const int me = GA_Pgroup_nodeid(group), size = GA_Pgroup_nnodes(group);
    long faults = size != count;
    for (int i = 0; i < size; ++i)
        faults += GA_Pgroup_absolute_id(group, i) != members[i];
    faults += me < 0 || me >= size || members[me] != GA_Nodeid();

    const int matrix = create_matrix("group matrix", rows, columns, group);
    for (int round = 0; round < 1 + colour; ++round) { /* groups need not keep step */
        const int key = 10 * colour + round;
        scatter_deal(matrix, key, rows, columns, me, size);
        GA_Pgroup_sync(group);
        faults += gather_faults(matrix, key, rows, columns, me, rows * columns / 4);
        GA_Pgroup_sync(group);
    }
    GA_Destroy(matrix);
    faults += draw_tickets(group, tickets_of(colour)) != sum_below(tickets_of(colour));
    return faults;
}

/* The same ranks with their group as the default, where plain calls mean the group; returns faults. */
static long default_group_faults(int group, int colour, int count, int rows, int columns)
{
    char add[] = "+";
    GA_Pgroup_set_default(group);
    long faults = GA_Nnodes() != count;
    faults += GA_Nodeid() != GA_Pgroup_nodeid(group);
    int dims[2] = {rows, columns};
    const int matrix = NGA_Create(C_DBL, 2, dims, "default matrix", NULL);
    if (matrix == 0)
        GA_Error("cannot create the matrix", rows);
    double three = 3.0, mine = GA_Nodeid() + 1.0;
    GA_Fill(matrix, &three);
    faults += GA_Ddot(matrix, matrix) != 9.0 * rows * columns;
    GA_Dgop(&mine, 1, add);
    faults += mine != sum_below(count + 1);
    GA_Sync();
    scatter_deal(matrix, 50 + colour, rows, columns, GA_Nodeid(), count);
    GA_Sync();
    faults += gather_faults(matrix, 50 + colour, rows, columns, GA_Nodeid(), rows);
    GA_Sync();
    GA_Destroy(matrix);
    GA_Pgroup_set_default(GA_Pgroup_get_world());
    return faults;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Report report;
    report_open(&report, "ga_groups");
    const int rows = report_size_argument(&report, argc, argv, DEFAULT_SIZE, LEAST_SIZE, MOST_SIZE);
    const int columns = rows - 7, me = report.me, ranks = report.ranks;
    const int groups = ranks < MOST_GROUPS ? ranks : MOST_GROUPS, colour = me % groups;
    GA_Initialize();
    if (!MA_init(C_DBL, 1000000, 1000000))
        GA_Error("MA_init failed", 0);
    if (me == 0)
        printf("ga_groups: random access to a %d x %d matrix, %d groups, %d ranks\n", rows, columns, groups,
               ranks);

    report_work_begin(&report, "scatter and gather");
    const int world = GA_Pgroup_get_world(), matrix = create_matrix("matrix", rows, columns, world);
    GA_Zero(matrix);
    scatter_deal(matrix, 1, rows, columns, me, ranks);
    GA_Sync();
    long faults = gather_faults(matrix, 1, rows, columns, me, rows * columns / 2);
    GA_Sync();
    report_phase_end(&report);
    report_no_fault(&report, "random scatter, then random gather", faults);

    report_work_begin(&report, "scatter-accumulate");
    faults = scatter_acc_faults(&report, matrix, rows, columns, me, ranks);
    report_no_fault(&report, "random accumulates from all ranks at once", faults);

    report_work_begin(&report, "groups");
    int handle[MOST_GROUPS], size[MOST_GROUPS] = {0};
    int *members = memory((size_t)ranks, sizeof *members), *mine = memory((size_t)ranks, sizeof *mine);
    for (int group = 0; group < groups; ++group) { /* every rank takes part in the creation of every group */
        for (int rank = group; rank < ranks; rank += groups)
            members[size[group]++] = rank;
        handle[group] = GA_Pgroup_create(members, size[group]);
        if (group == colour)
            for (int i = 0; i < size[group]; ++i)
                mine[i] = members[i];
    }
    faults = group_faults(handle[colour], colour, mine, size[colour], rows, columns);
    const long by_default = default_group_faults(handle[colour], colour, size[colour], rows, columns);

    /* Each group leaves its number of faults and its size in the world's array. */
    int dims[2] = {groups, 2};
    const int results = NGA_Create(C_LONG, 2, dims, "results", NULL);
    if (results == 0)
        GA_Error("cannot create the results", groups);
    long total[2] = {faults + by_default, 1}, all[MOST_GROUPS][2], one = 1;
    int lo[2] = {colour, 0}, hi[2] = {colour, 1}, ld[1] = {2};
    GA_Zero(results);
    NGA_Acc(results, lo, hi, total, ld, &one);
    GA_Sync();
    lo[0] = 0;
    hi[0] = groups - 1;
    NGA_Get(results, lo, hi, all, ld);
    long missing = 0;
    for (int group = 0; group < groups; ++group)
        missing += all[group][0] != 0 || all[group][1] != size[group];
    GA_Sync();
    report_phase_end(&report);
    report_no_fault(&report, "work in groups named in each call", faults);
    report_no_fault(&report, "work in groups made the default", by_default);
    report_no_fault(&report, "results of all groups, seen by all ranks", missing);

    GA_Destroy(results);
    for (int group = 0; group < groups; ++group)
        GA_Pgroup_destroy(handle[group]);
    GA_Destroy(matrix);
    free(members);
    free(mine);
    const int status = report_close(&report);
    GA_Terminate();
    MPI_Finalize();
    return status;
}
