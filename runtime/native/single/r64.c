/* The constraints of one state, for registers of 64 bytes. */

#define REGISTER_BYTES 64
#include "target.h"
#include "solver/stages.h"

const SolverText solver_r64 = {run, contact_wrench, usable};
