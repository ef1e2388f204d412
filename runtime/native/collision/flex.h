#ifndef POLYBODY_FLEX_H
#define POLYBODY_FLEX_H

/* Flexes in collision detection: the bounding boxes of their elements.

   An element is the convex hull of its vertices, inflated by the radius of the flex. Each flex has a tree of
   bounding boxes over its elements. The tree's topology belongs to the Model; its boxes are refitted to the
   vertices' current positions. */

#include <string.h>
#include "collision/collision.h"

enum { CORNERS = 4 }; /* of an element, at most */
#define LARGER 1e-9 /* relative growth of a box that must contain others in spite of rounding */

/* A box by its centre and half widths. */
typedef struct {
    Vec middle, half;
} Box;

/* The extent of an element along the two axes perpendicular to a sweep, and the key of its end along the sweep. */
typedef struct {
    real low[2], high[2];
    uint64_t end;
} Bounds;

/* Flexes with given positions of their vertices, and work memory. */
typedef struct {
    const Collision *c;
    const Flexes *f;
    const real *geom_xpos, *geom_xmat, *vert;
    Box *box;       /* of every node of the trees */
    Box *around;    /* of every element */
    Bounds *bounds; /* of the elements that are active in the sweep */
    int *found;     /* elements found by a search */
    uint64_t *keys; /* where boxes begin along an axis, and space to sort them */
    Box *whole;     /* of every flex */
    int *known;     /* which boxes of every flex are computed: NO_BOXES, WHOLE_BOX or ALL_BOXES */
    Signals *signals;
} Pose;

enum { NO_BOXES, WHOLE_BOX, ALL_BOXES };

static inline size_t flex_work(const Flexes *f)
{
    return f ? sizeof(Box) * ((size_t)f->nnode + f->nelem + f->nflex) + sizeof(Bounds) * (size_t)f->nelem +
                   2 * sizeof(uint64_t) * (size_t)f->nelem +
                   sizeof(int) * (2 * (size_t)f->nelem + f->nflex) + 64
             : 0;
}

static inline Vec vertex_at(const Pose *p, const Flex *x, int vertex)
{
    const real *v = p->vert + 3 * (size_t)(x->vert + vertex);
    return vec(v[0], v[1], v[2]);
}

static inline const int *corners_of(const Pose *p, const Flex *x, int element)
{
    return p->f->corner + x->corner + (size_t)element * (x->dim + 1);
}

static inline int body_of_vertex(const Pose *p, const Flex *x, int vertex)
{
    return p->f->body[x->vert + vertex];
}

/* Whether an element may touch others of its flex: of tetrahedra, only those near the surface. */
static inline int is_active(const Pose *p, const Flex *x, int element)
{
    return x->dim < 3 || p->f->layer[x->elem + element] < x->layers;
}

static inline Vec lower(Vec a, Vec b) { return vec(minimum(a.x, b.x), minimum(a.y, b.y), minimum(a.z, b.z)); }
static inline Vec higher(Vec a, Vec b)
{
    return vec(maximum(a.x, b.x), maximum(a.y, b.y), maximum(a.z, b.z));
}

static inline Vec low_of(const Box *b) { return sub(b->middle, b->half); }
static inline Vec high_of(const Box *b) { return add(b->middle, b->half); }

static inline Box box_between(Vec low, Vec high)
{
    Box b = {scaled(.5, add(high, low)), scaled(.5, sub(high, low))};
    return b;
}

static inline Box grown(Box b, real by)
{
    b.half = add(b.half, vec(by, by, by));
    return b;
}

static inline Box joined(const Box *a, const Box *b)
{
    return box_between(lower(low_of(a), low_of(b)), higher(high_of(a), high_of(b)));
}

static inline int overlap(const Box *a, const Box *b)
{
    const Vec low = low_of(a), high = high_of(a), other_low = low_of(b), other_high = high_of(b);
    return low.x <= other_high.x && other_low.x <= high.x && low.y <= other_high.y && other_low.y <= high.y &&
           low.z <= other_high.z && other_low.z <= high.z;
}

/* Computes the bounding boxes of the elements of a flex and of the nodes of its tree, unless they are known. */
static void fit_boxes(const Pose *p, int flex)
{
    const Flex *x = p->f->flex + flex;
    if (p->known[flex] == ALL_BOXES)
        return;
    p->known[flex] = ALL_BOXES;
    for (int e = 0; e < x->nelem; e++) {
        const int *corner = corners_of(p, x, e);
        Vec low = vertex_at(p, x, corner[0]), high = low;
        for (int i = 1; i <= x->dim; i++) {
            Vec v = vertex_at(p, x, corner[i]);
            low = lower(low, v);
            high = higher(high, v);
        }
        p->around[x->elem + e] = grown(box_between(low, high), x->radius);
    }
    const FlexNode *node = p->f->node + x->node;
    Box *box = p->box + x->node;
    for (int n = x->nnode - 1; n >= 0; n--) {
        if (node[n].element >= 0)
            box[n] = p->around[x->elem + node[n].element];
        else
            box[n] = joined(box + node[n].child[0], box + node[n].child[1]);
    }
}

/* A box around all vertices of a flex, which needs no boxes of elements; slightly larger than that of its tree. */
static const Box *whole_box(const Pose *p, int flex)
{
    const Flex *x = p->f->flex + flex;
    Box *whole = p->whole + flex;
    if (p->known[flex] == NO_BOXES && x->nvert) {
        Vec low = vertex_at(p, x, 0), high = low;
        for (int v = 1; v < x->nvert; v++) {
            const Vec at = vertex_at(p, x, v);
            low = lower(low, at);
            high = higher(high, at);
        }
        const Vec size = sub(high, low), far = vec(fabs(low.x) + size.x, fabs(low.y) + size.y, fabs(low.z) + size.z);
        *whole = grown(box_between(low, high), x->radius + LARGER * (far.x + far.y + far.z));
        p->known[flex] = WHOLE_BOX;
    }
    return p->known[flex] == ALL_BOXES && x->nnode ? p->box + x->node : whole;
}

/* Whether a box intersects that around a flex; computes all boxes of the flex if so. */
static int reaches(const Pose *p, const Box *box, int flex)
{
    if (!overlap(box, whole_box(p, flex)))
        return 0;
    fit_boxes(p, flex);
    return 1;
}

/* Trees are balanced: this exceeds the sum of the depths of two trees of 2^31 elements. */
enum { DEEPEST = 128 };

static void sort_ints(int *x, int n)
{
    int gap = 1;
    while (gap < n / 3)
        gap = 3 * gap + 1;
    for (; gap > 0; gap /= 3) /* D. Shell, A high-speed sorting procedure */
        for (int i = gap; i < n; i++) {
            int own = x[i], j = i;
            for (; j >= gap && x[j - gap] > own; j -= gap)
                x[j] = x[j - gap];
            x[j] = own;
        }
}

/* Writes the elements of a flex whose boxes intersect a box, from element `first` on, ascending, to p->found.
   Returns their number. */
static int elements_in(const Pose *p, const Flex *x, const Box *box, int first)
{
    const FlexNode *node = p->f->node + x->node;
    const Box *boxes = p->box + x->node;
    int stack[DEEPEST], height = 0, n = 0;
    if (x->nnode)
        stack[height++] = 0;
    while (height) {
        int at = stack[--height];
        if (!overlap(boxes + at, box))
            continue;
        if (node[at].element >= 0) {
            if (node[at].element >= first)
                p->found[n++] = node[at].element;
            continue;
        }
        if (height + 2 <= DEEPEST) {
            stack[height++] = node[at].child[0];
            stack[height++] = node[at].child[1];
        }
    }
    sort_ints(p->found, n);
    return n;
}

#endif
