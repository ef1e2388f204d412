/* The constraints of 8 states at once, numbers of type float. */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v3")
#define LANE_ARCH "x86-64-v3"
#endif
#define LANE_REAL float
#define LANE_INT int32_t
#define LANES 8
#define LANE_BYTES 32
#include "stages.h"

const LaneText lanes_f8 = {LANES, sizeof(LANE_REAL), find, solve, usable};
