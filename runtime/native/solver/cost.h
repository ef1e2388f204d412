#ifndef POLYBODY_COST_H
#define POLYBODY_COST_H

/* The cost of the constraints, and their forces.

   With the residual x = J a - aref of a row, the cost of an equality is D x^2 / 2; of a one-sided row the
   same if x < 0, else 0; of dry friction the same up to the force f, then linear (Huber). The cost of an
   elliptic contact is half the squared distance from the dual cone in the metric of D. Forces are the
   negative gradients (Todorov, Convex and analytically-invertible dynamics with contacts and constraints,
   2014). */

#include "rows/cones.h"

/* Sets row_force and row_state of all rows; returns their total cost. */
static real update(Constraints *c, const real *residual)
{
    const Arena *a = &c->a;
    const real *D = a->row_D;
    real cost = 0;
    int i = 0;
    for (; i < c->ne; i++) {
        a->row_state[i] = ROW_STATE_QUADRATIC;
        a->row_force[i] = -D[i] * residual[i];
        cost -= 0.5 * a->row_force[i] * residual[i];
    }
    for (; i < c->ne + c->nf; i++) {
        const real most = a->row_frictionloss[i], x = residual[i], edge = a->row_R[i] * most;
        if (x > -edge && x < edge) {
            a->row_state[i] = ROW_STATE_QUADRATIC;
            a->row_force[i] = -D[i] * x;
            cost += 0.5 * D[i] * x * x;
        } else {
            const int up = x <= -edge;
            a->row_state[i] = up ? ROW_STATE_LINEAR_NEGATIVE : ROW_STATE_LINEAR_POSITIVE;
            a->row_force[i] = up ? most : -most;
            cost += most * (fabs(x) - 0.5 * edge);
        }
    }
    const int end = end_of_sides(c);
    Block twice = {0};
    for (; i < end; i += BLOCK) { /* padded with zeros, or followed by contacts, whose forces are set below */
        const Block x = block_of(residual + i);
        const Bits acts = FACT(c, cone) == CONE_ELLIPTIC ? (x < 0) & first_ones(end - i) : x < 0;
        const Block force = block_masked(acts, -block_of(D + i) * x);
        put_block(a->row_force + i, force);
        *(Codes *)(a->row_state + i) = __builtin_convertvector(-acts, Codes); /* ROW_STATE_QUADRATIC is 1, ROW_STATE_SATISFIED 0 */
        twice -= force * x;
    }
    if (FACT(c, cone) == CONE_ELLIPTIC)
        twice += update_cones(c, residual);
    cost += 0.5 * sum_of(twice);
    return cost;
}

/* Second derivatives of the cost of a sliding contact, (dim, dim) by rows, for sparse rows. */
static inline int cone_curvature(const Constraints *c, int first, const real *residual, real *matrix)
{
    const Contact *contact = c->contacts + c->a.row_id[first];
    const int dim = c->a.row_dim[first];
    const real mu = contact->mu, weight = c->a.row_D[first] / (mu * mu * (1 + mu * mu)), normal = mu * residual[first];
    real scale[MAX_DIM] = {mu}, u[MAX_DIM], square = 0;
    for (int k = 1; k < dim; k++) {
        scale[k] = contact->friction[k - 1];
        u[k] = scale[k] * residual[first + k];
        square += u[k] * u[k];
    }
    const real t = sqrt(square), ratio = mu * normal / t;
    for (int i = 0; i < dim; i++)
        for (int j = 0; j <= i; j++) {
            real h;
            if (i == 0)
                h = 1;
            else if (j == 0)
                h = -mu * u[i] / t;
            else
                h = ratio * u[i] * u[j] / (t * t) + (i == j ? mu * mu - ratio : 0);
            matrix[i * dim + j] = matrix[j * dim + i] = h * weight * scale[i] * scale[j];
        }
    return dim;
}

#endif
