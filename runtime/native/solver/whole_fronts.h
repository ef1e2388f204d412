#ifndef POLYBODY_WHOLE_FRONTS_H
#define POLYBODY_WHOLE_FRONTS_H

/* Whole fronts: all degrees of freedom of an independent component with few of them. Their matrices have all
   columns, in whole blocks, and are factorised as in dense.h. */

#include "solver/cost.h"
#include "solver/factor.h"
#include "rows/wide_rows.h"

/* Writes the positions of the elements of M within the matrix of a whole front to `M_place`. If those on the
   diagonal are known, so are the others. */
static void place_inertia(const Constraints *c, int t)
{
    const Arena *a = &c->a;
    const int *list = a->front_list + a->before[t], stride = PADDED * a->front_blocks[t];
    int known = 1;
    for (int n = 0; n < a->width[t]; n++)
        known &= a->M_place[c->m.M_rowadr[list[n]] + c->m.dof_depth[list[n]]] == (stride + 1) * n;
    for (int n = 0; n < a->width[t] && !known; n++)
        for (int j = 0, at = c->m.M_rowadr[list[n]]; j <= c->m.dof_depth[list[n]]; j++, at++)
            a->M_place[at] = stride * n + a->place[c->m.M_colind[at]];
}

/* Writes the columns of each row of a whole front, closed under elimination, to `closed`. Those of M are
   closed. */
static void close_whole(const Constraints *c, int t)
{
    const Arena *a = &c->a;
    uint64_t *mask = a->closed + a->before[t];
    const int *list = a->front_list + a->before[t], width = a->width[t];
    int joined = 0;
    for (int n = 0, first = 0; n < width; n++) {
        first = c->m.dof_parentid[list[n]] < 0 ? n : first; /* of its tree, which is entirely in the front */
        mask[n] = a->tree_mask[list[n]] << first;
    }
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first]) {
        const uint64_t own = a->wide_mask[first];
        if (!(own & ~mask[highest(own)]))
            continue;
        joined = 1;
        for (uint64_t left = own; left; left &= left - 1)
            mask[lowest(left)] |= own & ((left & -left) - 1);
    }
    for (int k = joined ? width - 1 : 0; k > 0; k--) {
        const uint64_t left = mask[k] & (((uint64_t)1 << k) - 1);
        if (left)
            mask[highest(left)] |= left;
    }
}

/* Computes the patterns of all whole fronts, after their rows are known. */
static void close_whole_fronts(const Constraints *c)
{
    for (int t = 0; t < c->joined_fronts; t++)
        if (c->a.front_blocks[t]) {
            place_inertia(c, t);
            close_whole(c, t);
        }
}

/* Adds J^T C J of an elliptic contact to the lower triangle. */
static void add_whole_cone(const Constraints *c, real *matrix, int width, int first)
{
    const Arena *a = &c->a;
    const int *k = a->column + a->row_columns[first], n = a->row_count[first], dim = a->row_dim[first];
    real curvature[MAX_DIM * MAX_DIM];
    cone_curvature(c, first, a->row_residual, curvature);
    for (int x = 0; x < dim; x++)
        for (int y = 0; y < dim; y++) {
            const real *J = a->jacobian + a->row_first[first + x], *K = a->jacobian + a->row_first[first + y];
            for (int p = 0; p < n; p++)
                for (int q = 0; q <= p; q++)
                    matrix[width * a->place[k[p]] + a->place[k[q]]] += curvature[x * dim + y] * J[p] * K[q];
        }
}

/* Adds J^T D J of the quadratic rows of a whole front; rows with the same columns are added together. */
INLINE void add_front_rows(const Constraints *c, int blocks, int t, real *matrix)
{
    const Arena *a = &c->a;
    const real *J = a->wide + a->wide_first[t];
    real weight[MAX_ADDED], sum = 0;
    int n = 0;
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first]) {
        const int next = a->row_next[first], end = first + a->row_dim[first];
        const uint64_t mask = a->wide_mask[first];
        for (int i = first; i < end; i++) {
            sum += weight[n++] = a->row_state[i] == ROW_STATE_QUADRATIC ? a->row_D[i] : 0;
            if (n < MAX_ADDED && (i + 1 < end || (next >= 0 && a->wide_mask[next] == mask)))
                continue;
            if (sum > 0)
                add_whole_rows(matrix, J, blocks, mask, weight, n);
            J += BLOCK * blocks * n;
            n = 0;
            sum = 0;
        }
    }
}

/* Copies the elements of a matrix with M's pattern to the rows of a whole front. Those of consecutive degrees of
   freedom are consecutive. */
static void copy_by_place(const Constraints *c, int t, const real *from, real *matrix)
{
    const Arena *a = &c->a;
    const int *list = a->front_list + a->before[t], width = a->width[t], *place = a->M_place;
    for (int n = 0, end; n < width; n = end) {
        for (end = n + 1; end < width && list[end] == list[end - 1] + 1;)
            end++;
        const int last = c->m.M_rowadr[list[end - 1]] + c->m.dof_depth[list[end - 1]];
        INDEPENDENT
        for (int k = c->m.M_rowadr[list[n]]; k <= last; k++)
            matrix[place[k]] = from[k];
    }
}

/* Computes the factors of a whole front with `blocks` blocks per row; those of M if it has no rows. */
INLINE void factorise_whole_blocks(Constraints *c, int blocks, int t, real *matrix)
{
    const Arena *a = &c->a;
    const int width = BLOCK * blocks, *list = a->front_list + a->before[t];
    const int whole = a->front_row[t] >= 0 || FACT(c, prescribed);
    real *pivot = matrix + width * width;
    for (int i = 0; i < width; i += PADDED)
        for (int j = 0; j < i + PADDED; j += BLOCK)
            UNROLL(16)
            for (int r = 0; r < PADDED; r++)
                put_block(matrix + width * (i + r) + j, (Block){0});
    memset(pivot, 0, sizeof(real) * width);
    copy_by_place(c, t, whole ? c->d.qM : c->d.qLD, matrix);
    for (int n = 0; n < a->width[t]; n++) {
        real *diagonal = matrix + (width + 1) * n;
        if (whole) {
            *diagonal += c->m.dof_prescribed[list[n]] > 0 ? HELD : c->m.opt_regularization[0];
        } else {
            *diagonal = 0;
            pivot[n] = c->d.qLDiagInv[list[n]];
        }
    }
    if (!whole)
        return;
    add_front_rows(c, blocks, t, matrix);
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first])
        if (a->row_type[first] == ROW_CONTACT_ELLIPTIC && a->row_state[first] == ROW_STATE_CONE)
            add_whole_cone(c, matrix, width, first);
    factorise_blocks(matrix, blocks, a->width[t], a->closed + a->before[t], pivot);
}

static void factorise_whole(Constraints *c, int t)
{
    factorise_whole_blocks(c, SPLIT * c->a.front_blocks[t], t, c->a.panel + c->a.panel_first[t]);
}

INLINE void solve_whole_blocks(const Constraints *c, int blocks, const real *matrix, real *x)
{
    (void)c;
    solve_blocks(matrix, blocks, matrix + BLOCK * blocks * BLOCK * blocks, x);
}

/* x = (M + J^T H J)^-1 x for the degrees of freedom of a whole front. */
INLINE void solve_whole(const Constraints *c, int t, real *restrict x)
{
    const Arena *a = &c->a;
    const int width = a->width[t], *list = a->front_list + a->before[t];
    real own[MAX_LENGTH] = {0};
    for (int i = 0; i < width; i++)
        own[i] = x[list[i]];
    BY_COUNT(a->front_blocks[t], solve_whole_blocks, c, a->panel + a->panel_first[t], own);
    for (int i = 0; i < width; i++)
        x[list[i]] = own[i];
}

#endif
