/* Searches of four pairs at a time, for registers of 32 bytes. */

#define REGISTER_BYTES 32
#include "target.h"
#if defined(__AVX2__) && defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("fp-contract=off") /* the same bits as with other registers */
#endif
#ifndef LEFT_OUT
#include "collision/lane_searches.h"
#endif
#include "collision/search_text.h"

const SearchText searches_r32 = {COMPILED(search_all), usable};
