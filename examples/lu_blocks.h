/*
 * Dense LU factorisation without pivoting, block by block: how blocks are dealt out, the matrix to factor,
 * and what is done with blocks. Where they live and how they travel is the program's. It defines B, the order
 * of a block, before it includes this.
 */
#ifndef ARMCI_EXAMPLES_LU_BLOCKS_H_
#define ARMCI_EXAMPLES_LU_BLOCKS_H_

#include <math.h>
#include <stddef.h>

enum { BLOCK_BYTES = B * B * (int)sizeof(double) };

typedef double Block[B][B];

/* An n x n matrix in blocks, on a grid of ranks ("2-D scatter"). */
typedef struct {
    int n, blocks; /* order of the matrix; blocks in one row of blocks */
    int me, ranks;
    int rows, columns; /* of the grid: rank r is in row r / columns */
} Layout;

/* The squarest grid that uses every rank. The last blocks are filled up where B does not divide n. */
static inline Layout make_layout(int n, int me, int ranks)
{
    Layout l = {n, (n + B - 1) / B, me, ranks, (int)sqrt((double)ranks), 0};
    while (ranks % l.rows != 0)
        --l.rows;
    l.columns = ranks / l.rows;
    return l;
}

static inline int owner(const Layout* l, int I, int J)
{
    return (I % l->rows) * l->columns + J % l->columns;
}

/* Where block (I,J) is among its owner's blocks. */
static inline size_t place_of(const Layout* l, int I, int J)
{
    const int column = owner(l, I, J) % l->columns;
    const int per_row = (l->blocks - column + l->columns - 1) / l->columns; /* blocks of a row, the owner's */
    return (size_t)(I / l->rows) * (size_t)per_row + (size_t)(J / l->columns);
}

/* How many blocks are mine. */
static inline size_t my_blocks(const Layout* l)
{
    size_t mine = 0;
    for (int I = 0; I < l->blocks; ++I)
        for (int J = 0; J < l->blocks; ++J)
            mine += owner(l, I, J) == l->me;
    return mine;
}

/* The first index after K that is mine, when `mine` = my row or column of the grid, of `step` many. */
static inline int first_after(int K, int mine, int step)
{
    int index = K + 1;
    while (index % step != mine)
        ++index;
    return index;
}

/* Element of A, the same on every rank, dominated by its diagonal; outside n x n the identity. */
static inline double element(int n, int i, int j)
{
    if (i >= n || j >= n)
        return i == j ? 1.0 : 0.0;
    unsigned x = 2654435761u * (unsigned)(i + 1) + 40503u * (unsigned)(j + 1);
    x ^= x >> 15;
    x *= 2246822519u;
    x ^= x >> 13;
    return (double)(x % 20001u) / 10000.0 - 1.0 + (i == j ? (double)n : 0.0);
}

/* A = L U in place, L with ones on its diagonal, which are not stored. */
static inline void factor_diagonal(Block a)
{
    for (int k = 0; k < B; ++k)
        for (int i = k + 1; i < B; ++i) {
            a[i][k] /= a[k][k];
            for (int j = k + 1; j < B; ++j)
                a[i][j] -= a[i][k] * a[k][j];
        }
}

/* a = a U^-1, for a block below the diagonal one. */
static inline void solve_below(Block a, Block diagonal)
{
    for (int i = 0; i < B; ++i)
        for (int k = 0; k < B; ++k) {
            a[i][k] /= diagonal[k][k];
            for (int j = k + 1; j < B; ++j)
                a[i][j] -= a[i][k] * diagonal[k][j];
        }
}

/* a = L^-1 a, for a block to the right of the diagonal one. */
static inline void solve_right(Block a, Block diagonal)
{
    for (int k = 0; k < B; ++k)
        for (int i = k + 1; i < B; ++i)
            for (int j = 0; j < B; ++j)
                a[i][j] -= diagonal[i][k] * a[k][j];
}

/* c = c - l u */
static inline void update_interior(Block c, Block l, Block u)
{
    for (int i = 0; i < B; ++i)
        for (int k = 0; k < B; ++k)
            for (int j = 0; j < B; ++j)
                c[i][j] -= l[i][k] * u[k][j];
}

#endif
