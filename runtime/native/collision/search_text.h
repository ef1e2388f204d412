#ifndef POLYBODY_SEARCH_TEXT_H
#define POLYBODY_SEARCH_TEXT_H

#include "collision/collision.h"

/* Searches compiled for one kind of register, and whether the processor has them. */
typedef struct {
    SearchAll search_all;
    int (*usable)(void);
} SearchText;

extern const SearchText searches_r64, searches_r32;

#endif
