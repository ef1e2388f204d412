#ifndef POLYBODY_STAGES_H
#define POLYBODY_STAGES_H

/* The stages of constraints within a step. */

#include "rows/rows.h"
#include "solver/factor.h"
#include "solver/fronts.h"
#include "solver/primal.h"
#include "solver/by_islands.h"
#include "solver/dual.h"
#include "solver/visits.h"
#ifndef POLYBODY_PROGRAM
#include "rows/adhesion.h"
#include "rows/sensing.h"
#endif

static inline int needs_dual(const Constraints *c)
{
    return FACT(c, solver) == SOLVER_PGS || FACT(c, noslip);
}

/* Computes rows and pattern at the current positions, with the current contacts. Returns whether memory was sufficient; if
   not, `need` has the required sizes. */
static int find_rows(Constraints *c)
{
    make_rows(c);
    if (c->need.row > c->have.row || c->need.index > c->have.index || c->need.entry > c->have.entry)
        return 0;
    if (FACT(c, dense))
        c->need.dense = (long)PADDED * PADDED * FACT(c, blocks) * FACT(c, blocks);
    if (FACT(c, multifrontal)) {
        if (!find_fronts(c))
            return 0;
    } else if (FACT(c, solver) == SOLVER_NEWTON) {
        find_pattern(c);
    }
    if (needs_dual(c))
        c->need.dual = dual_size(c);
    if (FACT(c, by_islands))
        find_islands(c);
    if (packs_rows(c))
        place_packs(c);
    if (FACT(c, cone) == CONE_ELLIPTIC)
        c->need.cone = FACT(c, by_islands) ? 2L * c->ncon + (long)PADDED * (c->islands + 2) : c->ncon + (long)PADDED;
    if (c->need.cone > c->have.cone || c->need.pack > c->have.pack || c->need.part > c->have.part || c->need.hessian > c->have.hessian || c->need.dense > c->have.dense || c->need.dual > c->have.dual)
        return 0;
    if (!FACT(c, dense) && !FACT(c, multifrontal) && c->unlisted)
        list_pattern(c);
    return 1;
}

/* Removes all rows because memory for them is insufficient. */
static void forget_rows(Constraints *c)
{
    c->ncon = c->nefc = c->ne = c->nf = c->nl = 0;
    c->failed = 1;
}

/* Writes zeros beyond the last row, as far as PADDED numbers that begin at any row extend. */
static void pad_rows(const Constraints *c)
{
    const Arena *a = &c->a;
    real *columns[] = {a->row_D, a->row_aref, a->row_b, a->row_residual, a->row_search, a->row_force, a->row_vel};
    const Block zeros = {0};
    for (unsigned k = 0; k < sizeof columns / sizeof *columns; k++) {
        UNROLL(16)
        for (int i = 0; i < 2 * PADDED; i += BLOCK)
            put_block(columns[k] + c->nefc + i, zeros);
    }
    for (int i = c->nefc; FACT(c, dense) && i < padded_rows(c); i++)
        for (int b = 0; b < BLOCKS(c); b++)
            put_block(row_of(c, i) + BLOCK * b, zeros);
}

/* The commanded velocity of a servo motor's row; 0 for other rows. */
static real commanded(const Constraints *c, int i)
{
    if (!FACT(c, servos) || !c->a.row_servo[i])
        return 0;
    const real *J = row_of(c, i);
    real sum = 0;
    for (int k = 0; k < length_of_row(c, i); k++)
        sum += J[k] * c->d.dof_drive[columns_of_row(c, i)[k]];
    return sum;
}

/* Subtracts from the reference accelerations what velocities alone contribute to accelerations of connections. */
static void subtract_drifts(Constraints *c)
{
    const Arena *a = &c->a;
    int k = 0;
    for (int i = 0; i < c->ne; i += a->row_dim[i]) {
        while (k < FACT(c, nconnection) && c->m.connection_eqid[k] < a->row_id[i])
            k++;
        if (k == FACT(c, nconnection) || c->m.connection_eqid[k] != a->row_id[i])
            continue;
        for (int r = 0; r < a->row_dim[i]; r++)
            a->row_aref[i + r] -= r < 3 ? c->d.connection_drift[3 * k + r] : c->d.connection_twist[3 * k + r - 3];
    }
}

/* Adds the velocities of surfaces to those of the rows of contacts. */
static void add_surface_velocities(const Constraints *c)
{
    const Arena *a = &c->a;
    for (int k = 0; k < c->ncon; k++) {
        const Contact *contact = c->contacts + k;
        if (contact->efc_address < 0)
            continue;
        real *vel = a->row_vel + contact->efc_address;
        for (int r = 1; r < contact->dim && r < 4; r++) {
            const real own = contact->surfacevel[r - 1];
            if (FACT(c, cone) == CONE_PYRAMIDAL) {
                vel[2 * r - 2] += contact->friction[r - 1] * own;
                vel[2 * r - 1] -= contact->friction[r - 1] * own;
            } else {
                vel[r] += own;
            }
        }
    }
}

/* Adds what makes the compression of contacts that pull independent of their adhesion, which is a part of the passive
   forces: the normal forces of their rows are greater by it. */
static void add_adhesion(const Constraints *c)
{
    const Arena *a = &c->a;
    for (int k = 0; k < c->ncon; k++) {
        const Contact *contact = c->contacts + k;
        const int first = contact->efc_address;
        if (contact->adhesion == 0 || first < 0)
            continue;
        const int rows = a->row_type[first] == ROW_CONTACT_PYRAMIDAL ? a->row_dim[first] : 1;
        for (int i = first; i < first + rows; i++)
            a->row_aref[i] += a->row_R[i] * (contact->adhesion / rows);
    }
}

/* Velocities and reference accelerations of the rows. */
static void set_references(Constraints *c)
{
    const Arena *a = &c->a;
    load_dofs(c, a->velocity, c->d.qvel);
    multiply_rows(c, a->velocity, a->row_vel);
    if (FACT(c, surfaces))
        add_surface_velocities(c);
    for (int i = 0; i < c->nefc; i++) {
        const real *KBIP = a->row_KBIP + 4 * i;
        const Stiffness s = {KBIP[0], KBIP[1]};
        a->row_aref[i] = reference_acceleration(s, KBIP[2], a->row_pos[i] - a->row_margin[i], a->row_vel[i] - commanded(c, i));
    }
    if (FACT(c, adhesive))
        add_adhesion(c);
    if (FACT(c, nconnection))
        subtract_drifts(c);
}

/* Ends a solve without a result: the step fails, and whoever takes it finds the reason. */
static void leave_undefined(Constraints *c)
{
    c->failed = c->stopped = 0;
    for (int i = 0; i < FACT(c, nv); i++)
        c->d.qacc[i] = NAN;
}

/* qacc with constraints, from qacc_smooth. */
static void solve_rows(Constraints *c)
{
    const Arena *a = &c->a;
    const size_t size = sizeof(real) * FACT(c, nv);
    c->iterations = 0;
    if (c->failed || c->signals.ended) {
        leave_undefined(c);
        return;
    }
    if (c->nefc == 0) {
        memset(c->d.qfrc_constraint, 0, size);
        memcpy(c->d.qacc, c->d.qacc_smooth, size);
        memcpy(c->d.qacc_warmstart, c->d.qacc_smooth, size);
        return;
    }
    memset(a->island_iterations, 0, size / sizeof(real) * sizeof(int));
    pad_rows(c);
    if (packs_rows(c))
        pack_rows(c);
    find_cones(c);
    if (!FACT(c, dense))
        find_alone(c);
    set_references(c);
    load_dofs(c, a->free, c->d.qacc_smooth);
    load_dofs(c, a->smooth, c->d.qfrc_smooth);
    multiply_rows(c, a->free, a->row_b);
    for (int i = 0; i < c->nefc; i++)
        a->row_b[i] -= a->row_aref[i];
    const int noslip = FACT(c, noslip);
    if (needs_dual(c))
        find_dual(c);
    if (FACT(c, solver) == SOLVER_PGS) {
        start_forces(c);
        c->iterations = is_newest(c) ? sweep_islands(c, 0) : sweep(c, 0);
        finish_dual(c);
    } else {
        prepare_inertia(c);
        if (FACT(c, by_islands) && (c->islands > 1 || !is_newest(c)))
            solve_islands(c);
        else
            c->a.island_iterations[0] = solve_primal(c, FACT(c, solver) == SOLVER_NEWTON);
        store_dofs(c, c->d.qacc, a->acc);
        store_dofs(c, c->d.qfrc_constraint, a->force);
    }
    if (!c->stopped)
        store_dofs(c, c->d.qacc_warmstart, c->d.qacc);
    if (noslip && !c->stopped) {
        c->iterations += is_newest(c) ? sweep_islands(c, 1) : sweep(c, 1);
        finish_dual(c);
        if (is_newest(c)) /* as of 3.2.7, its result is not the initial point of the next step */
            store_dofs(c, c->d.qacc_warmstart, c->d.qacc);
    }
    if (c->stopped)
        leave_undefined(c);
}

/* Computes qfrc_constraint for given accelerations, by the same map from residuals to forces. */
static void invert_rows(Constraints *c)
{
    pad_rows(c);
    if (packs_rows(c))
        pack_rows(c);
    find_cones(c);
    set_references(c);
    load_dofs(c, c->a.acc, c->d.qacc);
    find_residual(c, c->a.acc);
    update(c, c->a.row_residual);
    gather_forces(c, c->a.row_force, c->a.force);
    memcpy(c->d.qfrc_constraint, c->a.force, sizeof(real) * FACT(c, nv));
}

#ifndef POLYBODY_PROGRAM
/* The parts of the arena that depend only on the Model. */
static void begin(Constraints *c)
{
    if (FACT(c, multifrontal)) {
        find_groups(c);
        return;
    }
    find_tree(c);
    memcpy(c->a.pattern, c->a.tree, sizeof(uint64_t) * FACT(c, words) * FACT(c, nv));
    place_rows(c);
}

static int run(Constraints *c, int stage)
{
    switch (stage) {
    case BEGIN: begin(c); break;
    case FIND_CONSTRAINTS: return find_rows(c);
    case SOLVE_CONSTRAINTS: solve_rows(c); break;
    case INVERT_CONSTRAINTS: invert_rows(c); break;
    case WEIGH_CONSTRAINTS: weigh_rows(c); break;
    case MEASURE_CONSTRAINTS: measure_rows(c); break;
    case FIND_ADHESION: find_adhesion(c); break;
    case PULL_CONTACTS: pull_contacts(c); break;
    default: forget_rows(c);
    }
    return 1;
}
#endif

#endif
