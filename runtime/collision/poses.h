#ifndef POLYBODY_POSES_H
#define POLYBODY_POSES_H

/* The farthest points of four convex shapes at a time. They have the numbers that support.h computes for each alone. */

#include "four.h"
#include "support.h"

typedef struct {
    Convex *shape;
    Vec4 centre, pos, x, y, z; /* x, y, z: axes */
    Vec4 size;
    Reals4 inflation;
    int kind;                    /* the type of all shapes; HULLS if a mesh has several blocks of vertices; else BY_LANES */
    Reals4 near[3 * CELL_BLOCK]; /* MESH: the vertices of the hulls */
    Reals4 slack;                /* of the hulls */
    Lanes last;                  /* the index in the block of the vertex found last; -1: see `shape` */
    int looked;                  /* whether a search has run */
    unsigned remembered;         /* a bit for each lane whose first vertex depends on an earlier one */
} Poses;

enum { HULLS = -2, BY_LANES };

/* The type of a shape; HULLS or BY_LANES for a mesh that does not have a single block of vertices. */
static inline int kind_of(const Shape *s)
{
    return s->type != MESH ? s->type : !s->hull->near ? BY_LANES : s->hull->cell ? HULLS : MESH;
}

/* The kind of shapes of two kinds. */
static inline int joint_kind(int a, int b)
{
    return a == b ? a : (a == HULLS && b == MESH) || (a == MESH && b == HULLS) ? HULLS : BY_LANES;
}

/* Gathers the blocks of four hulls. */
ALWAYS_INLINE void gather_blocks(Poses *s)
{
    const real *near[FOUR];
    EVERY_LANE (i) {
        near[i] = s->shape[i].shape->hull->near;
        s->slack[i] = s->shape[i].shape->hull->slack;
    }
    for (int k = 0; k < 3 * CELL_BLOCK; k++)
        s->near[k] = (Reals4){near[0][k], near[1][k], near[2][k], near[3][k]};
}

ALWAYS_INLINE void gather_poses(Poses *s, Convex *shapes)
{
    Vec centre[FOUR], pos[FOUR], x[FOUR], y[FOUR], z[FOUR], size[FOUR];
    s->kind = kind_of(shapes->shape);
    EVERY_LANE (i) {
        const Shape *own = shapes[i].shape;
        centre[i] = shapes[i].centre;
        pos[i] = own->pos;
        x[i] = own->axes.x;
        y[i] = own->axes.y;
        z[i] = own->axes.z;
        size[i] = vec(own->size[0], own->size[1], own->size[2]);
        s->inflation[i] = shapes[i].inflation;
        s->kind = joint_kind(s->kind, kind_of(own));
    }
    s->shape = shapes;
    s->centre = gathered(centre);
    s->pos = gathered(pos);
    s->x = gathered(x);
    s->y = gathered(y);
    s->z = gathered(z);
    s->size = gathered(size);
    s->last = (Lanes){-1, -1, -1, -1};
    s->looked = 0;
    s->remembered = 0;
    if (s->kind == MESH)
        gather_blocks(s);
}

/* Leaves the vertices found last in the shapes. */
ALWAYS_INLINE void keep_last(const Poses *s)
{
    EVERY_LANE (i)
        if (s->kind == MESH && s->last[i] >= 0)
            s->shape[i].last = s->shape[i].shape->hull->near + s->last[i];
}

/* Indices in a block, and the distances of their vertices along the direction. */
typedef struct {
    Reals4 far;
    Lanes place;
} Winner;

/* The farther of two; the first one if they are equal. */
ALWAYS_INLINE Winner winner_of(Winner a, Winner b)
{
    const Lanes second = b.far > a.far;
    const Winner w = {chosen(second, b.far, a.far), (second & b.place) | (~second & a.place)};
    return w;
}

/* Climbs from the vertices found last in the lanes in which several vertices are farthest, at the distance `far`. It is not inlined
   because this is rare. */
static NEVER_INLINE void look_from_last(Poses *s, const Vec4 *direction, const Reals4 *far, const Lanes *tied, Vec4 *found)
{
    EVERY_LANE (i) {
        Convex *own = s->shape + i;
        if (!(*tied)[i])
            continue;
        if (s->last[i] >= 0)
            own->last = own->shape->hull->near + s->last[i];
        const Vec vertex = climb_on(own, lane(direction, i), (*far)[i]);
        s->last[i] = -1;
        s->remembered |= (unsigned)!s->looked << i;
        found->x[i] = vertex.x;
        found->y[i] = vertex.y;
        found->z[i] = vertex.z;
    }
}

/* The farthest vertex of the block of each lane. */
ALWAYS_INLINE Vec4 farthest_of_block4(Poses *s, Vec4 direction, Lanes open)
{
    enum { Y = CELL_BLOCK, Z = 2 * CELL_BLOCK };
    const Reals4 *near = s->near;
    Winner w[CELL_BLOCK];
    Lanes level = {0}; /* minus the number of vertices that are as far as the farthest, within the slack */
    for (int k = 0; k < CELL_BLOCK; k++) {
        w[k].far = direction.x * near[k] + direction.y * near[Y + k] + direction.z * near[Z + k];
        w[k].place = (Lanes){k, k, k, k};
    }
    const Winner most = winner_of(winner_of(winner_of(w[0], w[1]), winner_of(w[2], w[3])),
                                  winner_of(winner_of(w[4], w[5]), winner_of(w[6], w[7])));
    for (int k = 0; k < CELL_BLOCK; k++)
        level += w[k].far >= most.far - s->slack;
    const Lanes at = most.place, tied = open & (level < -1), single = open & ~tied;
    Vec corner[FOUR];
    EVERY_LANE (i)
        corner[i] = vec(near[at[i]][i], near[Y + at[i]][i], near[Z + at[i]][i]);
    Vec4 found = gathered(corner);
    if (RARELY(some(tied)))
        look_from_last(s, &direction, &most.far, &tied, &found);
    s->last = (single & at) | (~single & s->last);
    return found;
}

/* The farthest points of all other shapes, lane by lane. It is not inlined because it is long. */
static NEVER_INLINE void support_by_lanes(Poses *s, const Vec4 *local, const Lanes *open, Vec *found)
{
    EVERY_LANE (i) {
        if (!(*open)[i])
            continue;
        const int before = s->shape[i].remembered;
        found[i] = local_support(s->shape + i, lane(local, i));
        s->remembered |= (unsigned)(!s->looked && s->shape[i].remembered > before) << i;
    }
}

/* As cell_of_direction. */
ALWAYS_INLINE Lanes cells_of_directions(Vec4 d)
{
    const Reals4 x = magnitudes4(d.x), y = magnitudes4(d.y), z = magnitudes4(d.z), zero = {0};
    const Lanes third = z > chosen(x > y, x, y), second = ~third & (y > x);
    const Reals4 most = chosen(third, d.z, chosen(second, d.y, d.x)), half = magnitudes4(most) / 2;
    const Reals4 u = chosen(third, d.x, chosen(second, d.z, d.y)), v = chosen(third, d.y, chosen(second, d.x, d.z));
    const Lanes row = (u > -half) + (u > zero) + (u > half), column = (v > -half) + (v > zero) + (v > half); /* minus these */
    const Lanes axis = (third & 2) | (second & 1);
    return CELL_SIDE * (CELL_SIDE * (2 * axis - (most < zero)) - row) - column;
}

/* The farthest vertices of hulls that have blocks. */
ALWAYS_INLINE Vec4 farthest_of_hulls(Poses *s, Vec4 direction, Lanes open)
{
    const Lanes cells = cells_of_directions(direction);
    Vec found[FOUR] = {{0, 0, 0}};
    for (int i = 0; i < FOUR; i++) {
        if (!open[i])
            continue;
        Convex *own = s->shape + i;
        const int *cell = own->shape->hull->cell ? own->shape->hull->cell + 2 * cells[i] : ONE_BLOCK, before = own->remembered;
        found[i] = farthest_between(own, lane(&direction, i), cell[0], cell[1], 1);
        s->remembered |= (unsigned)(!s->looked && own->remembered > before) << i;
    }
    return gathered(found);
}

ALWAYS_INLINE Reals4 signs(Reals4 x)
{
    const Lanes top = {INT64_MIN, INT64_MIN, INT64_MIN, INT64_MIN};
    const Reals4 one = {1, 1, 1, 1};
    return (Reals4)(((Lanes)one | ((Lanes)x & top)) & (x != 0));
}

ALWAYS_INLINE Vec4 farthest_of_ellipsoids(Vec4 size, Vec4 d)
{
    const Reals4 zero = {0};
    const Vec4 by_size = vec4(size.x * d.x, size.y * d.y, size.z * d.z);
    const Reals4 length = roots4(dot4(by_size, by_size));
    const Vec4 n = chosen_vec(length < TINY, vec4(zero + 1, zero, zero), scaled4(1 / length, by_size));
    return vec4(size.x * n.x, size.y * n.y, size.z * n.z);
}

ALWAYS_INLINE Vec4 farthest_of_cylinders(Vec4 size, Vec4 d)
{
    const Reals4 zero = {0}, across = roots4(d.x * d.x + d.y * d.y), end = size.y * signs(d.z);
    const Lanes any = across > TINY;
    return vec4(chosen(any, d.x / across * size.x, zero), chosen(any, d.y / across * size.x, zero), end);
}

/* In the frames of the shapes; directions are unit vectors. */
ALWAYS_INLINE Vec4 local_support4(Poses *s, Vec4 d, Lanes open)
{
    const Vec4 size = s->size;
    Vec found[FOUR] = {{0, 0, 0}};
    switch (s->kind) {
    case SPHERE: return scaled4(size.x, d);
    case CAPSULE: return vec4(size.x * d.x, size.x * d.y, size.x * d.z + size.y * signs(d.z));
    case ELLIPSOID: return farthest_of_ellipsoids(size, d);
    case CYLINDER: return farthest_of_cylinders(size, d);
    case BOX: return vec4(size.x * signs(d.x), size.y * signs(d.y), size.z * signs(d.z));
    case MESH: return farthest_of_block4(s, d, open);
    case HULLS: return farthest_of_hulls(s, d, open);
    default: support_by_lanes(s, &d, &open, found); return gathered(found);
    }
}

/* The farthest points in the given directions, of the open lanes. */
ALWAYS_INLINE Vec4 support4(Poses *s, Vec4 direction, Lanes open)
{
    const Vec4 local = vec4(dot4(s->x, direction), dot4(s->y, direction), dot4(s->z, direction));
    const Vec4 far = along4(local_support4(s, local, open), s->inflation, local);
    s->looked = 1;
    return add4(s->pos, along4(along4(scaled4(far.x, s->x), far.y, s->y), far.z, s->z));
}

#endif
