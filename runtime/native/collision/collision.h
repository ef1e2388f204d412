#ifndef POLYBODY_COLLISION_H
#define POLYBODY_COLLISION_H

/* What collision detection needs of a Model: the records of the contract, which table.pyx builds, and facts about pairs. */

#include <stdint.h>
#include "collision/field.h"
#include "signals.h"
#include "collision/tree.h"

/* Maximum number of candidates that are searched together; `count` of a Found whose pair was not searched. */
enum { AT_ONCE = 16, UNKNOWN = -1 };

/* Whether the Model has pairs of these two shapes, pairs for which searches take iterations, and pairs found by the sweep, and its
   release: constants in a program for one Model. */
#ifdef POLYBODY_PROGRAM
#define MAY_MEET(one, other) ((POLYBODY_pairs) >> ((one) * SHAPE_COUNT + (other)) & 1)
#define SEARCHES(c) POLYBODY_searched
#define SWEEPS(c) POLYBODY_swept
#define RELEASE_OF(c) POLYBODY_release
#else
#define MAY_MEET(one, other) 1
#define SEARCHES(c) ((c)->searched)
#define SWEEPS(c) ((c)->nswept > 1)
#define RELEASE_OF(c) ((c)->release)
#endif

#endif
