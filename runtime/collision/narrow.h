#ifndef POLYBODY_NARROW_H
#define POLYBODY_NARROW_H

/* The function of each pair of shapes, the lower type first. */

#include "box_box.h"
#include "cylinder.h"

typedef int (*Narrow)(const Shape *a, const Shape *b, real margin, Touch *out);

static const Narrow NARROW[SHAPES][SHAPES] = {
    [PLANE] = {[SPHERE] = plane_sphere, [CAPSULE] = plane_capsule, [ELLIPSOID] = plane_ellipsoid,
               [CYLINDER] = plane_cylinder, [BOX] = plane_box},
    [SPHERE] = {[SPHERE] = sphere_sphere, [CAPSULE] = sphere_capsule, [CYLINDER] = sphere_cylinder, [BOX] = sphere_box},
    [CAPSULE] = {[CAPSULE] = capsule_capsule, [BOX] = capsule_box},
    [BOX] = {[BOX] = box_box},
};

#endif
