#ifndef POLYBODY_LANES_H
#define POLYBODY_LANES_H

/* Arithmetic on several numbers, vectors and conditions at a time, each in its own lane, for searches of as many pairs. A single search is
   limited by latency; interleaved ones are not. The result of each lane equals that of the scalar functions, bit for bit. */

#include <stdint.h>

#include "vec.h"

/* LANES: 8 in a file that is compiled for registers of 64 bytes (searches_r64.c), otherwise 4. */
#ifndef LANES
#define LANES 4
#endif
#if LANES == 8 || defined(__AVX2__)
#include <immintrin.h>
#endif

#define LANE_REAL real
#define LANE_INT int64_t
#include "simd.h"

/* Functions that are also compiled for AVX2. The results are the same, because no products are fused. */
#if LANES == 4 && defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define SEARCH static __attribute__((target_clones("default", "avx2")))
#else
#define SEARCH static
#endif

/* The values of a macro for the number of each lane, and these numbers. */
#if LANES == 8
#define PER_LANE(at) {at(0), at(1), at(2), at(3), at(4), at(5), at(6), at(7)}
#define LANE_NUMBERS {0, 1, 2, 3, 4, 5, 6, 7}
#else
#define PER_LANE(at) {at(0), at(1), at(2), at(3)}
#define LANE_NUMBERS {0, 1, 2, 3}
#endif
#define EVERY_LANE(i) for (int i = 0; i < LANES; i++)

/* A bit for each lane in which the condition holds. */
INLINE unsigned lane_bits(vmask a)
{
#if LANES == 8
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a);
#elif defined(__AVX2__)
    return (unsigned)_mm256_movemask_pd((__m256d)a);
#else
    return (unsigned)((a[0] & 1) | (a[1] & 2) | (a[2] & 4) | (a[3] & 8));
#endif
}

/* The greatest of the numbers of all lanes. */
INLINE real greatest_lane(vreal a)
{
#if LANES == 8
    return _mm512_reduce_max_pd((__m512d)a);
#else
    return maximum(maximum(a[0], a[1]), maximum(a[2], a[3]));
#endif
}

INLINE Vec3 negated3(Vec3 a) { return vec3(-a.x, -a.y, -a.z); }
INLINE vreal triple3(Vec3 a, Vec3 b, Vec3 c) { return dot3(cross3(a, b), c); }

/* Normalized vectors; (1, 0, 0) for a vector of length zero. */
INLINE Vec3 directions_of(Vec3 a)
{
    const vreal zero = {0}, length = vsqrt(dot3(a, a));
    const vmask any = length > 0;
    const Vec3 scaled = scaled3(1 / length, a);
    return vec3(vselect(any, scaled.x, zero + 1), vselect(any, scaled.y, zero), vselect(any, scaled.z, zero));
}

INLINE void set_lane(Vec3 *to, int i, Vec from)
{
    to->x[i] = from.x;
    to->y[i] = from.y;
    to->z[i] = from.z;
}
INLINE Vec lane(const Vec3 *a, int i) { return vec(a->x[i], a->y[i], a->z[i]); }

/* Vectors as lanes. */
INLINE Vec3 gathered(const Vec *v)
{
#define X_AT(i) v[i].x
#define Y_AT(i) v[i].y
#define Z_AT(i) v[i].z
    return vec3((vreal)PER_LANE(X_AT), (vreal)PER_LANE(Y_AT), (vreal)PER_LANE(Z_AT));
#undef X_AT
#undef Y_AT
#undef Z_AT
}

#endif
