#ifndef POLYBODY_PRIMAL_H
#define POLYBODY_PRIMAL_H

/* Newton's method and conjugate gradients (Polak and Ribiere) on accelerations:
   minimise (a - qacc_smooth)' M (a - qacc_smooth) / 2 + what the rows cost at J a - aref. */

#include "cost.h"
#include "factor.h"
#include "line_search.h"

static inline real inner(const real *x, const real *y, int n)
{
    real sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* The kinetic part of the cost at accelerations a, with M a. */
static real kinetic(const Constraints *c, const real *acc, const real *momentum)
{
    real sum = 0;
    for (int i = 0; i < FACT(c, nv); i++)
        sum += (momentum[i] - c->d.qfrc_smooth[i]) * (acc[i] - c->d.qacc_smooth[i]);
    return 0.5 * sum;
}

/* row_residual at accelerations. */
static void find_residual(Constraints *c, const real *acc)
{
    multiply_rows(c, acc, c->a.row_residual);
    for (int i = 0; i < c->nefc; i++)
        c->a.row_residual[i] -= c->a.row_aref[i];
}

/* Where to start: at qacc_warmstart, unless qacc_smooth costs less. Leaves qacc, momentum, row_residual. */
static void start_from(Constraints *c)
{
    const Arena *a = &c->a;
    real *acc = c->d.qacc;
    const size_t size = sizeof(real) * FACT(c, nv);
    if (!(FACT(c, off) & NO_WARMSTART)) {
        for (int i = 0; i < FACT(c, nv); i++)
            acc[i] = FACT(c, prescribed) && c->m.dof_prescribed[i] > 0 ? c->d.qacc_smooth[i] : c->d.qacc_warmstart[i];
        multiply_inertia(c, acc, a->momentum);
        find_residual(c, acc);
        const real warm = update(c, a->row_residual) + kinetic(c, acc, a->momentum);
        if (warm <= update(c, a->row_b)) /* not where the start is no number */
            return;
    }
    memcpy(acc, c->d.qacc_smooth, size);
    multiply_inertia(c, acc, a->momentum);
    memcpy(a->row_residual, a->row_b, sizeof(real) * c->nefc);
}

/* The matrix of Newton's method, M + J^T H J with the second derivatives H of what rows cost, factorised.

   What is quadratic is kept from one iteration to the next: rows that begin to act are added; when one ceases to, the sum is
   made anew, since a difference would leave the rounding of what was large. */
KERNEL void factorise_curvature(Constraints *c, int first_time)
{
    const Arena *a = &c->a;
    int anew = first_time;
    for (int i = 0; i < c->nefc && !anew; i++)
        anew = a->old_state[i] == QUADRATIC && a->row_state[i] != QUADRATIC;
    if (anew)
        copy_inertia(c, a->hessian);
    int cones = 0;
    for (int i = 0; i < c->nefc; i++) {
        if (a->row_state[i] == QUADRATIC && (anew || a->old_state[i] != QUADRATIC))
            add_row(c, a->hessian, i, a->row_D[i]);
        cones |= a->row_state[i] == CONE;
        a->old_state[i] = a->row_state[i];
    }
    memcpy(a->factor, a->hessian, sizeof(real) * c->need.hessian);
    for (int i = c->ne + c->nf; cones && i < c->nefc; i += a->row_type[i] == CONTACT_ELLIPTIC ? a->row_dim[i] : 1) {
        if (a->row_state[i] != CONE)
            continue;
        real curvature[MOST_DIM * MOST_DIM];
        const int dim = cone_curvature(c, i, a->row_residual, curvature);
        const real *J = a->jacobian + a->row_first[i];
        for (int p = 0; p < dim; p++)
            for (int q = 0; q < dim; q++)
                add_product(c, a->factor, i, J + p * a->row_count[i], J + q * a->row_count[i], curvature[p * dim + q]);
    }
    factorise(c, a->factor);
}

/* The gradient of the cost at qacc with the present forces. */
static void find_gradient(Constraints *c)
{
    const Arena *a = &c->a;
    real *force = c->d.qfrc_constraint;
    memset(force, 0, sizeof(real) * FACT(c, nv));
    add_row_forces(c, a->row_force, force);
    for (int i = 0; i < FACT(c, nv); i++)
        a->gradient[i] = FACT(c, prescribed) && c->m.dof_prescribed[i] > 0 ? 0 : a->momentum[i] - c->d.qfrc_smooth[i] - force[i];
}

/* What the metric makes of the gradient: `step`, uphill. */
static void find_step(Constraints *c, int newton, int first_time)
{
    const Arena *a = &c->a;
    memcpy(a->step, a->gradient, sizeof(real) * FACT(c, nv));
    if (newton) {
        factorise_curvature(c, first_time);
        solve_factors(c, a->factor, a->step);
    } else {
        solve_inertia(c, a->step);
    }
}

/* From qacc_warmstart or qacc_smooth to the solution: qacc, row_force, row_state, qfrc_constraint. */
static void solve_primal(Constraints *c, int newton)
{
    const Arena *a = &c->a;
    real *acc = c->d.qacc, *direction = a->direction;
    const int nv = FACT(c, nv);
    const real scale = 1 / (c->m.stat_meaninertia[0] * (nv > 1 ? nv : 1)), tolerance = c->m.opt_tolerance[0];
    start_from(c);
    real cost = update(c, a->row_residual);
    real still = kinetic(c, acc, a->momentum);
    cost += still;
    find_gradient(c);
    find_step(c, newton, 1);
    for (int i = 0; i < nv; i++)
        direction[i] = -a->step[i];
    int done = 0;
    while (done < c->m.opt_iterations[0]) {
        const real length = sqrt(inner(direction, direction, nv));
        multiply_inertia(c, direction, a->moved);
        multiply_rows(c, direction, a->row_search);
        const Quadratic line = {{still, inner(direction, a->momentum, nv) - inner(direction, c->d.qfrc_smooth, nv),
                                 0.5 * inner(direction, a->moved, nv)}};
        const real way = search_line(c, line, length, scale);
        if (way == 0)
            break;
        for (int i = 0; i < nv; i++) {
            acc[i] += way * direction[i];
            a->momentum[i] += way * a->moved[i];
            a->old_gradient[i] = a->gradient[i];
            a->spare[i] = a->step[i];
        }
        for (int i = 0; i < c->nefc; i++)
            a->row_residual[i] += way * a->row_search[i];
        const real before = cost;
        still = kinetic(c, acc, a->momentum);
        cost = update(c, a->row_residual) + still;
        find_gradient(c);
        done++;
        const real steep = scale * sqrt(inner(a->gradient, a->gradient, nv));
        if (scale * (before - cost) < tolerance || steep < tolerance)
            break;
        find_step(c, newton, 0);
        real beta = 0;
        if (!newton) {
            const real turned = inner(a->gradient, a->step, nv) - inner(a->gradient, a->spare, nv);
            beta = greatest(0, turned / greatest(LEAST_CURVATURE, inner(a->old_gradient, a->spare, nv)));
        }
        for (int i = 0; i < nv; i++)
            direction[i] = beta * direction[i] - a->step[i];
    }
    c->iterations = done;
}

#endif
