#ifndef POLYBODY_LANES_WORK_H
#define POLYBODY_LANES_WORK_H

/* What the constraints of several states at once are made of: tables of the Model, and memory of one block of states.

   This file knows no vectors, so that it is the same for every number of lanes. */

#include "../columns.h"

enum { TILE = 3, MOST_TILES = 64, MOST_DIRECTIONS = 6 };
enum { FRICTIONS = 6 }; /* of a contact: mu, then those of its directions */

/* A solref and a solimp, as they act. */
typedef struct { double K, B, low, high, width, middle, power; } Softness;

/* How the contacts of a candidate pair act. */
typedef struct { Softness normal, tangent; double margin, includemargin, friction[5], mu; int dim; } Surface;

/* The degrees of freedom that move two bodies against each other, by tiles; of each degree of freedom which of the bodies it
   moves: bit 0 the first, bit 1 the second. */
typedef struct { int tiles, tile[MOST_TILES]; unsigned char sides[MOST_TILES * TILE]; uint64_t mask; } Path;

/* Two bodies that a constraint acts between: by the degrees of freedom that move them last, -1: none. Where only one is moved
   it is the second, and `flip` says that it was the first. At `weight` are two vectors: how a force and a moment of 1 between
   the bodies accelerate them against each other. */
typedef struct { int node[2], root[2], body[2], lever, flip, path, weight; } Link;

typedef struct { double reach, reach2; int geom[2], kind, plane, surface, candidate; Link link; } Pair;

/* A constraint in directions of a wrench: a contact, a connection or a weld. */
typedef struct { int pair, held, dim, rows, row, wrench, curve, entry, friction; const Link *link; const Surface *surface; } Slot;

/* A row with few entries: of a limit, of dry friction, or of an equality of lengths. */
typedef struct { int count, entry; const int *column; double most; } Sparse;

/* Where the lower triangle of a matrix by tiles has the entry of two places, p >= q. */
static inline int entry_place(int p, int q)
{
    const int k = p / TILE, j = q / TILE;
    return TILE * TILE * (k * (k + 1) / 2 + j) + TILE * (p % TILE) + q % TILE;
}

#define POINTER_TO_LANES(name) void *name;
typedef struct { DATA_COLUMNS(POINTER_TO_LANES) } LaneColumns;

/* Where two geoms touch, at places (2, 3) and orientations (2, 9): how many, at most MOST_TOUCHES. One text for all lanes and for
   single states, since searches for contacts of convex shapes go other ways for the least rounding. */
typedef int (*Touches)(const Collision *c, const int *geom, const double *xpos, const double *xmat, double margin, Touch *out);

/* Vectors of the workspace, with how many of them there are: of a degree of freedom, of a row, and so on. */
#define LANE_VECTORS(V) \
    V(S, nv * 6) V(speed, nv * 6) V(load, nv * 6) V(momentum, nv) V(gradient, nv) V(direction, nv) V(moved, nv) V(step, ntile * 3) \
    V(shell, nv * 21) V(shift, nroot * 3) \
    V(hessian, nstored * 9) V(over, nstored * 9) V(under, nstored * 9) V(diagonal, ntile * 6) V(z, ntile * 3) \
    V(touch, most_slots * 11) V(wrench, most_wrench) V(entry, most_entry) V(curve, most_curve) \
    V(row_D, most_rows) V(row_aref, most_rows) V(row_residual, most_rows) V(row_search, most_rows) V(row_force, most_rows) \
    V(row_b, most_rows) V(row_old, most_rows) \
    V(friction, nmu * FRICTIONS) V(weight, nweight * 2) V(dof_weight, nv) V(tendon_weight, ntendon) V(inertia, 1)

typedef struct LaneWork {
    const Constraints *c;      /* the Model's columns and candidate pairs */
    Touches touches;           /* of other shapes than lanes know */
    LaneColumns d;             /* columns of the block, [scalar][lane] */
    const unsigned char *failed;
    const int *states;
    const unsigned char *eq_active; /* of each state of the batch, one after the other, which equalities hold */
    const int64_t *first;      /* the number of the first lane's state */
    int nv, ntile, nstored, nroot, npair, npath, nsurface, nlink, nmu, nweight;
    int own;                   /* lanes have Models of their own, whose frictions and masses differ */
    const Tables *const *tables; /* of each lane; NULL: all have those of `c` */
    const int *root;           /* bodies that points of reference are the places of */
    const int *dof_root;       /* of each degree of freedom which of them */
    const int *place;          /* of each degree of freedom its place in tiles */
    const int *dof_at;         /* of each place its degree of freedom, or -1 */
    const int *mass_at;        /* of each entry of M its place in the matrix of Newton's method */
    int *needed, nneeded;      /* degrees of freedom whose speeds rows ask for, ascending */
    unsigned char *marked;     /* of each degree of freedom */
    const uint64_t *tree;      /* of each tile those before it, and itself, that the mass matrix joins it with */
    const Pair *pair;
    const Path *path;
    const Surface *surface;
    const Link *link;          /* of each equality */
    const Softness *of_equality, *of_dof, *of_limit, *of_tendon, *of_tendon_limit;
    int *columns;              /* of equalities of two lengths, their degrees of freedom */
    Slot *slot;
    Sparse *sparse;
    int most_slots, most_sparse, most_rows, most_wrench, most_entry, most_curve;
    int need_slots;            /* so many slots must be available */
    int nslot, nsparse, nequality, nfriction, nheld, nrow, used_wrench, used_entry, used_curve;
    uint64_t row_mask[MOST_TILES], column_mask[MOST_TILES];
    int iterations;            /* that the last solve took in the lane that took most */
    void *vectors;             /* memory of all that follow */
#define VECTOR_POINTER(name, count) void *name;
    LANE_VECTORS(VECTOR_POINTER)
#undef VECTOR_POINTER
} LaneWork;

/* What is compiled for a number of lanes: a stage returns 0 where memory for slots is not enough. */
typedef struct {
    int lanes, bytes;
    int (*find)(LaneWork *w);
    void (*solve)(LaneWork *w);
    int (*usable)(void);
} LaneText;

extern const LaneText lanes_d8, lanes_d4, lanes_d2, lanes_f16, lanes_f8, lanes_f4;

#endif
