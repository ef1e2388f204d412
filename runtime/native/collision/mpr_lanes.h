#ifndef POLYBODY_MPR_LANES_H
#define POLYBODY_MPR_LANES_H

/* The search of mpr.h for several pairs of shapes at a time, each in its own lane, with the same results. */

#include "collision/mpr.h"
#include "collision/poses.h"

enum { KEPT = 32 }; /* rounds whose points of both shapes are kept */

/* The points of both shapes whose differences are corners. */
typedef struct {
    Vec3 a, b;
} Ends;

typedef struct {
    Poses a, b;
    Vec3 corner[4];   /* the centre, and the portal, seen from the centre with its corners counterclockwise */
    vmask end[4];        /* where `ends` has the points of a corner of the portal, which are only needed when a search has ended */
    Ends ends[KEPT];
    int kept;            /* how many of these there are */
    Vec3 next;        /* the corners found last */
    Vec3 direction;   /* the direction in which they were found */
    vmask open;          /* which lanes are still searched */
    vmask first, second; /* which of these look for their first or second corner */
    vmask met;           /* whether the ray passes through corner 1 */
    vmask found;         /* whether it passes through the portal */
    vmask within;        /* whether the origin is on the side of the centre */
    vmask left;          /* rounds until the search ends */
    vmask inside;        /* whether it has ended with the origin inside */
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
        p->end[k + 1] = (vmask){0} + k;
    }
    p->kept = 3;
}

/* Finds the next corners; returns their distances along the directions. */
INLINE vreal look_outwards(Portals *p)
{
    if (RARELY(p->kept == KEPT))
        forget_ends(p);
    Ends *ends = p->ends + p->kept++;
    ends->a = each_support(&p->a, p->direction, p->open);
    ends->b = each_support(&p->b, negated3(p->direction), p->open);
    p->next = sub3(ends->a, ends->b);
    return dot3(p->next, p->direction);
}

/* Replaces a corner by another in some lanes. */
INLINE void take_corner(Portals *p, int k, Vec3 corner, vmask end, vmask where)
{
    p->corner[k] = select3(where, corner, p->corner[k]);
    p->end[k] = (where & end) | (~where & p->end[k]);
}

INLINE void take_found(Portals *p, int k, vmask where) { take_corner(p, k, p->next, (vmask){0} + (p->kept - 1), where); }

INLINE vmask are_positive(vreal x) { return x >= ROUNDING; }

/* Takes the third corner in the lanes where the ray passes through the portal. In the others, the new corner replaces the one on
   the side on which the ray passes by. */
INLINE void take_third(Portals *p, vmask open, vmask ahead)
{
    const Vec3 *c = p->corner, next = p->next;
    p->open &= ~open | ahead;
    p->left += open;
    open &= ahead;
    const vmask two = open & (triple3(c[1], next, c[0]) <= -ROUNDING);
    const vmask one = open & ~two & (triple3(next, c[2], c[0]) <= -ROUNDING);
    const vmask found = open & ~(one | two);
    take_found(p, 1, one);
    take_found(p, 2, two);
    take_found(p, 3, found);
    p->found |= found;
    p->open &= ~(one | two) | (p->left > 0);
    p->left = (found & MAX_ROUNDS) | (~found & p->left);
}

/* Replaces the corner of the portal for which the ray stays within the portal by the next corner. */
INLINE void expand_portals(Portals *p, vmask open)
{
    const Vec3 *c = p->corner, side = cross3(p->next, c[0]);
    const vmask one = dot3(c[1], side) > 0, two = dot3(c[2], side) > 0, three = dot3(c[3], side) > 0;
    const vmask first = (~three & (two | ~one)) | (one & two & three), third = one & ~two;
    take_found(p, 1, open & first);
    take_found(p, 2, open & ~(first | third));
    take_found(p, 3, open & third);
}

/* Whether the next corner is farther out than the portal by at most the tolerance. */
INLINE vmask are_reached(const Portals *p, vreal out, real tolerance)
{
    vreal farthest = dot3(p->corner[1], p->direction);
    for (int i = 2; i < 4; i++) {
        const vreal far = dot3(p->corner[i], p->direction);
        farthest = vselect(farthest > far, farthest, far);
    }
    return ~are_positive(out - farthest - tolerance);
}

/* Moves portals outwards: first until the origin is on the side of the centre or known to be outside, then until the portals lie on
   the surface or no rounds are left. */
INLINE void refine_portals(Portals *p, vmask open, vreal out, const Search *search)
{
    p->left += open;
    const vmask reached = are_reached(p, out, search->tolerance) | (p->left == 0);
    const vmask ends = reached | (~p->within & (out <= -ROUNDING));
    p->inside |= open & p->within & reached;
    p->open &= ~(open & ends);
    expand_portals(p, open & ~ends);
}

/* Ends the search of lanes whose ray passes through the first corner; `normal` is that to the centre and this corner. */
INLINE void end_on_ray(Portals *p, vmask first, Vec3 normal)
{
    const vmask flat = p->open & first & (dot3(normal, normal) < ROUNDING);
    p->met |= flat & ~(vsqrt(dot3(p->corner[1], p->corner[1])) < ROUNDING);
    p->open &= ~flat;
}

/* Has the third corner be looked for on the side of the origin. */
INLINE void face_origin(Portals *p, vmask second)
{
    const vmask away = second & (dot3(p->direction, p->corner[0]) > 0), end = p->end[1];
    const Vec3 corner = p->corner[1];
    take_corner(p, 1, p->corner[2], p->end[2], away);
    take_corner(p, 2, corner, end, away);
    p->direction = select3(away, negated3(p->direction), p->direction);
}

/* Sets the directions of the next corners: normal to the portal, to the triangle of the centre and the first two corners, or to the
   ray and the first corner. */
INLINE void turn_outwards(Portals *p, vmask first, vmask second, const Search *search)
{
    const Vec3 *c = p->corner, origin = select3(p->found, c[1], c[0]);
    const vmask f = p->found, zero = {0};
    Vec3 normal = cross3(sub3(select3(f, c[2], c[1]), origin), sub3(select3(f, c[3], c[2]), origin));
    if (vany(first)) {
        normal = select3(first, cross3(c[0], c[1]), normal);
        end_on_ray(p, first, normal);
    }
    p->direction = directions_of(normal);
    if (vany(second))
        face_origin(p, second);
    const vmask begins = f & ~p->within & (dot3(p->direction, c[1]) > -ROUNDING);
    p->within |= begins;
    p->left = (begins & (zero + search->iterations + 2)) | (~begins & p->left);
}

/* One round of all lanes. vmask at all stages share it, because the inlined search for corners is long. */
INLINE void search_round(Portals *p, const Search *search)
{
    const vreal out = look_outwards(p);
    const vmask ahead = are_positive(out), first = p->first, second = p->second;
    const vmask third = p->open & ~(first | second | p->found), refined = p->open & p->found;
    if (vany(first | second)) {
        p->open &= ~(first | second) | ahead;
        take_found(p, 1, first);
        take_found(p, 2, second);
    }
    if (vany(third))
        take_third(p, third, ahead);
    if (vany(refined))
        refine_portals(p, refined, out, search);
    turn_outwards(p, first, second, search);
    p->first = (vmask){0};
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
static inline void begin_lanes(Portals *p, vmask fresh)
{
    const vreal zero = {0}, nearly = zero + ROUNDING;
    gather_poses(&p->a);
    gather_poses(&p->b);
    Vec3 centre = sub3(p->a.centre, p->b.centre);
    const vmask none = (vabs(centre.x) < nearly) & (vabs(centre.y) < nearly) & (vabs(centre.z) < nearly);
    centre.x += vselect(none, zero + 10 * ROUNDING, zero);
    p->corner[0] = centre;
    p->direction = select3(fresh, directions_of(negated3(centre)), p->direction);
    p->open |= fresh;
    p->first = fresh;
    p->second &= ~fresh;
    p->met &= ~fresh;
    p->found &= ~fresh;
    p->within &= ~fresh;
    p->inside &= ~fresh;
    p->left = (fresh & MAX_ROUNDS) | (~fresh & p->left);
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
    vmask fresh = {0};
    int next = count < LANES ? count : LANES;
    unsigned hits = 0;
    p.a.looked = p.b.looked = p.a.remembered = p.b.remembered = *remembered = 0;
    p.open = p.first = p.second = p.met = p.found = p.within = p.inside = p.left = fresh;
    p.end[0] = p.end[1] = p.end[2] = p.end[3] = fresh;
    p.kept = 0;
    for (int k = 0; k < 4; k++)
        p.corner[k] = vec3((vreal){0}, (vreal){0}, (vreal){0});
    p.direction = p.corner[0];
    EVERY_LANE (i) {
        place_pair(&p, i, a, b, i < count ? i : 0);
        fresh[i] = -(i < count);
    }
    for (;;) {
        if (vany(fresh))
            begin_lanes(&p, fresh);
        const vmask open = p.open;
        do {
            search_round(&p, search);
        } while (!vany(open & ~p.open));
        const vmask ended = open & ~p.open;
        fresh = (vmask){0};
        EVERY_LANE (i) {
            if (!ended[i])
                continue;
            hits |= end_lane(&p, i, out, remembered);
            if (next < count) {
                place_pair(&p, i, a, b, next++);
                fresh[i] = -1;
            }
        }
        if (!vany(p.open | fresh))
            return hits;
    }
}

#endif
