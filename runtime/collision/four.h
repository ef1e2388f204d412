#ifndef POLYBODY_FOUR_H
#define POLYBODY_FOUR_H

/* Arithmetic on four numbers, vectors and conditions at a time, for searches in four poses. A single search is limited by latency;
   four interleaved ones are not. The result of each lane equals that of the scalar functions, bit for bit. */

#include <stdint.h>
#include "vector.h"

enum { FOUR = 4 };

typedef real Reals4 __attribute__((vector_size(FOUR * sizeof(real))));
typedef int64_t Lanes __attribute__((vector_size(FOUR * sizeof(int64_t)))); /* -1 where a condition holds, else 0 */
typedef struct { Reals4 x, y, z; } Vec4;

/* Functions of four lanes are also compiled for AVX2. The results are the same, because no products are fused. */
#if defined(__x86_64__) && defined(__GLIBC__) && defined(__GNUC__) && !defined(__clang__) && __GNUC__ >= 12
#define SEARCH static __attribute__((target_clones("default", "avx2")))
#else
#define SEARCH static
#endif

#define EVERY_LANE(i) for (int i = 0; i < FOUR; i++)

ALWAYS_INLINE int some(Lanes a) { return (a[0] | a[1] | a[2] | a[3]) != 0; }

/* `yes` where the condition holds, else `no`. */
ALWAYS_INLINE Reals4 chosen(Lanes condition, Reals4 yes, Reals4 no)
{
    return (Reals4)(((Lanes)yes & condition) | ((Lanes)no & ~condition));
}

ALWAYS_INLINE Reals4 magnitudes4(Reals4 a)
{
    const Lanes all = {INT64_MAX, INT64_MAX, INT64_MAX, INT64_MAX};
    return (Reals4)((Lanes)a & all);
}

ALWAYS_INLINE Reals4 roots4(Reals4 a)
{
    Reals4 roots;
    EVERY_LANE (i)
        roots[i] = sqrt(a[i]);
    return roots;
}

ALWAYS_INLINE Vec4 vec4(Reals4 x, Reals4 y, Reals4 z)
{
    Vec4 v = {x, y, z};
    return v;
}
ALWAYS_INLINE Vec4 add4(Vec4 a, Vec4 b) { return vec4(a.x + b.x, a.y + b.y, a.z + b.z); }
ALWAYS_INLINE Vec4 sub4(Vec4 a, Vec4 b) { return vec4(a.x - b.x, a.y - b.y, a.z - b.z); }
ALWAYS_INLINE Vec4 scaled4(Reals4 s, Vec4 a) { return vec4(s * a.x, s * a.y, s * a.z); }
ALWAYS_INLINE Vec4 along4(Vec4 a, Reals4 s, Vec4 b) { return vec4(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
ALWAYS_INLINE Vec4 negated4(Vec4 a) { return vec4(-a.x, -a.y, -a.z); }
ALWAYS_INLINE Reals4 dot4(Vec4 a, Vec4 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
ALWAYS_INLINE Vec4 cross4(Vec4 a, Vec4 b)
{
    return vec4(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
ALWAYS_INLINE Reals4 triple4(Vec4 a, Vec4 b, Vec4 c) { return dot4(cross4(a, b), c); }

ALWAYS_INLINE Vec4 chosen_vec(Lanes condition, Vec4 yes, Vec4 no)
{
    return vec4(chosen(condition, yes.x, no.x), chosen(condition, yes.y, no.y), chosen(condition, yes.z, no.z));
}

/* Normalized vectors; (1, 0, 0) for a vector of length zero. */
ALWAYS_INLINE Vec4 directions_of(Vec4 a)
{
    const Reals4 zero = {0}, length = roots4(dot4(a, a));
    const Lanes any = length > 0;
    const Vec4 scaled = scaled4(1 / length, a);
    return vec4(chosen(any, scaled.x, zero + 1), chosen(any, scaled.y, zero), chosen(any, scaled.z, zero));
}

ALWAYS_INLINE Vec lane(const Vec4 *a, int i) { return vec(a->x[i], a->y[i], a->z[i]); }

/* Four vectors as lanes. */
ALWAYS_INLINE Vec4 gathered(const Vec *v)
{
    return vec4((Reals4){v[0].x, v[1].x, v[2].x, v[3].x}, (Reals4){v[0].y, v[1].y, v[2].y, v[3].y},
                (Reals4){v[0].z, v[1].z, v[2].z, v[3].z});
}

#endif
