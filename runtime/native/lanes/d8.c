/* The constraints of 8 states at once, numbers of type double. */

#define LANE_REAL double
#define LANE_INT int64_t
#define LANES 8
#define REGISTER_BYTES 64
#include "target.h"
#ifdef LEFT_OUT
#include "lanes/work.h"
#else
#include "lanes/stages.h"
#endif

const LaneText lanes_d8 = {LANES, sizeof(LANE_REAL), COMPILED(find), COMPILED(solve), usable};
