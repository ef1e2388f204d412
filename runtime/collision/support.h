#ifndef POLYBODY_SUPPORT_H
#define POLYBODY_SUPPORT_H

/* The farthest points of convex shapes in a direction. Where several are, that in their middle, but of a mesh
   and of an upright cylinder any. */

#include <float.h>
#include <stdint.h>
#include "cells.h"

/* A convex shape as it is searched: inflated. */
typedef struct {
    const Shape *shape;
    Vec centre;
    real inflation;
    const Vec *prism; /* of a column of a height field: three corners of its base, then three of its top */
} Convex;

/* Which of two signs a direction has cannot be foreseen, that it is 0 can. */
static inline real sign(real x) { return x != 0 ? copysign(1, x) : 0; }

static inline Vec vertex_of(const Hull *h, int i)
{
    return vec(h->vert[3 * i], h->vert[3 * i + 1], h->vert[3 * i + 2]);
}

/* Parts of a hull's graph. */
static inline const int *hull_starts(const Hull *h) { return h->graph + 2; }
static inline const int *hull_neighbours(const Hull *h) { return h->graph + 2 + 2 * h->graph[0]; }

/* Climbs from vertex to vertex of the hull, each time to the farthest neighbour: the number of the last. */
static int climb(const Hull *h, Vec direction, int best)
{
    const int *starts = hull_starts(h), *neighbours = hull_neighbours(h);
    const Vec *corner = h->corner;
    int from;
    real most = dot(direction, corner[best]);
    do {
        from = best;
        for (const int *next = neighbours + starts[from]; *next >= 0; next++) {
            const real far = dot(direction, corner[*next]);
            best = far > most ? *next : best;
            most = far > most ? far : most;
        }
    } while (best != from);
    return best;
}

/* Two numbers, and what a comparison of them gives: registers that every machine has. */
typedef real Two __attribute__((vector_size(2 * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef int64_t Bits2 __attribute__((vector_size(2 * sizeof(int64_t))));

/* The first place in a block of a farthest vertex, and how far that is. */
ALWAYS_INLINE int farthest_of_block(const real *block, Vec direction, real *most)
{
    const Two *x = (const Two *)block, *y = x + 4, *z = x + 8;
    const Two a = direction.x * x[0] + direction.y * y[0] + direction.z * z[0];
    const Two b = direction.x * x[1] + direction.y * y[1] + direction.z * z[1];
    const Two c = direction.x * x[2] + direction.y * y[2] + direction.z * z[2];
    const Two d = direction.x * x[3] + direction.y * y[3] + direction.z * z[3];
    const real top = greatest(greatest(greatest(a[0], a[1]), greatest(b[0], b[1])),
                              greatest(greatest(c[0], c[1]), greatest(d[0], d[1])));
    const Two all = {top, top};
    const Bits2 found = ((a == all) & (Bits2){1, 2}) | ((b == all) & (Bits2){4, 8}) | ((c == all) & (Bits2){16, 32}) |
                        ((d == all) & (Bits2){64, 0});
    *most = top;
    return __builtin_ctz((unsigned)(found[0] | found[1]) | 1u << (CELL_BLOCK - 1)); /* the last one of numbers that are none */
}

/* Of some blocks of vertices (cells.h) the first that is farthest. */
ALWAYS_INLINE Vec farthest_of_blocks(const real *block, int count, Vec direction)
{
    real most, next;
    const real *found = block + farthest_of_block(block, direction, &most);
    while (--count > 0) {
        block += 3 * CELL_BLOCK;
        const int place = farthest_of_block(block, direction, &next);
        found = next > most ? block + place : found;
        most = next > most ? next : most;
    }
    return vec(found[0], found[CELL_BLOCK], found[2 * CELL_BLOCK]);
}

/* Whether no vertex of a cluster is farther than `level` along a direction, rounding included. */
static inline int is_cluster_below(const Hull *h, int first, Vec direction, real level)
{
    if (!h->cluster)
        return 0;
    const Vec *box = h->cluster + first / CLUSTER * 2, half = box[1];
    const real middle = dot(direction, box[0]),
               reach = fabs(direction.x) * half.x + fabs(direction.y) * half.y + fabs(direction.z) * half.z;
    return middle + reach + 1e-12 * (fabs(middle) + reach) < level;
}

/* The number of the first that is farthest of all vertices. */
static int farthest_vertex(const Hull *h, Vec direction)
{
    real most = -INFINITY;
    int best = 0;
    for (int first = 0; first < h->count; first += CLUSTER) {
        if (is_cluster_below(h, first, direction, most))
            continue;
        const int end = h->count - first < CLUSTER ? h->count : first + CLUSTER;
        for (int i = first; i < end; i++) {
            const real far = dot(direction, vertex_of(h, i));
            best = far > most ? i : best;
            most = far > most ? far : most;
        }
    }
    return best;
}

ALWAYS_INLINE Vec farthest_of_hull(const Hull *h, Vec direction)
{
    if (h->cell) {
        const int *cell = h->cell + 2 * cell_of_direction(direction);
        return farthest_of_blocks(h->near + 3 * CELL_BLOCK * cell[0], cell[1] - cell[0], direction);
    }
    if (h->near)
        return farthest_of_blocks(h->near, 1, direction);
    return h->graph ? h->corner[climb(h, direction, 0)] : vertex_of(h, farthest_vertex(h, direction));
}

static inline Vec farthest_corner(const Vec *corner, int count, Vec direction)
{
    int best = 0;
    real most = dot(corner[0], direction);
    for (int i = 1; i < count; i++) {
        const real far = dot(corner[i], direction);
        best = far > most ? i : best;
        most = far > most ? far : most;
    }
    return corner[best];
}

/* In the frame of the shape; the direction is a unit vector. */
ALWAYS_INLINE Vec local_support(const Shape *s, Vec d)
{
    const real *size = s->size;
    Vec by_size;
    real across, length;
    switch (s->type) {
    case SPHERE:
        return scaled(size[0], d);
    case CAPSULE:
        return vec(size[0] * d.x, size[0] * d.y, size[0] * d.z + size[1] * sign(d.z));
    case ELLIPSOID:
        by_size = vec(size[0] * d.x, size[1] * d.y, size[2] * d.z);
        length = norm(by_size);
        by_size = length < TINY ? vec(1, 0, 0) : scaled(1 / length, by_size);
        return vec(size[0] * by_size.x, size[1] * by_size.y, size[2] * by_size.z);
    case CYLINDER:
        across = sqrt(d.x * d.x + d.y * d.y);
        length = across > TINY ? size[0] / across : 0;
        return vec(length * d.x, length * d.y, size[1] * sign(d.z));
    case BOX:
        return vec(size[0] * sign(d.x), size[1] * sign(d.y), size[2] * sign(d.z));
    case SIMPLEX:
        return farthest_corner(s->corner, s->corners, d);
    default:
        return farthest_of_hull(s->hull, d);
    }
}

/* Whether the axes are those of the world. */
static inline int is_upright(const Axes *m) { return m->x.x == 1 && m->y.y == 1 && m->z.z == 1; }

static inline Vec support_of_prism(const Vec *corners, Vec direction)
{
    return farthest_corner(corners + (direction.z < 0 ? 0 : 3), 3, direction);
}

ALWAYS_INLINE Vec support(Convex *c, Vec direction)
{
    if (c->prism)
        return support_of_prism(c->prism, direction);
    if (c->shape->type == SIMPLEX && is_upright(&c->shape->axes))
        return along(add(c->shape->pos, farthest_corner(c->shape->corner, c->shape->corners, direction)), c->inflation,
                     direction);
    Vec local = components(&c->shape->axes, direction), far = local_support(c->shape, local);
    return add(c->shape->pos, combined(&c->shape->axes, along(far, c->inflation, local)));
}

static inline Convex convex(const Shape *s, real inflation)
{
    Convex c = {s, s->pos, inflation, 0};
    return c;
}

#endif
