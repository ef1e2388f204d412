#ifndef POLYBODY_CLONES_H
#define POLYBODY_CLONES_H

/* CLONED: a function of one binary for every x86 processor, compiled for each level of instruction sets; the dynamic loader selects
   the version for this machine. A build with POLYBODY_REGISTERS, the size in bytes, has only the version of one machine. */
#if !defined(__x86_64__) || !defined(__GLIBC__) || !defined(__GNUC__) || defined(__clang__) || __GNUC__ < 12
#define CLONED
#elif !defined(POLYBODY_REGISTERS)
#define CLONED __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#elif POLYBODY_REGISTERS == 64
#define CLONED __attribute__((target("arch=x86-64-v4")))
#elif POLYBODY_REGISTERS == 32
#define CLONED __attribute__((target("arch=x86-64-v3")))
#else
#define CLONED
#endif

#endif
