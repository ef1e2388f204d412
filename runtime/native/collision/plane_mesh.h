#ifndef POLYBODY_PLANE_MESH_H
#define POLYBODY_PLANE_MESH_H

/* A mesh on a plane as of MuJoCo 4.0: the lowest vertex, and of the flat side around it that faces the plane up to three other corners. */

#include "collision/convex.h"

enum { QUADRANGLE = 4 };

/* The row of the vertex that is farthest in a direction, of several that are equally far the one that MuJoCo finds. */
static int farthest_row(const Hull *h, Vec direction)
{
    if (h->graph && h->count >= FEW_VERTICES)
        return h->graph[2 + h->graph[0] + climb(h, direction, seed_of(h, direction))];
    int best = 0;
    real most = -FLT_MAX;
    for (int i = 0; i < h->count; i++) {
        const real far = dot(direction, vertex_of(h, i));
        best = far > most ? i : best;
        most = maximum(far, most);
    }
    return best;
}

/* The side at a vertex whose normal is the most opposite to a direction; -1 if there is none. */
static int opposite_side(const Sides *s, int row, Vec direction)
{
    int found = -1;
    real least = 1;
    for (int i = s->map_start[row]; i < s->map_start[row + 1]; i++) {
        const real alike = dot(direction, s->normal[s->map[i]]);
        if (alike < least) {
            least = alike;
            found = s->map[i];
        }
    }
    return found;
}

/* The area of the quadrangle of four corners of a side. */
static real quadrangle_area(const Hull *h, const int *ring, const int *corner)
{
    Vec at[QUADRANGLE];
    for (int k = 0; k < QUADRANGLE; k++)
        at[k] = vertex_of(h, ring[corner[k]]);
    return norm(cross(sub(at[0], at[2]), sub(at[1], at[3]))) * .5;
}

/* Advances one corner of a quadrangle as long as its area grows; returns the area. */
static real advance_corner(const Hull *h, const int *ring, int n, int *corner, int which, real area)
{
    for (;;) {
        const int before = corner[which];
        corner[which] = (before + 1) % n;
        const real next = quadrangle_area(h, ring, corner);
        if (!(next > area)) {
            corner[which] = before;
            return area;
        }
        area = next;
    }
}

/* The quadrangle with the greatest area that has a given corner: the last corner advances, and after each step the third and the second, as
   long as the area grows (rotating calipers). */
static void greatest_quadrangle(const Hull *h, const int *ring, int n, int *corner)
{
    real area = quadrangle_area(h, ring, corner);
    for (;;) {
        const int before = corner[3];
        corner[3] = (before + 1) % n;
        const real next = quadrangle_area(h, ring, corner);
        if (!(next > area)) {
            corner[3] = before;
            return;
        }
        area = advance_corner(h, ring, n, corner, 2, next);
        area = advance_corner(h, ring, n, corner, 1, area);
    }
}

static int plane_mesh_v4_0(const Shape *a, const Shape *b, real margin, Touch *out)
{
    const Hull *h = b->hull;
    const Vec up = a->axes.z, inward = components(&b->axes, up);
    const int lowest = farthest_row(h, negated(inward));
    const Vec point = add(combined(&b->axes, vertex_of(h, lowest)), b->pos);
    const real dist = dot(up, sub(point, a->pos));
    if (!(dist <= margin))
        return 0;
    out[0] = touch_on_plane(dist, point, up);
    const Sides *s = h->sides;
    const int side = s && s->count ? opposite_side(s, lowest, inward) : -1;
    if (side < 0)
        return 1;
    const int *ring = s->vert + s->start[side], n = s->start[side + 1] - s->start[side];
    int first = 0, touches = 1;
    while (first < n && ring[first] != lowest)
        first++;
    int corner[QUADRANGLE];
    for (int k = 0; k < QUADRANGLE; k++)
        corner[k] = (first + k) % n;
    if (n > QUADRANGLE)
        greatest_quadrangle(h, ring, n, corner);
    for (int k = 1; k < QUADRANGLE && k < n; k++) {
        const Vec next = add(combined(&b->axes, vertex_of(h, ring[corner[k]])), b->pos);
        const real height = dot(up, sub(next, a->pos));
        if (height <= margin && dot(up, sub(next, b->pos)) <= 0)
            out[touches++] = touch_on_plane(height, next, up);
    }
    return touches;
}

#endif
