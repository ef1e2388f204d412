#ifndef POLYBODY_TREE_H
#define POLYBODY_TREE_H

/* The triangles of a mesh in a balanced binary tree of boxes. Node k has the children 2 k + 1 and 2 k + 2; the
   nodes of level l are 2^l - 1 and the following, and each has its even share of the triangles in their order:
   of n triangles the i-th of them has those from i n / 2^l on. */

#include "shape.h"

struct Tree {
    const float *vert;
    const int *face;  /* three rows of vert, in the order of the tree */
    const real *box;  /* of each node: lows, then highs */
    int count, levels; /* levels: the leaves are those of level `levels` */
};

enum { MOST_LEVELS = 30 };

static inline void corners_of_face(const struct Tree *t, int face, Vec *corner)
{
    for (int i = 0; i < 3; i++) {
        const float *v = t->vert + 3 * t->face[3 * face + i];
        corner[i] = vec(v[0], v[1], v[2]);
    }
}

/* A walk over the nodes that are not left out: the next node, whose children the caller may ask for. */
typedef struct {
    int node[MOST_LEVELS + 2], level[MOST_LEVELS + 2], depth;
} Walk;

static inline void start_walk(Walk *w)
{
    w->node[0] = w->level[0] = 0;
    w->depth = 1;
}

static inline void enter(Walk *w, int node, int level)
{
    w->node[w->depth] = node;
    w->level[w->depth++] = level;
}

/* The triangles of a leaf: from the first on, before the end. */
static inline void triangles_of(const struct Tree *t, int leaf, int *first, int *end)
{
    long long i = leaf - ((1 << t->levels) - 1);
    *first = (int)(i * t->count >> t->levels);
    *end = (int)((i + 1) * t->count >> t->levels);
}

#endif
