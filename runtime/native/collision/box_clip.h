#ifndef POLYBODY_BOX_CLIP_H
#define POLYBODY_BOX_CLIP_H

/* Two boxes as of MuJoCo 4.0: the separating axis of least depth (Gottschalk, Lin, Manocha 1996). If it is normal to a face, the face of
   the other box is clipped against it (Sutherland and Hodgman 1974), and each corner of the result is a contact. If it is the cross
   product of two edges, their nearest points give one contact. Thresholds and the order of operations are MuJoCo's: boxes often lie
   exactly on each other, where rounding decides. */

#include <string.h>
#include "collision/box.h"

#define SLACK 1e-13          /* of the separations, for each length of the boxes: overlaps below rounding count */
#define PARALLEL_EDGES 1e-16 /* squared sine of the angle of edges whose cross product is rounding error */
#define EDGE_BIAS 1e-6       /* part of its separation by which an edge axis must be better than a face */
#define EDGE_ALIKE .99       /* cosine of the angle below which an edge axis is replaced by a face */
#define EDGE_GAIN .05        /* unless it is better by this part of the face's depth */
#define EITHER_SIDE 1e-9     /* component of an edge axis below which edges on both sides may be the nearest */
#define SAME_CORNER 1e-14    /* squared distance of corners that are one, relative to the face */
#define UNBOUNDED 1e10       /* separations and squared distances are less */

enum { MAX_CLIPPED = 12 }; /* each of four sides adds a corner to a quadrangle; rounding may add more */

/* Two boxes, each in the frame of the other. */
typedef struct {
    const Shape *shape[2];
    const real *size[2];
    real turn[3][3];   /* turn[i][j]: component along axis i of the first box of axis j of the second */
    real centre[2][3]; /* of the other box in the frame of each */
    real reach;        /* separations up to this are reported */
} BoxPair;

/* The axis along which two boxes are the farthest apart. */
typedef struct {
    real separation;
    int edges;         /* whether it is the cross product of axes of both boxes, else the normal of a face */
    int box, axis;     /* of the face */
    int axis_of[2];    /* of the edges */
} BoxAxis;

static inline void set_box_pair(const Shape *a, const Shape *b, real margin, BoxPair *p)
{
    p->shape[0] = a;
    p->shape[1] = b;
    p->size[0] = a->size;
    p->size[1] = b->size;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            p->turn[i][j] = dot(column(&a->axes, i), column(&b->axes, j));
    numbers(components(&a->axes, sub(b->pos, a->pos)), p->centre[0]);
    numbers(components(&b->axes, sub(a->pos, b->pos)), p->centre[1]);
    p->reach = margin + SLACK * (a->size[0] + a->size[1] + a->size[2] + b->size[0] + b->size[1] + b->size[2]);
}

/* Component i of axis k of the other box, in the frame of one of them. */
static inline real across_boxes(const BoxPair *p, int box, int i, int k) { return box ? p->turn[k][i] : p->turn[i][k]; }

/* The normals of faces; returns whether the boxes are within reach along all of them. */
static int separate_faces(const BoxPair *p, BoxAxis *best)
{
    best->separation = -UNBOUNDED;
    best->edges = 0;
    best->axis = -1;
    for (int box = 0; box < 2; box++)
        for (int i = 0; i < 3; i++) {
            const real *size = p->size[1 - box];
            const real radius = fabs(across_boxes(p, box, i, 0)) * size[0] + fabs(across_boxes(p, box, i, 1)) * size[1] +
                                fabs(across_boxes(p, box, i, 2)) * size[2];
            const real separation = fabs(p->centre[box][i]) - p->size[box][i] - radius;
            if (!(separation <= p->reach))
                return 0;
            if (separation > best->separation) {
                best->separation = separation;
                best->box = box;
                best->axis = i;
            }
        }
    return best->axis >= 0;
}

/* The cross product of edge i of the first box and edge j of the second, in the frame of the first; its component i is zero. Of length
   one if `squared` is not. */
static Vec edge_axis(const BoxPair *p, int i, int j, real *squared)
{
    const int i1 = (i + 1) % 3, i2 = (i + 2) % 3;
    real axis[3];
    axis[i] = 0;
    axis[i1] = -p->turn[i2][j];
    axis[i2] = p->turn[i1][j];
    *squared = axis[i1] * axis[i1] + axis[i2] * axis[i2];
    return vector_of(axis);
}

/* The cross products of edges, each of which must be better than all before; returns whether the boxes are within reach along all. */
static int separate_edges(const BoxPair *p, BoxAxis *best)
{
    const real face = best->separation;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            const int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            real squared;
            const Vec cross = edge_axis(p, i, j, &squared);
            if (!(squared >= PARALLEL_EDGES))
                continue;
            const real scale = 1 / sqrt(squared), x = part(cross, i1) * scale, y = part(cross, i2) * scale;
            const real radius = p->size[0][i1] * fabs(x) + p->size[0][i2] * fabs(y);
            const real u = x * p->turn[i1][j1] + y * p->turn[i2][j1], v = x * p->turn[i1][j2] + y * p->turn[i2][j2];
            const real other = p->size[1][j1] * fabs(u) + p->size[1][j2] * fabs(v);
            const real separation = fabs(x * p->centre[0][i1] + y * p->centre[0][i2]) - radius - other;
            if (!(separation <= p->reach))
                return 0;
            if (separation - EDGE_BIAS * fabs(separation) > best->separation && separation > face) {
                best->separation = separation;
                best->edges = 1;
                best->axis_of[0] = i;
                best->axis_of[1] = j;
            }
        }
    return 1;
}

/* The axis of the contacts; returns whether there are any. An edge axis that is almost the normal of the best face is replaced by it unless
   it is clearly better: a face has more contacts, and resting boxes do not change between the two. */
static int separating_axis(const BoxPair *p, BoxAxis *best)
{
    if (!separate_faces(p, best))
        return 0;
    const real face = best->separation;
    if (!separate_edges(p, best))
        return 0;
    if (best->edges) {
        real squared;
        const Vec axis = unit(edge_axis(p, best->axis_of[0], best->axis_of[1], &squared));
        const int k = best->axis;
        const real alike = best->box ? dot(axis, vec(p->turn[0][k], p->turn[1][k], p->turn[2][k])) : part(axis, k);
        if (fabs(alike) > EDGE_ALIKE && best->separation < face + EDGE_GAIN * fabs(face) + TINY) {
            best->edges = 0;
            best->separation = face;
        }
    }
    return 1;
}

/* The nearest points of edge i of the first box, through `a`, and of edge j of the second, through `b`, in the frame of the first. */
static void nearest_of_box_edges(const BoxPair *p, int i, int j, Vec a, Vec b, Vec *on_a, Vec *on_b)
{
    const Vec way = vec(p->turn[0][j], p->turn[1][j], p->turn[2][j]), apart = sub(b, a);
    const real cosine = part(way, i), to_b = part(apart, i), to_a = dot(way, apart), sine2 = 1 - cosine * cosine;
    real s = clamped(sine2 < TINY ? 0 : (to_b - cosine * to_a) / sine2, -p->size[0][i], p->size[0][i]);
    const real t = clamped(cosine * s - to_a, -p->size[1][j], p->size[1][j]);
    s = clamped(to_b + cosine * t, -p->size[0][i], p->size[0][i]);
    *on_a = add(a, vec(i == 0 ? s : 0, i == 1 ? s : 0, i == 2 ? s : 0));
    *on_b = along(b, t, way);
}

/* The middle of edge `edge` of a box that is farthest along `axis`, given in its frame. If component `either` of the axis is so small that
   rounding would decide, both edges are candidates: the second one if `flip`. */
static Vec farthest_edge(const real *size, const real *axis, int edge, int either, int flip)
{
    real middle[3];
    for (int k = 0; k < 3; k++)
        middle[k] = k == edge ? 0 : (axis[k] >= 0) != (k == either && flip) ? size[k] : -size[k];
    return vector_of(middle);
}

static inline int either_side(const real *axis, int edge)
{
    const int one = (edge + 1) % 3, other = (edge + 2) % 3;
    return fabs(axis[one]) < EITHER_SIDE ? one : fabs(axis[other]) < EITHER_SIDE ? other : -1;
}

/* Edge against edge: the middle between their nearest points. */
static int touch_of_edges(const BoxPair *p, const BoxAxis *found, Touch *out)
{
    const int i = found->axis_of[0], j = found->axis_of[1];
    real squared, in_a[3], in_b[3], best = UNBOUNDED;
    Vec axis = unit(edge_axis(p, i, j, &squared)), on_a = vec(0, 0, 0), on_b = on_a;
    if (dot(axis, vector_of(p->centre[0])) < 0)
        axis = negated(axis);
    numbers(axis, in_a);
    for (int k = 0; k < 3; k++)
        in_b[k] = in_a[0] * p->turn[0][k] + in_a[1] * p->turn[1][k] + in_a[2] * p->turn[2][k];
    const int either_a = either_side(in_a, i), either_b = either_side(in_b, j);
    for (int one = 0; one <= (either_a >= 0); one++)
        for (int other = 0; other <= (either_b >= 0); other++) {
            const Vec a = farthest_edge(p->size[0], in_a, i, either_a, one);
            const Vec away = farthest_edge(p->size[1], in_b, j, either_b, other);
            real b[3];
            for (int k = 0; k < 3; k++)
                b[k] = p->turn[k][0] * -away.x + p->turn[k][1] * -away.y + p->turn[k][2] * -away.z + p->centre[0][k];
            Vec near, far;
            nearest_of_box_edges(p, i, j, a, vector_of(b), &near, &far);
            const Vec gap = sub(far, near);
            if (dot(gap, gap) < best) {
                best = dot(gap, gap);
                on_a = near;
                on_b = far;
            }
        }
    const real dist = dot(sub(on_b, on_a), axis);
    if (!(dist <= p->reach))
        return 0;
    const Shape *box = p->shape[0];
    const Vec middle = vec(.5 * (on_a.x + on_b.x), .5 * (on_a.y + on_b.y), .5 * (on_a.z + on_b.z));
    out[0] = touch(dist, add(combined(&box->axes, middle), box->pos), combined(&box->axes, axis));
    return 1;
}

/* Clips a polygon by side * coordinate <= limit, where `coordinate` is 0 or 1; z is interpolated. Returns the number of corners. */
static int clip_polygon(real polygon[MAX_CLIPPED][3], int n, int coordinate, real side, real limit)
{
    real beyond[MAX_CLIPPED], clipped[MAX_CLIPPED][3];
    int inside = 1, kept = 0;
    for (int k = 0; k < n; k++) {
        beyond[k] = side * polygon[k][coordinate] - limit;
        inside &= beyond[k] <= 0;
    }
    if (inside)
        return n;
    for (int k = 0; k < n; k++) {
        const int next = k + 1 == n ? 0 : k + 1;
        const real *from = polygon[k], *to = polygon[next], d = beyond[k], e = beyond[next];
        if (d <= 0 && kept < MAX_CLIPPED)
            memcpy(clipped[kept++], from, sizeof *clipped);
        if (((d < 0 && e > 0) || (d > 0 && e < 0)) && kept < MAX_CLIPPED) {
            const real t = d / (d - e);
            for (int c = 0; c < 3; c++)
                clipped[kept][c] = from[c] + t * (to[c] - from[c]);
            kept++;
        }
    }
    memcpy(polygon, clipped, kept * sizeof *clipped);
    return kept;
}

/* The face of the other box that is opposite to face `axis` on side `side` of a box: its corners, as coordinates along the next two axes of
   the box and the height above the face. */
static void opposite_face(const BoxPair *p, int box, int axis, real side, real polygon[MAX_CLIPPED][3])
{
    static const real corner[4][2] = {{1, 1}, {-1, 1}, {-1, -1}, {1, -1}};
    const real *size = p->size[1 - box];
    int normal = 0;
    for (int k = 1; k < 3; k++)
        if (fabs(across_boxes(p, box, axis, k)) > fabs(across_boxes(p, box, axis, normal)))
            normal = k;
    const real towards = side * across_boxes(p, box, axis, normal) > 0 ? -1 : 1;
    const int u = (normal + 1) % 3, v = (normal + 2) % 3;
    for (int c = 0; c < 3; c++) {
        const int i = (axis + 1 + c) % 3; /* the last is the axis itself */
        real middle = p->centre[box][i] + towards * size[normal] * across_boxes(p, box, i, normal);
        real along_u = size[u] * across_boxes(p, box, i, u), along_v = size[v] * across_boxes(p, box, i, v);
        if (c == 2) {
            middle = side * middle - p->size[box][axis];
            along_u *= side;
            along_v *= side;
        }
        for (int k = 0; k < 4; k++)
            polygon[k][c] = middle + corner[k][0] * along_u + corner[k][1] * along_v;
    }
}

/* Face against face: the corners of the clipped face that are within the margin and not at the same place. */
static int touches_of_face(const BoxPair *p, const BoxAxis *found, real margin, Touch *out)
{
    const int box = found->box, axis = found->axis, x = (axis + 1) % 3, y = (axis + 2) % 3;
    const real *size = p->size[box], side = p->centre[box][axis] >= 0 ? 1 : -1;
    real polygon[MAX_CLIPPED][3];
    opposite_face(p, box, axis, side, polygon);
    int n = 4, kept = 0;
    for (int c = 0; c < 2; c++)
        for (int way = 1; way >= -1; way -= 2)
            n = clip_polygon(polygon, n, c, way, size[c ? y : x]);
    const real same = SAME_CORNER * (size[x] * size[x] + size[y] * size[y]);
    const Shape *shape = p->shape[box];
    const Vec normal = scaled(box ? -side : side, column(&shape->axes, axis));
    for (int k = 0; k < n; k++) {
        int again = !(polygon[k][2] <= margin);
        for (int q = 0; q < kept && !again; q++) {
            const real dx = polygon[q][0] - polygon[k][0], dy = polygon[q][1] - polygon[k][1];
            again = dx * dx + dy * dy < same;
        }
        if (again)
            continue;
        memmove(polygon[kept], polygon[k], sizeof *polygon);
        real place[3];
        place[x] = polygon[k][0];
        place[y] = polygon[k][1];
        place[axis] = side * (size[axis] + .5 * polygon[k][2]);
        out[kept++] = touch(polygon[k][2], add(combined(&shape->axes, vector_of(place)), shape->pos), normal);
    }
    return kept;
}

static int box_box_v4_0(const Shape *a, const Shape *b, real margin, Touch *out)
{
    BoxPair p;
    BoxAxis found;
    set_box_pair(a, b, margin, &p);
    if (!separating_axis(&p, &found))
        return 0;
    return found.edges ? touch_of_edges(&p, &found, out) : touches_of_face(&p, &found, margin, out);
}

#endif
