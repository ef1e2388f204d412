/* The constraints of 2 states at once, numbers of type double. */

#define LANE_REAL double
#define LANE_INT int64_t
#define LANES 2
#define REGISTER_BYTES 16
#include "lanes/stages.h"

const LaneText lanes_d2 = {LANES, sizeof(LANE_REAL), find, solve, usable};
