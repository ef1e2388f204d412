/* The constraints of one state, for registers of 32 bytes. */

#define REGISTER_BYTES 32
#include "target.h"
#include "solver/stages.h"

const SolverText solver_r32 = {run, contact_wrench, usable};
