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

/* Contacts with all prisms under the shape, inflated by `radius`; at most MAX_TOUCHES. `local` is the shape in the frame of the height
   field. As in MuJoCo 3.2.7, the surface is raised by the margin, the shape is inflated by half of it, and the distance is minus the
   resulting depth; as in 4.0, both are inflated by half of it, and the distance does not depend on it. */
static int hfield_local(const Shape *a, const Shape *b, const Shape *local, real radius, real margin, Touch *out)
{
    const Grid *grid = a->grid;
    const real *size = grid->size;
    const int newest = a->search->newest;
    const real raised = newest ? 0 : margin;
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
    if (newest) {
        west -= margin;
        east += margin;
        south -= margin;
        north += margin;
        lowest -= margin;
    }
    int column, last_column, row, last_row, n = 0;
    cells(west, east, size[0], grid->columns, &column, &last_column);
    cells(south, north, size[1], grid->rows, &row, &last_row);
    real dx = 2 * size[0] / (grid->columns - 1), dy = 2 * size[1] / (grid->rows - 1);
    for (; row < last_row; row++) {
        Vec prism[6] = {{0, 0, 0}};
        Convex block = {a, {0, 0, 0}, newest ? margin / 2 : 0, prism, 0, 0, 0};
        int corners = 0;
        for (int k = 2 * column; k <= 2 * last_column + 1;
             k++) { /* alternates between the two rows of the grid: three consecutive points form a
                       triangle */
            int r = row + (k % 2 == 0), c = k / 2;
            for (int i = 0; i < 2; i++) {
                prism[i] = prism[i + 1];
                prism[i + 3] = prism[i + 4];
            }
            real height = grid->height[r * grid->columns + c] * size[2] + raised;
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
                if (newest)
                    out[n].dist += margin;
                if (!is_ccd(a->search))
                    correct_normal(a, b, out + n);
                if (++n == MAX_TOUCHES)
                    return n;
            }
        }
    }
    return n;
}

static int hfield_convex(const Shape *a, const Shape *b, real margin, Touch *out)
{
    Shape local = *b;
    Axes axes = {components(&a->axes, b->axes.x), components(&a->axes, b->axes.y), components(&a->axes, b->axes.z)};
    local.axes = axes;
    local.pos = local_point(a, b->pos);
    return hfield_local(a, b, &local, 0, margin, out);
}

#endif
