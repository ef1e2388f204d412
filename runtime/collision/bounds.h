#ifndef POLYBODY_BOUNDS_H
#define POLYBODY_BOUNDS_H

/* Geoms at their poses, and their oriented bounding boxes. */

#include "collision.h"

static inline Shape shape_of(const Collision *c, int geom, const real *xpos, const real *xmat)
{
    const Collider *g = c->geom + geom;
    const real *m = xmat + 9 * geom;
    Shape s = {{xpos[3 * geom], xpos[3 * geom + 1], xpos[3 * geom + 2]},
               {{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}},
               g->size,
               g->type,
               g->bound,
               c->hull + geom,
               c->grid + geom,
               &c->search,
               0,
               0,
               c->field + geom,
               c->tree + geom};
    return s;
}

static inline real reach_of_box(const Axes *m, Vec half, Vec along_axis)
{
    return half.x * fabs(dot(m->x, along_axis)) + half.y * fabs(dot(m->y, along_axis)) +
           half.z * fabs(dot(m->z, along_axis));
}

/* Whether the bounding boxes of two geoms are separated by more than the margin along an axis of either
   box. */
static int boxes_apart(const Shape *a, const Shape *b, real margin)
{
    const struct Field *f = a->field, *g = b->field;
    if (!f || !g || !(f->half.x > 0 && g->half.x > 0))
        return 0;
    Vec gap = sub(add(b->pos, combined(&b->axes, g->middle)), add(a->pos, combined(&a->axes, f->middle)));
    for (int i = 0; i < 6; i++) {
        Vec axis = i < 3 ? column(&a->axes, i) : column(&b->axes, i - 3);
        real reach = i < 3 ? part(f->half, i) + reach_of_box(&b->axes, g->half, axis)
                           : part(g->half, i - 3) + reach_of_box(&a->axes, f->half, axis);
        if (fabs(dot(gap, axis)) > reach * (1 + 1e-9) + margin)
            return 1;
    }
    return 0;
}

#endif
