/* The constraints of 16 states at once, numbers of type float. */

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC target("arch=x86-64-v4")
#define LANE_ARCH "x86-64-v4"
#endif
#define LANE_REAL float
#define LANE_INT int32_t
#define LANES 16
#define LANE_BYTES 64
#include "stages.h"

const LaneText lanes_f16 = {LANES, sizeof(LANE_REAL), find, solve, usable};
