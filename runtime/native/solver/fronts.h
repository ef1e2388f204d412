#ifndef POLYBODY_FRONTS_H
#define POLYBODY_FRONTS_H

/* Factors of M + J^T D J for many degrees of freedom: the multifrontal method (Duff, Reid, The multifrontal
   solution of indefinite sparse symmetric linear equations, 1983), in the order computed by front_order.h. */

#include "solver/cost.h"
#include "solver/factor.h"
#include "solver/front_order.h"
#include "solver/whole_fronts.h"

/* Computes the fronts for the current rows; returns whether there was space. */
static int find_fronts(Constraints *c)
{
    if (c->nefc == 0) {
        c->known_rows = -1;
        c->joined_fronts = c->narrow = 0;
        return 1;
    }
    const int known = has_known_columns(c);
    if (!known) {
        c->known_rows = -1;
        c->unspread = 1;
        if (!find_cliques(c))
            return 0;
        c->need.listed = 0;
        for (int e = 0; e < c->cliques; e++)
            c->need.listed += c->a.clique_count[e];
        if (c->need.listed > c->have.listed)
            return 0;
        list_cliques(c);
        if (!order_groups(c))
            return 0;
        find_post_order(c);
        join_fronts(c);
        size_fronts(c);
        c->known_rows = c->nefc;
        place_in_fronts(c);
        list_wide_rows(c);
        close_whole_fronts(c);
    }
    if (c->need.panel > c->have.panel || c->need.square > c->have.square || c->need.stack > c->have.stack ||
        c->need.wide > c->have.wide)
        return 0;
    spread_all_rows(c);
    c->unspread = 0;
    return 1;
}

enum { NEAR = 8 }; /* rows whose columns span less than this multiple of their number are added by blocks */

/* Add a number to the upper triangle of a front. */
static inline void add_to_front(real *front, int width, int i, int j, real x)
{
    front[i < j ? (long)i * width + j : (long)j * width + i] += x;
}

/* Quadratic rows of one constraint, at most TOGETHER at a time. */
enum { TOGETHER = 4 };
typedef struct { const real *J[TOGETHER]; real D[TOGETHER]; int n; } Quadratics;

/* Adds J^T D J of some rows with the same n columns to the upper triangle of a front, entry by entry. */
INLINE void add_scattered(real *front, int width, const Quadratics *rows, const int *place, const int *column, int n)
{
    for (int p = 0; p < n; p++) {
        real own[TOGETHER];
        const int row = place[column[p]];
        for (int r = 0; r < rows->n; r++)
            own[r] = rows->D[r] * rows->J[r][p];
        for (int q = 0; q <= p; q++) {
            real sum = 0;
            for (int r = 0; r < rows->n; r++)
                sum += own[r] * rows->J[r][q];
            add_to_front(front, width, row, place[column[q]], sum);
        }
    }
}

/* The same in whole blocks, for columns near each other: rows are spread over the columns of the front, to
   `spread`, which is zero before and after. Blocks may extend beyond the last column, where they add
   zeros. */
INLINE void add_near(real *front, int width, const Quadratics *rows, const int *place, const int *column, int n, int last,
                      real *spread)
{
    const int stride = width + PADDED;
    for (int r = 0; r < TOGETHER; r++)
        for (int q = 0; r < rows->n && q < n; q++)
            spread[stride * r + place[column[q]]] = rows->J[r][q];
    for (int p = 0; p < n; p++) {
        const int row = place[column[p]];
        real own[TOGETHER] = {0};
        for (int r = 0; r < rows->n; r++)
            own[r] = rows->D[r] * rows->J[r][p];
        real *to = front + (long)row * width;
        for (int j = row; j <= last; j += BLOCK) {
            Block sum = block_of(to + j);
            UNROLL(16)
            for (int r = 0; r < TOGETHER; r++)
                sum += own[r] * block_of(spread + stride * r + j);
            put_block(to + j, sum);
        }
    }
    for (int r = 0; r < rows->n; r++)
        for (int q = 0; q < n; q++)
            spread[stride * r + place[column[q]]] = 0;
}

/* Adds the contributions of the rows of M and J to a front. */
static void add_rows_to_front(const Constraints *c, int t, real *front, real *spread)
{
    const Arena *a = &c->a;
    const int width = a->width[t];
    for (int i = a->front_dof[t]; i >= 0; i = a->dof_next[i]) {
        const real *M = c->d.qM + c->m.M_rowadr[i];
        const int *k = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i], own = a->place[i];
        for (int j = 0; j <= n; j++)
            add_to_front(front, width, own, a->place[k[j]], M[j]);
        front[(long)own * width + own] += c->m.dof_prescribed[i] > 0 ? HELD : c->m.opt_regularization[0];
    }
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first]) {
        const int *k = a->column + a->row_columns[first], n = a->row_count[first], dim = a->row_dim[first];
        int begin = width, end = 0;
        for (int q = 0; q < n; q++) {
            const int place = a->place[k[q]];
            begin = place < begin ? place : begin;
            end = place > end ? place : end;
        }
        for (int r = 0; r < dim;) {
            Quadratics rows = {.n = 0};
            for (; r < dim && rows.n < TOGETHER; r++)
                if (a->row_state[first + r] == ROW_STATE_QUADRATIC) {
                    rows.J[rows.n] = a->jacobian + a->row_first[first + r];
                    rows.D[rows.n++] = a->row_D[first + r];
                }
            if (rows.n && end - begin < NEAR * n)
                add_near(front, width, &rows, a->place, k, n, end, spread);
            else if (rows.n)
                add_scattered(front, width, &rows, a->place, k, n);
        }
        if (a->row_type[first] != ROW_CONTACT_ELLIPTIC || a->row_state[first] != ROW_STATE_CONE)
            continue;
        real curvature[MAX_DIM * MAX_DIM];
        cone_curvature(c, first, a->row_residual, curvature);
        for (int x = 0; x < dim; x++)
            for (int y = 0; y < dim; y++) {
                const real *J = a->jacobian + a->row_first[first + x], *K = a->jacobian + a->row_first[first + y];
                for (int p = 0; p < n; p++)
                    for (int q = 0; q <= p; q++)
                        add_to_front(front, width, a->place[k[p]], a->place[k[q]], curvature[x * dim + y] * J[p] * K[q]);
            }
    }
}

/* Adds the remainder of an earlier front. Both lists of groups are in the order of elimination, so positions
   ascend. */
static void add_child(const Constraints *c, int child, const real *left, int width, real *front)
{
    const Arena *a = &c->a;
    const int clique = a->remains[child], *members = a->member + a->clique_first[clique];
    int n = 0;
    for (int k = 0; k < a->clique_count[clique]; k++)
        for (int i = a->group_first[members[k]]; i < a->group_first[members[k] + 1]; i++)
            a->spot[n++] = a->place[i];
    for (int i = 0; i < n; i++) {
        real *to = front + (long)a->spot[i] * width;
        const real *from = left + (long)i * n;
        for (int j = i; j < n; j++)
            to[a->spot[j]] += from[j];
    }
}

/* Eliminates the first `count` pivots of a symmetric matrix given by its upper triangle: rows of D L^T remain
   there, the reciprocals of D go to `inverse`. Four pivots at a time are applied to two rows at a time. */
static void eliminate_front(real *restrict front, int width, int count, real *restrict inverse)
{
    for (int k = 0; k < count; k += 4) {
        const int some = count - k < 4 ? count - k : 4;
        real *row[4], scale[4] = {0};
        for (int p = 0; p < 4; p++)
            row[p] = front + (long)(k + (p < some ? p : 0)) * width;
        for (int p = 0; p < some; p++) {
            for (int o = 0; o < p; o++) {
                const real f = row[o][k + p] * scale[o];
                const real *restrict from = row[o];
                real *restrict to = row[p];
                INDEPENDENT
                for (int j = k + p; j < width; j++)
                    to[j] -= f * from[j];
            }
            inverse[k + p] = scale[p] = 1 / row[p][k + p];
        }
        const real *restrict u = row[0], *restrict v = row[1], *restrict w = row[2], *restrict x = row[3];
        for (int i = k + some; i < width; i += 2) {
            real *restrict to = front + (long)i * width, *restrict on = i + 1 < width ? to + width : to;
            const int next = i + 1 < width ? i + 1 : i;
            const real f0 = u[i] * scale[0], f1 = v[i] * scale[1], f2 = w[i] * scale[2], f3 = x[i] * scale[3];
            to[i] -= f0 * u[i] + f1 * v[i] + (f2 * w[i] + f3 * x[i]);
            if (next == i)
                break;
            const real g0 = u[next] * scale[0], g1 = v[next] * scale[1], g2 = w[next] * scale[2], g3 = x[next] * scale[3];
            INDEPENDENT
            for (int j = next; j < width; j++) {
                const real a = u[j], b = v[j], d = w[j], e = x[j];
                to[j] -= f0 * a + f1 * b + (f2 * d + f3 * e);
                on[j] -= g0 * a + g1 * b + (g2 * d + g3 * e);
            }
        }
    }
}

/* Computes the factors of one front, from its rows and the remainders of earlier ones on the stack. Returns
   the new height of the stack. */
static long factorise_front(Constraints *c, int t, int *top, long height)
{
    const Arena *a = &c->a;
    const int width = a->width[t], pivots = a->pivots[t], left = width - pivots;
    real *front = a->square;
    memset(front, 0, sizeof(real) * spread_size(width));
    place_front(c, t, a->spot);
    add_rows_to_front(c, t, front, front + (long)width * width);
    for (int k = 0; k < a->children[t]; k++) {
        const int child = a->path[--*top];
        height -= (long)(a->width[child] - a->pivots[child]) * (a->width[child] - a->pivots[child]);
        add_child(c, child, a->stack + height, width, front);
    }
    eliminate_front(front, width, pivots, a->inverse);
    for (int k = a->begin[t], n = 0; k < a->begin[t + 1]; k++)
        for (int i = a->group_first[a->sequence[k]]; i < a->group_first[a->sequence[k] + 1]; i++)
            a->pivot[i] = a->inverse[n++];
    memcpy(a->panel + a->panel_first[t], front, sizeof(real) * (size_t)pivots * width);
    for (int i = 0; i < left; i++)
        memcpy(a->stack + height + (long)i * left + i, front + (long)(pivots + i) * width + pivots + i,
               sizeof(real) * (size_t)(left - i));
    a->path[(*top)++] = t;
    return height + (long)left * left;
}

/* Whether the second derivatives of some row of a front have changed since it was factorised. */
static int front_changed(const Constraints *c, int t)
{
    const Arena *a = &c->a;
    for (int first = a->front_row[t]; first >= 0; first = a->row_next[first])
        for (int r = first; r < first + a->row_dim[first]; r++) {
            const int state = a->row_state[r], old = a->old_state[r];
            if (state == ROW_STATE_CONE || (state != old && (state == ROW_STATE_QUADRATIC || old == ROW_STATE_QUADRATIC || old == ROW_STATE_CONE)))
                return 1;
        }
    return 0;
}

/* Computes the factors of M + J^T H J for the current states of the rows. Fronts follow their children, and
   the last front of an independent component has no parent. If no state in a component has changed, its
   factors are reused. */
static void factorise_fronts(Constraints *c, int first_time)
{
    const Arena *a = &c->a;
    for (int begin = 0, end; begin < c->joined_fronts; begin = end) {
        int changed = first_time, top = 0, last = 0;
        long height = 0;
        for (end = begin; !last; end++) {
            last = a->clique_front[a->remains[end]] < 0;
            changed = changed || front_changed(c, end);
        }
        if (changed && a->front_blocks[begin])
            factorise_whole(c, begin);
        else
            for (int t = begin; changed && t < end; t++)
                height = factorise_front(c, t, &top, height);
    }
    memcpy(a->old_state, a->row_state, sizeof(int) * c->nefc);
}

/* x = (M + J^T H J)^-1 x from the factors. */
static void solve_fronts(const Constraints *c, real *restrict x)
{
    const Arena *a = &c->a;
    real *restrict own = a->inverse;
    for (int t = 0; t < c->joined_fronts; t++) {
        const int width = a->width[t], pivots = a->pivots[t];
        if (a->front_blocks[t]) {
            solve_whole(c, t, x);
            continue;
        }
        list_front(c, t, a->spot);
        for (int i = 0; i < width; i++)
            own[i] = x[a->spot[i]];
        for (int k = 0; k < pivots; k++) {
            const real *restrict row = a->panel + a->panel_first[t] + (long)k * width;
            const real f = own[k] *= a->pivot[a->spot[k]];
            INDEPENDENT
            for (int j = k + 1; j < width; j++)
                own[j] -= f * row[j];
        }
        for (int i = 0; i < width; i++)
            x[a->spot[i]] = own[i];
    }
    for (int t = c->joined_fronts - 1; t >= 0; t--) {
        const int width = a->width[t], pivots = a->pivots[t];
        if (a->front_blocks[t])
            continue;
        list_front(c, t, a->spot);
        for (int i = 0; i < width; i++)
            own[i] = x[a->spot[i]];
        for (int k = pivots - 1; k >= 0; k--) {
            const real *restrict row = a->panel + a->panel_first[t] + (long)k * width;
            real sum[4] = {0};
            int j = k + 1;
            for (; j + 4 <= width; j += 4)
                for (int l = 0; l < 4; l++)
                    sum[l] += row[j + l] * own[j + l];
            for (; j < width; j++)
                sum[0] += row[j] * own[j];
            own[k] -= a->pivot[a->spot[k]] * ((sum[0] + sum[2]) + (sum[1] + sum[3]));
        }
        for (int i = 0; i < pivots; i++)
            x[a->spot[i]] = own[i];
    }
}

#endif
