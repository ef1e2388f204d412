#ifndef POLYBODY_LIMBS_H
#define POLYBODY_LIMBS_H

/* (M + J^T D J)^-1 x for one Model, where no row joins limbs: L^T D L (as in factor.h) without loops, as the Model's tree says.

   POLYBODY_ALL names the degrees of freedom. POLYBODY_LIMBS lists what is done with each degree of freedom: PIVOT(k), then LOWER(k, i) for each i on its way to the world;
   and POLYBODY_PATHS, from the world on, FINISH(k) after BELOW(k, i). The lists go from limb to limb, so that no operation
   waits for the one before it. */

#include "dense.h"

#ifdef POLYBODY_LIMBS

INLINED Block spread(Block x, int lane)
{
    const Bits all = {lane, lane, lane, lane, lane, lane, lane, lane};
    return __builtin_shuffle(x, all);
}

static void solve_limbs(const real *restrict H, real *restrict x)
{
    enum { WIDTH = BLOCK * POLYBODY_blocks };
    real L[POLYBODY_nv * WIDTH] __attribute__((aligned(64)));

#define TAKE(k) \
    Block row##k[k / BLOCK + 1]; \
    real x##k = x[k], scaled_x##k; \
    UNROLLED \
    for (int b = 0; b <= k / BLOCK; b++) \
        row##k[b] = block_of(H + WIDTH * k + BLOCK * b);
    POLYBODY_ALL(TAKE)

#define PIVOT(k) \
    const real inverse##k = 1 / row##k[k / BLOCK][k % BLOCK]; /* a block's reciprocals take longer */ \
    Block scaled##k[k / BLOCK + 1]; \
    UNROLLED \
    for (int b = 0; b <= k / BLOCK; b++) { \
        scaled##k[b] = row##k[b] * inverse##k; \
        put_block(L + WIDTH * k + BLOCK * b, scaled##k[b]); \
    } \
    scaled_x##k = x##k * inverse##k;

#define LOWER(k, i) { \
    const Block own = spread(row##k[i / BLOCK], i % BLOCK); \
    UNROLLED \
    for (int b = 0; b <= i / BLOCK; b++) \
        row##i[b] -= own * scaled##k[b]; \
    x##i -= own[0] * scaled_x##k; \
}
    POLYBODY_LIMBS(PIVOT, LOWER)

#define BELOW(k, i) scaled_x##k -= L[WIDTH * k + i] * scaled_x##i;
#define FINISH(k) x[k] = scaled_x##k;
    POLYBODY_PATHS(BELOW, FINISH)
}

#endif
#endif
