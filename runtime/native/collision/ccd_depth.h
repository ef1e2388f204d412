#ifndef POLYBODY_CCD_DEPTH_H
#define POLYBODY_CCD_DEPTH_H

/* Distance or depth of two convex shapes as of MuJoCo 4.0, and their nearest points. */

#include "collision/ccd_polytope.h"

static inline int edge_from(const CcdFace *f, int corner) { return f->corner[0] == corner ? 0 : f->corner[1] == corner ? 1 : 2; }

static void remove_face(Polytope4 *p, int face)
{
    const int place = p->face[face].place;
    if (place >= 0) {
        p->list[place] = p->list[--p->listed];
        p->face[p->list[place]].place = place;
    }
    p->face[face].place = GONE;
}

/* Removes a face, and those that are visible from a point w beyond it, beginning behind the given edge; collects the edges around
   them. Returns 0 if there are too many. */
static int remove_visible(Polytope4 *p, int face, int first, int edges, Vec w)
{
    int enough = 1;
    remove_face(p, face);
    for (int k = 0; k < edges; k++) {
        const int edge = (first + k) % 3, behind = p->face[face].next[edge];
        const CcdFace *f = p->face + behind;
        if (f->place == GONE)
            continue;
        const int back = edge_from(f, p->face[face].corner[(edge + 1) % 3]);
        if (dot(f->foot, w) - f->square > maximum(TINY, TINY * sqrt(f->square))) {
            enough &= remove_visible(p, behind, (back + 1) % 3, 2, w);
        } else if (p->edges < p->most_edges) {
            p->edge_face[p->edges] = behind;
            p->edge[p->edges++] = back;
        } else {
            enough = 0;
        }
    }
    return enough;
}

/* Joins a point with the edges around the removed faces; lists the faces that may be nearest. Returns whether all have planes. */
static int close_polytope(Polytope4 *p, int point, real lower, real upper)
{
    const int first = p->faces, n = p->edges;
    for (int i = 0; i < n; i++) {
        const int behind = p->edge_face[i], edge = p->edge[i], own = first + i;
        CcdFace *f = p->face + behind;
        const int from = f->corner[edge], to = f->corner[(edge + 1) % 3];
        f->next[edge] = own;
        const real square = add_face(p, point, to, from, first + (i + n - 1) % n, behind, first + (i + 1) % n);
        if (square == 0)
            return 0;
        if (square >= lower && square <= upper)
            list_face(p, own);
    }
    p->edges = 0;
    return 1;
}

/* Whether both features of the last point are those of an earlier one. */
static int has_known_features(const Polytope4 *p)
{
    const CcdPoint *last = p->point + p->points - 1;
    for (const CcdPoint *point = p->point; point < last; point++)
        if (point->feature_a == last->feature_a && point->feature_b == last->feature_b)
            return 1;
    return 0;
}

static int nearest_listed(const Polytope4 *p, int face, real *square)
{
    *square = DBL_MAX;
    for (int i = 0; i < p->listed; i++)
        if (p->face[p->list[i]].square < *square) {
            face = p->list[i];
            *square = p->face[face].square;
        }
    return face;
}

/* Moves the nearest face outwards until it is on the boundary; returns it, or -1 if there is none. `apart`: whether the shapes turn out
   to be apart. */
static int expand(Polytope4 *p, CcdShape *a, CcdShape *b, const Search *search, int *apart)
{
    const int discrete = is_discrete(a) && is_discrete(b);
    const real tolerance = discrete ? TINY : search->tolerance;
    real upper = DBL_MAX, upper_square = DBL_MAX, lower_square;
    int face = -1;
    *apart = 0;
    for (int k = 0; k < search->iterations && k < MOST_ROUNDS; k++) {
        const int nearest = nearest_listed(p, face, &lower_square);
        if (lower_square > upper_square || nearest < 0)
            return face;
        face = nearest;
        if (lower_square <= 0)
            return face;
        const real lower = sqrt(lower_square);
        const int point = add_farthest(p, a, b, p->face[face].foot, lower);
        const Vec w = p->point[point].v;
        const real far = dot(p->face[face].foot, w) / lower, least = minimum(far, upper);
        if (far - lower < tolerance) {
            *apart = k == 0 && lower - tolerance > least;
            return *apart ? -1 : face;
        }
        if (discrete && has_known_features(p))
            return face;
        if (!remove_visible(p, face, 0, 3, w) || p->edges < 3)
            return -1;
        if (p->edges > p->most_faces - p->faces)
            return face;
        upper_square = far < upper ? far * far : upper_square;
        if (!close_polytope(p, point, lower_square, upper_square) || !p->listed)
            return face;
        upper = least;
    }
    return face;
}

/* The points of both shapes at the foot of the origin on a face, whose corners become the simplex. */
static void set_witnesses(const Polytope4 *p, int face, CcdShape *a, CcdShape *b, CcdResult *r)
{
    const CcdFace *f = p->face + face;
    const CcdPoint *corner[3];
    real share[3];
    for (int i = 0; i < 3; i++) {
        corner[i] = p->point + f->corner[i];
        a->corner[i] = corner[i]->a;
        b->corner[i] = corner[i]->b;
        a->index[i] = corner[i]->feature_a;
        b->index[i] = corner[i]->feature_b;
    }
    a->count = b->count = 3;
    shares_in_plane(corner[0]->v, corner[1]->v, corner[2]->v, f->foot, share);
    r->on_a[0] = weighed_sum(share, 3, a->corner);
    r->on_b[0] = weighed_sum(share, 3, b->corner);
    r->dist[0] = -sqrt(f->square);
    r->count = 1;
}

/* The depth of shapes that are not apart, from the simplex of ccd_distance(); returns whether it was found. `dist` is their distance by
   that, within the tolerance: where they turn out to be apart, it is kept if distances are wanted. */
static NEVER_INLINE int ccd_depth(CcdShape *a, CcdShape *b, const Search *search, int wanted, real dist, CcdResult *r)
{
    Polytope4 p;
    int apart;
    p.points = p.faces = p.listed = p.edges = 0;
    const int rounds = search->iterations < MOST_ROUNDS ? search->iterations : MOST_ROUNDS;
    p.most_faces = 6 * rounds;
    p.most_edges = (rounds > 35 ? rounds : 35) - 11;
    r->dist[0] = 0;
    const int made = a->count == 2   ? start_from_two(&p, a, b, search->tolerance)
                     : a->count == 3 ? start_from_three(&p, a, b, search->tolerance, 1)
                                     : start_from_four(&p, a, b, search->tolerance);
    if (!made)
        return 0;
    const int face = expand(&p, a, b, search, &apart);
    if (face >= 0) {
        set_witnesses(&p, face, a, b, r);
        return 1;
    }
    r->count = apart && wanted;
    r->dist[0] = apart && wanted ? dist : 0;
    return 0;
}

/* Moves witnesses outwards along the direction from a to b, by a radius of each. */
static void inflate_witnesses(real radius_a, real radius_b, Vec direction, CcdResult *r)
{
    if (radius_a == 0 && radius_b == 0)
        return;
    for (int i = 0; i < r->count; i++) {
        if (radius_a != 0)
            r->on_a[i] = along(r->on_a[i], radius_a, direction);
        if (radius_b != 0)
            r->on_b[i] = along(r->on_b[i], -radius_b, direction);
        r->dist[i] -= radius_a + radius_b;
    }
}

static inline int is_round(const CcdShape *c) { return c->type == SHAPE_SPHERE || c->type == SHAPE_CAPSULE; }

/* What is left of a shape without its radius and its inflation; `radius` receives them. */
static inline CcdShape bare_core(const CcdShape *c, real *radius)
{
    CcdShape core = *c;
    *radius = 0;
    if (!c->elastic) {
        *radius = c->inflation;
        core.inflation = 0;
    }
    core.core = is_round(c);
    if (core.core)
        *radius += c->shape->size[0];
    return core;
}

/* The distance of the shapes without their radii and inflations, less these; returns whether that is the result: the shapes overlap by
   no more than what was left out. */
static int ccd_of_cores(CcdShape *a, CcdShape *b, const Search *search, real cutoff, int contacts, CcdResult *r)
{
    real radius_a, radius_b;
    CcdShape one = bare_core(a, &radius_a), other = bare_core(b, &radius_b);
    ccd_distance(&one, &other, search, cutoff + (radius_a + radius_b), r);
    a->count = b->count = one.count;
    for (int i = 0; i < one.count; i++) {
        a->corner[i] = one.corner[i];
        b->corner[i] = other.corner[i];
        a->index[i] = one.index[i];
        b->index[i] = other.index[i];
    }
    a->feature = one.feature;
    b->feature = other.feature;
    a->climbed = one.climbed;
    b->climbed = other.climbed;
    if (r->dist[0] > search->tolerance) {
        inflate_witnesses(radius_a, radius_b, unit(sub(r->on_b[0], r->on_a[0])), r);
        if (r->dist[0] > cutoff) {
            r->dist[0] = DBL_MAX;
        }
        return 1;
    }
    if (!contacts) {
        r->count = 0;
        r->dist[0] = 0;
    }
    return !contacts;
}

#endif
