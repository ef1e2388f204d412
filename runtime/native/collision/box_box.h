#ifndef POLYBODY_BOX_BOX_H
#define POLYBODY_BOX_BOX_H

/* Two boxes: the separating axis of least depth (Gottschalk, Lin, Manocha 1996), then the face or edge of
   one box is clipped against a face of the other (Ericson, Real-Time Collision Detection, 5.4 and 8.3). */

#include "collision/box.h"

enum { MAX_CORNERS = 24 };

/* The axis with the smallest overlap of two boxes. */
typedef struct {
    real depth;
    Vec normal;    /* edge against edge: in the frame of the first box, of either sign */
    int edges;     /* whether the axis is the cross product of two edges, rather than a face normal */
    int box, axis; /* of a face */
    int side;      /* of a face: 1 or -1; of edges: whether the second box is on the positive side of
                      `normal` */
    int axis_a, axis_b;
} Separation;

/* A planar patch: its corner and the edges u and v, of which the first `edges` are used. */
typedef struct {
    Vec corner, u, v;
    int edges;
} Patch;

/* Intersection of edge `line` of a patch with a side of a rectangle: at parameter `t` of the edge, on the
   side at `limit` along `axis` (0 or 1), at coordinate `other` along the other axis. */
typedef struct {
    int line, axis;
    real t, limit, other;
} Crossing;

/* The frame of a face of a box: z is the outward normal. The axes of the box are permuted so that it is
   right-handed. */
typedef struct {
    int axis[3];
    real sign[3];
} FaceFrame;

static inline FaceFrame frame_of_face(int axis, int side)
{
    static const FaceFrame frames[2][3] = {
        {{{2, 1, 0}, {1, 1, -1}}, {{0, 2, 1}, {1, 1, -1}}, {{0, 1, 2}, {-1, 1, -1}}},
        {{{2, 1, 0}, {-1, 1, 1}}, {{0, 2, 1}, {1, -1, 1}}, {{0, 1, 2}, {1, 1, 1}}}};
    return frames[side > 0][axis];
}

static inline Vec to_face(const FaceFrame *f, const real *v)
{
    return vec(f->sign[0] * v[f->axis[0]], f->sign[1] * v[f->axis[1]], f->sign[2] * v[f->axis[2]]);
}

static inline Vec from_face(const FaceFrame *f, const Axes *box, Vec v)
{
    Vec x = scaled(f->sign[0] * v.x, column(box, f->axis[0]));
    return along(along(x, f->sign[1] * v.y, column(box, f->axis[1])), f->sign[2] * v.z,
                 column(box, f->axis[2]));
}

/* Computes the separating axis. Returns whether the boxes are within the margin along every axis. */
static int separate(const real *size_a, const real *size_b, real turn[3][3], const real *b_in_a,
                    const real *a_in_b, real margin, Separation *found)
{
    found->depth = INFINITY;
    found->axis = -1;
    found->edges = 0;
    for (int i = 0; i < 3; i++) {
        real depth[2] = {size_a[i] - fabs(b_in_a[i]), size_b[i] - fabs(a_in_b[i])};
        for (int k = 0; k < 3; k++) {
            depth[0] += fabs(turn[i][k]) * size_b[k];
            depth[1] += fabs(turn[k][i]) * size_a[k];
        }
        for (int box = 0; box < 2; box++) {
            if (!(depth[box] >= -margin))
                return 0;
            if (depth[box] < found->depth) {
                found->depth = depth[box];
                found->box = box;
                found->axis = i;
                found->side = (box ? a_in_b[i] : b_in_a[i]) < 0 ? -1 : 1;
            }
        }
    }
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++) {
            int i1 = (i + 1) % 3, i2 = (i + 2) % 3, j1 = (j + 1) % 3, j2 = (j + 2) % 3;
            real n[3];
            n[i] = 0;
            n[i1] = -turn[i2][j];
            n[i2] = turn[i1][j];
            real length = sqrt(n[i1] * n[i1] + n[i2] * n[i2]);
            if (length < TINY)
                continue;
            real inverse = 1 / length;
            n[i1] *= inverse;
            n[i2] *= inverse;
            real ahead = b_in_a[i1] * n[i1] + b_in_a[i2] * n[i2];
            real depth = size_a[i1] * fabs(n[i1]) + size_a[i2] * fabs(n[i2]) +
                         (size_b[j1] * fabs(turn[i][j2]) + size_b[j2] * fabs(turn[i][j1])) * inverse -
                         fabs(ahead);
            if (!(depth >= -margin))
                return 0;
            /* faces are preferred to edges that are parallel to them */
            if (depth < found->depth * (1 - 1e-12)) {
                found->depth = depth;
                found->edges = 1;
                found->normal = vector_of(n);
                found->side = ahead < 0 ? -1 : 1;
                found->axis_a = i;
                found->axis_b = j;
            }
        }
    return found->edges || found->axis >= 0;
}

static inline Vec patch_corner(const Patch *p, int i)
{
    Vec at = p->corner;
    if (i & 1)
        at = add(at, p->u);
    if (i & 2)
        at = add(at, p->v);
    return at;
}

/* The start and the direction of an edge of a patch, by its index. */
static inline Vec edge_start(const Patch *p, int line)
{
    return line < 2 ? p->corner : add(p->corner, line == 2 ? p->u : p->v);
}
static inline Vec edge_vector(const Patch *p, int line) { return line == 0 || line == 3 ? p->u : p->v; }

/* Intersections of the patch's edges with the sides of the rectangle of half widths `half`, projected along
   z. */
static int crossings(const Patch *patch, const real *half, Crossing *out)
{
    int n = 0, lines = patch->edges == 2 ? 4 : patch->edges;
    for (int line = 0; line < lines; line++) {
        real from[3], step[3];
        numbers(edge_start(patch, line), from);
        numbers(edge_vector(patch, line), step);
        for (int axis = 0; axis < 2; axis++)
            for (int side = -1; side <= 1 && fabs(step[axis]) > TINY; side += 2) {
                real limit = side * half[axis], t = (limit - from[axis]) * (1 / step[axis]);
                real other = from[1 - axis] + step[1 - axis] * t;
                if (t >= 0 && t <= 1 && fabs(other) <= half[1 - axis]) {
                    Crossing c = {line, axis, t, limit, other};
                    out[n++] = c;
                }
            }
    }
    return n;
}

static inline real area(const Patch *p) { return p->u.x * p->v.y - p->v.x * p->u.y; }

/* Coordinates u, v on a patch of the given area of the point whose projection along z is x, y. */
static inline void place_on_patch(const Patch *p, real area, real x, real y, real *u, real *v)
{
    x -= p->corner.x;
    y -= p->corner.y;
    *u = (x * p->v.y - y * p->v.x) * (1 / area);
    *v = (y * p->u.x - x * p->u.y) * (1 / area);
}

/* A face of one box (`here`) against the nearest corner, edge or face of the other. Distances are halved, as
   in MuJoCo. */
static int face_touches(const Shape *here, const Shape *there, const Separation *found, real turn[3][3],
                        const real *centre, real margin, Touch *out)
{
    FaceFrame frame = frame_of_face(found->axis, found->side);
    real half[3], normal[3];
    for (int k = 0; k < 3; k++)
        half[k] = here->size[frame.axis[k]];
    Patch patch = {to_face(&frame, centre), {0, 0, 0}, {0, 0, 0}, 0};
    patch.corner.z -= half[2];
    for (int k = 0; k < 3;
         k++) { /* the nearest corner, and the edges from it at less than 30 degrees to the face */
        real axis[3];
        for (int i = 0; i < 3; i++)
            axis[i] = found->box ? turn[k][i] : turn[i][k];
        Vec edge = to_face(&frame, axis);
        normal[k] = edge.z;
        real towards = edge.z < 0 ? 1 : -1;
        patch.corner = along(patch.corner, towards * there->size[k], edge);
        if (fabs(normal[k]) < .5) {
            Vec back = scaled(-2 * towards * there->size[k], edge);
            if (patch.edges++ == 0)
                patch.u = back;
            else
                patch.v = back;
        }
    }
    Vec points[MAX_CORNERS];
    Crossing crossed[16];
    int n = 0, all = crossings(&patch, half, crossed);
    for (int i = 0; i < all; i++)
        points[n++] =
            along(edge_start(&patch, crossed[i].line), crossed[i].t, edge_vector(&patch, crossed[i].line));
    for (int i = 0; i < 4 && patch.edges == 2; i++) {
        real x = i / 2 ? half[0] : -half[0], y = i % 2 ? half[1] : -half[1], u, v;
        place_on_patch(&patch, area(&patch), x, y, &u, &v);
        if (u > 0 && v > 0 && u < 1 && v < 1)
            points[n++] = vec(x, y, patch.corner.z + u * patch.u.z + v * patch.v.z);
    }
    for (int i = 0; i < 1 << patch.edges; i++) {
        Vec corner = patch_corner(&patch, i);
        if (i == 0 || (fabs(corner.x) < half[0] && fabs(corner.y) < half[1]))
            points[n++] = corner;
    }
    Vec up = scaled(found->side, column(&here->axes, found->axis));
    Vec outward = found->box ? negated(up) : up;
    int kept = 0;
    for (int i = 0; i < n; i++)
        if (points[i].z <= margin) {
            real dist = points[i].z * .5;
            Vec pos = vec(points[i].x, points[i].y, dist + half[2]);
            out[kept++] = touch(dist, add(here->pos, from_face(&frame, &here->axes, pos)), outward);
        }
    return kept;
}

/* Of the two axes other than `axis`, the one with the greater or the smaller value; the first one if they are
   equal. */
static inline int axis_beside(int axis, const real *of, int greater)
{
    int i = axis == 1 ? 0 : 1, j = axis == 2 ? 0 : 2;
    int first = fabs(of[i]) < fabs(of[j]) ? j : i;
    return greater ? first : 3 - axis - first;
}

/* Data for two crossing edges: the face of the first box, the face of the second, and the latter projected
   onto the former along the normal. */
typedef struct {
    FaceFrame frame;
    real half[3], margin, slope; /* distance along the normal = height above the face * slope */
    Vec normal;
    Patch there, seen;
} Facing;

/* Whether a point of the patch at `height` above the face, at squared distance `square` from it, is within
   the margin. */
static inline int is_near(const Facing *f, real height, real square)
{
    return !(height > 0 && square > f->margin * f->margin);
}

/* Corners of the face over the patch, then corners of the patch over the face. MuJoCo divides the coordinates
   on the patch by its area only up to the first corner of the face over it, then by the squared distance of
   that corner. This is reproduced because it determines which corners are reported. */
static int edge_corners(const Facing *f, int crossed, int n, Touch *out)
{
    const real *half = f->half;
    real divisor = area(&f->seen);
    for (int i = 0; i < 4; i++) {
        real x = i / 2 ? half[0] : -half[0], y = i % 2 ? half[1] : -half[1], u, v;
        place_on_patch(&f->seen, divisor, x, y, &u, &v);
        int off_u = u < 0 || u > 1, off_v = v < 0 || v > 1;
        if (crossed ? off_u || off_v : off_u && off_v)
            continue;
        Vec over = along(along(f->there.corner, clamped(u, 0, 1), f->there.u), clamped(v, 0, 1), f->there.v);
        Vec corner = vec(x, y, 0), gap = sub(corner, over);
        real square = divisor = dot(gap, gap);
        if (is_near(f, over.z, square))
            out[n++] =
                touch(over.z < 0 ? -sqrt(square) : sqrt(square), scaled(.5, add(corner, over)), f->normal);
    }
    int inside = n;
    for (int i = 0; i < 4; i++) {
        Vec over = patch_corner(&f->seen, i), corner = patch_corner(&f->there, i);
        int off_x = fabs(over.x) > half[0], off_y = fabs(over.y) > half[1];
        if (crossed ? off_x || off_y : inside && off_x && off_y)
            continue;
        Vec on = vec(clamped(over.x, -half[0], half[0]), clamped(over.y, -half[1], half[1]), 0);
        real dx = over.x - on.x, dy = over.y - on.y, height = corner.z * f->slope;
        real square = dx * dx + dy * dy + height * height;
        if (is_near(f, corner.z, square))
            out[n++] =
                touch(corner.z < 0 ? -sqrt(square) : sqrt(square), scaled(.5, add(on, corner)), f->normal);
    }
    return n;
}

/* Edge against edge: the adjacent faces are clipped against each other along the normal. */
static int edge_touches(const Shape *a, const Shape *b, const Separation *found, real turn[3][3],
                        const real *b_in_a, real margin, Touch *out)
{
    int i = found->axis_a, j = found->axis_b;
    real n[3], along_b[3] = {turn[i][0], turn[i][1], turn[i][2]},
               along_a[3] = {turn[0][j], turn[1][j], turn[2][j]};
    numbers(found->normal, n);
    int face = axis_beside(i, along_a, 0), wide = axis_beside(j, along_b, 1), flat = 3 - j - wide;
    Facing f;
    f.frame = frame_of_face(face, (n[face] > 0) == (found->side > 0) ? 1 : -1);
    f.margin = margin;
    f.normal = to_face(&f.frame, n);
    if (fabs(f.normal.z) < TINY)
        return 0;
    f.slope = found->side / f.normal.z;
    for (int k = 0; k < 3; k++)
        f.half[k] = a->size[f.frame.axis[k]];
    Vec edge[3];
    real towards[3]; /* the side of the second box that faces the first box */
    for (int k = 0; k < 3; k++) {
        real axis[3] = {turn[0][k], turn[1][k], turn[2][k]};
        edge[k] = scaled(b->size[k], to_face(&f.frame, axis));
        /* normal . axis k of b = +- turn[i][third axis] / length, without the rounding errors of the
           product */
        int third = 3 - k - j;
        int ahead = k != j && ((turn[i][third] > 0) != (found->side < 0)) != ((k - j + 3) % 3 == 1);
        towards[k] = ahead ? 1 : -1;
    }
    Vec centre = to_face(&f.frame, b_in_a);
    centre.z -= f.half[2];
    Vec middle = along(along(centre, towards[wide], edge[wide]), towards[flat], edge[flat]);
    f.there.corner = add(middle, edge[j]);
    f.there.u = scaled(-2, edge[j]);
    f.there.v = scaled(-2 * towards[wide], edge[wide]);
    f.there.edges = f.seen.edges = 2;
    f.seen.corner = along(f.there.corner, -f.there.corner.z / f.normal.z, f.normal);
    f.seen.u = along(f.there.u, -f.there.u.z / f.normal.z, f.normal);
    f.seen.v = along(f.there.v, -f.there.v.z / f.normal.z, f.normal);
    Crossing crossed[16];
    int count = 0, all = crossings(&f.seen, f.half, crossed);
    for (int k = 0; k < all; k++) {
        const Crossing *c = crossed + k;
        Vec point = along(edge_start(&f.there, c->line), c->t, edge_vector(&f.there, c->line));
        real dist = point.z * f.slope;
        Vec on = c->axis == 0 ? vec(c->limit, c->other, 0) : vec(c->other, c->limit, 0);
        if (dist <= margin)
            out[count++] = touch(dist, scaled(.5, add(point, on)), f.normal);
    }
    count = edge_corners(&f, count, count, out);
    Vec outward = scaled(found->side, combined(&a->axes, found->normal));
    for (int k = 0; k < count; k++) {
        out[k].pos.z += f.half[2];
        out[k].pos = add(a->pos, from_face(&f.frame, &a->axes, out[k].pos));
        out[k].normal = outward;
    }
    return count;
}

/* 1: outside the scaled box by more than 1 %; -1: inside by more than 1 %; 0: near its surface. */
static inline int beside_box(const Shape *box, real margin, Vec point)
{
    Vec at = local_to(box, point);
    real x = box->size[0] + margin, y = box->size[1] + margin, z = box->size[2] + margin;
    if (fabs(at.x) > 1.01 * x || fabs(at.y) > 1.01 * y || fabs(at.z) > 1.01 * z)
        return 1;
    return fabs(at.x) < x / 1.01 && fabs(at.y) < y / 1.01 && fabs(at.z) < z / 1.01 ? -1 : 0;
}

/* Removes points that are outside one box and not inside the other; of two equal points removes the earlier
   one. */
static int kept_of_boxes(const Shape *a, const Shape *b, real margin, int n, Touch *out)
{
    int near = 0, kept = 0;
    for (int i = 0; i < n; i++) {
        int in_a = beside_box(a, margin, out[i].pos), in_b = beside_box(b, margin, out[i].pos);
        if (!((in_a == 1 && in_b != -1) || (in_b == 1 && in_a != -1)))
            out[near++] = out[i];
    }
    for (int i = 0; i < near; i++) {
        int again = 0;
        for (int j = i + 1; j < near && !again; j++)
            again =
                out[i].pos.x == out[j].pos.x && out[i].pos.y == out[j].pos.y && out[i].pos.z == out[j].pos.z;
        if (!again)
            out[kept++] = out[i];
    }
    return kept;
}

static int box_box(const Shape *a, const Shape *b, real margin, Touch *out)
{
    real turn[3][3], b_in_a[3], a_in_b[3];
    Separation found;
    Vec apart = sub(b->pos, a->pos);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            turn[i][j] = dot(column(&a->axes, i), column(&b->axes, j));
    numbers(components(&a->axes, apart), b_in_a);
    numbers(components(&b->axes, negated(apart)), a_in_b);
    if (!separate(a->size, b->size, turn, b_in_a, a_in_b, margin, &found))
        return 0;
    int n = found.edges ? edge_touches(a, b, &found, turn, b_in_a, margin, out)
            : found.box ? face_touches(b, a, &found, turn, a_in_b, margin, out)
                        : face_touches(a, b, &found, turn, b_in_a, margin, out);
    return kept_of_boxes(a, b, margin, n, out);
}

#endif
