#ifndef POLYBODY_MANNER_H
#define POLYBODY_MANNER_H

/* How two geoms act on each other, from the parameters of both. */

#include "collision.h"

static inline real at_least(real a, real low) { return a > low ? a : low; }

/* What `override` replaces; friction is at least 1e-5. `gap` makes includemargin. */
static inline void finish_manner(const Collision *c, real gap, Manner *m)
{
    if (c->override) {
        m->margin = c->o_manner.margin;
        for (int i = 0; i < 5; i++) {
            m->friction[i] = c->o_manner.friction[i];
            m->solimp[i] = c->o_manner.solimp[i];
        }
        for (int i = 0; i < 2; i++)
            m->solref[i] = m->solreffriction[i] = c->o_manner.solref[i];
    }
    for (int i = 0; i < 5; i++)
        m->friction[i] = at_least(m->friction[i], 1e-5);
    m->includemargin = m->margin - gap;
}

/* The manner of two geoms without an explicit pair. The geom of the higher priority decides; equal ones
   are mixed by solmix. */
static inline Manner mixed(const Collision *c, const Collider *a, const Collider *b)
{
    Manner m;
    real friction[3], share;
    if (a->priority != b->priority)
        share = a->priority > b->priority ? 1 : 0;
    else if (a->solmix >= TINY && b->solmix >= TINY)
        share = a->solmix / (a->solmix + b->solmix);
    else
        share = a->solmix >= TINY ? 1 : b->solmix >= TINY ? 0 : .5;
    if (a->priority != b->priority) {
        const Collider *first = a->priority > b->priority ? a : b;
        m.dim = first->condim;
        for (int i = 0; i < 3; i++)
            friction[i] = first->friction[i];
        for (int i = 0; i < 2; i++)
            m.solref[i] = first->solref[i];
        for (int i = 0; i < 5; i++)
            m.solimp[i] = first->solimp[i];
    } else {
        int standard = a->solref[0] > 0 &&
                       b->solref[0] > 0; /* time constant and damping ratio, not stiffness and damping */
        m.dim = a->condim > b->condim ? a->condim : b->condim;
        for (int i = 0; i < 3; i++)
            friction[i] = greatest(a->friction[i], b->friction[i]);
        for (int i = 0; i < 2; i++)
            m.solref[i] = standard ? share * a->solref[i] + (1 - share) * b->solref[i]
                                   : least(a->solref[i], b->solref[i]);
        for (int i = 0; i < 5; i++)
            m.solimp[i] = share * a->solimp[i] + (1 - share) * b->solimp[i];
    }
    m.friction[0] = m.friction[1] = friction[0];
    m.friction[2] = friction[1];
    m.friction[3] = m.friction[4] = friction[2];
    m.solreffriction[0] = m.solreffriction[1] = 0;
    m.margin = greatest(a->margin, b->margin);
    finish_manner(c, greatest(a->gap, b->gap), &m);
    return m;
}

static inline real margin_of(const Collision *c, const Collider *a, const Collider *b)
{
    return c->override ? c->o_manner.margin : greatest(a->margin, b->margin);
}

#endif
