#ifndef POLYBODY_JACOBIAN_H
#define POLYBODY_JACOBIAN_H

/* Products with J, for each way in which its rows can be stored. */

#include "rows/packed_rows.h"
#include "solver/products.h"
#include "rows/wide_rows.h"

/* y = J x. */
static void multiply_rows(const Constraints *c, const real *restrict x, real *restrict y)
{
    if (FACT(c, dense)) {
        BY_BLOCKS(c, multiply_dense_rows, x, y);
        return;
    }
    if (FACT(c, multifrontal)) {
        multiply_by_fronts(c, x, y);
        return;
    }
    if (packs_rows(c)) {
        multiply_packs(c, 0, c->nefc, x, y);
        return;
    }
    const Range all = {0, c->nefc};
    multiply_row_range(c, all, x, y);
}

/* y = J^T f. */
static void gather_forces(const Constraints *c, const real *restrict f, real *restrict y)
{
    if (FACT(c, dense)) {
        BY_BLOCKS(c, gather_dense_forces, f, y);
        return;
    }
    if (packs_rows(c)) {
        gather_packs(c, 0, FACT(c, nv), f, y);
        return;
    }
    const Range all = {0, c->nefc};
    memset(y, 0, sizeof(real) * FACT(c, nv));
    if (FACT(c, multifrontal))
        gather_by_fronts(c, f, y);
    else
        gather_row_range(c, all, f, y);
}

#endif
