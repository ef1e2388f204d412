#ifndef POLYBODY_POSES_H
#define POLYBODY_POSES_H

/* The farthest points of a convex shape in four poses at a time. */

#include "four.h"
#include "support.h"

typedef struct {
    Convex *shape;
    Vec4 centre, pos, x, y, z; /* x, y, z: axes */
    const real *block;         /* the vertices of a hull that has only one block, otherwise 0 */
    Lanes last;                /* the index in the block of the vertex found last; -1: see `shape` */
    int looked;                /* whether a search has run */
    unsigned remembered;       /* a bit for each lane whose first vertex depends on an earlier one */
} Poses;

ALWAYS_INLINE Poses poses_of(Convex *poses)
{
    Vec centre[FOUR], pos[FOUR], x[FOUR], y[FOUR], z[FOUR];
    const Shape *s = poses->shape;
    EVERY_LANE (i) {
        const Shape *own = poses[i].shape;
        centre[i] = poses[i].centre;
        pos[i] = own->pos;
        x[i] = own->axes.x;
        y[i] = own->axes.y;
        z[i] = own->axes.z;
    }
    Poses all = {poses, gathered(centre), gathered(pos), gathered(x), gathered(y), gathered(z),
                 s->type == MESH && !s->hull->cell ? s->hull->near : 0, {-1, -1, -1, -1}, 0, 0};
    return all;
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
            own->last = s->block + s->last[i];
        const Vec vertex = climb_on(own, lane(direction, i), (*far)[i]);
        s->last[i] = -1;
        s->remembered |= (unsigned)!s->looked << i;
        found->x[i] = vertex.x;
        found->y[i] = vertex.y;
        found->z[i] = vertex.z;
    }
}

/* The farthest of a block of vertices, in the direction of each lane. */
ALWAYS_INLINE Vec4 farthest_of_block4(Poses *s, Vec4 direction, Lanes open)
{
    enum { Y = CELL_BLOCK, Z = 2 * CELL_BLOCK };
    const real *block = s->block;
    const Reals4 zero = {0};
    Winner w[CELL_BLOCK];
    Lanes level = {0}; /* minus the number of vertices that are as far as the farthest, within the slack */
    for (int k = 0; k < CELL_BLOCK; k++) {
        w[k].far = direction.x * (zero + block[k]) + direction.y * (zero + block[Y + k]) + direction.z * (zero + block[Z + k]);
        w[k].place = (Lanes){k, k, k, k};
    }
    const Winner most = winner_of(winner_of(winner_of(w[0], w[1]), winner_of(w[2], w[3])),
                                  winner_of(winner_of(w[4], w[5]), winner_of(w[6], w[7])));
    for (int k = 0; k < CELL_BLOCK; k++)
        level += w[k].far >= most.far - s->shape->shape->hull->slack;
    const Lanes at = most.place, tied = open & (level < -1);
    const real *a = block + at[0], *b = block + at[1], *c = block + at[2], *d = block + at[3];
    Vec4 found = vec4((Reals4){a[0], b[0], c[0], d[0]}, (Reals4){a[Y], b[Y], c[Y], d[Y]}, (Reals4){a[Z], b[Z], c[Z], d[Z]});
    if (RARELY(some(tied)))
        look_from_last(s, &direction, &most.far, &tied, &found);
    s->last = (tied & s->last) | (~tied & at);
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

/* The farthest points in the given directions, of the open lanes. */
ALWAYS_INLINE Vec4 support4(Poses *s, Vec4 direction, Lanes open)
{
    const Reals4 inflation = (Reals4){0} + s->shape->inflation;
    const Vec4 local = vec4(dot4(s->x, direction), dot4(s->y, direction), dot4(s->z, direction));
    Vec4 far;
    if (s->block) {
        far = farthest_of_block4(s, local, open);
    } else {
        Vec found[FOUR] = {{0, 0, 0}};
        support_by_lanes(s, &local, &open, found);
        far = gathered(found);
    }
    s->looked = 1;
    far = along4(far, inflation, local);
    return add4(s->pos, along4(along4(scaled4(far.x, s->x), far.y, s->y), far.z, s->z));
}

#endif
