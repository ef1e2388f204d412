#ifndef POLYBODY_COLLISION_H
#define POLYBODY_COLLISION_H

/* What collision detection knows of a Model; table.pyx makes it. */

#include <stdint.h>
#include "field.h"
#include "tree.h"

/* How the contacts of two geoms act. */
typedef struct {
    real margin, includemargin;
    real friction[5], solref[2], solreffriction[2], solimp[5];
    int dim;
} Manner;

/* Two geoms that may touch, the one of the lower type first. Candidates are sorted by `bodies`, then by
   `order`. */
typedef struct {
    uint64_t bodies; /* the lower body, then the higher one */
    uint64_t order;  /* among the pairs of these bodies */
    real reach; /* farther apart than this the geoms cannot touch: of centres, or of a centre and a plane */
    int geom[2];
    int manner; /* row of the manners; -1: it is mixed from the two geoms */
    int plane;  /* whether the first geom is a plane */
} Candidate;

/* What collision detection needs to know of a geom. */
typedef struct {
    int type, body, weld, parent_weld; /* parent_weld: the weld of the parent of its weld */
    int contype, conaffinity, condim, priority, visible; /* visible: rays meet it */
    real size[3], bound, margin, gap, solmix;
    real solref[2], solimp[5], friction[3];
    real stiffness, damping, dissipation; /* N/m, N s/m, s/m; a stiffness of 0: solref and solimp hold */
    real weight;                          /* inverse of the mass that a force on its body accelerates, 1/kg */
} Collider;

/* The touches of two geoms of any shapes: programs call it where their text does not have the function. */
struct Collision;
typedef int (*General)(const struct Collision *c, const Candidate *p, const real *xpos, const real *xmat, real margin,
                       Touch *out);

/* Whether the Model has pairs of two such shapes, and pairs that the sweep finds: constants in a program for one Model. */
#ifdef POLYBODY_PROGRAM
#define MAY_MEET(one, other) ((POLYBODY_pairs) >> ((one) * SHAPES + (other)) & 1)
#define SWEEPS(c) POLYBODY_swept
#else
#define MAY_MEET(one, other) 1
#define SWEEPS(c) ((c)->nswept > 1)
#endif

/* What collision detection needs to know of a Model; it owns nothing. */
typedef struct Collision {
    int enabled; /* whether there are any contacts at all */
    int ngeom, nlisted, nswept, ngroup, nexclude, npair;
    const Collider *geom;
    const Manner *manner;
    const Candidate *listed; /* tested one by one, sorted */
    const int *swept;        /* geoms whose pairs with each other the sweep finds */
    const int *group;        /* of each of these: those of a group are welded together */
    const uint64_t *exclude; /* excluded pairs of bodies, sorted, as Candidate.bodies */
    const uint64_t *paired;  /* pairs of geoms, lower << 32 | higher, that explicit pairs name, sorted */
    const Hull *hull;        /* of each geom */
    const Grid *grid;        /* of each geom */
    const struct Field *field;
    const struct Tree *tree;
    General general;
    Search search;
    int filterparent, midphase, override;
    int friction_mixing;
    real timestep;
    const struct Flexes *flexes; /* NULL without */
    Manner o_manner; /* with `override`: what replaces margin, friction, solref, solreffriction and solimp */
} Collision;

#endif
