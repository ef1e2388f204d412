#ifndef POLYBODY_ROWS_H
#define POLYBODY_ROWS_H

/* The rows of the constraints at the positions of a simulation.

   A row describes a scalar function of the positions: its derivatives with respect to the degrees of freedom
   (its row of the Jacobian J), its target, and its stiffness. The order of rows, the defaults and the meaning
   of the parameters are MuJoCo's: https://mujoco.readthedocs.io/en/3.2.7/modeling.html#solver-parameters,
   https://mujoco.readthedocs.io/en/3.2.7/computation/index.html#constraint-model. */

#include "rows/contact_rows.h"
#include "rows/equalities.h"
#include "rows/exact.h"
#include "rows/limits.h"
#include "rows/row_parameters.h"

/* Makes all rows at the current positions. */
static void make_rows(Constraints *c)
{
    const int off = FACT(c, off);
    c->nefc = c->ne = c->nf = c->nl = 0;
    c->need.row = c->need.index = c->need.entry = 0;
    if (!(off & DISABLE_EQUALITY))
        add_equalities(c);
    c->ne = c->nefc;
    if (!(off & DISABLE_FRICTIONLOSS))
        add_friction(c);
    add_servos(c, 0);
    c->nf = c->nefc - c->ne;
    add_servos(c, 1);
    if (!(off & DISABLE_LIMIT))
        add_limits(c);
    c->nl = c->nefc - c->ne - c->nf;
    if (!(off & DISABLE_CONTACT) && FACT(c, touching))
        add_contacts(c);
    if (FACT(c, exact))
        set_exact_diagonal(c);
    set_parameters(c);
}

#endif
