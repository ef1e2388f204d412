#ifndef POLYBODY_BY_ISLANDS_H
#define POLYBODY_BY_ISLANDS_H

/* Newton's method and conjugate gradients by islands. Islands do not influence each other, so each has its own steps,
   directions and termination; products with M and J, and Newton's directions, are computed for all active islands at once. */

#include "solver/islands.h"

/* `step`, the inverse of M times the gradient: uphill. */
static void find_active_step(const Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    EVERY_DOF (i, active)
        a->step[i] = a->gradient[i];
    for (int k = 0; k < active->dof_ranges; k++)
        solve_range(c, active->dofs[k], a->step);
}

/* The same with the Hessian of Newton's method; 0 for other degrees of freedom. */
static void find_newton_step(Constraints *c, const Active *active, int first_time)
{
    const Arena *a = &c->a;
    memset(a->step, 0, sizeof(real) * PADDED * FACT(c, blocks));
    EVERY_DOF (i, active)
        a->step[i] = a->gradient[i];
    solve_metric(c, 1, first_time);
}

/* Computes the cost and the forces of the rows of active islands, and the gradient. */
static void find_costs(Constraints *c, const Active *active)
{
    const int newton = FACT(c, solver) == SOLVER_NEWTON;
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    for (int k = 0; k < c->islands; k++) {
        if (!islands[k].active)
            continue;
        Constraints part = part_of(c, islands + k);
        islands[k].cost = update(&part, part.a.row_residual);
        islands[k].still = islands[k].gradient = 0;
    }
    EVERY_ROW (i, active)
        a->row_force[i] = a->part_force[a->row_place[i]];
    if (newton)
        EVERY_ROW (i, active)
            a->row_state[i] = a->part_state[a->row_place[i]];
    gather_active(c, active);
    EVERY_DOF (i, active) {
        Island *own = island_of_dof(c, i);
        const int held = FACT(c, prescribed) && c->m.dof_prescribed[i] > 0;
        a->gradient[i] = held ? 0 : a->momentum[i] - a->smooth[i] - a->force[i];
        own->still += 0.5 * (a->momentum[i] - a->smooth[i]) * (a->acc[i] - a->free[i]);
        own->gradient += a->gradient[i] * a->gradient[i];
    }
    for (int k = 0; k < c->islands; k++)
        if (islands[k].active)
            islands[k].cost += islands[k].still;
}

/* Line search of each active island; those without progress become inactive. */
static void search_lines(Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    const int newton = FACT(c, solver) == SOLVER_NEWTON;
    Island *islands = islands_of(c);
    for (int k = 0; k < c->islands; k++)
        islands[k].length = islands[k].slope = islands[k].curvature = islands[k].alpha = islands[k].start_slope = 0;
    EVERY_ROW (i, active)
        a->part_search[a->row_place[i]] = a->row_search[i];
    EVERY_DOF (i, active) {
        Island *own = island_of_dof(c, i);
        const real x = a->direction[i];
        own->length += x * x;
        own->slope += x * (a->momentum[i] - a->smooth[i]);
        own->curvature += x * a->moved[i];
        own->start_slope += x * a->gradient[i];
    }
    for (int k = 0; k < c->islands; k++) {
        Island *own = islands + k;
        if (!own->active)
            continue;
        Constraints part = part_of(c, own);
        const Quadratic line = {{own->still, own->slope, 0.5 * own->curvature}};
        const Point start = {0, 0, own->start_slope, -own->start_slope};
        const Point found = search_line(&part, line, sqrt(own->length), 1 / own->inertia, newton ? &start : NULL);
        own->alpha = found.at;
        own->gained = -found.cost;
        own->active = own->alpha != 0;
    }
}

/* Takes the steps. */
static void advance_islands(Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    const Island *islands = islands_of(c);
    EVERY_DOF (i, active) {
        const Island *own = island_of_dof(c, i);
        if (!own->active)
            continue;
        a->acc[i] += own->alpha * a->direction[i];
        a->momentum[i] += own->alpha * a->moved[i];
    }
    EVERY_ROW (i, active) {
        const Island *own = islands + a->row_island[i];
        if (!own->active)
            continue;
        a->part_residual[a->row_place[i]] += own->alpha * a->row_search[i];
        if (FACT(c, solver) == SOLVER_NEWTON)
            a->row_residual[i] += own->alpha * a->row_search[i];
    }
}

/* Whether the last step of an island was its last. */
static inline int has_converged(const Constraints *c, const Island *own)
{
    if (is_newest(c))
        return is_small(c, own->gained / own->inertia, sqrt(own->gradient) / own->inertia);
    const real tolerance = c->m.opt_tolerance[0] * own->inertia;
    return own->last_cost - own->cost < tolerance || sqrt(own->gradient) < tolerance;
}

/* Removes islands that are no longer active; they keep their accelerations. */
static void retire_islands(Constraints *c, Active *active)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    int ended = 0;
    for (int k = 0; k < c->islands; k++) {
        ended |= !islands[k].active && !islands[k].ended;
        islands[k].ended = !islands[k].active;
    }
    if (!ended)
        return;
    EVERY_DOF (i, active)
        if (!island_of_dof(c, i)->active)
            a->direction[i] = 0;
    *active = find_active(c);
}

/* Deactivates the islands that have converged; `active` becomes the remaining ones. */
static void end_islands(Constraints *c, Active *active)
{
    Island *islands = islands_of(c);
    for (int k = 0; k < c->islands; k++) {
        Island *own = islands + k;
        if (own->active) {
            own->done++;
            own->active = !has_converged(c, own);
        }
    }
    retire_islands(c, active);
}

/* Deactivates the islands whose cost cannot fall, or will not, by more than the tolerance, according to the product of gradient and
   step; `start`: at the initial point, where Newton's method requires a small gradient too. */
static void end_by_promise(Constraints *c, Active *active, int start)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    const int gradient_too = start && FACT(c, solver) == SOLVER_NEWTON;
    const real tolerance = c->m.opt_tolerance[0];
    for (int k = 0; k < c->islands; k++)
        islands[k].promised = 0;
    EVERY_DOF (i, active)
        island_of_dof(c, i)->promised += 0.5 * a->gradient[i] * a->step[i];
    for (int k = 0; k < c->islands; k++) {
        Island *own = islands + k;
        const int may = !gradient_too || sqrt(own->gradient) / own->inertia < tolerance;
        own->active = own->active && !(may && maximum(0, own->promised / own->inertia) < tolerance);
    }
    retire_islands(c, active);
}

/* The next directions of Newton's method: downhill. */
static void turn_by_newton(Constraints *c, Active *active)
{
    const Arena *a = &c->a;
    if (!active->row_ranges)
        return;
    find_newton_step(c, active, 0);
    end_by_promise(c, active, 0);
    EVERY_DOF (i, active)
        a->direction[i] = -a->step[i];
}

/* The factor of the previous direction of an island. */
static inline real turning_of(const Constraints *c, const Island *own)
{
    if (is_newest(c))
        return turn_further(own->along, own->changed, own->stepped, own->risen, own->length, own->gradient);
    return maximum(0, own->turned / maximum(MIN_CURVATURE, own->old));
}

/* The next directions of conjugate gradients: downhill, plus the previous direction times a factor. */
static void turn_islands(Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    EVERY_DOF (i, active)
        a->spare[i] = a->step[i];
    find_active_step(c, active);
    for (int k = 0; k < c->islands; k++) {
        Island *own = islands + k;
        own->turned = own->old = own->along = own->changed = own->stepped = own->risen = 0;
    }
    EVERY_DOF (i, active) {
        Island *own = island_of_dof(c, i);
        if (!is_newest(c)) {
            own->turned += a->gradient[i] * (a->step[i] - a->spare[i]);
            own->old += a->old_gradient[i] * a->spare[i];
            continue;
        }
        const real y = a->gradient[i] - a->old_gradient[i];
        own->along += y * a->direction[i];
        own->changed += y * (a->step[i] - a->spare[i]);
        own->stepped += y * a->step[i];
        own->risen += a->gradient[i] * a->direction[i];
    }
    EVERY_DOF (i, active)
        a->direction[i] = turning_of(c, island_of_dof(c, i)) * a->direction[i] - a->step[i];
}

/* Finds the first steps. As of MuJoCo 4.0, deactivates the islands whose initial points are solutions. */
static void find_first_step(Constraints *c, Active *active)
{
    const int newton = FACT(c, solver) == SOLVER_NEWTON;
    int flat = !newton;
    for (int k = 0; k < c->islands; k++)
        flat |= sqrt(islands_of(c)[k].gradient) < c->m.opt_tolerance[0] * islands_of(c)[k].inertia;
    if (flat) {
        find_active_step(c, active);
        if (is_newest(c))
            end_by_promise(c, active, 1);
    }
    if (newton && active->row_ranges) {
        find_newton_step(c, active, 1);
        end_by_promise(c, active, 1);
    }
}

/* The initial point, as in start_from; trees without rows move freely. */
static Active start_islands(Constraints *c)
{
    const Arena *a = &c->a;
    start_from(c);
    part_rows(c);
    Active active = find_active(c);
    for (int i = 0; i < FACT(c, nv); i++)
        if (!island_of_dof(c, i)) {
            a->acc[i] = a->free[i];
            a->force[i] = 0;
        }
    multiply_inertia(c, a->acc, a->momentum);
    to_parts(c, a->part_residual, a->row_residual);
    memset(a->direction, 0, sizeof(real) * PADDED * FACT(c, blocks));
    find_costs(c, &active);
    find_first_step(c, &active);
    EVERY_DOF (i, &active)
        a->direction[i] = -a->step[i];
    return active;
}

/* Solves from qacc_warmstart or qacc_smooth: sets acc, row_force, row_state, force. */
static void solve_islands(Constraints *c)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    Active active = start_islands(c);
    for (int round = 0; round < c->m.opt_iterations[0] && active.row_ranges && !is_interrupted(c); round++) {
        multiply_active(c, &active);
        search_lines(c, &active);
        advance_islands(c, &active);
        EVERY_DOF (i, &active)
            a->old_gradient[i] = a->gradient[i];
        for (int k = 0; k < c->islands; k++)
            islands[k].last_cost = islands[k].cost;
        find_costs(c, &active);
        end_islands(c, &active);
        if (FACT(c, solver) == SOLVER_NEWTON)
            turn_by_newton(c, &active);
        else
            turn_islands(c, &active);
    }
    for (int i = 0; i < c->nefc; i++)
        a->row_state[i] = a->part_state[a->row_place[i]];
    c->iterations = 0;
    for (int k = 0; k < c->islands; k++)
        c->iterations += a->island_iterations[k] = islands[k].done;
}

#endif
