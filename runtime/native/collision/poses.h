#ifndef POLYBODY_POSES_H
#define POLYBODY_POSES_H

/* The farthest points of several convex shapes at a time. They have the numbers that support.h computes for each alone. */

#include "collision/lanes.h"
#include "collision/support.h"

typedef struct {
    Convex *shape[LANES];
    const Hull *hull[LANES];
    Vec3 centre, pos, x, y, z; /* x, y, z: axes */
    Vec3 size;
    vreal inflation;
    int kind;                   /* the type of all shapes that are not hulls; HULLS or SHAPE_MESH if all are; else BY_LANES */
    vmask hulls;                /* which shapes are meshes with blocks of vertices */
    int has_hulls;              /* whether these are looked at after the others */
    vreal near[3 * CELL_BLOCK]; /* SHAPE_MESH, hulls with a single block: their vertices */
    vreal slack;                /* of the hulls */
    vmask last;                 /* the index in the block of the vertex found last; -1: see `shape` */
    unsigned looked;            /* a bit for each lane that has looked for a farthest point */
    unsigned remembered;        /* a bit for each lane whose first vertex depends on an earlier one */
} Poses;

enum { NO_KIND = -3, HULLS, BY_LANES };

/* The type of a shape; HULLS or BY_LANES for a mesh that does not have a single block of vertices. */
static inline int kind_of(const Shape *s)
{
    return s->type != SHAPE_MESH ? s->type : !s->hull->near ? BY_LANES : s->hull->cell ? HULLS : SHAPE_MESH;
}

/* Leaves the vertex found last in the shape of a lane. */
INLINE void keep_last(Poses *s, int i)
{
    if (s->last[i] >= 0)
        s->shape[i]->last = s->shape[i]->shape->hull->near + s->last[i];
    s->last[i] = -1;
}

/* Gives a lane another shape; gather_poses must follow. */
static inline void place_shape(Poses *s, int i, Convex *shape)
{
    s->shape[i] = shape;
    s->hull[i] = shape->shape->hull;
    s->last[i] = -1;
    s->looked &= ~(1u << i);
    s->remembered &= ~(1u << i);
}

/* Gathers the blocks of the hulls. */
INLINE void gather_blocks(Poses *s)
{
    const real *near[LANES];
    EVERY_LANE (i) {
        near[i] = s->hull[i]->near;
        s->slack[i] = s->hull[i]->slack;
    }
#define NEAR_AT(i) near[i][k]
    for (int k = 0; k < 3 * CELL_BLOCK; k++)
        s->near[k] = (vreal)PER_LANE(NEAR_AT);
#undef NEAR_AT
}

/* Sets how the farthest points are found. */
INLINE void choose_kind(Poses *s)
{
    int others = NO_KIND, blocks = 0, hulls = 0;
    EVERY_LANE (i) {
        const int own = kind_of(s->shape[i]->shape), hull = own == HULLS || own == SHAPE_MESH;
        hulls += hull;
        blocks += own == SHAPE_MESH;
        s->hulls[i] = -hull;
        if (!hull)
            others = others == NO_KIND || others == own ? own : BY_LANES;
    }
    s->kind = blocks == LANES ? SHAPE_MESH : hulls == LANES ? HULLS : others;
    s->has_hulls = hulls > 0 && blocks < LANES && others != BY_LANES;
}

/* Gathers the shapes of all lanes. */
static inline void gather_poses(Poses *s)
{
    Vec centre[LANES], pos[LANES], x[LANES], y[LANES], z[LANES], size[LANES];
    EVERY_LANE (i) {
        const Shape *own = s->shape[i]->shape;
        centre[i] = s->shape[i]->centre;
        pos[i] = own->pos;
        x[i] = own->axes.x;
        y[i] = own->axes.y;
        z[i] = own->axes.z;
        size[i] = vec(own->size[0], own->size[1], own->size[2]);
        s->inflation[i] = s->shape[i]->inflation;
    }
    s->centre = gathered(centre);
    s->pos = gathered(pos);
    s->x = gathered(x);
    s->y = gathered(y);
    s->z = gathered(z);
    s->size = gathered(size);
    choose_kind(s);
    if (s->kind == SHAPE_MESH) {
        gather_blocks(s);
    } else {
        EVERY_LANE (i)
            keep_last(s, i);
    }
}

/* Indices in a block, and the distances of their vertices along the direction. */
typedef struct {
    vreal far;
    vmask place;
} Winner;

/* The farther of two; the first one if they are equal. */
INLINE Winner winner_of(Winner a, Winner b)
{
    const vmask second = b.far > a.far;
    const Winner w = {vselect(second, b.far, a.far), (second & b.place) | (~second & a.place)};
    return w;
}

/* Climbs from the vertices found last in the lanes in which several vertices are farthest, at the distance `far`. It is not inlined
   because this is rare. */
static NEVER_INLINE void look_from_last(Poses *s, const Vec3 *direction, const vreal *far, const vmask *tied, Vec3 *found)
{
    EVERY_LANE (i) {
        if (!(*tied)[i])
            continue;
        keep_last(s, i);
        const Vec vertex = climb_on(s->shape[i], lane(direction, i), (*far)[i]);
        s->remembered |= ~s->looked & 1u << i;
        found->x[i] = vertex.x;
        found->y[i] = vertex.y;
        found->z[i] = vertex.z;
    }
}

/* The farthest vertex of the block of each lane. */
INLINE Vec3 each_farthest_of_block(Poses *s, Vec3 direction, vmask open)
{
    enum { Y = CELL_BLOCK, Z = 2 * CELL_BLOCK };
    const vreal *near = s->near;
    Winner w[CELL_BLOCK];
    vmask level = {0}; /* minus the number of vertices that are as far as the farthest, within the slack */
    for (int k = 0; k < CELL_BLOCK; k++) {
        w[k].far = direction.x * near[k] + direction.y * near[Y + k] + direction.z * near[Z + k];
        w[k].place = (vmask){0} + k;
    }
    const Winner most = winner_of(winner_of(winner_of(w[0], w[1]), winner_of(w[2], w[3])),
                                  winner_of(winner_of(w[4], w[5]), winner_of(w[6], w[7])));
    for (int k = 0; k < CELL_BLOCK; k++)
        level += w[k].far >= most.far - s->slack;
    const vmask at = most.place, tied = open & (level < -1), single = open & ~tied;
    Vec corner[LANES];
    EVERY_LANE (i)
        corner[i] = vec(near[at[i]][i], near[Y + at[i]][i], near[Z + at[i]][i]);
    Vec3 found = gathered(corner);
    if (RARELY(vany(tied)))
        look_from_last(s, &direction, &most.far, &tied, &found);
    s->last = (single & at) | (~single & s->last);
    return found;
}

/* The farthest points of all other shapes, lane by lane. It is not inlined because it is long. */
static NEVER_INLINE void support_by_lanes(Poses *s, const Vec3 *local, const vmask *open, Vec *found)
{
    EVERY_LANE (i) {
        if (!(*open)[i])
            continue;
        const int before = s->shape[i]->remembered;
        found[i] = local_support(s->shape[i], lane(local, i));
        s->remembered |= (unsigned)(s->shape[i]->remembered > before) << i & ~s->looked;
    }
}

/* As cell_of_direction. */
INLINE vmask cells_of_directions(Vec3 d)
{
    const vreal x = vabs(d.x), y = vabs(d.y), z = vabs(d.z), zero = {0};
    const vmask third = z > vselect(x > y, x, y), second = ~third & (y > x);
    const vreal most = vselect(third, d.z, vselect(second, d.y, d.x)), half = vabs(most) / 2;
    const vreal u = vselect(third, d.x, vselect(second, d.z, d.y)), v = vselect(third, d.y, vselect(second, d.x, d.z));
    const vmask row = (u > -half) + (u > zero) + (u > half), column = (v > -half) + (v > zero) + (v > half); /* minus these */
    const vmask axis = (third & 2) | (second & 1);
    return CELL_SIDE * (CELL_SIDE * (2 * axis - (most < zero)) - row) - column;
}

/* The farthest vertices of hulls that have blocks. */
INLINE Vec3 farthest_of_hulls(Poses *s, Vec3 direction, vmask open)
{
    const vmask cells = cells_of_directions(direction);
    Vec found[LANES] = {{0, 0, 0}};
    EVERY_LANE (i) {
        if (!open[i])
            continue;
        Convex *own = s->shape[i];
        const Hull *hull = s->hull[i];
        const int *cell = hull->cell ? hull->cell + 2 * cells[i] : ONE_BLOCK, before = own->remembered;
        found[i] = farthest_between(own, hull, lane(&direction, i), cell[0], cell[1], 1);
        s->remembered |= (unsigned)(own->remembered > before) << i & ~s->looked;
    }
    return gathered(found);
}

INLINE vreal signs(vreal x)
{
    const vreal one = (vreal){0} + 1;
    return (vreal)(((vmask)one | ((vmask)x & INT64_MIN)) & (x != 0));
}

INLINE Vec3 farthest_of_ellipsoids(Vec3 size, Vec3 d)
{
    const vreal zero = {0};
    const Vec3 by_size = vec3(size.x * d.x, size.y * d.y, size.z * d.z);
    const vreal length = vsqrt(dot3(by_size, by_size));
    const Vec3 n = select3(length < TINY, vec3(zero + 1, zero, zero), scaled3(1 / length, by_size));
    return vec3(size.x * n.x, size.y * n.y, size.z * n.z);
}

INLINE Vec3 farthest_of_cylinders(Vec3 size, Vec3 d)
{
    const vreal zero = {0}, across = vsqrt(d.x * d.x + d.y * d.y), end = size.y * signs(d.z);
    const vmask any = across > TINY;
    return vec3(vselect(any, d.x / across * size.x, zero), vselect(any, d.y / across * size.x, zero), end);
}

/* In the frames of the shapes; directions are unit vectors. */
INLINE Vec3 each_local_support(Poses *s, Vec3 d, vmask open)
{
    const Vec3 size = s->size;
    Vec found[LANES] = {{0, 0, 0}};
    Vec3 far = {{0}, {0}, {0}};
    switch (s->kind) {
    case SHAPE_SPHERE: far = scaled3(size.x, d); break;
    case SHAPE_CAPSULE: far = vec3(size.x * d.x, size.x * d.y, size.x * d.z + size.y * signs(d.z)); break;
    case SHAPE_ELLIPSOID: far = farthest_of_ellipsoids(size, d); break;
    case SHAPE_CYLINDER: far = farthest_of_cylinders(size, d); break;
    case SHAPE_BOX: far = vec3(size.x * signs(d.x), size.y * signs(d.y), size.z * signs(d.z)); break;
    case SHAPE_MESH: return each_farthest_of_block(s, d, open);
    case HULLS: break;
    default: support_by_lanes(s, &d, &open, found); return gathered(found);
    }
    return s->has_hulls ? select3(s->hulls, farthest_of_hulls(s, d, open & s->hulls), far) : far;
}

/* The farthest points in the given directions, of the open lanes. */
INLINE Vec3 each_support(Poses *s, Vec3 direction, vmask open)
{
    const Vec3 local = vec3(dot3(s->x, direction), dot3(s->y, direction), dot3(s->z, direction));
    const Vec3 far = along3(each_local_support(s, local, open), s->inflation, local);
    s->looked = ~0u;
    return add3(s->pos, along3(along3(scaled3(far.x, s->x), far.y, s->y), far.z, s->z));
}

#endif
