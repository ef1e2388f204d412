#ifndef POLYBODY_LANES_BY_ISLANDS_H
#define POLYBODY_LANES_BY_ISLANDS_H

/* Newton's method in all lanes as of MuJoCo 4.0, each island on its own; see solver/by_islands.h for one state. */

#include "lanes/trees.h"

/* The step of Newton's method at the current residuals, and half its product with the gradient. */
static void find_steps(LaneWork *w)
{
    const vreal *gradient = (const vreal *)w->gradient;
    vreal *step = (vreal *)w->step;
    update_hessian(w);
    for (int p = 0; p < TILE * w->ntile; p++)
        step[p] = vsplat(0);
    for (int i = 0; i < w->nv; i++)
        step[w->place[i]] = gradient[i];
    factorise_and_solve(w, step);
    clear(w, SUM(promised), 1);
    for (int i = 0; i < w->nv; i++)
        tree_of_dof(w, i)->promised += vsplat(.5) * gradient[i] * step[w->place[i]];
    share(w, SUM(promised), 1);
}

/* Forces and gradient at the current residuals. */
static void find_gradients(LaneWork *w)
{
    const vreal *gradient = (const vreal *)w->gradient;
    update_lanes(w, (const vreal *)w->row_residual, (vreal *)w->row_force);
    find_gradient_in_lanes(w, (const vreal *)w->d.qfrc_constraint);
    clear(w, SUM(gradient2), 1);
    for (int i = 0; i < w->nv; i++)
        tree_of_dof(w, i)->gradient2 += gradient[i] * gradient[i];
    share(w, SUM(gradient2), 1);
}

/* The kinetic part and equalities along the directions; `constant`: their cost at the start too. */
static void find_lines(LaneWork *w, int constant)
{
    const vreal *D = (const vreal *)w->row_D, *x = (const vreal *)w->row_residual, *v = (const vreal *)w->row_search;
    const vreal *momentum = (const vreal *)w->momentum, *smooth = COLUMN(w, qfrc_smooth), *free = COLUMN(w, qacc_smooth);
    const vreal *direction = (const vreal *)w->direction, *moved = (const vreal *)w->moved, *acc = (const vreal *)w->d.qacc;
    clear(w, SUM(line), 3);
    for (int i = 0; i < w->nv; i++) {
        vreal *line = tree_of_dof(w, i)->line.x;
        if (constant)
            line[0] += vsplat(.5) * (momentum[i] - smooth[i]) * (acc[i] - free[i]);
        line[1] += direction[i] * (momentum[i] - smooth[i]);
        line[2] += vsplat(.5) * direction[i] * moved[i];
    }
    for (int part = 0; part < 2; part++) {
        const int end = part ? w->nheld : w->nequality;
        for (int i = part ? w->nsparse : 0; i < end; i++) {
            vreal *line = trees_of(w)[w->row_tree[i]].line.x;
            if (constant)
                line[0] += vsplat(.5) * D[i] * x[i] * x[i];
            line[1] += D[i] * x[i] * v[i];
            line[2] += vsplat(.5) * D[i] * v[i] * v[i];
        }
    }
    share(w, SUM(line), 3);
}

/* The directions of the trees that still move, and their products with M and J. */
static void find_directions(LaneWork *w)
{
    const vreal *gradient = (const vreal *)w->gradient, *step = (const vreal *)w->step;
    vreal *direction = (vreal *)w->direction;
    clear(w, SUM(start_slope), 2);
    for (int i = 0; i < w->nv; i++) {
        LaneTree *own = tree_of_dof(w, i);
        direction[i] = vmasked(own->run, -step[w->place[i]]);
        own->start_slope += direction[i] * gradient[i];
        own->length2 += direction[i] * direction[i];
    }
    share(w, SUM(start_slope), 2);
    multiply_mass(w, direction, (vreal *)w->moved);
    multiply_lanes(w, direction, (vreal *)w->row_search);
}

/* Takes the steps; trees without progress stop. */
static void advance_trees(LaneWork *w)
{
    vreal *acc = (vreal *)w->d.qacc, *momentum = (vreal *)w->momentum, *x = (vreal *)w->row_residual;
    const vreal *direction = (const vreal *)w->direction, *moved = (const vreal *)w->moved, *v = (const vreal *)w->row_search;
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        own->run &= own->found != vsplat(0);
        own->at = vmasked(own->run, own->found);
    }
    for (int i = 0; i < w->nv; i++) {
        const vreal at = tree_of_dof(w, i)->at;
        acc[i] += at * direction[i];
        momentum[i] += at * moved[i];
    }
    for (int i = 0; i < w->nrow; i++)
        x[i] += trees_of(w)[w->row_tree[i]].at * v[i];
}

INLINE int any_runs(const LaneWork *w)
{
    vmask any = (vmask){0};
    for (int t = 0; t < w->ntree; t++)
        any |= trees_of(w)[t].run;
    return vany(any);
}

/* Ends the trees that have converged by their last step. */
static void end_trees(const LaneWork *w)
{
    const vreal tolerance = vsplat(w->c->m.opt_tolerance[0]), zero = vsplat(0);
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        own->run &= ~((own->gained > zero) & (own->scale * own->gained < tolerance)) & (own->scale * vsqrt(own->gradient2) >= tolerance);
        if (IS_SINGLE)
            own->run &= own->gained > vsplat(SINGLE_COST) * vabs(own->cost);
        own->cost -= own->gained;
    }
}

/* Ends the trees whose next step would gain too little; `start`: at the initial point, where the gradient must be small too. */
static void end_by_promises(const LaneWork *w, int start)
{
    const vreal tolerance = vsplat(w->c->m.opt_tolerance[0]), zero = vsplat(0);
    for (int t = 0; t < w->ntree; t++) {
        LaneTree *own = trees_of(w) + t;
        vmask ends = own->scale * vmax(zero, own->promised) < tolerance;
        if (start)
            ends &= own->scale * vsqrt(own->gradient2) < tolerance;
        own->run &= ~ends;
    }
}

/* The initial point, as in start_lanes; trees without rows move freely. */
static void begin_trees(LaneWork *w, vmask has)
{
    const vreal *free = COLUMN(w, qacc_smooth), *smooth = COLUMN(w, qfrc_smooth);
    vreal *acc = (vreal *)w->d.qacc, *momentum = (vreal *)w->momentum;
    find_lane_trees(w, has);
    start_lanes(w, acc);
    for (int i = 0; i < w->nv; i++) {
        const vmask run = tree_of_dof(w, i)->run;
        acc[i] = vselect(run, acc[i], free[i]);
        momentum[i] = vselect(run, momentum[i], smooth[i]);
    }
    find_gradients(w);
    find_tiles(w);
    start_hessian(w);
    find_steps(w);
    end_by_promises(w, 1);
    if (!IS_SINGLE)
        return;
    for (int t = 0; t < w->ntree; t++)
        trees_of(w)[t].at = vsplat(0);
    memset(w->direction, 0, sizeof(vreal) * w->nv);
    memset(w->moved, 0, sizeof(vreal) * w->nv);
    memset(w->row_search, 0, sizeof(vreal) * w->nrow);
    find_lines(w, 1);
    evaluate_trees_as(w, 0);
    for (int t = 0; t < w->ntree; t++)
        trees_of(w)[t].cost = trees_of(w)[t].here.cost;
}

/* Computes qacc and qfrc_constraint in the lanes of a mask, which have rows. */
static void solve_by_islands(LaneWork *w, vmask has)
{
    const int most = w->c->m.opt_iterations[0];
    begin_trees(w, has);
    w->iterations = 0;
    while (w->iterations < most && any_runs(w) && !lanes_are_ended(w, 1e3 * (w->nrow + w->nv + 1))) {
        find_directions(w);
        find_lines(w, 0);
        search_trees(w);
        advance_trees(w);
        if (!any_runs(w))
            break;
        find_gradients(w);
        w->iterations++;
        end_trees(w);
        if (w->iterations == most || !any_runs(w))
            break;
        find_steps(w);
        end_by_promises(w, 0);
    }
}

#endif
