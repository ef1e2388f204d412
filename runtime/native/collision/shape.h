#ifndef POLYBODY_SHAPE_H
#define POLYBODY_SHAPE_H

/* Arguments and results of the functions for two shapes. Each such function writes the contact points of two
   shapes and returns their number, at most MAX_TOUCHES. Points within the margin are reported. The first
   shape is the one of the lower type. */

#include "contract/codes.h"
#include "vec.h"

enum { SIMPLEX = SHAPE_COUNT }; /* a shape that no geom has */
enum { MAX_TOUCHES = 50, CLUSTER = 32 };

typedef struct {
    Vec pos; /* centre, in world coordinates */
    Axes axes;
    const real *size; /* as geom_size */
    int type;
    real bound;       /* radius of the bounding sphere */
    const Hull *hull; /* of a mesh */
    const Grid *grid; /* of a height field */
    const Search *search;
    const Vec *corner; /* of a simplex: the convex hull of these points; `pos` is only its centre */
    int corners;
    const struct Field *field; /* bounding box, and distance of a signed distance field */
    const struct Tree *tree;   /* triangles of a mesh */
} Shape;

static inline Vec across(Vec n, Vec v) { return along(v, -dot(n, v), n); }

/* The frame of a contact: the normal and two tangents. The first tangent is the suggested one, else (0, 1,
   0), or (0, 0, 1) if the normal is within 60 degrees of y, made orthogonal. If the suggestion is parallel to
   the normal, it is (1, 0, 0), as in MuJoCo, unless that is parallel as well. */
static inline Axes frame_of(const Touch *t)
{
    Vec n = dot(t->normal, t->normal) == 1 ? t->normal : unit(t->normal); /* no root for most planes */
    Vec standard = fabs(n.y) < .5 ? vec(0, 1, 0) : vec(0, 0, 1);
    real suggested = dot(t->tangent, t->tangent); /* 1, or 0 if none; arbitrary if poses are NaN */
    Vec first = across(n, suggested >= .25 && suggested < 4 ? t->tangent : standard);
    if (dot(first, first) < .25) { /* the remainder of a parallel one is rounding error */
        first = across(n, unit(first));
        first = dot(first, first) >= .25 ? first : across(n, standard);
    }
    Axes frame = {n, unit(first), {0, 0, 0}};
    frame.z = cross(frame.x, frame.y);
    return frame;
}

static inline Touch touch(real dist, Vec pos, Vec normal)
{
    Touch t = {dist, pos, normal, {0, 0, 0}};
    return t;
}

/* A point of a shape at distance `dist` above a plane: the contact point is halfway to the plane. */
static inline Touch touch_on_plane(real dist, Vec point, Vec normal)
{
    return touch(dist, along(point, -dist / 2, normal), normal);
}

#endif
