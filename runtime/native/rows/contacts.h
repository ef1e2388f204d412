#ifndef POLYBODY_CONTACTS_H
#define POLYBODY_CONTACTS_H

/* The contacts of a simulation, from the poses of its geoms. */

#ifdef POLYBODY_PROGRAM
#include "collision/collide.h"
#endif
#include "rows/columns.h"
#include "rows/values.h"

/* Adds the velocity of a geom's surface at a point of a contact, and its angular velocity, in world axes. */
static void add_surface(const Constraints *c, int geom, real sign, Vec point, Vec *sliding, Vec *turning)
{
    const real *own = c->m.geom_surfacevel + 6 * (long)geom;
    const Mat3 turn = mat_at(c->d.geom_xmat + 9 * (long)geom);
    const Vec v = vec_at(own), w = vec_at(own + 3), arm = sub(point, vec_at(c->d.geom_xpos + 3 * (long)geom));
    const Vec spin = vec(dot(turn.x, w), dot(turn.y, w), dot(turn.z, w));
    const Vec line = add(vec(dot(turn.x, v), dot(turn.y, v), dot(turn.z, v)), cross(spin, arm));
    *sliding = along(*sliding, sign, line);
    *turning = along(*turning, sign, spin);
}

/* Sets surfacevel of all contacts: the velocity of the second surface relative to the first along the tangents,
   and the spin about the normal. */
static void set_surfaces(Constraints *c)
{
    const int known = c->ncon < c->have.contact ? c->ncon : (int)c->have.contact;
    for (int k = 0; k < known; k++) {
        Contact *contact = c->contacts + k;
        Vec sliding = vec(0, 0, 0), turning = vec(0, 0, 0);
        for (int side = 0; side < 2; side++)
            if (contact->geom[side] >= 0)
                add_surface(c, contact->geom[side], side ? 1 : -1, vec_at(contact->pos), &sliding, &turning);
        contact->surfacevel[0] = dot(vec_at(contact->frame + 3), sliding);
        contact->surfacevel[1] = dot(vec_at(contact->frame + 6), sliding);
        contact->surfacevel[2] = dot(vec_at(contact->frame), turning);
    }
}

/* Computes the contacts. Returns whether memory was sufficient; if not, `need` has the required size. If a signal ends the search,
   nothing is solved with them. */
static int find_contacts(Constraints *c)
{
    c->ncon = 0;
    if (FACT(c, touching)) {
#ifdef POLYBODY_PROGRAM /* programs leave flexes to the driver */
        c->ncon = collide(c->collision, c->d.geom_xpos, c->d.geom_xmat, c->collision_work, c->contacts, (int)c->have.contact,
                          &c->signals);
#else
        c->ncon = c->collision->calls->contacts(c->collision, c->d.geom_xpos, c->d.geom_xmat, c->d.flexvert_xpos,
                                                c->collision_work, c->contacts, (int)c->have.contact, &c->signals);
#endif
    }
    if (FACT(c, surfaces))
        set_surfaces(c);
    if (c->ncon > c->have.contact)
        c->need.contact = c->ncon;
    return c->ncon <= c->have.contact;
}

#endif
