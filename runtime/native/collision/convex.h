#ifndef POLYBODY_CONVEX_H
#define POLYBODY_CONVEX_H

/* Convex shapes of any two kinds, and a mesh on a plane. */

#include "collision/bounds.h"
#include "collision/ccd_touches.h"
#include "collision/epa.h"
#include "collision/field.h"
#include "collision/mpr_lanes.h"

static inline Vec local_point(const Shape *s, Vec point) { return components(&s->axes, sub(point, s->pos)); }

/* From a point inside of an ellipsoid along a normal to its surface, then along the normal there, and so on.
 */
static int normal_from_inside(const real *inverse, Vec point, Vec *normal)
{
    Vec n = unit(*normal), weighted = vec(inverse[0] * point.x, inverse[1] * point.y, inverse[2] * point.z);
    real level = dot(point, weighted) - 1;
    for (int round = 0; round < 30; round++) {
        real a = inverse[0] * n.x * n.x + inverse[1] * n.y * n.y + inverse[2] * n.z * n.z,
             b = dot(weighted, n);
        real det = b * b - a * level;
        if (!(det >= TINY && a >= TINY) || sqrt(det) < b)
            return round > 0;
        Vec at = along(point, (sqrt(det) - b) / a, n);
        Vec next = unit(vec(inverse[0] * at.x, inverse[1] * at.y, inverse[2] * at.z));
        real change = distance(n, next);
        *normal = n = next;
        if (change < 1e-6)
            break;
    }
    return 1;
}

/* At the nearest point of an ellipsoid to a point outside: Newton's method for the multiplier of the
   constraint that the point is on the surface. */
static int normal_from_outside(const real *size, Vec point, Vec *normal)
{
    real square[3] = {size[0] * size[0], size[1] * size[1], size[2] * size[2]}, multiplier = 0;
    real weight[3] = {point.x * point.x * square[0], point.y * point.y * square[1],
                      point.z * point.z * square[2]};
    for (int round = 0; round < 30; round++) {
        real value = -1, slope = 0;
        for (int k = 0; k < 3; k++) {
            real r = 1 / (square[k] + multiplier);
            value += weight[k] * r * r;
            slope -= 2 * weight[k] * r * r * r;
        }
        const real change = value / slope;
        if (!(value >= 1e-6 && slope <= -TINY && -change >= 1e-6))
            break;
        multiplier -= change;
    }
    *normal = unit(vec(point.x / (square[0] + multiplier), point.y / (square[1] + multiplier),
                       point.z / (square[2] + multiplier)));
    return 1;
}

static int normal_of_ellipsoid(const real *size, Vec point, Vec *normal)
{
    real inverse[3], level = -1;
    for (int k = 0; k < 3; k++) {
        if (size[k] < TINY)
            return 0;
        inverse[k] = 1 / (size[k] * size[k]);
        level += inverse[k] * part(point, k) * part(point, k);
    }
    return level <= 0 ? normal_from_inside(inverse, point, normal) : normal_from_outside(size, point, normal);
}

/* The outward normal of a round shape near a point, where the search's own is less exact; returns whether
   there is one. `normal` is the search's own. */
static int round_normal(const Shape *s, Vec point, Vec *normal)
{
    if (s->type < SHAPE_SPHERE || s->type > SHAPE_CYLINDER)
        return 0;
    Vec at = local_point(s, point), n = components(&s->axes, *normal);
    real end;
    switch (s->type) {
    case SHAPE_SPHERE:
        n = at;
        break;
    case SHAPE_CAPSULE:
        n = vec(at.x, at.y, at.z - clamped(at.z, -s->size[1], s->size[1]));
        break;
    case SHAPE_ELLIPSOID:
        if (!normal_of_ellipsoid(s->size, at, &n))
            return 0;
        break;
    case SHAPE_CYLINDER: /* the round side, where it is clearly nearer than a cap */
        end = fabs(s->size[1] - fabs(at.z));
        if (fabs(at.z) > .95 * s->size[1] || end < .25 * fabs(s->size[0] - sqrt(at.x * at.x + at.y * at.y)))
            return 0;
        n = vec(at.x, at.y, 0);
        break;
    default:
        return 0;
    }
    *normal = combined(&s->axes, unit(n));
    return 1;
}

static void correct_normal(const Shape *a, const Shape *b, Touch *t)
{
    Vec from_a = t->normal, from_b = negated(t->normal);
    int at_a = round_normal(a, t->pos, &from_a), at_b = round_normal(b, t->pos, &from_b);
    if (at_a && at_b)
        t->normal = unit(sub(from_a, from_b));
    else if (at_a)
        t->normal = from_a;
    else if (at_b)
        t->normal = negated(from_b);
}

/* How deep two shapes penetrate each other, by the search that the Model asks for. */
static int overlap_of(Convex *a, Convex *b, const Search *search, Touch *out)
{
    Vec on_a, on_b;
    if (is_ccd(search))
        return ccd_contacts(a, b, search, 1, out);
    if (!search->native)
        return penetration(a, b, search, out);
    return separation(a, b, search, 0, out, &on_a, &on_b) && out->dist < 0;
}

/* Turns the result of a search into a touch: each shape was inflated by half the margin. */
static inline void finish_touch(const Shape *a, const Shape *b, real margin, Touch *out)
{
    out->dist += margin;
    if (!a->search->native)
        correct_normal(a, b, out);
}

enum { POSES = 4 };
#define EVERY_POSE(i) for (int i = 0; i < POSES; i++)

/* The same search in four poses: a bit for each in which the shapes overlap. Where shapes have several farthest vertices, the search of a
   pose continues from the vertices that the one before it has found last. */
static unsigned overlaps_of(Convex *a, Convex *b, const Search *search, Touch *out)
{
    unsigned hits = 0, remembered = 0;
    if (!search->native) {
        Convex first[POSES], second[POSES];
        EVERY_POSE (i) {
            first[i] = a[i];
            second[i] = b[i];
        }
        hits = penetrations(first, second, POSES, search, out, &remembered);
        if (!(remembered & 14)) /* the first pose continues from the right ones */
            return hits;
        hits = 0;
    }
    EVERY_POSE (i) {
        hits |= (unsigned)overlap_of(a + i, b + i, search, out + i) << i;
        if (i + 1 < POSES) {
            continue_from(a + i + 1, a + i);
            continue_from(b + i + 1, b + i);
        }
    }
    return hits;
}

#define TURN 1e-3 /* by which shapes are turned for more contacts, rad */

/* A rotation by TURN about an axis, or backwards where `way` is -1. It is computed from its quaternion, as in MuJoCo: faces that were
   parallel still touch along an edge, where rounding decides. */
static Axes turn_about(Vec axis, real direction)
{
    const real w = cos(TURN / 2);
    const Vec q = scaled(direction * sin(TURN / 2), axis);
    const real xx = q.x * q.x, yy = q.y * q.y, zz = q.z * q.z;
    Axes m = {{w * w + xx - yy - zz, 2 * (q.x * q.y + w * q.z), 2 * (q.x * q.z - w * q.y)},
              {2 * (q.x * q.y - w * q.z), w * w - xx + yy - zz, 2 * (q.y * q.z + w * q.x)},
              {2 * (q.x * q.z + w * q.y), 2 * (q.y * q.z - w * q.x), w * w - xx - yy + zz}};
    return m;
}

static inline Axes transposed(const Axes *m)
{
    Axes t = {{m->x.x, m->y.x, m->z.x}, {m->x.y, m->y.y, m->z.y}, {m->x.z, m->y.z, m->z.z}};
    return t;
}

/* A shape turned about a point. */
static Shape turned_about(const Shape *s, Vec point, const Axes *turn)
{
    Shape turned = *s;
    Axes axes = {combined(turn, s->axes.x), combined(turn, s->axes.y), combined(turn, s->axes.z)};
    const Vec inward = sub(point, s->pos);
    turned.axes = axes;
    turned.pos = sub(s->pos, sub(combined(turn, inward), inward));
    return turned;
}

/* Further contacts: those of the shapes when they are turned slightly against each other. */
static int turned_touches(const Convex *first, const Convex *second, real margin, Touch *out)
{
    const Shape *a = first->shape, *b = second->shape;
    const Axes frame = frame_of(out);
    const real near = 1e-3 * minimum(a->bound, b->bound);
    Shape turned[POSES], back[POSES];
    Convex one[POSES], other[POSES];
    Touch found[POSES];
    EVERY_POSE (i) {
        const Axes turn = turn_about(i / 2 ? frame.z : frame.y, i % 2 ? 1 : -1), opposite = transposed(&turn);
        turned[i] = turned_about(a, out->pos, &turn);
        back[i] = turned_about(b, out->pos, &opposite);
        one[i] = convex(turned + i, margin / 2);
        other[i] = convex(back + i, margin / 2);
        continue_from(one + i, first);
        continue_from(other + i, second);
    }
    const unsigned hits = overlaps_of(one, other, a->search, found);
    int n = 1;
    EVERY_POSE (i) {
        int distinct = hits >> i & 1;
        for (int k = 0; k < n && distinct; k++)
            distinct = distance(out[k].pos, found[i].pos) > near;
        if (!distinct)
            continue;
        out[n] = found[i];
        /* as of 4.0 the normal is that of the shapes where they are */
        finish_touch(a->search->newest ? a : turned + i, a->search->newest ? b : back + i, margin, out + n);
        out[n++].dist = out->dist;
    }
    return n;
}

/* The contacts of two shapes whose overlap has been found, to `out`, where the result of the search is: one; with `multi` up to four
   more. */
static int touches_of_overlap(const Convex *one, const Convex *other, real margin, Touch *out)
{
    const Shape *a = one->shape, *b = other->shape;
    finish_touch(a, b, margin, out);
    const int smooth = a->type == SHAPE_SPHERE || a->type == SHAPE_ELLIPSOID || b->type == SHAPE_SPHERE || b->type == SHAPE_ELLIPSOID;
    return a->search->multi && !smooth ? turned_touches(one, other, margin, out) : 1;
}

static int convex_convex(const Shape *a, const Shape *b, real margin, Touch *out)
{
    if (boxes_apart(a, b, margin))
        return 0;
    if (is_ccd(a->search))
        return ccd_touches(a, b, margin, out);
    Convex one = convex(a, margin / 2), other = convex(b, margin / 2);
    return overlap_of(&one, &other, a->search, out) ? touches_of_overlap(&one, &other, margin, out) : 0;
}

/* The lowest vertex, and up to two others within the margin that are its neighbours and not near it. */
static int plane_mesh(const Shape *a, const Shape *b, real margin, Touch *out)
{
    enum { MOST = 3 };
    Vec up = a->axes.z, down = components(&b->axes, negated(up));
    const Hull *hull = b->hull;
    const int all = hull->graph == 0, last = all ? farthest_vertex(hull, down) : climb(hull, down, 0);
    Vec lowest = add(b->pos, combined(&b->axes, all ? vertex_of(hull, last) : hull->corner[last]));
    real dist = dot(up, sub(lowest, a->pos)), height = dot(up, sub(b->pos, a->pos));
    if (!(dist <= margin))
        return 0;
    out[0] = touch_on_plane(dist, lowest, up);
    int n = 1, i = all ? 0 : hull_starts(hull)[last];
    for (; n < MOST && (all ? i < hull->count : hull_neighbours(hull)[i] >= 0); i++) {
        if (all && i % CLUSTER == 0 && is_cluster_below(hull, i, down, height - margin)) {
            i += CLUSTER - 1;
            continue;
        }
        Vec vertex = all ? vertex_of(hull, i) : hull->corner[hull_neighbours(hull)[i]];
        if ((all && i == last) || !(dot(down, vertex) > height - margin))
            continue;
        Vec point = add(b->pos, combined(&b->axes, vertex));
        if (distance(point, out[0].pos) >= .3 * b->bound)
            out[n++] = touch_on_plane(dot(up, sub(point, a->pos)), point, up);
    }
    return n;
}

#endif
