#ifndef POLYBODY_SIMD_H
#define POLYBODY_SIMD_H

/* Vectors over several states, or several pairs of shapes. A source file defines LANES, their number, LANE_REAL, the scalar type,
   and LANE_INT, the integer of its size; `vreal` has one number per lane and `vmask` one truth value per lane, all bits or none. No
   operation here mixes lanes, apart from tests. */

#include <math.h>
#include <stdint.h>
#include <string.h>
#if defined(__SSE2__)
#include <immintrin.h>
#endif

#include "compiler.h"

typedef LANE_REAL vreal __attribute__((vector_size(sizeof(LANE_REAL) * LANES)));
typedef LANE_INT vmask __attribute__((vector_size(sizeof(LANE_REAL) * LANES)));
typedef struct { vreal x, y, z; } Vec3;

INLINE vreal vsplat(double x) { return (LANE_REAL)x - (vreal){0}; }
INLINE vreal vselect(vmask m, vreal a, vreal b) { return (vreal)(((vmask)a & m) | ((vmask)b & ~m)); }
INLINE vreal vmasked(vmask m, vreal a) { return (vreal)((vmask)a & m); }
INLINE vreal vmin(vreal a, vreal b) { return vselect(a < b, a, b); }
INLINE vreal vmax(vreal a, vreal b) { return vselect(a > b, a, b); }
INLINE vreal vclamp(vreal a, vreal low, vreal high) { return vselect(a < low, low, vselect(a > high, high, a)); }
INLINE vreal vabs(vreal a) { return (vreal)((vmask)a & ~(vmask)(-(vreal){0})); }

/* Whether a mask is true in any lane. */
INLINE int vany(vmask m)
{
#if defined(__AVX512DQ__) && REGISTER_BYTES == 64
    return sizeof(LANE_REAL) == 8 ? _mm512_movepi64_mask((__m512i)m) != 0 : _mm512_movepi32_mask((__m512i)m) != 0;
#elif defined(__AVX__) && REGISTER_BYTES == 32
    return _mm256_movemask_ps((__m256)m) != 0;
#elif defined(__SSE2__) && REGISTER_BYTES == 16
    return _mm_movemask_ps((__m128)m) != 0;
#else
    LANE_INT found = 0;
    for (int e = 0; e < LANES; e++)
        found |= m[e];
    return found != 0;
#endif
}

INLINE vreal vsqrt(vreal a)
{
#if defined(__AVX512F__) && REGISTER_BYTES == 64
    return sizeof(LANE_REAL) == 8 ? (vreal)_mm512_sqrt_pd((__m512d)a) : (vreal)_mm512_sqrt_ps((__m512)a);
#elif defined(__AVX__) && REGISTER_BYTES == 32
    return sizeof(LANE_REAL) == 8 ? (vreal)_mm256_sqrt_pd((__m256d)a) : (vreal)_mm256_sqrt_ps((__m256)a);
#elif defined(__SSE2__) && REGISTER_BYTES == 16
    return sizeof(LANE_REAL) == 8 ? (vreal)_mm_sqrt_pd((__m128d)a) : (vreal)_mm_sqrt_ps((__m128)a);
#else
    vreal b = {0};
    for (int e = 0; e < LANES; e++)
        b[e] = (LANE_REAL)sqrt(a[e]);
    return b;
#endif
}

/* Powers, number by number. */
INLINE vreal vpow(vreal a, vreal b)
{
    for (int e = 0; e < LANES; e++)
        a[e] = (LANE_REAL)pow(a[e], b[e]);
    return a;
}

/* Angles of points (x, y), number by number. */
INLINE vreal vatan2(vreal y, vreal x)
{
    for (int e = 0; e < LANES; e++)
        y[e] = (LANE_REAL)atan2(y[e], x[e]);
    return y;
}

INLINE Vec3 vec3(vreal x, vreal y, vreal z) { Vec3 v = {x, y, z}; return v; }
INLINE Vec3 at3(const vreal *x) { return vec3(x[0], x[1], x[2]); }
INLINE Vec3 add3(Vec3 a, Vec3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
INLINE Vec3 sub3(Vec3 a, Vec3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
INLINE Vec3 scaled3(vreal s, Vec3 a) { return vec3(s * a.x, s * a.y, s * a.z); }
INLINE Vec3 along3(Vec3 a, vreal s, Vec3 b) { return vec3(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
INLINE vreal dot3(Vec3 a, Vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE Vec3 cross3(Vec3 a, Vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
INLINE Vec3 select3(vmask m, Vec3 a, Vec3 b) { return vec3(vselect(m, a.x, b.x), vselect(m, a.y, b.y), vselect(m, a.z, b.z)); }
INLINE void put3(vreal *to, Vec3 a) { to[0] = a.x; to[1] = a.y; to[2] = a.z; }

/* The unit vector along `a`; (1, 0, 0) if its length is below TINY. */
INLINE Vec3 unit3(Vec3 a)
{
    const vreal length = vsqrt(dot3(a, a));
    const vmask none = length < vsplat(1e-15);
    const Vec3 found = scaled3(1 / vselect(none, vsplat(1), length), a);
    return select3(none, vec3(vsplat(1), vsplat(0), vsplat(0)), found);
}

#endif
