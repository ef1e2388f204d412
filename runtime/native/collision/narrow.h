#ifndef POLYBODY_NARROW_H
#define POLYBODY_NARROW_H

/* The function of each pair of shapes, lower type first. */

#include "collision/box_box.h"
#include "collision/box_clip.h"
#include "collision/cylinder.h"
#include "collision/hfield.h"
#include "collision/plane_mesh.h"
#include "collision/sdf.h"

typedef int (*Narrow)(const Shape *a, const Shape *b, real margin, Touch *out);

static const Narrow NARROW[SHAPE_COUNT][SHAPE_COUNT] = {
    [SHAPE_PLANE] = {[SHAPE_SPHERE] = plane_sphere,
                     [SHAPE_CAPSULE] = plane_capsule,
                     [SHAPE_ELLIPSOID] = plane_ellipsoid,
                     [SHAPE_CYLINDER] = plane_cylinder,
                     [SHAPE_BOX] = plane_box,
                     [SHAPE_MESH] = plane_mesh,
                     [SHAPE_SDF] = plane_mesh},
    [SHAPE_HFIELD] = {[SHAPE_SPHERE] = hfield_convex,
                      [SHAPE_CAPSULE] = hfield_convex,
                      [SHAPE_ELLIPSOID] = hfield_convex,
                      [SHAPE_CYLINDER] = hfield_convex,
                      [SHAPE_BOX] = hfield_convex,
                      [SHAPE_MESH] = hfield_convex},
    [SHAPE_SPHERE] = {[SHAPE_SPHERE] = sphere_sphere,
                      [SHAPE_CAPSULE] = sphere_capsule,
                      [SHAPE_ELLIPSOID] = convex_convex,
                      [SHAPE_CYLINDER] = sphere_cylinder,
                      [SHAPE_BOX] = sphere_box,
                      [SHAPE_MESH] = convex_convex,
                      [SHAPE_SDF] = any_sdf},
    [SHAPE_CAPSULE] = {[SHAPE_CAPSULE] = capsule_capsule,
                       [SHAPE_ELLIPSOID] = convex_convex,
                       [SHAPE_CYLINDER] = convex_convex,
                       [SHAPE_BOX] = capsule_box,
                       [SHAPE_MESH] = convex_convex,
                       [SHAPE_SDF] = any_sdf},
    [SHAPE_ELLIPSOID] = {[SHAPE_ELLIPSOID] = convex_convex,
                         [SHAPE_CYLINDER] = convex_convex,
                         [SHAPE_BOX] = convex_convex,
                         [SHAPE_MESH] = convex_convex,
                         [SHAPE_SDF] = any_sdf},
    [SHAPE_CYLINDER] = {[SHAPE_CYLINDER] = convex_convex,
                        [SHAPE_BOX] = convex_convex,
                        [SHAPE_MESH] = convex_convex,
                        [SHAPE_SDF] = any_sdf},
    [SHAPE_BOX] = {[SHAPE_BOX] = box_box, [SHAPE_MESH] = convex_convex, [SHAPE_SDF] = any_sdf},
    [SHAPE_MESH] = {[SHAPE_MESH] = convex_convex, [SHAPE_SDF] = mesh_sdf},
    [SHAPE_SDF] = {[SHAPE_SDF] = any_sdf},
};

/* Those that MuJoCo 4.0 has instead. */
static const Narrow NARROW_V4_0[SHAPE_COUNT][SHAPE_COUNT] = {
    [SHAPE_PLANE] = {[SHAPE_MESH] = plane_mesh_v4_0, [SHAPE_SDF] = plane_mesh_v4_0},
    [SHAPE_CAPSULE] = {[SHAPE_CAPSULE] = capsule_capsule_v4_0},
    [SHAPE_BOX] = {[SHAPE_BOX] = box_box_v4_0},
};

/* The function of two shapes as of the Model's release; NULL if there is none. */
static inline Narrow narrow_of(const Collision *c, int one, int other)
{
    const Narrow newer = c->release == RELEASE_V4_0 ? NARROW_V4_0[one][other] : NULL;
    return newer ? newer : NARROW[one][other];
}

#endif
