/*
 * Conjugate gradients on a two-dimensional periodic grid, with Global Arrays' ghost cells.
 *
 * Solves (6 - Laplacian) u = f, the Laplacian by the nine-point formula, so that corner ghosts matter as
 * well. The search direction lives in an array with one layer of ghost cells; each iteration GA_Update_ghosts
 * brings in the neighbours' edges, and every rank applies the operator to its own block in place. The
 * right-hand side is made from a solution chosen beforehand, so the answer is known at every point.
 *
 *     ga_cg [n]      the grid has n rows and n + n/2 + 1 columns; default 60
 */
#include "report.h"

#include <ga.h>
#include <macdecls.h>
#include <stddef.h>

enum { DEFAULT_SIZE = 60, LEAST_SIZE = 16, MOST_SIZE = 4000, MOST_ITERATIONS = 200 };
static const double LIMIT = 1e-10;

/* A rank's own block of an array; rows 0..rows-1 and columns 0..columns-1 are its own, -1 and the end are
 * ghosts. */
typedef struct {
    double* first; /* element (0, 0) */
    int rows, columns, row_step;
    int lo[2], hi[2];
} Block;

static double* at(const Block* block, int row, int column)
{
    return block->first + (ptrdiff_t)row * block->row_step + column;
}

static Block open_block(int array)
{
    Block block = {NULL, 0, 0, 0, {0, 0}, {-1, -1}};
    NGA_Distribution(array, GA_Nodeid(), block.lo, block.hi);
    if (block.lo[0] < 0 || block.lo[0] > block.hi[0] || block.lo[1] > block.hi[1])
        return block; /* owns nothing */
    int ld[1];
    NGA_Access(array, block.lo, block.hi, &block.first, ld);
    block.rows = block.hi[0] - block.lo[0] + 1;
    block.columns = block.hi[1] - block.lo[1] + 1;
    block.row_step = ld[0];
    return block;
}

static void close_block(int array, Block* block)
{
    if (block->first != NULL)
        NGA_Release_update(array, block->lo, block->hi);
    block->first = NULL;
}

/* The operator at one point, given a way to see the point's neighbours. */
static double apply_operator(double centre, double edges, double corners)
{
    return 6.0 * centre - (4.0 * edges + corners - 20.0 * centre) / 6.0;
}

/* The solution to be found again: rough enough that no point resembles its neighbour. */
static double chosen(int rows, int columns, int i, int j)
{
    i = (i + rows) % rows;
    j = (j + columns) % columns;
    return sin(0.1 * i * j) + 0.01 * ((7 * i + 3 * j) % 11);
}

static double right_hand_side(int rows, int columns, int i, int j)
{
    double edges = 0.0, corners = 0.0;
    for (int di = -1; di <= 1; ++di)
        for (int dj = -1; dj <= 1; ++dj) {
            if (di != 0 && dj != 0)
                corners += chosen(rows, columns, i + di, j + dj);
            if ((di == 0) != (dj == 0))
                edges += chosen(rows, columns, i + di, j + dj);
        }
    return apply_operator(chosen(rows, columns, i, j), edges, corners);
}

/* result = operator(direction); the ghosts of `direction` are brought up to date first. Collective. */
static void multiply(int direction, int result)
{
    GA_Update_ghosts(direction);
    GA_Sync();
    Block from = open_block(direction), to = open_block(result);
    for (int i = 0; i < from.rows; ++i)
        for (int j = 0; j < from.columns; ++j) {
            const double edges =
                *at(&from, i - 1, j) + *at(&from, i + 1, j) + *at(&from, i, j - 1) + *at(&from, i, j + 1);
            const double corners = *at(&from, i - 1, j - 1) + *at(&from, i - 1, j + 1) +
                                   *at(&from, i + 1, j - 1) + *at(&from, i + 1, j + 1);
            *at(&to, i, j) = apply_operator(*at(&from, i, j), edges, corners);
        }
    close_block(direction, &from);
    close_block(result, &to);
    GA_Sync();
}

/* y = a x + b y, each rank on its own block; all arrays are distributed alike. */
static void combine(double a, int x, double b, int y)
{
    Block from = open_block(x), to = open_block(y);
    for (int i = 0; i < from.rows; ++i)
        for (int j = 0; j < from.columns; ++j)
            *at(&to, i, j) = a * *at(&from, i, j) + b * *at(&to, i, j);
    close_block(x, &from);
    close_block(y, &to);
}

/* Sum of x(i,j) y(i,j) over the grid. Collective. */
static double dot(int x, int y)
{
    double sum = 0.0;
    char add[] = "+";
    Block left = open_block(x), right = open_block(y);
    for (int i = 0; i < left.rows; ++i)
        for (int j = 0; j < left.columns; ++j)
            sum += *at(&left, i, j) * *at(&right, i, j);
    close_block(x, &left);
    close_block(y, &right);
    GA_Dgop(&sum, 1, add);
    return sum;
}

static int create_grid(char* name, int dims[2], int ghosts)
{
    /* No block is narrower than its neighbour's ghosts. */
    int width[2] = {ghosts, ghosts}, chunk[2] = {2, 2};
    const int handle = ghosts > 0 ? NGA_Create_ghosts(C_DBL, 2, dims, width, name, chunk)
                                  : NGA_Create(C_DBL, 2, dims, name, chunk);
    if (handle == 0)
        GA_Error("cannot create the grid", dims[0]);
    return handle;
}

/* Fills the array with the chosen solution, updates its ghosts and counts own and ghost cells that are not
 * it. */
static long wrong_ghosts(int array, int dims[2])
{
    Block block = open_block(array);
    for (int i = 0; i < block.rows; ++i)
        for (int j = 0; j < block.columns; ++j)
            *at(&block, i, j) = chosen(dims[0], dims[1], block.lo[0] + i, block.lo[1] + j);
    close_block(array, &block);
    GA_Sync();
    GA_Update_ghosts(array);
    GA_Sync();
    long wrong = 0;
    block = open_block(array);
    if (block.rows > 0)
        for (int i = -1; i <= block.rows; ++i)
            for (int j = -1; j <= block.columns; ++j)
                if (*at(&block, i, j) != chosen(dims[0], dims[1], block.lo[0] + i, block.lo[1] + j))
                    wrong++;
    close_block(array, &block);
    GA_Sync();
    return wrong;
}

/* Solves with the right-hand side in `residual`; returns the number of iterations. Collective. */
static int solve(int solution, int direction, int product, int residual)
{
    combine(1.0, residual, 0.0, direction);
    double square = dot(residual, residual);
    const double enough = square * 1e-24;
    int iteration = 0;
    while (square > enough && iteration < MOST_ITERATIONS) {
        multiply(direction, product);
        const double step = square / dot(direction, product);
        combine(step, direction, 1.0, solution);
        combine(-step, product, 1.0, residual);
        const double next = dot(residual, residual);
        combine(1.0, residual, next / square, direction);
        square = next;
        ++iteration;
    }
    return iteration;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Report report;
    report_open(&report, "ga_cg");
    const int n = report_size_argument(&report, argc, argv, DEFAULT_SIZE, LEAST_SIZE, MOST_SIZE);
    int dims[2] = {n, n + n / 2 + 1};
    GA_Initialize();
    if (!MA_init(C_DBL, 200000, 200000))
        GA_Error("MA_init failed", 0);
    if (report.me == 0)
        printf("ga_cg: (6 - Laplacian) u = f on a periodic %d x %d grid, %d ranks\n", dims[0], dims[1],
               report.ranks);

    report_phase_begin(&report, "set up");
    const int solution = create_grid("solution", dims, 0), product = create_grid("product", dims, 0);
    const int residual = create_grid("residual", dims, 0), direction = create_grid("direction", dims, 1);
    if (GA_Compare_distr(solution, direction) != 0)
        GA_Error("arrays are distributed differently", 0);
    GA_Zero(solution);
    const long wrong = wrong_ghosts(direction, dims);
    Block block = open_block(residual);
    for (int i = 0; i < block.rows; ++i)
        for (int j = 0; j < block.columns; ++j)
            *at(&block, i, j) = right_hand_side(dims[0], dims[1], block.lo[0] + i, block.lo[1] + j);
    close_block(residual, &block);
    GA_Sync();
    report_phase_end(&report);
    report_no_fault(&report, "own and ghost cells after an update", wrong);

    report_work_begin(&report, "solve");
    const int iterations = solve(solution, direction, product, residual);
    GA_Sync();
    const double seconds = report_phase_end(&report);
    if (report.me == 0)
        printf("  solved in %d iterations, %.1f us each\n", iterations,
               1e6 * seconds / (iterations > 0 ? iterations : 1));

    /* Each rank compares whole rows, most of them owned by others. */
    report_phase_begin(&report, "check");
    double error = 0.0, *row = malloc(sizeof *row * (size_t)dims[1]);
    if (row == NULL)
        GA_Error("no memory for one row", dims[1]);
    for (int i = report.me; i < dims[0]; i += report.ranks) {
        int lo[2] = {i, 0}, hi[2] = {i, dims[1] - 1}, ld[1] = {dims[1]};
        NGA_Get(solution, lo, hi, row, ld);
        for (int j = 0; j < dims[1]; ++j)
            error = report_worse(error, row[j] - chosen(dims[0], dims[1], i, j));
    }
    free(row);
    report_phase_end(&report);
    report_check(&report, "u against the chosen solution", error, LIMIT);

    GA_Destroy(direction);
    GA_Destroy(residual);
    GA_Destroy(product);
    GA_Destroy(solution);
    const int status = report_close(&report);
    GA_Terminate();
    MPI_Finalize();
    return status;
}
