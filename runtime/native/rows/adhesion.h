#ifndef POLYBODY_ADHESION_H
#define POLYBODY_ADHESION_H

/* Forces along the normals of contacts. Actuators that act on whatever touches a body: their moment is the
   negative mean of the contacts' normal Jacobians, including contacts in the gap. Contacts that pull. */

#include "rows/rows.h"

/* Adds the normal row of a contact's Jacobian to a vector. */
static void add_normal(Constraints *c, const Contact *contact, real *moment)
{
    const Arena *a = &c->a;
    const int one = c->m.geom_bodyid[contact->geom[0]], other = c->m.geom_bodyid[contact->geom[1]];
    const int n = find_path(c, one, other, 0);
    const Vec normal = vec_at(contact->frame), point = vec_at(contact->pos);
    for (int k = 0; k < n; k++) {
        const real s = a->sign[2 * k + 1] - a->sign[2 * k];
        moment[a->path[k]] += s * dot(normal, speed_of(c, a->path[k], point));
    }
}

/* Computes adhesion_moment; after make_rows(). */
static void find_adhesion(Constraints *c)
{
    for (int u = 0; u < FACT(c, nactuator); u++) {
        if (c->m.actuator_adhesion[u] < 0)
            continue;
        const int body = c->m.actuator_trnid[2 * u];
        real *moment = c->d.adhesion_moment + c->m.actuator_adhesion[u];
        int count = 0;
        for (int i = 0; i < FACT(c, nv); i++)
            moment[i] = 0;
        for (int k = 0; k < c->ncon; k++) {
            const Contact *contact = c->contacts + k;
            if (contact->geom[0] < 0 || contact->geom[1] < 0)
                continue;
            if (c->m.geom_bodyid[contact->geom[0]] != body && c->m.geom_bodyid[contact->geom[1]] != body)
                continue;
            count++;
            if (contact->exclude < 2)
                add_normal(c, contact, moment);
        }
        for (int i = 0; count && i < FACT(c, nv); i++)
            moment[i] /= -count;
    }
}

/* Computes qfrc_adhesion: each contact pulls with its adhesion; after make_rows(). */
static void pull_contacts(Constraints *c)
{
    const Arena *a = &c->a;
    real *force = c->d.qfrc_adhesion;
    memset(force, 0, sizeof(real) * FACT(c, nv));
    for (int k = 0; k < c->ncon; k++) {
        const Contact *contact = c->contacts + k;
        if (contact->adhesion == 0 || contact->exclude > 1)
            continue;
        const Ends ends = ends_of(c, contact);
        const int n = find_ends(c, &ends);
        const Vec normal = vec_at(contact->frame), point = vec_at(contact->pos);
        for (int i = 0; i < n; i++) {
            const real s = a->sign[2 * i + 1] - a->sign[2 * i];
            force[a->path[i]] -= contact->adhesion * s * dot(normal, speed_of(c, a->path[i], point));
        }
    }
}

#endif
