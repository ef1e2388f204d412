#ifndef POLYBODY_VALUES_H
#define POLYBODY_VALUES_H

/* Vectors, matrices and quaternions in columns. */

#include "formulas/single.h"

static inline Vec vec_at(const real *x) { return vec(x[0], x[1], x[2]); }
static inline Mat3 mat_at(const real *m) { return (Mat3){vec_at(m), vec_at(m + 3), vec_at(m + 6)}; }
static inline Quat quat_at(const real *q) { return (Quat){q[0], q[1], q[2], q[3]}; }

#endif
