#ifndef POLYBODY_COLLISION_H
#define POLYBODY_COLLISION_H

/* The data of a Model that collision detection needs; built by table.pyx. */

#include <stdint.h>
#include "collision/contact.h"
#include "collision/field.h"
#include "signals.h"
#include "collision/tree.h"

/* Parameters of the contacts of two geoms. */
typedef struct {
    real margin, includemargin;
    real friction[5], solref[2], solreffriction[2], solimp[5];
    int dim;
} Manner;

/* Two geoms that may touch, the geom of the lower type first. Candidates are sorted by `bodies`, then by
   `order`. */
typedef struct {
    uint64_t bodies; /* lower body << 32 | higher body */
    uint64_t order;  /* rank among the pairs of these bodies */
    real reach; /* the geoms cannot touch if the distance of their centres, or of a centre and a plane,
                   exceeds this */
    int geom[2];
    int manner; /* row of the table of parameters; -1: they are mixed from those of the two geoms */
    int plane;  /* whether the first geom is a plane */
} Candidate;

/* The data of a geom. */
typedef struct {
    int type, body, weld, parent_weld; /* parent_weld: the weld of the parent of its weld */
    int contype, conaffinity, condim, priority, visible; /* visible: rays meet it */
    real size[3], bound;
    real effort; /* work of a search for contacts, as in signals.h, at most */
    real margin, gap, solmix;
    real solref[2], solimp[5], friction[3];
    real stiffness, damping, dissipation; /* N/m, N s/m, s/m; stiffness 0: solref and solimp apply */
    real weight;                          /* inverse of the mass accelerated by a force on its body, 1/kg */
} Collider;

/* Computes the contacts of two geoms of any shapes. Programs call it for pairs of shapes whose functions they
   do not include. */
struct Collision;
typedef int (*General)(const struct Collision *c, const Candidate *p, const real *xpos, const real *xmat, real margin,
                       Touch *out);

/* Contacts that were searched for before: their number, or UNKNOWN if they were not. */
enum { AT_ONCE = 16, MOST_FOUND = 5, UNKNOWN = -1 };
typedef struct {
    int count;
    Touch touch[MOST_FOUND];
} Found;

/* Searches for the contacts of those of `count` candidates, at most AT_ONCE, for which it takes iterations. */
typedef void (*Searching)(const struct Collision *c, const Candidate *const *candidates, int count, const real *xpos,
                          const real *xmat, Found *out);

/* Searches for the contacts of all of some pairs. */
struct Searches;
typedef void (*SearchAll)(const struct Searches *s, Found *out);

/* The functions that other modules call; `table` alone compiles them, because that takes long. For their arguments see
   collide_all, touches_of_geoms, geom_distance and nearest_hit. */
typedef struct {
    int (*contacts)(const struct Collision *c, const real *geom_xpos, const real *geom_xmat, const real *vert, void *work,
                    Contact *out, int capacity, Signals *signals);
    int (*touches)(const struct Collision *c, const int *geom, const real *xpos, const real *xmat, real margin, Touch *out);
    real (*distance)(const struct Collision *c, int geom1, int geom2, const real *xpos, const real *xmat, real cutoff,
                     real *fromto);
    real (*hit)(const struct Collision *c, const real *xpos, const real *xmat, Vec from, Vec way,
                const unsigned char *counted, int body, int *geom);
} Calls;

/* Whether the Model has pairs of these two shapes, pairs for which searches take iterations, and pairs found by the sweep: constants
   in a program for one Model. */
#ifdef POLYBODY_PROGRAM
#define MAY_MEET(one, other) ((POLYBODY_pairs) >> ((one) * SHAPE_COUNT + (other)) & 1)
#define SEARCHES(c) POLYBODY_searched
#define SWEEPS(c) POLYBODY_swept
#else
#define MAY_MEET(one, other) 1
#define SEARCHES(c) ((c)->searched)
#define SWEEPS(c) ((c)->nswept > 1)
#endif

/* The data of a Model that collision detection needs. All pointers are borrowed. */
typedef struct Collision {
    int enabled; /* whether contacts are enabled */
    int ngeom, nlisted, nswept, ngroup, nexclude, npair;
    const Collider *geom;
    const Manner *manner;
    const Candidate *listed; /* tested one by one, sorted */
    const int *swept;        /* geoms whose pairs with each other are found by the sweep */
    const int *group;        /* of each of these: geoms of a group are welded together */
    const uint64_t *exclude; /* excluded pairs of bodies, sorted, as Candidate.bodies */
    const uint64_t *paired;  /* pairs of geoms, lower << 32 | higher, with explicit parameters, sorted */
    const Hull *hull;        /* of each geom */
    const Grid *grid;        /* of each geom */
    const struct Field *field;
    const struct Tree *tree;
    General general;
    Search search;
    int filterparent, midphase, override;
    int friction_mixing;
    real timestep;
    const struct Flexes *flexes; /* or NULL */
    Manner o_manner; /* with `override`: replaces margin, friction, solref, solreffriction and solimp */
    int searched;    /* whether there are pairs for which searches take iterations */
    Searching search_pairs;
    SearchAll search_all; /* for the registers of the processor */
    const Calls *calls;
} Collision;

#endif
