#ifndef POLYBODY_VISITS_H
#define POLYBODY_VISITS_H

/* Sweeps as of MuJoCo 4.0: each island on its own, in random order and with momentum, whose forces go back to admissible ones and
   which starts anew once a sweep opposes it (Nesterov, A method of solving a convex programming problem with convergence rate
   O(1/k^2), 1983; O'Donoghue, Candes, Adaptive restart for accelerated gradient schemes, 2015). Without R the order is that of
   the rows, and there is no momentum.

   The order is the same as in MuJoCo: each sweep shuffles that of the last one (Fisher and Yates) by random numbers of PCG32
   (O'Neill, PCG: a family of simple fast space-efficient statistically good algorithms for random number generation, 2014). */

#include "solver/dual.h"
#include "solver/islands.h"

static inline uint32_t next_random(uint64_t *state)
{
    const uint64_t old = *state;
    const uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27), by = (uint32_t)(old >> 59);
    *state = old * 6364136223846793005ULL + 1;
    return mixed >> by | mixed << (-by & 31);
}

static void shuffle(int *list, int n, uint64_t *state)
{
    for (int i = n - 1; i > 0; i--) {
        const int j = (int)(next_random(state) % (uint32_t)(i + 1)), kept = list[i];
        list[i] = list[j];
        list[j] = kept;
    }
}

/* Number of rows, from one on, that are updated together. */
static inline int together(const Constraints *c, int row)
{
    return c->a.row_type[row] == ROW_CONTACT_ELLIPTIC ? c->a.row_dim[row] : 1;
}

/* Lists what is updated together by its first row, island after island; returns the number of islands: 1 if they are not known. */
static int list_visits(Constraints *c)
{
    const Arena *a = &c->a;
    Island *islands = islands_of(c);
    const int count = FACT(c, by_islands) ? c->islands : 1;
    memset(islands, 0, sizeof(Island) * count);
    for (int i = 0; i < c->nefc; i += together(c, i))
        islands[FACT(c, by_islands) ? a->row_island[i] : 0].rows++;
    for (int k = 1; k < count; k++)
        islands[k].first = islands[k - 1].first + islands[k - 1].rows;
    for (int i = 0; i < c->nefc; i += together(c, i)) {
        Island *own = islands + (FACT(c, by_islands) ? a->row_island[i] : 0);
        a->visited[own->first + own->done++] = i;
    }
    for (int i = 0; i < FACT(c, nv); i++) {
        Island *own = FACT(c, by_islands) ? island_of_dof(c, i) : islands;
        if (own)
            own->inertia += c->d.qM[c->m.M_rowadr[i] + c->m.dof_depth[i]];
    }
    return count;
}

/* Goes back to admissible forces: of dry friction, of what only pushes, and of elliptic contacts, whose friction shrinks. */
static void admit(const Constraints *c, int first)
{
    const Arena *a = &c->a;
    const int n = together(c, first);
    real *f = a->row_force + first, before[MAX_DIM], square = 0;
    for (int r = 0; r < n; r++)
        before[r] = f[r];
    if (first < c->ne)
        return;
    if (first < c->ne + c->nf) {
        f[0] = clamped(f[0], -a->row_frictionloss[first], a->row_frictionloss[first]);
    } else if (f[0] < 0) {
        memset(f, 0, sizeof(real) * n);
    } else if (n > 1) {
        const real *s = c->contacts[a->row_id[first]].friction;
        for (int r = 1; r < n; r++)
            square += f[r] * f[r] / (s[r - 1] * s[r - 1]);
        const real scale = square > f[0] * f[0] ? sqrt(f[0] * f[0] / maximum(MIN_CURVATURE, square)) : 1;
        for (int r = 1; r < n; r++)
            f[r] *= scale;
    }
    for (int r = 0; r < n; r++)
        if (f[r] != before[r])
            change_residuals(c, first + r, f[r] - before[r]);
}

/* Moves the forces of an island on by a multiple of their last change. Residuals are linear in forces, so they do the same. */
static void move_on(const Constraints *c, const Island *own, real beta)
{
    const Arena *a = &c->a;
    const int *list = a->visited + own->first;
    for (int v = 0; v < own->rows; v++)
        for (int i = list[v]; i < list[v] + together(c, list[v]); i++) {
            const real f = a->row_force[i], x = a->row_residual[i];
            a->row_force[i] = beta > 0 ? f + beta * (f - a->last_force[i]) : f;
            a->row_residual[i] = beta > 0 ? x + beta * (x - a->last_residual[i]) : x;
            a->last_force[i] = f;
            a->last_residual[i] = x;
        }
    for (int v = 0; beta > 0 && v < own->rows; v++)
        admit(c, list[v]);
    for (int v = 0; v < own->rows; v++)
        for (int i = list[v]; i < list[v] + together(c, list[v]); i++)
            a->reached[i] = a->row_force[i];
}

/* Whether a sweep changed the forces of an island against the momentum before it. */
static int opposes(const Constraints *c, const Island *own)
{
    const Arena *a = &c->a;
    const int *list = a->visited + own->first;
    real sum = 0;
    for (int v = 0; v < own->rows; v++)
        for (int i = list[v]; i < list[v] + together(c, list[v]); i++)
            sum += (a->row_force[i] - a->reached[i]) * (a->reached[i] - a->last_force[i]);
    return sum < 0;
}

/* Sweeps over an island; returns their number. */
static int sweep_island(Constraints *c, const Island *own)
{
    int *list = c->a.visited + own->first, done = 0, kept = 0;
    uint64_t random = 1;
    while (done < c->m.opt_iterations[0] && !is_interrupted(c)) {
        real fallen = 0;
        move_on(c, own, done > 0 ? (kept - 1) / (real)(kept + 2) : 0);
        shuffle(list, own->rows, &random);
        for (int v = 0; v < own->rows; v++)
            fallen += together(c, list[v]) > 1 ? update_contact(c, list[v]) : update_row(c, list[v]);
        kept = done > 0 && opposes(c, own) ? 0 : kept + 1;
        done++;
        if (fallen / own->inertia < c->m.opt_tolerance[0])
            break;
    }
    return done;
}

/* The same without R, over friction alone. */
static int sweep_island_bare(Constraints *c, const Island *own)
{
    const Arena *a = &c->a;
    const int *list = a->visited + own->first;
    int done = 0;
    while (done < c->m.opt_noslip_iterations[0] && !is_interrupted(c)) {
        real fallen = 0;
        for (int v = 0; done == 0 && v < own->rows; v++)
            for (int i = list[v]; i < list[v] + together(c, list[v]); i++)
                fallen += 0.5 * a->row_R[i] * a->row_force[i] * a->row_force[i];
        for (int v = 0; v < own->rows; v++) {
            const int i = list[v];
            if (a->row_type[i] == ROW_CONTACT_ELLIPTIC)
                fallen += update_slip(c, i);
            else if (a->row_type[i] == ROW_CONTACT_PYRAMIDAL && ++v)
                fallen += update_edges(c, i);
            else if (i >= c->ne && i < c->ne + c->nf)
                fallen += update_dry(c, i);
        }
        done++;
        if (fallen / own->inertia < c->m.opt_noslip_tolerance[0])
            break;
    }
    return done;
}

/* Sweeps over every island; returns their number, and adds it to that of each. */
static int sweep_islands(Constraints *c, int bare)
{
    const int count = list_visits(c);
    int total = 0;
    find_residuals(c);
    for (int k = 0; k < count; k++) {
        const Island *own = islands_of(c) + k;
        const int done = bare ? sweep_island_bare(c, own) : sweep_island(c, own);
        c->a.island_iterations[k] += done;
        total += done;
    }
    return total;
}

#endif
