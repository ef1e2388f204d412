#ifndef POLYBODY_GJK_H
#define POLYBODY_GJK_H

/* The nearest points of two convex shapes (E. Gilbert, D. Johnson, S. Keerthi, A fast procedure for computing
   the distance between complex objects in three-dimensional space; the point of a simplex nearest to the
   origin as in C. Ericson, Real-Time Collision Detection, 5.1). A shape is a core with a radius: of a sphere
   its centre, of a capsule its axis, of others the shape itself. The radius includes the inflation. */

#include "collision/support.h"

/* A point of the Minkowski difference of two shapes, and the points of both. */
typedef struct {
    Vec v, a, b;
} Pole;

/* The smallest simplex of such points that contains the point nearest to the origin, and its barycentric
   coordinates. */
typedef struct {
    Pole pole[4];
    real share[4];
    int count;
} Simplex;

static inline real core_radius(const Convex *c)
{
    int round = !c->prism && (c->shape->type == SHAPE_SPHERE || c->shape->type == SHAPE_CAPSULE);
    return c->inflation + (round ? c->shape->size[0] : 0);
}

static inline Vec core_support(Convex *c, Vec direction)
{
    const Shape *s = c->shape;
    if (c->prism)
        return support_of_prism(c->prism, direction);
    if (s->type == SIMPLEX)
        return farthest_corner(s->corner, s->corners, direction);
    if (s->type == SHAPE_SPHERE)
        return s->pos;
    if (s->type == SHAPE_CAPSULE)
        return along(s->pos, dot(direction, s->axes.z) < 0 ? -s->size[1] : s->size[1], s->axes.z);
    return add(s->pos, combined(&s->axes, local_support(c, components(&s->axes, direction))));
}

static inline Pole pole_towards(Convex *a, Convex *b, Vec direction)
{
    Pole p;
    p.a = core_support(a, direction);
    p.b = core_support(b, negated(direction));
    p.v = sub(p.a, p.b);
    return p;
}

static inline real keep_segment(const Pole *a, const Pole *b, real *share)
{
    Vec edge = sub(b->v, a->v);
    real square = dot(edge, edge), at = square > 0 ? clamped(-dot(a->v, edge) / square, 0, 1) : 0;
    share[0] = 1 - at;
    share[1] = at;
    Vec x = along(a->v, at, edge);
    return dot(x, x);
}

/* Barycentric coordinates of the point of a triangle nearest to the origin; returns its squared distance. */
static real keep_triangle(const Pole *a, const Pole *b, const Pole *c, real *share)
{
    Vec u = sub(b->v, a->v), w = sub(c->v, a->v), normal = cross(u, w);
    real square = dot(normal, normal);
    if (square > 1e-24 * dot(u, u) * dot(w, w)) {
        real from_a = dot(cross(b->v, c->v), normal), from_b = dot(cross(c->v, a->v), normal),
             from_c = dot(cross(a->v, b->v), normal);
        if (from_a >= 0 && from_b >= 0 && from_c >= 0) {
            share[0] = from_a / square;
            share[1] = from_b / square;
            share[2] = from_c / square;
            real height = dot(a->v, normal);
            return height * height / square;
        }
    }
    static const int ends[3][2] = {{0, 1}, {1, 2}, {2, 0}};
    const Pole *pole[3] = {a, b, c};
    real best = INFINITY;
    for (int i = 0; i < 3; i++) {
        real own[2], far = keep_segment(pole[ends[i][0]], pole[ends[i][1]], own);
        if (far < best) {
            best = far;
            share[0] = share[1] = share[2] = 0;
            share[ends[i][0]] = own[0];
            share[ends[i][1]] = own[1];
        }
    }
    return best;
}

/* The same for a tetrahedron; returns 0 if the origin is inside. */
static real keep_tetrahedron(const Pole *p, real *share)
{
    static const int face[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    real best = INFINITY, volume = dot(cross(sub(p[1].v, p[0].v), sub(p[2].v, p[0].v)), sub(p[3].v, p[0].v));
    for (int i = 0; i < 4; i++) {
        const Pole *a = p + face[i][0], *b = p + face[i][1], *c = p + face[i][2];
        Vec normal = cross(sub(b->v, a->v), sub(c->v, a->v));
        real inward = dot(normal, sub(p[face[i][3]].v, a->v)), origin = -dot(normal, a->v);
        if (inward * origin > 0 && volume != 0)
            continue; /* the origin is on the inner side */
        real own[3], far = keep_triangle(a, b, c, own);
        if (far < best) {
            best = far;
            share[0] = share[1] = share[2] = share[3] = 0;
            for (int k = 0; k < 3; k++)
                share[face[i][k]] = own[k];
        }
    }
    if (best < INFINITY)
        return best;
    for (int i = 0; i < 4; i++) /* fractions of the volume: all corners are kept */
        share[i] = .25;
    return 0;
}

/* Reduces the simplex to the corners of the smallest face that contains the nearest point; returns its
   squared distance. */
static real reduce_simplex(Simplex *s)
{
    real far = 0;
    Pole *p = s->pole;
    s->share[0] = 1;
    switch (s->count) {
    case 1:
        return dot(p[0].v, p[0].v);
    case 2:
        far = keep_segment(p, p + 1, s->share);
        break;
    case 3:
        far = keep_triangle(p, p + 1, p + 2, s->share);
        break;
    default:
        far = keep_tetrahedron(p, s->share);
    }
    int kept = 0;
    for (int i = 0; i < s->count; i++)
        if (s->share[i] > 0) {
            p[kept] = p[i];
            s->share[kept++] = s->share[i];
        }
    s->count = kept;
    return far;
}

static inline Vec weighed(const Simplex *s, int which)
{
    Vec sum = vec(0, 0, 0);
    for (int i = 0; i < s->count; i++) {
        const Pole *p = s->pole + i;
        sum = along(sum, s->share[i], which == 0 ? p->v : which == 1 ? p->a : p->b);
    }
    return sum;
}

static inline int is_pole_of(const Simplex *s, Vec v)
{
    for (int i = 0; i < s->count; i++)
        if (distance(s->pole[i].v, v) <= 4 * DBL_EPSILON * norm(v))
            return 1;
    return 0;
}

/* The distance of two cores if it is at most `reach`; INFINITY if it is greater, 0 if they overlap. `s`
   becomes the simplex of the nearest points, or one that contains the origin. */
static real core_distance(Convex *a, Convex *b, const Search *search, real reach, Simplex *s)
{
    Vec v = sub(a->centre, b->centre);
    s->count = 0;
    real far = INFINITY;
    for (int round = 0; round < search->iterations || round < 4; round++) {
        real length = norm(v);
        if (length < TINY)
            v = vec(1, 0, 0);
        Vec towards = length < TINY ? v : scaled(-1 / length, v);
        Pole next = pole_towards(a, b, towards);
        if (-dot(next.v, towards) > reach)
            return INFINITY;
        if (s->count && (2 * length * (length + dot(next.v, towards)) <= search->tolerance * search->tolerance ||
                         is_pole_of(s, next.v)))
            break;
        Simplex before = *s;
        s->pole[s->count++] = next;
        real square = reduce_simplex(s);
        if (s->count == 4)
            return 0;
        if (!(square < far)) { /* no progress: only rounding errors are left */
            *s = before;
            break;
        }
        far = square;
        v = weighed(s, 0);
        if (far <= TINY * TINY)
            return 0;
    }
    return s->count ? norm(weighed(s, 0)) : INFINITY;
}

#endif
