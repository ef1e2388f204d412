#ifndef POLYBODY_RAY_H
#define POLYBODY_RAY_H

/* Distance along a ray to a shape, in lengths of its direction; INFINITY if they do not intersect. A sphere,
   capsule, ellipsoid, cylinder or box is also hit from inside, a plane only from above, a triangle from both
   sides. */

#include "collision/collision.h"

#define PARALLEL 1e-15 /* directions and discriminants below this are treated as zero, as in MuJoCo */

static inline real ahead(real x) { return x >= 0 ? x : INFINITY; } /* NaN: no hit */

/* The roots of a x^2 + 2 b x + c; INFINITY if there are none, or only a (nearly) double root. */
static inline void roots(real a, real b, real c, real *first, real *second)
{
    real square = b * b - a * c, root = sqrt(square);
    *first = square >= PARALLEL ? (-b - root) / a : INFINITY;
    *second = square >= PARALLEL ? (-b + root) / a : INFINITY;
}

static inline real ray_ball(Vec from, Vec direction, real radius)
{
    real first, second;
    roots(dot(direction, direction), dot(direction, from), dot(from, from) - radius * radius, &first, &second);
    return minimum(ahead(first), ahead(second));
}

/* The lateral surface of a cylinder along z. */
static inline real ray_tube(Vec from, Vec direction, real radius, real half)
{
    real hit = ray_ball(vec(from.x, from.y, 0), vec(direction.x, direction.y, 0), radius);
    return fabs(from.z + hit * direction.z) <= half ? hit : INFINITY;
}

static real ray_plane(Vec from, Vec direction, const real *size)
{
    if (direction.z > -PARALLEL)
        return INFINITY;
    real hit = ahead(-from.z / direction.z);
    int inside = (size[0] <= 0 || fabs(from.x + hit * direction.x) <= size[0]) &&
                 (size[1] <= 0 || fabs(from.y + hit * direction.y) <= size[1]);
    return inside ? hit : INFINITY;
}

static real ray_capsule(Vec from, Vec direction, const real *size)
{
    real found = ray_tube(from, direction, size[0], size[1]);
    for (int side = -1; side <= 1; side += 2) {
        Vec x = vec(from.x, from.y, from.z - side * size[1]);
        real hit[2];
        roots(dot(direction, direction), dot(direction, x), dot(x, x) - size[0] * size[0], hit, hit + 1);
        for (int k = 0; k < 2; k++)
            if (side * (from.z + hit[k] * direction.z) >= size[1])
                found = minimum(found, ahead(hit[k]));
    }
    return found;
}

static real ray_cylinder(Vec from, Vec direction, const real *size)
{
    real found = ray_tube(from, direction, size[0], size[1]);
    if (fabs(direction.z) > PARALLEL)
        for (int side = -1; side <= 1; side += 2) {
            real hit = (side * size[1] - from.z) / direction.z, x = from.x + hit * direction.x, y = from.y + hit * direction.y;
            if (x * x + y * y <= size[0] * size[0])
                found = minimum(found, ahead(hit));
        }
    return found;
}

/* The hit with a face of a box, whose normal is an axis; INFINITY if there is none. */
static inline real ray_face(Vec from, Vec direction, const real *size, int axis, int side)
{
    real speed = part(direction, axis);
    if (!(fabs(speed) > PARALLEL))
        return INFINITY;
    real hit = (side * size[axis] - part(from, axis)) / speed;
    for (int other = 0; other < 3; other++)
        if (other != axis && !(fabs(part(from, other) + hit * part(direction, other)) <= size[other]))
            return INFINITY;
    return ahead(hit);
}

static real ray_box(Vec from, Vec direction, const real *size)
{
    real found = INFINITY;
    for (int face = 0; face < 6; face++)
        found = minimum(found, ray_face(from, direction, size, face / 2, face % 2 ? 1 : -1));
    return found;
}

/* T. Moeller, B. Trumbore, Fast, minimum storage ray-triangle intersection. */
static inline real ray_triangle(const Vec *corner, Vec from, Vec direction)
{
    Vec one = sub(corner[1], corner[0]), other = sub(corner[2], corner[0]), across = cross(direction, other);
    real scale = 1 / dot(across, one);
    Vec start = sub(from, corner[0]), up = cross(start, one);
    real u = dot(start, across) * scale, v = dot(direction, up) * scale;
    return u >= 0 && v >= 0 && u + v <= 1 ? ahead(dot(other, up) * scale) : INFINITY;
}

/* Whether a ray enters a box, slightly inflated for rounding, before a parameter. */
static inline int enters(const real *box, Vec from, Vec direction, real before)
{
    real near = 0, far = before;
    for (int k = 0; k < 3; k++) {
        real x = part(from, k), speed = part(direction, k), slack = 1e-9 * (fabs(box[k]) + fabs(box[k + 3]) + fabs(x));
        if (!(fabs(speed) > 0)) {
            if (x < box[k] - slack || x > box[k + 3] + slack)
                return 0;
            continue;
        }
        real one = (box[k] - slack - x) / speed, other = (box[k + 3] + slack - x) / speed;
        near = maximum(near, minimum(one, other));
        far = minimum(far, maximum(one, other));
    }
    return near <= far;
}

/* The normal of a triangle whose corners are counter-clockwise seen from outside. */
static inline Vec triangle_normal(const Vec *corner) { return unit(cross(sub(corner[1], corner[0]), sub(corner[2], corner[0]))); }

/* `normal` receives that of the triangle; NULL: not asked. */
static real ray_mesh(const struct Tree *t, Vec from, Vec direction, Vec *normal)
{
    real found = INFINITY;
    Walk walk;
    if (!t->count)
        return found;
    for (start_walk(&walk); walk.depth > 0;) {
        int node = walk.node[--walk.depth], level = walk.level[walk.depth], first, end;
        if (!enters(t->box + 6 * node, from, direction, found))
            continue;
        if (level < t->levels) {
            enter(&walk, 2 * node + 1, level + 1);
            enter(&walk, 2 * node + 2, level + 1);
            continue;
        }
        for (triangles_of(t, node, &first, &end); first < end; first++) {
            Vec corner[3];
            triangle_at(t, first, corner);
            const real hit = ray_triangle(corner, from, direction);
            if (normal && hit < found)
                *normal = triangle_normal(corner);
            found = minimum(found, hit);
        }
    }
    return found;
}

static inline int cell_of(real x, int most) { return x > 0 ? x < most ? (int)x : most : 0; } /* NaN: the first
                                                                                                cell */

static inline Vec point_of_grid(const Grid *g, int row, int column)
{
    return vec(g->size[0] * (2. * column / (g->columns - 1) - 1), g->size[1] * (2. * row / (g->rows - 1) - 1),
               g->size[2] * g->height[row * g->columns + column]);
}

/* The two triangles of each cell along a segment of the ray: in each row of cells only the columns that it
   crosses. */
static real ray_cells(const Grid *g, Vec from, Vec direction, real near, real far, Vec *normal)
{
    real found = INFINITY, wide = 2 * g->size[0] / (g->columns - 1), deep = 2 * g->size[1] / (g->rows - 1);
    real ends[2] = {from.y + near * direction.y, from.y + far * direction.y};
    int first = cell_of((minimum(ends[0], ends[1]) + g->size[1]) / deep - 1, g->rows - 2);
    int last = cell_of((maximum(ends[0], ends[1]) + g->size[1]) / deep + 1, g->rows - 2);
    for (int row = first; row <= last; row++) {
        real low = near, high = far;
        if (fabs(direction.y) > PARALLEL) {
            real one = ((row - .01) * deep - g->size[1] - from.y) / direction.y,
                 other = ((row + 1.01) * deep - g->size[1] - from.y) / direction.y;
            low = maximum(low, minimum(one, other));
            high = minimum(high, maximum(one, other));
        }
        real x[2] = {from.x + low * direction.x, from.x + high * direction.x};
        int begin = cell_of((minimum(x[0], x[1]) + g->size[0]) / wide - .01, g->columns - 2);
        int end = cell_of((maximum(x[0], x[1]) + g->size[0]) / wide + .01, g->columns - 2);
        for (int column = begin; low <= high && column <= end; column++) {
            Vec nearest = point_of_grid(g, row, column), farthest = point_of_grid(g, row + 1, column + 1);
            Vec upper[3] = {nearest, farthest, point_of_grid(g, row, column + 1)},
                lower[3] = {nearest, farthest, point_of_grid(g, row + 1, column)};
            const real one = ray_triangle(upper, from, direction), other = ray_triangle(lower, from, direction);
            if (normal && minimum(one, other) < found) {
                *normal = triangle_normal(one <= other ? upper : lower);
                *normal = scaled(normal->z < 0 ? -1 : 1, *normal);
            }
            found = minimum(found, minimum(one, other));
        }
    }
    return found;
}

/* Height of the surface's boundary where a ray hits a side of a height field. Sides: 0 and 1 along x, 2 and 3
   along y. */
static real height_of_rim(const Grid *g, int side, Vec at)
{
    int count = side < 2 ? g->rows : g->columns;
    real half = g->size[side < 2 ? 1 : 0], along = (part(at, side < 2 ? 1 : 0) + half) / (2 * half) * (count - 1);
    int cell = cell_of(along, count - 2), edge = side % 2 ? (side < 2 ? g->columns : g->rows) - 1 : 0;
    real share = along - cell, one, other;
    one = g->height[side < 2 ? cell * g->columns + edge : edge * g->columns + cell];
    other = g->height[side < 2 ? (cell + 1) * g->columns + edge : edge * g->columns + cell + 1];
    return g->size[2] * (one + share * (other - one));
}

/* The outward normal of a box at a point of its surface. */
static Vec box_normal(const real *size, Vec x)
{
    int axis = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(part(x, k)) - size[k] > fabs(part(x, axis)) - size[axis])
            axis = k;
    const real side = part(x, axis) < 0 ? -1 : 1;
    return vec(axis == 0 ? side : 0, axis == 1 ? side : 0, axis == 2 ? side : 0);
}

/* A height field: the box below, the surface, and the sides between them. */
static real ray_hfield(const Grid *g, Vec from, Vec direction, Vec *normal)
{
    if (!g->height || g->rows < 2 || g->columns < 2)
        return INFINITY;
    real base[3] = {g->size[0], g->size[1], g->size[3] / 2}, rise[3] = {g->size[0], g->size[1], g->size[2] / 2};
    real found = ray_box(vec(from.x, from.y, from.z + base[2]), direction, base);
    if (normal && found < INFINITY)
        *normal = box_normal(base, along(vec(from.x, from.y, from.z + base[2]), found, direction));
    Vec above = vec(from.x, from.y, from.z - rise[2]);
    for (int side = 0; side < 4; side++) {
        real hit = ray_face(above, direction, rise, side / 2, side % 2 ? 1 : -1);
        Vec at = along(from, hit, direction);
        if (hit < found && at.z < height_of_rim(g, side, at)) {
            found = hit;
            if (normal)
                *normal = vec(side < 2 ? 2 * side - 1 : 0, side < 2 ? 0 : 2 * side - 5, 0);
        }
    }
    real near = 0, far = found, box[6] = {-g->size[0], -g->size[1], 0, g->size[0], g->size[1], g->size[2]};
    for (int k = 0; k < 3; k++) {
        real x = part(from, k), speed = part(direction, k);
        if (fabs(speed) > PARALLEL) {
            near = maximum(near, minimum((box[k] - x) / speed, (box[k + 3] - x) / speed));
            far = minimum(far, maximum((box[k] - x) / speed, (box[k + 3] - x) / speed));
        } else if (x < box[k] || x > box[k + 3])
            return found;
    }
    if (!(near <= far && far < INFINITY))
        return found;
    Vec own;
    const real hit = ray_cells(g, from, direction, near, far, normal ? &own : NULL);
    if (normal && hit < found)
        *normal = own;
    return minimum(found, hit);
}

static real ray_shape(const Collision *c, int geom, const real *xpos, const real *xmat, Vec from, Vec direction)
{
    const Collider *g = c->geom + geom;
    const real *m = xmat + 9 * geom, *size = g->size;
    Axes axes = {{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}};
    Vec apart = sub(from, vec(xpos[3 * geom], xpos[3 * geom + 1], xpos[3 * geom + 2]));
    if (g->type != SHAPE_PLANE && g->bound < 1e100) { /* the ray misses the bounding sphere */
        real square = dot(direction, direction), at = maximum(-dot(apart, direction) / square, 0);
        Vec nearest = along(apart, at, direction);
        if (dot(nearest, nearest) > 1.0001 * g->bound * g->bound + PARALLEL)
            return INFINITY;
    }
    Vec x = components(&axes, apart), v = components(&axes, direction);
    switch (g->type) {
    case SHAPE_PLANE:
        return ray_plane(x, v, size);
    case SHAPE_HFIELD:
        return ray_hfield(c->grid + geom, x, v, NULL);
    case SHAPE_SPHERE:
        return ray_ball(x, v, size[0]);
    case SHAPE_CAPSULE:
        return ray_capsule(x, v, size);
    case SHAPE_ELLIPSOID:
        return ray_ball(divided(x, size), divided(v, size), 1);
    case SHAPE_CYLINDER:
        return ray_cylinder(x, v, size);
    case SHAPE_BOX:
        return ray_box(x, v, size);
    default:
        return ray_mesh(c->tree + geom, x, v, NULL);
    }
}

/* The outward normal of a geom where a ray hits it, in the world, given the distance of the hit. */
static Vec normal_of_hit(const Collision *c, const real *xpos, const real *xmat, Vec from, Vec direction, int geom, real far)
{
    const Collider *g = c->geom + geom;
    const real *m = xmat + 9 * geom, *size = g->size;
    const Axes axes = {{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}};
    const Vec x = components(&axes, sub(from, vec(xpos[3 * geom], xpos[3 * geom + 1], xpos[3 * geom + 2])));
    const Vec v = components(&axes, direction), at = along(x, far, v);
    Vec n = vec(0, 0, 0);
    switch (g->type) {
    case SHAPE_PLANE:
        n = vec(0, 0, 1);
        break;
    case SHAPE_HFIELD:
        ray_hfield(c->grid + geom, x, v, &n);
        break;
    case SHAPE_SPHERE:
        n = at;
        break;
    case SHAPE_CAPSULE:
        n = vec(at.x, at.y, at.z - minimum(maximum(at.z, -size[1]), size[1]));
        break;
    case SHAPE_ELLIPSOID:
        n = divided(divided(at, size), size);
        break;
    case SHAPE_CYLINDER:
        n = fabs(at.z) - size[1] > hypot(at.x, at.y) - size[0] ? vec(0, 0, at.z) : vec(at.x, at.y, 0);
        break;
    case SHAPE_BOX:
        n = box_normal(size, at);
        break;
    default:
        ray_mesh(c->tree + geom, x, v, &n);
    }
    n = unit(n);
    return along(along(scaled(n.x, axes.x), n.y, axes.y), n.z, axes.z);
}

/* Distance along a ray to the first geom hit, and that geom; -1 and -1 if there is none. `counted` marks the
   geoms that are tested; if it is NULL, all visible geoms except those of `body` are. */
static real nearest_hit(const Collision *c, const real *xpos, const real *xmat, Vec from, Vec direction,
                        const unsigned char *counted, int body, int *geom)
{
    real found = INFINITY;
    *geom = -1;
    for (int i = 0; i < c->ngeom; i++) {
        if (counted ? !counted[i] : !c->geom[i].visible || c->geom[i].body == body)
            continue;
        real hit = ray_shape(c, i, xpos, xmat, from, direction);
        if (hit < found) {
            found = hit;
            *geom = i;
        }
    }
    return *geom < 0 ? -1 : found;
}

#endif
