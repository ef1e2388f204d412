#ifndef POLYBODY_LINE_SEARCH_H
#define POLYBODY_LINE_SEARCH_H

/* Line search: the step length at which the derivative of the cost vanishes, within a tolerance.

   Newton steps from one side until the derivative changes sign; then the bracket is shrunk by its midpoint
   and by Newton steps from both ends. Their order and the maximum number of evaluations follow MuJoCo's
   documentation of its solvers: https://mujoco.readthedocs.io/en/3.2.7/computation/index.html#algorithms. */

#include "solver/cost.h"
#include "solver/factor.h"

#define MIN_CURVATURE 1e-15

typedef struct { real at, cost, slope, curvature; } Point;

/* A polynomial of second degree: constant, linear, quadratic. */
typedef struct { real x[3]; } Quadratic;

typedef struct {
    const Constraints *c;
    Quadratic smooth; /* of the kinetic part and of equalities */
    int evaluations;
} Line;

/* Adds the cost of a quadratic row along the line. */
static inline void add_quadratic(Quadratic *to, const Arena *a, int row)
{
    const real x = a->row_residual[row], v = a->row_search[row], D = a->row_D[row];
    to->x[0] += 0.5 * D * x * x;
    to->x[1] += D * x * v;
    to->x[2] += 0.5 * D * v * v;
}

/* The terms that are quadratic along the whole line; and those of elliptic contacts. */
static void prepare_rows(Line *line)
{
    const Constraints *c = line->c;
    for (int i = 0; i < c->ne; i++)
        add_quadratic(&line->smooth, &c->a, i);
    if (FACT(c, cone) == CONE_ELLIPTIC)
        prepare_cones(c);
}

/* The cost and its derivatives at a point of the line. A `relative` cost is the change since the start, summed without the
   cancellation that the difference of two costs has near a minimum. */
INLINE Point evaluate_as(Line *line, real at, const int relative)
{
    const Constraints *c = line->c;
    const Arena *a = &c->a;
    const real *x = a->row_residual, *v = a->row_search;
    const Quadratic *smooth = &line->smooth;
    Rise slips = {0, 0, 0};
    Point p = {at, 0, 0, 0};
    int i = c->ne;
    line->evaluations++;
    for (; i < c->ne + c->nf; i++) {
        const real most = a->row_frictionloss[i];
        const Rise r = slip_along(a->row_D[i], a->row_R[i] * most, most, x[i] + at * v[i], v[i]);
        slips.twice += relative ? slip_change(a->row_D[i], a->row_R[i] * most, most, x[i], at * v[i]) : r.twice;
        slips.slope += r.slope;
        slips.curvature += r.curvature;
    }
    const int end = end_of_sides(c);
    BlockRise rises = {{0}, {0}, {0}};
    for (; i < end; i += BLOCK) { /* padded with zeros, or followed by contacts */
        const Block search = block_of(v + i), y = block_of(x + i) + at * search;
        const Block D = block_of(a->row_D + i);
        const BlockOneSided side = one_sided_in_blocks(FACT(c, cone) == CONE_ELLIPTIC ? block_masked(first_ones(end - i), D) : D, y);
        BlockRise rise = spring_along_in_blocks(side.D, y, search);
        if (relative) {
            const Block own = FACT(c, cone) == CONE_ELLIPTIC ? block_masked(first_ones(end - i), D) : D;
            rise.twice = side_change_in_blocks(own, block_of(x + i), at * search);
        }
        add_rise(&rises, rise);
    }
    if (FACT(c, cone) == CONE_ELLIPTIC)
        add_cones(c, at, &rises, relative);
    p.cost = 0.5 * (slips.twice + sum_of(rises.twice)) + at * (at * smooth->x[2] + smooth->x[1]) + smooth->x[0];
    p.slope = slips.slope + sum_of(rises.slope) + 2 * at * smooth->x[2] + smooth->x[1];
    p.curvature = slips.curvature + sum_of(rises.curvature) + 2 * smooth->x[2];
    if (!(p.curvature > 0))
        p.curvature = MIN_CURVATURE;
    return p;
}

static Point evaluate(Line *line, real at)
{
    return is_newest(line->c) ? evaluate_as(line, at, 1) : evaluate_as(line, at, 0);
}

static inline Point newton_point(Line *line, Point from) { return evaluate(line, from.at - from.slope / from.curvature); }

/* Replaces this end by a candidate whose slope has the same sign and is nearer to zero; returns whether there
   was one. */
static int draw_in(Point *end, const Point *candidates)
{
    int moved = 0;
    for (int k = 0; k < 3; k++) {
        const Point p = candidates[k];
        if ((end->slope < 0 && p.slope < 0 && end->slope < p.slope) ||
            (end->slope > 0 && p.slope > 0 && end->slope > p.slope)) {
            *end = p;
            moved = 1;
        }
    }
    return moved;
}

/* Shrinks the bracket between two points whose slopes have opposite signs. */
static Point shrink(Line *line, Point start, Point near, Point far, real tolerance, int most)
{
    Point candidates[3];
    candidates[1] = near;
    candidates[0] = newton_point(line, near);
    while (line->evaluations < most) {
        candidates[2] = evaluate(line, 0.5 * (near.at + far.at));
        const Point *best = NULL;
        for (int k = 0; k < 3; k++)
            if (fabs(candidates[k].slope) < tolerance && (!best || candidates[k].cost < best->cost))
                best = candidates + k;
        if (best)
            return *best;
        const int first = draw_in(&near, candidates), second = draw_in(&far, candidates);
        if (!first && !second)
            return candidates[2];
        if (first)
            candidates[0] = newton_point(line, near);
        if (second)
            candidates[1] = newton_point(line, far);
    }
    if (near.cost <= far.cost && near.cost < start.cost)
        return near;
    if (far.cost <= near.cost && far.cost < start.cost)
        return far;
    return (Point){0, 0, 0, 0};
}

/* The point along row_search where the slope vanishes, from the polynomial of the kinetic part; at 0 if none is lower. `given`,
   for the Newton direction only: cost and slope at the start; the full step is then the Newton point. As of MuJoCo 4.0 costs
   are relative to the start; a point counts only if it is lower, and the start is one end of the first bracket. */
static Point search_line(Constraints *c, Quadratic kinetic, real length, real scale, const Point *given)
{
    Line line = {c, kinetic, 0};
    const real tolerance = c->m.opt_tolerance[0] * c->m.opt_ls_tolerance[0] * length / scale;
    const int most = c->m.opt_ls_iterations[0], newest = is_newest(c);
    if (length < MIN_CURVATURE)
        return (Point){0, 0, 0, 0};
    prepare_rows(&line);
    if (newest)
        line.smooth.x[0] = 0;
    if (given)
        line.evaluations++;
    const Point start = given ? *given : evaluate(&line, 0);
    Point near = given ? evaluate(&line, 1) : newton_point(&line, start), far = newest ? start : near;
    if (!newest && start.cost < near.cost)
        near = start;
    if (fabs(near.slope) < tolerance && (!newest || near.at == 0 || near.cost < 0))
        return near;
    const int direction = near.slope < 0 ? 1 : -1;
    int crossed = newest;
    while (near.slope * direction <= -tolerance && line.evaluations < most) {
        far = near;
        crossed = 1;
        near = newton_point(&line, near);
        if (fabs(near.slope) < tolerance && (!newest || near.cost < 0))
            return near;
    }
    if (line.evaluations >= most || !crossed)
        return near;
    return shrink(&line, start, near, far, tolerance, most);
}

#endif
