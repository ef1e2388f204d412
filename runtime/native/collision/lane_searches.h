#ifndef POLYBODY_LANE_SEARCHES_H
#define POLYBODY_LANE_SEARCHES_H

/* The contacts of several pairs of convex shapes: LANES pairs are searched at a time, each in its own lane, because a single search
   mostly waits for its previous result. */

#include "collision/bounds.h"
#include "collision/convex.h"

/* Pairs of convex shapes that are to be searched. */
struct Searches {
    int count, order[AT_ONCE], place[AT_ONCE], kind[AT_ONCE];
    Shape a[AT_ONCE], b[AT_ONCE];
    real margin[AT_ONCE];
};

/* Searches all pairs; `out` receives their contacts. */
static void search_all(const Searches *s, Found *out)
{
    Convex a[AT_ONCE], b[AT_ONCE];
    Touch touches[AT_ONCE];
    unsigned remembered;
    if (!s->count)
        return;
    for (int i = 0; i < s->count; i++) {
        const int n = s->order[i];
        a[i] = convex(s->a + n, s->margin[n] / 2);
        b[i] = convex(s->b + n, s->margin[n] / 2);
    }
    const Search *search = s->a->search;
    const unsigned hits = s->count > 1 ? penetrations(a, b, s->count, search, touches, &remembered)
                                       : (unsigned)penetration(a, b, search, touches);
    for (int i = 0; i < s->count; i++) {
        Found *found = out + s->place[s->order[i]];
        found->count = 0;
        if (!(hits >> i & 1))
            continue;
        found->touch[0] = touches[i];
        found->count = touches_of_overlap(a + i, b + i, s->margin[s->order[i]], found->touch);
    }
}

#endif
