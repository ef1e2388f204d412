#ifndef POLYBODY_ISLANDS_H
#define POLYBODY_ISLANDS_H

/* Islands: trees coupled by rows.

   The user's rows keep their order. The columns that the line search reads are copied, island after island,
   to the columns `part_`, where each island looks like a separate set of constraints. */

#include "solver/primal.h"

/* One island: its rows in the columns of part_, and the state of its solution. */
typedef struct {
    int first, rows, equalities, frictions, done, active, ended, first_cone, cones;
    real inertia, cost, last_cost, still, slope, curvature, length, alpha, gradient, turned, old;
    real gained, promised, start_slope, along, changed, stepped, risen;
} Island;

_Static_assert(sizeof(Island) <= 24 * sizeof(real), "the column `island` has too few numbers");

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

/* Whether a constraint couples all trees in its columns, even where its rows are 0 at present. As of MuJoCo 4.0, those between
   two bodies do, and all if the Jacobian is sparse. */
static int couples_all(const Constraints *c, int first)
{
    if (!is_newest(c))
        return 0;
    const int type = c->a.row_type[first], kind = type == ROW_EQUALITY ? c->m.eq_type[c->a.row_id[first]] : -1;
    return FACT(c, sparse) || type >= ROW_CONTACT_FRICTIONLESS || kind == EQUALITY_CONNECT || kind == EQUALITY_WELD;
}

/* The same for all columns of a constraint. */
static int join_all_columns(const Constraints *c, int first)
{
    const int *columns = columns_of_row(c, first), *tree = c->m.dof_treeid, n = length_of_row(c, first);
    int found = -1, last = -1;
    for (int k = 0; k < n; k++) {
        if (FACT(c, dense) && !(c->a.row_mask[first] >> k & 1))
            continue;
        const int own = tree[columns[k]];
        if (own != last)
            found = found < 0 ? own : join_trees(c->a.tree_joined, found, own);
        last = own;
    }
    return found;
}

/* Merges the trees that the rows of one constraint act on; returns one of them. A column may be 0 at present:
   a tendon wraps only some of its geoms. */
static int join_columns(const Constraints *c, int first)
{
    if (couples_all(c, first))
        return join_all_columns(c, first);
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
    int cones = (c->cones + PADDED - 1) / PADDED * PADDED; /* after those of all rows */
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
    if (!packs_rows(c)) {
        multiply_inertia(c, a->direction, a->moved);
        multiply_rows(c, a->direction, a->row_search);
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
    if (!packs_rows(c)) {
        gather_forces(c, a->row_force, a->force);
        return;
    }
    for (int k = 0; k < active->dof_ranges; k++)
        gather_packs(c, active->dofs[k].begin, active->dofs[k].end, a->row_force, a->force);
}

#endif
