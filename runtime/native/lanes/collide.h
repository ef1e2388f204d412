#ifndef POLYBODY_LANES_COLLIDE_H
#define POLYBODY_LANES_COLLIDE_H

/* Contacts of candidate pairs, in all lanes. A contact in any lane occupies a slot, which is masked out in
   the other lanes.

   Planes, spheres and capsules are processed in all lanes at once, by the formulas of codegen/physics/rows/round.py;
   other shapes, and capsules with parallel axes, lane by lane. */

#include "formulas/lanes.h"
#include "lanes/work.h"

#define COLUMN(w, name) ((const vreal *)(w)->d.name)

enum { HAS, DIST, POS, NORMAL = POS + 3, TANGENT = NORMAL + 3, TOUCH_VECTORS = TANGENT + 3 };

INLINE vreal *touch_of(const LaneWork *w, int slot) { return (vreal *)w->touch + TOUCH_VECTORS * slot; }

/* Adds a slot of a pair; returns its vectors, or NULL if there is no space. */
static vreal *open_slot(LaneWork *w, int pair)
{
    const int k = w->nslot++;
    if (k >= w->most_slots)
        return NULL;
    w->slot[k].pair = pair;
    w->slot[k].held = 0;
    w->slot[k].link = &w->pair[pair].link;
    w->slot[k].surface = w->surface + w->pair[pair].surface;
    w->slot[k].friction = FRICTIONS * (w->own ? pair : w->pair[pair].surface);
    return touch_of(w, k);
}

INLINE void put_touch(LaneWork *w, int pair, vmask has, vreal dist, Vec3 pos, Vec3 normal, Vec3 tangent)
{
    if (!vany(has))
        return;
    vreal *t = open_slot(w, pair);
    if (!t)
        return;
    t[HAS] = (vreal)has;
    t[DIST] = dist;
    put3(t + POS, pos);
    put3(t + NORMAL, normal);
    put3(t + TANGENT, tangent);
}

INLINE Vec3 z_axis(const LaneWork *w, int geom)
{
    const vreal *m = COLUMN(w, geom_xmat) + 9 * geom;
    return vec3(m[2], m[5], m[8]);
}

INLINE Vec3 centre(const LaneWork *w, int geom) { return at3(COLUMN(w, geom_xpos) + 3 * geom); }
INLINE Vec3 nothing3(void) { return vec3(vsplat(0), vsplat(0), vsplat(0)); }

/* Two spheres. */
INLINE void put_balls(LaneWork *w, int pair, vmask near, Vec3 a, double radius_a, Vec3 axis_a, Vec3 b, double radius_b, Vec3 axis_b)
{
    const double margin = w->surface[w->pair[pair].surface].margin, reach = margin + radius_a + radius_b;
    near &= squared_distance_in_lanes(a, b) <= vsplat(reach * reach);
    if (!vany(near))
        return;
    const LaneRoundTouch t = balls_touch_in_lanes(a, radius_a, axis_a, b, radius_b, axis_b);
    put_touch(w, pair, near, t.dist, t.pos, t.normal, nothing3());
}

/* A sphere above a plane. */
INLINE void put_ball_on_plane(LaneWork *w, int pair, vmask near, Vec3 origin, Vec3 normal, Vec3 ball, double radius, Vec3 tangent)
{
    const double margin = w->surface[w->pair[pair].surface].margin;
    const LaneRoundTouch t = plane_touch_in_lanes(origin, normal, ball, radius);
    put_touch(w, pair, near & (t.dist <= vsplat(margin)), t.dist, t.pos, normal, tangent);
}

/* The pose of a geom in one lane. */
static void pose_in(const LaneWork *w, int geom, int lane, double *xpos, double *xmat)
{
    const vreal *p = COLUMN(w, geom_xpos) + 3 * geom, *m = COLUMN(w, geom_xmat) + 9 * geom;
    for (int k = 0; k < 3; k++)
        xpos[k] = p[k][lane];
    for (int k = 0; k < 9; k++)
        xmat[k] = m[k][lane];
}

/* A pair in the lanes of a mask, one after another. */
static __attribute__((noinline)) void put_one_by_one(LaneWork *w, int pair, vmask near)
{
    const Pair *p = w->pair + pair;
    const int first = w->nslot;
    int slots = 0;
    for (int lane = 0; lane < LANES; lane++) {
        if (!near[lane])
            continue;
        double xpos[6], xmat[18];
        Touch touches[MAX_TOUCHES];
        for (int side = 0; side < 2; side++)
            pose_in(w, p->geom[side], lane, xpos + 3 * side, xmat + 9 * side);
        const int found = w->touches(w->c->collision, p->geom, xpos, xmat, w->surface[p->surface].margin, touches);
        for (; slots < found; slots++) {
            vreal *t = open_slot(w, pair);
            if (t)
                memset(t, 0, TOUCH_VECTORS * sizeof(vreal));
        }
        for (int i = 0; i < found && first + i < w->most_slots; i++) {
            const Touch *from = touches + i;
            vreal *t = touch_of(w, first + i);
            vmask has = (vmask)t[HAS];
            has[lane] = -1;
            t[HAS] = (vreal)has;
            t[DIST][lane] = from->dist;
            for (int k = 0; k < 3; k++) {
                t[POS + k][lane] = part(from->pos, k);
                t[NORMAL + k][lane] = part(from->normal, k);
                t[TANGENT + k][lane] = part(from->tangent, k);
            }
        }
    }
}

/* Two capsules, by the nearest points of their axes, or as of MuJoCo 4.0 by up to two pairs of points. */
INLINE void put_capsules(LaneWork *w, int pair, vmask near)
{
    const Pair *p = w->pair + pair;
    const real *size_a = w->c->collision->geom[p->geom[0]].size, *size_b = w->c->collision->geom[p->geom[1]].size;
    const Vec3 a = centre(w, p->geom[0]), b = centre(w, p->geom[1]);
    const Vec3 axis_a = z_axis(w, p->geom[0]), axis_b = z_axis(w, p->geom[1]);
    const Vec3 half_a = scaled3(vsplat(size_a[1]), axis_a), half_b = scaled3(vsplat(size_b[1]), axis_b);
    if (RELEASE_OF(w->c->collision) == RELEASE_V4_0) {
        const LanePairsOfAxes pairs = pairs_of_axes_in_lanes(a, half_a, b, half_b);
        put_balls(w, pair, near, pairs.first, size_a[0], axis_a, pairs.second, size_b[0], axis_b);
        if (vany(near & pairs.parallel))
            put_balls(w, pair, near & pairs.parallel, pairs.first_end, size_a[0], axis_a, pairs.second_end, size_b[0], axis_b);
        return;
    }
    const LaneNearestOfAxes points = nearest_of_axes_in_lanes(a, half_a, b, half_b);
    put_balls(w, pair, near & ~points.parallel, points.first, size_a[0], axis_a, points.second, size_b[0], axis_b);
    if (vany(near & points.parallel))
        put_one_by_one(w, pair, near & points.parallel);
}

/* Finds the slots of all pairs at the current poses. */
static void find_slots(LaneWork *w, vmask moves)
{
    w->nslot = 0;
    for (int k = 0; k < w->npair; k++) {
        const Pair *p = w->pair + k;
        const int one = p->geom[0], other = p->geom[1];
        const Vec3 apart = sub3(centre(w, other), centre(w, one));
        vmask near;
        if (p->plane)
            near = ~(dot3(apart, z_axis(w, one)) > vsplat(p->reach));
        else
            near = ~(dot3(apart, apart) > vsplat(p->reach2));
        near &= moves;
        if (!vany(near))
            continue;
        const real *size = w->c->collision->geom[other].size;
        switch (p->kind) {
        case SHAPE_PLANE * SHAPE_COUNT + SHAPE_SPHERE:
            put_ball_on_plane(w, k, near, centre(w, one), z_axis(w, one), centre(w, other), size[0], nothing3());
            break;
        case SHAPE_PLANE * SHAPE_COUNT + SHAPE_CAPSULE:
            for (int end = 1; end >= -1; end -= 2)
                put_ball_on_plane(w, k, near, centre(w, one), z_axis(w, one), along3(centre(w, other), vsplat(end * size[1]), z_axis(w, other)),
                                  size[0], z_axis(w, other));
            break;
        case SHAPE_SPHERE * SHAPE_COUNT + SHAPE_SPHERE:
            put_balls(w, k, near, centre(w, one), w->c->collision->geom[one].size[0], z_axis(w, one), centre(w, other), size[0],
                      z_axis(w, other));
            break;
        case SHAPE_SPHERE * SHAPE_COUNT + SHAPE_CAPSULE: {
            const Vec3 on_axis = nearest_on_capsule_in_lanes(centre(w, one), centre(w, other), z_axis(w, other), size[1]);
            put_balls(w, k, near, centre(w, one), w->c->collision->geom[one].size[0], z_axis(w, one), on_axis, size[0], z_axis(w, other));
            break;
        }
        case SHAPE_CAPSULE * SHAPE_COUNT + SHAPE_CAPSULE: put_capsules(w, k, near); break;
        default:
            if (lanes_are_ended(w, LANES * (w->c->collision->geom[one].effort + w->c->collision->geom[other].effort)))
                return;
            put_one_by_one(w, k, near);
        }
    }
}

/* The frame of a contact, as in collision/shape.h: the normal and two tangents. `plain`: the pair's shapes
   never suggest a tangent and always give unit normals; the default tangent is never parallel to the
   normal. */
INLINE void frame_in_lanes(const vreal *t, int plain, Vec3 *frame)
{
    const vreal half = vsplat(.5), quarter = vsplat(.25), zero = vsplat(0), one = vsplat(1);
    const Vec3 n = plain ? at3(t + NORMAL) : unit3(at3(t + NORMAL));
    const vmask flat = vabs(n.y) < half;
    const Vec3 standard = vec3(zero, vselect(flat, one, zero), vselect(flat, zero, one));
    frame[0] = n;
    if (plain) {
        const Vec3 first = along3(standard, -dot3(n, standard), n);
        frame[1] = scaled3(1 / vsqrt(dot3(first, first)), first);
    } else {
        const Vec3 given = at3(t + TANGENT);
        Vec3 first = select3(dot3(given, given) >= quarter, given, standard);
        first = along3(first, -dot3(n, first), n);
        const vmask lost = dot3(first, first) < quarter;
        if (vany(lost)) { /* the remainder of a parallel one is rounding error */
            Vec3 other = unit3(first);
            other = along3(other, -dot3(n, other), n);
            other = select3(dot3(other, other) >= quarter, other, along3(standard, -dot3(n, standard), n));
            first = select3(lost, other, first);
        }
        frame[1] = unit3(first);
    }
    frame[2] = cross3(frame[0], frame[1]);
}

/* Whether the contacts of a pair are between spheres, as required for `plain`. */
INLINE int is_plain(const Pair *p)
{
    return p->kind == SHAPE_SPHERE * SHAPE_COUNT + SHAPE_SPHERE || p->kind == SHAPE_SPHERE * SHAPE_COUNT + SHAPE_CAPSULE || p->kind == SHAPE_CAPSULE * SHAPE_COUNT + SHAPE_CAPSULE;
}

#endif
