#ifndef POLYBODY_LANES_FACTOR_H
#define POLYBODY_LANES_FACTOR_H

/* H = L^T D L in all lanes, from the last degree of freedom to the first, in tiles of three by three.

   L is stored in `under`, D L in `over`; of a diagonal tile only the entries of L below the diagonal and 1 /
   D are stored, in `diagonal`. Tiles that no lane has are skipped. A lane without a tile has zeros there, so
   its results do not depend on the tiles of other lanes. */

#include "lanes/cost.h"

enum { MAX_TOGETHER = 3 }; /* rows of the mass matrix */

INLINE int tile_at(int k, int j) { return 9 * (k * (k + 1) / 2 + j); }

/* c -= a^T b. */
INLINE void subtract_product(vreal *c, const vreal *a, const vreal *b)
{
    UNROLL(16) for (int r = 0; r < TILE; r++) {
        const vreal b0 = b[TILE * r], b1 = b[TILE * r + 1], b2 = b[TILE * r + 2];
        UNROLL(16) for (int p = 0; p < TILE; p++) {
            const vreal x = a[TILE * r + p];
            c[TILE * p] -= x * b0;
            c[TILE * p + 1] -= x * b1;
            c[TILE * p + 2] -= x * b2;
        }
    }
}

/* Factorises the matrix; x = H^-1 gradient, by positions. */
static __attribute__((noinline)) void factorise_and_solve(LaneWork *w, vreal *x)
{
    const vreal *H = (const vreal *)w->hessian;
    vreal *under = (vreal *)w->under, *over = (vreal *)w->over, *diagonal = (vreal *)w->diagonal, *z = (vreal *)w->z;
    for (int k = w->ntile - 1; k >= 0; k--) {
        const uint64_t above = w->column_mask[k];
        vreal c[9], y0 = x[TILE * k], y1 = x[TILE * k + 1], y2 = x[TILE * k + 2];
        UNROLL(16) for (int e = 0; e < 9; e++)
            c[e] = H[tile_at(k, k) + e];
        for (uint64_t left = above; left; left &= left - 1) {
            const int m = __builtin_ctzll(left);
            const vreal *a = over + tile_at(m, k), *b = under + tile_at(m, k), *from = z + TILE * m;
            UNROLL(16) for (int r = 0; r < TILE; r++) {
                const vreal b0 = b[TILE * r], b1 = b[TILE * r + 1], b2 = b[TILE * r + 2], f = from[r];
                y0 -= b0 * f;
                y1 -= b1 * f;
                y2 -= b2 * f;
                c[0] -= a[TILE * r] * b0;
                c[3] -= a[TILE * r + 1] * b0;
                c[4] -= a[TILE * r + 1] * b1;
                c[6] -= a[TILE * r + 2] * b0;
                c[7] -= a[TILE * r + 2] * b1;
                c[8] -= a[TILE * r + 2] * b2;
            }
        }
        const vreal i2 = 1 / c[8], l20 = c[6] * i2, l21 = c[7] * i2;
        const vreal c10 = c[3] - l21 * c[6], c11 = c[4] - l21 * c[7], c00 = c[0] - l20 * c[6];
        const vreal i1 = 1 / c11, l10 = c10 * i1, i0 = 1 / (c00 - l10 * c10);
        vreal *own = diagonal + 6 * k;
        own[0] = l10;
        own[1] = l20;
        own[2] = l21;
        own[3] = i0;
        own[4] = i1;
        own[5] = i2;
        z[TILE * k + 2] = y2;
        y1 -= l21 * y2;
        z[TILE * k + 1] = y1;
        z[TILE * k] = y0 - l20 * y2 - l10 * y1;
        for (uint64_t before = w->row_mask[k] & (((uint64_t)1 << k) - 1); before; before &= before - 1) {
            const int j = __builtin_ctzll(before);
            UNROLL(16) for (int e = 0; e < 9; e++)
                c[e] = H[tile_at(k, j) + e];
            for (uint64_t left = above & w->column_mask[j]; left; left &= left - 1) {
                const int m = __builtin_ctzll(left);
                subtract_product(c, over + tile_at(m, k), under + tile_at(m, j));
            }
            vreal *o = over + tile_at(k, j), *u = under + tile_at(k, j);
            UNROLL(16) for (int b = 0; b < TILE; b++) {
                const vreal w2 = c[6 + b], w1 = c[3 + b] - l21 * w2, w0 = c[b] - l20 * w2 - l10 * w1;
                o[b] = w0;
                o[3 + b] = w1;
                o[6 + b] = w2;
                u[b] = w0 * i0;
                u[3 + b] = w1 * i1;
                u[6 + b] = w2 * i2;
            }
        }
    }
    for (int k = 0; k < w->ntile; k++) {
        const vreal *own = diagonal + 6 * k;
        vreal x0 = z[TILE * k] * own[3], x1 = z[TILE * k + 1] * own[4], x2 = z[TILE * k + 2] * own[5];
        for (uint64_t before = w->row_mask[k] & (((uint64_t)1 << k) - 1); before; before &= before - 1) {
            const int j = __builtin_ctzll(before);
            const vreal *u = under + tile_at(k, j), *from = x + TILE * j;
            UNROLL(16) for (int b = 0; b < TILE; b++) {
                x0 -= u[b] * from[b];
                x1 -= u[3 + b] * from[b];
                x2 -= u[6 + b] * from[b];
            }
        }
        x1 -= own[0] * x0;
        x[TILE * k] = x0;
        x[TILE * k + 1] = x1;
        x[TILE * k + 2] = x2 - own[1] * x0 - own[2] * x1;
    }
}

/* y += M x for `count` rows from row i on, each the parent of the next one: their common ancestors are
   processed only once. */
INLINE void multiply_mass_rows(const LaneWork *w, int i, int count, const vreal *x, vreal *y)
{
    const ModelColumns *m = &w->c->m;
    const vreal *row[MAX_TOGETHER], more = vsplat(m->opt_regularization[0]);
    const int *column = m->M_colind + m->M_rowadr[i], n = m->dof_depth[i];
    vreal own[MAX_TOGETHER], sum[MAX_TOGETHER];
    UNROLL(16) for (int r = 0; r < count; r++) {
        row[r] = COLUMN(w, qM) + m->M_rowadr[i + r];
        own[r] = x[i + r];
        sum[r] = (row[r][n + r] + more) * own[r];
    }
    for (int j = 0; j < n; j++) {
        const vreal other = x[column[j]];
        vreal above = y[column[j]];
        UNROLL(16) for (int r = 0; r < count; r++) {
            sum[r] += row[r][j] * other;
            above += row[r][j] * own[r];
        }
        y[column[j]] = above;
    }
    UNROLL(16) for (int r = 0; r < count; r++) {
        UNROLL(16) for (int q = 0; q < r; q++) {
            sum[r] += row[r][n + q] * own[q];
            sum[q] += row[r][n + q] * own[r];
        }
    }
    UNROLL(16) for (int r = 0; r < count; r++)
        y[i + r] = sum[r];
}

/* y = M x, with the regularisation. */
static __attribute__((noinline)) void multiply_mass(const LaneWork *w, const vreal *x, vreal *y)
{
    const int *parent = w->c->m.dof_parentid;
    for (int i = 0, count; i < w->nv; i += count) {
        count = 1;
        while (count < MAX_TOGETHER && i + count < w->nv && parent[i + count] == i + count - 1)
            count++;
        switch (count) {
        case 1: multiply_mass_rows(w, i, 1, x, y); break;
        case 2: multiply_mass_rows(w, i, 2, x, y); break;
        default: multiply_mass_rows(w, i, MAX_TOGETHER, x, y);
        }
    }
}

#endif
