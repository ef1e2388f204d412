#ifndef POLYBODY_SUPPORT_H
#define POLYBODY_SUPPORT_H

/* The farthest points of convex shapes in a direction. If several points are equally far, the result is their middle; for a mesh it
   is the vertex at which a climb from the vertex found last ends. This choice determines the positions of contacts between parallel
   faces, so it is MuJoCo's. Operations have MuJoCo's order wherever rounding decides whether points are equally far. */

#include <float.h>
#include <stdint.h>
#include "collision/cells.h"
#include "collision/lanes.h"

/* A convex shape, inflated, as the searches use it. */
typedef struct {
    const Shape *shape;
    Vec centre;
    real inflation;
    const Vec *prism; /* of a column of a height field: three corners of its base, then three of its top */
    const real *last; /* for a hull: the address in `near` of the vertex found last; 0: it is `vertex` */
    int vertex;       /* its index in the graph */
    int remembered;   /* how often a farthest vertex depended on the vertex found last */
} Convex;

/* The sign of a component, without a branch on the sign, which processors could not predict. */
static inline real sign(real x) { return x != 0 ? copysign(1, x) : 0; }

static inline Vec vertex_of(const Hull *h, int i)
{
    return vec(h->vert[3 * i], h->vert[3 * i + 1], h->vert[3 * i + 2]);
}

/* Parts of a hull's graph. */
static inline const int *hull_starts(const Hull *h) { return h->graph + 2; }
static inline const int *hull_neighbours(const Hull *h) { return h->graph + 2 + 2 * h->graph[0]; }

/* Climbs from vertex to vertex of the hull, each time to the farthest neighbour; returns the index of the last one. */
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

/* As of MuJoCo 4.0 fewer vertices of a mesh are all compared. */
enum { FEW_VERTICES = 10 };

static const int ONE_BLOCK[2] = {0, 1};

/* Two numbers, and the result of comparing them. All supported machines have registers of this size. */
typedef real Two __attribute__((vector_size(2 * sizeof(real)), aligned(sizeof(real)), may_alias));
typedef int64_t Bits2 __attribute__((vector_size(2 * sizeof(int64_t))));

/* A bit for each of two numbers for which a comparison holds. */
static inline unsigned bits_of(Bits2 holds)
{
#ifdef __SSE2__
    return (unsigned)__builtin_ia32_movmskpd((__attribute__((vector_size(16))) double)holds);
#else
    return (unsigned)((holds[0] & 1) | (holds[1] & 2));
#endif
}

/* The first place in a block whose vertex is farthest, or nearer by less than the slack. `most` becomes the distance of the farthest one;
   a bit of `tied` is set if there are several. */
INLINE int farthest_of_block(const real *block, Vec direction, real slack, real *most, unsigned *tied)
{
    const Two *x = (const Two *)block, *y = x + 4, *z = x + 8;
    const Two a = direction.x * x[0] + direction.y * y[0] + direction.z * z[0];
    const Two b = direction.x * x[1] + direction.y * y[1] + direction.z * z[1];
    const Two c = direction.x * x[2] + direction.y * y[2] + direction.z * z[2];
    const Two d = direction.x * x[3] + direction.y * y[3] + direction.z * z[3];
    const real top = maximum(maximum(maximum(a[0], a[1]), maximum(b[0], b[1])),
                              maximum(maximum(c[0], c[1]), maximum(d[0], d[1])));
    const Two level = {top - slack, top - slack};
    const unsigned places =
        bits_of(a >= level) + 4 * bits_of(b >= level) + 16 * (bits_of(c >= level) + 4 * bits_of(d >= level));
    *most = top;
    *tied |= places & (places - 1);
    return __builtin_ctz(places | 1u << (CELL_BLOCK - 1)); /* the last place if the distances are NaN */
}

/* The first place in several blocks of vertices (cells.h) whose vertex is farthest, or nearer by less than the slack. */
INLINE const real *farthest_of_blocks(const real *block, int count, Vec direction, real slack, real *most, unsigned *tied)
{
    real next;
    const real *found = block + farthest_of_block(block, direction, slack, most, tied);
    while (--count > 0) {
        block += 3 * CELL_BLOCK;
        const int place = farthest_of_block(block, direction, slack, &next, tied);
        *tied |= fabs(next - *most) <= slack;
        found = next > *most ? block + place : found;
        *most = next > *most ? next : *most;
    }
    return found;
}

/* The farthest of the vertices that have the same places in their blocks. */
typedef struct {
    vreal most, second; /* the greatest distances, and the greatest of the others */
    vmask block;
} Leaders;

/* Compares them with the vertices of the next block, if there are several. */
INLINE void follow(Leaders *l, vreal far, int block)
{
    const vmask ahead = far > l->most;
    const vreal less = vselect(ahead, l->most, far);
    l->most = vselect(ahead, far, l->most);
    l->second = vselect(less > l->second, less, l->second);
    l->block = (ahead & block) | (~ahead & l->block);
}

/* As farthest_of_blocks, by registers of LANES numbers. */
INLINE const real *farthest_by_lanes(const real *block, int count, Vec direction, real slack, real *most, unsigned *tied)
{
    enum { PARTS = CELL_BLOCK / LANES };
    typedef real Row __attribute__((vector_size(LANES * sizeof(real)), aligned(sizeof(real)), may_alias));
    const Row *v = (const Row *)block;
    Leaders l[PARTS];
#define FAR(part) (direction.x * v[part] + direction.y * v[PARTS + (part)] + direction.z * v[2 * PARTS + (part)])
    for (int part = 0; part < PARTS; part++) {
        const Leaders own = {FAR(part), (vreal){0} - INFINITY, {0}};
        l[part] = own;
    }
    for (int i = 1; i < count; i++) {
        v += 3 * PARTS;
        for (int part = 0; part < PARTS; part++)
            follow(l + part, FAR(part), i);
    }
#undef FAR
    const vreal all = PARTS == 1 ? l->most : vselect(l[0].most > l[PARTS - 1].most, l[0].most, l[PARTS - 1].most);
    const vreal level = (vreal){0} + ((*most = greatest_lane(all)) - slack);
    unsigned places = 0, others = 0;
    for (int part = 0; part < PARTS; part++) {
        places |= lane_bits(l[part].most >= level) << part * LANES;
        others |= lane_bits(l[part].second >= level);
    }
    *tied |= (places & (places - 1)) | others;
    const int place = __builtin_ctz(places | 1u << (CELL_BLOCK - 1)); /* the last place if the distances are NaN */
    return block + place + 3 * CELL_BLOCK * l[place / LANES].block[place % LANES];
}

/* Whether all vertices of a cluster are nearer than `level` along a direction, whatever the rounding. */
static inline int is_cluster_below(const Hull *h, int first, Vec direction, real level)
{
    if (!h->cluster)
        return 0;
    const Vec *box = h->cluster + first / CLUSTER * 2, half = box[1];
    const real middle = dot(direction, box[0]),
               reach = fabs(direction.x) * half.x + fabs(direction.y) * half.y + fabs(direction.z) * half.z;
    return middle + reach + 1e-12 * (fabs(middle) + reach) < level;
}

/* The index of the first of the farthest vertices. */
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

static inline Vec corner_at(const real *place) { return vec(place[0], place[CELL_BLOCK], place[2 * CELL_BLOCK]); }

/* The same for a hull of one block; all distances are computed first. */
static int climb_in_block(const Hull *h, Vec direction, int best)
{
    const int *starts = hull_starts(h), *neighbours = hull_neighbours(h);
    real far[CELL_BLOCK];
    int from;
    for (int i = 0; i < CELL_BLOCK; i++)
        far[i] = direction.x * h->near[i] + direction.y * h->near[i + CELL_BLOCK] + direction.z * h->near[i + 2 * CELL_BLOCK];
    do {
        from = best;
        for (const int *next = neighbours + starts[from]; *next >= 0; next++)
            best = far[*next] > far[best] ? *next : best;
    } while (best != from);
    return best;
}

/* The vertex of the graph that is extreme in the cell of a direction. */
static inline int seed_of(const Hull *h, Vec d)
{
#define THIRD(x) (((x) > .4) - ((x) < -.4) + 1)
    return h->seeds[9 * THIRD(d.x) + 3 * THIRD(d.y) + THIRD(d.z)];
#undef THIRD
}

/* The vertex at which a climb from the vertex found last ends; the latter itself if no vertex is farther. `far` is the distance of the
   farthest vertex. */
static NEVER_INLINE Vec climb_on(Convex *c, Vec direction, real far)
{
    const Hull *h = c->shape->hull;
    c->remembered++;
    if (h->count < FEW_VERTICES && c->shape->search->newest)
        return vertex_of(h, farthest_vertex(h, direction));
    const Vec last = c->last ? corner_at(c->last) : h->corner[c->vertex];
    if (dot(direction, last) >= far)
        return last;
    if (c->last) {
        const long place = (long)(c->last - h->near);
        c->vertex = h->number[place / (3 * CELL_BLOCK) * CELL_BLOCK + place % (3 * CELL_BLOCK)];
    }
    c->last = 0;
    c->vertex = h->near && !h->cell ? climb_in_block(h, direction, c->vertex) : climb(h, direction, c->vertex);
    return h->corner[c->vertex];
}

/* The farthest vertex of a hull that has blocks, of those from block `begin` to `end`; `lanes`: whether by registers of LANES
   numbers. */
INLINE Vec farthest_between(Convex *c, const Hull *h, Vec direction, int begin, int end, int lanes)
{
    unsigned tied = 0;
    real far;
    const real *found =
        (lanes ? farthest_by_lanes : farthest_of_blocks)(h->near + 3 * CELL_BLOCK * begin, end - begin, direction, h->slack, &far, &tied);
    if (RARELY(tied))
        return climb_on(c, direction, far);
    c->last = found;
    return corner_at(found);
}

INLINE Vec farthest_of_hull(Convex *c, Vec direction)
{
    const Hull *h = c->shape->hull;
    if (h->near) {
        const int *cell = h->cell ? h->cell + 2 * cell_of_direction(direction) : ONE_BLOCK;
        return farthest_between(c, h, direction, cell[0], cell[1], 0);
    }
    return h->graph ? climb_on(c, direction, INFINITY) : vertex_of(h, farthest_vertex(h, direction));
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
INLINE Vec local_support(Convex *c, Vec d)
{
    const Shape *s = c->shape;
    const real *size = s->size;
    Vec by_size;
    real across, length;
    switch (s->type) {
    case SHAPE_SPHERE:
        return scaled(size[0], d);
    case SHAPE_CAPSULE:
        return vec(size[0] * d.x, size[0] * d.y, size[0] * d.z + size[1] * sign(d.z));
    case SHAPE_ELLIPSOID:
        by_size = vec(size[0] * d.x, size[1] * d.y, size[2] * d.z);
        length = norm(by_size);
        by_size = length < TINY ? vec(1, 0, 0) : scaled(1 / length, by_size);
        return vec(size[0] * by_size.x, size[1] * by_size.y, size[2] * by_size.z);
    case SHAPE_CYLINDER:
        across = sqrt(d.x * d.x + d.y * d.y);
        if (!(across > TINY))
            return vec(0, 0, size[1] * sign(d.z));
        return vec(d.x / across * size[0], d.y / across * size[0], size[1] * sign(d.z));
    case SHAPE_BOX:
        return vec(size[0] * sign(d.x), size[1] * sign(d.y), size[2] * sign(d.z));
    default:
        return farthest_of_hull(c, d);
    }
}

static inline Vec support_of_prism(const Vec *corners, Vec direction)
{
    return farthest_corner(corners + (direction.z < 0 ? 0 : 3), 3, direction);
}

INLINE Vec support(Convex *c, Vec direction)
{
    if (c->prism)
        return along(support_of_prism(c->prism, direction), c->inflation, direction);
    if (c->shape->type == SIMPLEX)
        return along(farthest_corner(c->shape->corner, c->shape->corners, direction), c->inflation, direction);
    Vec local = components(&c->shape->axes, direction), far = local_support(c, local);
    if (c->inflation != 0)
        far = along(far, c->inflation, local);
    return add(c->shape->pos, combined(&c->shape->axes, far));
}

static inline Convex convex(const Shape *s, real inflation)
{
    Convex c = {s, s->pos, inflation, 0, 0, 0, 0};
    return c;
}

/* Makes a search start from the vertex that another search of the same hull found last. */
static inline void continue_from(Convex *c, const Convex *other)
{
    c->last = other->last;
    c->vertex = other->vertex;
}

#endif
