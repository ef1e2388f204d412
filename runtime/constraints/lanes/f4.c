/* The constraints of 4 states at once, numbers of type float. */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v2")
#define LANE_ARCH "x86-64-v2"
#endif
#define LANE_REAL float
#define LANE_INT int32_t
#define LANES 4
#define LANE_BYTES 16
#include "stages.h"

const LaneText lanes_f4 = {LANES, sizeof(LANE_REAL), find, solve, usable};
