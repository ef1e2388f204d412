#ifndef POLYBODY_HFIELD_H
#define POLYBODY_HFIELD_H

/* A convex shape against a height field: each triangle of the surface is the top of a prism that extends down
 * to the base. */

#include "collision/convex.h"

/* The range of cells of a grid line, from -half to half in n - 1 steps, that covers low to high. */
static inline void cells(real low, real high, real half, int n, int *first, int *end)
{
    real from = floor((low + half) / (2 * half) * (n - 1)), to = ceil((high + half) / (2 * half) * (n - 1));
    *first = from > 0 ? (int)minimum(from, n) : 0;
    *end = to < n - 1 ? (int)maximum(to, 0) : n - 1;
}

/* How shapes within the margin touch: by how much the surface is raised, prisms are inflated and ranges of prisms grow, how much less deep
   contacts are than the overlap, and whether normals of round shapes are corrected even if the search is exact. */
typedef struct {
    real margin, raised, inflated, grown, less;
    int corrected;
} FieldMargin;

/* Contacts with all prisms under the shape, inflated by `radius`; at most MAX_TOUCHES. `local` is the shape in the frame of the height
   field. The shape is inflated by half of the margin. */
static int hfield_local(const Shape *a, const Shape *b, const Shape *local, real radius, const FieldMargin *m, Touch *out)
{
    const real margin = m->margin;
    const Grid *grid = a->grid;
    const real *size = grid->size;
    if (grid->rows < 2 || grid->columns < 2)
        return 0;
    Convex shape = convex(local, 0);
    real east = support(&shape, vec(1, 0, 0)).x, west = support(&shape, vec(-1, 0, 0)).x;
    real north = support(&shape, vec(0, 1, 0)).y, south = support(&shape, vec(0, -1, 0)).y;
    real highest = support(&shape, vec(0, 0, 1)).z, lowest = support(&shape, vec(0, 0, -1)).z;
    shape.inflation = margin / 2 + radius;
    if (!(west - margin <= size[0] && east + margin >= -size[0] && south - margin <= size[1] &&
          north + margin >= -size[1] && lowest - margin <= size[2] && highest + margin >= -size[3]))
        return 0;
    int column, last_column, row, last_row, n = 0;
    cells(west - m->grown, east + m->grown, size[0], grid->columns, &column, &last_column);
    cells(south - m->grown, north + m->grown, size[1], grid->rows, &row, &last_row);
    lowest -= m->grown;
    real dx = 2 * size[0] / (grid->columns - 1), dy = 2 * size[1] / (grid->rows - 1);
    for (; row < last_row; row++) {
        Vec prism[6] = {{0, 0, 0}};
        Convex block = {a, {0, 0, 0}, m->inflated, prism, 0, 0, 0};
        int corners = 0;
        for (int k = 2 * column; k <= 2 * last_column + 1;
             k++) { /* alternates between the two rows of the grid: three consecutive points form a
                       triangle */
            int r = row + (k % 2 == 0), c = k / 2;
            for (int i = 0; i < 2; i++) {
                prism[i] = prism[i + 1];
                prism[i + 3] = prism[i + 4];
            }
            real height = grid->height[r * grid->columns + c] * size[2] + m->raised;
            prism[2] = vec(dx * c - size[0], dy * r - size[1], -size[3]);
            prism[5] = vec(prism[2].x, prism[2].y, height);
            if (++corners < 3 || (prism[3].z < lowest && prism[4].z < lowest && prism[5].z < lowest))
                continue;
            block.centre = vec(0, 0, 0);
            for (int i = 0; i < 6; i++)
                block.centre = add(block.centre, prism[i]);
            block.centre = scaled(1. / 6, block.centre);
            if (overlap_of(&block, &shape, a->search, out + n)) {
                out[n].normal = combined(&a->axes, out[n].normal);
                out[n].pos = add(a->pos, combined(&a->axes, out[n].pos));
                out[n].dist += m->less;
                if (m->corrected || !a->search->native)
                    correct_normal(a, b, out + n);
                if (++n == MAX_TOUCHES)
                    return n;
            }
        }
    }
    return n;
}

static inline Shape in_frame_of(const Shape *a, const Shape *b)
{
    Shape local = *b;
    Axes axes = {components(&a->axes, b->axes.x), components(&a->axes, b->axes.y), components(&a->axes, b->axes.z)};
    local.axes = axes;
    local.pos = local_point(a, b->pos);
    return local;
}

/* As in MuJoCo 3.2.7, the surface is raised by the margin, and the distance is minus the resulting depth. */
static inline FieldMargin raised_by(real margin)
{
    FieldMargin m = {margin, margin, 0, 0, 0, 1};
    return m;
}

static int hfield_convex(const Shape *a, const Shape *b, real margin, Touch *out)
{
    const Shape local = in_frame_of(a, b);
    const FieldMargin m = raised_by(margin);
    return hfield_local(a, b, &local, 0, &m, out);
}

/* As of MuJoCo 4.0, both are inflated by half of the margin, and the distance is that of the surfaces. */
static int hfield_convex_v4_0(const Shape *a, const Shape *b, real margin, Touch *out)
{
    const Shape local = in_frame_of(a, b);
    const FieldMargin m = {margin, 0, margin / 2, margin, margin, 0};
    return hfield_local(a, b, &local, 0, &m, out);
}

#endif
