#ifndef POLYBODY_CELLS_H
#define POLYBODY_CELLS_H

/* The vertices of a convex hull that can be the farthest in the directions of a cell.

   Directions are in cells as a cube around the origin has them, CELL_SIDE times CELL_SIDE on each face. Each cell has the vertices that may be
   farthest in one of its directions, in the order of the hull, by blocks of CELL_BLOCK: their x, then their y, then their z, and up
   to the end of the block the mean of all vertices, which is never farthest. A hull of one block needs no cells. */

#include "collision/shape.h"

enum { CELL_SIDE = 4, CELLS = 6 * CELL_SIDE * CELL_SIDE, CELL_BLOCK = 8 };

/* The cell of a direction, from its largest component and the quarters of the ranges of the others. These are
   unpredictable, so the code has no branches. */
static inline int cell_of_direction(Vec d)
{
    const real part[5] = {d.x, d.y, d.z, d.x, d.y};
    const real x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    const int last = z > maximum(x, y), axis = last << 1 | (!last & (y > x));
    const real most = part[axis], half = fabs(most) / 2, u = part[axis + 1], v = part[axis + 2];
    const int row = (u > -half) + (u > 0) + (u > half), column = (v > -half) + (v > 0) + (v > half);
    return CELL_SIDE * (CELL_SIDE * (2 * axis + (most < 0)) + row) + column;
}

/* A direction of a cell; (row, column) run from one corner (0, 0) to the opposite corner (1, 1). */
static Vec direction_in_cell(int cell, real row, real column)
{
    const int face = cell / (CELL_SIDE * CELL_SIDE);
    const real most = face % 2 ? -1 : 1;
    const real u = 2 * (cell / CELL_SIDE % CELL_SIDE + row) / CELL_SIDE - 1, v = 2 * (cell % CELL_SIDE + column) / CELL_SIDE - 1;
    return face < 2 ? vec(most, u, v) : face < 4 ? vec(v, most, u) : vec(u, v, most);
}

static Vec farthest_of_all(const Vec *corner, int n, Vec direction)
{
    int best = 0;
    for (int i = 1; i < n; i++)
        best = dot(direction, corner[i]) > dot(direction, corner[best]) ? i : best;
    return corner[best];
}

/* Fills a block from its place `count` on with a point. */
static inline void fill_block(real *block, int *number, int count, Vec point)
{
    for (; count < CELL_BLOCK; count++) {
        block[count] = point.x, block[count + CELL_BLOCK] = point.y, block[count + 2 * CELL_BLOCK] = point.z;
        number[count] = 0;
    }
}

/* Whether in the directions of the four corners of a cell, and so in all directions between, one of some points is clearly farther
   than another point. */
static int is_beaten(Vec point, const Vec *winner, const Vec *direction, real slack)
{
    for (int p = 0; p < 5; p++) {
        const Vec ahead = sub(winner[p], point);
        int beaten = 1;
        for (int q = 1; q < 5; q++)
            beaten &= dot(direction[q], ahead) > slack;
        if (beaten)
            return 1;
    }
    return 0;
}

/* Write the blocks of all cells of a hull to `near`, the numbers of the vertices in them to `number`, and of each cell its first block and
   the one after its last to `cell`; how many blocks there are, at most CELLS times those of the whole hull. */
static inline int find_cells(const Vec *corner, int n, int *cell, real *near, int *number)
{
    static const real place[5][2] = {{.5, .5}, {0, 0}, {0, 1}, {1, 0}, {1, 1}};
    int blocks = 0;
    real size = 0;
    Vec mean = vec(0, 0, 0);
    for (int i = 0; i < n; i++) {
        size = maximum(size, norm(corner[i]));
        mean = along(mean, 1. / n, corner[i]);
    }
    for (int k = 0; k < CELLS; k++) {
        Vec direction[5], winner[5];
        for (int p = 0; p < 5; p++) {
            direction[p] = direction_in_cell(k, place[p][0], place[p][1]);
            winner[p] = farthest_of_all(corner, n, direction[p]);
        }
        cell[2 * k] = blocks;
        int count = 0;
        for (int i = 0; i < n; i++) {
            if (is_beaten(corner[i], winner, direction, 1e-12 * size))
                continue;
            real *to = near + 3 * CELL_BLOCK * blocks + count;
            to[0] = corner[i].x, to[CELL_BLOCK] = corner[i].y, to[2 * CELL_BLOCK] = corner[i].z;
            number[CELL_BLOCK * blocks + count] = i;
            count = (count + 1) % CELL_BLOCK;
            blocks += count == 0;
        }
        if (count)
            fill_block(near + 3 * CELL_BLOCK * blocks, number + CELL_BLOCK * blocks, count, mean), blocks++;
        cell[2 * k + 1] = blocks;
    }
    return blocks;
}

#endif
