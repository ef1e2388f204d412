/* The constraints of one state, for registers of 16 bytes. */

#define REGISTER_BYTES 16
#include "target.h"
#include "solver/stages.h"

const SolverText solver_r16 = {run, contact_wrench, usable};
