#ifndef POLYBODY_COST_H
#define POLYBODY_COST_H

/* The cost of the constraints, and their forces, by the formulas of codegen/physics/rows/costs.py. */

#include "formulas/blocks.h"
#include "formulas/single.h"
#include "rows/cones.h"

/* Sets row_force and row_state of all rows; returns their total cost. */
static real update(Constraints *c, const real *residual)
{
    const Arena *a = &c->a;
    const real *D = a->row_D;
    real sum = 0; /* twice the cost */
    int i = 0;
    for (; i < c->ne; i++) {
        const Response r = spring(D[i], residual[i]);
        a->row_state[i] = ROW_STATE_QUADRATIC;
        a->row_force[i] = r.force;
        sum += r.twice;
    }
    for (; i < c->ne + c->nf; i++) {
        const real most = a->row_frictionloss[i];
        const Slip r = slip(D[i], a->row_R[i] * most, most, residual[i]);
        a->row_state[i] = r.inside ? ROW_STATE_QUADRATIC : r.below ? ROW_STATE_LINEAR_NEGATIVE : ROW_STATE_LINEAR_POSITIVE;
        a->row_force[i] = r.force;
        sum += r.twice;
    }
    const int end = end_of_sides(c);
    Block twice = {0};
    for (; i < end; i += BLOCK) { /* padded with zeros, or followed by contacts, whose forces are set below */
        const Block x = block_of(residual + i);
        const BlockOneSided side = one_sided_in_blocks(block_of(D + i), x);
        const BlockResponse r = spring_in_blocks(side.D, x);
        put_block(a->row_force + i, r.force);
        *(Codes *)(a->row_state + i) = __builtin_convertvector(-side.acts, Codes); /* ROW_STATE_QUADRATIC is 1, ROW_STATE_SATISFIED 0 */
        twice += FACT(c, cone) == CONE_ELLIPTIC ? block_masked(first_ones(end - i), r.twice) : r.twice;
    }
    if (FACT(c, cone) == CONE_ELLIPTIC)
        twice += update_cones(c, residual);
    return 0.5 * (sum + sum_of(twice));
}

/* Second derivatives of the cost of a sliding contact, (dim, dim) by rows, for sparse rows. */
static inline int cone_curvature(const Constraints *c, int first, const real *residual, real *matrix)
{
    const Contact *contact = c->contacts + c->a.row_id[first];
    const int dim = c->a.row_dim[first];
    const real mu = contact->mu, weight = cone_weight(c->a.row_D[first], mu), normal = mu * residual[first];
    real scale[MAX_DIM] = {mu}, u[MAX_DIM], square = 0;
    for (int k = 1; k < dim; k++) {
        scale[k] = contact->friction[k - 1];
        u[k] = scale[k] * residual[first + k];
        square += u[k] * u[k];
    }
    const real inverse = 1 / sqrt(square);
    for (int i = 0; i < dim; i++)
        for (int j = 0; j <= i; j++) {
            const real h = i == 0 ? 1 : j == 0 ? mixed_curvature(mu, inverse, u[i]) : slide_curvature(mu, normal, inverse, u[i], u[j], i == j);
            matrix[i * dim + j] = matrix[j * dim + i] = h * weight * scale[i] * scale[j];
        }
    return dim;
}

#endif
