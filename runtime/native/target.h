#ifndef POLYBODY_TARGET_H
#define POLYBODY_TARGET_H

/* Selects the instruction set for registers of REGISTER_BYTES, for everything that follows; include this file
   first. */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#if REGISTER_BYTES == 64
#pragma GCC target("avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx2,fma,bmi,bmi2,lzcnt,popcnt")
#elif REGISTER_BYTES == 32
#pragma GCC target("avx2,fma,bmi,bmi2,lzcnt,popcnt")
#else
#pragma GCC target("sse4.2,popcnt")
#endif
#endif

/* COMPILED(text): 0 in a build for one machine with registers of another size. */
#if defined(POLYBODY_REGISTERS) && POLYBODY_REGISTERS != REGISTER_BYTES
#define LEFT_OUT
#define COMPILED(text) 0
#else
#define COMPILED(text) text
#endif

/* Whether this build has the texts, and the processor supports them. */
static int usable(void)
{
#if defined(LEFT_OUT)
    return 0;
#elif defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
    if (REGISTER_BYTES == 16)
        return __builtin_cpu_supports("sse4.2");
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2"))
        return 0;
    return REGISTER_BYTES == 32 || (__builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512cd") &&
                                __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
#else
    return 1;
#endif
}

#endif
