#ifndef POLYBODY_KERNEL_H
#define POLYBODY_KERNEL_H

/* How kernels are compiled. */

#include "clones.h"
#include "compiler.h"

#define KERNEL static CLONED

#endif
