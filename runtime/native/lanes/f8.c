/* The constraints of 8 states at once, numbers of type float. */

#define LANE_REAL float
#define LANE_INT int32_t
#define LANES 8
#define REGISTER_BYTES 32
#include "target.h"
#ifdef LEFT_OUT
#include "lanes/work.h"
#else
#include "lanes/stages.h"
#endif

const LaneText lanes_f8 = {LANES, sizeof(LANE_REAL), COMPILED(find), COMPILED(solve), usable};
