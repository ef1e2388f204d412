#ifndef POLYBODY_TREE_H
#define POLYBODY_TREE_H

/* The triangles of a mesh in a balanced binary tree of bounding boxes. The children of node k are 2k + 1 and
   2k + 2. Level l has the 2^l nodes from 2^l - 1 on, which share the n triangles evenly in their order: node
   i of the level begins at triangle i n / 2^l. */

#include "collision/shape.h"

enum { MAX_LEVELS = 30 };

static inline void triangle_at(const struct Tree *t, int face, Vec *corner)
{
    for (int i = 0; i < 3; i++) {
        const float *v = t->vert + 3 * t->face[3 * face + i];
        corner[i] = vec(v[0], v[1], v[2]);
    }
}

/* A traversal of the nodes that are not pruned: the next node, whose children the caller may request. */
typedef struct {
    int node[MAX_LEVELS + 2], level[MAX_LEVELS + 2], depth;
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

/* The triangles of a leaf: the first one, and the end (exclusive). */
static inline void triangles_of(const struct Tree *t, int leaf, int *first, int *end)
{
    long long i = leaf - ((1 << t->levels) - 1);
    *first = (int)(i * t->count >> t->levels);
    *end = (int)((i + 1) * t->count >> t->levels);
}

#endif
