#ifndef POLYBODY_GROUPS_H
#define POLYBODY_GROUPS_H

/* Which geoms may touch a geom that they are not welded to.

   Among many geoms on few bodies, such as a floor made of boxes, most are far from all other bodies. Geoms
   that are welded together form a group with a bounding box. The overlaps of a group's box with those of
   other groups bound the region in which it may touch them; geoms outside that region are skipped. */

#include "collision/manner.h"

enum { GEOMS_OF_GROUP = 4 };

/* An axis-aligned box in world coordinates. */
typedef struct { real low[3], high[3]; } Extent;

static const Extent NOWHERE = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};

static inline void include(Extent *all, const Extent *more)
{
    for (int k = 0; k < 3; k++) {
        all->low[k] = minimum(all->low[k], more->low[k]);
        all->high[k] = maximum(all->high[k], more->high[k]);
    }
}

static inline Extent common_part(const Extent *a, const Extent *b)
{
    Extent both;
    for (int k = 0; k < 3; k++) {
        both.low[k] = maximum(a->low[k], b->low[k]);
        both.high[k] = minimum(a->high[k], b->high[k]);
    }
    return both;
}

static inline int is_nowhere(const Extent *e)
{
    return e->low[0] > e->high[0] || e->low[1] > e->high[1] || e->low[2] > e->high[2];
}

static inline real ball_radius(const Collision *c, const Collider *g)
{
    return g->bound + at_least(own_margin(c, g), 0);
}

static inline Extent around_ball(const real *at, real radius)
{
    Extent e;
    for (int k = 0; k < 3; k++) {
        e.low[k] = at[k] - radius;
        e.high[k] = at[k] + radius;
    }
    return e;
}

/* Whether a position is finite and not huge; others touch nothing. */
static inline int is_place(const real *at) { return fabs(at[0]) + fabs(at[1]) + fabs(at[2]) < 1e100; }

/* Whether comparing all groups is cheap relative to the number of geoms. */
static inline int has_few_groups(const Collision *c)
{
    return c->nswept >= GEOMS_OF_GROUP * c->ngroup && (long)c->ngroup * c->ngroup <= (long)GEOMS_OF_GROUP * c->nswept;
}

/* Writes the swept geoms that are near another group to `near`, in their order; returns their number. `work`
   has space for two extents per group. */
static int find_near(const Collision *c, const real *xpos, Extent *work, int *near)
{
    Extent *group = work, *met = work + c->ngroup; /* met: region where it overlaps other groups */
    int n = 0;
    for (int g = 0; g < c->ngroup; g++)
        group[g] = met[g] = NOWHERE;
    for (int i = 0; i < c->nswept; i++) {
        const int geom = c->swept[i];
        const Extent own = around_ball(xpos + 3 * geom, ball_radius(c, c->geom + geom));
        if (is_place(xpos + 3 * geom))
            include(group + c->group[i], &own);
    }
    for (int g = 0; g < c->ngroup; g++)
        for (int h = 0; h < g; h++) {
            const Extent both = common_part(group + g, group + h);
            if (is_nowhere(&both))
                continue;
            include(met + g, &both);
            include(met + h, &both);
        }
    for (int i = 0; i < c->nswept; i++) {
        const int geom = c->swept[i];
        const Extent own = around_ball(xpos + 3 * geom, ball_radius(c, c->geom + geom));
        const Extent both = common_part(&own, met + c->group[i]);
        if (is_place(xpos + 3 * geom) && !is_nowhere(&both))
            near[n++] = geom;
    }
    return n;
}

#endif
