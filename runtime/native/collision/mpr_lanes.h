#ifndef POLYBODY_MPR_LANES_H
#define POLYBODY_MPR_LANES_H

/* The search of mpr.h for several pairs of shapes at a time, each in its own lane, with the same results. */

#include "collision/mpr.h"
#include "collision/poses.h"

enum { KEPT = 32 }; /* rounds whose points of both shapes are kept */

/* The points of both shapes whose differences are corners. */
typedef struct {
    LaneVec a, b;
} Ends;

typedef struct {
    Poses a, b;
    LaneVec corner[4];   /* the centre, and the portal, seen from the centre with its corners counterclockwise */
    Lanes end[4];        /* where `ends` has the points of a corner of the portal, which are only needed when a search has ended */
    Ends ends[KEPT];
    int kept;            /* how many of these there are */
    LaneVec next;        /* the corners found last */
    LaneVec direction;   /* the direction in which they were found */
    Lanes open;          /* which lanes are still searched */
    Lanes first, second; /* which of these look for their first or second corner */
    Lanes met;           /* whether the ray passes through corner 1 */
    Lanes found;         /* whether it passes through the portal */
    Lanes within;        /* whether the origin is on the side of the centre */
    Lanes left;          /* rounds until the search ends */
    Lanes inside;        /* whether it has ended with the origin inside */
    int number[LANES];   /* of the pair of each lane */
} Portals;

/* Makes space for the points of further rounds. */
static NEVER_INLINE void forget_ends(Portals *p)
{
    Ends own[3];
    for (int k = 0; k < 3; k++) {
        EVERY_LANE (i) {
            const Ends *from = p->ends + p->end[k + 1][i];
            set_lane(&own[k].a, i, lane(&from->a, i));
            set_lane(&own[k].b, i, lane(&from->b, i));
        }
    }
    for (int k = 0; k < 3; k++) {
        p->ends[k] = own[k];
        p->end[k + 1] = (Lanes){0} + k;
    }
    p->kept = 3;
}

/* Finds the next corners; returns their distances along the directions. */
ALWAYS_INLINE Reals look_outwards(Portals *p)
{
    if (RARELY(p->kept == KEPT))
        forget_ends(p);
    Ends *ends = p->ends + p->kept++;
    ends->a = each_support(&p->a, p->direction, p->open);
    ends->b = each_support(&p->b, each_negated(p->direction), p->open);
    p->next = each_sub(ends->a, ends->b);
    return each_dot(p->next, p->direction);
}

/* Replaces a corner by another in some lanes. */
ALWAYS_INLINE void take_corner(Portals *p, int k, LaneVec corner, Lanes end, Lanes where)
{
    p->corner[k] = chosen_vec(where, corner, p->corner[k]);
    p->end[k] = (where & end) | (~where & p->end[k]);
}

ALWAYS_INLINE void take_found(Portals *p, int k, Lanes where) { take_corner(p, k, p->next, (Lanes){0} + (p->kept - 1), where); }

ALWAYS_INLINE Lanes are_positive(Reals x) { return x >= ROUNDING; }

/* Takes the third corner in the lanes where the ray passes through the portal. In the others, the new corner replaces the one on
   the side on which the ray passes by. */
ALWAYS_INLINE void take_third(Portals *p, Lanes open, Lanes ahead)
{
    const LaneVec *c = p->corner, next = p->next;
    p->open &= ~open | ahead;
    p->left += open;
    open &= ahead;
    const Lanes two = open & (each_triple(c[1], next, c[0]) <= -ROUNDING);
    const Lanes one = open & ~two & (each_triple(next, c[2], c[0]) <= -ROUNDING);
    const Lanes found = open & ~(one | two);
    take_found(p, 1, one);
    take_found(p, 2, two);
    take_found(p, 3, found);
    p->found |= found;
    p->open &= ~(one | two) | (p->left > 0);
    p->left = (found & MOST_ROUNDS) | (~found & p->left);
}

/* Replaces the corner of the portal for which the ray stays within the portal by the next corner. */
ALWAYS_INLINE void expand_portals(Portals *p, Lanes open)
{
    const LaneVec *c = p->corner, side = each_cross(p->next, c[0]);
    const Lanes one = each_dot(c[1], side) > 0, two = each_dot(c[2], side) > 0, three = each_dot(c[3], side) > 0;
    const Lanes first = (~three & (two | ~one)) | (one & two & three), third = one & ~two;
    take_found(p, 1, open & first);
    take_found(p, 2, open & ~(first | third));
    take_found(p, 3, open & third);
}

/* Whether the next corner is farther out than the portal by at most the tolerance. */
ALWAYS_INLINE Lanes are_reached(const Portals *p, Reals out, real tolerance)
{
    Reals farthest = each_dot(p->corner[1], p->direction);
    for (int i = 2; i < 4; i++) {
        const Reals far = each_dot(p->corner[i], p->direction);
        farthest = chosen(farthest > far, farthest, far);
    }
    return ~are_positive(out - farthest - tolerance);
}

/* Moves portals outwards: first until the origin is on the side of the centre or known to be outside, then until the portals lie on
   the surface or no rounds are left. */
ALWAYS_INLINE void refine_portals(Portals *p, Lanes open, Reals out, const Search *search)
{
    p->left += open;
    const Lanes reached = are_reached(p, out, search->tolerance) | (p->left == 0);
    const Lanes ends = reached | (~p->within & (out <= -ROUNDING));
    p->inside |= open & p->within & reached;
    p->open &= ~(open & ends);
    expand_portals(p, open & ~ends);
}

/* Ends the search of lanes whose ray passes through the first corner; `normal` is that to the centre and this corner. */
ALWAYS_INLINE void end_on_ray(Portals *p, Lanes first, LaneVec normal)
{
    const Lanes flat = p->open & first & (each_dot(normal, normal) < ROUNDING);
    p->met |= flat & ~(each_root(each_dot(p->corner[1], p->corner[1])) < ROUNDING);
    p->open &= ~flat;
}

/* Has the third corner be looked for on the side of the origin. */
ALWAYS_INLINE void face_origin(Portals *p, Lanes second)
{
    const Lanes away = second & (each_dot(p->direction, p->corner[0]) > 0), end = p->end[1];
    const LaneVec corner = p->corner[1];
    take_corner(p, 1, p->corner[2], p->end[2], away);
    take_corner(p, 2, corner, end, away);
    p->direction = chosen_vec(away, each_negated(p->direction), p->direction);
}

/* Sets the directions of the next corners: normal to the portal, to the triangle of the centre and the first two corners, or to the
   ray and the first corner. */
ALWAYS_INLINE void turn_outwards(Portals *p, Lanes first, Lanes second, const Search *search)
{
    const LaneVec *c = p->corner, origin = chosen_vec(p->found, c[1], c[0]);
    const Lanes f = p->found, zero = {0};
    LaneVec normal = each_cross(each_sub(chosen_vec(f, c[2], c[1]), origin), each_sub(chosen_vec(f, c[3], c[2]), origin));
    if (some(first)) {
        normal = chosen_vec(first, each_cross(c[0], c[1]), normal);
        end_on_ray(p, first, normal);
    }
    p->direction = directions_of(normal);
    if (some(second))
        face_origin(p, second);
    const Lanes begins = f & ~p->within & (each_dot(p->direction, c[1]) > -ROUNDING);
    p->within |= begins;
    p->left = (begins & (zero + search->iterations + 2)) | (~begins & p->left);
}

/* One round of all lanes. Lanes at all stages share it, because the inlined search for corners is long. */
ALWAYS_INLINE void search_round(Portals *p, const Search *search)
{
    const Reals out = look_outwards(p);
    const Lanes ahead = are_positive(out), first = p->first, second = p->second;
    const Lanes third = p->open & ~(first | second | p->found), refined = p->open & p->found;
    if (some(first | second)) {
        p->open &= ~(first | second) | ahead;
        take_found(p, 1, first);
        take_found(p, 2, second);
    }
    if (some(third))
        take_third(p, third, ahead);
    if (some(refined))
        refine_portals(p, refined, out, search);
    turn_outwards(p, first, second, search);
    p->first = (Lanes){0};
    p->second = first;
}

/* Has a lane search the pair of a number; begin_lanes must follow. */
static inline void place_pair(Portals *p, int i, Convex *a, Convex *b, int number)
{
    place_shape(&p->a, i, a + number);
    place_shape(&p->b, i, b + number);
    p->number[i] = number;
}

/* Begins the searches of lanes whose pairs are new. */
static inline void begin_lanes(Portals *p, Lanes fresh)
{
    const Reals zero = {0}, nearly = zero + ROUNDING;
    gather_poses(&p->a);
    gather_poses(&p->b);
    LaneVec centre = each_sub(p->a.centre, p->b.centre);
    const Lanes none = (each_magnitude(centre.x) < nearly) & (each_magnitude(centre.y) < nearly) & (each_magnitude(centre.z) < nearly);
    centre.x += chosen(none, zero + 10 * ROUNDING, zero);
    p->corner[0] = centre;
    p->direction = chosen_vec(fresh, directions_of(each_negated(centre)), p->direction);
    p->open |= fresh;
    p->first = fresh;
    p->second &= ~fresh;
    p->met &= ~fresh;
    p->found &= ~fresh;
    p->within &= ~fresh;
    p->inside &= ~fresh;
    p->left = (fresh & MOST_ROUNDS) | (~fresh & p->left);
}

/* Computes the touch of a lane; returns whether there is one. */
static int touch_of_lane(const Portals *all, int i, Touch *out)
{
    Portal p;
    if (!(all->inside[i] | all->met[i]))
        return 0;
    for (int k = 0; k < 4; k++) {
        const Ends *ends = all->ends + all->end[k][i];
        const Corner own = {lane(all->corner + k, i), lane(k ? &ends->a : &all->a.centre, i), lane(k ? &ends->b : &all->b.centre, i)};
        p.memory[k] = own;
        p.corner[k] = p.memory + k;
    }
    return touch_of_portal(&p, all->met[i] ? ON_SEGMENT : FOUND, out);
}

/* Leaves the result of a lane whose search has ended; returns a bit of its pair if the shapes overlap. */
static unsigned end_lane(Portals *p, int i, Touch *out, unsigned *remembered)
{
    const int number = p->number[i];
    keep_last(&p->a, i);
    keep_last(&p->b, i);
    *remembered |= ((p->a.remembered | p->b.remembered) >> i & 1) << number;
    return (unsigned)touch_of_lane(p, i, out + number) << number;
}

/* The penetrations of `count` pairs of convex shapes, at most AT_ONCE, as touches with negative distances. Bit i of the result is set if
   pair i overlaps. When the search of a lane has ended, the lane searches the next pair. Bit i of `remembered` is set if the result of
   pair i depends on a vertex found by an earlier search. */
static unsigned penetrations(Convex *a, Convex *b, int count, const Search *search, Touch *out, unsigned *remembered)
{
    Portals p;
    Lanes fresh = {0};
    int next = count < LANES ? count : LANES;
    unsigned hits = 0;
    p.a.looked = p.b.looked = p.a.remembered = p.b.remembered = *remembered = 0;
    p.open = p.first = p.second = p.met = p.found = p.within = p.inside = p.left = fresh;
    p.end[0] = p.end[1] = p.end[2] = p.end[3] = fresh;
    p.kept = 0;
    for (int k = 0; k < 4; k++)
        p.corner[k] = lane_vec((Reals){0}, (Reals){0}, (Reals){0});
    p.direction = p.corner[0];
    EVERY_LANE (i) {
        place_pair(&p, i, a, b, i < count ? i : 0);
        fresh[i] = -(i < count);
    }
    for (;;) {
        if (some(fresh))
            begin_lanes(&p, fresh);
        const Lanes open = p.open;
        do {
            search_round(&p, search);
        } while (!some(open & ~p.open));
        const Lanes ended = open & ~p.open;
        fresh = (Lanes){0};
        EVERY_LANE (i) {
            if (!ended[i])
                continue;
            hits |= end_lane(&p, i, out, remembered);
            if (next < count) {
                place_pair(&p, i, a, b, next++);
                fresh[i] = -1;
            }
        }
        if (!some(p.open | fresh))
            return hits;
    }
}

#endif
