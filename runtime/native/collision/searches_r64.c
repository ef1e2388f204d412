/* Searches of eight pairs at a time, for registers of 64 bytes. */

#define REGISTER_BYTES 64
#include "target.h"
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off") /* the same bits as with other registers */
#define LANES 8
#define EIGHT 1
#else
#define EIGHT 0
#endif
#ifndef LEFT_OUT
#include "collision/lane_searches.h"
#endif
#include "collision/search_text.h"

/* Whether the processor has these registers, and the compiler used them. */
static int has_eight_lanes(void) { return EIGHT && usable(); }

const SearchText searches_r64 = {COMPILED(search_all), has_eight_lanes};
