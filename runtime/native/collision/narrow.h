#ifndef POLYBODY_NARROW_H
#define POLYBODY_NARROW_H

/* The function of each pair of shapes, lower type first. */

#include "collision/box_box.h"
#include "collision/cylinder.h"
#include "collision/hfield.h"
#include "collision/sdf.h"

typedef int (*Narrow)(const Shape *a, const Shape *b, real margin, Touch *out);

static const Narrow NARROW[SHAPES][SHAPES] = {
    [PLANE] = {[SPHERE] = plane_sphere,
               [CAPSULE] = plane_capsule,
               [ELLIPSOID] = plane_ellipsoid,
               [CYLINDER] = plane_cylinder,
               [BOX] = plane_box,
               [MESH] = plane_mesh,
               [SDF] = plane_mesh},
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
                [MESH] = convex_convex,
                [SDF] = any_sdf},
    [CAPSULE] = {[CAPSULE] = capsule_capsule,
                 [ELLIPSOID] = convex_convex,
                 [CYLINDER] = convex_convex,
                 [BOX] = capsule_box,
                 [MESH] = convex_convex,
                 [SDF] = any_sdf},
    [ELLIPSOID] = {[ELLIPSOID] = convex_convex,
                   [CYLINDER] = convex_convex,
                   [BOX] = convex_convex,
                   [MESH] = convex_convex,
                   [SDF] = any_sdf},
    [CYLINDER] = {[CYLINDER] = convex_convex,
                  [BOX] = convex_convex,
                  [MESH] = convex_convex,
                  [SDF] = any_sdf},
    [BOX] = {[BOX] = box_box, [MESH] = convex_convex, [SDF] = any_sdf},
    [MESH] = {[MESH] = convex_convex, [SDF] = mesh_sdf},
    [SDF] = {[SDF] = any_sdf},
};

#endif
