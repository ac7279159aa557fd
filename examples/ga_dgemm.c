/*
 * Distributed matrix multiply with Global Arrays: C = A B and D = 1.5 A' C + 0.5 D.
 *
 * A, B, C and D are spread over the ranks in two-dimensional blocks, and no side is a multiple of the number
 * of ranks. GA_Dgemm moves blocks with one-sided strided gets and adds the products with accumulates. Each
 * rank then checks two blocks, its own by direct access and its neighbour's by a get, against plain triple
 * loops over matrices that it computes for itself.
 *
 *     ga_dgemm [n]      n is the number of rows of A; default 200
 */
#include "report.h"

#include <ga.h>
#include <macdecls.h>

enum { DEFAULT_SIZE = 200, LEAST_SIZE = 8, MOST_SIZE = 4000 };
static const double LIMIT = 1e-10;

/* Entries in [-1/2, 1/2] from an index hash, so that any rank can compute any entry. */
static double entry(unsigned seed, int i, int j)
{
    unsigned x = seed + 2654435761u * (unsigned)i + 40503u * (unsigned)j;
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)(x % 20001u) / 20000.0 - 0.5;
}

/* All of a rows x columns matrix, row after row, as one process would hold it. */
static double* serial_matrix(unsigned seed, int rows, int columns)
{
    double* matrix = malloc(sizeof *matrix * (size_t)rows * (size_t)columns);
    if (matrix == NULL)
        GA_Error("no memory for the serial matrix", rows);
    for (int i = 0; i < rows; ++i)
        for (int j = 0; j < columns; ++j)
            matrix[(size_t)i * (size_t)columns + (size_t)j] = entry(seed, i, j);
    return matrix;
}

static int create_array(char* name, int rows, int columns)
{
    int dims[2] = {rows, columns};
    const int handle = NGA_Create(C_DBL, 2, dims, name, NULL);
    if (handle == 0)
        GA_Error("cannot create the array", rows);
    return handle;
}

/* Each rank writes the block it owns in place. */
static void fill(int array, unsigned seed)
{
    int lo[2], hi[2], ld[1];
    double* block;
    NGA_Distribution(array, GA_Nodeid(), lo, hi);
    if (lo[0] < 0 || lo[0] > hi[0] || lo[1] > hi[1])
        return; /* a rank may own nothing */
    NGA_Access(array, lo, hi, &block, ld);
    for (int i = lo[0]; i <= hi[0]; ++i)
        for (int j = lo[1]; j <= hi[1]; ++j)
            block[(size_t)(i - lo[0]) * (size_t)ld[0] + (size_t)(j - lo[1])] = entry(seed, i, j);
    NGA_Release_update(array, lo, hi);
}

/* result += scale * left right by triple loop; element (i, k) of left is at i * row_step + k * term_step. */
static void serial_multiply(double* result, int rows, int columns, int terms, double scale,
                            const double* left, int row_step, int term_step, const double* right)
{
    for (int i = 0; i < rows; ++i)
        for (int k = 0; k < terms; ++k) {
            const double factor = scale * left[(size_t)i * (size_t)row_step + (size_t)k * (size_t)term_step];
            const double* from = right + (size_t)k * (size_t)columns;
            double* to = result + (size_t)i * (size_t)columns;
            for (int j = 0; j < columns; ++j)
                to[j] += factor * from[j];
        }
}

/* Largest error in this rank's block, read by direct access, and in the next rank's, read by a get. */
static double array_error(int array, const double* serial, int columns)
{
    double worst = 0.0;
    for (int next = 0; next < 2; ++next) {
        int lo[2], hi[2], ld[1];
        double* block;
        NGA_Distribution(array, (GA_Nodeid() + next) % GA_Nnodes(), lo, hi);
        if (lo[0] < 0 || lo[0] > hi[0] || lo[1] > hi[1])
            continue;
        if (next == 0) {
            NGA_Access(array, lo, hi, &block, ld);
        } else {
            ld[0] = hi[1] - lo[1] + 1;
            block = malloc(sizeof *block * (size_t)(hi[0] - lo[0] + 1) * (size_t)ld[0]);
            if (block == NULL)
                GA_Error("no memory for the neighbour's block", ld[0]);
            NGA_Get(array, lo, hi, block, ld);
        }
        for (int i = lo[0]; i <= hi[0]; ++i)
            for (int j = lo[1]; j <= hi[1]; ++j) {
                const double value = block[(size_t)(i - lo[0]) * (size_t)ld[0] + (size_t)(j - lo[1])];
                worst = report_worse(worst, value - serial[(size_t)i * (size_t)columns + (size_t)j]);
            }
        if (next == 0)
            NGA_Release(array, lo, hi);
        else
            free(block);
    }
    return worst;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Report report;
    report_open(&report, "ga_dgemm");
    const int rows = report_size_argument(&report, argc, argv, DEFAULT_SIZE, LEAST_SIZE, MOST_SIZE);
    const int inner = rows + rows / 4 + 1, columns = rows - 3;
    GA_Initialize();
    if (!MA_init(C_DBL, 1000000, 1000000))
        GA_Error("MA_init failed", 0);
    if (report.me == 0)
        printf("ga_dgemm: C = A B and D = 1.5 A' C + 0.5 D, A %d x %d, B %d x %d, doubles, %d ranks\n", rows,
               inner, inner, columns, report.ranks);

    enum { SEED_A = 11, SEED_B = 23, SEED_D = 37 };
    report_phase_begin(&report, "fill");
    const int a = create_array("A", rows, inner), b = create_array("B", inner, columns);
    const int c = create_array("C", rows, columns), d = create_array("D", inner, columns);
    fill(a, SEED_A);
    fill(b, SEED_B);
    fill(d, SEED_D);
    GA_Zero(c);
    GA_Sync();
    report_phase_end(&report);

    report_work_begin(&report, "C = A B");
    GA_Dgemm('n', 'n', rows, columns, inner, 1.0, a, b, 0.0, c);
    const double seconds_c = report_phase_end(&report);

    report_work_begin(&report, "D = 1.5 A' C + 0.5 D");
    GA_Dgemm('t', 'n', inner, columns, rows, 1.5, a, c, 0.5, d);
    const double seconds_d = report_phase_end(&report);

    report_phase_begin(&report, "serial products");
    double *serial_a = serial_matrix(SEED_A, rows, inner), *serial_b = serial_matrix(SEED_B, inner, columns);
    double* serial_c = calloc((size_t)rows * (size_t)columns, sizeof *serial_c);
    double* serial_d = serial_matrix(SEED_D, inner, columns);
    if (serial_c == NULL)
        GA_Error("no memory for the serial product", rows);
    serial_multiply(serial_c, rows, columns, inner, 1.0, serial_a, inner, 1, serial_b);
    for (size_t i = 0; i < (size_t)inner * (size_t)columns; ++i)
        serial_d[i] *= 0.5;
    serial_multiply(serial_d, inner, columns, rows, 1.5, serial_a, 1, inner, serial_c);
    const double error_c = array_error(c, serial_c, columns);
    const double error_d = array_error(d, serial_d, columns);
    report_phase_end(&report);

    const double operations = 2.0 * rows * inner * (double)columns;
    if (report.me == 0)
        printf("  speed: C %.2f Gflop/s, D %.2f Gflop/s\n", operations / seconds_c / 1e9,
               operations / seconds_d / 1e9);
    report_check(&report, "C against the serial product", error_c, LIMIT);
    report_check(&report, "D against the serial product", error_d, LIMIT);

    free(serial_a);
    free(serial_b);
    free(serial_c);
    free(serial_d);
    GA_Destroy(a);
    GA_Destroy(b);
    GA_Destroy(c);
    GA_Destroy(d);
    const int status = report_close(&report);
    GA_Terminate();
    MPI_Finalize();
    return status;
}
