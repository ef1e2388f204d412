#ifndef POLYBODY_ISLANDS_H
#define POLYBODY_ISLANDS_H

/* Conjugate gradients by islands. Trees coupled by rows form an island. Islands do not influence each other,
   so each has its own steps, directions and termination; products with M and J are computed for all active
   islands at once.

   The user's rows keep their order. The columns that the line search reads are copied, island after island,
   to the columns `part_`, where each island looks like a separate set of constraints. */

#include "solver/primal.h"

/* One island: its rows in the columns of part_, and the state of its solution. */
typedef struct {
    int first, rows, equalities, frictions, done, active, ended, first_cone, cones;
    real inertia, cost, last_cost, still, slope, curvature, length, alpha, gradient, turned, old;
} Island;

_Static_assert(sizeof(Island) <= 16 * sizeof(real), "the column `island` has too few numbers");

static inline Island *islands_of(const Constraints *c) { return (Island *)(void *)c->a.island; }

/* The island of a degree of freedom, or NULL if no row acts on its tree. */
static inline Island *island_of_dof(const Constraints *c, int i)
{
    const int island = c->a.tree_island[c->m.dof_treeid[i]];
    return island < 0 ? NULL : islands_of(c) + island;
}

/* --- trees coupled by rows ---------------------------------------------------------------------------------------- */

static inline int first_of(int *joined, int tree)
{
    while (joined[tree] != tree)
        tree = joined[tree] = joined[joined[tree]];
    return tree;
}

/* Merges two trees; returns the lower index, which represents both. */
static inline int join_trees(int *joined, int one, int other)
{
    one = first_of(joined, one);
    other = first_of(joined, other);
    const int low = one < other ? one : other, high = one < other ? other : one;
    joined[high] = low;
    return low;
}

/* Merges the trees that the rows of one constraint act on; returns one of them. A column may be 0 at present:
   a tendon wraps only some of its geoms. */
static int join_columns(const Constraints *c, int first)
{
    const int *columns = columns_of_row(c, first), *tree = c->m.dof_treeid, n = length_of_row(c, first);
    int found = -1;
    for (int r = 0; r < c->a.row_dim[first]; r++) {
        const real *J = row_of(c, first + r);
        for (int k = 0; k < n; k++)
            if (J[k] != 0)
                found = found < 0 ? tree[columns[k]] : join_trees(c->a.tree_joined, found, tree[columns[k]]);
    }
    if (found < 0) /* nothing moves it at present */
        found = tree[FACT(c, dense) ? __builtin_ctzll(c->a.row_mask[first]) : columns[0]];
    return found;
}

/* Finds the islands of the current rows, numbered by their first trees, and the memory that they need. */
static void find_islands(Constraints *c)
{
    const Arena *a = &c->a;
    const int nv = FACT(c, nv);
    c->islands = 0;
    for (int tree = 0; tree < nv; tree++) { /* there are at most nv trees */
        a->tree_joined[tree] = tree;
        a->tree_island[tree] = -1;
    }
    for (int i = 0; i < c->nefc; i += a->row_dim[i])
        a->row_island[i] = join_columns(c, i);
    for (int i = 0; i < c->nefc; i += a->row_dim[i])
        a->tree_island[first_of(a->tree_joined, a->row_island[i])] = 0;
    for (int tree = 0; tree < nv; tree++) {
        const int first = first_of(a->tree_joined, tree);
        if (first < tree)
            a->tree_island[tree] = a->tree_island[first];
        else if (a->tree_island[tree] == 0)
            a->tree_island[tree] = c->islands++;
    }
    for (int i = 0; i < c->nefc; i += a->row_dim[i]) {
        const int island = a->tree_island[a->row_island[i]];
        for (int r = 0; r < a->row_dim[i]; r++)
            a->row_island[i + r] = island;
    }
    c->need.part = c->nefc + (long)PADDED * (c->islands + 1);
}

/* --- rows by islands ---------------------------------------------------------------------------------------------- */

/* The rows of one island as a separate set of constraints. */
static Constraints part_of(const Constraints *c, const Island *island)
{
    Constraints part = *c;
    Arena *a = &part.a;
    const int first = island->first;
    part.nefc = island->rows;
    part.ne = island->equalities;
    part.nf = island->frictions;
    a->row_type = c->a.part_type + first;
    a->row_id = c->a.part_id + first;
    a->row_dim = c->a.part_dim + first;
    a->row_state = c->a.part_state + first;
    a->row_residual = c->a.part_residual + first;
    a->row_search = c->a.part_search + first;
    a->row_D = c->a.part_D + first;
    a->row_R = c->a.part_R + first;
    a->row_frictionloss = c->a.part_frictionloss + first;
    a->row_force = c->a.part_force + first;
    place_cones(&part, c, island->first_cone);
    part.cones = island->cones;
    return part;
}

/* Copy a column of the rows to a column of part_. */
static void to_parts(const Constraints *c, real *to, const real *from)
{
    for (int i = 0; i < c->nefc; i++)
        to[c->a.row_place[i]] = from[i];
}

/* Initialises the islands: their rows, followed by zeros as far as blocks that begin at any row extend. */
static void part_rows(Constraints *c)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    const size_t size = sizeof(real) * c->need.part;
    memset(islands, 0, sizeof(Island) * c->islands);
    for (int i = 0; i < c->nefc; i++) {
        Island *own = islands + a->row_island[i];
        own->rows++;
        own->equalities += i < c->ne;
        own->frictions += i >= c->ne && i < c->ne + c->nf;
    }
    for (int k = 1; k < c->islands; k++)
        islands[k].first = islands[k - 1].first + islands[k - 1].rows + PADDED;
    memset(a->part_residual, 0, size);
    memset(a->part_search, 0, size);
    memset(a->part_D, 0, size);
    for (int k = 0; k < c->islands; k++)
        islands[k].done = islands[k].first; /* temporarily the position of the next row */
    for (int i = 0; i < c->nefc; i++) {
        const int place = a->row_place[i] = islands[a->row_island[i]].done++;
        a->part_type[place] = a->row_type[i];
        a->part_id[place] = a->row_id[i];
        a->part_dim[place] = a->row_dim[i];
    }
    to_parts(c, a->part_D, a->row_D);
    to_parts(c, a->part_R, a->row_R);
    to_parts(c, a->part_frictionloss, a->row_frictionloss);
    int cones = 0;
    for (int k = 0; k < c->islands; k++) {
        islands[k].done = 0;
        islands[k].active = 1;
        islands[k].first_cone = cones;
        Constraints part = part_of(c, islands + k);
        find_cones(&part);
        islands[k].cones = part.cones;
        cones += (part.cones + PADDED - 1) / PADDED * PADDED;
    }
    for (int i = 0; i < FACT(c, nv); i++) {
        Island *own = island_of_dof(c, i);
        if (own)
            own->inertia += c->d.qM[c->m.M_rowadr[i] + c->m.dof_depth[i]];
    }
}

/* --- active islands ----------------------------------------------------------------------------------------------- */

/* The degrees of freedom and the rows of active islands. */
typedef struct { Range *dofs, *rows; int dof_ranges, row_ranges; } Active;

#define EVERY(i, ranges, count) \
    for (int range_ = 0; range_ < (count); range_++) \
        for (int i = (ranges)[range_].begin; i < (ranges)[range_].end; i++)
#define EVERY_DOF(i, active) EVERY(i, (active)->dofs, (active)->dof_ranges)
#define EVERY_ROW(i, active) EVERY(i, (active)->rows, (active)->row_ranges)

static inline void extend_ranges(Range *ranges, int *count, int begin, int end)
{
    if (*count && ranges[*count - 1].end == begin)
        ranges[*count - 1].end = end;
    else
        ranges[(*count)++] = (Range){begin, end};
}

static Active find_active(const Constraints *c)
{
    const Arena *a = &c->a;
    Active found = {(Range *)(void *)a->active_dofs, (Range *)(void *)a->active_rows, 0, 0};
    for (int i = 0; i < FACT(c, nv); i++) {
        const Island *own = island_of_dof(c, i);
        if (own && own->active)
            extend_ranges(found.dofs, &found.dof_ranges, i, i + 1);
    }
    for (int i = 0; i < c->nefc; i += a->row_dim[i])
        if (islands_of(c)[a->row_island[i]].active)
            extend_ranges(found.rows, &found.row_ranges, i, i + a->row_dim[i]);
    return found;
}

/* Products of the directions with M, to `moved`, and with J, to `row_search`. */
static void multiply_active(const Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    if (FACT(c, dense)) {
        BY_BLOCKS(c, multiply_dense_inertia, a->direction, a->moved);
        BY_BLOCKS(c, multiply_dense_rows, a->direction, a->row_search);
        return;
    }
    for (int k = 0; k < active->dof_ranges; k++)
        multiply_inertia_range(c, active->dofs[k], a->direction, a->moved);
    for (int k = 0; k < active->row_ranges; k++)
        multiply_packs(c, active->rows[k].begin, active->rows[k].end, a->direction, a->row_search);
}

/* J^T times the forces of the rows, to `force`. */
static void gather_active(const Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    if (FACT(c, dense)) {
        BY_BLOCKS(c, gather_dense_forces, a->row_force, a->force);
        return;
    }
    for (int k = 0; k < active->dof_ranges; k++)
        gather_packs(c, active->dofs[k].begin, active->dofs[k].end, a->row_force, a->force);
}

/* `step`, the inverse of M times the gradient: uphill. */
static void find_active_step(const Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    EVERY_DOF (i, active)
        a->step[i] = a->gradient[i];
    for (int k = 0; k < active->dof_ranges; k++)
        solve_range(c, active->dofs[k], a->step);
}

/* --- conjugate gradients ------------------------------------------------------------------------------------------- */

/* Computes the cost and the forces of the rows of active islands, and the gradient. */
static void find_costs(Constraints *c, const Active *active)
{
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
    Island *islands = islands_of(c);
    for (int k = 0; k < c->islands; k++)
        islands[k].length = islands[k].slope = islands[k].curvature = islands[k].alpha = 0;
    EVERY_ROW (i, active)
        a->part_search[a->row_place[i]] = a->row_search[i];
    EVERY_DOF (i, active) {
        Island *own = island_of_dof(c, i);
        const real x = a->direction[i];
        own->length += x * x;
        own->slope += x * (a->momentum[i] - a->smooth[i]);
        own->curvature += x * a->moved[i];
    }
    for (int k = 0; k < c->islands; k++) {
        Island *own = islands + k;
        if (!own->active)
            continue;
        Constraints part = part_of(c, own);
        const Quadratic line = {{own->still, own->slope, 0.5 * own->curvature}};
        own->alpha = search_line(&part, line, sqrt(own->length), 1 / own->inertia, NULL);
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
        if (own->active)
            a->part_residual[a->row_place[i]] += own->alpha * a->row_search[i];
    }
}

/* Deactivates the islands that have converged; `active` becomes the remaining ones. */
static void end_islands(Constraints *c, Active *active)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    int ended = 0;
    for (int k = 0; k < c->islands; k++) {
        Island *own = islands + k;
        if (own->active) {
            const real tolerance = c->m.opt_tolerance[0] * own->inertia;
            own->done++;
            own->active = !(own->last_cost - own->cost < tolerance || sqrt(own->gradient) < tolerance);
        }
        ended |= !own->active && !own->ended;
        own->ended = !own->active;
    }
    if (!ended)
        return;
    EVERY_DOF (i, active)
        if (!island_of_dof(c, i)->active)
            a->direction[i] = 0;
    *active = find_active(c);
}

/* The next directions: downhill, plus the previous direction times the factor of Polak and Ribiere. */
static void turn_islands(Constraints *c, const Active *active)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    EVERY_DOF (i, active)
        a->spare[i] = a->step[i];
    find_active_step(c, active);
    for (int k = 0; k < c->islands; k++)
        islands[k].turned = islands[k].old = 0;
    EVERY_DOF (i, active) {
        Island *own = island_of_dof(c, i);
        own->turned += a->gradient[i] * (a->step[i] - a->spare[i]);
        own->old += a->old_gradient[i] * a->spare[i];
    }
    EVERY_DOF (i, active) {
        const Island *own = island_of_dof(c, i);
        const real beta = maximum(0, own->turned / maximum(MIN_CURVATURE, own->old));
        a->direction[i] = beta * a->direction[i] - a->step[i];
    }
}

/* The initial point, as in start_from; trees without rows move freely. */
static Active start_islands(Constraints *c)
{
    const Arena *a = &c->a;
    start_from(c);
    part_rows(c); /* replaces the list of contacts */
    const Active active = find_active(c);
    for (int i = 0; i < FACT(c, nv); i++)
        if (!island_of_dof(c, i)) {
            a->acc[i] = a->free[i];
            a->force[i] = 0;
        }
    multiply_inertia(c, a->acc, a->momentum);
    to_parts(c, a->part_residual, a->row_residual);
    find_costs(c, &active);
    find_active_step(c, &active);
    memset(a->direction, 0, sizeof(real) * PADDED * FACT(c, blocks));
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
        turn_islands(c, &active);
    }
    for (int i = 0; i < c->nefc; i++)
        a->row_state[i] = a->part_state[a->row_place[i]];
    c->iterations = 0;
    for (int k = 0; k < c->islands; k++)
        c->iterations += a->island_iterations[k] = islands[k].done;
}

#endif
