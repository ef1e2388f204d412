#ifndef POLYBODY_NARROW_H
#define POLYBODY_NARROW_H

/* The function of each pair of shapes, the lower type first. */

#include "box_box.h"
#include "cylinder.h"
#include "hfield.h"

typedef int (*Narrow)(const Shape *a, const Shape *b, real margin, Touch *out);

static const Narrow NARROW[SHAPES][SHAPES] = {
    [PLANE] = {[SPHERE] = plane_sphere,
               [CAPSULE] = plane_capsule,
               [ELLIPSOID] = plane_ellipsoid,
               [CYLINDER] = plane_cylinder,
               [BOX] = plane_box,
               [MESH] = plane_mesh},
    [HFIELD] = {[SPHERE] = hfield_convex,
                [CAPSULE] = hfield_convex,
                [ELLIPSOID] = hfield_convex,
                [CYLINDER] = hfield_convex,
                [BOX] = hfield_convex,
                [MESH] = hfield_convex},
    [SPHERE] = {[SPHERE] = sphere_sphere,
                [CAPSULE] = sphere_capsule,
                [ELLIPSOID] = convex_convex,
                [CYLINDER] = sphere_cylinder,
                [BOX] = sphere_box,
                [MESH] = convex_convex},
    [CAPSULE] = {[CAPSULE] = capsule_capsule,
                 [ELLIPSOID] = convex_convex,
                 [CYLINDER] = convex_convex,
                 [BOX] = capsule_box,
                 [MESH] = convex_convex},
    [ELLIPSOID] = {[ELLIPSOID] = convex_convex,
                   [CYLINDER] = convex_convex,
                   [BOX] = convex_convex,
                   [MESH] = convex_convex},
    [CYLINDER] = {[CYLINDER] = convex_convex, [BOX] = convex_convex, [MESH] = convex_convex},
    [BOX] = {[BOX] = box_box, [MESH] = convex_convex},
    [MESH] = {[MESH] = convex_convex},
};

#endif
