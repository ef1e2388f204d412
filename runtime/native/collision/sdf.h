#ifndef POLYBODY_SDF_H
#define POLYBODY_SDF_H

/* A shape defined by its signed distance, against other shapes.

   Against primitives and other such shapes: gradient descent from points of a Halton sequence in the overlap
   of both bounding boxes (as in MuJoCo 3.2.7: the starting points and steps determine which minima are
   found). Against a mesh: the deepest point of each triangle by the Frank-Wolfe method (M. Macklin et al.,
   Local Optimization for Robust Signed Distance Field Collision). */

#include "collision/field.h"
#include "collision/tree.h"

enum { OF_BOTH, COMMON, BETWEEN };
#define OUT_OF_REACH 1e10

/* The frame of a shape's distance function, in world coordinates. */
static inline void frame_of_distance(const Shape *s, Vec *pos, Axes *axes)
{
    *pos = s->pos;
    *axes = s->axes;
    if (s->type != SHAPE_SDF)
        return;
    const struct Field *f = s->field;
    Vec rows[3] = {vec(f->axes.x.x, f->axes.y.x, f->axes.z.x), vec(f->axes.x.y, f->axes.y.y, f->axes.z.y),
                   vec(f->axes.x.z, f->axes.y.z, f->axes.z.z)};
    axes->x = combined(&s->axes, rows[0]);
    axes->y = combined(&s->axes, rows[1]);
    axes->z = combined(&s->axes, rows[2]);
    *pos = sub(s->pos, combined(axes, f->pos));
}

/* Two shapes, and the pose of the first one's distance frame in that of the second. */
typedef struct {
    const Shape *one, *other;
    Vec pos;
    Axes axes;
} Overlap;

/* The objective. OF_BOTH is minimal where both overlap most. COMMON is the distance of the intersection.
   BETWEEN is 0 where both distances are equal; only its gradient is used. */
INLINE real objective(const Overlap *p, int what, Vec x)
{
    Vec y = add(p->pos, combined(&p->axes, x));
    real a = shape_distance(p->one, x), b = shape_distance(p->other, y), most = maximum(a, b);
    return what == COMMON ? most : a + b + fabs(most);
}

/* The objective and its gradient. */
static real slope_of_objective(const Overlap *p, int what, Vec x, Vec *gradient)
{
    Vec y = add(p->pos, combined(&p->axes, x)), slope, other;
    real a = shape_slope(p->one, x, &slope), b = shape_slope(p->other, y, &other), most = maximum(a, b);
    other = components(&p->axes, other);
    Vec larger = a > b ? slope : other;
    if (what == BETWEEN)
        *gradient = unit(sub(unit(slope), unit(other)));
    else
        *gradient = what == COMMON ? larger : along(add(slope, other), most > 0 ? 1 : -1, larger);
    return what == COMMON ? most : a + b + fabs(most);
}

static inline int is_in_reach(real x) { return x >= -OUT_OF_REACH && x <= OUT_OF_REACH; }

/* Gradient descent from x with backtracking: a step must gain at least a tenth of the decrease predicted by
   the slope. */
static real descend(const Overlap *p, int what, int rounds, Vec *x)
{
    real far = OUT_OF_REACH;
    for (int round = 0; round < rounds; round++) {
        Vec slope, from = *x;
        real here = slope_of_objective(p, what, from, &slope), stride = 2, gain = -.1 * stride * dot(slope, slope);
        if (!(is_in_reach(slope.x) && is_in_reach(slope.y) && is_in_reach(slope.z)))
            return OUT_OF_REACH;
        do {
            stride *= .5;
            gain *= .5;
            *x = along(from, -stride, slope);
            far = objective(p, what, *x);
        } while (stride > 1e-4 && far - here > gain);
        if (here < far)
            break;
    }
    return far;
}

static real halton(int index, int base)
{
    real share = 1. / base, found = 0;
    for (; index > 0; index /= base) {
        found += share * (index % base);
        share /= base;
    }
    return found;
}

/* The bounding box of a shape in the frame of another one. */
static void box_in(const Shape *s, const Shape *frame, Vec *low, Vec *high)
{
    const struct Field *f = s->field;
    Axes axes = {components(&frame->axes, s->axes.x), components(&frame->axes, s->axes.y),
                 components(&frame->axes, s->axes.z)};
    Vec pos = components(&frame->axes, sub(s->pos, frame->pos));
    *low = vec(OUT_OF_REACH, OUT_OF_REACH, OUT_OF_REACH);
    *high = negated(*low);
    for (int i = 0; i < 8; i++) {
        Vec corner = vec(f->middle.x + (i & 1 ? f->half.x : -f->half.x),
                         f->middle.y + (i & 2 ? f->half.y : -f->half.y),
                         f->middle.z + (i & 4 ? f->half.z : -f->half.z));
        corner = add(pos, combined(&axes, corner));
        *low = vec(minimum(low->x, corner.x), minimum(low->y, corner.y), minimum(low->z, corner.z));
        *high = vec(maximum(high->x, corner.x), maximum(high->y, corner.y), maximum(high->z, corner.z));
    }
}

/* A contact at the point x of a frame, with the normal along -slope there. */
static int add_touch(Vec pos, const Axes *axes, Vec x, real dist, Vec slope, Vec *known, int n, Touch *out)
{
    known[n] = x;
    Vec normal = unit(combined(axes, negated(slope)));
    out[n] = touch(dist, along(add(pos, combined(axes, x)), -dist / 2, normal), normal);
    return n + 1;
}

static inline int is_known(const Vec *known, int n, Vec x)
{
    for (int i = 0; i < n; i++)
        if (distance(known[i], x) < TINY)
            return 1;
    return 0;
}

/* A primitive or a field against a field; the margin is not used. */
static int any_sdf(const Shape *a, const Shape *b, real margin, Touch *out)
{
    (void)margin;
    Vec low, high, low_b, high_b, pos_a, pos_b, known[MAX_TOUCHES];
    Axes axes_a, axes_b;
    box_in(a, a, &low, &high);
    box_in(b, a, &low_b, &high_b);
    low = vec(maximum(low.x, low_b.x), maximum(low.y, low_b.y), maximum(low.z, low_b.z));
    high = vec(minimum(high.x, high_b.x), minimum(high.y, high_b.y), minimum(high.z, high_b.z));
    if (!(low.x <= high.x && low.y <= high.y && low.z <= high.z))
        return 0;
    frame_of_distance(a, &pos_a, &axes_a);
    frame_of_distance(b, &pos_b, &axes_b);
    Overlap p = {b, a, components(&axes_a, sub(pos_b, pos_a)),
                {components(&axes_a, axes_b.x), components(&axes_a, axes_b.y), components(&axes_a, axes_b.z)}};
    int n = 0;
    for (int i = 0; i < a->search->sdf_points && n < MAX_TOUCHES; i++) {
        Vec start = vec(low.x + (high.x - low.x) * halton(i, 2), low.y + (high.y - low.y) * halton(i, 3),
                        low.z + (high.z - low.z) * halton(i, 5));
        Vec x = components(&axes_b, sub(add(a->pos, combined(&a->axes, start)), pos_b)), slope;
        descend(&p, OF_BOTH, a->search->sdf_iterations, &x);
        real dist = descend(&p, COMMON, 1, &x); /* > 0: inexact distances without overlap */
        if (!(dist <= 0) || is_known(known, n, x))
            continue;
        slope_of_objective(&p, BETWEEN, x, &slope);
        n = add_touch(pos_b, &axes_b, x, dist, slope, known, n, out);
    }
    return n;
}

/* --- meshes --- */

/* Whether the bounding sphere of a box may reach the shape. */
static inline int ball_reaches(const Shape *s, const Overlap *p, Vec low, Vec high)
{
    Vec middle = scaled(.5, add(low, high)), half = scaled(.5, sub(high, low));
    return shape_distance(s, add(p->pos, combined(&p->axes, middle))) < norm(half);
}

/* Whether a triangle may reach the shape. With exact distances: not if the distance of its centroid exceeds
   those of its corners from the centroid. Otherwise: whether the shape reaches the sphere that passes through
   its corners and through the point a tenth of that distance away from the centroid along the normal. */
static int triangle_reaches(const Shape *s, const Vec *corner)
{
    Vec fourth = scaled(1. / 3, add(add(corner[0], corner[1]), corner[2]));
    const real far = shape_distance(s, fourth);
    if (s->type == SHAPE_SDF && is_exact(s->field) && far > 0) {
        real square = 0;
        for (int i = 0; i < 3; i++) {
            Vec arm = sub(corner[i], fourth);
            square = maximum(square, dot(arm, arm));
        }
        if (far * far > square * (1 + 1e-9))
            return 0;
    }
    Vec normal = unit(cross(sub(corner[1], corner[0]), sub(corner[2], corner[0])));
    fourth = along(fourth, far / 10, normal);
    Vec v[3] = {sub(corner[0], fourth), sub(corner[1], fourth), sub(corner[2], fourth)};
    Vec across[3] = {cross(v[1], v[2]), cross(v[2], v[0]), cross(v[0], v[1])};
    Vec centre = scaled(dot(v[0], v[0]), across[0]);
    centre = along(along(centre, dot(v[1], v[1]), across[1]), dot(v[2], v[2]), across[2]);
    centre = scaled(1 / (2 * dot(v[0], across[0])), centre);
    real radius = norm(centre);
    return shape_distance(s, add(fourth, centre)) < radius;
}

/* The deepest point of a triangle. Each iteration moves a fraction of the way to the corner that is deepest
   along the gradient. */
static Vec deepest_of_triangle(const Shape *s, const Vec *corner, int rounds)
{
    const int torus = s->field->kind == DISTANCE_TORUS; /* its gradient is cheaper than a call */
    const real *size = s->field->size;
    Vec x = scaled(1. / 3, add(add(corner[0], corner[1]), corner[2])), slope;
    for (int round = 0; round < rounds; round++) {
        if (torus)
            slope = slope_of_torus(size, x);
        else
            field_slope(s->field, x, &slope);
        real level[3] = {dot(corner[0], slope), dot(corner[1], slope), dot(corner[2], slope)};
        Vec best = corner[0];
        if (level[1] < level[0]) {
            best = corner[1];
            level[0] = level[1];
        }
        if (level[2] < level[0])
            best = corner[2];
        x = along(x, 2. / (round + 2), sub(best, x));
    }
    return x;
}

/* The deepest points of a mesh's triangles in a field, deepest first, at most MAX_TOUCHES. */
static int mesh_sdf(const Shape *a, const Shape *b, real margin, Touch *out)
{
    (void)margin;
    const struct Tree *tree = a->tree;
    Vec pos, found[MAX_TOUCHES], known[MAX_TOUCHES], slope;
    Axes axes;
    real depth[MAX_TOUCHES];
    int count = 0, n = 0;
    frame_of_distance(b, &pos, &axes);
    Overlap p = {0, 0, components(&axes, sub(a->pos, pos)),
                {components(&axes, a->axes.x), components(&axes, a->axes.y), components(&axes, a->axes.z)}};
    Walk walk;
    if (!tree->count)
        return 0;
    for (start_walk(&walk); walk.depth > 0;) {
        int node = walk.node[--walk.depth], level = walk.level[walk.depth], first, end;
        const real *box = tree->box + 6 * node;
        if (!ball_reaches(b, &p, vec(box[0], box[1], box[2]), vec(box[3], box[4], box[5])))
            continue;
        if (level < tree->levels) {
            enter(&walk, 2 * node + 1, level + 1);
            enter(&walk, 2 * node + 2, level + 1);
            continue;
        }
        for (triangles_of(tree, node, &first, &end); first < end; first++) {
            Vec corner[3];
            triangle_at(tree, first, corner);
            for (int i = 0; i < 3; i++)
                corner[i] = add(p.pos, combined(&p.axes, corner[i]));
            if (!triangle_reaches(b, corner))
                continue;
            Vec x = deepest_of_triangle(b, corner, a->search->sdf_iterations);
            real dist = shape_distance(b, x);
            if (!(dist < 0) || (count == MAX_TOUCHES && !(dist < depth[count - 1])))
                continue;
            int place = count < MAX_TOUCHES ? count++ : count - 1;
            for (; place > 0 && dist < depth[place - 1]; place--) {
                depth[place] = depth[place - 1];
                found[place] = found[place - 1];
            }
            depth[place] = dist;
            found[place] = x;
        }
    }
    for (int i = 0; i < count; i++)
        if (!is_known(known, n, found[i])) {
            shape_slope(b, found[i], &slope);
            n = add_touch(pos, &axes, found[i], depth[i], slope, known, n, out);
        }
    return n;
}

#endif
