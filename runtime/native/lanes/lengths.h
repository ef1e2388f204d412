#ifndef POLYBODY_LANES_LENGTHS_H
#define POLYBODY_LANES_LENGTHS_H

/* Stiffness of rows in all lanes, and the rows of lengths: limits, dry friction, equalities of joints and
   tendons. */

#include "formulas/lanes.h"
#include "lanes/collide.h"

INLINE vreal *row_of(void *rows, int i) { return (vreal *)rows + i; }

/* Sets D and aref of one row. */
INLINE void put_row(LaneWork *w, int i, vmask has, vreal D, vreal aref)
{
    *row_of(w->row_D, i) = vmasked(has, D);
    *row_of(w->row_aref, i) = vmasked(has, aref);
    *row_of(w->row_old, i) = vsplat(0);
}

/* --- limits, friction, equalities of lengths ------------------------------------------------------------------------ */

/* Adds a row with entries of its own, which the caller writes. */
static vreal *add_sparse(LaneWork *w, int count, const int *column, double most)
{
    Sparse *s = w->sparse + w->nsparse++;
    s->count = count;
    s->column = column;
    s->most = most;
    s->entry = w->used_entry;
    w->used_entry += count;
    return (vreal *)w->entry + s->entry;
}

/* Sets the stiffness of the row last added by add_sparse(). */
INLINE void stiffen(LaneWork *w, const Softness *k, vmask has, vreal violation, vreal diagonal, int pulled)
{
    const Sparse *row = w->sparse + w->nsparse - 1;
    const vreal *J = (const vreal *)w->entry + row->entry, *qvel = COLUMN(w, qvel);
    const vreal d = impedance_in_lanes(k->solimp, violation).now;
    vreal v = vsplat(0);
    for (int n = 0; n < row->count; n++)
        v += J[n] * qvel[row->column[n]];
    const Stiffness s = {pulled ? k->stiffness.K : 0, k->stiffness.B};
    put_row(w, w->nsparse - 1, has, 1 / regularisation_in_lanes(d, diagonal), reference_acceleration_in_lanes(s, d, violation, v));
}

/* Inverse inertia of a degree of freedom; of a joint with one, or of a tendon. */
INLINE const vreal *dof_weight(const LaneWork *w, int dof) { return (const vreal *)w->dof_weight + dof; }
INLINE vreal weight_of(const LaneWork *w, int tendon, int row)
{
    return tendon ? ((const vreal *)w->tendon_weight)[row] : *dof_weight(w, w->c->m.jnt_dofadr[row]);
}

/* The length of a joint or a tendon, relative to qpos0. */
INLINE vreal length_in_lanes(const LaneWork *w, int tendon, int row)
{
    const ModelColumns *m = &w->c->m;
    return tendon ? COLUMN(w, ten_length)[row] - vsplat(m->tendon_length0[row])
                  : COLUMN(w, qpos)[m->jnt_qposadr[row]] - vsplat(m->qpos0[m->jnt_qposadr[row]]);
}

/* The lanes in which an equality is active. */
static vmask holding(const LaneWork *w, int equality)
{
    const unsigned char *active = w->eq_active + *w->first * w->c->neq + equality;
    vmask found = (vmask){0};
    for (int e = 0; e < LANES && e < *w->states; e++)
        found[e] = active[e * w->c->neq] ? -1 : 0;
    return found;
}

/* Equalities of one length, or between two. */
static void add_length_equalities(LaneWork *w, vmask moves)
{
    const ModelColumns *m = &w->c->m;
    int *columns = w->columns;
    for (int e = 0; e < w->c->neq; e++) {
        const int tendon = m->eq_type[e] == EQUALITY_TENDON, one = m->eq_obj1id[e], other = m->eq_obj2id[e];
        const vmask acts = moves & holding(w, e);
        if ((m->eq_type[e] != EQUALITY_JOINT && !tendon) || !vany(acts))
            continue;
        const real *f = m->eq_data + 11 * e;
        const Polynomial polynomial = {f[0], f[1], f[2], f[3], f[4]};
        const vreal y = other >= 0 ? length_in_lanes(w, tendon, other) : vsplat(0);
        const LaneCoupling found = coupling_in_lanes(polynomial, length_in_lanes(w, tendon, one), y);
        const vreal weight = weight_of(w, tendon, one) + (other >= 0 ? weight_of(w, tendon, other) : vsplat(0));
        const int first = tendon ? m->tendon_rowadr[one] : 0, n = tendon ? m->tendon_rownnz[one] : 1;
        const int second = other >= 0 && tendon ? m->tendon_rowadr[other] : 0;
        const int more = other < 0 ? 0 : tendon ? m->tendon_rownnz[other] : 1;
        if (n + more == 0)
            continue;
        vreal *J = add_sparse(w, n + more, columns, 0);
        for (int k = 0; k < n; k++) {
            *columns++ = tendon ? m->ten_J_colind[first + k] : m->jnt_dofadr[one];
            *J++ = tendon ? COLUMN(w, ten_entry)[first + k] : vsplat(1);
        }
        for (int k = 0; k < more; k++) {
            *columns++ = tendon ? m->ten_J_colind[second + k] : m->jnt_dofadr[other];
            *J++ = -found.slope * (tendon ? COLUMN(w, ten_entry)[second + k] : vsplat(1));
        }
        stiffen(w, w->of_equality + e, acts, found.residual, weight, 1);
    }
}

static void add_friction_rows(LaneWork *w, vmask moves)
{
    const ModelColumns *m = &w->c->m;
    for (int i = 0; i < w->nv; i++)
        if (m->dof_frictionloss[i] > 0) {
            *add_sparse(w, 1, w->place + w->nv + i, m->dof_frictionloss[i]) = vsplat(1);
            stiffen(w, w->of_dof + i, moves, vsplat(0), *dof_weight(w, i), 0);
        }
    for (int t = 0; t < w->c->ntendon; t++)
        if (m->tendon_frictionloss[t] > 0 && m->tendon_rownnz[t] > 0) {
            const int first = m->tendon_rowadr[t], n = m->tendon_rownnz[t];
            vreal *J = add_sparse(w, n, m->ten_J_colind + first, m->tendon_frictionloss[t]);
            for (int k = 0; k < n; k++)
                J[k] = COLUMN(w, ten_entry)[first + k];
            stiffen(w, w->of_tendon + t, moves, vsplat(0), weight_of(w, 1, t), 0);
        }
}

/* Limits of one length. */
INLINE void add_limit_rows(LaneWork *w, vmask moves, vreal value, const real *range, double margin, const Softness *k, vreal weight,
                           int count, const int *column, const vreal *entries)
{
    for (int side = -1; side <= 1; side += 2) {
        const vreal left = limit_gap_in_lanes(side, range[side > 0], value);
        const vmask near = moves & (left < vsplat(margin));
        if (!vany(near))
            continue;
        vreal *J = add_sparse(w, count, column, 0);
        for (int n = 0; n < count; n++)
            J[n] = entries ? vsplat(-side) * entries[n] : vsplat(-side);
        stiffen(w, k, near, left - vsplat(margin), weight, 1);
    }
}

/* Ball joints: the angle is at most the larger element of the range. */
static void add_ball_limit(LaneWork *w, vmask moves, int j)
{
    const ModelColumns *m = &w->c->m;
    const vreal *q = COLUMN(w, qpos) + m->jnt_qposadr[j];
    const int dof = m->jnt_dofadr[j];
    const double most = maximum(m->jnt_range[2 * j], m->jnt_range[2 * j + 1]), margin = m->jnt_margin[j];
    const LaneQuat turn = {q[0], q[1], q[2], q[3]};
    const LaneBallLimit limit = ball_limit_in_lanes(turn, most);
    const vmask near = moves & (limit.gap < vsplat(margin));
    if (!vany(near))
        return;
    vreal *J = add_sparse(w, 3, w->place + w->nv + dof, 0);
    J[0] = -limit.axis.x;
    J[1] = -limit.axis.y;
    J[2] = -limit.axis.z;
    stiffen(w, w->of_limit + j, near, limit.gap - vsplat(margin), *dof_weight(w, dof), 1);
}

static void add_limits_in_lanes(LaneWork *w, vmask moves)
{
    const ModelColumns *m = &w->c->m;
    for (int j = 0; j < w->c->njnt; j++) {
        const int dof = m->jnt_dofadr[j];
        if (!m->jnt_limited[j] || m->jnt_type[j] == JOINT_FREE)
            continue;
        if (m->jnt_type[j] == JOINT_BALL)
            add_ball_limit(w, moves, j);
        else
            add_limit_rows(w, moves, COLUMN(w, qpos)[m->jnt_qposadr[j]], m->jnt_range + 2 * j, m->jnt_margin[j], w->of_limit + j,
                           *dof_weight(w, dof), 1, w->place + w->nv + dof, NULL);
    }
    for (int t = 0; t < w->c->ntendon; t++)
        if (m->tendon_limited[t] && m->tendon_rownnz[t] > 0)
            add_limit_rows(w, moves, COLUMN(w, ten_length)[t], m->tendon_range + 2 * t, m->tendon_margin[t], w->of_tendon_limit + t,
                           weight_of(w, 1, t), m->tendon_rownnz[t], m->ten_J_colind + m->tendon_rowadr[t],
                           COLUMN(w, ten_entry) + m->tendon_rowadr[t]);
}

#endif
