#ifndef POLYBODY_PRIMAL_H
#define POLYBODY_PRIMAL_H

/* Newton's method and conjugate gradients on accelerations: minimise (a - qacc_smooth)' M (a - qacc_smooth) / 2 + the cost of the
   rows at J a - aref.

   The directions of conjugate gradients are those of Polak and Ribiere, or as of MuJoCo 4.0 those of Hager and Zhang (A new
   conjugate gradient method with guaranteed descent and an efficient line search, 2005). As of MuJoCo 4.0 the initial
   point is tested too: the cost is at most g' M^-1 g / 2 above its minimum, g being the gradient. Newton's method also ends
   once g' H^-1 g / 2, the decrease that the next step promises, is small. */

#include "solver/cost.h"
#include "solver/factor.h"
#include "solver/fronts.h"
#include "rows/jacobian.h"
#include "solver/line_search.h"
#include "solver/limbs.h"

#define MIN_GRADIENT 0.01 /* a longer one does not loosen the bound of Hager and Zhang */

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

/* The inverse metric times `step`, in place. */
INLINE void solve_metric(Constraints *c, int newton, int first_time)
{
    const Arena *a = &c->a;
    if (newton && FACT(c, multifrontal)) {
        factorise_fronts(c, first_time);
        solve_fronts(c, a->step);
    } else if (newton) {
        solve_curvature(c, first_time);
    } else {
        solve_inertia(c, a->step);
    }
}

/* `step`, the inverse metric times the gradient: uphill. */
INLINE void find_step(Constraints *c, int newton, int first_time)
{
    copy_blocks(c->a.step, c->a.gradient, BLOCKS(c));
    solve_metric(c, newton, first_time);
}

/* The factor beta of the previous direction for conjugate gradients. */
static real turning_back(const Constraints *c, int blocks)
{
    const Arena *a = &c->a;
    const real turned = inner(a->gradient, a->step, blocks) - inner(a->gradient, a->spare, blocks);
    return maximum(0, turned / maximum(MIN_CURVATURE, inner(a->old_gradient, a->spare, blocks)));
}

/* The same of Hager and Zhang, with their bound. With the change y of the gradient, and M^-1 y: the products of the direction
   with y, of y with M^-1 y, of y with the step and of the direction with the gradient, and both squared lengths. */
INLINE real turn_further(real along, real changed, real stepped, real risen, real length2, real gradient2)
{
    if (along < MIN_CURVATURE)
        return 0;
    const real short_gradient = sqrt(gradient2) < MIN_GRADIENT ? sqrt(gradient2) : MIN_GRADIENT;
    const real least = -1 / maximum(MIN_CURVATURE, sqrt(length2) * short_gradient);
    return maximum(least, (stepped - 2 * (changed / along) * risen) / along);
}

static real turning_on(const Constraints *c, int blocks)
{
    const Arena *a = &c->a;
    Block along = {0}, changed = {0}, stepped = {0};
    for (int i = 0; i < BLOCK * blocks; i += BLOCK) {
        const Block y = block_of(a->gradient + i) - block_of(a->old_gradient + i), step = block_of(a->step + i);
        along += y * block_of(a->direction + i);
        changed += y * (step - block_of(a->spare + i));
        stepped += y * step;
    }
    return turn_further(sum_of(along), sum_of(changed), sum_of(stepped), inner(a->direction, a->gradient, blocks),
                        inner(a->direction, a->direction, blocks), inner(a->gradient, a->gradient, blocks));
}

/* Half the product of gradient and step: a bound of what the cost can fall, or what it will fall. */
INLINE real promised(const Constraints *c) { return maximum(0, 0.5 * inner(c->a.gradient, c->a.step, BLOCKS(c))); }

/* Finds the first step. As of MuJoCo 4.0, returns whether the initial point is a solution. Newton's method requires a small
   gradient as well; then it first tries the bound, which takes no factors of the Hessian. */
static int is_solved(Constraints *c, int newton, real scale)
{
    const real tolerance = c->m.opt_tolerance[0];
    const int newest = is_newest(c), flat = newest && scale * sqrt(inner(c->a.gradient, c->a.gradient, BLOCKS(c))) < tolerance;
    if (newton && flat) {
        find_step(c, 0, 1);
        if (scale * promised(c) < tolerance)
            return 1;
    }
    find_step(c, newton, 1);
    return newest && (flat || !newton) && scale * promised(c) < tolerance;
}

/* The kinetic part of the cost along the direction. */
INLINE Quadratic kinetic_along(const Arena *a, real still, int blocks)
{
    Block slope = {0}, curvature = {0};
    for (int i = 0; i < BLOCK * blocks; i += BLOCK) {
        const Block x = block_of(a->direction + i);
        slope += x * (block_of(a->momentum + i) - block_of(a->smooth + i));
        curvature += x * block_of(a->moved + i);
    }
    return (Quadratic){{still, sum_of(slope), 0.5 * sum_of(curvature)}};
}

/* Trees on which no row acts move freely. */
static void free_trees(Constraints *c)
{
    const Arena *a = &c->a;
    for (int i = 0; i < FACT(c, nv); i++)
        if (a->tree_island[c->m.dof_treeid[i]] < 0) {
            a->acc[i] = a->free[i];
            a->momentum[i] = a->smooth[i];
        }
}

/* Whether a decrease of the cost, or the gradient after it, is small enough. As of MuJoCo 4.0 a rise is not. */
INLINE int is_small(const Constraints *c, real gained, real gradient)
{
    const real tolerance = c->m.opt_tolerance[0];
    return (gained < tolerance && !(is_newest(c) && gained <= 0)) || gradient < tolerance;
}

/* Solves from qacc_warmstart or qacc_smooth: sets acc, row_force, row_state, force. Returns the number of iterations. */
static int solve_primal(Constraints *c, int newton)
{
    const Arena *a = &c->a;
    real *direction = a->direction;
    const int blocks = BLOCKS(c), newest = is_newest(c), most = c->m.opt_iterations[0];
    const real scale = 1 / total_inertia(c);
    real cost = start_from(c);
    if (newest && FACT(c, by_islands))
        free_trees(c);
    real still = kinetic(c);
    cost += still;
    find_gradient(c);
    int done = 0, ended = is_solved(c, newton, scale);
    for (int i = 0; i < BLOCK * blocks; i += BLOCK)
        put_block(direction + i, -block_of(a->step + i));
    while (!ended && done < most && !is_interrupted(c)) {
        const real length = sqrt(inner(direction, direction, blocks));
        multiply_inertia(c, direction, a->moved);
        multiply_rows(c, direction, a->row_search);
        const Quadratic line = kinetic_along(a, still, blocks);
        const real slope0 = inner(a->gradient, direction, blocks);
        const Point start = {0, newest ? 0 : cost, slope0, -slope0};
        const Point found = search_line(c, line, length, scale, newton ? &start : NULL);
        if (found.at == 0)
            break;
        add_multiple(a->acc, found.at, direction, blocks);
        add_multiple(a->momentum, found.at, a->moved, blocks);
        add_multiple(a->row_residual, found.at, a->row_search, row_blocks(c));
        if (!newton) {
            copy_blocks(a->old_gradient, a->gradient, blocks);
            copy_blocks(a->spare, a->step, blocks);
        }
        const real before = cost;
        still = kinetic(c);
        cost = update(c, a->row_residual) + still;
        find_gradient(c);
        done++;
        if (is_small(c, scale * (newest ? -found.cost : before - cost), scale * sqrt(inner(a->gradient, a->gradient, blocks))))
            break;
        find_step(c, newton, 0);
        ended = newest && newton && scale * promised(c) < c->m.opt_tolerance[0];
        const real beta = newton ? 0 : newest ? turning_on(c, blocks) : turning_back(c, blocks);
        for (int i = 0; i < BLOCK * blocks; i += BLOCK)
            put_block(direction + i, beta * block_of(direction + i) - block_of(a->step + i));
    }
    return c->iterations = done;
}

#endif
