#ifndef POLYBODY_LANES_NEWTON_H
#define POLYBODY_LANES_NEWTON_H

/* Newton's method in all lanes; see solver/primal.h and solver/line_search.h for one state. Every
   lane counts its own iterations and evaluations and has its own stopping criteria; a lane that has stopped
   keeps its result. */

#include "formulas/lanes.h"
#include "lanes/factor.h"

/* Single precision cannot resolve the tolerances: a line search also stops when the slope has fallen to this
   fraction of the first one, iterations when the relative decrease of the cost is below this. */
#define IS_SINGLE (sizeof(LANE_REAL) == 4)
#define SINGLE_SLOPE 1e-5
#define SINGLE_COST 5e-7

typedef struct { vreal at, cost, slope, curvature; } Points;
typedef struct { vreal x[3]; } Parabola;

INLINE void take(vmask m, Points *to, const Points *from)
{
    to->at = vselect(m, from->at, to->at);
    to->cost = vselect(m, from->cost, to->cost);
    to->slope = vselect(m, from->slope, to->slope);
    to->curvature = vselect(m, from->curvature, to->curvature);
}

INLINE void add_rise(LaneRise *sum, LaneRise more)
{
    sum->twice += more.twice;
    sum->slope += more.slope;
    sum->curvature += more.curvature;
}

INLINE LaneRise side_along(vreal D, vreal y, vreal v) { return spring_along_in_lanes(one_sided_in_lanes(D, y).D, y, v); }

/* An elliptic contact along the line. */
INLINE LaneRise ellipse_along(const vreal *f, int dim, const vreal *D, const vreal *x, const vreal *v, vreal at)
{
    const vreal mu = f[0], zero = vsplat(0);
    vreal square = zero, product = zero, rates = zero;
    LaneRise stuck = {zero, zero, zero};
    for (int k = 0; k < dim; k++) {
        const vreal y = x[k] + at * v[k], u = f[k] * y, rate = f[k] * v[k];
        add_rise(&stuck, spring_along_in_lanes(D[k], y, v[k]));
        if (k) {
            square += u * u;
            product += u * rate;
            rates += rate * rate;
        }
    }
    return slide_along_in_lanes(mu, cone_weight_in_lanes(D[0], mu), mu * (x[0] + at * v[0]), mu * v[0], square, product, rates, stuck);
}

/* Cost and derivatives at points on the line. */
static __attribute__((noinline)) void evaluate_lanes(const LaneWork *w, const Parabola *line, vreal at, Points *to)
{
    const vreal *D = (const vreal *)w->row_D, *x = (const vreal *)w->row_residual, *v = (const vreal *)w->row_search;
    const vreal zero = vsplat(0);
    LaneRise sum = {zero, zero, zero};
    Points p = {at, zero, zero, zero};
    int i = w->nequality;
    for (; i < w->nfriction; i++)
        add_rise(&sum, slip_along_in_lanes(D[i], edge_of(w, i), w->sparse[i].most, x[i] + at * v[i], v[i]));
    const int ends[2] = {w->nsparse, w->c->m.opt_cone[0] == CONE_ELLIPTIC ? 0 : w->nrow};
    for (int part = 0; part < 2; part++) {
        for (; i < ends[part]; i++)
            add_rise(&sum, side_along(D[i], x[i] + at * v[i], v[i]));
        i = w->nheld;
    }
    if (w->c->m.opt_cone[0] == CONE_ELLIPTIC)
        for (int k = 0; k < w->nslot; k++) {
            const Slot *s = w->slot + k;
            i = s->row;
            if (is_ellipse(w, s))
                add_rise(&sum, ellipse_along(friction_of(w, s), s->dim, D + i, x + i, v + i, at));
            else if (!s->held)
                add_rise(&sum, side_along(D[i], x[i] + at * v[i], v[i]));
        }
    p.cost = vsplat(.5) * sum.twice + (at * (at * line->x[2] + line->x[1]) + line->x[0]);
    p.slope = sum.slope + 2 * at * line->x[2] + line->x[1];
    p.curvature = sum.curvature + 2 * line->x[2];
    p.curvature = vselect(p.curvature > zero, p.curvature, vsplat(1e-15));
    *to = p;
}

/* The Newton step from a point, in the lanes of a mask, which are counted. */
INLINE void newton_points(const LaneWork *w, const Parabola *line, vmask in, const Points *from, Points *to, vmask *count)
{
    Points p;
    evaluate_lanes(w, line, from->at - from->slope / from->curvature, &p);
    take(in, to, &p);
    *count -= in;
}

INLINE vmask draw_near(vmask in, Points *end, const Points *candidates)
{
    const vreal zero = vsplat(0);
    vmask moved = (vmask){0};
    for (int k = 0; k < 3; k++) {
        const Points *p = candidates + k;
        const vmask low = (end->slope < zero) & (p->slope < zero) & (end->slope < p->slope);
        const vmask high = (end->slope > zero) & (p->slope > zero) & (end->slope > p->slope);
        const vmask m = in & (low | high);
        take(m, end, p);
        moved |= m;
    }
    return moved;
}

/* Shrinks the bracket, in the lanes of a mask; the results are written to `found`. */
static void shrink_lanes(const LaneWork *w, const Parabola *line, vmask in, const Points *start, Points near, Points far, vreal tolerance,
                         vmask *count, vreal *found)
{
    const vmask most = (vmask){0} + (LANE_INT)w->c->m.opt_ls_iterations[0];
    Points candidates[3] = {near, near, near};
    vmask out = (vmask){0};
    newton_points(w, line, in, &near, candidates, count);
    for (;;) {
        const vmask over = in & (*count >= most);
        out |= over;
        in &= ~over;
        if (!vany(in))
            break;
        Points p;
        evaluate_lanes(w, line, vsplat(.5) * (near.at + far.at), &p);
        take(in, candidates + 2, &p);
        *count -= in;
        vmask best = (vmask){0};
        vreal cost = vsplat(0), at = vsplat(0);
        for (int k = 0; k < 3; k++) {
            const vmask m = in & (vabs(candidates[k].slope) < tolerance) & (~best | (candidates[k].cost < cost));
            cost = vselect(m, candidates[k].cost, cost);
            at = vselect(m, candidates[k].at, at);
            best |= m;
        }
        *found = vselect(best, at, *found);
        in &= ~best;
        const vmask first = draw_near(in, &near, candidates), second = draw_near(in, &far, candidates), none = in & ~first & ~second;
        *found = vselect(none, candidates[2].at, *found);
        in &= ~none;
        if (vany(first & in))
            newton_points(w, line, first & in, &near, candidates, count);
        if (vany(second & in))
            newton_points(w, line, second & in, &far, candidates + 1, count);
    }
    const vmask one = out & (near.cost <= far.cost) & (near.cost < start->cost);
    const vmask other = out & ~one & (far.cost <= near.cost) & (far.cost < start->cost);
    *found = vselect(one, near.at, vselect(other, far.at, vselect(out, vsplat(0), *found)));
}

/* Step length of each lane along the Newton direction, from the cost and its slope at the start. The first
   point tried is the full step, which is the Newton point; in single precision it is not exact. */
static vreal search_lanes(const LaneWork *w, const Parabola *line, vmask run, vreal length, vreal scale, vreal cost, vreal slope)
{
    const ModelColumns *m = &w->c->m;
    vreal tolerance = vsplat(m->opt_tolerance[0] * m->opt_ls_tolerance[0]) / scale * length;
    const vmask most = (vmask){0} + (LANE_INT)m->opt_ls_iterations[0];
    vmask in = run & (length >= vsplat(1e-15)), count = (vmask){0}, crossed = (vmask){0};
    vreal found = vsplat(0);
    Points start = {vsplat(0), cost, slope, -slope}, near, far;
    count -= in;
    if (IS_SINGLE) {
        evaluate_lanes(w, line, vsplat(0), &start);
        tolerance = vmax(tolerance, vsplat(SINGLE_SLOPE) * vabs(start.slope));
        near = start;
        newton_points(w, line, in, &start, &near, &count);
    } else {
        evaluate_lanes(w, line, vsplat(1), &near);
        count -= in;
    }
    take(start.cost < near.cost, &near, &start);
    far = near;
    vmask done = in & (vabs(near.slope) < tolerance);
    found = vselect(done, near.at, found);
    in &= ~done;
    if (!vany(in))
        return found;
    const vreal direction = vselect(near.slope < vsplat(0), vsplat(1), vsplat(-1));
    vmask walks = in;
    for (;;) {
        walks &= (near.slope * direction <= -tolerance) & (count < most);
        if (!vany(walks))
            break;
        take(walks, &far, &near);
        crossed |= walks;
        newton_points(w, line, walks, &near, &near, &count);
        done = walks & (vabs(near.slope) < tolerance);
        found = vselect(done, near.at, found);
        in &= ~done;
        walks &= ~done;
    }
    done = in & ((count >= most) | ~crossed);
    found = vselect(done, near.at, found);
    in &= ~done;
    if (vany(in))
        shrink_lanes(w, line, in, &start, near, far, tolerance, &count, &found);
    return found;
}

/* The gradient; the sum of its squares. */
static vreal find_gradient_in_lanes(LaneWork *w, const vreal *force)
{
    const vreal *momentum = (const vreal *)w->momentum, *smooth = COLUMN(w, qfrc_smooth);
    vreal *gradient = (vreal *)w->gradient, sum = vsplat(0);
    gather_forces(w, (const vreal *)w->row_force, (vreal *)w->d.qfrc_constraint);
    for (int i = 0; i < w->nv; i++) {
        gradient[i] = momentum[i] - smooth[i] - force[i];
        sum += gradient[i] * gradient[i];
    }
    return sum;
}

static vreal kinetic_of(const LaneWork *w, const vreal *acc)
{
    const vreal *momentum = (const vreal *)w->momentum, *smooth = COLUMN(w, qfrc_smooth), *free = COLUMN(w, qacc_smooth);
    vreal sum = vsplat(0);
    for (int i = 0; i < w->nv; i++)
        sum += (momentum[i] - smooth[i]) * (acc[i] - free[i]);
    return vsplat(.5) * sum;
}

/* Initial point of each lane: qacc_warmstart, unless the cost of qacc_smooth is lower. */
static void start_lanes(LaneWork *w, vreal *acc)
{
    const vreal *smooth = COLUMN(w, qacc_smooth), *warm = COLUMN(w, qacc_warmstart), *aref = (const vreal *)w->row_aref;
    vreal *x = (vreal *)w->row_residual, *b = (vreal *)w->row_b, *momentum = (vreal *)w->momentum, *spare = (vreal *)w->moved;
    const size_t size = sizeof(vreal) * w->nv;
    multiply_lanes(w, smooth, b);
    for (int i = 0; i < w->nrow; i++)
        b[i] -= aref[i];
    if (w->c->m.opt_disableflags[0] & DISABLE_WARMSTART) {
        memcpy(acc, smooth, size);
        memcpy(x, b, sizeof(vreal) * w->nrow);
        multiply_mass(w, acc, momentum);
        return;
    }
    memcpy(acc, warm, size);
    multiply_lanes(w, acc, x);
    for (int i = 0; i < w->nrow; i++)
        x[i] -= aref[i];
    multiply_mass(w, acc, momentum);
    const vreal cost = update_lanes(w, x, NULL) + kinetic_of(w, acc);
    const vmask cold = ~(cost <= update_lanes(w, b, NULL));
    if (!vany(cold))
        return;
    multiply_mass(w, smooth, spare);
    for (int i = 0; i < w->nv; i++) {
        acc[i] = vselect(cold, smooth[i], acc[i]);
        momentum[i] = vselect(cold, spare[i], momentum[i]);
    }
    for (int i = 0; i < w->nrow; i++)
        x[i] = vselect(cold, b[i], x[i]);
}

/* Computes qacc and qfrc_constraint in the lanes of `run`, which have rows. */
static void solve_newton(LaneWork *w, vmask run)
{
    const ModelColumns *m = &w->c->m;
    const int nv = w->nv;
    const vreal scale = 1 / (*(const vreal *)w->inertia * vsplat(nv > 1 ? nv : 1));
    const vreal tolerance = vsplat(m->opt_tolerance[0]), *smooth = COLUMN(w, qfrc_smooth), *D = (const vreal *)w->row_D;
    const vreal *free = COLUMN(w, qacc_smooth);
    vreal *acc = (vreal *)w->d.qacc, *force = (vreal *)w->d.qfrc_constraint, *momentum = (vreal *)w->momentum;
    vreal *direction = (vreal *)w->direction, *moved = (vreal *)w->moved, *step = (vreal *)w->step, *gradient = (vreal *)w->gradient;
    vreal *x = (vreal *)w->row_residual, *v = (vreal *)w->row_search;
    start_lanes(w, acc);
    vreal cost = update_lanes(w, x, (vreal *)w->row_force), still = kinetic_of(w, acc);
    cost += still;
    find_gradient_in_lanes(w, force);
    find_tiles(w);
    start_hessian(w);
    w->iterations = 0;
    for (int p = 0; p < TILE * w->ntile; p++)
        step[p] = vsplat(0);
    while (w->iterations < m->opt_iterations[0] && !lanes_are_ended(w, 1e3 * (w->nrow + nv + 1))) {
        update_hessian(w);
        for (int i = 0; i < nv; i++)
            step[w->place[i]] = gradient[i];
        factorise_and_solve(w, step);
        vreal square = vsplat(0), slope = vsplat(0);
        for (int i = 0; i < nv; i++) {
            direction[i] = -step[w->place[i]];
            square += direction[i] * direction[i];
            slope += direction[i] * gradient[i];
        }
        multiply_mass(w, direction, moved);
        multiply_lanes(w, direction, v);
        Parabola line = {{still, vsplat(0), vsplat(0)}};
        for (int i = 0; i < nv; i++) {
            line.x[1] += direction[i] * (momentum[i] - smooth[i]);
            line.x[2] += direction[i] * moved[i];
        }
        line.x[2] *= vsplat(.5);
        for (int part = 0; part < 2; part++) {
            const int end = part ? w->nheld : w->nequality;
            for (int i = part ? w->nsparse : 0; i < end; i++) {
                line.x[0] += vsplat(.5) * D[i] * x[i] * x[i];
                line.x[1] += D[i] * x[i] * v[i];
                line.x[2] += vsplat(.5) * D[i] * v[i] * v[i];
            }
        }
        vreal alpha = search_lanes(w, &line, run, vsqrt(square), scale, cost, slope);
        run &= alpha != vsplat(0);
        if (!vany(run))
            break;
        alpha = vmasked(run, alpha);
        still = vsplat(0);
        for (int i = 0; i < nv; i++) {
            acc[i] += alpha * direction[i];
            momentum[i] += alpha * moved[i];
            still += (momentum[i] - smooth[i]) * (acc[i] - free[i]);
        }
        still *= vsplat(.5);
        for (int i = 0; i < w->nrow; i++)
            x[i] += alpha * v[i];
        const vreal before = cost;
        cost = update_lanes(w, x, (vreal *)w->row_force) + still;
        const vreal gradient = vsqrt(find_gradient_in_lanes(w, force));
        w->iterations++;
        run &= (scale * (before - cost) >= tolerance) & (scale * gradient >= tolerance);
        if (IS_SINGLE)
            run &= before - cost > vsplat(SINGLE_COST) * vabs(before);
        if (!vany(run))
            break;
    }
}

#endif
