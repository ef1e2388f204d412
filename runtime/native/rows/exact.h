#ifndef POLYBODY_EXACT_H
#define POLYBODY_EXACT_H

/* The diagonal of J M^-1 J^T, which replaces the estimate from qpos0 in the regularisation of rows. Rows are made
   before the factors of M that the solver uses, so that these are its own. */

#include "rows/memory.h"

/* Factors of M + opt_regularization = L^T D L, in the layout of qM; see codegen/physics/ltl.py. */
static void factor_inertia(const Constraints *c, real *L)
{
    const int nv = FACT(c, nv), *depth = c->m.dof_depth;
    memcpy(L, c->d.qM, sizeof(real) * (c->m.M_rowadr[nv - 1] + depth[nv - 1] + 1));
    for (int i = 0; i < nv; i++) {
        L[c->m.M_rowadr[i] + depth[i]] += c->m.opt_regularization[0];
        if (FACT(c, prescribed) && c->m.dof_prescribed[i] > 0)
            L[c->m.M_rowadr[i] + depth[i]] += HELD;
    }
    for (int i = nv - 1; i >= 0; i--) {
        real *own = L + c->m.M_rowadr[i];
        const int *above = c->m.M_colind + c->m.M_rowadr[i], n = depth[i];
        for (int j = n - 1; j >= 0; j--) {
            const real share = own[j] / own[n];
            real *row = L + c->m.M_rowadr[above[j]];
            for (int l = 0; l <= j; l++)
                row[l] -= share * own[l];
            own[j] = share;
        }
    }
}

/* Replaces row_diagonal of all rows: the sum of x^2 / D with x = L^-T J^T. */
static void set_exact_diagonal(Constraints *c)
{
    const Arena *a = &c->a;
    const int nv = FACT(c, nv);
    real *x = a->spare;
    if (c->nefc == 0 || c->have.exact < c->m.M_rowadr[nv - 1] + c->m.dof_depth[nv - 1] + 1)
        return;
    factor_inertia(c, a->exact);
    for (int r = 0; r < c->nefc; r++) {
        const real *J = row_of(c, r);
        const int *column = columns_of_row(c, r);
        real sum = 0;
        memset(x, 0, sizeof(real) * nv);
        for (int k = 0; k < length_of_row(c, r); k++)
            x[column[k]] = J[k];
        for (int i = nv - 1; i >= 0; i--) {
            const real *L = a->exact + c->m.M_rowadr[i];
            const int *above = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i];
            for (int j = 0; x[i] != 0 && j < n; j++)
                x[above[j]] -= L[j] * x[i];
            sum += x[i] * x[i] / L[n];
        }
        a->row_diagonal[r] = sum;
    }
}

#endif
