#ifndef POLYBODY_CCD_FACES_H
#define POLYBODY_CCD_FACES_H

/* The faces and edges of two shapes that touch, from the corners of the last simplex of each: what MuJoCo 4.0 calls single-shot
   multicontact. A round face of a cylinder is one of 16 corners, a capsule is an edge along its axis. */

#include "collision/ccd_depth.h"

enum { MOST_SIDES = 512 }; /* of a face, and faces at a vertex; with more there is one contact */

#define FACES_ALIGNED .996  /* cosine of the greatest angle between a face and the opposite one */
#define EDGE_ALIGNED .0888 /* sine of the greatest angle between an edge and a face */

typedef struct {
    int count;
    Vec v[MOST_SIDES];
} Outline;

/* The part of a shape that touches: a corner, an edge or a face by `dim` 1, 2 or 3; faces that it may belong to, their rows and normals;
   then directions of edges, and their ends. */
typedef struct {
    const CcdShape *shape;
    int dim, index[3];
    Vec v[3];
    int faces, row[MOST_SIDES];
    Vec normal[MOST_SIDES];
    int edges;
    Vec edge[MOST_SIDES], end[MOST_SIDES];
} Part;

static inline Vec in_world(const Shape *s, Vec local) { return add(combined(&s->axes, local), s->pos); }

static void set_part(const CcdShape *c, Part *f)
{
    const int at[3] = {0, c->count >= 2 ? 1 : 0, c->count > 2 ? 2 : 0};
    f->shape = c;
    f->faces = f->edges = 0;
    for (int i = 0; i < 3; i++) {
        f->index[i] = c->index[at[i]];
        f->v[i] = c->corner[at[i]];
    }
    if (f->index[0] == f->index[1]) {
        f->dim = f->index[0] == f->index[2] ? 1 : 2;
        f->index[1] = f->index[2];
        f->v[1] = f->v[2];
    } else {
        f->dim = f->index[2] == f->index[0] || f->index[2] == f->index[1] ? 2 : 3;
    }
}

static inline void add_normal(Part *f, int row, Vec local)
{
    f->row[f->faces] = row;
    f->normal[f->faces++] = combined(&f->shape->shape->axes, local);
}

/* 1 or -1 if the corners are all on that side of a box, else 0. */
static int common_side(const Part *f, int axis)
{
    int all = 1, none = 1;
    for (int i = 0; i < f->dim; i++) {
        const int above = f->index[i] >> axis & 1;
        all &= above;
        none &= !above;
    }
    return all - none;
}

static inline Vec axis_vector(int axis, real x) { return vec(axis == 0 ? x : 0, axis == 1 ? x : 0, axis == 2 ? x : 0); }

/* The faces of a box that have the corners; else the one whose normal is near a direction. */
static void add_box_normals(Part *f, Vec direction)
{
    const Vec local = components(&f->shape->shape->axes, direction);
    const Vec n = scaled(1 / sqrt(dot(local, local)), local);
    for (int axis = 0; axis < 3; axis++) {
        const int side = common_side(f, axis);
        if (side)
            add_normal(f, 2 * axis + (side < 0), axis_vector(axis, side));
    }
    for (int i = 0; i < 6 && !f->faces; i++) {
        const Vec axis = axis_vector(i / 2, i % 2 ? -1 : 1);
        if (dot(n, axis) > FACES_ALIGNED)
            add_normal(f, i, axis);
    }
}

static inline int is_among(int row, const int *rows, int count)
{
    for (int i = 0; i < count; i++)
        if (rows[i] == row)
            return 1;
    return 0;
}

/* The faces of a mesh that have the corners: of three one, of two up to two. */
static void add_mesh_normals(Part *f)
{
    const Sides *s = f->shape->shape->hull->sides;
    const int *start = s->map_start, most = f->dim == 1 ? MOST_SIDES : f->dim == 2 ? 2 : 1;
    int found = 0;
    for (int i = start[f->index[0]]; i < start[f->index[0] + 1]; i++) {
        const int row = s->map[i];
        int common = 1;
        for (int k = 1; k < f->dim && k < 2; k++)
            common = is_among(row, s->map + start[f->index[k]], start[f->index[k] + 1] - start[f->index[k]]);
        if (!common)
            continue;
        if (f->dim > 1 && ++found > 2)
            break;
        if (f->dim == 3 && !is_among(row, s->map + start[f->index[2]], start[f->index[2] + 1] - start[f->index[2]]))
            continue;
        if (f->faces < most)
            add_normal(f, row, s->normal[row]);
    }
}

static void find_normals(Part *f, Vec direction)
{
    if (f->shape->type == SHAPE_BOX)
        add_box_normals(f, direction);
    else if (f->shape->type == SHAPE_MESH)
        add_mesh_normals(f);
    else if (f->shape->type == SHAPE_CYLINDER && f->dim == 1)
        add_normal(f, f->index[0], vec(0, 0, f->index[0] ? -1 : 1));
}

static inline void add_edge(Part *f, Vec end)
{
    f->end[f->edges] = end;
    f->edge[f->edges++] = unit(sub(end, f->v[0]));
}

static inline Vec box_corner(const Shape *s, int corner)
{
    const real *size = s->size;
    return in_world(s, vec(corner & 1 ? size[0] : -size[0], corner & 2 ? size[1] : -size[1], corner & 4 ? size[2] : -size[2]));
}

static inline Vec mesh_corner(const Shape *s, int row) { return in_world(s, vertex_of(s->hull, row)); }

/* The edges of a mesh from a vertex: in every face there, the one to the vertex before it. */
static void add_mesh_edges(Part *f)
{
    const Shape *shape = f->shape->shape;
    const Sides *s = shape->hull->sides;
    for (int i = s->map_start[f->index[0]]; i < s->map_start[f->index[0] + 1]; i++) {
        const int first = s->start[s->map[i]], end = s->start[s->map[i] + 1];
        for (int k = first; k < end; k++)
            if (s->vert[k] == f->index[0]) {
                add_edge(f, mesh_corner(shape, s->vert[k == first ? end - 1 : k - 1]));
                break;
            }
    }
}

/* The edges that the part is on or ends: of a capsule its axis, moved to the witness; of a cylinder only the direction. */
static void find_edges(Part *f, Vec witness)
{
    const Shape *s = f->shape->shape;
    const int mesh = f->shape->type == SHAPE_MESH;
    if (f->shape->type == SHAPE_CAPSULE) {
        const real at = dot(sub(witness, s->pos), s->axes.z), half = s->size[1];
        f->v[0] = along(witness, -at - half, s->axes.z);
        f->end[0] = along(witness, half - at, s->axes.z);
    }
    if (f->shape->type == SHAPE_CAPSULE || f->shape->type == SHAPE_CYLINDER) {
        f->edge[0] = s->axes.z;
        f->edges = 1;
    } else if (mesh || f->shape->type == SHAPE_BOX) {
        f->v[0] = mesh ? mesh_corner(s, f->index[0]) : box_corner(s, f->index[0]);
        if (f->dim == 2)
            add_edge(f, mesh ? mesh_corner(s, f->index[1]) : box_corner(s, f->index[1]));
        else if (mesh)
            add_mesh_edges(f);
        else
            for (int axis = 0; axis < 3; axis++)
                add_edge(f, box_corner(s, f->index[0] ^ 1 << axis));
    }
}

/* Two faces that face each other, those that do so most; -1 if none do within the tolerance. `way`: from the point of the first shape
   to that of the second. */
static int find_opposite_faces(const Part *a, const Part *b, Vec way, int *other)
{
    const real least = EDGE_ALIGNED * norm(way);
    real best = -FACES_ALIGNED;
    int found = -1;
    for (int i = 0; i < a->faces; i++) {
        if (dot(a->normal[i], way) >= -least)
            continue;
        for (int k = 0; k < b->faces; k++) {
            const real cosine = dot(a->normal[i], b->normal[k]);
            if (dot(b->normal[k], way) > least && cosine < best) {
                best = cosine;
                found = i;
                *other = k;
            }
        }
    }
    return found;
}

/* The first face of one part, and of the edges of another one the first that is parallel to it; -1 if there are none. */
static int find_edge_along_face(const Part *with_faces, Part *with_edges, Vec witness, Vec way, int *edge)
{
    find_edges(with_edges, witness);
    for (int i = 0; i < with_faces->faces; i++) {
        if (!(dot(with_faces->normal[i], way) > TINY))
            continue;
        for (int k = 0; k < with_edges->edges; k++)
            if (fabs(dot(with_edges->edge[k], with_faces->normal[i])) < EDGE_ALIGNED) {
                *edge = k;
                return i;
            }
    }
    return -1;
}

/* The corners of a face, clockwise seen from outside. */
static void outline_face(const Part *f, int row, Outline *out)
{
    static const signed char box[6][4] = {{7, 3, 1, 5}, {2, 6, 4, 0}, {2, 3, 7, 6}, {4, 5, 1, 0}, {6, 7, 5, 4}, {3, 2, 0, 1}};
    /* rounded as MuJoCo's */
    static const real cosine[16] = {1, 0.923879532511287, 0.707106781186548, 0.38268343236509, 0, -0.38268343236509, -0.707106781186547,
                                    -0.923879532511287, -1, -0.923879532511287, -0.707106781186548, -0.38268343236509, 0,
                                    0.38268343236509, 0.707106781186547, 0.923879532511287};
    static const real sine[16] = {0, 0.38268343236509, 0.707106781186547, 0.923879532511287, 1, 0.923879532511287, 0.707106781186548,
                                  0.38268343236509, 0, -0.38268343236509, -0.707106781186547, -0.923879532511287, -1,
                                  -0.923879532511287, -0.707106781186548, -0.38268343236509};
    const Shape *s = f->shape->shape;
    out->count = 0;
    if (f->shape->type == SHAPE_BOX) {
        for (int i = 0; i < 4; i++)
            out->v[out->count++] = box_corner(s, box[row][i]);
    } else if (f->shape->type == SHAPE_MESH) {
        const Sides *sides = s->hull->sides;
        for (int i = sides->start[row + 1] - 1; i >= sides->start[row]; i--)
            out->v[out->count++] = mesh_corner(s, sides->vert[i]);
    } else {
        const real side = row ? -1 : 1, radius = s->size[0];
        for (int i = 0; i < 16; i++)
            out->v[out->count++] = in_world(s, vec(radius * cosine[i], side * (radius * -sine[i]), side * s->size[1]));
    }
}

/* The edge of a part; of a cylinder the line of its side nearest to a face with the given normal. Returns whether it exists. */
static int outline_edge(const Part *f, int edge, Vec normal, Outline *out)
{
    const Shape *s = f->shape->shape;
    out->count = 2;
    out->v[0] = f->v[0];
    if (f->shape->type != SHAPE_CYLINDER) {
        out->v[1] = f->end[edge];
        return 1;
    }
    const Vec axis = s->axes.z, side = along(normal, -dot(axis, normal), axis);
    const real length = norm(side);
    if (length < TINY)
        return 0;
    const Vec middle = along(s->pos, -s->size[0] / length, side);
    out->v[0] = along(middle, -s->size[1], axis);
    out->v[1] = along(middle, s->size[1], axis);
    return 1;
}

#endif
