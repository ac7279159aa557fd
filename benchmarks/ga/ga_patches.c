/* Bandwidth of NGA_Get, NGA_Put and NGA_Acc by the shape of the patch of a distributed matrix of doubles:
 * whole rows, a single column, squares, all of them with the last process, and squares spread over all.
 * Process 0 works while the others wait in GA_Sync. Gets are complete when they return; puts and accumulates
 * are fenced each time.
 *
 *     ga_patches [--seconds S]
 */
#include "ga_job.h"

enum shape { ROWS, COLUMN, SQUARE, SPREAD, SHAPES };

/* What each process owns of the array, and how the patches in it grow. Segments are 1 KiB, 8 B, and the side
 * of the square. */
static const struct {
    const char* name;
    int rows, columns;
    int points;
} shapes[SHAPES] = {
    [ROWS] = {"rows", 4096, 128, 7},
    [COLUMN] = {"column", 32768, 16, 5},
    [SQUARE] = {"square", 768, 768, 7},
    [SPREAD] = {"square_on_all", 0, 0, 7},
};
#define MOST_POINTS 7
static const int lengths[MOST_POINTS] = {1, 4, 16, 64, 256, 1024, 4096}; /* KiB */
static const int sides[MOST_POINTS] = {11, 22, 45, 90, 181, 362, 724};   /* 1 KiB to 4 MiB, nearly */

struct patch {
    int lo[2], hi[2];
    double times; /* that ones were added to it */
};

struct context {
    enum kind kind;
    int array;
    struct patch patch;
    double* buffer;
    long transfers;
};

static double filled(int row, int column, const void* context)
{
    (void)context;
    return (double)(row % 1009 + 7 * (column % 1013));
}

/* What is there after puts of other values into the patch, and accumulates. */
static double expected(int row, int column, const void* context)
{
    const struct patch* p = context;
    if (row < p->lo[0] || row > p->hi[0] || column < p->lo[1] || column > p->hi[1])
        return filled(row, column, NULL);
    return p->times - filled(row, column, NULL);
}

static void move(void* context, long repeats)
{
    struct context* c = context;
    int* const lo = c->patch.lo;
    int* const hi = c->patch.hi;
    int step[1] = {hi[1] - lo[1] + 1};
    double one = 1;
    c->transfers += repeats;
    while (repeats-- > 0) {
        if (c->kind == GET) {
            NGA_Get(c->array, lo, hi, c->buffer, step);
            continue;
        }
        GA_Init_fence();
        if (c->kind == PUT)
            NGA_Put(c->array, lo, hi, c->buffer, step);
        else
            NGA_Acc(c->array, lo, hi, c->buffer, step, &one);
        GA_Fence();
    }
}

static double* place(struct context* c, int row, int column)
{
    const size_t columns = (size_t)(c->patch.hi[1] - c->patch.lo[1] + 1);
    return c->buffer + (size_t)(row - c->patch.lo[0]) * columns + (size_t)(column - c->patch.lo[1]);
}

static void prepare_buffer(struct context* c)
{
    for (int i = c->patch.lo[0]; i <= c->patch.hi[0]; ++i)
        for (int j = c->patch.lo[1]; j <= c->patch.hi[1]; ++j)
            *place(c, i, j) = c->kind == GET ? -1 : c->kind == PUT ? -filled(i, j, NULL) : 1;
}

static void check_buffer(struct context* c)
{
    for (int i = c->patch.lo[0]; i <= c->patch.hi[0]; ++i)
        for (int j = c->patch.lo[1]; j <= c->patch.hi[1]; ++j)
            if (*place(c, i, j) != filled(i, j, NULL))
                fail("a get brought something else than there is");
}

/* A column over a network takes longer than all other points together: one try tells. */
static long repeats_of(struct context* c)
{
    long repeats = 1;
    while (repeats < 64 && time_of(move, c, repeats) < BATCH_SECONDS)
        repeats *= 2;
    return repeats;
}

/* By process 0. */
static void measure_patch(struct context* c, const char* shape)
{
    const double bytes = (double)(c->patch.hi[0] - c->patch.lo[0] + 1) *
                         (double)(c->patch.hi[1] - c->patch.lo[1] + 1) * sizeof(double);
    static const enum kind order[] = {GET, PUT, ACC}; /* what is got must be what was filled in */
    for (int i = 0; i < KINDS; ++i) {
        c->kind = order[i];
        prepare_buffer(c);
        c->transfers = 0;
        const struct figure found = measure_bounded(move, NULL, c, repeats_of(c));
        if (c->kind == GET)
            check_buffer(c);
        if (c->kind == ACC)
            c->patch.times = (double)c->transfers;
        print_rowf(bytes, bytes / found.us, "MB/s", "%s/%s", kinds[c->kind], shape);
    }
}

static int create_array(struct job job, enum shape shape, int point)
{
    if (shape == SPREAD)
        return create_doubles(sides[point], sides[point], NULL);
    int chunk[2] = {shapes[shape].rows, shapes[shape].columns};
    return create_doubles(job.processes * chunk[0], chunk[1], chunk);
}

static struct patch patch_of(struct job job, int array, enum shape shape, int point)
{
    struct patch patch = {{0, 0}, {sides[point] - 1, sides[point] - 1}, 0};
    int owned_lo[2], owned_hi[2];
    if (shape == SPREAD)
        return patch;
    NGA_Distribution(array, job.processes - 1, owned_lo, owned_hi);
    const int elements = lengths[point] * 1024 / (int)sizeof(double);
    const int rows = shape == SQUARE ? sides[point] : shape == ROWS ? lengths[point] : elements;
    const int columns = shape == SQUARE ? sides[point] : elements / rows;
    /* A column and a square with something beside them. */
    patch.lo[0] = owned_lo[0];
    patch.lo[1] = owned_lo[1] + (shape == ROWS ? 0 : 1);
    patch.hi[0] = patch.lo[0] + rows - 1;
    patch.hi[1] = patch.lo[1] + columns - 1;
    if (patch.hi[0] > owned_hi[0] || patch.hi[1] > owned_hi[1])
        fail("the array is not distributed as asked for");
    return patch;
}

static void measure_shape(struct job job, enum shape shape, double* buffer)
{
    struct context c = {.buffer = buffer};
    for (int point = 0; point < shapes[shape].points; ++point) {
        if (point == 0 || shape == SPREAD)
            c.array = create_array(job, shape, point);
        c.patch = patch_of(job, c.array, shape, point);
        fill_array(c.array, filled, NULL);
        if (job.me == 0)
            measure_patch(&c, shapes[shape].name);
        GA_Sync();
        MPI_Bcast(&c.patch.times, 1, MPI_DOUBLE, 0, MPI_COMM_WORLD);
        check_array(c.array, expected, &c.patch, "a patch is not what was put into it and added to it");
        if (point == shapes[shape].points - 1 || shape == SPREAD)
            GA_Destroy(c.array);
    }
}

int main(int argc, char** argv)
{
    const struct job job = begin_ga_job(argc, argv, "Patches by shape");
    double* const buffer = pages((size_t)lengths[MOST_POINTS - 1] * 1024);
    for (enum shape shape = ROWS; shape < SHAPES; ++shape)
        measure_shape(job, shape, buffer);
    free(buffer);
    end_ga_job();
    return 0;
}
