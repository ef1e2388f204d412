#ifndef POLYBODY_COMPILER_H
#define POLYBODY_COMPILER_H

/* What the language lacks, for each compiler. */

#ifdef __GNUC__
#define INLINE static inline __attribute__((always_inline))
#define NEVER_INLINE __attribute__((noinline))
#define RARELY(x) __builtin_expect(!!(x), 0)
#else
#define INLINE static inline
#define NEVER_INLINE
#define RARELY(x) (x)
#endif

/* INDEPENDENT: the iterations of a loop are independent. UNROLL(n): n of them are written one after another. */
#define PRAGMA(text) _Pragma(#text)
#if defined(__clang__)
#define INDEPENDENT
#define UNROLL(n) _Pragma("unroll")
#elif defined(__GNUC__)
#define INDEPENDENT _Pragma("GCC ivdep")
#define UNROLL(n) PRAGMA(GCC unroll n)
#else
#define INDEPENDENT
#define UNROLL(n)
#endif

#endif
