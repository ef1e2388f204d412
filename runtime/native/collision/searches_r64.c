/* Searches of eight pairs at a time, for registers of 64 bytes. */

#define REGISTER_BYTES 64
#include "target.h"
#if defined(__AVX512F__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off") /* the same bits as with other registers */
#define LANES 8
#endif
#include "collision/lane_searches.h"
#include "collision/search_text.h"

/* Whether the processor has these registers, and the compiler used them. */
static int has_eight_lanes(void) { return LANES == 8 && usable(); }

const SearchText searches_r64 = {search_all, has_eight_lanes};
