#ifndef POLYBODY_REGISTERS_H
#define POLYBODY_REGISTERS_H

/* Vectors of as many numbers as a register of the target holds.

   Vectors longer than a register are not used: GCC keeps them in memory, and copies them in parts. The
   layout of memory does not depend on the target. */

#include <stdint.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif
#include "compiler.h"
#include "vec.h"

/* BLOCK: the numbers in a register. PADDED: vectors and rows in memory are zero-padded to multiples of this. */
#if defined(__AVX512F__)
#define BLOCK 8
#elif defined(__AVX__)
#define BLOCK 4
#else
#define BLOCK 2
#endif
enum { PADDED = 8, SPLIT = PADDED / BLOCK };

/* Consecutive numbers of a row; only the alignment of a single number is required. */
typedef real Block __attribute__((vector_size(BLOCK * sizeof(real)), aligned(8), may_alias));
typedef int64_t Bits __attribute__((vector_size(BLOCK * sizeof(int64_t))));
typedef int Codes __attribute__((vector_size(BLOCK * sizeof(int)), aligned(4), may_alias));

INLINE Block block_of(const real *x) { return *(const Block *)x; }
INLINE void put_block(real *x, Block value) { *(Block *)x = value; }

/* A block of numbers that have just been computed one by one. Loading them as a block would wait until they are
   written to the cache. */
INLINE Block block_from(const real *x)
{
#if BLOCK == 8
    return (Block){x[0], x[1], x[2], x[3], x[4], x[5], x[6], x[7]};
#elif BLOCK == 4
    return (Block){x[0], x[1], x[2], x[3]};
#else
    return (Block){x[0], x[1]};
#endif
}

INLINE Codes codes_of(const int *x) { return *(const Codes *)x; }

/* x where the condition (a comparison of blocks) is true, else 0. */
INLINE Block block_masked(Bits condition, Block x) { return (Block)((Bits)x & condition); }

INLINE Block block_select(Bits condition, Block x, Block y) { return (Block)(((Bits)x & condition) | ((Bits)y & ~condition)); }
INLINE Block block_splat(real x) { return x - (Block){0}; }

/* The square roots. */
INLINE Block block_sqrt(Block x)
{
#if defined(__AVX512F__)
    return (Block)_mm512_sqrt_pd((__m512d)x);
#elif defined(__AVX__)
    return (Block)_mm256_sqrt_pd((__m256d)x);
#elif defined(__SSE2__)
    return (Block)_mm_sqrt_pd((__m128d)x);
#else
    for (int k = 0; k < BLOCK; k++)
        x[k] = sqrt(x[k]);
    return x;
#endif
}

/* Numbers at several places in memory. */
INLINE Block picked(const real *x, const int *at)
{
#if BLOCK == 8
    return (Block){x[at[0]], x[at[1]], x[at[2]], x[at[3]], x[at[4]], x[at[5]], x[at[6]], x[at[7]]};
#elif BLOCK == 4
    return (Block){x[at[0]], x[at[1]], x[at[2]], x[at[3]]};
#else
    return (Block){x[at[0]], x[at[1]]};
#endif
}

/* Selects the first `count` numbers of a block. */
INLINE Bits first_ones(int64_t count)
{
#if BLOCK == 8
    const Bits number = {0, 1, 2, 3, 4, 5, 6, 7};
#elif BLOCK == 4
    const Bits number = {0, 1, 2, 3};
#else
    const Bits number = {0, 1};
#endif
    return number < count;
}

/* Selects the columns of a block that are in a mask. */
INLINE Bits columns_in(uint64_t mask, int block)
{
#if BLOCK == 8
    const Bits bits = {1, 2, 4, 8, 16, 32, 64, 128};
#elif BLOCK == 4
    const Bits bits = {1, 2, 4, 8};
#else
    const Bits bits = {1, 2};
#endif
    return (bits & (int64_t)(mask >> BLOCK * block)) != 0;
}

/* The elements of two blocks with these indices, those of the second block from BLOCK on. */
#define PICKED(x, y, ...) __builtin_shufflevector(x, y, __VA_ARGS__)

#if BLOCK == 8
#define EVENS(x, y) PICKED(x, y, 0, 8, 2, 10, 4, 12, 6, 14)
#define ODDS(x, y) PICKED(x, y, 1, 9, 3, 11, 5, 13, 7, 15)
#define EVEN_PAIRS(x, y) PICKED(x, y, 0, 1, 8, 9, 4, 5, 12, 13)
#define ODD_PAIRS(x, y) PICKED(x, y, 2, 3, 10, 11, 6, 7, 14, 15)
#define LOWER_HALVES(x, y) PICKED(x, y, 0, 1, 2, 3, 8, 9, 10, 11)
#define UPPER_HALVES(x, y) PICKED(x, y, 4, 5, 6, 7, 12, 13, 14, 15)
#elif BLOCK == 4
#define EVENS(x, y) PICKED(x, y, 0, 4, 2, 6)
#define ODDS(x, y) PICKED(x, y, 1, 5, 3, 7)
#define EVEN_PAIRS(x, y) PICKED(x, y, 0, 1, 4, 5)
#define ODD_PAIRS(x, y) PICKED(x, y, 2, 3, 6, 7)
#else
#define EVENS(x, y) PICKED(x, y, 0, 2)
#define ODDS(x, y) PICKED(x, y, 1, 3)
#endif

/* The sum of the elements. */
INLINE real sum_of(Block x)
{
#if BLOCK == 2
    return x[0] + x[1];
#else
    typedef real Pair __attribute__((vector_size(2 * sizeof(real))));
#if BLOCK == 8
    typedef real Half __attribute__((vector_size(4 * sizeof(real))));
    const Half four = PICKED(x, x, 0, 1, 2, 3) + PICKED(x, x, 4, 5, 6, 7);
#else
    const Block four = x;
#endif
    const Pair two = PICKED(four, four, 0, 1) + PICKED(four, four, 2, 3);
    return two[0] + two[1];
#endif
}

/* The sums of the elements of each of BLOCK blocks. */
INLINE Block sums_of(const Block *x)
{
    const Block a = EVENS(x[0], x[1]) + ODDS(x[0], x[1]);
#if BLOCK == 2
    return a;
#else
    const Block b = EVENS(x[2], x[3]) + ODDS(x[2], x[3]), e = EVEN_PAIRS(a, b) + ODD_PAIRS(a, b);
#if BLOCK == 4
    return e;
#else
    const Block c = EVENS(x[4], x[5]) + ODDS(x[4], x[5]), d = EVENS(x[6], x[7]) + ODDS(x[6], x[7]);
    const Block f = EVEN_PAIRS(c, d) + ODD_PAIRS(c, d);
    return LOWER_HALVES(e, f) + UPPER_HALVES(e, f);
#endif
#endif
}

/* Transposes BLOCK blocks. */
INLINE void transpose(Block *x)
{
    Block y[BLOCK];
    UNROLL(16)
    for (int k = 0; k < BLOCK; k += 2) {
        y[k] = EVENS(x[k], x[k + 1]);
        y[k + 1] = ODDS(x[k], x[k + 1]);
    }
#if BLOCK > 2
    UNROLL(16)
    for (int k = 0; k < BLOCK; k += k % 4 == 1 ? 3 : 1) {
        x[k] = EVEN_PAIRS(y[k], y[k + 2]);
        x[k + 2] = ODD_PAIRS(y[k], y[k + 2]);
    }
#endif
#if BLOCK == 8
    UNROLL(16)
    for (int k = 0; k < BLOCK / 2; k++) {
        y[k] = LOWER_HALVES(x[k], x[k + 4]);
        y[k + 4] = UPPER_HALVES(x[k], x[k + 4]);
    }
#endif
#if BLOCK != 4
    UNROLL(16)
    for (int k = 0; k < BLOCK; k++)
        x[k] = y[k];
#endif
}

#endif
