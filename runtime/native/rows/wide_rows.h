#ifndef POLYBODY_WIDE_ROWS_H
#define POLYBODY_WIDE_ROWS_H

/* Wide rows: rows of J that act only on the degrees of freedom of one whole front (see whole_fronts.h). They are stored front by
   front, with all columns of the front, padded to whole blocks, so that products with J and sums of J^T D J use vector
   instructions. Rows of other fronts are narrow: they remain sparse. */

#include "solver/front_order.h"
#include "solver/products.h"

/* Lists the degrees of freedom and the rows of a whole front, and sets the columns of each constraint in `wide_mask`. */
static void list_whole_front(const Constraints *c, int t, int placed)
{
    const Arena *a = &c->a;
    place_front(c, t, a->front_list + a->before[t]);
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first]) {
        const int *k = a->column + a->row_columns[first];
        uint64_t mask = 0;
        for (int q = 0; q < a->row_count[first]; q++)
            mask |= (uint64_t)1 << a->place[k[q]];
        a->wide_mask[first] = mask;
        for (int r = 0; r < a->row_dim[first]; r++)
            a->wide_row[placed++] = first + r;
    }
}

/* Lists wide and narrow rows. The fronts of all rows must be known. */
static void list_wide_rows(Constraints *c)
{
    const Arena *a = &c->a;
    long used = 0;
    int placed = 0;
    c->narrow = 0;
    for (int i = 0; i < c->nefc; i += a->row_dim[i])
        if (a->row_count[i] == 0)
            a->narrow_row[c->narrow++] = i;
    for (int t = 0; t < c->joined_fronts; t++) {
        const int blocks = a->front_blocks[t], begin = placed;
        a->wide_begin[t] = begin;
        a->wide_first[t] = (int)used;
        for (int first = a->front_row[t]; first >= 0; first = a->row_next[first])
            if (blocks)
                placed += a->row_dim[first];
            else
                a->narrow_row[c->narrow++] = first;
        if (blocks)
            list_whole_front(c, t, begin);
        used += (long)(placed - begin + PADDED - 1) / PADDED * PADDED * PADDED * blocks;
    }
    a->wide_begin[c->joined_fronts] = placed;
    c->need.wide = used;
}

/* Copies the rows of a front from J to its wide rows. The other elements stay zero while the columns of all rows are the same. */
static void spread_rows(const Constraints *c, int t)
{
    const Arena *a = &c->a;
    const int width = PADDED * a->front_blocks[t];
    const int rows = (a->wide_begin[t + 1] - a->wide_begin[t] + PADDED - 1) / PADDED * PADDED;
    real *to = a->wide + a->wide_first[t];
    if (c->unspread)
        memset(to, 0, sizeof(real) * rows * width);
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first]) {
        const real *J = a->jacobian + a->row_first[first];
        const int *k = a->column + a->row_columns[first], n = a->row_count[first], dim = a->row_dim[first];
        for (int q = 0; q < n; q++) {
            real *column = to + a->place[k[q]];
            for (int r = 0; r < dim; r++)
                column[width * r] = J[n * r + q];
        }
        to += width * dim;
    }
}

static void spread_all_rows(const Constraints *c)
{
    for (int t = 0; t < c->joined_fronts; t++)
        if (c->a.front_blocks[t] && c->a.front_row[t] >= 0)
            spread_rows(c, t);
}

/* y = J x of the wide rows of a front, BLOCK at a time. */
INLINE void multiply_wide_blocks(const Constraints *c, int blocks, int t, const real *x, real *y)
{
    const Arena *a = &c->a;
    const int *list = a->front_list + a->before[t], *row = a->wide_row + a->wide_begin[t];
    const int rows = a->wide_begin[t + 1] - a->wide_begin[t];
    const real *J = a->wide + a->wide_first[t];
    real own[MAX_LENGTH] = {0}, found[BLOCK];
    for (int n = 0; n < a->width[t]; n++)
        own[n] = x[list[n]];
    for (int i = 0; i < rows; i += BLOCK, row += BLOCK) {
        Block sum[BLOCK];
        UNROLL(16)
        for (int r = 0; r < BLOCK; r++) {
            sum[r] = block_of(J) * block_of(own);
            UNROLL(16)
            for (int b = 1; b < blocks; b++)
                sum[r] += block_of(J + BLOCK * b) * block_of(own + BLOCK * b);
            J += BLOCK * blocks;
        }
        put_block(found, sums_of(sum));
        for (int r = 0; r < BLOCK && i + r < rows; r++)
            y[row[r]] = found[r];
    }
}

/* y += J^T f of the wide rows of a front. */
INLINE void gather_wide_blocks(const Constraints *c, int blocks, int t, const real *f, real *y)
{
    const Arena *a = &c->a;
    const int *list = a->front_list + a->before[t];
    const real *J = a->wide + a->wide_first[t];
    Block sum[MAX_ROW] = {{0}};
    real own[MAX_LENGTH];
    for (int i = a->wide_begin[t]; i < a->wide_begin[t + 1]; i++, J += BLOCK * blocks) {
        const real force = f[a->wide_row[i]];
        if (force == 0)
            continue;
        UNROLL(16)
        for (int b = 0; b < blocks; b++)
            sum[b] += force * block_of(J + BLOCK * b);
    }
    UNROLL(16)
    for (int b = 0; b < blocks; b++)
        put_block(own + BLOCK * b, sum[b]);
    for (int n = 0; n < a->width[t]; n++)
        y[list[n]] += own[n];
}

/* y = J x of all rows. */
INLINE void multiply_by_fronts(const Constraints *c, const real *x, real *y)
{
    const Arena *a = &c->a;
    for (int k = 0; k < c->narrow; k++) {
        const int first = a->narrow_row[k];
        const Range own = {first, first + a->row_dim[first]};
        multiply_row_range(c, own, x, y);
    }
    for (int t = 0; t < c->joined_fronts; t++)
        if (a->wide_begin[t] < a->wide_begin[t + 1])
            BY_COUNT(a->front_blocks[t], multiply_wide_blocks, c, t, x, y);
}

/* y += J^T f of all rows. */
INLINE void gather_by_fronts(const Constraints *c, const real *f, real *y)
{
    const Arena *a = &c->a;
    for (int k = 0; k < c->narrow; k++) {
        const int first = a->narrow_row[k];
        const Range own = {first, first + a->row_dim[first]};
        gather_row_range(c, own, f, y);
    }
    for (int t = 0; t < c->joined_fronts; t++)
        if (a->wide_begin[t] < a->wide_begin[t + 1])
            BY_COUNT(a->front_blocks[t], gather_wide_blocks, c, t, f, y);
}

#endif
