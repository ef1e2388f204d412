/* The constraints of one state, for registers of 64 bytes. */

#define REGISTER_BYTES 64
#include "target.h"
#ifdef LEFT_OUT
#include "rows/columns.h"
#else
#include "solver/stages.h"
#endif

const SolverText solver_r64 = {COMPILED(run), COMPILED(contact_wrench), usable};
