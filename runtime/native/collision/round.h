#ifndef POLYBODY_ROUND_H
#define POLYBODY_ROUND_H

/* Planes, spheres and capsules, by the formulas of codegen/physics/rows/round.py. */

#include "collision/shape.h"
#include "formulas/single.h"

/* Two spheres. */
static inline int balls(Vec a, real radius_a, Vec axis_a, Vec b, real radius_b, Vec axis_b, real margin,
                        Touch *out)
{
    const real reach = margin + radius_a + radius_b;
    if (!(squared_distance(a, b) <= reach * reach))
        return 0;
    const RoundTouch t = balls_touch(a, radius_a, axis_a, b, radius_b, axis_b);
    out[0] = touch(t.dist, t.pos, t.normal);
    return 1;
}

/* A sphere above a plane through `origin`. */
static inline int ball_on_plane(Vec origin, Vec normal, Vec centre, real radius, real margin, Touch *out)
{
    const RoundTouch t = plane_touch(origin, normal, centre, radius);
    if (!(t.dist <= margin))
        return 0;
    out[0] = touch(t.dist, t.pos, t.normal);
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
    const Vec on_axis = nearest_on_capsule(a->pos, b->pos, b->axes.z, b->size[1]);
    return balls(a->pos, a->size[0], a->axes.z, on_axis, b->size[0], b->axes.z, margin, out);
}

/* One contact at the nearest points of the axes. Parallel capsules have up to two contacts, at ends: the ends
   of the first capsule are tried first, then those of the second. */
static inline int capsule_capsule(const Shape *a, const Shape *b, real margin, Touch *out)
{
    Vec half_a = scaled(a->size[1], a->axes.z), half_b = scaled(b->size[1], b->axes.z);
    const NearestOfAxes points = nearest_of_axes(a->pos, half_a, b->pos, half_b);
    if (!points.parallel)
        return balls(points.first, a->size[0], a->axes.z, points.second, b->size[0], b->axes.z, margin, out);
    real aa = dot(half_a, half_a), ab = dot(half_a, half_b), bb = dot(half_b, half_b);
    Vec apart = sub(b->pos, a->pos);
    int n = 0;
    for (int i = 0; i < 4 && n < 2; i++) {
        real end = i % 2 ? -1 : 1, s, t;
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

/* As of MuJoCo 4.0: one contact at the nearest points of the axes; of almost parallel capsules one for each end of the first, even where
   both are the same. */
static inline int capsule_capsule_v4_0(const Shape *a, const Shape *b, real margin, Touch *out)
{
    const PairsOfAxes points = pairs_of_axes(a->pos, scaled(a->size[1], a->axes.z), b->pos, scaled(b->size[1], b->axes.z));
    const int n = balls(points.first, a->size[0], a->axes.z, points.second, b->size[0], b->axes.z, margin, out);
    if (!points.parallel)
        return n;
    return n + balls(points.first_end, a->size[0], a->axes.z, points.second_end, b->size[0], b->axes.z, margin, out + n);
}

#endif
