#ifndef POLYBODY_FACTOR_H
#define POLYBODY_FACTOR_H

/* Factors of M + J^T D J.

   They are L^T D L, as for M, from the last degree of freedom to the first (Featherstone, Rigid Body Dynamics
   Algorithms, ch. 6.5). M has entries only between a degree of freedom and its ancestors. A row of J that
   couples branches adds others, stored as a bit mask per degree of freedom: the masks are closed under
   elimination in one backward sweep (Liu, The role of elimination trees in sparse factorization, 1990). Rows
   of the factor are stored in parts of PADDED columns, from the first nonzero part on, so that inner loops run
   over registers; zero parts are skipped. */

#include "solver/products.h"
#include "vec.h"

enum { MAX_BLOCKS = 6 };

/* --- the pattern of M + J^T D J ------------------------------------------------------------------------------------ */

static inline int lowest(uint64_t x) { return __builtin_ctzll(x); }
static inline int highest(uint64_t x) { return 63 - __builtin_clzll(x); }

/* The masks of M: each degree of freedom with its ancestors. Computed once per Model. */
static void find_tree(Constraints *c)
{
    const int words = FACT(c, words);
    uint64_t *tree = c->a.tree;
    for (int i = 0; i < FACT(c, nv); i++) {
        uint64_t *mask = tree + (long)i * words;
        const int parent = c->m.dof_parentid[i];
        if (parent >= 0)
            memcpy(mask, tree + (long)parent * words, sizeof(uint64_t) * words);
        mask[i >> 6] |= (uint64_t)1 << (i & 63);
    }
}

static inline int is_in(const uint64_t *mask, int i) { return mask[i >> 6] >> (i & 63) & 1; }

/* Whether the columns of a row are all on the path from the last one to the root. */
static int stays_on_path(const Constraints *c, int row)
{
    const int *k = c->a.column + c->a.row_columns[row], n = c->a.row_count[row];
    if (FACT(c, dense)) {
        const uint64_t own = c->a.row_mask[row];
        return !own || !(own & ~c->a.tree[highest(own)]);
    }
    if (n == 0)
        return 1;
    const uint64_t *mask = c->a.tree + (long)k[n - 1] * FACT(c, words);
    for (int j = 0; j < n; j++)
        if (!is_in(mask, k[j]))
            return 0;
    return 1;
}

/* Adds the fill of a row that couples branches: each column with those before it. */
static void join(Constraints *c, int row)
{
    const int *k = c->a.column + c->a.row_columns[row], n = c->a.row_count[row], words = FACT(c, words);
    if (FACT(c, dense)) {
        const uint64_t own = c->a.row_mask[row];
        for (uint64_t left = own; left; left &= left - 1)
            c->a.pattern[lowest(left)] |= own & ((left & -left) - 1);
        return;
    }
    for (int j = 1; j < n; j++) {
        uint64_t *mask = c->a.pattern + (long)k[j] * words;
        for (int l = 0; l < j; l++)
            mask[k[l] >> 6] |= (uint64_t)1 << (k[l] & 63);
    }
}

/* Closes the masks under elimination: the columns before k in row k are added to the row of the nearest of
   them. */
static void close_pattern(Constraints *c)
{
    const int words = FACT(c, words);
    for (int k = FACT(c, nv) - 1; k > 0; k--) {
        const uint64_t *mask = c->a.pattern + (long)k * words;
        int w = k >> 6;
        uint64_t left = mask[w] & (((uint64_t)1 << (k & 63)) - 1);
        while (!left && w > 0)
            left = mask[--w];
        if (!left)
            continue;
        uint64_t *next = c->a.pattern + (long)(64 * w + highest(left)) * words;
        for (int v = 0; v < w; v++)
            next[v] |= mask[v];
        next[w] |= left;
    }
}

/* Locations of the rows of the factor: start[i] is that of column 0, which may be before the beginning of the
   memory. */
static void place_rows(Constraints *c)
{
    long used = 0;
    if (FACT(c, dense)) { /* all blocks of all rows */
        for (int i = 0; i < FACT(c, nv); i++)
            c->a.start[i] = (int)((long)i * PADDED * FACT(c, blocks));
        c->need.hessian = (long)PADDED * PADDED * FACT(c, blocks) * FACT(c, blocks);
        return;
    }
    for (int i = 0; i < FACT(c, nv); i++) {
        const uint64_t *mask = c->a.pattern + (long)i * FACT(c, words);
        int w = 0;
        while (!mask[w])
            w++;
        const int first = (64 * w + lowest(mask[w])) / PADDED;
        c->a.start[i] = (int)(used - (long)first * PADDED);
        used += (long)(i / PADDED + 1 - first) * PADDED;
    }
    c->need.hessian = used;
    c->unlisted = 1;
}

/* The pattern for the current rows. */
static void find_pattern(Constraints *c)
{
    const Arena *a = &c->a;
    int coupled = 0;
    for (int i = 0; i < c->nefc; i += a->row_dim[i])
        if (!stays_on_path(c, i)) {
            if (!coupled)
                memcpy(a->pattern, a->tree, sizeof(uint64_t) * FACT(c, words) * FACT(c, nv));
            coupled = 1;
            join(c, i);
        }
    if (coupled)
        close_pattern(c);
    else if (c->coupled)
        memcpy(a->pattern, a->tree, sizeof(uint64_t) * FACT(c, words) * FACT(c, nv));
    if (!FACT(c, dense) && (coupled || c->coupled))
        place_rows(c);
    c->coupled = coupled;
}

/* --- M + J^T D J --------------------------------------------------------------------------------------------------- */

/* Lists the columns before i of each row i, and the blocks that hold them, ascending. */
static void list_pattern(Constraints *c)
{
    const Arena *a = &c->a;
    int above = 0, block = 0;
    c->scattered = 0;
    for (int i = 0; i < FACT(c, nv); i++) {
        const uint64_t *mask = a->pattern + (long)i * FACT(c, words);
        int last = -1;
        a->above_first[i] = above;
        a->block_first[i] = block;
        for (int w = 0; w <= i >> 6; w++)
            for (uint64_t left = mask[w]; left; left &= left - 1) {
                const int j = 64 * w + lowest(left);
                if (j / PADDED != last)
                    a->block[block++] = last = j / PADDED;
                if (j < i)
                    a->above[above++] = j;
            }
        a->above_count[i] = above - a->above_first[i];
        a->block_count[i] = block - a->block_first[i];
        c->scattered |= i / PADDED - a->block[a->block_first[i]] >= MAX_BLOCKS;
    }
    c->unlisted = 0;
}

/* matrix = M. */
static void copy_inertia(const Constraints *c, real *matrix)
{
    const Arena *a = &c->a;
    if (FACT(c, dense)) {
        copy_dense_inertia(c, BLOCKS(c), matrix);
        return;
    }
    memset(matrix, 0, sizeof(real) * c->need.hessian);
    for (int i = 0; i < FACT(c, nv); i++) {
        real *row = matrix + a->start[i];
        const real *M = c->d.qM + c->m.M_rowadr[i];
        const int *k = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i];
        for (int j = 0; j <= n; j++)
            row[k[j]] = M[j];
        row[i] += FACT(c, prescribed) && c->m.dof_prescribed[i] > 0 ? HELD : c->m.opt_regularization[0];
    }
}

/* matrix += scale x y^T, lower triangle, for rows x and y of J with the same columns; symmetric if x = y. */
static inline void add_product(const Constraints *c, real *matrix, int row, const real *x, const real *y, real scale)
{
    const int *k = c->a.column + c->a.row_columns[row], n = c->a.row_count[row];
    for (int i = 0; i < n; i++) {
        const real own = scale * x[i];
        real *to = matrix + c->a.start[k[i]];
        for (int j = 0; j <= i; j++)
            to[k[j]] += own * y[j];
    }
}

/* matrix += scale J^T J for a row of J; in whole blocks if rows span few blocks, and then entries to the
   right of the diagonal are undefined. */
INLINE void add_row(const Constraints *c, real *matrix, int row, real scale)
{
    const Arena *a = &c->a;
    const real *J = a->jacobian + a->row_first[row];
    const int *k = a->column + a->row_columns[row], n = a->row_count[row];
    real *whole = a->whole;
    if (n == 0)
        return;
    if (c->scattered) {
        add_product(c, matrix, row, J, J, scale);
        return;
    }
    const int first = k[0] / PADDED * PADDED;
    for (int i = 0; i < n; i++)
        whole[k[i]] = J[i];
    for (int i = 0; i < n; i++) {
        const real own = scale * J[i];
        real *to = matrix + a->start[k[i]];
        for (int j = first; j <= k[i]; j += BLOCK)
            put_block(to + j, block_of(to + j) + own * block_of(whole + j));
    }
    for (int i = 0; i < n; i++)
        whole[k[i]] = 0;
}

/* matrix += J^T D J for n rows of one constraint, at most four; rows with D = 0 are skipped. */
static void add_rows(const Constraints *c, real *matrix, int first, const real *weight, int n)
{
    if (FACT(c, dense)) {
        add_dense_rows(c, BLOCKS(c), matrix, first, weight, n);
        return;
    }
    for (int r = 0; r < n; r++)
        if (weight[r] != 0)
            add_row(c, matrix, first + r, weight[r]);
}

/* matrix += J^T C J for the n rows of an elliptic contact, with C (n, n) in row-major order, if rows are
   sparse. */
static void add_cone_rows(const Constraints *c, real *matrix, int first, const real *C, int n)
{
    const real *J = row_of(c, first);
    const int length = length_of_row(c, first);
    for (int p = 0; p < n; p++)
        for (int q = 0; q < n; q++)
            add_product(c, matrix, first, J + p * length, J + q * length, C[n * p + q]);
}

/* Prepares M for products and for sums with rows. */
static void prepare_inertia(const Constraints *c)
{
    if (FACT(c, dense))
        spread_inertia(c, BLOCKS(c), c->a.inertia);
}

/* The first block of row i. */
static inline int first_block(const Constraints *c, int i)
{
    const uint64_t *mask = c->a.pattern + (long)i * FACT(c, words);
    int w = 0;
    while (!mask[w])
        w++;
    return 8 * w + (lowest(mask[w]) >> 3);
}

/* The columns of a block before k that are nonzero in row k, as bits. */
static inline unsigned columns_of(const Constraints *c, int k, int block)
{
    const uint64_t *mask = c->a.pattern + (long)k * FACT(c, words);
    unsigned bits = (unsigned)(mask[block >> 3] >> 8 * (block & 7)) & 0xff;
    return block == k >> 3 ? bits & ((1u << (k & 7)) - 1) : bits;
}

/* Subtracts the outer product of row k with itself, divided by its pivot, from the rows in which it has
   entries, if it has `count` parts. Those rows begin no later than it does, since patterns are closed under
   elimination. Compilers instantiate it for each count. */
INLINE void eliminate(const Constraints *c, real *matrix, int k, int first, int count)
{
    real *row = matrix + c->a.start[k] + PADDED * first;
    const real pivot = row[k - PADDED * first], inverse = 1 / pivot;
    Block scaled[MAX_ROW];
    UNROLL(16)
    for (int b = 0; b < SPLIT * count; b++)
        scaled[b] = block_of(row + BLOCK * b) * inverse;
    UNROLL(16)
    for (int b = 0; b < count; b++) {
        unsigned left = columns_of(c, k, first + b);
        while (left) {
            const int i = PADDED * (first + b) + __builtin_ctz(left);
            const real f = row[i - PADDED * first];
            real *to = matrix + c->a.start[i] + PADDED * first;
            left &= left - 1;
            UNROLL(16)
            for (int j = 0; j < SPLIT * (b + 1); j++)
                put_block(to + BLOCK * j, block_of(to + BLOCK * j) - f * scaled[j]);
        }
    }
    UNROLL(16)
    for (int b = 0; b < SPLIT * count; b++)
        put_block(row + BLOCK * b, scaled[b]);
}

/* The same if its blocks are far apart, by the lists of the pattern. */
static void eliminate_listed(const Constraints *c, real *restrict matrix, int k)
{
    const Arena *a = &c->a;
    real *restrict row = matrix + a->start[k];
    const int *block = a->block + a->block_first[k], count = a->block_count[k];
    const int *above = a->above + a->above_first[k], n = a->above_count[k];
    const real pivot = row[k], inverse = 1 / pivot;
    for (int j = k; j < (k / PADDED + 1) * PADDED; j++)
        row[j] = 0;
    for (int b = 0; b < count; b++)
        for (int j = 0; j < PADDED; j++)
            row[PADDED * block[b] + j] *= inverse;
    for (int l = 0; l < n; l++) {
        const int i = above[l];
        const real f = row[i] * pivot;
        real *restrict to = matrix + a->start[i];
        for (int b = 0; b < count && block[b] <= i / PADDED; b++) {
            real *restrict t = to + PADDED * block[b];
            const real *restrict s = row + PADDED * block[b];
            INDEPENDENT
            for (int j = 0; j < PADDED; j++)
                t[j] -= f * s[j];
        }
    }
}

/* Factorises `matrix` in place: L to the left of the diagonal, zeros from the diagonal on; the reciprocals of
   D go to `pivot`. */
static void factorise(Constraints *c, real *matrix)
{
    if (FACT(c, dense)) {
        factorise_dense(c, BLOCKS(c), matrix);
        return;
    }
    for (int k = FACT(c, nv) - 1; k >= 0; k--) {
        const int first = first_block(c, k), count = c->scattered ? 0 : k / PADDED + 1 - first;
        real *row = matrix + c->a.start[k];
        c->a.pivot[k] = 1 / row[k];
        switch (count) {
        case 1: eliminate(c, matrix, k, first, 1); break;
        case 2: eliminate(c, matrix, k, first, 2); break;
        case 3: eliminate(c, matrix, k, first, 3); break;
        case 4: eliminate(c, matrix, k, first, 4); break;
        case 5: eliminate(c, matrix, k, first, 5); break;
        case 6: eliminate(c, matrix, k, first, 6); break;
        default: eliminate_listed(c, matrix, k);
        }
        for (int j = k; j < (k / PADDED + 1) * PADDED; j++)
            row[j] = 0; /* entries that are not part of L */
    }
}

/* x = (M + J^T D J)^-1 x from the factors, row by row. */
static void solve_listed(const Constraints *c, const real *restrict matrix, real *restrict x)
{
    const Arena *a = &c->a;
    for (int k = FACT(c, nv) - 1; k >= 0; k--) {
        const real *restrict row = matrix + a->start[k];
        const int *block = a->block + a->block_first[k], count = a->block_count[k];
        const real own = x[k];
        for (int b = 0; b < count; b++)
            for (int j = 0; j < PADDED; j++)
                x[PADDED * block[b] + j] -= own * row[PADDED * block[b] + j];
    }
    for (int k = 0; k < FACT(c, nv); k++) {
        const real *restrict row = matrix + a->start[k];
        const int *block = a->block + a->block_first[k], count = a->block_count[k];
        real sum[PADDED] = {0};
        for (int b = 0; b < count; b++)
            for (int j = 0; j < PADDED; j++)
                sum[j] += x[PADDED * block[b] + j] * row[PADDED * block[b] + j];
        const real total = ((sum[0] + sum[4]) + (sum[2] + sum[6])) + ((sum[1] + sum[5]) + (sum[3] + sum[7]));
        x[k] = x[k] * a->pivot[k] - total;
    }
}

/* Block b of row k; zeros if there is no such row or block. */
static inline const real *block_at(const Constraints *c, const real *matrix, int k, int b)
{
    return k < FACT(c, nv) && first_block(c, k) <= b ? matrix + c->a.start[k] + PADDED * b : c->a.whole;
}

/* x = (M + J^T D J)^-1 x from the factors, PADDED degrees of freedom at a time: within these elimination is
   scalar, elsewhere it is vectorised. */
static void solve_factors(Constraints *c, const real *matrix, real *x)
{
    const Arena *a = &c->a;
    const int last = (FACT(c, nv) - 1) / PADDED;
    if (FACT(c, dense)) {
        BY_BLOCKS(c, solve_dense, matrix, x);
        return;
    }
    for (int i = FACT(c, nv); i < PADDED * (last + 1); i++)
        x[i] = 0;
    if (c->scattered) {
        solve_listed(c, matrix, x);
        return;
    }
    for (int b = last; b >= 0; b--) {
        const int base = PADDED * b;
        real own[PADDED];
        UNROLL(16)
        for (int r = 0; r < PADDED; r++)
            own[r] = x[base + r];
        UNROLL(16)
        for (int r = PADDED - 1; r > 0; r--) {
            const real *row = block_at(c, matrix, base + r, b);
            UNROLL(16)
            for (int j = 0; j < r; j++)
                own[j] -= row[j] * own[r];
        }
        for (int d = 0; d < b; d++) {
            const real *row[PADDED];
            for (int r = 0; r < PADDED; r++)
                row[r] = block_at(c, matrix, base + r, d);
            UNROLL(16)
            for (int j = 0; j < PADDED; j += BLOCK) {
                Block sum = block_of(x + PADDED * d + j);
                UNROLL(16)
                for (int r = 0; r < PADDED; r++)
                    sum -= own[r] * block_of(row[r] + j);
                put_block(x + PADDED * d + j, sum);
            }
        }
        UNROLL(16)
        for (int r = 0; r < PADDED; r++)
            x[base + r] = own[r];
    }
    for (int b = 0; b <= last; b++) {
        const int base = PADDED * b, count = FACT(c, nv) - base < PADDED ? FACT(c, nv) - base : PADDED;
        real own[PADDED] = {0};
        for (int r = 0; r < count; r++) {
            const real *row = matrix + a->start[base + r];
            Block sum = {0};
            for (int j = PADDED * first_block(c, base + r); j < base; j += BLOCK)
                sum += block_of(x + j) * block_of(row + j);
            own[r] = x[base + r] * a->pivot[base + r] - sum_of(sum);
        }
        UNROLL(16)
        for (int r = 1; r < PADDED; r++) {
            const real *row = block_at(c, matrix, base + r, b);
            UNROLL(16)
            for (int j = 0; j < r; j++)
                own[r] -= row[j] * own[j];
        }
        UNROLL(16)
        for (int r = 0; r < PADDED; r++)
            x[base + r] = own[r];
    }
}

#endif
