#ifndef POLYBODY_PACKED_ROWS_H
#define POLYBODY_PACKED_ROWS_H

/* Sparse rows of J for conjugate gradients, which multiply by J and J^T in every iteration: each run of consecutive
   columns, such as those of a body, is stored as packs of four numbers, padded with zeros.

   For products with J^T the packs are also listed by their first column: sums stay in registers, where adding row by
   row would wait for the previous row, which often acts on the same degrees of freedom. */

#include "solver/dense.h"

enum { WIDE = 4, SHORT = BLOCK < WIDE ? BLOCK : WIDE };

typedef real Short __attribute__((vector_size(SHORT * sizeof(real)), aligned(8), may_alias));
typedef struct { Short part[WIDE / SHORT]; } Wide;

static inline int packs_rows(const Constraints *c)
{
    return FACT(c, solver) == SOLVER_CG && !FACT(c, dense) && !FACT(c, multifrontal);
}

/* y += f x. */
INLINE void add_wide(Wide *y, Wide f, const real *x)
{
    UNROLL(16)
    for (int p = 0; p < WIDE / SHORT; p++)
        y->part[p] += f.part[p] * *(const Short *)(x + SHORT * p);
}

INLINE Wide same_wide(real x)
{
    Wide y;
    UNROLL(16)
    for (int p = 0; p < WIDE / SHORT; p++)
        y.part[p] = x - (Short){0};
    return y;
}

INLINE Wide wide_of(const real *x)
{
    Wide y;
    UNROLL(16)
    for (int p = 0; p < WIDE / SHORT; p++)
        y.part[p] = *(const Short *)(x + SHORT * p);
    return y;
}

INLINE void put_wide(real *x, Wide y)
{
    UNROLL(16)
    for (int p = 0; p < WIDE / SHORT; p++)
        *(Short *)(x + SHORT * p) = y.part[p];
}

/* Number of consecutive columns at the beginning of a list, at most WIDE. */
static inline int length_of_run(const int *k, int n)
{
    int length = 1;
    while (length < n && length < WIDE && k[length] == k[0] + length)
        length++;
    return length;
}

/* The places of the packs of all rows; `need` gets their number. */
static void place_packs(Constraints *c)
{
    const Arena *a = &c->a;
    long used = 0;
    for (int i = 0; i < c->nefc; i += a->row_dim[i]) {
        const int *k = a->column + a->row_columns[i], n = a->row_count[i];
        int count = 0;
        for (int j = 0; j < n; j += length_of_run(k + j, n - j))
            count++;
        for (int r = 0; r < a->row_dim[i]; r++, used += count) {
            a->pack_first[i + r] = (int)used;
            a->pack_count[i + r] = count;
        }
    }
    c->need.pack = used;
}

/* Fills in the packs from J, and lists them by their columns. */
static void pack_rows(const Constraints *c)
{
    const Arena *a = &c->a;
    const int nv = FACT(c, nv);
    int *first = a->listed_first;
    memset(first, 0, sizeof(int) * (nv + 1));
    for (int i = 0; i < c->nefc; i++) {
        const real *J = a->jacobian + a->row_first[i];
        const int *k = a->column + a->row_columns[i], n = a->row_count[i];
        int at = a->pack_first[i];
        for (int j = 0, length; j < n; j += length, at++) {
            real *to = a->pack + WIDE * at;
            length = length_of_run(k + j, n - j);
            a->pack_column[at] = k[j];
            first[k[j] + 1]++;
            put_wide(to, same_wide(0));
            for (int e = 0; e < length; e++)
                to[e] = J[j + e];
        }
    }
    for (int k = 0; k < nv; k++) {
        first[k + 1] += first[k];
        a->listed_next[k] = first[k];
    }
    for (int i = 0; i < c->nefc; i++)
        for (int at = a->pack_first[i], end = at + a->pack_count[i]; at < end; at++) {
            const int to = a->listed_next[a->pack_column[at]]++;
            a->listed_pack[to] = at;
            a->listed_row[to] = i;
        }
}

/* y = J x of some rows. */
INLINE void multiply_packs(const Constraints *c, int begin, int end, const real *restrict x, real *restrict y)
{
    const Arena *a = &c->a;
    for (int i = begin; i < end; i++) {
        const int from = a->pack_first[i], to = from + a->pack_count[i];
        Wide sum = same_wide(0);
        for (int at = from; at < to; at++)
            add_wide(&sum, wide_of(a->pack + WIDE * at), x + a->pack_column[at]);
        real own[WIDE];
        put_wide(own, sum);
        y[i] = (own[0] + own[2]) + (own[1] + own[3]);
    }
}

/* y = J^T f for some degrees of freedom, those of whole trees. The vector y is padded. */
INLINE void gather_packs(const Constraints *c, int begin, int end, const real *restrict f, real *restrict y)
{
    const Arena *a = &c->a;
    for (int k = begin; k < end; k++)
        y[k] = 0;
    for (int k = begin; k < end; k++) {
        const int from = a->listed_first[k], to = a->listed_first[k + 1];
        if (from == to)
            continue;
        Wide sum = same_wide(0);
        for (int at = from; at < to; at++)
            add_wide(&sum, same_wide(f[a->listed_row[at]]), a->pack + WIDE * a->listed_pack[at]);
        real own[WIDE];
        put_wide(own, sum);
        UNROLL(16)
        for (int e = 0; e < WIDE; e++)
            y[k + e] += own[e];
    }
}

#endif
