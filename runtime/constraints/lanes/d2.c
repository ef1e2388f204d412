/* The constraints of 2 states at once, numbers of type double. */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v2")
#define LANE_ARCH "x86-64-v2"
#endif
#define LANE_REAL double
#define LANE_INT int64_t
#define LANES 2
#define LANE_BYTES 16
#include "stages.h"

const LaneText lanes_d2 = {LANES, sizeof(LANE_REAL), find, solve, usable};
