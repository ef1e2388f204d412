#ifndef POLYBODY_COST_H
#define POLYBODY_COST_H

/* The cost of the constraints, and their forces.

   With the residual x = J a - aref of a row, the cost of an equality is D x^2 / 2; of a one-sided row the
   same if x < 0, else 0; of dry friction the same up to the force f, then linear (Huber). The cost of an
   elliptic contact is half the squared distance from the dual cone in the metric of D. Forces are the
   negative gradients (Todorov, Convex and analytically-invertible dynamics with contacts and constraints,
   2014). */

#include "dense.h"
#include "../collision/vector.h"

enum { MOST_DIM = 6 };

/* The rows of an elliptic contact, scaled such that its cone is N = mu |T|. */
typedef struct { int dim; real mu, scale[MOST_DIM], weight; } Elliptic;

static inline Elliptic elliptic(const Constraints *c, int first)
{
    const Contact *contact = c->contacts + c->a.row_id[first];
    Elliptic e;
    e.dim = c->a.row_dim[first];
    e.mu = contact->mu;
    e.scale[0] = e.mu;
    for (int k = 1; k < e.dim; k++)
        e.scale[k] = contact->friction[k - 1];
    e.weight = c->a.row_D[first] / (e.mu * e.mu * (1 + e.mu * e.mu));
    return e;
}

/* The zone of the cone in which a residual lies. */
typedef struct { int state; real normal, tangential, u[MOST_DIM]; } Zone;

static inline Zone zone_of(const Elliptic *e, const real *x)
{
    Zone z;
    real square = 0;
    z.u[0] = z.normal = x[0] * e->scale[0];
    for (int k = 1; k < e->dim; k++) {
        z.u[k] = x[k] * e->scale[k];
        square += z.u[k] * z.u[k];
    }
    z.tangential = sqrt(square);
    if (z.normal >= e->mu * z.tangential || (z.tangential <= 0 && z.normal >= 0))
        z.state = SATISFIED;
    else if (e->mu * z.normal + z.tangential <= 0 || (z.tangential <= 0 && z.normal < 0))
        z.state = QUADRATIC;
    else
        z.state = CONE;
    return z;
}

/* Sets the forces and states of the rows of an elliptic contact; returns their cost. */
static inline real update_cone(const Constraints *c, int first, const real *residual)
{
    const Arena *a = &c->a;
    const Elliptic e = elliptic(c, first);
    const Zone z = zone_of(&e, residual + first);
    const real *x = residual + first;
    real *force = a->row_force + first, cost = 0;
    const real gap = z.normal - e.mu * z.tangential;
    if (z.state == CONE) {
        cost = 0.5 * e.weight * gap * gap;
        force[0] = -e.weight * gap * e.mu;
        for (int k = 1; k < e.dim; k++)
            force[k] = -force[0] / z.tangential * z.u[k] * e.scale[k];
    }
    for (int k = 0; k < e.dim; k++) {
        a->row_state[first + k] = z.state;
        if (z.state == QUADRATIC) {
            force[k] = -a->row_D[first + k] * x[k];
            cost -= 0.5 * force[k] * x[k];
        } else if (z.state == SATISFIED) {
            force[k] = 0;
        }
    }
    return cost;
}

/* Sets row_force and row_state of all rows; returns their total cost. */
static real update(Constraints *c, const real *residual)
{
    const Arena *a = &c->a;
    const real *D = a->row_D;
    real cost = 0;
    int i = 0;
    for (; i < c->ne; i++) {
        a->row_state[i] = QUADRATIC;
        a->row_force[i] = -D[i] * residual[i];
        cost -= 0.5 * a->row_force[i] * residual[i];
    }
    for (; i < c->ne + c->nf; i++) {
        const real most = a->row_frictionloss[i], x = residual[i], edge = a->row_R[i] * most;
        if (x > -edge && x < edge) {
            a->row_state[i] = QUADRATIC;
            a->row_force[i] = -D[i] * x;
            cost += 0.5 * D[i] * x * x;
        } else {
            const int up = x <= -edge;
            a->row_state[i] = up ? LINEAR_NEGATIVE : LINEAR_POSITIVE;
            a->row_force[i] = up ? most : -most;
            cost += most * (fabs(x) - 0.5 * edge);
        }
    }
    if (FACT(c, cone) == ELLIPTIC) {
        while (i < c->nefc) {
            if (a->row_type[i] == CONTACT_ELLIPTIC) {
                cost += update_cone(c, i, residual);
                i += a->row_dim[i];
                continue;
            }
            const real x = residual[i], force = x < 0 ? -D[i] * x : 0;
            a->row_state[i] = x < 0 ? QUADRATIC : SATISFIED;
            a->row_force[i] = force;
            cost -= 0.5 * force * x;
            i++;
        }
        return cost;
    }
    Block twice = {0};
    for (; i < c->nefc; i += BLOCK) { /* padded with zeros */
        const Block x = block_of(residual + i);
        const Bits acts = x < 0;
        const Block force = where(acts, -block_of(D + i) * x);
        put_block(a->row_force + i, force);
        *(Codes *)(a->row_state + i) = __builtin_convertvector(-acts, Codes); /* QUADRATIC is 1, SATISFIED 0 */
        twice -= force * x;
    }
    cost += 0.5 * sum_of(twice);
    return cost;
}

/* Second derivatives of the cost of an elliptic contact in the zone CONE, (dim, dim) by rows. */
static inline int cone_curvature(const Constraints *c, int first, const real *residual, real *matrix)
{
    const Elliptic e = elliptic(c, first);
    const Zone z = zone_of(&e, residual + first);
    const real t = z.tangential, ratio = e.mu * z.normal / t;
    for (int i = 0; i < e.dim; i++)
        for (int j = 0; j <= i; j++) {
            real h;
            if (i == 0)
                h = 1;
            else if (j == 0)
                h = -e.mu * z.u[i] / t;
            else
                h = ratio * z.u[i] * z.u[j] / (t * t) + (i == j ? e.mu * e.mu - ratio : 0);
            h *= e.weight * e.scale[i] * e.scale[j];
            matrix[i * e.dim + j] = matrix[j * e.dim + i] = h;
        }
    return e.dim;
}

#endif
