#ifndef POLYBODY_CYLINDER_H
#define POLYBODY_CYLINDER_H

/* A cylinder against a plane, a sphere against a cylinder, an ellipsoid against a plane. */

#include "collision/round.h"

/* At most four points of the rims: the lowest point of each cap, and the other two corners of the equilateral
   triangle in the lower cap that has its lowest point as a corner. */
static int plane_cylinder(const Shape *a, const Shape *b, real margin, Touch *out)
{
    Vec up = a->axes.z, axis = b->axes.z;
    real radius = b->size[0], half = b->size[1], slope = dot(up, axis);
    if (slope > 0) { /* the axis points down, to the lower cap */
        axis = negated(axis);
        slope = -slope;
    }
    Vec down = along(scaled(slope, axis), -1, up); /* perpendicular to the axis, towards the plane */
    real square = dot(down, down);
    Vec rim = square >= TINY * TINY ? scaled(radius / sqrt(square), down) : scaled(radius, b->axes.x);
    real drop = dot(rim, up), height = dot(up, sub(b->pos, a->pos));
    Vec to_cap = scaled(half, axis);
    real lowest = height + half * slope + drop;
    if (!(lowest <= margin))
        return 0;
    int n = 0;
    out[n++] = touch_on_plane(lowest, add(add(b->pos, rim), to_cap), up);
    real other = height - half * slope + drop;
    if (other <= margin)
        out[n++] = touch_on_plane(other, sub(add(b->pos, rim), to_cap), up);
    real side = height + half * slope - drop / 2;
    if (side <= margin) {
        Vec middle = along(add(b->pos, to_cap), -.5, rim);
        Vec across = scaled(radius * sqrt(3.) / 2, unit(cross(rim, to_cap)));
        out[n++] = touch_on_plane(side, add(middle, across), up);
        out[n++] = touch_on_plane(side, sub(middle, across), up);
    }
    return n;
}

/* A sphere touches the side, a cap or the rim. If its centre is inside, the nearer one of side and cap is
   used. */
static inline int sphere_cylinder(const Shape *a, const Shape *b, real margin, Touch *out)
{
    Vec axis = b->axes.z, apart = sub(a->pos, b->pos);
    real radius = b->size[0], half = b->size[1], height = dot(axis, apart);
    Vec across = along(apart, -height, axis);
    real square = dot(across, across), end = height > 0 ? half : -half;
    int beside = fabs(height) < half, above = square < radius * radius;
    if (beside && above) {
        above = half - fabs(height) < radius - sqrt(square);
        beside = !above;
    }
    if (beside)
        return balls(a->pos, a->size[0], a->axes.z, along(b->pos, height, axis), radius, axis, margin, out);
    if (above) {
        Vec outward = height > 0 ? axis : negated(axis);
        int n = ball_on_plane(along(b->pos, end, axis), outward, a->pos, a->size[0], margin, out);
        if (n)
            out[0].normal = negated(outward);
        return n;
    }
    Vec rim = square > 0 ? scaled(radius / sqrt(square), across) : vec(0, 0, 0);
    return balls(a->pos, a->size[0], a->axes.z, add(along(b->pos, end, axis), rim), 0, axis, margin, out);
}

/* The lowest point of an ellipsoid, where its normal points down. */
static int plane_ellipsoid(const Shape *a, const Shape *b, real margin, Touch *out)
{
    Vec up = a->axes.z, local = components(&b->axes, up);
    Vec scaled_up = vec(b->size[0] * local.x, b->size[1] * local.y, b->size[2] * local.z);
    Vec u = unit(scaled_up);
    Vec lowest = sub(b->pos, combined(&b->axes, vec(b->size[0] * u.x, b->size[1] * u.y, b->size[2] * u.z)));
    real dist = dot(up, sub(lowest, a->pos));
    if (!(dist <= margin))
        return 0;
    out[0] = touch_on_plane(dist, lowest, up);
    return 1;
}

#endif
