#ifndef POLYBODY_LANES_WORK_H
#define POLYBODY_LANES_WORK_H

/* Data of the constraints of several states at once: tables of the Model, and the memory of one block of
   states.

   This file has no vector types, so that it is the same for every number of lanes. */

#include "formulas/single.h"
#include "rows/columns.h"

enum { TILE = 3, MAX_TILES = 64, MAX_DIRECTIONS = 6 };
enum { TREE_VECTORS = 48 };    /* of each tree: see trees.h */
enum { FRICTIONS = 6 }; /* of a contact: mu, then the frictions of its directions */

/* Solref and solimp after conversion. */
typedef struct { Solimp solimp; Stiffness stiffness; } Softness;

/* Contact parameters of a candidate pair. */
typedef struct { Softness normal, tangent; double margin, includemargin, friction[5], mu; int dim; } Surface;

/* The degrees of freedom that move two bodies relative to each other, in tiles; for each, the bodies that it
   moves: bit 0 the first, bit 1 the second. */
typedef struct { int tiles, tile[MAX_TILES]; unsigned char sides[MAX_TILES * TILE]; uint64_t mask; } Path;

/* The two bodies of a constraint, represented by the last degrees of freedom that move them, -1: none. If
   only one body moves, it is the second, and `flip` tells that it was the first. `weight` is the index of two
   vectors: inverse inertia of the relative motion for a force and for a moment. */
typedef struct { int node[2], root[2], body[2], lever, flip, path, weight; } Link;

typedef struct { double reach, reach2; int geom[2], kind, plane, surface, candidate; Link link; } Pair;

/* A constraint defined by directions of a wrench: a contact, a connection or a weld. */
typedef struct { int pair, held, dim, rows, row, wrench, curve, entry, friction; const Link *link; const Surface *surface; } Slot;

/* A row with few entries: a limit, dry friction, or an equality of lengths. */
typedef struct { int count, entry; const int *column; double most; } Sparse;

/* Index of the entry of two positions, p >= q, in the lower triangle of a tiled matrix. */
static inline int entry_place(int p, int q)
{
    const int k = p / TILE, j = q / TILE;
    return TILE * TILE * (k * (k + 1) / 2 + j) + TILE * (p % TILE) + q % TILE;
}

#define POINTER_TO_LANES(name) void *name;
typedef struct { DATA_COLUMNS(POINTER_TO_LANES) } LaneColumns;

/* Contacts of two geoms at positions (2, 3) and orientations (2, 9); returns their number, at most
   MAX_TOUCHES. Lanes and single states share one compiled function, since searches for contacts of convex
   shapes diverge at the smallest rounding difference. */
typedef int (*Touches)(const Collision *c, const int *geom, const double *xpos, const double *xmat, double margin, Touch *out);

/* Vectors of the workspace, with their lengths: per degree of freedom, per row, and so on. */
#define LANE_VECTORS(V) \
    V(S, nv * 6) V(speed, nv * 6) V(load, nv * 6) V(momentum, nv) V(gradient, nv) V(direction, nv) V(moved, nv) V(step, ntile * 3) \
    V(shell, nv * 21) V(shift, nroot * 3) \
    V(hessian, nstored * 9) V(over, nstored * 9) V(under, nstored * 9) V(diagonal, ntile * 6) V(z, ntile * 3) \
    V(touch, most_slots * 11) V(wrench, most_wrench) V(entry, most_entry) V(curve, most_curve) \
    V(row_D, most_rows) V(row_aref, most_rows) V(row_residual, most_rows) V(row_search, most_rows) V(row_force, most_rows) \
    V(row_b, most_rows) V(row_old, most_rows) \
    V(friction, nmu * FRICTIONS) V(weight, nweight * 2) V(dof_weight, nv) V(tendon_weight, ntendon) V(inertia, 1) \
    V(trees, ntree * TREE_VECTORS) V(joined, ntree * (ntree - 1) / 2)

typedef struct LaneWork {
    const Constraints *c;      /* the Model's columns and candidate pairs */
    Touches touches;           /* of shapes that lanes do not support */
    LaneColumns d;             /* columns of the block, [scalar][lane] */
    const unsigned char *failed;
    const int *states;
    const unsigned char *eq_active; /* active equalities of each state of the batch, consecutive */
    const int64_t *first;      /* index of the first lane's state */
    int nv, ntile, nstored, nroot, ntree, npair, npath, nsurface, nlink, nmu, nweight;
    int own;                   /* lanes have their own Models, with different frictions and masses */
    const Tables *const *tables; /* of each lane; NULL: all share those of `c` */
    const int *root;           /* bodies whose positions are the reference points */
    const int *dof_root;       /* reference point of each degree of freedom */
    const int *place;          /* position of each degree of freedom in the tiles */
    const int *dof_at;         /* degree of freedom at each position, or -1 */
    const int *mass_at;        /* position of each entry of M in the Hessian of Newton's method */
    int *needed, nneeded;      /* degrees of freedom whose velocities are needed by rows, ascending */
    unsigned char *marked;     /* of each degree of freedom */
    const uint64_t *tree;      /* of each tile, the earlier tiles and itself that have entries in M */
    const Pair *pair;
    const Path *path;
    const Surface *surface;
    const Link *link;          /* of each equality */
    const Softness *of_equality, *of_dof, *of_limit, *of_tendon, *of_tendon_limit;
    int *columns;              /* degrees of freedom of equalities between two lengths */
    Slot *slot;
    Sparse *sparse;
    int *row_tree;             /* a tree that each row acts on */
    int *join, njoined;        /* trees that are in one island in some lanes: the first one of the island, and another */
    int most_slots, most_sparse, most_rows, most_wrench, most_entry, most_curve;
    int need_slots;            /* required number of slots */
    int nslot, nsparse, nequality, nfriction, nheld, nrow, used_wrench, used_entry, used_curve;
    uint64_t row_mask[MAX_TILES], column_mask[MAX_TILES];
    int iterations;            /* of the last solve, maximum over lanes */
    void *vectors;             /* memory of all vectors below */
#define VECTOR_POINTER(name, count) void *name;
    LANE_VECTORS(VECTOR_POINTER)
#undef VECTOR_POINTER
} LaneWork;

/* Functions compiled for a number of lanes; a stage returns 0 if the memory for slots is insufficient. */
typedef struct {
    int lanes, bytes;
    int (*find)(LaneWork *w);
    void (*solve)(LaneWork *w);
    int (*usable)(void);
} LaneText;

/* Whether a signal ends the search or the solve; the constraints of a worker have its own counter of work. */
static inline int lanes_are_ended(const LaneWork *w, double work) { return is_ended((Signals *)&w->c->signals, work); }

extern const LaneText lanes_d8, lanes_d4, lanes_d2, lanes_f16, lanes_f8, lanes_f4;

#endif
