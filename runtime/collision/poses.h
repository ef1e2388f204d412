#ifndef POLYBODY_POSES_H
#define POLYBODY_POSES_H

/* The farthest points of a convex shape in four poses at a time. */

#include "four.h"
#include "support.h"

typedef struct {
    Convex *shape;
    Vec4 centre, pos, x, y, z; /* x, y, z: axes */
    const real *block;         /* of vertices, of a hull that has no others */
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
                 s->type == MESH && !s->hull->cell ? s->hull->near : 0};
    return all;
}

/* Places of a block, and how far they are: of two the first one, unless the second is farther. */
typedef struct {
    Reals4 far;
    Lanes place;
} Winner;

ALWAYS_INLINE Winner winner_of(Winner a, Winner b)
{
    const Lanes second = b.far > a.far;
    const Winner w = {chosen(second, b.far, a.far), (second & b.place) | (~second & a.place)};
    return w;
}

/* Of a block of vertices the first that is farthest, in the direction of each lane. */
ALWAYS_INLINE Vec4 farthest_of_block4(const real *block, Vec4 direction)
{
    enum { Y = CELL_BLOCK, Z = 2 * CELL_BLOCK };
    const Reals4 zero = {0};
    Winner w[CELL_BLOCK];
    for (int k = 0; k < CELL_BLOCK; k++) {
        w[k].far = direction.x * (zero + block[k]) + direction.y * (zero + block[Y + k]) + direction.z * (zero + block[Z + k]);
        w[k].place = (Lanes){k, k, k, k};
    }
    const Lanes at = winner_of(winner_of(winner_of(w[0], w[1]), winner_of(w[2], w[3])),
                               winner_of(winner_of(w[4], w[5]), winner_of(w[6], w[7]))).place;
    const real *a = block + at[0], *b = block + at[1], *c = block + at[2], *d = block + at[3];
    return vec4((Reals4){a[0], b[0], c[0], d[0]}, (Reals4){a[Y], b[Y], c[Y], d[Y]}, (Reals4){a[Z], b[Z], c[Z], d[Z]});
}

/* Of shapes of other kinds: out of line, since it is long. */
static __attribute__((noinline)) void support_by_lanes(const Poses *s, const Vec4 *local, const Lanes *open, Vec *found)
{
    EVERY_LANE (i)
        if ((*open)[i])
            found[i] = local_support(s->shape[i].shape, lane(local, i));
}

/* The farthest points of the lanes that are open. */
ALWAYS_INLINE Vec4 support4(const Poses *s, Vec4 direction, Lanes open)
{
    const Reals4 inflation = (Reals4){0} + s->shape->inflation;
    const Vec4 local = vec4(dot4(s->x, direction), dot4(s->y, direction), dot4(s->z, direction));
    Vec4 far;
    if (s->block) {
        far = farthest_of_block4(s->block, local);
    } else {
        Vec found[FOUR] = {{0, 0, 0}};
        support_by_lanes(s, &local, &open, found);
        far = gathered(found);
    }
    far = along4(far, inflation, local);
    return add4(s->pos, along4(along4(scaled4(far.x, s->x), far.y, s->y), far.z, s->z));
}

#endif
