#ifndef POLYBODY_BOUNDS_H
#define POLYBODY_BOUNDS_H

/* Geoms at their poses, and their oriented bounding boxes. */

#include "collision/collision.h"

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

static inline Vec magnitudes(Vec a) { return vec(fabs(a.x), fabs(a.y), fabs(a.z)); }

/* Whether the bounding boxes of two geoms are separated along an axis of either box by more than the margin and the tolerance of the
   search: of shapes that meet at a corner, it finds some in touch that are apart by less. */
static int boxes_apart(const Shape *a, const Shape *b, real margin)
{
    const struct Field *f = a->field, *g = b->field;
    if (!f || !g || !(f->half.x > 0 && g->half.x > 0))
        return 0;
    const Vec gap = sub(add(b->pos, combined(&b->axes, g->middle)), add(a->pos, combined(&a->axes, f->middle)));
    if (dot(gap, gap) <= margin * margin && margin > 0) /* as in measuring distances */
        return 0;
    const real most = margin + a->search->tolerance;
    Vec across = vec(0, 0, 0); /* how far the first box reaches along the axes of the second */
    for (int i = 0; i < 3; i++) {
        const Vec axis = column(&a->axes, i), along_b = magnitudes(components(&b->axes, axis));
        if (fabs(dot(gap, axis)) > (part(f->half, i) + dot(along_b, g->half)) * (1 + 1e-9) + most)
            return 1;
        across = along(across, part(f->half, i), along_b);
    }
    for (int i = 0; i < 3; i++)
        if (fabs(dot(gap, column(&b->axes, i))) > (part(g->half, i) + part(across, i)) * (1 + 1e-9) + most)
            return 1;
    return 0;
}

#endif
