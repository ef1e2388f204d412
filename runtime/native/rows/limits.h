#ifndef POLYBODY_LIMITS_H
#define POLYBODY_LIMITS_H

/* The rows of dry friction and limits. */

#include "rows/lengths.h"
#include "rows/memory.h"

/* The velocity of a degree of freedom; or, of a free joint, a component in the axes of the parent. */
static Length rate_of(const Constraints *c, int i)
{
    const int j = c->m.dof_jntid[i], first = c->m.jnt_dofadr[j];
    Length x = {0, 0, c->m.dof_invweight0[i], 1, c->a.path, c->a.sign, i};
    c->a.path[0] = i;
    c->a.sign[0] = 1;
    if (c->m.dof_inparent[i]) {
        const int turning = i - first > 2;
        const Vec offset = vec_at(c->m.jnt_offset + 3 * j);
        const int n = (i - first) % 3;
        const Quat q = quat_at(c->d.qpos + c->m.jnt_qposadr[j] + 3), frame = quat_at(c->m.jnt_quat + 4 * j);
        const ParentRate rate = rate_in_parent(q, frame, offset, vec(n == 0, n == 1, n == 2), turning);
        for (int k = 0; k < 3; k++) {
            c->a.sign[k] = part(rate.line, k);
            c->a.sign[3 + k] = part(rate.turn, k);
        }
        x.weight += turning ? 0 : dot(offset, offset) * c->m.dof_invweight0[first + 3];
        x.count = 6;
        for (int k = 0; k < 6; k++)
            c->a.path[k] = first + k;
    }
    return x;
}

static void add_friction(Constraints *c)
{
    if (!FACT(c, frictional))
        return;
    for (int i = 0; i < FACT(c, nv); i++)
        if (c->m.dof_frictionloss[i] > 0) {
            const Length x = rate_of(c, i);
            const Common what = {ROW_FRICTION_OF_DOF, i, 1, 0, 0, c->m.dof_frictionloss[i]};
            add_length(c, &what, &x, 1, NULL, 0);
        }
    for (int t = 0; t < FACT(c, ntendon); t++)
        if (c->m.tendon_frictionloss[t] > 0) {
            const Length x = length_of(c, 1, t);
            const Common what = {ROW_FRICTION_OF_TENDON, t, 1, 0, 0, c->m.tendon_frictionloss[t]};
            drop_if_empty(c, add_length(c, &what, &x, 1, NULL, 0));
        }
}

/* Servo motors hold the velocities in dof_drive within their force bounds: qfrc_actuator contains the
   midpoint of the bounds, and the row's bound is half of their difference. If only one bound is finite,
   qfrc_actuator contains that bound, and the row, which is that of a limit, pushes away from it. */
static void add_servos(Constraints *c, int lopsided)
{
    for (int i = 0; i < FACT(c, nv) && FACT(c, servos); i++) {
        if (c->m.dof_prescribed[i] >= 0)
            continue;
        const int j = c->m.dof_jntid[i];
        const real *range = c->m.dof_servorange + 2 * i;
        const int below = range[0] >= -FAR, above = range[1] <= FAR;
        if ((below != above) != lopsided)
            continue;
        const real most = below && above ? .5 * (range[1] - range[0]) : INFINITY;
        const int sign = lopsided && above ? -1 : 1;
        const Length x = rate_of(c, i);
        const Common what = {lopsided ? ROW_LIMIT_OF_JOINT : ROW_FRICTION_OF_DOF, lopsided ? j : i, 1, 0, 0, lopsided ? 0 : most};
        const int row = add_length(c, &what, &x, sign, NULL, 0);
        if (row >= 0)
            c->a.row_servo[row] = sign;
    }
}

/* The lower limit of a length, then the upper one, if within the margin. */
static void add_limits_of(Constraints *c, int type, int id, const Length *x, const real *range, real margin)
{
    for (int side = -1; side <= 1; side += 2) {
        const real left = limit_gap(side, range[side > 0], x->value);
        if (left < margin) {
            const Common what = {type, id, 1, 0, margin, 0};
            const int i = add_length(c, &what, x, -side, NULL, 0);
            if (i < 0)
                continue;
            c->a.row_pos[i] = left;
            if (x->dof < 0)
                drop_if_empty(c, i);
        }
    }
}

/* The angle of a ball joint is at most the larger element of its range. */
static void add_limit_of_ball(Constraints *c, int j)
{
    const real *range = c->m.jnt_range + 2 * j, margin = c->m.jnt_margin[j];
    const int dof = c->m.jnt_dofadr[j];
    const BallLimit limit = ball_limit(quat_at(c->d.qpos + c->m.jnt_qposadr[j]), maximum(range[0], range[1]));
    if (!(limit.gap < margin))
        return;
    const Common what = {ROW_LIMIT_OF_JOINT, j, 1, 3, margin, 0};
    for (int k = 0; k < 3; k++)
        c->a.path[k] = dof + k;
    const int i = begin_rows(c, &what);
    if (i < 0)
        return;
    for (int k = 0; k < 3; k++)
        row_of(c, i)[place_of(c, k)] = -part(limit.axis, k);
    c->a.row_pos[i] = limit.gap;
    c->a.row_diagonal[i] = c->m.dof_invweight0[dof];
    drop_if_empty(c, i);
}

static void add_limits(Constraints *c)
{
    if (!FACT(c, limited))
        return;
    for (int j = 0; j < FACT(c, njnt); j++) {
        if (!c->m.jnt_limited[j] || c->m.jnt_type[j] == JOINT_FREE)
            continue;
        if (FACT(c, balls) && c->m.jnt_type[j] == JOINT_BALL) {
            add_limit_of_ball(c, j);
            continue;
        }
        const Length x = length_of(c, 0, j);
        add_limits_of(c, ROW_LIMIT_OF_JOINT, j, &x, c->m.jnt_range + 2 * j, c->m.jnt_margin[j]);
    }
    for (int t = 0; t < FACT(c, ntendon); t++)
        if (c->m.tendon_limited[t]) {
            const Length x = length_of(c, 1, t);
            add_limits_of(c, ROW_LIMIT_OF_TENDON, t, &x, c->m.tendon_range + 2 * t, c->m.tendon_margin[t]);
        }
}

#endif
