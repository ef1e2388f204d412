#ifndef POLYBODY_LIMBS_H
#define POLYBODY_LIMBS_H

/* (M + J^T D J)^-1 x for one Model, if no row couples branches: L^T D L (as in factor.h) without loops, by
   the Model's tree.

   POLYBODY_ALL lists the degrees of freedom. POLYBODY_LIMBS lists the steps of the elimination: PIVOT(k),
   then LOWER(k, i) for each ancestor i. POLYBODY_PATHS lists, from the root on, BELOW(k, i) and then
   FINISH(k). The lists alternate between branches, so that no operation waits for the previous one. */

#include "solver/dense.h"

#ifdef POLYBODY_LIMBS

INLINE Block spread(Block x, int lane)
{
    return __builtin_shuffle(x, lane - (Bits){0});
}

static void solve_limbs(const real *restrict H, real *restrict x)
{
    enum { WIDTH = PADDED * POLYBODY_blocks };
    real L[POLYBODY_nv * WIDTH] __attribute__((aligned(64)));

#define TAKE(k) \
    Block row##k[k / BLOCK + 1]; \
    real x##k = x[k], scaled_x##k; \
    UNROLL(16) \
    for (int b = 0; b <= k / BLOCK; b++) \
        row##k[b] = block_of(H + WIDTH * k + BLOCK * b);
    POLYBODY_ALL(TAKE)

#define PIVOT(k) \
    const real inverse##k = 1 / row##k[k / BLOCK][k % BLOCK]; /* reciprocals of a whole block take longer */ \
    Block scaled##k[k / BLOCK + 1]; \
    UNROLL(16) \
    for (int b = 0; b <= k / BLOCK; b++) { \
        scaled##k[b] = row##k[b] * inverse##k; \
        put_block(L + WIDTH * k + BLOCK * b, scaled##k[b]); \
    } \
    scaled_x##k = x##k * inverse##k;

#define LOWER(k, i) { \
    const Block own = spread(row##k[i / BLOCK], i % BLOCK); \
    UNROLL(16) \
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
