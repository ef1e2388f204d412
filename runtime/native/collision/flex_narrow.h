#ifndef POLYBODY_FLEX_NARROW_H
#define POLYBODY_FLEX_NARROW_H

/* Contacts of an element of a flex with a geom, another element or a vertex. */

#include "collision/flex.h"
#include "collision/narrow.h"

/* An element or a vertex as a convex shape. Its corners are not relative to its centre: where several are equally far along a direction,
   rounding decides, as in MuJoCo. */
typedef struct {
    Vec corner[CORNERS];
    Shape shape;
} Piece;

static const Axes WORLD = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};

static void set_piece(const Pose *p, const Flex *x, const int *vertex, int count, Vec middle, Piece *piece)
{
    for (int i = 0; i < count; i++)
        piece->corner[i] = vertex_at(p, x, vertex[i]);
    Shape s = {middle, WORLD, &x->radius, SIMPLEX, 0, 0, 0, &p->c->search, piece->corner, count, 0, 0};
    piece->shape = s;
}

static inline void set_element(const Pose *p, const Flex *x, int element, Piece *piece)
{
    set_piece(p, x, corners_of(p, x, element), x->dim + 1, p->around[x->elem + element].middle, piece);
}

/* One contact of two convex shapes, each inflated by a radius. */
static int inflated_touch(const Shape *a, real radius_a, const Shape *b, real radius_b, real margin, Touch *out)
{
    Convex one = convex(a, margin / 2 + radius_a), other = convex(b, margin / 2 + radius_b);
    if (!overlap_of(&one, &other, a->search, out))
        return 0;
    out->dist += margin;
    return 1;
}

/* An element and a height field. */
static int hfield_element(const Shape *field, const Piece *piece, real radius, real margin, Touch *out)
{
    Piece local = *piece;
    local.shape.pos = local_point(field, piece->shape.pos);
    local.shape.corner = local.corner;
    for (int i = 0; i < piece->shape.corners; i++)
        local.corner[i] = local_point(field, piece->corner[i]);
    return hfield_local(field, &piece->shape, &local.shape, radius, margin, out);
}

/* The axis z of a frame turned from the world's by the quaternion that takes z to `way`. It is `way` up to rounding, which decides where
   lines that are parallel to an edge of a box touch it. */
static Vec turned_to(Vec direction)
{
    const Vec axis = unit(unit(direction)), side = vec(-axis.y, axis.x, 0), about = unit(side);
    const real across = norm(side);
    if (across < TINY)
        return vec(0, 0, axis.z < 0 ? -1 : 1);
    const real half = .5 * atan2(across, axis.z), w = cos(half), x = about.x * sin(half), y = about.y * sin(half);
    return vec(2 * (w * y), -2 * (w * x), w * w - x * x - y * y);
}

/* A line element of a flex as a capsule; `size` receives its radius and half length. The axes x and y are not used. */
static Shape line_of(const Pose *p, const Flex *x, const int *vertex, real *size)
{
    const Vec a = vertex_at(p, x, vertex[0]), b = vertex_at(p, x, vertex[1]), direction = sub(a, b);
    const Axes axes = {{0, 0, 0}, {0, 0, 0}, turned_to(direction)};
    size[0] = x->radius;
    size[1] = .5 * norm(direction);
    size[2] = 0;
    Shape s = {scaled(.5, add(a, b)), axes, size, SHAPE_CAPSULE, size[0] + size[1], 0, 0, &p->c->search, 0, 0, 0, 0};
    return s;
}

/* A sphere and a triangle inflated by a radius. The nearest point of the triangle is the projection of the
   centre, or else on one of its sides. */
static int ball_triangle(Vec centre, real radius, const Vec *corner, real around, real margin, Touch *out)
{
    Vec u = sub(corner[1], corner[0]), v = sub(corner[2], corner[0]), direction = sub(centre, corner[0]);
    Vec up = unit(cross(u, v));
    real height = dot(up, direction), reach = margin + radius + around;
    if (!(fabs(height) <= reach))
        return 0;
    int inside = 1;
    for (int i = 0; i < 3; i++) {
        Vec side = sub(corner[(i + 1) % 3], corner[i]);
        inside &= dot(cross(side, sub(centre, corner[i])), up) > 0;
    }
    Vec towards;
    real dist;
    if (inside) {
        dist = fabs(height);
        towards = dist < TINY ? vec(1, 0, 0) : scaled(height > 0 ? -1 : 1, up);
    } else {
        Vec best = {INFINITY, 0, 0};
        for (int i = 0; i < 3; i++) {
            Vec to = nearest_of_segment(sub(corner[i], centre), sub(corner[(i + 1) % 3], centre));
            if (!(dot(to, to) >= dot(best, best)))
                best = to;
        }
        dist = norm(best);
        towards = unit(best);
    }
    if (!(dist <= reach))
        return 0;
    real gap = dist - radius - around;
    *out = touch(gap, along(centre, radius + gap / 2, towards), towards);
    return 1;
}

/* A geom other than a plane, and an element. */
static int geom_element(const Pose *p, const Shape *geom, const Flex *x, int element, real margin, Touch *out)
{
    const int *vertex = corners_of(p, x, element);
    if (x->dim == 1 && (geom->type == SHAPE_SPHERE || geom->type == SHAPE_CAPSULE || geom->type == SHAPE_BOX)) {
        real size[3];
        Shape line = line_of(p, x, vertex, size);
        if (geom->type == SHAPE_SPHERE)
            return sphere_capsule(geom, &line, margin, out);
        if (geom->type == SHAPE_CAPSULE)
            return narrow_of(p->c, SHAPE_CAPSULE, SHAPE_CAPSULE)(geom, &line, margin, out);
        int n = capsule_box(&line, geom, margin, out);
        for (int i = 0; i < n; i++)
            out[i].normal = negated(out[i].normal);
        return n;
    }
    if (x->dim == 2 && geom->type == SHAPE_SPHERE) {
        Vec corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = vertex_at(p, x, vertex[i]);
        return ball_triangle(geom->pos, geom->size[0], corner, x->radius, margin, out);
    }
    Piece piece;
    set_element(p, x, element, &piece);
    if (geom->type == SHAPE_HFIELD)
        return hfield_element(geom, &piece, x->radius, margin, out);
    return inflated_touch(geom, 0, &piece.shape, x->radius, margin, out);
}

/* Whether two elements are separated by more than `reach` along the line between their centres, as most
   are. */
static inline int are_apart(const Pose *p, const Flex *a, int one, const Flex *b, int other, real reach)
{
    const int *corner = corners_of(p, a, one), *across = corners_of(p, b, other);
    const Vec from = p->around[a->elem + one].middle, to = p->around[b->elem + other].middle;
    const Vec direction = sub(to, from);
    real most = -INFINITY, fewest = INFINITY;
    for (int i = 0; i <= a->dim; i++)
        most = maximum(most, dot(direction, sub(vertex_at(p, a, corner[i]), from)));
    for (int i = 0; i <= b->dim; i++)
        fewest = minimum(fewest, dot(direction, sub(vertex_at(p, b, across[i]), to)));
    const real square = dot(direction, direction), gap = square + fewest - most;
    return gap > 0 && gap * gap > reach * reach * square;
}

/* Whether the line through some side of triangle t, within its plane, separates it from triangle u by more than
   `reach`. Triangles of a flat part of a surface are apart in this way, if they are. */
static int side_separates(const Vec *t, const Vec *u, real reach)
{
    const Vec up = cross(sub(t[1], t[0]), sub(t[2], t[0]));
    for (int i = 0; i < 3; i++) {
        const Vec away = cross(sub(t[(i + 1) % 3], t[i]), up);
        const real gap = minimum(minimum(dot(away, sub(u[0], t[i])), dot(away, sub(u[1], t[i]))), dot(away, sub(u[2], t[i])));
        if (gap > 0 && gap * gap > reach * reach * dot(away, away))
            return 1;
    }
    return 0;
}

/* The same for the sides of both. */
static int triangles_apart(const Pose *p, const Flex *a, int one, const Flex *b, int other, real reach)
{
    const int *corner = corners_of(p, a, one), *across = corners_of(p, b, other);
    Vec t[3], u[3];
    for (int i = 0; i < 3; i++) {
        t[i] = vertex_at(p, a, corner[i]);
        u[i] = vertex_at(p, b, across[i]);
    }
    return side_separates(t, u, reach) || side_separates(u, t, reach);
}

static int element_element(const Pose *p, const Flex *a, int one, const Flex *b, int other, real margin,
                           Touch *out)
{
    if (a->dim == 1 && b->dim == 1) {
        real sizes[2][3];
        Shape first = line_of(p, a, corners_of(p, a, one), sizes[0]);
        Shape second = line_of(p, b, corners_of(p, b, other), sizes[1]);
        return narrow_of(p->c, SHAPE_CAPSULE, SHAPE_CAPSULE)(&first, &second, margin, out);
    }
    const real reach = a->radius + b->radius + margin + p->c->search.tolerance;
    if (are_apart(p, a, one, b, other, reach))
        return 0;
    if (a->dim == 2 && b->dim == 2 && triangles_apart(p, a, one, b, other, reach))
        return 0;
    Piece first, second;
    set_element(p, a, one, &first);
    set_element(p, b, other, &second);
    return inflated_touch(&first.shape, a->radius, &second.shape, b->radius, margin, out);
}

/* A vertex of a flex (first) and an element of the same flex. */
static int vertex_element(const Pose *p, const Flex *x, int vertex, int element, Touch *out)
{
    const int *corners = corners_of(p, x, element);
    Vec centre = vertex_at(p, x, vertex);
    if (x->dim == 1) {
        real size[3];
        Shape line = line_of(p, x, corners, size);
        Shape ball = {centre, WORLD, &x->radius, SHAPE_SPHERE, x->radius, 0, 0, 0, 0, 0};
        return sphere_capsule(&ball, &line, 0, out);
    }
    if (x->dim == 2) {
        Vec corner[3];
        for (int i = 0; i < 3; i++)
            corner[i] = vertex_at(p, x, corners[i]);
        return ball_triangle(centre, x->radius, corner, x->radius, 0, out);
    }
    Piece first, second;
    set_piece(p, x, &vertex, 1, centre, &first);
    set_element(p, x, element, &second);
    return inflated_touch(&first.shape, x->radius, &second.shape, x->radius, 0, out);
}

/* Whether a vertex of a tetrahedron has passed through the plane of the other three, inflated by the radius
   on both sides. The depth is the distance from that offset plane. */
static int vertex_through_side(const Pose *p, const Flex *x, const int *side, int vertex, Touch *out)
{
    Vec origin = vertex_at(p, x, side[0]), v = vertex_at(p, x, vertex);
    Vec up = unit(cross(sub(vertex_at(p, x, side[1]), origin), sub(vertex_at(p, x, side[2]), origin)));
    real height = dot(sub(v, origin), up);
    if (!(height > -2 * x->radius))
        return 0;
    *out = touch(-height - 2 * x->radius, along(v, -.5 * height, up), negated(up));
    return 1;
}

#endif
