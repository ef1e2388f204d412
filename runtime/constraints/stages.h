#ifndef POLYBODY_STAGES_H
#define POLYBODY_STAGES_H

/* The stages in which a step asks for constraints. */

#include "../collision/collide.h"
#include "rows.h"
#include "factor.h"
#include "primal.h"
#include "dual.h"
#include "adhesion.h"
#include "sensing.h"

enum { FIND, SOLVE, WEIGH, INVERT, MEASURE, ADHERE };

static inline int needs_dual(const Constraints *c)
{
    return FACT(c, solver) == PGS || FACT(c, noslip);
}

/* Contacts, rows and pattern at the present positions. Whether memory was enough; if not, `need` says how much. */
static int find_rows(Constraints *c)
{
    c->ncon = 0;
    if (FACT(c, touching))
        c->ncon = collide(c->collision, c->d.geom_xpos, c->d.geom_xmat, c->collision_work, c->contacts, (int)c->have.contact);
    if (c->ncon > c->have.contact) {
        c->need.contact = c->ncon;
        return 0;
    }
    make_rows(c);
    if (c->need.row > c->have.row || c->need.index > c->have.index || c->need.entry > c->have.entry)
        return 0;
    if (FACT(c, solver) == NEWTON)
        find_pattern(c);
    if (needs_dual(c))
        c->need.dual = (long)c->nefc * c->nefc;
    if (c->need.hessian > c->have.hessian || c->need.dual > c->have.dual)
        return 0;
    if (c->unlisted)
        list_pattern(c);
    return 1;
}

/* No rows, since there is no memory for them. */
static void forget_rows(Constraints *c)
{
    c->ncon = c->nefc = c->ne = c->nf = c->nl = 0;
    c->failed = 1;
}

/* qacc with constraints, from qacc_smooth. */
static void solve_rows(Constraints *c)
{
    const Arena *a = &c->a;
    const size_t size = sizeof(real) * FACT(c, nv);
    c->iterations = 0;
    if (c->failed) {
        c->failed = 0;
        for (int i = 0; i < FACT(c, nv); i++)
            c->d.qacc[i] = NAN;
        return;
    }
    if (c->nefc == 0) {
        memset(c->d.qfrc_constraint, 0, size);
        memcpy(c->d.qacc, c->d.qacc_smooth, size);
        memcpy(c->d.qacc_warmstart, c->d.qacc_smooth, size);
        return;
    }
    set_references(c);
    multiply_rows(c, c->d.qacc_smooth, a->row_b);
    for (int i = 0; i < c->nefc; i++)
        a->row_b[i] -= a->row_aref[i];
    const int noslip = FACT(c, noslip);
    if (needs_dual(c))
        find_dual(c);
    if (FACT(c, solver) == PGS) {
        start_forces(c);
        c->iterations = sweep(c, 0);
        finish_dual(c);
    } else {
        solve_primal(c, FACT(c, solver) == NEWTON);
    }
    memcpy(c->d.qacc_warmstart, c->d.qacc, size);
    if (noslip) { /* which the next step does not start from */
        c->iterations += sweep(c, 1);
        finish_dual(c);
    }
}

/* qfrc_constraint of given accelerations, by the same map from residuals to forces. */
static void invert_rows(Constraints *c)
{
    memset(c->d.qfrc_constraint, 0, sizeof(real) * FACT(c, nv));
    set_references(c);
    find_residual(c, c->d.qacc);
    update(c, c->a.row_residual);
    add_row_forces(c, c->a.row_force, c->d.qfrc_constraint);
}

#endif
