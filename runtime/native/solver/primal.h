#ifndef POLYBODY_PRIMAL_H
#define POLYBODY_PRIMAL_H

/* Newton's method and conjugate gradients (Polak and Ribiere) on accelerations:
   minimise (a - qacc_smooth)' M (a - qacc_smooth) / 2 + the cost of the rows at J a - aref. */

#include "solver/cost.h"
#include "solver/factor.h"
#include "solver/fronts.h"
#include "rows/jacobian.h"
#include "solver/line_search.h"
#include "solver/limbs.h"

/* The kinetic part of the cost at acc, given momentum. */
INLINE real kinetic(const Constraints *c)
{
    const Arena *a = &c->a;
    Block sum = {0};
    for (int i = 0; i < BLOCK * BLOCKS(c); i += BLOCK)
        sum += (block_of(a->momentum + i) - block_of(a->smooth + i)) * (block_of(a->acc + i) - block_of(a->free + i));
    return 0.5 * sum_of(sum);
}

/* y += f x, in whole blocks. */
INLINE void add_multiple(real *y, real f, const real *x, int blocks)
{
    for (int i = 0; i < BLOCK * blocks; i += BLOCK)
        put_block(y + i, block_of(y + i) + f * block_of(x + i));
}

/* Computes row_residual for accelerations. */
INLINE void find_residual(Constraints *c, const real *acc)
{
    const Arena *a = &c->a;
    multiply_rows(c, acc, a->row_residual);
    for (int i = 0; i < c->nefc; i += BLOCK)
        put_block(a->row_residual + i, block_of(a->row_residual + i) - block_of(a->row_aref + i));
}

/* Initial point: qacc_warmstart, unless the cost of qacc_smooth is lower. Sets acc, momentum, row_residual,
   and the forces and states of rows there; returns the cost of the rows. */
static real start_from(Constraints *c)
{
    const Arena *a = &c->a;
    const int blocks = BLOCKS(c);
    real warm = 0;
    if (!(FACT(c, off) & DISABLE_WARMSTART)) {
        load_dofs(c, a->acc, c->d.qacc_warmstart);
        for (int i = 0; FACT(c, prescribed) && i < FACT(c, nv); i++)
            if (c->m.dof_prescribed[i] > 0)
                a->acc[i] = a->free[i];
        multiply_inertia(c, a->acc, a->momentum);
        find_residual(c, a->acc);
        const real smooth = update(c, a->row_b);
        warm = update(c, a->row_residual);
        if (warm + kinetic(c) <= smooth) /* false if the initial point is NaN */
            return warm;
    }
    copy_blocks(a->acc, a->free, blocks);
    multiply_inertia(c, a->acc, a->momentum);
    copy_blocks(a->row_residual, a->row_b, row_blocks(c));
    return update(c, a->row_residual);
}

/* Copies the lower triangle of M + J^T D J. */
INLINE void copy_hessian(const Constraints *c, real *restrict to, const real *restrict from)
{
    if (!FACT(c, dense)) {
        memcpy(to, from, sizeof(real) * c->need.hessian);
        return;
    }
    for (int i = 0; i < FACT(c, nv); i++)
        copy_blocks(to + PADDED * FACT(c, blocks) * i, from + PADDED * FACT(c, blocks) * i, i / BLOCK + 1);
}

/* Whether some row was quadratic and no longer is. */
INLINE int some_ceased(const Constraints *c)
{
    const Arena *a = &c->a;
    Codes ceased = {0};
    for (int i = 0; i < c->nefc; i += BLOCK)
        ceased |= (codes_of(a->old_state + i) == ROW_STATE_QUADRATIC) & (codes_of(a->row_state + i) != ROW_STATE_QUADRATIC);
    int any = 0;
    UNROLL(16)
    for (int k = 0; k < BLOCK; k++)
        any |= ceased[k];
    return any;
}

/* The row of a contact that begins at its place in the list of cones. */
INLINE int first_of_cone(const Constraints *c, int cone)
{
    return c->a.cone_row[plane_of(cone / BLOCK, 0) + cone % BLOCK];
}

INLINE int some_slide(const Constraints *c)
{
    for (int k = 0; k < c->cones; k++)
        if (c->a.row_state[first_of_cone(c, k)] == ROW_STATE_CONE)
            return 1;
    return 0;
}

/* matrix += J^T H J for a sliding contact with dense rows. */
INLINE void add_dense_sliding(const Constraints *c, int blocks, real *matrix, int cone)
{
    real part[MAX_DIM][MAX_DIM], weight[MAX_DIM], rows[(MAX_DIM - 1) * MAX_LENGTH];
    const int first = first_of_cone(c, cone), n = find_curvature(c, cone, part, weight), width = WIDTH_OF(blocks);
    const real *J = c->a.jacobian + (long)width * first;
    for (int r = 0; r < n; r++)
        for (int b = 0; b < blocks; b++) {
            Block sum = part[r][0] * block_of(J + BLOCK * b);
            for (int k = 1; k <= n; k++)
                sum += part[r][k] * block_of(J + width * k + BLOCK * b);
            put_block(rows + width * r + BLOCK * b, sum);
        }
    add_whole_rows(matrix, rows, blocks, c->a.row_mask[first], weight, n);
}

/* matrix += J^T H J for all sliding contacts. */
static void add_sliding(const Constraints *c, real *matrix)
{
    for (int k = 0; k < c->cones; k++) {
        const int first = first_of_cone(c, k);
        if (c->a.row_state[first] != ROW_STATE_CONE)
            continue;
        if (FACT(c, dense)) {
            add_dense_sliding(c, BLOCKS(c), matrix, k);
            continue;
        }
        real curvature[MAX_DIM * MAX_DIM];
        const int dim = cone_curvature(c, first, c->a.row_residual, curvature);
        add_cone_rows(c, matrix, first, curvature, dim);
    }
}

/* Solves with the Hessian of Newton's method, M + J^T H J with the second derivatives H of the cost of the
   rows: `step`, in place.

   The sum over quadratic rows is reused: rows that become quadratic are added. If one ceases to be, the sum
   is recomputed, because a difference would retain rounding errors of large terms. */
static void solve_curvature(Constraints *c, int first_time)
{
    const Arena *a = &c->a;
    const int anew = first_time || some_ceased(c);
    if (anew)
        copy_inertia(c, a->hessian);
    for (int i = 0; i < c->nefc; i += BLOCK) { /* D is padded with zeros */
        Codes adds = codes_of(a->row_state + i) == ROW_STATE_QUADRATIC;
        if (!anew)
            adds &= codes_of(a->old_state + i) != ROW_STATE_QUADRATIC;
        put_block(a->row_added + i, block_masked(__builtin_convertvector(adds, Bits), block_of(a->row_D + i)));
        *(Codes *)(a->old_state + i) = codes_of(a->row_state + i);
    }
    for (int i = 0; i < c->nefc;) {
        const real *weight = a->row_added + i;
        const int n = a->row_dim[i] < 4 ? a->row_dim[i] : 4;
        real sum = weight[0];
        for (int k = 1; k < n; k++)
            sum += weight[k];
        if (sum > 0)
            add_rows(c, a->hessian, i, weight, n);
        i += n;
    }
    real *matrix = a->hessian;
    if (FACT(c, cone) == CONE_ELLIPTIC && some_slide(c)) {
        copy_hessian(c, a->factor, matrix);
        add_sliding(c, a->factor);
        matrix = a->factor;
    }
#ifdef POLYBODY_LIMBS
    if (!c->coupled) {
        solve_limbs(matrix, a->step);
        return;
    }
#endif
    if (matrix == a->hessian)
        copy_hessian(c, a->factor, matrix);
    factorise(c, a->factor);
    solve_factors(c, a->factor, a->step);
}

/* The gradient of the cost at acc with the current forces. */
INLINE void find_gradient(Constraints *c)
{
    const Arena *a = &c->a;
    gather_forces(c, a->row_force, a->force);
    for (int i = 0; i < BLOCK * BLOCKS(c); i += BLOCK)
        put_block(a->gradient + i, block_of(a->momentum + i) - block_of(a->smooth + i) - block_of(a->force + i));
    for (int i = 0; FACT(c, prescribed) && i < FACT(c, nv); i++)
        if (c->m.dof_prescribed[i] > 0)
            a->gradient[i] = 0;
}

/* `step`, the inverse metric times the gradient: uphill. */
INLINE void find_step(Constraints *c, int newton, int first_time)
{
    const Arena *a = &c->a;
    copy_blocks(a->step, a->gradient, BLOCKS(c));
    if (newton && FACT(c, multifrontal)) {
        factorise_fronts(c, first_time);
        solve_fronts(c, a->step);
    } else if (newton) {
        solve_curvature(c, first_time);
    } else {
        solve_inertia(c, a->step);
    }
}

/* The factor beta of the previous direction for conjugate gradients. */
static real turning_back(const Constraints *c, int blocks)
{
    const Arena *a = &c->a;
    const real turned = inner(a->gradient, a->step, blocks) - inner(a->gradient, a->spare, blocks);
    return maximum(0, turned / maximum(MIN_CURVATURE, inner(a->old_gradient, a->spare, blocks)));
}

/* Solves from qacc_warmstart or qacc_smooth: sets acc, row_force, row_state, force. */
static void solve_primal(Constraints *c, int newton)
{
    const Arena *a = &c->a;
    real *direction = a->direction;
    const int nv = FACT(c, nv), blocks = BLOCKS(c);
    const real scale = 1 / total_inertia(c), tolerance = c->m.opt_tolerance[0];
    real cost = start_from(c), still = kinetic(c);
    cost += still;
    find_gradient(c);
    find_step(c, newton, 1);
    for (int i = 0; i < BLOCK * blocks; i += BLOCK)
        put_block(direction + i, -block_of(a->step + i));
    int done = 0;
    while (done < c->m.opt_iterations[0] && !is_interrupted(c)) {
        const real length = sqrt(inner(direction, direction, blocks));
        multiply_inertia(c, direction, a->moved);
        multiply_rows(c, direction, a->row_search);
        Block slope = {0}, curvature = {0};
        for (int i = 0; i < BLOCK * blocks; i += BLOCK) {
            const Block x = block_of(direction + i);
            slope += x * (block_of(a->momentum + i) - block_of(a->smooth + i));
            curvature += x * block_of(a->moved + i);
        }
        const Quadratic line = {{still, sum_of(slope), 0.5 * sum_of(curvature)}};
        const real slope0 = inner(a->gradient, direction, blocks);
        const Point start = {0, cost, slope0, -slope0};
        const real alpha = search_line(c, line, length, scale, newton ? &start : NULL);
        if (alpha == 0)
            break;
        add_multiple(a->acc, alpha, direction, blocks);
        add_multiple(a->momentum, alpha, a->moved, blocks);
        add_multiple(a->row_residual, alpha, a->row_search, row_blocks(c));
        if (!newton) {
            copy_blocks(a->old_gradient, a->gradient, blocks);
            copy_blocks(a->spare, a->step, blocks);
        }
        const real before = cost;
        still = kinetic(c);
        cost = update(c, a->row_residual) + still;
        find_gradient(c);
        done++;
        if (scale * (before - cost) < tolerance || scale * sqrt(inner(a->gradient, a->gradient, blocks)) < tolerance)
            break;
        find_step(c, newton, 0);
        const real beta = newton ? 0 : turning_back(c, blocks);
        for (int i = 0; i < BLOCK * blocks; i += BLOCK)
            put_block(direction + i, beta * block_of(direction + i) - block_of(a->step + i));
    }
    c->iterations = done;
}

#endif
