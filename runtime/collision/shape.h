#ifndef POLYBODY_SHAPE_H
#define POLYBODY_SHAPE_H

/* What the functions of two shapes take and give. Each such function writes where two shapes touch and returns the number
   of places, at most MOST_TOUCHES; a place counts where the distance is at most the margin. The first shape is the one of
   the lower type. */

#include "vector.h"

enum { PLANE, HFIELD, SPHERE, CAPSULE, ELLIPSOID, CYLINDER, BOX, MESH, SDF, SHAPES };
enum { MOST_TOUCHES = 50 };

typedef struct {
    Vec pos;          /* centre in the world */
    Axes axes;
    const real *size; /* as geom_size */
    int geom;
} Shape;

typedef struct {
    real dist;   /* along the normal; negative: penetration */
    Vec pos;     /* halfway between the surfaces */
    Vec normal;  /* from the first shape to the second */
    Vec tangent; /* the first tangent, if the shapes suggest one; else zero */
} Touch;

static inline Touch touch(real dist, Vec pos, Vec normal)
{
    Touch t = {dist, pos, normal, {0, 0, 0}};
    return t;
}

/* A point of a shape that is `dist` above a plane: the place is halfway down to the plane. */
static inline Touch touch_on_plane(real dist, Vec point, Vec normal)
{
    return touch(dist, along(point, -dist / 2, normal), normal);
}

#endif
