#ifndef POLYBODY_KERNEL_H
#define POLYBODY_KERNEL_H

/* How kernels are compiled. */

#include "clones.h"

#if defined(__GNUC__) && !defined(__clang__)
#define INLINE static inline __attribute__((always_inline))
#define APART _Pragma("GCC ivdep") /* the iterations of a loop are independent */
#else
#define INLINE static inline
#define APART
#endif

#define KERNEL static CLONED

#ifdef __GNUC__
#define UNROLLED _Pragma("GCC unroll 4")
#else
#define UNROLLED
#endif

#endif
