#ifndef POLYBODY_DENSE_H
#define POLYBODY_DENSE_H

/* Vectors, and products with whole rows, for few degrees of freedom.

   Vectors over degrees of freedom and over rows are zero-padded to multiples of PADDED. Up to MAX_DENSE
   degrees of freedom, rows of J and of matrices store all columns, so that loops run over registers. Their
   length is the single number `blocks`, of registers: a constant in a program for one Model; otherwise loops
   are instantiated for each value. */

#include <string.h>
#include "rows/columns.h"
#include "registers.h"

/* Number of registers that a vector over degrees of freedom fills; in a program for one Model, without those that
   have only padding. */
#ifdef POLYBODY_PROGRAM
#define BLOCKS(c) ((POLYBODY_nv + BLOCK - 1) / BLOCK)
#else
#define BLOCKS(c) (SPLIT * FACT(c, blocks))
#endif
/* Numbers between rows that fill this many registers. */
#define WIDTH_OF(blocks) ((BLOCK * (blocks) + PADDED - 1) / PADDED * PADDED)
enum { MAX_LENGTH = 64, MAX_ROW = MAX_LENGTH / BLOCK }; /* of a whole row: in numbers, and in registers */
enum { MAX_ADDED = 8 }; /* rows added to a matrix at a time */

#ifdef POLYBODY_PROGRAM
#define BY_BLOCKS(c, name, ...) name(c, BLOCKS(c), __VA_ARGS__)
#else
#define BY_BLOCKS(c, name, ...) BY_COUNT((c)->blocks, name, c, __VA_ARGS__)
#endif
#define BY_COUNT(padded, name, c, ...) \
    switch (padded) { \
    case 1: name(c, 1 * SPLIT, __VA_ARGS__); break; \
    case 2: name(c, 2 * SPLIT, __VA_ARGS__); break; \
    case 3: name(c, 3 * SPLIT, __VA_ARGS__); break; \
    case 4: name(c, 4 * SPLIT, __VA_ARGS__); break; \
    case 5: name(c, 5 * SPLIT, __VA_ARGS__); break; \
    case 6: name(c, 6 * SPLIT, __VA_ARGS__); break; \
    case 7: name(c, 7 * SPLIT, __VA_ARGS__); break; \
    default: name(c, 8 * SPLIT, __VA_ARGS__); \
    }

/* --- vectors ------------------------------------------------------------------------------------------------------- */

INLINE real inner(const real *x, const real *y, int blocks)
{
    Block sum = {0};
    for (int b = 0; b < blocks; b++)
        sum += block_of(x + BLOCK * b) * block_of(y + BLOCK * b);
    return sum_of(sum);
}

INLINE void copy_blocks(real *to, const real *from, int blocks)
{
    for (int i = 0; i < BLOCK * blocks; i += BLOCK)
        put_block(to + i, block_of(from + i));
}

/* Copies a vector over degrees of freedom to a padded one. */
INLINE void load_dofs(const Constraints *c, real *to, const real *from)
{
    const int whole = FACT(c, nv) / BLOCK;
    copy_blocks(to, from, whole);
    for (int b = whole; b < BLOCKS(c); b++) {
        Block last = {0};
        for (int i = 0; i < BLOCK && BLOCK * b + i < FACT(c, nv); i++)
            last[i] = from[BLOCK * b + i];
        put_block(to + BLOCK * b, last);
    }
}

/* Copies a padded vector back. */
INLINE void store_dofs(const Constraints *c, real *to, const real *from)
{
    const int whole = FACT(c, nv) / BLOCK;
    copy_blocks(to, from, whole);
    for (int i = BLOCK * whole; i < FACT(c, nv); i++)
        to[i] = from[i];
}

/* Number of registers that hold all rows, and of rows with those of zeros that pad them. */
static inline int row_blocks(const Constraints *c) { return (c->nefc + BLOCK - 1) / BLOCK; }
static inline int padded_rows(const Constraints *c) { return (c->nefc + PADDED - 1) / PADDED * PADDED; }

/* --- rows of J ------------------------------------------------------------------------------------------------------ */

/* Stride between rows of J that have `columns` columns. */
static inline int row_stride(const Constraints *c, int columns) { return FACT(c, dense) ? PADDED * FACT(c, blocks) : columns; }

/* A row of J, the number of its entries, and their columns. */
static inline real *row_of(const Constraints *c, int i)
{
    return c->a.jacobian + (FACT(c, dense) ? (long)PADDED * FACT(c, blocks) * i : c->a.row_first[i]);
}

static inline int length_of_row(const Constraints *c, int i) { return FACT(c, dense) ? FACT(c, nv) : c->a.row_count[i]; }

static inline const int *columns_of_row(const Constraints *c, int i)
{
    return c->a.column + (FACT(c, dense) ? 0 : c->a.row_columns[i]); /* dense rows share a list */
}

/* --- J and M ------------------------------------------------------------------------------------------------------- */

/* y = J x, BLOCK rows at a time; padded rows are zero. */
INLINE void multiply_dense_rows(const Constraints *c, int blocks, const real *x, real *y)
{
    const real *J = c->a.jacobian;
    for (int i = 0; i < row_blocks(c); i++) {
        Block sum[BLOCK];
        UNROLL(16)
        for (int r = 0; r < BLOCK; r++) {
            sum[r] = block_of(J) * block_of(x);
            for (int b = 1; b < blocks; b++)
                sum[r] += block_of(J + BLOCK * b) * block_of(x + BLOCK * b);
            J += WIDTH_OF(blocks);
        }
        put_block(y + BLOCK * i, sums_of(sum));
    }
}

/* y = J^T f. */
INLINE void gather_dense_forces(const Constraints *c, int blocks, const real *f, real *y)
{
    Block sum[MAX_ROW] = {{0}};
    const real *J = c->a.jacobian;
    for (int i = 0; i < c->nefc; i++, J += WIDTH_OF(blocks))
        UNROLL(16)
            for (int b = 0; b < blocks; b++)
                sum[b] += f[i] * block_of(J + BLOCK * b);
    UNROLL(16)
    for (int b = 0; b < blocks; b++)
        put_block(y + BLOCK * b, sum[b]);
}

/* M with the regularisation, both triangles, to `inertia`. Entries between unrelated degrees of freedom
   remain 0. */
INLINE void spread_inertia(const Constraints *c, int blocks, real *restrict matrix)
{
    const int *column = c->m.M_colind;
    const real *restrict M = c->d.qM;
#ifdef POLYBODY_ENTRIES /* unrolled for the tree of one Model: row, column, position in qM */
    const real more = c->m.opt_regularization[0];
#define ENTRY(i, j, place) matrix[PADDED * POLYBODY_blocks * i + j] = matrix[PADDED * POLYBODY_blocks * j + i] = M[place];
#define DIAGONAL(i, place) matrix[(PADDED * POLYBODY_blocks + 1) * i] = M[place] + more;
    POLYBODY_ENTRIES(ENTRY, DIAGONAL)
    return;
#endif
    for (int i = 0; i < FACT(c, nv); i++) {
        const int n = c->m.dof_depth[i];
        real *row = matrix + WIDTH_OF(blocks) * i;
        for (int j = 0; j < n; j++) {
            row[column[j]] = M[j];
            matrix[WIDTH_OF(blocks) * column[j] + i] = M[j];
        }
        row[i] = M[n] + c->m.opt_regularization[0];
        column += n + 1;
        M += n + 1;
    }
}

/* y = M x. */
INLINE void multiply_dense_inertia(const Constraints *c, int blocks, const real *x, real *y)
{
    Block even[MAX_ROW] = {{0}}, odd[MAX_ROW] = {{0}};
    const real *row = c->a.inertia;
    int i = 0;
    for (; i + 2 <= FACT(c, nv); i += 2, row += 2 * WIDTH_OF(blocks))
        UNROLL(16)
        for (int b = 0; b < blocks; b++) {
            even[b] += x[i] * block_of(row + BLOCK * b);
            odd[b] += x[i + 1] * block_of(row + WIDTH_OF(blocks) + BLOCK * b);
        }
    UNROLL(16)
    for (int b = 0; b < blocks; b++) {
        if (i < FACT(c, nv))
            even[b] += x[i] * block_of(row + BLOCK * b);
        put_block(y + BLOCK * b, even[b] + odd[b]);
    }
}

/* --- M + J^T D J --------------------------------------------------------------------------------------------------- */

/* The lower triangle of M, in whole blocks. */
INLINE void copy_dense_inertia(const Constraints *c, int blocks, real *matrix)
{
    for (int i = 0; i < FACT(c, nv); i++) {
        const long at = (long)WIDTH_OF(blocks) * i;
        for (int b = 0; b <= i / BLOCK; b++)
            put_block(matrix + at + BLOCK * b, block_of(c->a.inertia + at + BLOCK * b));
        if (FACT(c, prescribed) && c->m.dof_prescribed[i] > 0)
            matrix[at + i] += HELD - c->m.opt_regularization[0];
    }
}

/* matrix += J^T D J for n consecutive rows of J with the columns in `mask`; `weight` is D of each row.
   Entries to the right of the diagonal are undefined. */
INLINE void add_some_rows(real *matrix, const real *J, int blocks, uint64_t mask, const real *weight, int n)
{
    real scaled[MAX_ADDED * MAX_LENGTH];
    const int width = WIDTH_OF(blocks);
    UNROLL(16)
    for (int r = 0; r < n; r++)
        for (int b = 0; b < BLOCK * blocks; b += BLOCK)
            put_block(scaled + MAX_LENGTH * r + b, weight[r] * block_of(J + width * r + b));
    for (int b = 0; b < blocks; b++) {
        Block own[MAX_ADDED];
        if (!(mask >> BLOCK * b & ((1u << BLOCK) - 1)))
            continue;
        UNROLL(16)
        for (int r = 0; r < n; r++)
            own[r] = block_of(J + width * r + BLOCK * b);
        for (uint64_t left = mask >> BLOCK * b << BLOCK * b; left; left &= left - 1) {
            const int i = __builtin_ctzll(left);
            real *to = matrix + width * i + BLOCK * b;
            Block sum = block_of(to);
            UNROLL(16)
            for (int r = 0; r < n; r++)
                sum += scaled[MAX_LENGTH * r + i] * own[r];
            put_block(to, sum);
        }
    }
}

/* The same for a number of rows, at most MAX_ADDED, that is not a compile-time constant. */
INLINE void add_whole_rows(real *matrix, const real *J, int blocks, uint64_t mask, const real *weight, int n)
{
    if (n == MAX_ADDED) {
        add_some_rows(matrix, J, blocks, mask, weight, MAX_ADDED);
        return;
    }
    if (n >= 4)
        add_some_rows(matrix, J, blocks, mask, weight, 4);
    J += n >= 4 ? 4 * WIDTH_OF(blocks) : 0;
    weight += n & 4;
    switch (n & 3) {
    case 1: add_some_rows(matrix, J, blocks, mask, weight, 1); break;
    case 2: add_some_rows(matrix, J, blocks, mask, weight, 2); break;
    case 3: add_some_rows(matrix, J, blocks, mask, weight, 3); break;
    default: break;
    }
}

INLINE void add_dense_rows(const Constraints *c, int blocks, real *matrix, int first, const real *weight, int n)
{
    add_whole_rows(matrix, c->a.jacobian + (long)WIDTH_OF(blocks) * first, blocks, c->a.row_mask[first], weight, n);
}

/* Subtracts the outer product of row k with itself, divided by its pivot, from the rows in which it has
   entries; it has `count` blocks. */
INLINE void eliminate_dense(real *matrix, int blocks, uint64_t mask, int k, int count)
{
    real *row = matrix + WIDTH_OF(blocks) * k;
    const real inverse = 1 / row[k];
    Block scaled[MAX_ROW];
    UNROLL(16)
    for (int b = 0; b < count; b++)
        scaled[b] = block_of(row + BLOCK * b) * inverse;
    UNROLL(16)
    for (int b = 0; b < count; b++) {
        unsigned left = mask >> BLOCK * b & ((1u << BLOCK) - 1);
        for (; left; left &= left - 1) {
            const int i = BLOCK * b + __builtin_ctz(left);
            const real f = row[i];
            real *to = matrix + WIDTH_OF(blocks) * i;
            UNROLL(16)
            for (int j = 0; j <= b; j++)
                put_block(to + BLOCK * j, block_of(to + BLOCK * j) - f * scaled[j]);
        }
    }
    UNROLL(16)
    for (int b = 0; b < count; b++)
        put_block(row + BLOCK * b, scaled[b]);
}

/* Factorises a matrix of n rows in place: L to the left of the diagonal, zeros from the diagonal on; the
   reciprocals of D go to `pivot`. `pattern` has the nonzero columns of every row, closed under
   elimination. */
INLINE void factorise_blocks(real *matrix, int blocks, int n, const uint64_t *pattern, real *pivot)
{
    for (int k = n - 1; k >= 0; k--) {
        const uint64_t mask = pattern[k] & (((uint64_t)1 << k) - 1);
        real *row = matrix + WIDTH_OF(blocks) * k;
        pivot[k] = 1 / row[k];
#define CASE(n) case n: if (MAX_ROW >= n && blocks >= n) eliminate_dense(matrix, blocks, mask, k, n); break;
        switch (k / BLOCK + 1) {
            CASE(1) CASE(2) CASE(3) CASE(4) CASE(5) CASE(6) CASE(7) CASE(8)
            CASE(9) CASE(10) CASE(11) CASE(12) CASE(13) CASE(14) CASE(15)
        default: if (MAX_ROW > 15 && blocks > 15) eliminate_dense(matrix, blocks, mask, k, k / BLOCK + 1);
        }
#undef CASE
        for (int j = k; j < (k / BLOCK + 1) * BLOCK; j++)
            row[j] = 0; /* entries that are not part of L */
    }
}

INLINE void factorise_dense(Constraints *c, int blocks, real *matrix)
{
    factorise_blocks(matrix, blocks, FACT(c, nv), c->a.pattern, c->a.pivot);
}

/* x = (M + J^T D J)^-1 x from the factors, BLOCK degrees of freedom at a time: within a block elimination is
   scalar, on all other blocks it is vectorised. Rows beyond the last degree of freedom are zero. */
INLINE void solve_blocks(const real *matrix, int blocks, const real *pivot, real *x)
{
    const int width = WIDTH_OF(blocks);
    UNROLL(16)
    for (int b = blocks - 1; b >= 0; b--) {
        const real *rows = matrix + (long)width * BLOCK * b;
        real own[BLOCK];
        UNROLL(16)
        for (int r = 0; r < BLOCK; r++)
            own[r] = x[BLOCK * b + r];
        UNROLL(16)
        for (int r = BLOCK - 1; r > 0; r--)
            UNROLL(16)
            for (int j = 0; j < r; j++)
                own[j] -= rows[width * r + BLOCK * b + j] * own[r];
        UNROLL(16)
        for (int d = 0; d < b; d++) {
            Block sum = block_of(x + BLOCK * d);
            UNROLL(16)
            for (int r = 0; r < BLOCK; r++)
                sum -= own[r] * block_of(rows + width * r + BLOCK * d);
            put_block(x + BLOCK * d, sum);
        }
        put_block(x + BLOCK * b, block_from(own));
    }
    UNROLL(16)
    for (int b = 0; b < blocks; b++) {
        const real *rows = matrix + (long)width * BLOCK * b;
        Block sum[BLOCK], rest = block_of(x + BLOCK * b) * block_of(pivot + BLOCK * b);
        real own[BLOCK];
        if (b) {
            UNROLL(16)
            for (int r = 0; r < BLOCK; r++) {
                sum[r] = block_of(x) * block_of(rows + width * r);
                UNROLL(16)
                for (int d = 1; d < b; d++)
                    sum[r] += block_of(x + BLOCK * d) * block_of(rows + width * r + BLOCK * d);
            }
            rest -= sums_of(sum);
        }
        put_block(own, rest);
        UNROLL(16)
        for (int r = 1; r < BLOCK; r++)
            UNROLL(16)
            for (int j = 0; j < r; j++)
                own[r] -= rows[width * r + BLOCK * b + j] * own[j];
        put_block(x + BLOCK * b, block_from(own));
    }
}

INLINE void solve_dense(const Constraints *c, int blocks, const real *matrix, real *x)
{
    solve_blocks(matrix, blocks, c->a.pivot, x);
}

#endif
