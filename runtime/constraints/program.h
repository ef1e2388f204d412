#ifndef POLYBODY_CONSTRAINTS_PROGRAM_H
#define POLYBODY_CONSTRAINTS_PROGRAM_H

/* The constraints of one Model, as part of the program that is compiled for it: the same text as that of the loops, with the
   facts of the Model as constants. */

#include "stages.h"

/* A stage for a simulation whose memory is of this size. Whether it was done: else the driver does it, which can also get
   memory. */
__attribute__((visibility("hidden"))) int constrain(void *workspace, unsigned long size, int stage)
{
    Constraints *c = workspace;
    if (size != sizeof(Constraints))
        return 0;
    if (stage == FIND)
        return !FACT(c, flexes) && find_rows(c);
    if (stage == SOLVE) {
        solve_rows(c);
        return 1;
    }
    return 0;
}

#endif
