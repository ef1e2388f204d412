#ifndef POLYBODY_CONES_H
#define POLYBODY_CONES_H

/* Elliptic contacts, BLOCK of them at a time. Their residuals, scaled by friction, are N along the normal and a vector
   T: see codegen/physics/rows/costs.py. Frictionless contacts have no T.

   Numbers are stored by blocks of contacts, and in a block by planes: plane k has those of row k of each
   contact. Where a contact has fewer rows, and where a block has fewer contacts, they are zero, and the row is
   one that no loop over rows reads. */

#include "formulas/blocks.h"
#include "formulas/single.h"
#include "solver/dense.h"
#include "vec.h"

enum { MAX_DIM = 6, LINE_TERMS = 8 };

/* The plane of a block of contacts in a column of MAX_DIM numbers per contact. */
static inline long plane_of(int block, int k) { return BLOCK * ((long)MAX_DIM * block + k); }

static inline int cone_blocks(const Constraints *c) { return (c->cones + BLOCK - 1) / BLOCK; }

/* The end of the rows that limits and contacts of pyramidal cones have: contacts with elliptic cones are the last
   rows. */
static inline int end_of_sides(const Constraints *c)
{
    return FACT(c, cone) == CONE_ELLIPTIC && c->cones ? c->a.cone_row[0] : c->nefc;
}

/* The columns of `part` from a contact of c on. */
static inline void place_cones(Constraints *part, const Constraints *c, int first)
{
    part->a.cone_row = c->a.cone_row + MAX_DIM * first;
    part->a.cone_planes = c->a.cone_planes + first;
    part->a.cone_scale = c->a.cone_scale + MAX_DIM * first;
    part->a.cone_D = c->a.cone_D + MAX_DIM * first;
    part->a.cone_weight = c->a.cone_weight + first;
    part->a.cone_line = c->a.cone_line + LINE_TERMS * first;
}

/* Begins a block of contacts. */
static void begin_cones(const Constraints *c, int block)
{
    const Arena *a = &c->a;
    const Block zeros = {0};
    a->cone_planes[block] = 0;
    put_block(a->cone_weight + BLOCK * block, zeros);
    for (int k = 0; k < MAX_DIM; k++) {
        put_block(a->cone_scale + plane_of(block, k), zeros);
        put_block(a->cone_D + plane_of(block, k), zeros);
        for (int l = 0; l < BLOCK; l++)
            a->cone_row[plane_of(block, k) + l] = c->nefc + PADDED - 1;
    }
}

/* Lists the contacts among the rows. */
static void find_cones(Constraints *c)
{
    const Arena *a = &c->a;
    c->cones = 0;
    if (FACT(c, cone) != CONE_ELLIPTIC)
        return;
    for (int i = c->ne + c->nf; i < c->nefc; i += a->row_dim[i]) {
        const int slides = a->row_type[i] == ROW_CONTACT_ELLIPTIC, dim = a->row_dim[i];
        if (!slides && a->row_type[i] != ROW_CONTACT_FRICTIONLESS)
            continue;
        const Contact *contact = c->contacts + a->row_id[i];
        const real mu = slides ? contact->mu : 1;
        const int block = c->cones / BLOCK, lane = c->cones % BLOCK;
        if (lane == 0)
            begin_cones(c, block);
        if (a->cone_planes[block] < dim)
            a->cone_planes[block] = dim;
        if (slides)
            a->cone_weight[c->cones] = cone_weight(a->row_D[i], mu);
        for (int k = 0; k < dim; k++) {
            const long at = plane_of(block, k) + lane;
            a->cone_row[at] = i + k;
            a->cone_scale[at] = k ? contact->friction[k - 1] : mu;
            a->cone_D[at] = a->row_D[i + k];
        }
        c->cones++;
    }
}

INLINE void add_rise(BlockRise *sum, BlockRise more)
{
    sum->twice += more.twice;
    sum->slope += more.slope;
    sum->curvature += more.curvature;
}

/* Sets the forces and states of the rows of all contacts; returns their costs, to be summed. */
INLINE Block update_cones(const Constraints *c, const real *residual)
{
    const Arena *a = &c->a;
    Block twice = {0};
    for (int b = 0; b < cone_blocks(c); b++) {
        const int planes = a->cone_planes[b];
        const Block mu = block_of(a->cone_scale + plane_of(b, 0));
        Block x[MAX_DIM], square = {0};
        x[0] = picked(residual, a->cone_row + plane_of(b, 0));
        for (int k = 1; k < planes; k++) {
            x[k] = picked(residual, a->cone_row + plane_of(b, k));
            const Block u = block_of(a->cone_scale + plane_of(b, k)) * x[k];
            square += u * u;
        }
        const BlockSlide s = slide_in_blocks(mu, block_of(a->cone_weight + BLOCK * b), mu * x[0], square);
        const Bits codes = (s.slides & ROW_STATE_CONE) | (s.sticks & ROW_STATE_QUADRATIC);
        twice += s.twice;
        for (int k = 0; k < planes; k++) {
            const int *row = a->cone_row + plane_of(b, k);
            const Block scale = block_of(a->cone_scale + plane_of(b, k)), D = block_of(a->cone_D + plane_of(b, k));
            const BlockResponse r = k ? tangential_response_in_blocks(s, scale, D, x[k]) : normal_response_in_blocks(s, D, x[k]);
            twice += r.twice;
            UNROLL(16)
            for (int l = 0; l < BLOCK; l++) {
                a->row_force[row[l]] = r.force[l];
                a->row_state[row[l]] = (int)codes[l];
            }
        }
    }
    return twice;
}

/* Prepares the contacts for points of a line: normal and rate of N, the square of T as a polynomial, and the cost
   while sticking as another. */
INLINE void prepare_cones(const Constraints *c)
{
    const Arena *a = &c->a;
    for (int b = 0; b < cone_blocks(c); b++) {
        real *line = a->cone_line + (long)BLOCK * LINE_TERMS * b;
        Block xx = {0}, xv = {0}, vv = {0}, uu = {0}, uw = {0}, ww = {0};
        for (int k = 0; k < a->cone_planes[b]; k++) {
            const int *row = a->cone_row + plane_of(b, k);
            const Block scale = block_of(a->cone_scale + plane_of(b, k)), D = block_of(a->cone_D + plane_of(b, k));
            const Block x = picked(a->row_residual, row), v = picked(a->row_search, row);
            const Block u = scale * x, w = scale * v, Dx = D * x, Dv = D * v;
            xx += Dx * x;
            xv += Dx * v;
            vv += Dv * v;
            if (k == 0) {
                put_block(line, u);
                put_block(line + BLOCK, w);
                continue;
            }
            uu += u * u;
            uw += u * w;
            ww += w * w;
        }
        put_block(line + 2 * BLOCK, uu);
        put_block(line + 3 * BLOCK, uw);
        put_block(line + 4 * BLOCK, ww);
        put_block(line + 5 * BLOCK, xx);
        put_block(line + 6 * BLOCK, xv);
        put_block(line + 7 * BLOCK, vv);
    }
}

/* Adds the cost at a point of the line, or its change since the start. */
INLINE void add_cones(const Constraints *c, real at, BlockRise *sum, const int relative)
{
    for (int b = 0; b < cone_blocks(c); b++) {
        const real *line = c->a.cone_line + (long)BLOCK * LINE_TERMS * b;
        const Block mu = block_of(c->a.cone_scale + plane_of(b, 0)), weight = block_of(c->a.cone_weight + BLOCK * b);
        const Block rate = block_of(line + BLOCK), normal = block_of(line) + at * rate;
        const Block uw = block_of(line + 3 * BLOCK), ww = block_of(line + 4 * BLOCK), half = uw + at * ww;
        const Block xv = block_of(line + 6 * BLOCK), vv = block_of(line + 7 * BLOCK), slope = xv + at * vv;
        const BlockRise stuck = {block_of(line + 5 * BLOCK) + at * (xv + slope), slope, vv};
        const Block square = block_of(line + 2 * BLOCK) + at * (uw + half);
        BlockRise rise = slide_along_in_blocks(mu, weight, normal, rate, square, half, ww, stuck);
        if (relative)
            rise.twice = slide_change_in_blocks(mu, weight, block_of(line), at * rate, block_of(line + 2 * BLOCK), at * (uw + half),
                                                block_of(line + 5 * BLOCK), at * (xv + slope));
        add_rise(sum, rise);
    }
}

/* The rows that one sliding contact adds to the matrix of Newton's method, and their weights: the second
   derivatives of its cost along the rows of J of the contact. They are those of (N - mu |T|)^2, and of |T| across
   T, where a reflection that maps T to an axis gives the directions. Returns their number. */
static int find_curvature(const Constraints *c, int cone, real row[MAX_DIM][MAX_DIM], real *weight)
{
    const Arena *a = &c->a;
    const int block = cone / BLOCK, lane = cone % BLOCK, first = a->cone_row[plane_of(block, 0) + lane];
    const int dim = a->row_dim[first];
    const real mu = a->cone_scale[plane_of(block, 0) + lane], normal = mu * a->row_residual[first];
    real scale[MAX_DIM], u[MAX_DIM], square = 0;
    for (int k = 1; k < dim; k++) {
        scale[k] = a->cone_scale[plane_of(block, k) + lane];
        u[k] = scale[k] * a->row_residual[first + k];
        square += u[k] * u[k];
    }
    const real inverse = 1 / sqrt(square), along = fabs(u[1] * inverse), shrunk = 1 / (1 + along);
    weight[0] = a->cone_weight[cone];
    row[0][0] = mu;
    for (int k = 1; k < dim; k++) {
        u[k] *= inverse;
        row[0][k] = -mu * u[k] * scale[k];
    }
    for (int r = 1; r < dim - 1; r++) {
        const real own = u[r + 1] * shrunk;
        weight[r] = weight[0] * mu * (mu - normal * inverse);
        row[r][0] = 0;
        row[r][1] = (u[1] < 0 ? u[r + 1] : -u[r + 1]) * scale[1];
        for (int k = 2; k < dim; k++)
            row[r][k] = ((k == r + 1) - own * u[k]) * scale[k];
    }
    return dim - 1;
}

#endif
