/*
 * A two-index matrix built the way Hartree-Fock codes build the Fock matrix:
 *
 *     F(i,j) = sum over k,l of D(k,l) [ 2 (ij|kl) - (ik|jl) ]
 *
 * The work is cut into quartets of blocks of basis functions. Ranks draw quartet numbers from a shared
 * counter (NGA_Read_inc), so that a fast rank does more of them; fetch the patches of the density D that a
 * quartet needs (NGA_Get); and add the two contributions to F where it lives (NGA_Acc), where other ranks may
 * be adding at the same moment. The integrals are a model: s-type functions on a line, with every symmetry of
 * the real ones.
 *
 * Each rank then computes some rows of F serially, in another order, and compares.
 *
 *     ga_fock [n]      n is the number of basis functions; default 41
 */
#include "report.h"

#include <ga.h>
#include <macdecls.h>

/* 7 divides few sizes, so that the last block is usually a short one. */
enum { DEFAULT_SIZE = 41, LEAST_SIZE = 2, MOST_SIZE = 400, BLOCK = 7 };
static const double LIMIT = 1e-10;

typedef struct {
    int functions;
    double* overlap; /* overlap[i*n + j], of functions i and j */
    double* centre;  /* centre of the product of functions i and j */
} Basis;

static double* numbers(size_t count)
{
    double* memory = calloc(count, sizeof *memory);
    if (memory == NULL)
        GA_Error("no memory", (int)count);
    return memory;
}

static Basis make_basis(int functions)
{
    const size_t n = (size_t)functions;
    Basis basis = {functions, numbers(n * n), numbers(n * n)};
    for (int i = 0; i < functions; ++i)
        for (int j = 0; j < functions; ++j) {
            const double x = 0.7 * i, y = 0.7 * j;
            basis.overlap[(size_t)i * n + (size_t)j] = exp(-0.25 * (x - y) * (x - y));
            basis.centre[(size_t)i * n + (size_t)j] = 0.5 * (x + y);
        }
    return basis;
}

/* (ij|kl): the repulsion of charge clouds ij and kl. */
static double integral(const Basis* basis, int i, int j, int k, int l)
{
    const size_t n = (size_t)basis->functions;
    const size_t ij = (size_t)i * n + (size_t)j, kl = (size_t)k * n + (size_t)l;
    return basis->overlap[ij] * basis->overlap[kl] / (1.0 + fabs(basis->centre[ij] - basis->centre[kl]));
}

static double density(int k, int l)
{
    return cos(0.3 * (k + l)) / (1.0 + 0.1 * abs(k - l));
}

static int create_matrix(char* name, int functions)
{
    int dims[2] = {functions, functions};
    const int handle = NGA_Create(C_DBL, 2, dims, name, NULL);
    if (handle == 0)
        GA_Error("cannot create the matrix", functions);
    return handle;
}

/* First and last function of a block. */
static void block_range(const Basis* basis, int block, int* first, int* last)
{
    *first = block * BLOCK;
    *last = *first + BLOCK - 1;
    if (*last >= basis->functions)
        *last = basis->functions - 1;
}

/* Bounds of the patch of a matrix where block `row` meets block `column`. */
static void patch_bounds(const Basis* basis, int row, int column, int lo[2], int hi[2])
{
    block_range(basis, row, &lo[0], &hi[0]);
    block_range(basis, column, &lo[1], &hi[1]);
}

/* One quartet of blocks: two gets, the integrals, two accumulates. */
static void do_quartet(const Basis* basis, const int block[4], int g_density, int g_fock)
{
    double d_kl[BLOCK][BLOCK], d_jl[BLOCK][BLOCK], f_ij[BLOCK][BLOCK] = {{0}}, f_ik[BLOCK][BLOCK] = {{0}};
    int lo[2], hi[2], ld[1] = {BLOCK}, first[4], last[4];
    double coulomb = 2.0, exchange = -1.0;
    for (int x = 0; x < 4; ++x)
        block_range(basis, block[x], &first[x], &last[x]);

    patch_bounds(basis, block[2], block[3], lo, hi);
    NGA_Get(g_density, lo, hi, d_kl, ld);
    patch_bounds(basis, block[1], block[3], lo, hi);
    NGA_Get(g_density, lo, hi, d_jl, ld);

    for (int i = first[0]; i <= last[0]; ++i)
        for (int j = first[1]; j <= last[1]; ++j)
            for (int k = first[2]; k <= last[2]; ++k)
                for (int l = first[3]; l <= last[3]; ++l) {
                    const double value = integral(basis, i, j, k, l);
                    f_ij[i - first[0]][j - first[1]] += value * d_kl[k - first[2]][l - first[3]];
                    f_ik[i - first[0]][k - first[2]] += value * d_jl[j - first[1]][l - first[3]];
                }

    patch_bounds(basis, block[0], block[1], lo, hi);
    NGA_Acc(g_fock, lo, hi, f_ij, ld, &coulomb);
    patch_bounds(basis, block[0], block[2], lo, hi);
    NGA_Acc(g_fock, lo, hi, f_ik, ld, &exchange);
}

/* Draws quartets until none is left; counts in done[] which this rank did. Returns how many. */
static long build(const Basis* basis, int g_density, int g_fock, int g_counter, int* done)
{
    const long blocks = (basis->functions + BLOCK - 1) / BLOCK, quartets = blocks * blocks * blocks * blocks;
    int first_element[1] = {0};
    long mine = 0;
    for (;;) {
        const long quartet = NGA_Read_inc(g_counter, first_element, 1);
        if (quartet >= quartets)
            return mine;
        if (quartet < 0)
            GA_Error("the shared counter went backwards", (int)quartet);
        const int block[4] = {(int)(quartet / (blocks * blocks * blocks)),
                              (int)(quartet / (blocks * blocks) % blocks), (int)(quartet / blocks % blocks),
                              (int)(quartet % blocks)};
        do_quartet(basis, block, g_density, g_fock);
        done[quartet]++;
        ++mine;
    }
}

/* Largest error in the rows that fall to this rank, against a plain sum. */
static double fock_error(const Basis* basis, int g_fock)
{
    const int n = basis->functions;
    double worst = 0.0, *row = numbers((size_t)n);
    for (int i = GA_Nodeid(); i < n; i += GA_Nnodes()) {
        int lo[2] = {i, 0}, hi[2] = {i, n - 1}, ld[1] = {n};
        NGA_Get(g_fock, lo, hi, row, ld);
        for (int j = 0; j < n; ++j) {
            double sum = 0.0;
            for (int k = 0; k < n; ++k)
                for (int l = 0; l < n; ++l)
                    sum += density(k, l) * (2.0 * integral(basis, i, j, k, l) - integral(basis, i, k, j, l));
            worst = report_worse(worst, row[j] - sum);
        }
    }
    free(row);
    return worst;
}

int main(int argc, char** argv)
{
    MPI_Init(&argc, &argv);
    Report report;
    report_open(&report, "ga_fock");
    const int n = report_size_argument(&report, argc, argv, DEFAULT_SIZE, LEAST_SIZE, MOST_SIZE);
    GA_Initialize();
    if (!MA_init(C_DBL, 200000, 200000))
        GA_Error("MA_init failed", 0);
    const int blocks = (n + BLOCK - 1) / BLOCK, quartets = blocks * blocks * blocks * blocks;
    if (report.me == 0)
        printf("ga_fock: %d basis functions in blocks of %d, %d block quartets, %d ranks\n", n, BLOCK,
               quartets, report.ranks);

    report_phase_begin(&report, "set up");
    const Basis basis = make_basis(n);
    const int g_density = create_matrix("density", n), g_fock = create_matrix("Fock", n);
    int one[1] = {1};
    const int g_counter = NGA_Create(C_LONG, 1, one, "counter", NULL);
    if (g_counter == 0)
        GA_Error("cannot create the counter", 0);
    GA_Zero(g_fock);
    GA_Zero(g_counter);
    if (report.me == 0) { /* one rank writes all of D, most of it to others */
        double* all = numbers((size_t)n * (size_t)n);
        int lo[2] = {0, 0}, hi[2] = {n - 1, n - 1}, ld[1] = {n};
        for (int k = 0; k < n; ++k)
            for (int l = 0; l < n; ++l)
                all[(size_t)k * (size_t)n + (size_t)l] = density(k, l);
        NGA_Put(g_density, lo, hi, all, ld);
        free(all);
    }
    int* done = calloc((size_t)quartets, sizeof *done);
    if (done == NULL)
        GA_Error("no memory", quartets);
    GA_Sync();
    report_phase_end(&report);

    report_work_begin(&report, "build");
    const long mine = build(&basis, g_density, g_fock, g_counter, done);
    GA_Sync();
    report_phase_end(&report);

    long least = 0, most = 0;
    MPI_Reduce(&mine, &least, 1, MPI_LONG, MPI_MIN, 0, MPI_COMM_WORLD);
    MPI_Reduce(&mine, &most, 1, MPI_LONG, MPI_MAX, 0, MPI_COMM_WORLD);
    if (report.me == 0)
        printf("  balance: %ld to %ld quartets a rank\n", least, most);
    MPI_Allreduce(MPI_IN_PLACE, done, quartets, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    long not_once = 0;
    for (int quartet = 0; quartet < quartets; ++quartet)
        if (done[quartet] != 1)
            not_once++;
    report_no_fault(&report, "each quartet done exactly once", not_once);

    report_phase_begin(&report, "serial sum");
    const double error = fock_error(&basis, g_fock);
    report_phase_end(&report);
    report_check(&report, "F against the serial sum", error, LIMIT);

    /* Trace of D F by Global Arrays, against the same sum over F as it is seen from here. */
    double trace = 0.0, *fock = numbers((size_t)n * (size_t)n);
    int lo[2] = {0, 0}, hi[2] = {n - 1, n - 1}, ld[1] = {n};
    NGA_Get(g_fock, lo, hi, fock, ld);
    for (int k = 0; k < n; ++k)
        for (int l = 0; l < n; ++l)
            trace += density(k, l) * fock[(size_t)k * (size_t)n + (size_t)l];
    const double energy = GA_Ddot(g_density, g_fock);
    if (report.me == 0)
        printf("  energy-like trace of D F: %.10f\n", energy);
    report_check(&report, "relative error of the trace", (energy - trace) / (1.0 + fabs(trace)), LIMIT);

    free(fock);
    free(done);
    free(basis.overlap);
    free(basis.centre);
    GA_Destroy(g_counter);
    GA_Destroy(g_fock);
    GA_Destroy(g_density);
    const int status = report_close(&report);
    GA_Terminate();
    MPI_Finalize();
    return status;
}
