/* The constraints of 8 states at once, numbers of type float. */

#define LANE_REAL float
#define LANE_INT int32_t
#define LANES 8
#define REGISTER_BYTES 32
#include "lanes/stages.h"

const LaneText lanes_f8 = {LANES, sizeof(LANE_REAL), find, solve, usable};
