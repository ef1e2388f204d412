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

typedef real Reals __attribute__((vector_size(LANES * sizeof(real))));
typedef int64_t Lanes __attribute__((vector_size(LANES * sizeof(int64_t)))); /* -1 where a condition holds, else 0 */
typedef struct { Reals x, y, z; } LaneVec;

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
ALWAYS_INLINE unsigned lane_bits(Lanes a)
{
#if LANES == 8
    return _mm512_test_epi64_mask((__m512i)a, (__m512i)a);
#elif defined(__AVX2__)
    return (unsigned)_mm256_movemask_pd((__m256d)a);
#else
    return (unsigned)((a[0] & 1) | (a[1] & 2) | (a[2] & 4) | (a[3] & 8));
#endif
}

ALWAYS_INLINE int some(Lanes a) { return lane_bits(a) != 0; }

/* `yes` where the condition holds, else `no`. */
ALWAYS_INLINE Reals chosen(Lanes condition, Reals yes, Reals no)
{
    return (Reals)(((Lanes)yes & condition) | ((Lanes)no & ~condition));
}

ALWAYS_INLINE Reals each_magnitude(Reals a)
{
    return (Reals)((Lanes)a & INT64_MAX);
}

/* The greatest of the numbers of all lanes. */
ALWAYS_INLINE real greatest_lane(Reals a)
{
#if LANES == 8
    return _mm512_reduce_max_pd((__m512d)a);
#else
    return greatest(greatest(a[0], a[1]), greatest(a[2], a[3]));
#endif
}

ALWAYS_INLINE Reals each_root(Reals a)
{
#if LANES == 8
    return (Reals)_mm512_sqrt_pd((__m512d)a);
#else
    Reals roots;
    EVERY_LANE (i)
        roots[i] = sqrt(a[i]);
    return roots;
#endif
}

ALWAYS_INLINE LaneVec lane_vec(Reals x, Reals y, Reals z)
{
    LaneVec v = {x, y, z};
    return v;
}
ALWAYS_INLINE LaneVec each_add(LaneVec a, LaneVec b) { return lane_vec(a.x + b.x, a.y + b.y, a.z + b.z); }
ALWAYS_INLINE LaneVec each_sub(LaneVec a, LaneVec b) { return lane_vec(a.x - b.x, a.y - b.y, a.z - b.z); }
ALWAYS_INLINE LaneVec each_scaled(Reals s, LaneVec a) { return lane_vec(s * a.x, s * a.y, s * a.z); }
ALWAYS_INLINE LaneVec each_along(LaneVec a, Reals s, LaneVec b) { return lane_vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
ALWAYS_INLINE LaneVec each_negated(LaneVec a) { return lane_vec(-a.x, -a.y, -a.z); }
ALWAYS_INLINE Reals each_dot(LaneVec a, LaneVec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ALWAYS_INLINE LaneVec each_cross(LaneVec a, LaneVec b)
{
    return lane_vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
ALWAYS_INLINE Reals each_triple(LaneVec a, LaneVec b, LaneVec c) { return each_dot(each_cross(a, b), c); }

ALWAYS_INLINE LaneVec chosen_vec(Lanes condition, LaneVec yes, LaneVec no)
{
    return lane_vec(chosen(condition, yes.x, no.x), chosen(condition, yes.y, no.y), chosen(condition, yes.z, no.z));
}

/* Normalized vectors; (1, 0, 0) for a vector of length zero. */
ALWAYS_INLINE LaneVec directions_of(LaneVec a)
{
    const Reals zero = {0}, length = each_root(each_dot(a, a));
    const Lanes any = length > 0;
    const LaneVec scaled = each_scaled(1 / length, a);
    return lane_vec(chosen(any, scaled.x, zero + 1), chosen(any, scaled.y, zero), chosen(any, scaled.z, zero));
}

ALWAYS_INLINE void set_lane(LaneVec *to, int i, Vec from)
{
    to->x[i] = from.x;
    to->y[i] = from.y;
    to->z[i] = from.z;
}
ALWAYS_INLINE Vec lane(const LaneVec *a, int i) { return vec(a->x[i], a->y[i], a->z[i]); }

/* Vectors as lanes. */
ALWAYS_INLINE LaneVec gathered(const Vec *v)
{
#define X_AT(i) v[i].x
#define Y_AT(i) v[i].y
#define Z_AT(i) v[i].z
    return lane_vec((Reals)PER_LANE(X_AT), (Reals)PER_LANE(Y_AT), (Reals)PER_LANE(Z_AT));
#undef X_AT
#undef Y_AT
#undef Z_AT
}

#endif
