#ifndef POLYBODY_CCD_POLYTOPE_H
#define POLYBODY_CCD_POLYTOPE_H

/* The depth of two convex shapes as MuJoCo 4.0 finds it: a polytope inside of their Minkowski difference, whose face nearest to the
   origin is moved outwards (G. van den Bergen, Proximity queries and penetration depth computation on 3D game objects). It starts from
   the last simplex of ccd.h. */

#include "collision/ccd.h"

/* With more iterations the polytope stops growing after these. */
enum { MOST_ROUNDS = 200, MOST_POINTS = MOST_ROUNDS + 5, MOST_FACES = 6 * MOST_ROUNDS, MOST_EDGES = MOST_ROUNDS };

enum { GONE = -2, UNLISTED = -1 };

/* A triangle; `next[i]` is the face beyond the edge from corner i. */
typedef struct {
    int corner[3], next[3], place; /* in the list of faces that may be nearest */
    Vec foot;                      /* the origin's, outwards */
    real square;                   /* of its length */
} CcdFace;

typedef struct {
    CcdPoint point[MOST_POINTS];
    CcdFace face[MOST_FACES];
    int points, faces, most_faces;
    int list[MOST_FACES], listed;
    int edge_face[MOST_EDGES], edge[MOST_EDGES], edges, most_edges;
    Vec centre;
} Polytope4;

static inline int add_point(Polytope4 *p, const CcdPoint *point)
{
    p->point[p->points] = *point;
    return p->points++;
}

/* A corner of the simplex. */
static int add_corner_of(Polytope4 *p, const CcdShape *a, const CcdShape *b, int i)
{
    const CcdPoint point = {sub(a->corner[i], b->corner[i]), a->corner[i], b->corner[i], a->index[i], b->index[i]};
    return add_point(p, &point);
}

/* The farthest point along a vector of the given length. */
static int add_farthest(Polytope4 *p, CcdShape *a, CcdShape *b, Vec d, real length)
{
    Vec way = vec(1, 0, 0);
    if (length > TINY)
        way = vec(d.x / length, d.y / length, d.z / length);
    const CcdPoint point = ccd_point(a, b, way, negated(way));
    return add_point(p, &point);
}

/* Returns the squared distance of its plane from the origin; 0 if it has none. */
static real add_face(Polytope4 *p, int i, int j, int k, int beyond_i, int beyond_j, int beyond_k)
{
    CcdFace *f = p->face + p->faces++;
    const CcdFace made = {{i, j, k}, {beyond_i, beyond_j, beyond_k}, UNLISTED, {0, 0, 0}, 0};
    *f = made;
    if (!foot_on_plane(p->point[k].v, p->point[j].v, p->point[i].v, &f->foot))
        return 0;
    if (dot(f->foot, sub(p->point[i].v, p->centre)) < 0)
        f->foot = negated(f->foot);
    return f->square = dot(f->foot, f->foot);
}

static void list_face(Polytope4 *p, int face)
{
    p->face[face].place = p->listed;
    p->list[p->listed++] = face;
}

static void list_faces(Polytope4 *p)
{
    for (int i = 0; i < p->faces; i++)
        list_face(p, i);
}

/* Makes points of the polytope the simplex again, and empties the polytope. */
static void restart_from(Polytope4 *p, CcdShape *a, CcdShape *b, const int *point, int n)
{
    for (int i = 0; i < n; i++) {
        const CcdPoint *from = p->point + point[i];
        a->corner[i] = from->a;
        b->corner[i] = from->b;
        a->index[i] = from->feature_a;
        b->index[i] = from->feature_b;
    }
    a->count = b->count = n;
    p->points = p->faces = p->listed = 0;
}

static void restart_from_three(Polytope4 *p, CcdShape *a, CcdShape *b, int i, int j, int k)
{
    const int point[3] = {i, j, k};
    restart_from(p, a, b, point, 3);
}

/* Of two triangles that share the points k and l, the one that is nearer to the origin. */
static void restart_from_nearer(Polytope4 *p, CcdShape *a, CcdShape *b, int i, int j, int k, int l)
{
    const Vec one[3] = {p->point[i].v, p->point[k].v, p->point[l].v}, other[3] = {p->point[j].v, p->point[l].v, p->point[k].v};
    const Vec n = cross(sub(one[1], one[0]), sub(one[2], one[0])), m = cross(sub(other[1], other[0]), sub(other[2], other[0]));
    const int wide = !(dot(n, n) < TINY), other_wide = !(dot(m, m) < TINY);
    int first = wide;
    if (wide == other_wide) {
        real share[3] = {0}, other_share[3] = {0};
        share_of_triangle(one, share);
        share_of_triangle(other, other_share);
        const Vec x = weighed_sum(share, 3, one), y = weighed_sum(other_share, 3, other);
        first = !(dot(x, x) > dot(y, y));
    }
    if (first)
        restart_from_three(p, a, b, i, k, l);
    else
        restart_from_three(p, a, b, j, l, k);
}

/* Whether the origin and d are on the same side of the plane through a, b and c. */
static int are_on_one_side(Vec a, Vec b, Vec c, Vec d)
{
    const Vec n = cross(sub(b, a), sub(c, a));
    return same_sign(dot(n, sub(d, a)), dot(n, negated(a)));
}

/* On which side the line from a to b passes each side of a triangle: volumes of one sign if it passes through. */
static int passes_through(Vec a, Vec b, Vec c, Vec d, Vec e, real least, real *volume)
{
    const Vec ab = sub(b, a), ac = sub(c, a), ad = sub(d, a), ae = sub(e, a);
    volume[0] = volume_of(ac, ad, ab);
    volume[1] = volume_of(ad, ae, ab);
    volume[2] = volume_of(ae, ac, ab);
    return (volume[0] >= least && volume[1] >= least && volume[2] >= least) ||
           (volume[0] <= -least && volume[1] <= -least && volume[2] <= -least);
}

/* Barycentric coordinates of a point in the plane of a triangle. */
static void shares_in_plane(Vec a, Vec b, Vec c, Vec point, real *share)
{
    real area;
    const int view = widest_view(a, b, c, &area);
    const Flat u = flattened(a, point, view), v = flattened(b, point, view), w = flattened(c, point, view);
    share[0] = across_of(v, w);
    share[1] = across_of(w, u);
    share[2] = across_of(u, v);
    const real sum = share[0] + share[1] + share[2];
    for (int i = 0; i < 3; i++)
        share[i] /= sum;
}

static int is_in_triangle(Vec a, Vec b, Vec c, Vec point)
{
    const Vec corner[3] = {a, b, c};
    real share[3];
    shares_in_plane(a, b, c, point, share);
    if (share[0] < 0 || share[1] < 0 || share[2] < 0)
        return 0;
    return distance(weighed_sum(share, 3, corner), point) < TINY;
}

static int is_origin_on_edge(Vec a, Vec b)
{
    Vec foot;
    return dot(a, b) < 0 && foot_on_line(a, b, &foot) && dot(foot, foot) < TINY_SQUARE;
}

/* A hexahedron of a triangle (places 0 to 2) and a point on either side of it (3, 4), if the segment of these does not pass through the
   triangle: another order of the points, which makes it one, or of which those at 0, 1, 3 and 4 make a tetrahedron. Returns whether it
   is one. */
static int reorder_hexahedron(int *at, const real *volume)
{
    static const int order[3][5] = {{2, 4, 3, 0, 1}, {0, 4, 3, 1, 2}, {1, 4, 3, 2, 0}};
    const int old[5] = {at[0], at[1], at[2], at[3], at[4]};
    for (int i = 0; i < 3; i++) {
        if (!(volume[i] > 0 && volume[(i + 1) % 3] < -TINY && volume[(i + 2) % 3] < -TINY))
            continue;
        for (int k = 0; k < 5; k++)
            at[k] = old[order[i][k]];
        return 1;
    }
    if (volume[1] >= volume[0] && volume[2] >= volume[0])
        return 0;
    const int least = volume[0] >= volume[1] && volume[2] >= volume[1] ? 1 : 2;
    at[0] = old[least];
    at[1] = old[(least + 1) % 3];
    return 0;
}

/* The faces of the two figures from which the expansion starts, by places of their points. `outside` is a point on the inner side. */
typedef struct {
    int points, faces;
    int corner[6][3], next[6][3], inner[6];
} Figure;

static const Figure TETRAHEDRON = {4, 4, {{0, 1, 3}, {0, 4, 1}, {0, 3, 4}, {4, 3, 1}}, {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {2, 0, 1}},
                                   {4, 3, 1, 0}};
static const Figure HEXAHEDRON = {5, 6, {{3, 0, 1}, {3, 2, 0}, {3, 1, 2}, {4, 1, 0}, {4, 0, 2}, {4, 2, 1}},
                                  {{1, 3, 2}, {2, 4, 0}, {0, 5, 1}, {5, 0, 4}, {3, 1, 5}, {4, 2, 3}}, {2, 1, 0, 2, 1, 0}};

/* Adds the faces of a figure; returns whether the origin is on none of them. */
static int add_figure(Polytope4 *p, const Figure *f, const int *at)
{
    real least = INFINITY;
    p->centre = add(p->point[at[0]].v, p->point[at[1]].v);
    if (f->points == 5)
        p->centre = add(p->centre, p->point[at[2]].v);
    p->centre = add(add(p->centre, p->point[at[3]].v), p->point[at[4]].v);
    p->centre = scaled(f->points == 5 ? .2 : .25, p->centre);
    for (int i = 0; i < f->faces; i++) {
        const int *c = f->corner[i], *n = f->next[i];
        least = minimum(least, add_face(p, at[c[0]], at[c[1]], at[c[2]], n[0], n[1], n[2]));
    }
    return !(least < TINY_SQUARE);
}

/* Whether the origin is inside, or within `square` of the planes that it is beyond. */
static int holds_origin(const Polytope4 *p, const Figure *f, const int *at, real square)
{
    for (int i = 0; i < f->faces; i++) {
        const int *c = f->corner[i];
        if (!are_on_one_side(p->point[at[c[0]]].v, p->point[at[c[1]]].v, p->point[at[c[2]]].v, p->point[at[f->inner[i]]].v) &&
            p->face[i].square >= square)
            return 0;
    }
    return 1;
}

static int start_from_two(Polytope4 *p, CcdShape *a, CcdShape *b, real tolerance);

/* If the origin is on an edge of the first three points, that edge becomes the simplex. */
static int restart_from_edge(Polytope4 *p, CcdShape *a, CcdShape *b, const int *at)
{
    for (int i = 0; i < 3; i++) {
        const int edge[2] = {at[i], at[(i + 1) % 3]};
        if (is_origin_on_edge(p->point[edge[0]].v, p->point[edge[1]].v)) {
            restart_from(p, a, b, edge, 2);
            return 1;
        }
    }
    return 0;
}

/* The polytope of a triangle; returns whether there is one. `again`: it may start from an edge instead. */
static int start_from_three(Polytope4 *p, CcdShape *a, CcdShape *b, real tolerance, int again)
{
    int at[5];
    const int old[3] = {p->points, p->points + 1, p->points + 2};
    for (int i = 0; i < 3; i++)
        at[i] = add_corner_of(p, a, b, i);
    const Vec one = p->point[at[0]].v, two = p->point[at[1]].v, three = p->point[at[2]].v;
    const Vec n = cross(sub(two, one), sub(three, one)), back = negated(n);
    const real length = norm(n);
    real volume[3];
    if (length < TINY)
        return 0;
    at[4] = add_farthest(p, a, b, back, length);
    at[3] = add_farthest(p, a, b, n, length);
    const Vec above = p->point[at[3]].v, below = p->point[at[4]].v;
    if (is_in_triangle(one, two, three, above) || is_in_triangle(one, two, three, below) ||
        dot(n, sub(above, one)) < length * TINY || dot(back, sub(below, one)) < length * TINY)
        return 0;
    const int whole = passes_through(above, below, one, two, three, 0, volume) || reorder_hexahedron(at, volume);
    const Figure *figure = whole ? &HEXAHEDRON : &TETRAHEDRON;
    if (!add_figure(p, figure, at))
        return again && restart_from_edge(p, a, b, old) && start_from_two(p, a, b, tolerance);
    if (!holds_origin(p, figure, at, tolerance * tolerance))
        return 0;
    list_faces(p);
    return 1;
}

/* A vector turned by 120 degrees about another one. */
static Vec turned_third(Vec about, Vec v)
{
    const real length = norm(about), sine = 0.86602540378, cosine = -.5;
    const Vec u = vec(about.x / length, about.y / length, about.z / length);
    const Vec row[3] = {
        {cosine + u.x * u.x * (1 - cosine), u.x * u.y * (1 - cosine) - u.z * sine, u.x * u.z * (1 - cosine) + u.y * sine},
        {u.y * u.x * (1 - cosine) + u.z * sine, cosine + u.y * u.y * (1 - cosine), u.y * u.z * (1 - cosine) - u.x * sine},
        {u.x * u.z * (1 - cosine) - u.y * sine, u.y * u.z * (1 - cosine) + u.x * sine, cosine + u.z * u.z * (1 - cosine)}};
    return vec(dot(row[0], v), dot(row[1], v), dot(row[2], v));
}

/* If the segment of the first two points does not pass through the triangle `at` of the others: another point beyond the side that it
   passes by, instead of one of its corners with which it does. */
static void widen_triangle(Polytope4 *p, CcdShape *a, CcdShape *b, const int *at, real least)
{
    real volume[3];
    const Vec from = p->point[0].v, to = p->point[1].v, along_it = sub(to, from);
    if (passes_through(from, to, p->point[at[0]].v, p->point[at[1]].v, p->point[at[2]].v, least, volume))
        return;
    int side = 2;
    if (volume[1] >= volume[0] && volume[2] >= volume[0])
        side = 0;
    else if (volume[1] <= volume[0] && volume[1] <= volume[2])
        side = 1;
    const int corner[3] = {at[side], at[(side + 1) % 3], at[(side + 2) % 3]};
    const Vec edge = sub(p->point[corner[1]].v, p->point[corner[0]].v);
    const int far = dot(along_it, sub(p->point[corner[2]].v, from)) >= .5 * dot(along_it, along_it);
    const Vec d = along(cross(edge, along_it), norm(edge) * (far ? 1e-3 : -1e-3), along_it);
    const CcdPoint found = p->point[add_farthest(p, a, b, d, norm(d))];
    p->points--;
    for (int i = 0; i < 3; i++) {
        Vec v[3];
        for (int k = 0; k < 3; k++)
            v[k] = k == i ? found.v : p->point[corner[k]].v;
        if (passes_through(from, to, v[0], v[1], v[2], least, volume)) {
            p->point[corner[i]] = found;
            return;
        }
    }
}

/* The polytope of a segment. */
static int start_from_two(Polytope4 *p, CcdShape *a, CcdShape *b, real tolerance)
{
    static const int corner[6][3] = {{0, 2, 3}, {0, 4, 2}, {0, 3, 4}, {1, 3, 2}, {1, 2, 4}, {1, 4, 3}};
    static const int next[6][3] = {{1, 3, 2}, {2, 4, 0}, {0, 5, 1}, {5, 0, 4}, {3, 1, 5}, {4, 2, 3}};
    static const int others[3] = {2, 3, 4};
    real volume[3];
    add_corner_of(p, a, b, 0);
    add_corner_of(p, a, b, 1);
    const Vec edge = sub(p->point[1].v, p->point[0].v);
    const real size[3] = {fabs(edge.x), fabs(edge.y), fabs(edge.z)};
    int axis = size[0] > size[1];
    axis = size[axis] > size[2] ? 2 : axis;
    const Vec one = cross(vec(axis == 0, axis == 1, axis == 2), edge), two = turned_third(edge, one), three = turned_third(edge, two);
    add_farthest(p, a, b, one, norm(one));
    add_farthest(p, a, b, two, norm(two));
    add_farthest(p, a, b, three, norm(three));
    const real square = dot(edge, edge);
    widen_triangle(p, a, b, others, square * TINY * sqrt(square));
    Vec sum = p->point[0].v;
    for (int i = 1; i < 5; i++)
        sum = add(sum, p->point[i].v);
    p->centre = scaled(.2, sum);
    for (int i = 0; i < 6; i++) {
        const int *c = corner[i], *n = next[i];
        if (add_face(p, c[0], c[1], c[2], n[0], n[1], n[2]) < TINY_SQUARE) {
            /* the face and its mirror image */
            const int high = i < 3, k = high ? c[1] : c[2], l = high ? c[2] : c[1];
            restart_from_nearer(p, a, b, 0, 1, k, l);
            return start_from_three(p, a, b, tolerance, 0);
        }
    }
    if (!passes_through(p->point[0].v, p->point[1].v, p->point[2].v, p->point[3].v, p->point[4].v, 0, volume))
        return 0;
    list_faces(p);
    return 1;
}

/* The polytope of a tetrahedron. */
static int start_from_four(Polytope4 *p, CcdShape *a, CcdShape *b, real tolerance)
{
    static const int corner[4][3] = {{0, 1, 2}, {0, 3, 1}, {0, 2, 3}, {3, 2, 1}};
    static const int next[4][3] = {{1, 3, 2}, {2, 3, 0}, {0, 3, 1}, {2, 0, 1}};
    Vec v[4], sum = {0, 0, 0};
    for (int i = 0; i < 4; i++) {
        v[i] = p->point[add_corner_of(p, a, b, i)].v;
        sum = i ? add(sum, v[i]) : v[i];
    }
    p->centre = scaled(.25, sum);
    for (int i = 0; i < 4; i++) {
        const int *c = corner[i], *n = next[i];
        if (add_face(p, c[0], c[1], c[2], n[0], n[1], n[2]) < TINY_SQUARE) {
            restart_from_three(p, a, b, c[0], c[1], c[2]);
            return start_from_three(p, a, b, tolerance, 1);
        }
    }
    for (int i = 0; i < 4; i++)
        if (!are_on_one_side(v[i], v[(i + 1) % 4], v[(i + 2) % 4], v[(i + 3) % 4]))
            return 0;
    list_faces(p);
    return 1;
}

#endif
