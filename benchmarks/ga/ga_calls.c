/* What single calls of Global Arrays cost, by the number of processes: the collective ones, a shared counter
 * (one process, and all at once), a matrix product, and a thousand scattered elements.
 *
 * A collective call's time is the slowest process's. Where process 0 works alone the others wait in GA_Sync.
 *
 *     ga_calls [--seconds S]
 */
#include "ga_job.h"

#define ELEMENTS 1000
#define SIDE 256 /* of matrices */

struct context {
    struct job job;
    int array, left, right;
    int* places; /* of elements: distinct */
    double* values;
    long draws;
    long sum; /* of what was drawn */
};

static double nothing(int row, int column, const void* context)
{
    (void)row;
    (void)column;
    (void)context;
    return 0;
}

static void sync_all(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        GA_Sync();
}

static void create_and_destroy(void* context, long repeats)
{
    (void)context;
    while (repeats-- > 0)
        GA_Destroy(create_doubles(SIDE, SIDE, NULL));
}

static void sum_up(void* context, long repeats)
{
    struct context* c = context;
    char add[] = "+";
    while (repeats-- > 0) {
        double x = 1;
        GA_Dgop(&x, 1, add);
        if (x != c->job.processes)
            fail("GA_Dgop came out wrong");
    }
}

static void draw(void* context, long repeats)
{
    struct context* c = context;
    int last[1] = {c->job.processes - 1};
    while (repeats-- > 0) {
        c->sum += NGA_Read_inc(c->array, last, 1);
        ++c->draws;
    }
}

static void multiply(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0)
        GA_Dgemm('n', 'n', SIDE, SIDE, SIDE, 1, c->left, c->right, 0, c->array);
}

static void scatter(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0) {
        GA_Init_fence();
        NGA_Scatter_flat(c->array, c->values, c->places, ELEMENTS);
        GA_Fence();
    }
}

static void gather(void* context, long repeats)
{
    struct context* c = context;
    while (repeats-- > 0)
        NGA_Gather_flat(c->array, c->values, c->places, ELEMENTS);
}

static void report_all(struct job job, const char* series, work what, void* context, long repeats)
{
    print_point(job, series, job.processes, measure_work_together(what, context, repeats).us, "us");
}

static void report_one(struct job job, const char* series, work what, void* context, long repeats)
{
    if (job.me == 0)
        print_row(series, job.processes, measure_bounded(what, NULL, context, repeats).us, "us");
    GA_Sync();
}

/* The counter is the last process's. */
static void report_counter(struct job job, int all)
{
    struct context c = {.job = job};
    int dims[1] = {job.processes}, chunk[1] = {1}, last[1] = {job.processes - 1};
    char name[] = "counters";
    c.array = NGA_Create(C_LONG, 1, dims, name, chunk);
    if (c.array == 0 || NGA_Locate(c.array, last) != job.processes - 1)
        fail("no counters, or not one with each process");
    GA_Zero(c.array);
    GA_Sync();
    (all ? report_all : report_one)(job, all ? "counter/all" : "counter/one", draw, &c, 20);
    long drawn[2] = {c.draws, c.sum};
    MPI_Allreduce(MPI_IN_PLACE, drawn, 2, MPI_LONG, MPI_SUM, MPI_COMM_WORLD);
    if (drawn[1] != drawn[0] * (drawn[0] - 1) / 2)
        fail("a number was drawn twice or never");
    GA_Sync();
    GA_Destroy(c.array);
}

static double left_element(int row, int column, const void* context)
{
    (void)context;
    return (double)((3 * row + 5 * column) % 11 - 5);
}

static double right_element(int row, int column, const void* context)
{
    (void)context;
    return (double)((7 * row + 2 * column) % 13 - 6);
}

static double product_element(int row, int column, const void* context)
{
    double sum = 0;
    for (int k = 0; k < SIDE; ++k)
        sum += left_element(row, k, context) * right_element(k, column, context);
    return sum;
}

static void report_product(struct job job)
{
    struct context c = {.job = job};
    c.left = create_doubles(SIDE, SIDE, NULL);
    c.right = create_doubles(SIDE, SIDE, NULL);
    c.array = create_doubles(SIDE, SIDE, NULL);
    fill_array(c.left, left_element, NULL);
    fill_array(c.right, right_element, NULL);
    fill_array(c.array, nothing, NULL);
    report_all(job, "product/GA_Dgemm_256", multiply, &c, 1);
    check_array(c.array, product_element, NULL, "GA_Dgemm came out wrong");
    GA_Destroy(c.left);
    GA_Destroy(c.right);
    GA_Destroy(c.array);
}

/* An odd stride through the cells, of which there are a power of two, meets each once. */
static void choose_places(int* places)
{
    for (int i = 0; i < ELEMENTS; ++i) {
        const int cell = (int)(((unsigned)i * 40503u + 12345u) % (SIDE * SIDE));
        places[2 * i] = cell / SIDE;
        places[2 * i + 1] = cell % SIDE;
    }
}

static void report_elements(struct job job)
{
    static int places[2 * ELEMENTS];
    static double values[ELEMENTS];
    struct context c = {.job = job, .places = places, .values = values};
    choose_places(places);
    c.array = create_doubles(SIDE, SIDE, NULL);
    fill_array(c.array, nothing, NULL);
    for (int i = 0; i < ELEMENTS; ++i)
        values[i] = i + 1;
    report_one(job, "elements/NGA_Scatter_1000", scatter, &c, 1);
    /* Each process looks: no cell but those places may have a value. */
    GA_Sync();
    struct part part = open_part(c.array);
    double found[2] = {0, 0};
    for (int i = part.lo[0]; i <= part.hi[0]; ++i)
        for (int j = part.lo[1]; j <= part.hi[1]; ++j) {
            found[0] += part_row(&part, i)[j - part.lo[1]] != 0;
            found[1] += part_row(&part, i)[j - part.lo[1]];
        }
    close_part(c.array, &part);
    MPI_Allreduce(MPI_IN_PLACE, found, 2, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    if (found[0] != ELEMENTS || found[1] != 0.5 * ELEMENTS * (ELEMENTS + 1))
        fail("NGA_Scatter left something else than was scattered");
    memset(values, 0, sizeof values);
    report_one(job, "elements/NGA_Gather_1000", gather, &c, 1);
    for (int i = 0; job.me == 0 && i < ELEMENTS; ++i)
        if (values[i] != i + 1)
            fail("NGA_Gather brought something else than was scattered");
    GA_Destroy(c.array);
}

int main(int argc, char** argv)
{
    const struct job job = begin_ga_job(argc, argv, "Calls");
    struct context c = {.job = job};
    report_all(job, "collective/GA_Sync", sync_all, &c, 20);
    report_all(job, "collective/GA_Dgop", sum_up, &c, 20);
    report_all(job, "collective/GA_Create+GA_Destroy", create_and_destroy, &c, 1);
    report_counter(job, 0);
    report_counter(job, 1);
    report_product(job);
    report_elements(job);
    end_ga_job();
    return 0;
}
