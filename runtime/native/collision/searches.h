#ifndef POLYBODY_SEARCHES_H
#define POLYBODY_SEARCHES_H

/* Which candidates are searched together (lane_searches.h). */

#include "collision/collide.h"
#include "collision/lane_searches.h"
#include "collision/narrow.h"

/* Adds a pair; pairs of the same kinds of shapes become neighbours. */
static void add_search(Searches *s, const Shape *a, const Shape *b, real margin, int place)
{
    const int n = s->count++, kind = SHAPE_COUNT * a->type + b->type;
    int i = n;
    s->a[n] = *a;
    s->b[n] = *b;
    s->margin[n] = margin;
    s->place[n] = place;
    s->kind[n] = kind;
    for (; i > 0 && s->kind[s->order[i - 1]] > kind; i--)
        s->order[i] = s->order[i - 1];
    s->order[i] = n;
}

/* The contacts of those candidates for which iterative searches are needed. */
static void search_pairs(const Collision *c, const Candidate *const *candidates, int count, const real *xpos, const real *xmat,
                         Found *out)
{
    Searches s;
    s.count = 0;
    for (int i = 0; i < count; i++) {
        const Candidate *p = candidates[i];
        out[i].count = UNKNOWN;
        if (narrow_of(c, c->geom[p->geom[0]].type, c->geom[p->geom[1]].type) != convex_convex || is_empty(c, p->geom[0]) ||
            is_empty(c, p->geom[1]))
            continue;
        const Shape a = shape_of(c, p->geom[0], xpos, xmat), b = shape_of(c, p->geom[1], xpos, xmat);
        const real margin = margin_of_pair(c, p);
        if (boxes_apart(&a, &b, margin))
            out[i].count = 0;
        else
            add_search(&s, &a, &b, margin, i);
    }
    c->search_all(&s, out);
}

/* Whether some pairs of the Model need such searches. */
static int needs_searches(const Collision *c)
{
    unsigned kinds = 0;
    for (int i = 0; i < c->nswept; i++)
        kinds |= 1u << c->geom[c->swept[i]].type;
    for (int one = 0; one < SHAPE_COUNT; one++)
        for (int other = one; other < SHAPE_COUNT; other++)
            if ((kinds >> one & kinds >> other & 1) && narrow_of(c, one, other) == convex_convex)
                return !c->search.native;
    for (int i = 0; i < c->nlisted; i++) {
        const int *geom = c->listed[i].geom;
        if (narrow_of(c, c->geom[geom[0]].type, c->geom[geom[1]].type) == convex_convex)
            return !c->search.native;
    }
    return 0;
}

#endif
