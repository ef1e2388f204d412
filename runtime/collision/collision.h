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
} Collider;

/* What collision detection needs to know of a Model; it owns nothing. */
typedef struct {
    int enabled; /* whether there are any contacts at all */
    int ngeom, nlisted, nswept, nexclude, npair;
    const Collider *geom;
    const Manner *manner;
    const Candidate *listed; /* tested one by one, sorted */
    const int *swept;        /* geoms whose pairs with each other the sweep finds */
    const uint64_t *exclude; /* excluded pairs of bodies, sorted, as Candidate.bodies */
    const uint64_t *paired;  /* pairs of geoms, lower << 32 | higher, that explicit pairs name, sorted */
    const Hull *hull;        /* of each geom */
    const Grid *grid;        /* of each geom */
    const struct Field *field;
    const struct Tree *tree;
    Search search;
    int filterparent, midphase, override;
    const struct Flexes *flexes; /* NULL without */
    Manner o_manner; /* with `override`: what replaces margin, friction, solref, solreffriction and solimp */
} Collision;

#endif
