/*
 * Blocked dense LU factorisation in the plain ARMCI interface, in the manner of the SPLASH-2 kernel and of
 * the one-sided codes made from it.
 *
 * The n x n matrix is cut into B x B blocks, dealt out to a two-dimensional grid of ranks ("2-D scatter"). In
 * step K the owner factors diagonal block (K,K); the owners of the blocks below and to the right of it fetch
 * it and solve with it; then everyone fetches what it needs of that row and column of blocks to update its
 * own interior. All fetches are one-sided gets; those of the last kind are nonblocking, all under way while
 * the first products are computed. Ranks meet only in barriers. There is no pivoting: the matrix is dominated
 * by its diagonal.
 *
 * Two residuals check the answer: L U against A, each rank on its own blocks, and A x = b solved by rank 0
 * from the factors, which it fetches block by block.
 *
 *     armci_lu [n]      n is the order of the matrix; default 200
 */
#define B 16 /* divides few orders: the last blocks are filled up with rows of the identity matrix */

#include "lu_blocks.h"
#include "report.h"

#include <armci.h>
#include <message.h>
#include <string.h>

enum { DEFAULT_SIZE = 200, LEAST_SIZE = 1, MOST_SIZE = 8000 };
static const double LIMIT = 1e-15;

static Layout lu;
static void** part; /* part[r]: the blocks of rank r, at the address they have there */

static double seconds_waiting; /* in gets and barriers */
static long blocks_fetched;

static void check_call(int code, const char* call)
{
    if (code != 0)
        ARMCI_Error(call, code);
}

static void barrier(void)
{
    const double start = MPI_Wtime();
    ARMCI_Barrier();
    seconds_waiting += MPI_Wtime() - start;
}

/* Block (I,J) where its owner keeps it; only the owner may dereference it. */
static Block* home(int I, int J)
{
    return (Block*)part[owner(&lu, I, J)] + place_of(&lu, I, J);
}

/* Block (I,J): in place if mine, otherwise fetched into `copy`. */
static Block* fetch(int I, int J, Block* copy)
{
    if (owner(&lu, I, J) == lu.me)
        return home(I, J);
    const double start = MPI_Wtime();
    check_call(ARMCI_Get(home(I, J), copy, BLOCK_BYTES, owner(&lu, I, J)), "ARMCI_Get failed");
    seconds_waiting += MPI_Wtime() - start;
    ++blocks_fetched;
    return copy;
}

/* A line of blocks (a column of L or a row of U) as it is being fetched. */
typedef struct {
    Block* copy;   /* room for one copy of each block */
    Block** block; /* where block I can be used once it is there */
    armci_hdl_t* handle;
    char* under_way;
} Line;

static Line make_line(void)
{
    Line line;
    line.copy = ARMCI_Malloc_local((armci_size_t)lu.blocks * BLOCK_BYTES);
    line.block = calloc((size_t)lu.blocks, sizeof *line.block);
    line.handle = calloc((size_t)lu.blocks, sizeof *line.handle);
    line.under_way = calloc((size_t)lu.blocks, 1);
    if (line.copy == NULL || line.block == NULL || line.handle == NULL || line.under_way == NULL)
        ARMCI_Error("no memory for a line of blocks", lu.blocks);
    return line;
}

static void free_line(Line* line)
{
    ARMCI_Free_local(line->copy);
    free(line->block);
    free(line->handle);
    free(line->under_way);
}

/* Begins to fetch block (I,J) as member `index` of the line. */
static void line_start(Line* line, int index, int I, int J)
{
    line->under_way[index] = 0;
    line->block[index] = home(I, J);
    if (owner(&lu, I, J) == lu.me)
        return;
    line->block[index] = &line->copy[index];
    line->under_way[index] = 1;
    ARMCI_INIT_HANDLE(&line->handle[index]);
    check_call(
        ARMCI_NbGet(home(I, J), line->block[index], BLOCK_BYTES, owner(&lu, I, J), &line->handle[index]),
        "ARMCI_NbGet failed");
    ++blocks_fetched;
}

static Block* line_finish(Line* line, int index)
{
    if (line->under_way[index]) {
        const double start = MPI_Wtime();
        check_call(ARMCI_Wait(&line->handle[index]), "ARMCI_Wait failed");
        seconds_waiting += MPI_Wtime() - start;
        line->under_way[index] = 0;
    }
    return line->block[index];
}

static void factor(void)
{
    const int my_row = lu.me / lu.columns, my_column = lu.me % lu.columns;
    Line lower = make_line(), upper = make_line();
    Block* diagonal_copy = ARMCI_Malloc_local(BLOCK_BYTES);
    if (diagonal_copy == NULL)
        ARMCI_Error("no memory for the diagonal block", BLOCK_BYTES);

    for (int K = 0; K < lu.blocks; ++K) {
        const int first_row = first_after(K, my_row, lu.rows);
        const int first_column = first_after(K, my_column, lu.columns);
        if (owner(&lu, K, K) == lu.me)
            factor_diagonal(*home(K, K));
        barrier();

        if (K % lu.columns == my_column && first_row < lu.blocks) {
            Block* diagonal = fetch(K, K, diagonal_copy);
            for (int I = first_row; I < lu.blocks; I += lu.rows)
                solve_below(*home(I, K), *diagonal);
        }
        if (K % lu.rows == my_row && first_column < lu.blocks) {
            Block* diagonal = fetch(K, K, diagonal_copy);
            for (int J = first_column; J < lu.blocks; J += lu.columns)
                solve_right(*home(K, J), *diagonal);
        }
        barrier();

        if (first_row < lu.blocks && first_column < lu.blocks) {
            for (int J = first_column; J < lu.blocks; J += lu.columns)
                line_start(&upper, J, K, J);
            for (int I = first_row; I < lu.blocks; I += lu.rows)
                line_start(&lower, I, I, K);
            for (int I = first_row; I < lu.blocks; I += lu.rows)
                for (int J = first_column; J < lu.blocks; J += lu.columns)
                    update_interior(*home(I, J), *line_finish(&lower, I), *line_finish(&upper, J));
        }
        /* No barrier here: blocks of row and column K are final, and step K+1 begins on other ones. */
    }
    barrier();
    ARMCI_Free_local(diagonal_copy);
    free_line(&lower);
    free_line(&upper);
}

/* Largest |A - L U| in this rank's blocks. */
static double product_error(void)
{
    Block* copies = ARMCI_Malloc_local(2 * BLOCK_BYTES);
    double worst = 0.0;
    if (copies == NULL)
        ARMCI_Error("no memory for two blocks", 2 * BLOCK_BYTES);
    for (int I = 0; I < lu.blocks; ++I)
        for (int J = 0; J < lu.blocks; ++J) {
            if (owner(&lu, I, J) != lu.me)
                continue;
            Block product;
            memset(product, 0, sizeof product);
            for (int K = 0; K <= I && K <= J; ++K) {
                Block *l = fetch(I, K, &copies[0]), *u = fetch(K, J, &copies[1]);
                for (int i = 0; i < B; ++i)
                    for (int k = 0; k < B && K * B + k <= I * B + i; ++k) {
                        const double factor = K * B + k == I * B + i ? 1.0 : (*l)[i][k];
                        for (int j = 0; j < B; ++j)
                            if (K * B + k <= J * B + j)
                                product[i][j] += factor * (*u)[k][j];
                    }
            }
            for (int i = 0; i < B; ++i)
                for (int j = 0; j < B; ++j)
                    worst = report_worse(worst, product[i][j] - element(lu.n, I * B + i, J * B + j));
        }
    ARMCI_Free_local(copies);
    return worst;
}

/* Solves A x = b with the factors and returns the largest |A x - b|; for one rank alone. */
static double solution_error(double* largest_x)
{
    const int padded = lu.blocks * B;
    double *x = malloc(sizeof *x * (size_t)padded), worst = 0.0;
    Block* copy = ARMCI_Malloc_local(BLOCK_BYTES);
    if (x == NULL || copy == NULL)
        ARMCI_Error("no memory for the solution", padded);
    for (int i = 0; i < padded; ++i)
        x[i] = i < lu.n ? cos(i) : 0.0;

    for (int I = 0; I < lu.blocks; ++I) /* L y = b */
        for (int J = 0; J <= I; ++J) {
            Block* l = fetch(I, J, copy);
            for (int i = 0; i < B; ++i)
                for (int j = 0; j < B && J * B + j < I * B + i; ++j)
                    x[I * B + i] -= (*l)[i][j] * x[J * B + j];
        }
    for (int I = lu.blocks - 1; I >= 0; --I) /* U x = y */
        for (int J = lu.blocks - 1; J >= I; --J) {
            Block* u = fetch(I, J, copy);
            for (int i = B - 1; i >= 0; --i) {
                for (int j = B - 1; j >= 0 && J * B + j > I * B + i; --j)
                    x[I * B + i] -= (*u)[i][j] * x[J * B + j];
                if (I == J)
                    x[I * B + i] /= (*u)[i][i];
            }
        }

    *largest_x = 0.0;
    for (int i = 0; i < lu.n; ++i) {
        double sum = 0.0;
        for (int j = 0; j < lu.n; ++j)
            sum += element(lu.n, i, j) * x[j];
        worst = report_worse(worst, sum - cos(i));
        *largest_x = report_worse(*largest_x, x[i]);
    }
    ARMCI_Free_local(copy);
    free(x);
    return worst;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Report report;
    report_open(&report, "armci_lu");
    const int n = report_size_argument(&report, argc, argv, DEFAULT_SIZE, LEAST_SIZE, MOST_SIZE);
    check_call(ARMCI_Init(), "ARMCI_Init failed");
    lu = make_layout(n, armci_msg_me(), armci_msg_nproc());
    if (lu.me == 0)
        printf("armci_lu: order %d in %d x %d blocks of %d x %d doubles, %d ranks as %d x %d\n", lu.n,
               lu.blocks, lu.blocks, B, B, lu.ranks, lu.rows, lu.columns);

    report_phase_begin(&report, "set up");
    part = calloc((size_t)lu.ranks, sizeof *part);
    if (part == NULL)
        ARMCI_Error("no memory for the pointers", lu.ranks);
    check_call(ARMCI_Malloc(part, (armci_size_t)(my_blocks(&lu) * BLOCK_BYTES)), "ARMCI_Malloc failed");
    double norm = 0.0; /* largest |element| of A */
    char max[] = "max";
    for (int I = 0; I < lu.blocks; ++I)
        for (int J = 0; J < lu.blocks; ++J) {
            if (owner(&lu, I, J) != lu.me)
                continue;
            Block* block = home(I, J);
            for (int i = 0; i < B; ++i)
                for (int j = 0; j < B; ++j) {
                    (*block)[i][j] = element(lu.n, I * B + i, J * B + j);
                    norm = report_worse(norm, (*block)[i][j]);
                }
        }
    armci_msg_dgop(&norm, 1, max);
    barrier();
    report_phase_end(&report);

    seconds_waiting = 0.0;
    blocks_fetched = 0;
    report_work_begin(&report, "factor");
    factor();
    const double seconds = report_phase_end(&report);
    double most_waiting = 0.0;
    long fetched = 0;
    MPI_Reduce(&seconds_waiting, &most_waiting, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&blocks_fetched, &fetched, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (lu.me == 0)
        printf(
            "  factored: %.2f Gflop/s; %ld gets of %d bytes; at most %.4f s waiting in gets and barriers\n",
            2.0 / 3.0 * lu.n * (double)lu.n * lu.n / seconds / 1e9, fetched, BLOCK_BYTES, most_waiting);

    report_phase_begin(&report, "check L U");
    const double factors = product_error();
    report_phase_end(&report);
    report_check(&report, "max|A - L U| / (n max|A|)", factors / (lu.n * norm), LIMIT);

    report_phase_begin(&report, "solve");
    double largest_x = 1.0;
    const double solved = lu.me == 0 ? solution_error(&largest_x) : 0.0;
    report_phase_end(&report);
    report_check(&report, "max|A x - b| / (n max|A| max|x|)", solved / (lu.n * norm * largest_x), LIMIT);

    ARMCI_Barrier();
    check_call(ARMCI_Free(part[lu.me]), "ARMCI_Free failed");
    free(part);
    const int status = report_close(&report);
    check_call(ARMCI_Finalize(), "ARMCI_Finalize failed");
    MPI_Finalize();
    return status;
}
