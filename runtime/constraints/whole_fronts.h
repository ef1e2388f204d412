#ifndef POLYBODY_WHOLE_FRONTS_H
#define POLYBODY_WHOLE_FRONTS_H

/* Whole fronts: all degrees of freedom of an independent component with few of them. Their matrices have all
   columns, in whole blocks, and are factorised as in dense.h. */

#include "cost.h"
#include "factor.h"
#include "wide_rows.h"

/* Writes the positions of degrees of freedom within a front to `place`. */
static void place_dofs(const Constraints *c, int t)
{
    const Arena *a = &c->a;
    int n = 0;
    for (int k = a->begin[t]; k < a->begin[t + 1]; k++)
        for (int i = a->group_first[a->sequence[k]]; i < a->group_first[a->sequence[k] + 1]; i++)
            a->place[i] = n++;
    const int *members = a->member + a->clique_first[a->remains[t]];
    for (int k = 0; k < a->clique_count[a->remains[t]]; k++)
        for (int i = a->group_first[members[k]]; i < a->group_first[members[k] + 1]; i++)
            a->place[i] = n++;
}

/* Writes the degrees of freedom of a front, in their order, to `spot`. */
static void list_dofs(const Constraints *c, int t)
{
    const Arena *a = &c->a;
    int n = 0;
    for (int k = a->begin[t]; k < a->begin[t + 1]; k++)
        for (int i = a->group_first[a->sequence[k]]; i < a->group_first[a->sequence[k] + 1]; i++)
            a->spot[n++] = i;
    const int *members = a->member + a->clique_first[a->remains[t]];
    for (int k = 0; k < a->clique_count[a->remains[t]]; k++)
        for (int i = a->group_first[members[k]]; i < a->group_first[members[k] + 1]; i++)
            a->spot[n++] = i;
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
        if (c->a.front_blocks[t])
            close_whole(c, t);
}

/* Adds J^T C J of an elliptic contact to the lower triangle. */
static void add_whole_cone(const Constraints *c, real *matrix, int width, int first)
{
    const Arena *a = &c->a;
    const int *k = a->column + a->row_columns[first], n = a->row_count[first], dim = a->row_dim[first];
    real curvature[MOST_DIM * MOST_DIM];
    cone_curvature(c, first, a->row_residual, curvature);
    for (int x = 0; x < dim; x++)
        for (int y = 0; y < dim; y++) {
            const real *J = a->jacobian + a->row_first[first + x], *K = a->jacobian + a->row_first[first + y];
            for (int p = 0; p < n; p++)
                for (int q = 0; q <= p; q++)
                    matrix[width * a->place[k[p]] + a->place[k[q]]] += curvature[x * dim + y] * J[p] * K[q];
        }
}

/* Adds J^T D J of the quadratic rows of one constraint, given as wide rows, four at a time. */
INLINED void add_whole_constraint(const Constraints *c, int blocks, real *matrix, int first, const real *J)
{
    const Arena *a = &c->a;
    for (int r = 0, dim = a->row_dim[first]; r < dim; r += 4) {
        const int count = dim - r < 4 ? dim - r : 4;
        real weight[4], sum = 0;
        for (int k = 0; k < count; k++)
            sum += weight[k] = a->row_state[first + r + k] == QUADRATIC ? a->row_D[first + r + k] : 0;
        if (sum > 0)
            add_whole_rows(matrix, J + BLOCK * blocks * r, blocks, a->wide_mask[first], weight, count);
    }
}

/* Copies the factors of M, for a tree without rows. */
static void copy_factors(const Constraints *c, int t, int width, real *matrix)
{
    const Arena *a = &c->a;
    for (int i = a->front_dof[t]; i >= 0; i = a->dof_next[i]) {
        const real *L = c->d.qLD + c->m.M_rowadr[i];
        const int *k = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i];
        real *row = matrix + width * a->place[i];
        for (int j = 0; j < n; j++)
            row[a->place[k[j]]] = L[j];
        matrix[width * width + a->place[i]] = c->d.qLDiagInv[i];
    }
}

/* Computes the factors of a whole front with `blocks` blocks per row. */
INLINED void factorise_whole_blocks(Constraints *c, int blocks, int t, real *matrix)
{
    const Arena *a = &c->a;
    const int width = BLOCK * blocks;
    const real *J = a->wide + a->wide_first[t];
    for (int i = 0; i < width; i++)
        for (int b = 0; b < blocks && b <= i / BLOCK; b++)
            put_block(matrix + width * i + BLOCK * b, (Block){0});
    memset(matrix + width * width, 0, sizeof(real) * width);
    if (a->front_row[t] < 0 && !FACT(c, prescribed)) {
        copy_factors(c, t, width, matrix);
        return;
    }
    for (int i = a->front_dof[t]; i >= 0; i = a->dof_next[i]) {
        const real *M = c->d.qM + c->m.M_rowadr[i];
        const int *k = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i], own = a->place[i];
        real *row = matrix + width * own;
        for (int j = 0; j <= n; j++)
            row[a->place[k[j]]] = M[j];
        row[own] += c->m.dof_prescribed[i] > 0 ? HELD : c->m.opt_regularization[0];
    }
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first]) {
        add_whole_constraint(c, blocks, matrix, first, J);
        J += width * a->row_dim[first];
        if (a->row_type[first] == CONTACT_ELLIPTIC && a->row_state[first] == CONE)
            add_whole_cone(c, matrix, width, first);
    }
    factorise_blocks(matrix, blocks, a->width[t], a->closed + a->before[t], matrix + width * width);
}

static void factorise_whole(Constraints *c, int t)
{
    place_dofs(c, t);
    factorise_whole_blocks(c, SPLIT * c->a.front_blocks[t], t, c->a.panel + c->a.panel_first[t]);
}

INLINED void solve_whole_blocks(const Constraints *c, int blocks, const real *matrix, real *x)
{
    (void)c;
    solve_blocks(matrix, blocks, matrix + BLOCK * blocks * BLOCK * blocks, x);
}

/* x = (M + J^T H J)^-1 x for the degrees of freedom of a whole front. */
INLINED void solve_whole(const Constraints *c, int t, real *restrict x)
{
    const Arena *a = &c->a;
    const int width = a->width[t], *list = a->front_list + a->before[t];
    real own[MOST_LENGTH] = {0};
    for (int i = 0; i < width; i++)
        own[i] = x[list[i]];
    BY_COUNT(a->front_blocks[t], solve_whole_blocks, c, a->panel + a->panel_first[t], own);
    for (int i = 0; i < width; i++)
        x[list[i]] = own[i];
}

#endif
