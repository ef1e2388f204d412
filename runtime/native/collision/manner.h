#ifndef POLYBODY_MANNER_H
#define POLYBODY_MANNER_H

/* Contact parameters of two geoms, from the parameters of both. */

#include "collision/collision.h"

static inline real at_least(real a, real low) { return a > low ? a : low; }

/* Applies `override`; friction is at least 1e-5. `gap` gives includemargin, or how much farther contacts are found. */
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
    m->includemargin = c->summed ? m->margin : m->margin - gap;
    if (c->summed)
        m->margin += gap;
}

#define HALF_TURN 3.14159265358979323846 /* pi, which strict C does not define */

/* Maximum natural frequency times the time step: a step corrects at most a hundredth of the penetration. */
#define FASTEST .1
#define SLOWING .05 /* fraction of the slip velocity that friction removes in a step */

/* A margin or gap of two geoms. */
static inline real both_of(const Collision *c, real a, real b) { return c->summed ? a + b : maximum(a, b); }

static inline real mixed_friction(const Collision *c, real a, real b)
{
    if (c->friction_mixing == FRICTION_MIXING_HARMONIC)
        return a + b > 0 ? 2 * a * b / (a + b) : 0;
    return c->friction_mixing == FRICTION_MIXING_LEAST ? minimum(a, b) : maximum(a, b);
}

/* Restitution of a spring and damper of damping ratio cosh u >= 1 that only push: exp(-2 u coth u). */
static inline real given_back(real ratio)
{
    const real beyond = sqrt(ratio * ratio - 1);
    return exp(beyond > 1e-6 ? -2 * log(ratio + beyond) * ratio / beyond : -2);
}

/* Solref and solimp of two geoms that have a stiffness.

   A row of impedance d, reference (-s1 v - s0 r) / d and inverse mass w has the acceleration (1 - d) a0 - s1
   v - s0 r, where a0 is the acceleration without it. At rest its force per depth is s0 / ((1 - d) w), which
   is set to K, the stiffness of the two springs in series. With other rows it may accelerate by the whole
   reference: sqrt(s0 / d) must not be too fast for the time step, and s1 / d must not exceed what a step
   removes. If K is too stiff for that, d is increased, and the depth at rest remains that of K. The damping
   ratio is the greater of those given by the dampers and by the dissipation: for an impact at 1 m/s, the
   restitution of a linear damper of ratio 2 c / (3 pi sqrt(1 + 16 c / (9 pi^2))) is within 6 % of that of
   Hunt and Crossley's force with dissipation c. A spring softened for the time step would prolong an impact:
   a damper of at least the critical ratio removes in a step as much velocity as it would with K. Friction
   removes a twentieth of the slip in a step; more would lift bodies that slide fast. */
static inline void soften(const Collision *c, const Collider *a, const Collider *b, Manner *m)
{
    const real weight = a->weight + b->weight, h = c->timestep, sum = a->stiffness + b->stiffness;
    if (!(weight > 0))
        return;
    const real K = a->stiffness * (b->stiffness / sum), hard = K * weight;
    const real loss = c->friction_mixing == FRICTION_MIXING_HARMONIC
                          ? a->dissipation * (b->stiffness / sum) + b->dissipation * (a->stiffness / sum)
                          : maximum(a->dissipation, b->dissipation);
    const real dampers = (a->damping + b->damping) * weight / (2 * sqrt(hard));
    const real ratio = maximum(dampers, 2 * loss / (3 * HALF_TURN * sqrt(1 + 16 * loss / (9 * HALF_TURN * HALF_TURN))));
    const real fastest = FASTEST / h;
    const real d = minimum(maximum(1 / (1 + fastest * fastest / hard), .5), .9999);
    const real frequency = minimum(sqrt((1 - d) * hard), sqrt(d) * fastest);
    real damper = minimum(2 * ratio * frequency / d, 1 / h);
    if (ratio >= 1) {
        const real back = given_back(ratio), done = 1 - exp(-2 * ratio * sqrt(.5 * hard) * h);
        damper = minimum(maximum(damper, done * (1 + back * done) / (d * h)), (1 + back) / h);
    }
    m->solref[0] = -frequency * frequency;
    m->solref[1] = -d * damper;
    m->solreffriction[0] = 0;
    m->solreffriction[1] = -SLOWING * d / h;
    m->solimp[0] = m->solimp[1] = d;
    m->solimp[2] = .001;
    m->solimp[3] = .5;
    m->solimp[4] = 2;
}

/* The parameters of two geoms without an explicit pair. Those of the geom of higher priority are used; at
   equal priority they are mixed by solmix. */
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
            friction[i] = mixed_friction(c, a->friction[i], b->friction[i]);
        for (int i = 0; i < 2; i++)
            m.solref[i] = standard ? share * a->solref[i] + (1 - share) * b->solref[i]
                                   : minimum(a->solref[i], b->solref[i]);
        for (int i = 0; i < 5; i++)
            m.solimp[i] = share * a->solimp[i] + (1 - share) * b->solimp[i];
    }
    m.friction[0] = m.friction[1] = friction[0];
    m.friction[2] = friction[1];
    m.friction[3] = m.friction[4] = friction[2];
    m.solreffriction[0] = m.solreffriction[1] = 0;
    m.adhesion = a->priority > b->priority ? a->adhesion : a->priority < b->priority ? b->adhesion : a->adhesion + b->adhesion;
    if (a->priority == b->priority && a->stiffness > 0 && b->stiffness > 0)
        soften(c, a, b, &m);
    m.margin = both_of(c, a->margin, b->margin);
    finish_manner(c, both_of(c, a->gap, b->gap), &m);
    return m;
}

/* The distance up to which contacts of two geoms are found. */
static inline real margin_of(const Collision *c, const Collider *a, const Collider *b)
{
    const real margin = c->override ? c->o_manner.margin : both_of(c, a->margin, b->margin);
    return c->summed ? margin + both_of(c, a->gap, b->gap) : margin;
}

/* A geom's part of that distance: both_of() of two geoms' parts is the distance. */
static inline real own_margin(const Collision *c, const Collider *g)
{
    if (!c->summed)
        return c->override ? c->o_manner.margin : g->margin;
    return (c->override ? c->o_manner.margin / 2 : g->margin) + g->gap;
}

#endif
