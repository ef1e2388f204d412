/* The constraints of 4 states at once, numbers of type double. */

#define LANE_REAL double
#define LANE_INT int64_t
#define LANES 4
#define REGISTER_BYTES 32
#include "lanes/stages.h"

const LaneText lanes_d4 = {LANES, sizeof(LANE_REAL), find, solve, usable};
