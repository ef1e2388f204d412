/* The constraints of one state, for registers of 16 bytes. */

#define REGISTER_BYTES 16
#include "target.h"
#ifdef LEFT_OUT
#include "rows/columns.h"
#else
#include "solver/stages.h"
#endif

const SolverText solver_r16 = {COMPILED(run), COMPILED(contact_wrench), usable};
