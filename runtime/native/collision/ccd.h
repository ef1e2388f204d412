#ifndef POLYBODY_CCD_H
#define POLYBODY_CCD_H

/* The nearest points of two convex shapes as MuJoCo 4.0 finds them: GJK (E. Gilbert, D. Johnson, S. Keerthi, A fast procedure for
   computing the distance between complex objects in three-dimensional space) with the point of a simplex nearest to the origin from
   signed volumes (M. Montanari, N. Petrinic, E. Barbieri, Improving the GJK algorithm for faster and more reliable distance queries
   between convex objects). Between smooth shapes the result depends on the iterates, and on flat ones rounding decides which features
   are found. So steps and operations have MuJoCo's order. */

#include <float.h>
#include "collision/support.h"

enum { MOST_CORNERS = 4, MOST_WITNESSES = 8 };

#define TINY_SQUARE (TINY * TINY)

/* Whether the search is the one of these headers. */
static inline int is_ccd(const Search *s) { return s->native && s->newest; }

/* A convex shape, and what a search has found of it. */
typedef struct {
    const Shape *shape;
    const Vec *prism; /* of a column of a height field, as in Convex */
    Vec centre;
    int type;      /* of the shape; SHAPE_HFIELD for a prism */
    int core;      /* a sphere is its centre, a capsule its axis */
    int elastic;   /* an element of a flex: `inflation` includes its radius, and is never left out */
    real inflation;
    int feature;   /* farthest corner of a box (a bit for each positive axis), cap of a cylinder (0: above), row of a mesh's vertex; else -1 */
    int climbed;   /* vertex of the hull's graph at which the last climb ended, or -1 */
    int count;     /* corners of the last simplex */
    Vec corner[MOST_CORNERS];
    int index[MOST_CORNERS]; /* their features */
} CcdShape;

/* A point of the Minkowski difference: those of both shapes, and their features. */
typedef struct {
    Vec v, a, b;
    int feature_a, feature_b;
} CcdPoint;

/* Result of a search: points of both shapes, and their distances. */
typedef struct {
    int apart;     /* a plane separates the shapes */
    int count;     /* of witnesses */
    real dist[MOST_WITNESSES];
    Vec on_a[MOST_WITNESSES], on_b[MOST_WITNESSES];
} CcdResult;

static inline CcdShape ccd_shape(const Convex *c)
{
    const int type = c->prism ? SHAPE_HFIELD : c->shape->type;
    CcdShape s = {c->shape, c->prism, c->centre, type, 0, type == SIMPLEX, c->inflation, -1, -1, 0, {{0, 0, 0}}, {0}};
    return s;
}

/* Meshes, boxes, prisms, points and segments, not inflated: they have finitely many corners. */
static inline int is_discrete(const CcdShape *c)
{
    return c->inflation == 0 && (c->core || c->type == SHAPE_HFIELD || c->type == SHAPE_BOX || c->type == SHAPE_MESH);
}

/* The vertex of the graph from which a climb starts: the farther one of that found last and of one that is extreme in the cell of the
   direction. */
static inline int start_of_climb(const CcdShape *c, Vec d)
{
    const Hull *h = c->shape->hull;
    const int seed = seed_of(h, d);
    return c->climbed < 0 || dot(d, h->corner[seed]) > dot(d, h->corner[c->climbed]) ? seed : c->climbed;
}

/* The vertex of a mesh that is farthest. Among several the first climb or the first row decides. */
static Vec ccd_vertex(CcdShape *c, Vec d)
{
    const Hull *h = c->shape->hull;
    if (h->graph && h->count >= FEW_VERTICES) {
        c->climbed = climb(h, d, start_of_climb(c, d));
        c->feature = h->graph[2 + h->graph[0] + c->climbed];
        return h->corner[c->climbed];
    }
    int best = c->feature < 0 ? 0 : c->feature;
    real most = c->feature < 0 ? -FLT_MAX : dot(d, vertex_of(h, best));
    for (int i = 0; i < h->count; i++) {
        const real far = dot(d, vertex_of(h, i));
        best = far > most ? i : best;
        most = far > most ? far : most;
    }
    c->feature = best;
    return vertex_of(h, best);
}

/* The farthest point of a shape that is not round all over, in its frame. */
static Vec ccd_local(CcdShape *c, Vec d)
{
    const real *size = c->shape->size;
    real square, scale;
    Vec far;
    switch (c->type) {
    case SHAPE_CAPSULE:
        return vec(d.x * size[0], d.y * size[0], d.z * size[0] + (d.z >= 0 ? size[1] : -size[1]));
    case SHAPE_ELLIPSOID:
        far = vec(d.x * size[0], d.y * size[1], d.z * size[2]);
        square = dot(far, far);
        if (square < TINY_SQUARE)
            return vec(size[0], 0, 0);
        scale = 1 / sqrt(square);
        return vec(far.x * (scale * size[0]), far.y * (scale * size[1]), far.z * (scale * size[2]));
    case SHAPE_CYLINDER:
        square = d.x * d.x + d.y * d.y;
        scale = square >= TINY_SQUARE ? size[0] / sqrt(square) : 0;
        c->feature = !(d.z >= 0);
        return vec(scale * d.x, scale * d.y, c->feature ? -size[1] : size[1]);
    case SHAPE_BOX:
        far = vec(d.x >= 0 ? size[0] : -size[0], d.y >= 0 ? size[1] : -size[1], d.z >= 0 ? size[2] : -size[2]);
        c->feature = (far.x > 0) | (far.y > 0) << 1 | (far.z > 0) << 2;
        return far;
    default:
        return ccd_vertex(c, d);
    }
}

/* The farthest point along a unit vector. */
static Vec ccd_farthest(CcdShape *c, Vec d)
{
    const Shape *s = c->shape;
    Vec far;
    if (c->prism)
        far = support_of_prism(c->prism, d);
    else if (c->type == SIMPLEX)
        far = farthest_corner(s->corner, s->corners, d);
    else if (c->type == SHAPE_SPHERE)
        far = c->core ? s->pos : along(s->pos, s->size[0], d);
    else if (c->core)
        far = along(s->pos, dot(s->axes.z, d) >= 0 ? s->size[1] : -s->size[1], s->axes.z);
    else
        far = add(combined(&s->axes, ccd_local(c, components(&s->axes, d))), s->pos);
    return c->inflation > 0 ? along(far, c->inflation, d) : far;
}

static CcdPoint ccd_point(CcdShape *a, CcdShape *b, Vec d, Vec back)
{
    CcdPoint p;
    p.a = ccd_farthest(a, d);
    p.b = ccd_farthest(b, back);
    p.v = sub(p.a, p.b);
    p.feature_a = a->feature;
    p.feature_b = b->feature;
    return p;
}

/* Towards the origin from x, whose length is given. */
static inline CcdPoint ccd_towards_origin(CcdShape *a, CcdShape *b, Vec x, real length)
{
    const Vec back = scaled(1 / length, x);
    return ccd_point(a, b, negated(back), back);
}

/* The point of a plane nearest to the origin; returns 0 if the three points are on a line. */
static int foot_on_plane(Vec a, Vec b, Vec c, Vec *foot)
{
    const Vec ab = sub(b, a), ac = sub(c, a), bc = sub(c, b);
    Vec n = cross(bc, ab);
    real square = dot(n, n), height = dot(n, b);
    if (square == 0)
        return 0;
    if (!(height != 0 && square > TINY)) {
        n = cross(ab, ac);
        square = dot(n, n);
        height = dot(n, a);
        if (square == 0)
            return 0;
        if (!(height != 0 && square > TINY)) {
            n = cross(ac, bc);
            square = dot(n, n);
            height = dot(n, c);
            if (square == 0)
                return 0;
        }
    }
    *foot = scaled(height / square, n);
    return 1;
}

/* The point of a line nearest to the origin; returns 0 if the two points are one. */
static inline int foot_on_line(Vec a, Vec b, Vec *foot)
{
    const Vec ab = sub(b, a);
    const real square = dot(ab, ab);
    if (square < TINY_SQUARE)
        return 0;
    *foot = along(b, -dot(b, ab) / square, ab);
    return 1;
}

static inline int same_sign(real a, real b) { return (a > 0 && b > 0) || (a < 0 && b < 0); }

static inline Vec weighed_sum(const real *share, int n, const Vec *v)
{
    Vec sum = scaled(share[0], v[0]);
    for (int i = 1; i < n; i++)
        sum = along(sum, share[i], v[i]);
    return sum;
}

/* Barycentric coordinates of the point of a segment nearest to the origin. */
static void share_of_segment(Vec a, Vec b, real *share)
{
    Vec p;
    share[0] = 0;
    share[1] = 1;
    if (!foot_on_line(a, b, &p))
        return;
    const Vec ba = sub(a, b);
    int axis = fabs(ba.y) >= fabs(ba.x);
    axis = fabs(ba.z) >= fabs(part(ba, axis)) ? 2 : axis;
    const real all = part(ba, axis), one = part(p, axis) - part(b, axis), other = part(a, axis) - part(p, axis);
    if (!same_sign(all, one))
        return;
    const int inside = same_sign(all, other);
    share[0] = inside ? one / all : 1;
    share[1] = inside ? other / all : 0;
}

/* Two coordinates of a vector: without x, y or z. */
typedef struct {
    real u, v;
} Flat;

static inline Flat flattened(Vec a, Vec from, int without)
{
    const Vec d = sub(a, from);
    Flat f = {without == 0 ? d.y : d.x, without == 2 ? d.y : d.z};
    return f;
}

static inline real across_of(Flat a, Flat b) { return a.u * b.v - b.u * a.v; }

/* Of the three projections of a triangle along axes, the one whose area is greatest; `area` receives it, with its sign. */
static inline int widest_view(Vec a, Vec b, Vec c, real *area)
{
    const Vec ab = sub(b, a), ac = sub(c, a);
    const real x = ab.y * ac.z - ab.z * ac.y, y = ab.x * ac.z - ab.z * ac.x, z = ab.x * ac.y - ab.y * ac.x;
    if (fabs(x) >= fabs(y) && fabs(x) >= fabs(z)) {
        *area = x;
        return 0;
    }
    *area = fabs(y) >= fabs(z) ? y : z;
    return fabs(y) >= fabs(z) ? 1 : 2;
}

/* Keeps the shares of a side of a simplex if its point is nearer than `least`. */
static inline void keep_nearer(const real *own, const Vec *v, const int *place, int n, real *share, int all, real *least)
{
    Vec corner[3];
    for (int i = 0; i < n; i++)
        corner[i] = v[place[i]];
    const Vec x = weighed_sum(own, n, corner);
    const real square = dot(x, x);
    if (!(square < *least))
        return;
    *least = square;
    for (int i = 0; i < all; i++)
        share[i] = 0;
    for (int i = 0; i < n; i++)
        share[place[i]] = own[i];
}

/* Barycentric coordinates of the point of a triangle nearest to the origin. */
static void share_of_triangle(const Vec *v, real *share)
{
    static const int side[3][2] = {{1, 2}, {0, 2}, {0, 1}};
    int inside[3] = {0, 0, 0};
    Vec foot;
    if (foot_on_plane(v[0], v[1], v[2], &foot)) {
        real area;
        const int view = widest_view(v[0], v[1], v[2], &area);
        const Flat a = flattened(v[0], foot, view), b = flattened(v[1], foot, view), c = flattened(v[2], foot, view);
        const real part_of[3] = {across_of(b, c), across_of(c, a), across_of(a, b)};
        for (int i = 0; i < 3; i++)
            inside[i] = same_sign(area, part_of[i]);
        if (inside[0] && inside[1] && inside[2]) {
            const real sum = part_of[0] + part_of[1] + part_of[2];
            for (int i = 0; i < 3; i++)
                share[i] = part_of[i] / sum;
            return;
        }
    }
    real least = INFINITY;
    for (int i = 0; i < 3; i++) {
        real own[2];
        if (inside[i])
            continue;
        share_of_segment(v[side[i][0]], v[side[i][1]], own);
        keep_nearer(own, v, side[i], 2, share, 3, &least);
    }
}

static inline real volume_of(Vec a, Vec b, Vec c) { return dot(a, cross(b, c)); }

/* The same for a tetrahedron; all are other than 0 if the origin is inside. */
static void share_of_tetrahedron(const Vec *v, real *share)
{
    static const int side[4][3] = {{1, 2, 3}, {0, 2, 3}, {0, 1, 3}, {0, 1, 2}};
    const real part_of[4] = {-volume_of(v[1], v[2], v[3]), volume_of(v[0], v[2], v[3]), -volume_of(v[0], v[1], v[3]),
                             volume_of(v[0], v[1], v[2])};
    const real all = part_of[0] + part_of[1] + part_of[2] + part_of[3];
    int inside[4], count = 0;
    for (int i = 0; i < 4; i++)
        count += inside[i] = same_sign(all, part_of[i]);
    for (int i = 0; i < 4 && count == 4; i++)
        share[i] = part_of[i] / all;
    real least = INFINITY;
    for (int i = 0; i < 4 && count < 4; i++) {
        real own[3];
        if (inside[i])
            continue;
        const Vec corner[3] = {v[side[i][0]], v[side[i][1]], v[side[i][2]]};
        share_of_triangle(corner, own);
        keep_nearer(own, v, side[i], 3, share, 4, &least);
    }
}

/* Shares of `n` corners; returns the number of those that are other than 0, which are moved to the front. */
static int keep_nearest_part(CcdShape *a, CcdShape *b, Vec *v, int n, real *share)
{
    int kept = 0;
    share[0] = 1;
    share[1] = share[2] = share[3] = 0;
    if (n == 2)
        share_of_segment(v[0], v[1], share);
    else if (n == 3)
        share_of_triangle(v, share);
    else if (n == 4)
        share_of_tetrahedron(v, share);
    for (int i = 0; i < 4; i++) {
        if (share[i] == 0)
            continue;
        v[kept] = v[i];
        a->corner[kept] = a->corner[i];
        b->corner[kept] = b->corner[i];
        a->index[kept] = a->index[i];
        b->index[kept] = b->index[i];
        share[kept++] = share[i];
    }
    return kept;
}

/* The nearest point of a simplex to the origin, from the line or plane through it where that exists. */
static inline Vec nearest_of_simplex(const Vec *v, int n, const real *share)
{
    Vec x;
    if ((n == 2 && foot_on_line(v[0], v[1], &x)) || (n == 3 && foot_on_plane(v[0], v[1], v[2], &x)))
        return x;
    return weighed_sum(share, n, v);
}

static inline void add_corner(CcdShape *a, CcdShape *b, Vec *v, int n, const CcdPoint *p)
{
    v[n] = p->v;
    a->corner[n] = p->a;
    b->corner[n] = p->b;
    a->index[n] = p->feature_a;
    b->index[n] = p->feature_b;
}

static inline void set_apart(CcdResult *r)
{
    r->apart = 1;
    r->count = 0;
    r->dist[0] = DBL_MAX;
}

/* Whether the search can end because the shapes are farther apart than the cutoff. `lower`: a lower bound of the distance times the
   length of x. */
static inline int is_beyond(CcdResult *r, real lower, real cutoff, real length)
{
    if (!(lower > 0))
        return 0;
    r->apart = 1;
    return !(cutoff > 0) || (cutoff < DBL_MAX && lower >= cutoff * length);
}

/* The distance of two shapes, between points from which the search starts: those in the result. It ends without points if the distance
   exceeds `cutoff`, or, if that is 0, once the shapes are apart. */
static void ccd_distance(CcdShape *a, CcdShape *b, const Search *search, real cutoff, CcdResult *r)
{
    const int discrete = is_discrete(a) && is_discrete(b);
    const real tolerance = search->tolerance, gap = discrete ? 0 : .5 * (tolerance * tolerance),
               least = discrete || cutoff > 0 ? TINY : tolerance;
    Vec v[4], x = sub(r->on_a[0], r->on_b[0]);
    real share[4] = {0}, length = norm(x);
    int n = 0;
    r->apart = a->count = b->count = 0;
    if (length < TINY) {
        x = vec(1, 0, 0);
        length = 1;
    }
    for (int k = 0; k < search->iterations; k++) {
        const CcdPoint p = ccd_towards_origin(a, b, x, length);
        add_corner(a, b, v, n, &p);
        const real lower = dot(x, p.v);
        if (is_beyond(r, lower, cutoff, length)) {
            set_apart(r);
            return;
        }
        if (k && dot(x, sub(x, p.v)) < gap)
            break;
        n = keep_nearest_part(a, b, v, n + 1, share);
        if (n == 0) {
            set_apart(r);
            return;
        }
        if (n == 4) {
            length = r->apart ? length : 0;
            break;
        }
        x = nearest_of_simplex(v, n, share);
        const real before = length;
        length = norm(x);
        if (length < (n == 1 ? TINY : least) || (k && fabs(length - before) < TINY))
            break;
    }
    if (n) {
        r->on_a[0] = weighed_sum(share, n, a->corner);
        r->on_b[0] = weighed_sum(share, n, b->corner);
    }
    if (n <= 3 && !r->apart && length >= TINY) {
        const CcdPoint p = ccd_towards_origin(a, b, x, length);
        r->apart = dot(x, p.v) > 0;
    }
    r->count = 1;
    r->dist[0] = length;
    a->count = b->count = n;
}

#endif
