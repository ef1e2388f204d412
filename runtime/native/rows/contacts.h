#ifndef POLYBODY_CONTACTS_H
#define POLYBODY_CONTACTS_H

/* The contacts of a simulation, from the poses of its geoms. */

#ifdef POLYBODY_PROGRAM
#include "collision/collide.h"
#endif
#include "rows/columns.h"

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
    if (c->ncon > c->have.contact)
        c->need.contact = c->ncon;
    return c->ncon <= c->have.contact;
}

#endif
