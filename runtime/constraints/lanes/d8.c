/* The constraints of 8 states at once, numbers of type double. */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4")
#define LANE_ARCH "x86-64-v4"
#endif
#define LANE_REAL double
#define LANE_INT int64_t
#define LANES 8
#define LANE_BYTES 64
#include "stages.h"

const LaneText lanes_d8 = {LANES, sizeof(LANE_REAL), find, solve, usable};
