#ifndef POLYBODY_CONSTRAINTS_PROGRAM_H
#define POLYBODY_CONSTRAINTS_PROGRAM_H

/* The constraints of one Model, as part of its compiled program: the same code as in the loop kernels, with
   the facts of the Model as constants. */

#include "rows/contacts.h"
#include "solver/stages.h"

/* Runs a stage for a simulation whose memory has this size. Returns whether it completed; otherwise the
   driver runs it, which can also allocate memory. */
__attribute__((visibility("hidden"))) int constrain(void *workspace, unsigned long size, int stage)
{
    Constraints *c = workspace;
    if (size != sizeof(Constraints))
        return 0;
    if (stage == FIND_CONSTRAINTS)
        return !FACT(c, flexes) && find_contacts(c) && find_rows(c);
    if (stage == SOLVE_CONSTRAINTS) {
        solve_rows(c);
        return 1;
    }
    return 0;
}

#endif
