#ifndef POLYBODY_WRENCHES_H
#define POLYBODY_WRENCHES_H

/* Wrenches of constraint forces on bodies. */

#include "rows/rows.h"

/* Force and torque of a contact on its second geom, in the contact's frame: normal, two tangents, and torques
   about these. What the contact pulls is included. */
static void contact_wrench(const Constraints *c, const Contact *contact, real *wrench)
{
    const int first = contact->efc_address;
    for (int k = 0; k < 6; k++)
        wrench[k] = 0;
    if (first < 0)
        return;
    const real *force = c->a.row_force + first;
    const int rows = c->a.row_dim[first];
    if (c->a.row_type[first] != ROW_CONTACT_PYRAMIDAL) {
        for (int k = 0; k < rows; k++)
            wrench[k] = force[k];
        wrench[0] -= contact->adhesion;
        return;
    }
    for (int k = 0; k < rows; k++)
        wrench[0] += force[k];
    for (int k = 0; 2 * k < rows; k++)
        wrench[k + 1] = contact->friction[k] * (force[2 * k] - force[2 * k + 1]);
    wrench[0] -= contact->adhesion;
}

/* A vector from its components along the rows of a matrix. */
static inline Vec along_rows(const real *m, const real *x)
{
    return along(along(scaled(x[0], vec_at(m)), x[1], vec_at(m + 3)), x[2], vec_at(m + 6));
}

/* Adds a force at a point and a torque to a body; not to the world. */
static void apply_wrench(Constraints *c, int body, Vec point, Vec force, Vec torque)
{
    if (body == 0)
        return;
    real *to = c->d.xfrc_constraint + 6 * body;
    const Vec centre = anchor_point(mat_at(c->d.xmat + 9 * body), vec_at(c->m.body_ipos + 3 * body), vec_at(c->d.xpos + 3 * body));
    const Vec moment = add(torque, cross(sub(point, centre), force));
    for (int k = 0; k < 3; k++) {
        to[k] += part(force, k);
        to[3 + k] += part(moment, k);
    }
}

/* The torque of a weld on its first body, from the forces of its rows of orientation. */
static Vec weld_torque(const Constraints *c, int e, Vec force)
{
    if (!is_newest(c))
        return force;
    const Mat3 rates = weld_rates(anchored(c, e, 0).turn, anchored(c, e, 1).turn, c->m.eq_data[11 * e + 10]);
    return along(along(scaled(force.x, rates.x), force.y, rates.y), force.z, rates.z);
}

/* Whether the length in a row of a tendon's limit grows with the tendon's, 1, or shrinks, -1. */
static int direction_of_limit(const Constraints *c, int i)
{
    const int tendon = c->a.row_id[i], first = c->m.tendon_rowadr[tendon];
    const real *J = row_of(c, i);
    real sum = 0;
    for (int y = first; y < first + c->m.tendon_rownnz[tendon]; y++)
        for (int k = 0; k < length_of_row(c, i); k++)
            if (columns_of_row(c, i)[k] == c->m.ten_J_colind[y])
                sum += J[k] * c->d.ten_entry[y];
    return sum < 0 ? -1 : 1;
}

/* Computes ten_constraint: forces of limits, dry friction and equalities along each tendon. */
static void weigh_tendons(Constraints *c)
{
    const Arena *a = &c->a;
    real *to = c->d.ten_constraint;
    memset(to, 0, sizeof(real) * FACT(c, ntendon));
    for (int i = 0; i < c->ne + c->nf + c->nl; i += a->row_dim[i]) {
        const int id = a->row_id[i];
        const real force = a->row_force[i];
        if (a->row_type[i] == ROW_FRICTION_OF_TENDON)
            to[id] += force;
        else if (a->row_type[i] == ROW_LIMIT_OF_TENDON)
            to[id] += direction_of_limit(c, i) * force;
        else if (a->row_type[i] == ROW_EQUALITY && c->m.eq_type[id] == EQUALITY_TENDON) {
            const int second = c->m.eq_obj2id[id];
            to[c->m.eq_obj1id[id]] += force;
            if (second >= 0)
                to[second] -= force * coupling_of(c, id).slope;
        }
    }
}

/* Computes xfrc_constraint: force and moment of contacts and connections on each body at its centre of mass,
   in world axes.

   Also ten_constraint. The torque of a weld is that of its rows unchanged, as of MuJoCo 3.2.7, or the moment whose power is that of the rows, as of 4.0. */
static void weigh_rows(Constraints *c)
{
    if (is_newest(c))
        weigh_tendons(c);
    memset(c->d.xfrc_constraint, 0, sizeof(real) * 6 * FACT(c, nbody));
    for (int k = 0; k < c->ncon; k++) {
        const Contact *contact = c->contacts + k;
        if (contact->efc_address < 0 || contact->geom[0] < 0 || contact->geom[1] < 0) /* not of flexes, as in
                                                                                         MuJoCo */
            continue;
        real wrench[6];
        contact_wrench(c, contact, wrench);
        const Vec force = along_rows(contact->frame, wrench), torque = along_rows(contact->frame, wrench + 3);
        const Vec point = vec_at(contact->pos);
        apply_wrench(c, c->m.geom_bodyid[contact->geom[0]], point, negated(force), negated(torque));
        apply_wrench(c, c->m.geom_bodyid[contact->geom[1]], point, force, torque);
    }
    for (int i = 0; i < c->ne; i += c->a.row_dim[i]) {
        if (c->a.row_dim[i] == 1)
            continue;
        const int e = c->a.row_id[i];
        const Vec force = vec_at(c->a.row_force + i);
        const Vec torque = c->a.row_dim[i] == 6 ? weld_torque(c, e, vec_at(c->a.row_force + i + 3)) : vec(0, 0, 0);
        for (int side = 0; side < 2; side++) {
            const Anchor at = anchored(c, e, side);
            apply_wrench(c, at.body, at.point, side ? negated(force) : force, side ? negated(torque) : torque);
        }
    }
}

#endif
