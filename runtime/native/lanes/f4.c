/* The constraints of 4 states at once, numbers of type float. */

#define LANE_REAL float
#define LANE_INT int32_t
#define LANES 4
#define REGISTER_BYTES 16
#include "lanes/stages.h"

const LaneText lanes_f4 = {LANES, sizeof(LANE_REAL), find, solve, usable};
