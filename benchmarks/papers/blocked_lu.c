/* Blocked LU factorisation with one-sided gets, and where its time goes: Figs 7 and 8 of paper "Designing
 * Passive Synchronization for MPI-2 One-Sided Communication to Maximize Overlap". Blocks are dealt out in two
 * dimensions; in each step the diagonal block is factored, its row and column (the perimeter) solved with it,
 * and all else (the interior) updated from them. Who needs a block of another gets it from there; processes
 * meet in two barriers per step.
 *
 *     blocked_lu [size] [--seconds S] [--order N]
 *
 *     --seconds S  for the factorisations of a row, at least three (0.08)
 *     --order N    of the matrix (512)
 *     size         rows for orders N/4, N/2 and N instead of one for the processes
 *
 * Variants: `blocking` gets each block when it is first needed; `prefetched` starts all gets of a step
 * without blocking, and waits for each block when it is first needed, so that they go on behind the updates.
 * Rows: milliseconds of a factorisation, of the slowest process, and the processes' mean time in each phase;
 * a get counts from its issue until the program goes on, for prefetched ones issue and wait. Each
 * factorisation is checked off the clock: A x against L (U x). */
#define B 32

#include "../../examples/lu_blocks.h"
#include "measure/job.h"

#define LEAST_ORDER 64
#define MOST_ORDER 8192
#define MOST_ROUNDS 51
#define LIMIT 1e-15

enum phase { DIAGONAL, PERIMETER, INTERIOR, GETS, SYNCHRONISATION, PHASES };
static const char* const phase_names[PHASES] = {"diagonal", "perimeter", "interior", "get",
                                                "synchronisation"};

enum variant { BLOCKING, PREFETCHED, VARIANTS };
static const char* const variant_names[VARIANTS] = {"blocking", "prefetched"};

enum state { ABSENT, UNDER_WAY, THERE };

/* Blocks of others that a step needs, of its column or of its row. */
struct line {
    Block* copies;
    armci_hdl_t* handles;
    enum state* states;
};

struct matrix {
    Layout layout;
    void** parts; /* by process */
    Block* diagonal;
    struct line lower;
    struct line upper;
};

static double spent[PHASES]; /* seconds */
static double mark;

/* What has passed since the last call belongs to `phase`. */
static void charge(enum phase phase)
{
    const double now = seconds();
    spent[phase] += now - mark;
    mark = now;
}

static Block* home(const struct matrix* m, int I, int J)
{
    return (Block*)m->parts[owner(&m->layout, I, J)] + place_of(&m->layout, I, J);
}

static int is_mine(const struct matrix* m, int I, int J)
{
    return owner(&m->layout, I, J) == m->layout.me;
}

static void barrier(void)
{
    ARMCI_Barrier();
    charge(SYNCHRONISATION);
}

static void* local_memory(size_t bytes)
{
    return not_null(ARMCI_Malloc_local((armci_size_t)bytes));
}

static struct line make_line(int blocks)
{
    const struct line line = {local_memory((size_t)blocks * BLOCK_BYTES),
                              not_null(calloc((size_t)blocks, sizeof(armci_hdl_t))),
                              not_null(calloc((size_t)blocks, sizeof(enum state)))};
    return line;
}

static void free_line(struct line* line)
{
    ARMCI_Free_local(line->copies);
    free(line->handles);
    free(line->states);
}

static void prefetch(const struct matrix* m, struct line* line, int index, int I, int J)
{
    if (is_mine(m, I, J))
        return;
    ARMCI_INIT_HANDLE(&line->handles[index]);
    ARMCI_NbGet(home(m, I, J), line->copies[index], BLOCK_BYTES, owner(&m->layout, I, J),
                &line->handles[index]);
    line->states[index] = UNDER_WAY;
}

/* In place if mine; otherwise its copy, once it is there. Time up to now is the interior's. */
static Block* interior_block(const struct matrix* m, struct line* line, int index, int I, int J)
{
    if (is_mine(m, I, J))
        return home(m, I, J);
    if (line->states[index] != THERE) {
        charge(INTERIOR);
        if (line->states[index] == UNDER_WAY)
            ARMCI_Wait(&line->handles[index]);
        else
            ARMCI_Get(home(m, I, J), line->copies[index], BLOCK_BYTES, owner(&m->layout, I, J));
        line->states[index] = THERE;
        charge(GETS);
    }
    return &line->copies[index];
}

static Block* diagonal_block(const struct matrix* m, int K)
{
    if (is_mine(m, K, K))
        return home(m, K, K);
    ARMCI_Get(home(m, K, K), m->diagonal, BLOCK_BYTES, owner(&m->layout, K, K));
    charge(GETS);
    return m->diagonal;
}

/* My blocks of the perimeter of step K: those below the diagonal one, and those to the right of it. */
static void solve_perimeter(const struct matrix* m, int K, int first_row, int first_column)
{
    const Layout* const l = &m->layout;
    const int below = K % l->columns == l->me % l->columns && first_row < l->blocks;
    const int right = K % l->rows == l->me / l->columns && first_column < l->blocks;
    if (!below && !right)
        return;
    Block* const diagonal = diagonal_block(m, K);
    for (int I = first_row; below && I < l->blocks; I += l->rows)
        solve_below(*home(m, I, K), *diagonal);
    for (int J = first_column; right && J < l->blocks; J += l->columns)
        solve_right(*home(m, K, J), *diagonal);
    charge(PERIMETER);
}

static void update_all(struct matrix* m, int K, int first_row, int first_column, enum variant variant)
{
    const Layout* const l = &m->layout;
    if (first_row >= l->blocks || first_column >= l->blocks)
        return;
    memset(m->lower.states, ABSENT, (size_t)l->blocks * sizeof *m->lower.states);
    memset(m->upper.states, ABSENT, (size_t)l->blocks * sizeof *m->upper.states);
    if (variant == PREFETCHED) { /* in the order of use */
        prefetch(m, &m->lower, first_row, first_row, K);
        for (int J = first_column; J < l->blocks; J += l->columns)
            prefetch(m, &m->upper, J, K, J);
        for (int I = first_row + l->rows; I < l->blocks; I += l->rows)
            prefetch(m, &m->lower, I, I, K);
        charge(GETS);
    }
    for (int I = first_row; I < l->blocks; I += l->rows) {
        Block* const lower = interior_block(m, &m->lower, I, I, K);
        for (int J = first_column; J < l->blocks; J += l->columns)
            update_interior(*home(m, I, J), *lower, *interior_block(m, &m->upper, J, K, J));
    }
    charge(INTERIOR);
}

static void factor(struct matrix* m, enum variant variant)
{
    const Layout* const l = &m->layout;
    const int my_row = l->me / l->columns, my_column = l->me % l->columns;
    memset(spent, 0, sizeof spent);
    mark = seconds();
    for (int K = 0; K < l->blocks; ++K) {
        const int first_row = first_after(K, my_row, l->rows);
        const int first_column = first_after(K, my_column, l->columns);
        if (is_mine(m, K, K)) {
            factor_diagonal(*home(m, K, K));
            charge(DIAGONAL);
        }
        barrier();
        solve_perimeter(m, K, first_row, first_column);
        barrier();
        update_all(m, K, first_row, first_column, variant);
        /* The next step begins on other blocks than those that slower processes still get. */
    }
    barrier();
}

typedef void (*block_work)(const struct matrix* m, int I, int J, const double* x, double* sum);

static void fill(const struct matrix* m, int I, int J, const double* x, double* sum)
{
    Block* const block = home(m, I, J);
    (void)x, (void)sum;
    for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j)
            (*block)[i][j] = element(m->layout.n, I * B + i, J * B + j);
}

static void add_product(const struct matrix* m, int I, int J, const double* x, double* sum)
{
    for (int i = 0; i < B; ++i)
        for (int j = 0; j < B; ++j)
            sum[I * B + i] += element(m->layout.n, I * B + i, J * B + j) * x[J * B + j];
}

static void add_upper(const struct matrix* m, int I, int J, const double* x, double* sum)
{
    Block* const u = home(m, I, J);
    for (int i = 0; i < B; ++i)
        for (int j = I < J ? 0 : i; I <= J && j < B; ++j)
            sum[I * B + i] += (*u)[i][j] * x[J * B + j];
}

static void add_lower(const struct matrix* m, int I, int J, const double* x, double* sum)
{
    Block* const low = home(m, I, J);
    for (int i = 0; i < B; ++i) {
        for (int j = 0; I >= J && j < (I > J ? B : i); ++j)
            sum[I * B + i] += (*low)[i][j] * x[J * B + j];
        if (I == J)
            sum[I * B + i] += x[J * B + i];
    }
}

static void for_my_blocks(const struct matrix* m, block_work what, const double* x, double* sum)
{
    const Layout* const l = &m->layout;
    for (int I = l->me / l->columns; I < l->blocks; I += l->rows)
        for (int J = l->me % l->columns; J < l->blocks; J += l->columns)
            what(m, I, J, x, sum);
}

/* Collective: a vector of sums over everybody's blocks. */
static double* sum_up(const struct matrix* m, block_work what, const double* x)
{
    const int count = m->layout.blocks * B;
    double* const sum = not_null(calloc((size_t)count, sizeof *sum));
    for_my_blocks(m, what, x, sum);
    MPI_Allreduce(MPI_IN_PLACE, sum, count, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    return sum;
}

static void check(const struct matrix* m)
{
    const int n = m->layout.n, count = m->layout.blocks * B;
    double* const x = not_null(malloc((size_t)count * sizeof *x));
    for (int i = 0; i < count; ++i)
        x[i] = i < n ? cos(i) : 0;
    double* const expected = sum_up(m, add_product, x);
    double* const ux = sum_up(m, add_upper, x);
    double* const lux = sum_up(m, add_lower, ux);
    const double largest = 1.0 + n; /* no element of A is larger */
    for (int i = 0; i < n; ++i)
        if (!(fabs(lux[i] - expected[i]) <= LIMIT * sqrt(n) * largest)) /* errors mostly cancel */
            fail("L U is not A");
    free(x);
    free(expected);
    free(ux);
    free(lux);
}

struct outcome {
    double total;          /* ms, of the slowest */
    double phases[PHASES]; /* ms, mean of all */
};

static struct outcome one_round(struct matrix* m, enum variant variant)
{
    struct outcome outcome;
    for_my_blocks(m, fill, NULL, NULL);
    ARMCI_Barrier();
    const double begin = seconds();
    factor(m, variant);
    outcome.total = 1e3 * (seconds() - begin);
    check(m);
    MPI_Allreduce(MPI_IN_PLACE, &outcome.total, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    MPI_Allreduce(spent, outcome.phases, PHASES, MPI_DOUBLE, MPI_SUM, MPI_COMM_WORLD);
    for (int phase = 0; phase < PHASES; ++phase)
        outcome.phases[phase] *= 1e3 / m->layout.ranks;
    return outcome;
}

static void report(struct matrix* m, double x)
{
    static double total[VARIANTS][MOST_ROUNDS], phases[VARIANTS][PHASES][MOST_ROUNDS];
    double passed = 0;
    int rounds = 0;
    for (int variant = 0; variant < VARIANTS; ++variant)
        one_round(m, variant); /* opens connections, touches pages */
    while (rounds < MOST_ROUNDS && (rounds < LEAST_BATCHES || passed < 1e3 * VARIANTS * budget)) {
        for (int variant = 0; variant < VARIANTS; ++variant) {
            const struct outcome outcome = one_round(m, variant);
            passed += outcome.total; /* the same everywhere */
            total[variant][rounds] = outcome.total;
            for (int phase = 0; phase < PHASES; ++phase)
                phases[variant][phase][rounds] = outcome.phases[phase];
        }
        ++rounds;
    }
    for (int variant = 0; m->layout.me == 0 && variant < VARIANTS; ++variant) {
        print_rowf(x, median(total[variant], rounds), "ms", "total/%s", variant_names[variant]);
        for (int phase = 0; phase < PHASES; ++phase) {
            if (phase == GETS && m->layout.ranks == 1)
                continue; /* there is nobody to get from */
            print_rowf(x, median(phases[variant][phase], rounds), "ms", "phases_%s/%s",
                       variant_names[variant], phase_names[phase]);
        }
    }
}

static void factor_order(struct job job, int order, int by_size)
{
    struct matrix m = {.layout = make_layout(order, job.me, job.processes)};
    /* An owner of no block may own none of the memory. */
    m.parts = global_memory(job, my_blocks(&m.layout) * BLOCK_BYTES);
    m.diagonal = local_memory(BLOCK_BYTES);
    m.lower = make_line(m.layout.blocks);
    m.upper = make_line(m.layout.blocks);
    report(&m, by_size ? order : job.processes);
    ARMCI_Barrier();
    free_line(&m.lower);
    free_line(&m.upper);
    ARMCI_Free_local(m.diagonal);
    free_global_memory(job, m.parts);
}

int main(int argc, char** argv)
{
    double order = 512;
    int by_size = 0;
    const struct option options[] = {
        {"--order", &order, LEAST_ORDER, MOST_ORDER, NULL, 0}, {"size", NULL, 0, 0, &by_size, 1}, {0}};
    const struct job job = begin_job(argc, argv, "Blocked LU factorisation", options);
    for (int part = by_size ? 4 : 1; part >= 1; part /= 2)
        factor_order(job, (int)order / part, by_size);
    end_job();
    return 0;
}
