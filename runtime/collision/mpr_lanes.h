#ifndef POLYBODY_MPR_LANES_H
#define POLYBODY_MPR_LANES_H

/* The search of mpr.h for several pairs of shapes at a time, each in its own lane, with the same results. */

#include "mpr.h"
#include "poses.h"

/* Points of the Minkowski difference, v = a - b, and the points of both shapes. */
typedef struct {
    LaneVec v, a, b;
} Corners;

typedef struct {
    Poses a, b;
    Corners corner[4]; /* the centre, and the portal, seen from the centre with its corners counterclockwise */
    Corners next;      /* the corners found last */
    LaneVec direction; /* the direction in which they were found */
    Lanes open;        /* which lanes are still searched */
    Lanes met;         /* whether the ray passes through corner 1 */
    Lanes found;       /* whether it passes through the portal */
    Lanes within;      /* whether the origin is on the side of the centre */
    Lanes left;        /* rounds until the search ends */
    Lanes inside;      /* whether it has ended with the origin inside */
} Portals;

/* Finds the next corners; returns their distances along the directions. */
ALWAYS_INLINE Reals look_outwards(Portals *p)
{
    Corners *next = &p->next;
    next->a = each_support(&p->a, p->direction, p->open);
    next->b = each_support(&p->b, each_negated(p->direction), p->open);
    next->v = each_sub(next->a, next->b);
    return each_dot(next->v, p->direction);
}

/* Replaces corners in some lanes. */
ALWAYS_INLINE void take_corners(Corners *to, const Corners *from, Lanes where)
{
    to->v = chosen_vec(where, from->v, to->v);
    to->a = chosen_vec(where, from->a, to->a);
    to->b = chosen_vec(where, from->b, to->b);
}

ALWAYS_INLINE Lanes are_positive(Reals x) { return x >= ROUNDING; }
ALWAYS_INLINE Lanes is_small(Reals x) { return (x < ROUNDING) & (x > -ROUNDING); }

/* Normal to three points. */
ALWAYS_INLINE LaneVec normals_through(LaneVec origin, LaneVec a, LaneVec b)
{
    return directions_of(each_cross(each_sub(a, origin), each_sub(b, origin)));
}

/* Takes the first corner. Lanes are closed if the origin is beyond it, or if the ray passes through it. */
ALWAYS_INLINE void take_first(Portals *p, Lanes ahead)
{
    Corners *c = p->corner;
    c[1] = p->next;
    const LaneVec normal = each_cross(c[0].v, c[1].v);
    p->open &= ahead;
    const Lanes flat = p->open & (each_dot(normal, normal) < ROUNDING);
    p->met = flat & ~(each_root(each_dot(c[1].v, c[1].v)) < ROUNDING);
    p->open &= ~flat;
    p->direction = directions_of(normal);
}

/* Takes the second corner. The third one is searched for on the side of the origin. */
ALWAYS_INLINE void take_second(Portals *p, Lanes ahead)
{
    Corners *c = p->corner;
    p->open &= ahead;
    const LaneVec normal = normals_through(c[0].v, c[1].v, p->next.v);
    const Lanes away = p->open & (each_dot(normal, c[0].v) > 0);
    c[2] = p->next;
    take_corners(c + 2, c + 1, away);
    take_corners(c + 1, &p->next, away);
    p->direction = chosen_vec(away, each_negated(normal), normal);
}

/* Takes the third corner in the lanes where the ray passes through the portal. In the others, the new corner replaces the one on
   the side on which the ray passes by. */
ALWAYS_INLINE void take_third(Portals *p, Lanes open, Lanes ahead)
{
    Corners *c = p->corner;
    const LaneVec next = p->next.v;
    p->open &= ~open | ahead;
    open &= ahead;
    const Lanes two = open & (each_triple(c[1].v, next, c[0].v) <= -ROUNDING);
    const Lanes one = open & ~two & (each_triple(next, c[2].v, c[0].v) <= -ROUNDING);
    const Lanes found = open & ~(one | two);
    take_corners(c + 1, &p->next, one);
    take_corners(c + 2, &p->next, two);
    take_corners(c + 3, &p->next, found);
    p->found |= found;
}

/* Replaces the corner of the portal for which the ray stays within the portal by the next corner. */
ALWAYS_INLINE void expand_portals(Portals *p, Lanes open)
{
    Corners *c = p->corner;
    const LaneVec side = each_cross(p->next.v, c[0].v);
    const Lanes one = each_dot(c[1].v, side) > 0, two = each_dot(c[2].v, side) > 0, three = each_dot(c[3].v, side) > 0;
    const Lanes first = (~three & (two | ~one)) | (one & two & three), third = one & ~two;
    take_corners(c + 1, &p->next, open & first);
    take_corners(c + 2, &p->next, open & ~(first | third));
    take_corners(c + 3, &p->next, open & third);
}

/* Whether the next corner is farther out than the portal by at most the tolerance. */
ALWAYS_INLINE Lanes are_reached(const Portals *p, Reals out, real tolerance)
{
    Reals farthest = each_dot(p->corner[1].v, p->direction);
    for (int i = 2; i < 4; i++) {
        const Reals far = each_dot(p->corner[i].v, p->direction);
        farthest = chosen(farthest > far, farthest, far);
    }
    return ~are_positive(out - farthest - tolerance);
}

/* Moves portals outwards: first until the origin is on the side of the centre or known to be outside, then until the portals lie on
   the surface or no rounds are left. */
ALWAYS_INLINE void refine_portals(Portals *p, Lanes open, Reals out, const Search *search)
{
    p->left -= 1;
    const Lanes reached = are_reached(p, out, search->tolerance) | (p->left == 0);
    const Lanes ends = reached | (~p->within & (out <= -ROUNDING));
    p->inside |= open & p->within & reached;
    p->open &= ~(open & ends);
    expand_portals(p, open & ~ends);
}

/* Sets the directions of the next corners: normal to the portal, or to the triangle of the centre and the first two corners. */
ALWAYS_INLINE void turn_outwards(Portals *p, const Search *search)
{
    const Corners *c = p->corner;
    const Lanes f = p->found, zero = {0};
    p->direction = normals_through(chosen_vec(f, c[1].v, c[0].v), chosen_vec(f, c[2].v, c[1].v), chosen_vec(f, c[3].v, c[2].v));
    const Lanes begins = f & ~p->within & (each_dot(p->direction, c[1].v) > -ROUNDING);
    p->within |= begins;
    p->left = (begins & (zero + search->iterations + 2)) | (~begins & p->left);
}

/* Searches until no lane is open. All kinds of rounds share one loop, because the inlined search for corners is long. */
ALWAYS_INLINE void search_portals(Portals *p, const Search *search)
{
    for (int round = 0; some(p->open); round++) {
        const Reals out = look_outwards(p);
        if (round == 0) {
            take_first(p, are_positive(out));
        } else if (round == 1) {
            take_second(p, are_positive(out));
        } else {
            const Lanes third = p->open & ~p->found, refined = p->open & p->found;
            if (some(third))
                take_third(p, third, are_positive(out));
            if (some(refined))
                refine_portals(p, refined, out, search);
            if (round == MOST_ROUNDS + 1)
                p->open &= p->found;
            turn_outwards(p, search);
        }
    }
}

/* Computes the touch of a lane; returns whether there is one. */
static int touch_of_lane(const Portals *all, int i, Touch *out)
{
    Portal p;
    if (!(all->inside[i] | all->met[i]))
        return 0;
    for (int k = 0; k < 4; k++) {
        const Corners *c = all->corner + k;
        const Corner own = {lane(&c->v, i), lane(&c->a, i), lane(&c->b, i)};
        p.memory[k] = own;
        p.corner[k] = p.memory + k;
    }
    return touch_of_portal(&p, all->met[i] ? ON_SEGMENT : FOUND, out);
}

/* The penetrations of `count` pairs of convex shapes, as touches with negative distances. Bit i of the result is set if pair i
   overlaps. LANES pairs are passed; those beyond `count` are not searched. Bit i of `remembered` is set if the result of pair i depends on
   a vertex found by an earlier search. */
SEARCH unsigned penetrations(Convex *a, Convex *b, int count, const Search *search, Touch *out, unsigned *remembered)
{
    const Reals zero = {0};
    Portals p;
    gather_poses(&p.a, a);
    gather_poses(&p.b, b);
    const LaneVec centre = each_sub(p.a.centre, p.b.centre);
    const Corners first = {centre, p.a.centre, p.b.centre};
    for (int k = 0; k < 4; k++)
        p.corner[k] = first;
    const Lanes none = is_small(centre.x) & is_small(centre.y) & is_small(centre.z), number = LANE_NUMBERS;
    p.corner[0].v.x += chosen(none, zero + 10 * ROUNDING, zero);
    p.direction = directions_of(each_negated(p.corner[0].v));
    p.open = number < count;
    p.met = p.found = p.within = p.inside = (Lanes){0};
    p.left = (Lanes){0} + MOST_ROUNDS;
    search_portals(&p, search);
    keep_last(&p.a);
    keep_last(&p.b);
    unsigned hits = 0;
    *remembered = p.a.remembered | p.b.remembered;
    EVERY_LANE (i)
        hits |= (unsigned)touch_of_lane(&p, i, out + i) << i;
    return hits;
}

#endif
