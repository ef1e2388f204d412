/* The constraints of one state, for registers of 32 bytes. */

#define REGISTER_BYTES 32
#include "target.h"
#ifdef LEFT_OUT
#include "rows/columns.h"
#else
#include "solver/stages.h"
#endif

const SolverText solver_r32 = {COMPILED(run), COMPILED(contact_wrench), usable};
