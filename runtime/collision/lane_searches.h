#ifndef POLYBODY_LANE_SEARCHES_H
#define POLYBODY_LANE_SEARCHES_H

/* The contacts of several pairs of convex shapes: LANES pairs are searched at a time, each in its own lane, because a single search
   mostly waits for its previous result. */

#include "bounds.h"
#include "convex.h"

/* Pairs of convex shapes that are to be searched. */
typedef struct Searches {
    int count, order[AT_ONCE], place[AT_ONCE], kind[AT_ONCE];
    Shape a[AT_ONCE], b[AT_ONCE];
    real margin[AT_ONCE];
} Searches;

/* Searches at most LANES pairs; `out` receives their contacts. */
static void search_lanes(const Searches *s, const int *which, int count, Found *out)
{
    Convex a[LANES], b[LANES];
    Touch touches[LANES];
    unsigned remembered;
    EVERY_LANE (i) {
        const int n = which[i < count ? i : 0];
        a[i] = convex(s->a + n, s->margin[n] / 2);
        b[i] = convex(s->b + n, s->margin[n] / 2);
    }
    const Search *search = a->shape->search;
    const unsigned hits = count > 1 ? penetrations(a, b, count, search, touches, &remembered)
                                    : (unsigned)penetration(a, b, search, touches);
    for (int i = 0; i < count; i++) {
        Found *found = out + s->place[which[i]];
        found->count = 0;
        if (!(hits >> i & 1))
            continue;
        found->touch[0] = touches[i];
        found->count = touches_of_overlap(a + i, b + i, s->margin[which[i]], found->touch);
    }
}

/* Searches all pairs. */
static void search_all(const Searches *s, Found *out)
{
    for (int first = 0; first < s->count; first += LANES)
        search_lanes(s, s->order + first, s->count - first < LANES ? s->count - first : LANES, out);
}

#endif
