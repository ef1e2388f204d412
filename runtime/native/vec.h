#ifndef POLYBODY_VECTOR_H
#define POLYBODY_VECTOR_H

/* Scalars and vectors of collision detection. `real` is the scalar type of all headers that include this
   one. */

#include <math.h>
#include "contract/records.h"

#include "compiler.h"

typedef double real;

#define TINY 1e-15 /* lengths and determinants below this are treated as zero, as in MuJoCo */

static inline Vec vec(real x, real y, real z)
{
    Vec v = {x, y, z};
    return v;
}
static inline Vec add(Vec a, Vec b) { return vec(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline Vec sub(Vec a, Vec b) { return vec(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline Vec scaled(real s, Vec a) { return vec(s * a.x, s * a.y, s * a.z); }
static inline Vec along(Vec a, real s, Vec b) { return vec(a.x + s * b.x, a.y + s * b.y, a.z + s * b.z); }
static inline Vec negated(Vec a) { return vec(-a.x, -a.y, -a.z); }
static inline real dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline real norm(Vec a) { return sqrt(dot(a, a)); }
static inline real distance(Vec a, Vec b) { return norm(sub(a, b)); }
static inline Vec cross(Vec a, Vec b)
{
    return vec(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline real minimum(real a, real b) { return a < b ? a : b; }
static inline real maximum(real a, real b) { return a > b ? a : b; }
static inline real clamped(real a, real low, real high) { return a < low ? low : a > high ? high : a; }

/* The unit vector along `a`; (1, 0, 0) if its length is below TINY. */
static inline Vec unit(Vec a)
{
    real length = norm(a);
    return length < TINY ? vec(1, 0, 0) : scaled(1 / length, a);
}

/* The components of a vector along the axes of a frame; and the vector with given components. */
static inline Vec components(const Axes *m, Vec a) { return vec(dot(m->x, a), dot(m->y, a), dot(m->z, a)); }
static inline Vec combined(const Axes *m, Vec a)
{
    return along(along(scaled(a.x, m->x), a.y, m->y), a.z, m->z);
}
static inline real part(Vec a, int i) { return i == 0 ? a.x : i == 1 ? a.y : a.z; }
static inline Vec column(const Axes *m, int i) { return i == 0 ? m->x : i == 1 ? m->y : m->z; }

#endif
