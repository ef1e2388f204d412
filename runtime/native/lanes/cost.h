#ifndef POLYBODY_LANES_COST_H
#define POLYBODY_LANES_COST_H

/* The cost of the constraints in all lanes, their forces and second derivatives; see solver/cost.h for
   one state. */

#include "formulas/lanes.h"
#include "lanes/rows.h"

/* Residuals of an elliptic contact, scaled by its friction; returns the square of the tangential ones. */
INLINE vreal scale_residuals(const vreal *f, int dim, const vreal *x, vreal *u)
{
    vreal square = vsplat(0);
    u[0] = f[0] * x[0];
    for (int k = 1; k < dim; k++) {
        u[k] = f[k] * x[k];
        square += u[k] * u[k];
    }
    return square;
}

/* Forces of an elliptic contact; returns twice its cost. */
INLINE vreal update_ellipse(const vreal *f, int dim, const vreal *D, const vreal *x, vreal *force)
{
    vreal u[MAX_DIRECTIONS];
    const vreal square = scale_residuals(f, dim, x, u);
    const LaneSlide s = slide_in_lanes(f[0], cone_weight_in_lanes(D[0], f[0]), u[0], square);
    vreal twice = s.twice;
    for (int k = 0; k < dim; k++) {
        const LaneResponse r = k ? tangential_response_in_lanes(s, f[k], D[k], x[k]) : normal_response_in_lanes(s, D[k], x[k]);
        twice += r.twice;
        if (force)
            force[k] = r.force;
    }
    return twice;
}

INLINE vreal put_force(vreal *force, int i, LaneResponse r)
{
    if (force)
        force[i] = r.force;
    return r.twice;
}

/* The residual at which dry friction is largest; infinite in lanes without the row. */
INLINE vreal edge_of(const LaneWork *w, int i) { return vsplat(w->sparse[i].most) / ((const vreal *)w->row_D)[i]; }

/* Forces of all rows at residuals x, unless `force` is NULL; returns the cost. */
static __attribute__((noinline)) vreal update_lanes(LaneWork *w, const vreal *x, vreal *force)
{
    const vreal *D = (const vreal *)w->row_D;
    vreal twice = vsplat(0);
    int i = 0;
    for (; i < w->nequality; i++)
        twice += put_force(force, i, spring_in_lanes(D[i], x[i]));
    for (; i < w->nfriction; i++) {
        const LaneSlip r = slip_in_lanes(D[i], edge_of(w, i), w->sparse[i].most, x[i]);
        twice += r.twice;
        if (force)
            force[i] = r.force;
    }
    for (; i < w->nsparse; i++)
        twice += put_force(force, i, spring_in_lanes(one_sided_in_lanes(D[i], x[i]).D, x[i]));
    for (; i < w->nheld; i++)
        twice += put_force(force, i, spring_in_lanes(D[i], x[i]));
    if (w->c->m.opt_cone[0] == CONE_ELLIPTIC) {
        for (int k = 0; k < w->nslot; k++) {
            const Slot *s = w->slot + k;
            const int row = s->row;
            if (is_ellipse(w, s))
                twice += update_ellipse(friction_of(w, s), s->dim, D + row, x + row, force ? force + row : NULL);
            else if (!s->held)
                twice += put_force(force, row, spring_in_lanes(one_sided_in_lanes(D[row], x[row]).D, x[row]));
        }
    } else {
        for (; i < w->nrow; i++)
            twice += put_force(force, i, spring_in_lanes(one_sided_in_lanes(D[i], x[i]).D, x[i]));
    }
    return vsplat(.5) * twice;
}

/* --- second derivatives ---------------------------------------------------------------------------------------------- */

INLINE vreal *entry_of(void *matrix, int p, int q) { return (vreal *)matrix + entry_place(p, q); } /* p >= q */

/* Second derivatives of the cost of a slot with respect to its directions, lower triangle. */
INLINE void add_curvature(const LaneWork *w, const Slot *s, int dim, vreal *A)
{
    const vreal *D = (const vreal *)w->row_D + s->row, *x = (const vreal *)w->row_residual + s->row, zero = vsplat(0);
    for (int k = 0; k < dim * (dim + 1) / 2; k++)
        A[k] = zero;
    if (s->held) {
        for (int k = 0; k < dim; k++)
            A[k * (k + 1) / 2 + k] = D[k];
        return;
    }
    if (dim == 1) {
        A[0] = one_sided_in_lanes(D[0], x[0]).D;
        return;
    }
    const vreal *f = friction_of(w, s);
    if (is_pyramid(w, s)) {
        for (int k = 1; k < dim; k++) {
            const vreal one = one_sided_in_lanes(D[2 * k - 2], x[2 * k - 2]).D, other = one_sided_in_lanes(D[2 * k - 1], x[2 * k - 1]).D;
            const vreal mu = f[k], sum = one + other;
            A[0] += sum;
            A[k * (k + 1) / 2] = mu * (one - other);
            A[k * (k + 1) / 2 + k] = mu * mu * sum;
        }
        return;
    }
    vreal u[MAX_DIRECTIONS];
    const vreal mu = f[0], weight = cone_weight_in_lanes(D[0], mu), square = scale_residuals(f, dim, x, u);
    const LaneZone z = zone_in_lanes(mu, u[0], square);
    const vreal inverse = 1 / z.length;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j <= i; j++) {
            const vreal h = i == 0   ? vsplat(1)
                            : j == 0 ? mixed_curvature_in_lanes(mu, inverse, u[i])
                                     : slide_curvature_in_lanes(mu, u[0], inverse, u[i], u[j], i == j);
            A[i * (i + 1) / 2 + j] = vmasked(z.slides, h * (weight * (f[i] * f[j]))) + (i == j ? vmasked(z.sticks, D[i]) : zero);
        }
}

/* The change of the second derivatives since the last call; returns 0 if there is none. */
INLINE int change(LaneWork *w, const Slot *s, int dim, vreal *A)
{
    vreal *old = (vreal *)w->curve + s->curve;
    vmask changed = (vmask){0};
    add_curvature(w, s, dim, A);
    for (int k = 0; k < dim * (dim + 1) / 2; k++) {
        const vreal was = old[k];
        changed |= A[k] != was;
        old[k] = A[k];
        A[k] -= was;
    }
    return vany(changed);
}

/* Entries of T = A X, for X of `dim` rows. `arrow` (pyramids): A has only the first row, the first column and
   the diagonal. */
INLINE vreal turned_entry(const vreal *A, int dim, int arrow, int p, const vreal *x)
{
    vreal sum = A[p * (p + 1) / 2 + p] * x[p];
    for (int q = 0; q < dim; q++)
        if (q != p && (!arrow || p == 0 || q == 0))
            sum += A[p > q ? p * (p + 1) / 2 + q : q * (q + 1) / 2 + p] * x[q];
    return sum;
}

/* One moving body: adds to the shell, a symmetric 6 x 6 matrix over wrenches, of the last degree of freedom
   that moves it. */
INLINE void add_shell(LaneWork *w, const Slot *s, int dim, int arrow, const vreal *A, vreal *K, int first)
{
    const vreal *W = wrench_of(w, s);
    UNROLL(16) for (int i = 0; i < 6; i++) {
        vreal x[MAX_DIRECTIONS], t[MAX_DIRECTIONS];
        for (int p = 0; p < dim; p++)
            x[p] = W[6 * p + i];
        for (int p = 0; p < dim; p++)
            t[p] = turned_entry(A, dim, arrow, p, x);
        UNROLL(16) for (int j = 0; j <= i; j++) {
            vreal sum = first ? vsplat(0) : K[i * (i + 1) / 2 + j]; /* from 0, as in a lane that starts later */
            for (int p = 0; p < dim; p++)
                sum += t[p] * W[6 * p + j];
            K[i * (i + 1) / 2 + j] = sum;
        }
    }
}

/* Two moving bodies: adds to the tiles of their path. */
INLINE void add_path(LaneWork *w, const Slot *s, int dim, int arrow, const vreal *A)
{
    const Path *path = w->path + s->link->path;
    const int n = path->tiles;
    const vreal *J = (const vreal *)w->entry + s->entry;
    for (int k = 0; k < n; k++) {
        vreal T[MAX_DIRECTIONS * TILE];
        for (int a = 0; a < TILE; a++) {
            vreal x[MAX_DIRECTIONS];
            for (int p = 0; p < dim; p++)
                x[p] = J[TILE * (n * p + k) + a];
            for (int p = 0; p < dim; p++)
                T[TILE * p + a] = turned_entry(A, dim, arrow, p, x);
        }
        const int row = path->tile[k];
        for (int l = 0; l <= k; l++) {
            vreal *to = (vreal *)w->hessian + 9 * (row * (row + 1) / 2 + path->tile[l]);
            vreal sum[9];
            UNROLL(16) for (int e = 0; e < 9; e++)
                sum[e] = to[e];
            for (int p = 0; p < dim; p++) {
                const vreal *x = J + TILE * (n * p + l);
                UNROLL(16) for (int a = 0; a < TILE; a++)
                    UNROLL(16) for (int b = 0; b < TILE; b++)
                        sum[TILE * a + b] += T[TILE * p + a] * x[b];
            }
            UNROLL(16) for (int e = 0; e < 9; e++)
                to[e] = sum[e];
        }
    }
}

INLINE void add_slot(LaneWork *w, const Slot *s, int dim, int arrow, int *shell)
{
    vreal A[MAX_DIRECTIONS * (MAX_DIRECTIONS + 1) / 2];
    if (!change(w, s, dim, A))
        return;
    const int node = s->link->node[1];
    if (s->link->node[0] >= 0) {
        add_path(w, s, dim, arrow, A);
    } else {
        vreal *K = (vreal *)w->shell + 21 * node;
        if (shell[node] < 0) {
            shell[node] = node;
            add_shell(w, s, dim, arrow, A, K, 1);
        } else {
            add_shell(w, s, dim, arrow, A, K, 0);
        }
    }
}

/* Adds the shells to the Hessian, from the last degree of freedom to the first, as composite inertias to the
   mass matrix. */
static void spread_shells(LaneWork *w, int *shell)
{
    const ModelColumns *m = &w->c->m;
    const int *parent = m->dof_parentid;
    vreal *H = (vreal *)w->hessian;
    for (int j = w->nv - 1; j >= 0; j--) {
        if (shell[j] < 0)
            continue;
        const vreal *K = (const vreal *)w->shell + 21 * shell[j], *s = (const vreal *)w->S + 6 * j;
        vreal F[6];
        UNROLL(16) for (int i = 0; i < 6; i++) {
            vreal sum = K[i * (i + 1) / 2] * s[0];
            UNROLL(16) for (int k = 1; k < 6; k++)
                sum += K[k <= i ? i * (i + 1) / 2 + k : k * (k + 1) / 2 + i] * s[k];
            F[i] = sum;
        }
        const int *at = w->mass_at + m->M_rowadr[j], *column = m->M_colind + m->M_rowadr[j], n = m->dof_depth[j];
        for (int k = 0; k <= n; k++) {
            const vreal *x = (const vreal *)w->S + 6 * column[k];
            H[at[k]] += (x[0] * F[0] + x[1] * F[1] + x[2] * F[2]) + (x[3] * F[3] + x[4] * F[4] + x[5] * F[5]);
        }
        const int next = parent[j];
        if (next < 0)
            continue;
        if (shell[next] < 0) {
            shell[next] = shell[j];
        } else {
            vreal *to = (vreal *)w->shell + 21 * shell[next];
            UNROLL(16) for (int k = 0; k < 21; k++)
                to[k] += K[k];
        }
    }
}

/* The pattern of M + J^T D J in tiles, for all slots and sparse rows of the block, closed under
   elimination. */
static void find_tiles(LaneWork *w)
{
    uint64_t *row = w->row_mask, *column = w->column_mask;
    memcpy(row, w->tree, sizeof(uint64_t) * w->ntile);
    for (int k = 0; k < w->nslot; k++) {
        const Link *l = w->slot[k].link;
        if (l->node[0] < 0)
            continue;
        const Path *p = w->path + l->path;
        for (int t = 1; t < p->tiles; t++)
            row[p->tile[t]] |= p->mask & (((uint64_t)2 << p->tile[t]) - 1);
    }
    for (int i = 0; i < w->nsparse; i++) {
        const Sparse *s = w->sparse + i;
        if (s->count > 1)
            for (int k = 0; k < s->count; k++)
                for (int l = 0; l < s->count; l++) {
                    const int p = w->place[s->column[k]] / TILE, q = w->place[s->column[l]] / TILE;
                    if (q <= p)
                        row[p] |= (uint64_t)1 << q;
                }
    }
    memset(column, 0, sizeof(uint64_t) * w->ntile);
    for (int k = w->ntile - 1; k >= 0; k--) {
        const uint64_t before = row[k] & (((uint64_t)1 << k) - 1);
        if (before)
            row[63 - __builtin_clzll(before)] |= before;
        for (uint64_t left = before; left; left &= left - 1)
            column[__builtin_ctzll(left)] |= (uint64_t)1 << k;
    }
}

/* Writes the mass matrix to the tiles of the pattern. */
static void start_hessian(LaneWork *w)
{
    const ModelColumns *m = &w->c->m;
    const vreal *M = COLUMN(w, qM), zero = vsplat(0);
    vreal *H = (vreal *)w->hessian;
    for (int k = 0; k < w->ntile; k++)
        for (uint64_t left = w->row_mask[k]; left; left &= left - 1) {
            vreal *tile = H + 9 * (k * (k + 1) / 2 + __builtin_ctzll(left));
            UNROLL(16) for (int e = 0; e < 9; e++)
                tile[e] = zero;
        }
    for (int p = 0; p < TILE * w->ntile; p++)
        if (w->dof_at[p] < 0)
            *entry_of(H, p, p) = vsplat(1);
    const double more = m->opt_regularization[0];
    for (int i = 0; i < w->nv; i++) {
        const int *at = w->mass_at + m->M_rowadr[i], n = m->dof_depth[i];
        const vreal *row = M + m->M_rowadr[i];
        for (int j = 0; j < n; j++)
            H[at[j]] = row[j];
        H[at[n]] = row[n] + vsplat(more);
    }
    memset(w->curve, 0, sizeof(vreal) * w->used_curve);
}

/* Updates the Hessian to the current residuals by adding the changes of the second derivatives. */
static __attribute__((noinline)) void update_hessian(LaneWork *w)
{
    const vreal *D = (const vreal *)w->row_D, *x = (const vreal *)w->row_residual, zero = vsplat(0);
    vreal *old = (vreal *)w->row_old;
    int shell[TILE * MAX_TILES];
    for (int i = 0; i < w->nsparse; i++) {
        const Sparse *s = w->sparse + i;
        const vreal now = i >= w->nfriction   ? one_sided_in_lanes(D[i], x[i]).D
                          : i >= w->nequality ? slip_in_lanes(D[i], edge_of(w, i), s->most, x[i]).D
                                              : D[i];
        const vreal more = now - old[i], *J = (const vreal *)w->entry + s->entry;
        if (!vany(more != zero))
            continue;
        old[i] = now;
        for (int k = 0; k < s->count; k++)
            for (int l = 0; l < s->count; l++) {
                const int p = w->place[s->column[k]], q = w->place[s->column[l]];
                if (p > q || (p == q && (k == l || s->column[k] == s->column[l])))
                    *entry_of(w->hessian, p, q) += J[k] * more * J[l];
            }
    }
    for (int i = 0; i < w->nv; i++)
        shell[i] = -1;
    for (int k = 0; k < w->nslot; k++) {
        const Slot *s = w->slot + k;
        if (is_pyramid(w, s)) {
            if (s->dim == 3)
                add_slot(w, s, 3, 1, shell);
            else
                add_slot(w, s, s->dim, 1, shell);
        } else if (s->dim == 3)
            add_slot(w, s, 3, 0, shell);
        else
            add_slot(w, s, s->dim, 0, shell);
    }
    spread_shells(w, shell);
}

#endif
