#ifndef POLYBODY_ROUND_H
#define POLYBODY_ROUND_H

/* Planes, spheres and capsules: all cases reduce to two points, or to a point and a plane. */

#include "collision/shape.h"

/* Two spheres. If their centres coincide, the normal is the cross product of the z axes of the shapes, or x
   if these are parallel. */
static inline int balls(Vec a, real radius_a, Vec axis_a, Vec b, real radius_b, Vec axis_b, real margin,
                        Touch *out)
{
    Vec apart = sub(b, a);
    real square = dot(apart, apart), reach = margin + radius_a + radius_b;
    if (!(square <= reach * reach))
        return 0;
    real length = sqrt(square), dist = length - radius_a - radius_b;
    Vec normal = length < TINY ? unit(cross(axis_a, axis_b)) : scaled(1 / length, apart);
    out[0] = touch(dist, along(a, radius_a + dist / 2, normal), normal);
    return 1;
}

/* A sphere above a plane through `origin`. */
static inline int ball_on_plane(Vec origin, Vec normal, Vec centre, real radius, real margin, Touch *out)
{
    real dist = dot(normal, sub(centre, origin)) - radius;
    if (!(dist <= margin))
        return 0;
    out[0] = touch_on_plane(dist, along(centre, -radius, normal), normal);
    return 1;
}

static inline int plane_sphere(const Shape *a, const Shape *b, real margin, Touch *out)
{
    return ball_on_plane(a->pos, a->axes.z, b->pos, b->size[0], margin, out);
}

/* The spheres at both ends; the first tangent is along the capsule. */
static inline int plane_capsule(const Shape *a, const Shape *b, real margin, Touch *out)
{
    int n = 0;
    for (int end = 1; end >= -1; end -= 2) {
        Vec centre = along(b->pos, end * b->size[1], b->axes.z);
        n += ball_on_plane(a->pos, a->axes.z, centre, b->size[0], margin, out + n);
    }
    for (int i = 0; i < n; i++)
        out[i].tangent = b->axes.z;
    return n;
}

static inline int sphere_sphere(const Shape *a, const Shape *b, real margin, Touch *out)
{
    return balls(a->pos, a->size[0], a->axes.z, b->pos, b->size[0], b->axes.z, margin, out);
}

static inline int sphere_capsule(const Shape *a, const Shape *b, real margin, Touch *out)
{
    real at = clamped(dot(b->axes.z, sub(a->pos, b->pos)), -b->size[1], b->size[1]);
    return balls(a->pos, a->size[0], a->axes.z, along(b->pos, at, b->axes.z), b->size[0], b->axes.z, margin,
                 out);
}

/* The point of an axis nearest to a point, as a coordinate from -1 to 1, given the `projection` of that point
   and the squared half length of the axis. */
static inline real nearest_on_axis(real projection, real square)
{
    return square > 0 ? clamped(projection / square, -1, 1) : 0;
}

/* The nearest points of two segments centre +- half, as coordinates from -1 to 1 (Ericson, Real-Time
   Collision Detection, 5.1.9). Returns 0, without points, if they are parallel. */
static inline int nearest_of_segments(Vec centre_a, Vec half_a, Vec centre_b, Vec half_b, real *at_a,
                                      real *at_b)
{
    Vec apart = sub(centre_b, centre_a);
    real aa = dot(half_a, half_a), ab = dot(half_a, half_b), bb = dot(half_b, half_b);
    real to_b = dot(half_a, apart), to_a = -dot(half_b, apart), det = aa * bb - ab * ab;
    if (!(fabs(det) >= TINY))
        return 0;
    real s = (bb * to_b + ab * to_a) / det, t = (aa * to_a + ab * to_b) / det;
    if (fabs(s) > 1) { /* the point of the other axis nearest to this end */
        s = s > 0 ? 1 : -1;
        t = (to_a + s * ab) / bb;
    }
    if (fabs(t) > 1) {
        t = t > 0 ? 1 : -1;
        s = nearest_on_axis(to_b + t * ab, aa);
    }
    *at_a = s;
    *at_b = t;
    return 1;
}

/* One contact at the nearest points of the axes. Parallel capsules have up to two contacts, at ends: the ends
   of the first capsule are tried first, then those of the second. */
static inline int capsule_capsule(const Shape *a, const Shape *b, real margin, Touch *out)
{
    Vec half_a = scaled(a->size[1], a->axes.z), half_b = scaled(b->size[1], b->axes.z);
    real s, t;
    if (nearest_of_segments(a->pos, half_a, b->pos, half_b, &s, &t))
        return balls(along(a->pos, s, half_a), a->size[0], a->axes.z, along(b->pos, t, half_b), b->size[0],
                     b->axes.z, margin, out);
    real aa = dot(half_a, half_a), ab = dot(half_a, half_b), bb = dot(half_b, half_b);
    Vec apart = sub(b->pos, a->pos);
    int n = 0;
    for (int i = 0; i < 4 && n < 2; i++) {
        real end = i % 2 ? -1 : 1;
        if (i < 2) {
            s = end;
            t = nearest_on_axis(s * ab - dot(half_b, apart), bb);
        } else {
            t = end;
            s = nearest_on_axis(t * ab + dot(half_a, apart), aa);
        }
        n += balls(along(a->pos, s, half_a), a->size[0], a->axes.z, along(b->pos, t, half_b), b->size[0],
                   b->axes.z, margin, out + n);
    }
    return n;
}

#endif
