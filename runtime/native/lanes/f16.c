/* The constraints of 16 states at once, numbers of type float. */

#define LANE_REAL float
#define LANE_INT int32_t
#define LANES 16
#define REGISTER_BYTES 64
#include "target.h"
#ifdef LEFT_OUT
#include "lanes/work.h"
#else
#include "lanes/stages.h"
#endif

const LaneText lanes_f16 = {LANES, sizeof(LANE_REAL), COMPILED(find), COMPILED(solve), usable};
