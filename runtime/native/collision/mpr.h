#ifndef POLYBODY_MPR_H
#define POLYBODY_MPR_H

/* How deep two convex shapes penetrate, by Minkowski portal refinement (G. Snethen, "XenoCollide", Game
   Programming Gems 7): the ray from the centre of the Minkowski difference through the origin leaves it
   through a triangle of support points, the portal, which is moved outwards until no support point lies
   farther out. The origin's nearest point of the last portal is the depth; what the ray meets is the place.

   Where faces are parallel, rounding decides which portal is the last, and so where the place is: operations and their order are
   those of libccd, which MuJoCo searches with. */

#include "collision/support.h"

typedef struct {
    Vec v, a, b; /* a - b, and the points of both shapes */
} Corner;

/* Corners are exchanged by their pointers. */
typedef struct {
    Convex *a, *b;
    Corner memory[5];
    Corner *corner[4]; /* the centre, and the portal, seen from the centre with its corners counterclockwise */
    Corner *next;      /* what was found last */
} Portal;

enum {
    MAX_ROUNDS = 500
}; /* of what the number of iterations does not bound: it ends sooner unless numbers are degenerate */
#define ROUNDING DBL_EPSILON

/* Finds the next corner. */
INLINE void look_towards(Portal *p, Vec direction)
{
    Corner *c = p->next;
    c->a = support(p->a, direction);
    c->b = support(p->b, negated(direction));
    c->v = sub(c->a, c->b);
}

/* Puts the next corner in the place of another. */
static inline void take_next(Portal *p, int place)
{
    Corner *former = p->corner[place];
    p->corner[place] = p->next;
    p->next = former;
}

static inline int is_positive(real x) { return x >= ROUNDING; }

/* The unit vector along one of any length: a portal of shapes that hardly overlap is as small as that. */
static inline Vec direction_of(Vec a)
{
    const real length = norm(a);
    return length > 0 ? scaled(1 / length, a) : vec(1, 0, 0);
}

static inline Vec normal_through(const Portal *p, int from, int a, int b)
{
    Vec origin = p->corner[from]->v;
    return direction_of(cross(sub(p->corner[a]->v, origin), sub(p->corner[b]->v, origin)));
}

static inline Vec portal_normal(const Portal *p) { return normal_through(p, 1, 2, 3); }

enum { APART, TOUCHING, ON_SEGMENT, FOUND };

/* A first portal that the ray passes through. ON_SEGMENT: the ray passes through corner 1. */
static int discover_portal(Portal *p)
{
    Corner **c = p->corner;
    if (maximum(maximum(fabs(c[0]->v.x), fabs(c[0]->v.y)), fabs(c[0]->v.z)) < ROUNDING)
        c[0]->v.x += 10 * ROUNDING;
    Vec direction = direction_of(negated(c[0]->v));
    for (int place = 1; place < 3; place++) {
        look_towards(p, direction);
        take_next(p, place);
        if (!is_positive(dot(c[place]->v, direction)))
            return APART;
        if (place == 2)
            break;
        direction = cross(c[0]->v, c[1]->v);
        if (dot(direction, direction) < ROUNDING)
            return norm(c[1]->v) < ROUNDING ? TOUCHING : ON_SEGMENT;
        direction = direction_of(direction);
    }
    direction = normal_through(p, 0, 1, 2);
    if (dot(direction, c[0]->v) > 0) {
        Corner *first = c[1];
        c[1] = c[2];
        c[2] = first;
        direction = negated(direction);
    }
    for (int round = 0; round < MAX_ROUNDS; round++) {
        look_towards(p, direction);
        take_next(p, 3);
        if (!is_positive(dot(c[3]->v, direction)))
            return APART;
        int beyond; /* the side from the third corner that the ray passes beyond */
        if (dot(cross(c[1]->v, c[3]->v), c[0]->v) <= -ROUNDING)
            beyond = 2;
        else if (dot(cross(c[3]->v, c[2]->v), c[0]->v) <= -ROUNDING)
            beyond = 1;
        else
            return FOUND;
        Corner *third = c[3];
        c[3] = c[beyond];
        c[beyond] = third;
        direction = normal_through(p, 0, 1, 2);
    }
    return APART;
}

/* Has the next corner replace the one of the portal that keeps the ray within it. */
static inline void expand_portal(Portal *p)
{
    Corner **c = p->corner;
    /* By the sides of corners 1, 2, 3, a bit each: which corner goes cannot be foreseen, so it is looked up. */
    static const unsigned char place[8] = {1, 3, 1, 1, 2, 3, 2, 1};
    Vec side = cross(p->next->v, c[0]->v);
    const int one = dot(c[1]->v, side) > 0, two = dot(c[2]->v, side) > 0, three = dot(c[3]->v, side) > 0;
    take_next(p, place[one | two << 1 | three << 2]);
}

/* Whether the next corner lies hardly farther out than the portal. */
static inline int is_reached(const Portal *p, Vec direction, real tolerance)
{
    Corner *const *c = p->corner;
    const real out = maximum(maximum(dot(c[1]->v, direction), dot(c[2]->v, direction)), dot(c[3]->v, direction));
    return !(dot(p->next->v, direction) - out - tolerance >= ROUNDING);
}

/* Moves the portal: at first until the origin is on the side of the centre, or it turns out to be beyond; then, of the
   rounds that the search has, until it lies on the surface. Returns whether the origin is within. */
static int refine_portal(Portal *p, const Search *search)
{
    int within = 0;
    for (int round = 0, left = MAX_ROUNDS;; round++) {
        Vec direction = portal_normal(p);
        if (!within && dot(direction, p->corner[1]->v) > -ROUNDING) {
            within = 1;
            round = 0;
            left = search->iterations;
        }
        look_towards(p, direction);
        if (within) {
            if (is_reached(p, direction, search->tolerance) || round > left)
                return 1;
        } else if (round == left - 1 || dot(p->next->v, direction) <= -ROUNDING ||
                   is_reached(p, direction, search->tolerance))
            return 0;
        expand_portal(p);
    }
}

static inline Vec nearest_of_segment(Vec a, Vec b)
{
    Vec edge = sub(b, a);
    const real share = -dot(a, edge) / dot(edge, edge); /* no number where both ends are the same */
    return share > 1 - ROUNDING ? b : share >= ROUNDING ? along(a, share, edge) : a;
}

/* The point of a triangle that is nearest to the origin. */
static Vec nearest_of_triangle(Vec a, Vec b, Vec c)
{
    Vec u = sub(b, a), v = sub(c, a);
    real uu = dot(u, u), uv = dot(u, v), vv = dot(v, v), au = dot(a, u), av = dot(a, v),
         det = uu * vv - uv * uv;
    if (fabs(det) >= ROUNDING) {
        real s = (av * uv - vv * au) / det, t = (-s * uv - av) / vv;
        if (s > -ROUNDING && t > -ROUNDING && s + t <= 1 + ROUNDING)
            return along(along(a, s, u), t, v);
    }
    Vec sides[3] = {nearest_of_segment(a, b), nearest_of_segment(a, c), nearest_of_segment(b, c)};
    Vec best = sides[0];
    for (int i = 1; i < 3; i++)
        if (dot(sides[i], sides[i]) < dot(best, best))
            best = sides[i];
    return best;
}

/* Halfway between the points of both shapes whose difference is the origin, by its place in the tetrahedron
   of centre and portal; where that is flat, in the portal. */
static Vec place_in_portal(const Portal *p)
{
    Corner *const *c = p->corner;
    real share[4] = {dot(cross(c[1]->v, c[2]->v), c[3]->v), dot(cross(c[3]->v, c[2]->v), c[0]->v),
                     dot(cross(c[0]->v, c[1]->v), c[3]->v), dot(cross(c[2]->v, c[1]->v), c[0]->v)};
    real sum = share[0] + share[1] + share[2] + share[3];
    if (!is_positive(sum)) {
        Vec normal = portal_normal(p);
        share[0] = 0;
        share[1] = dot(cross(c[2]->v, c[3]->v), normal);
        share[2] = dot(cross(c[3]->v, c[1]->v), normal);
        share[3] = dot(cross(c[1]->v, c[2]->v), normal);
        sum = share[1] + share[2] + share[3];
    }
    Vec on_a = vec(0, 0, 0), on_b = vec(0, 0, 0);
    for (int i = 0; i < 4; i++) {
        on_a = along(on_a, share[i], c[i]->a);
        on_b = along(on_b, share[i], c[i]->b);
    }
    return scaled(.5, add(scaled(1 / sum, on_a), scaled(1 / sum, on_b)));
}

/* The touch of negative distance that a search has found, by what its first part says; returns whether there is one. */
static int touch_of_portal(const Portal *p, int found, Touch *out)
{
    Corner *const *c = p->corner;
    const Vec gap = found == ON_SEGMENT ? c[1]->v : nearest_of_triangle(c[1]->v, c[2]->v, c[3]->v);
    const real depth = norm(gap);
    if (!is_positive(depth))
        return 0;
    const Vec place = found == ON_SEGMENT ? scaled(.5, add(c[1]->a, c[1]->b)) : place_in_portal(p);
    *out = touch(-depth, place, scaled(1 / depth, gap));
    return 1;
}

/* The depth of penetration of two convex shapes as a touch of negative distance; returns whether there is
 * one. */
static int penetration(Convex *a, Convex *b, const Search *search, Touch *out)
{
    Portal p;
    p.a = a;
    p.b = b;
    for (int i = 0; i < 4; i++)
        p.corner[i] = p.memory + i;
    p.next = p.memory + 4;
    p.corner[0]->v = sub(a->centre, b->centre);
    p.corner[0]->a = a->centre;
    p.corner[0]->b = b->centre;
    const int found = discover_portal(&p);
    if (found == FOUND && !refine_portal(&p, search))
        return 0;
    return (found == FOUND || found == ON_SEGMENT) && touch_of_portal(&p, found, out);
}

#endif
