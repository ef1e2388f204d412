#ifndef POLYBODY_FLEX_COLLIDE_H
#define POLYBODY_FLEX_COLLIDE_H

/* The contacts of geoms and flexes, in MuJoCo's order: contacts of a body with flexes come after those with
   other bodies; contacts of a flex with itself come last. */

#include "collision/collide.h"
#include "collision/flex_narrow.h"

/* The list of contacts being built; `n` also counts those beyond the capacity. */
typedef struct {
    Contact *out;
    int n, capacity;
    int later; /* number of contacts of geoms that come after those being added */
} List;

/* One side of a contact: a geom, or a flex with an element or a vertex. */
typedef struct {
    int geom, flex, elem, vert;
} Side;

static void append(List *list, const Touch *t, const Manner *m, Side a, Side b)
{
    if (!is_finite(t))
        return;
    if (list->n < list->capacity) {
        Contact *c = list->out + list->n;
        const Side sides[2] = {a, b};
        const Axes frame = frame_of(t);
        write_contact(t, &frame, m, a.geom, b.geom, c);
        for (int i = 0; i < 2; i++) {
            c->flex[i] = sides[i].flex;
            c->elem[i] = sides[i].elem;
            c->vert[i] = sides[i].vert;
        }
    }
    list->n++;
}

static void append_all(List *list, const Touch *t, int count, const Manner *m, Side a, Side b)
{
    for (int i = 0; i < count; i++)
        append(list, t + i, m, a, b);
}

static inline Side of_geom(int geom) { Side s = {geom, -1, -1, -1}; return s; }
static inline Side of_element(int flex, int element) { Side s = {-1, flex, element, -1}; return s; }
static inline Side of_vertex(int flex, int vertex) { Side s = {-1, flex, -1, vertex}; return s; }

/* Whether a signal has ended the search, asked before each search for the contacts of an element with something else, whose work
   in signals.h is given. */
static inline int is_ended_before(const Pose *p, real work) { return is_ended(p->signals, work + 100. * p->c->search.iterations); }

/* Whether the maximum number of contacts is reached; applies only to planes and to contacts inside
   tetrahedra. */
static inline int is_full(const Pose *p, const List *list) { return p->f->most >= 0 && list->n - list->later >= p->f->most; }

static void plane_flex(const Pose *p, int geom, int flex, List *list)
{
    const Flex *x = p->f->flex + flex;
    Shape plane = shape_of(p->c, geom, p->geom_xpos, p->geom_xmat);
    Manner m = mixed(p->c, p->c->geom + geom, &x->collider);
    for (int v = 0; v < x->nvert; v++) {
        Touch t;
        if (!ball_on_plane(plane.pos, plane.axes.z, vertex_at(p, x, v), x->radius, m.margin, &t))
            continue;
        if (is_full(p, list))
            return;
        append(list, &t, &m, of_geom(geom), of_vertex(flex, v));
    }
}

/* A bounding box of a geom; infinite if the geom is unbounded. */
static Box box_of(const Shape *s)
{
    Vec bound = vec(s->bound, s->bound, s->bound);
    Box b = {s->pos, bound};
    if (s->type == SHAPE_HFIELD || s->type >= SHAPE_SDF)
        return b;
    Convex c = convex(s, 0);
    Vec low = vec(support(&c, vec(-1, 0, 0)).x, support(&c, vec(0, -1, 0)).y, support(&c, vec(0, 0, -1)).z);
    Vec high = vec(support(&c, vec(1, 0, 0)).x, support(&c, vec(0, 1, 0)).y, support(&c, vec(0, 0, 1)).z);
    return box_between(low, high);
}

/* Whether an element has a vertex attached to a body. */
static int is_on_body(const Pose *p, const Flex *x, int element, int body)
{
    const int *corner = corners_of(p, x, element);
    for (int i = 0; i <= x->dim; i++)
        if (body_of_vertex(p, x, corner[i]) == body)
            return 1;
    return 0;
}

static void geom_flex(const Pose *p, int geom, int flex, List *list)
{
    const Flex *x = p->f->flex + flex;
    if (is_empty(p->c, geom) || p->c->geom[geom].type >= SHAPE_SDF)
        return;
    Shape shape = shape_of(p->c, geom, p->geom_xpos, p->geom_xmat);
    Manner m = mixed(p->c, p->c->geom + geom, &x->collider);
    Box box = grown(box_of(&shape), m.margin);
    if (!reaches(p, &box, flex))
        return;
    const int n = elements_in(p, x, &box, 0);
    for (int i = 0; i < n; i++) {
        const int element = p->found[i];
        if (is_on_body(p, x, element, p->c->geom[geom].body))
            continue;
        if (is_ended_before(p, p->c->geom[geom].effort))
            return;
        Touch touches[MAX_TOUCHES];
        const int count = geom_element(p, &shape, x, element, m.margin, touches);
        append_all(list, touches, count, &m, of_geom(geom), of_element(flex, element));
    }
}

/* Whether two elements have vertices attached to the same body, as neighbours do. */
static int share_body(const Pose *p, const Flex *a, int one, const Flex *b, int other)
{
    const int *corner = corners_of(p, a, one), *across = corners_of(p, b, other);
    int body[CORNERS], shared = 0;
    for (int i = 0; i <= a->dim; i++)
        body[i] = body_of_vertex(p, a, corner[i]);
    for (int j = 0; j <= b->dim; j++) {
        const int own = body_of_vertex(p, b, across[j]);
        for (int i = 0; i <= a->dim; i++)
            shared |= body[i] == own;
    }
    return shared;
}

/* Whether two lists of n vertices have one in common. */
static inline int share_number(const int *one, const int *other, const int n)
{
    int shared = 0;
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n; i++)
            shared |= one[i] == other[j];
    return shared;
}

/* Whether two elements of a flex have a vertex in common. Most pairs that are near each other have, so this is tested first. */
static inline int share_vertex(const Pose *p, const Flex *x, int one, int other)
{
    const int *corner = corners_of(p, x, one), *across = corners_of(p, x, other);
    switch (x->dim) { /* constants, so that compilers unroll the loops */
    case 1: return share_number(corner, across, 2);
    case 2: return share_number(corner, across, 3);
    default: return share_number(corner, across, 4);
    }
}

/* Two elements of two flexes, or of one flex. Contacts within a flex have neither margin nor gap. */
static void two_elements(const Pose *p, int f, int one, int g, int other, const Manner *m, List *list)
{
    const Flex *a = p->f->flex + f, *b = p->f->flex + g;
    const real margin = f == g ? 0 : m->margin;
    if (f == g && share_vertex(p, a, one, other))
        return;
    const Box box = grown(p->around[a->elem + one], margin);
    if (!overlap(&box, p->around + b->elem + other))
        return;
    if (share_body(p, a, one, b, other) || is_ended_before(p, 0))
        return;
    Touch touches[MAX_TOUCHES];
    const int count = element_element(p, a, one, b, other, margin, touches);
    append_all(list, touches, count, m, of_element(f, one), of_element(g, other));
}

static void two_flexes(const Pose *p, int f, int g, List *list)
{
    const Flex *a = p->f->flex + f, *b = p->f->flex + g;
    const Manner m = mixed(p->c, &a->collider, &b->collider);
    const FlexNode *node = p->f->node + a->node;
    if (!a->nnode || !b->nnode)
        return;
    const Box whole = grown(*whole_box(p, g), m.margin);
    if (!reaches(p, &whole, f))
        return;
    fit_boxes(p, g);
    const Box all = grown(p->box[b->node], m.margin);
    if (!overlap(&all, p->box + a->node))
        return;
    int *listed = (int *)(p->keys + 2 * (size_t)p->f->nelem); /* the elements of the first flex, in the order
                                                                 of its tree */
    int count = 0;
    for (int i = 0; i < a->nnode; i++)
        if (node[i].element >= 0 && overlap(&all, p->around + a->elem + node[i].element))
            listed[count++] = node[i].element;
    sort_ints(listed, count);
    for (int i = 0; i < count; i++) {
        const Box box = grown(p->around[a->elem + listed[i]], m.margin);
        const int n = elements_in(p, b, &box, 0);
        for (int k = 0; k < n; k++)
            two_elements(p, f, listed[i], g, p->found[k], &m, list);
    }
}

/* --- a flex with itself ----------------------------------------------------------------------------------- */

static void inside_flex(const Pose *p, int flex, List *list)
{
    static const int SIDES[4][4] = {{0, 1, 2, 3}, {0, 2, 3, 1}, {0, 3, 1, 2}, {1, 3, 2, 0}};
    const Flex *x = p->f->flex + flex;
    Manner m = mixed(p->c, &x->collider, &x->collider);
    m.includemargin = 0;
    fit_boxes(p, flex);
    for (int i = 0; i < x->npair; i++) {
        const int element = p->f->beyond[2 * (x->pair + i)], vertex = p->f->beyond[2 * (x->pair + i) + 1];
        const Box *around = p->around + x->elem + element;
        const Vec v = vertex_at(p, x, vertex);
        const Box ball = grown(box_between(v, v), m.margin + x->radius);
        Touch touches[MAX_TOUCHES];
        if (!overlap(&ball, around))
            continue;
        const int count = vertex_element(p, x, vertex, element, touches);
        append_all(list, touches, count, &m, of_vertex(flex, vertex), of_element(flex, element));
    }
    m.dim = 1;
    for (int e = 0; x->dim == 3 && e < x->nelem; e++) {
        const int *corner = corners_of(p, x, e);
        for (int k = 0; k < 4; k++) {
            const int side[3] = {corner[SIDES[k][0]], corner[SIDES[k][1]], corner[SIDES[k][2]]};
            Touch t;
            if (!vertex_through_side(p, x, side, corner[SIDES[k][3]], &t))
                continue;
            if (is_full(p, list))
                return;
            append(list, &t, &m, of_element(flex, e), of_vertex(flex, corner[SIDES[k][3]]));
        }
    }
}

/* Every pair of elements, lower index first. */
static void narrow_self(const Pose *p, int flex, const Manner *m, List *list)
{
    const Flex *x = p->f->flex + flex;
    for (int e = 0; e < x->nelem; e++) {
        if (!is_active(p, x, e))
            continue;
        const int n = elements_in(p, x, p->around + x->elem + e, e + 1);
        for (int k = 0; k < n; k++)
            if (is_active(p, x, p->found[k]))
                two_elements(p, flex, e, flex, p->found[k], m, list);
    }
}

/* The size by which MuJoCo compares nodes, from the half widths and the centre of its box. It affects only
   the order of contacts. */
static inline real extent_of(const Box *b)
{
    const Vec d = sub(b->half, b->middle);
    return d.x * d.y + d.y * d.z + d.z * d.x;
}

/* The tree against itself, in MuJoCo's order: the larger node is expanded, its second child is visited
   first. */
static void tree_self(const Pose *p, int flex, const Manner *m, List *list)
{
    const Flex *x = p->f->flex + flex;
    const FlexNode *node = p->f->node + x->node;
    const Box *box = p->box + x->node;
    int stack[DEEPEST][2], height = 0;
    if (x->nnode) {
        stack[0][0] = stack[0][1] = 0;
        height = 1;
    }
    while (height) {
        height--;
        const int one = stack[height][0], other = stack[height][1];
        if (one > other || !overlap(box + one, box + other))
            continue;
        const int first = node[one].element, second = node[other].element;
        if (first >= 0 && second >= 0) {
            two_elements(p, flex, first, flex, second, m, list);
            continue;
        }
        const int open_first = second >= 0 || (first < 0 && extent_of(box + one) > extent_of(box + other));
        for (int i = 0; i < 2 && height < DEEPEST; i++, height++) {
            stack[height][0] = open_first ? node[one].child[i] : one;
            stack[height][1] = open_first ? other : node[other].child[i];
        }
    }
}

/* The bits of a number in single precision, mapped so that integer order is the order of the numbers. */
static inline uint64_t single_bits(real x)
{
    const float single = (float)x;
    uint32_t bits;
    memcpy(&bits, &single, sizeof bits);
    if (single == 0)
        bits = 0;
    return bits >> 31 ? (uint32_t)~bits : bits | (uint32_t)1 << 31;
}

/* Sorts n keys by merging; `spare` has space for n keys. Returns the array that holds the result. */
static uint64_t *merged(uint64_t *keys, uint64_t *spare, size_t n)
{
    for (size_t width = 1; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            const size_t middle = start + width < n ? start + width : n;
            const size_t end = start + 2 * width < n ? start + 2 * width : n;
            size_t i = start, j = middle;
            for (size_t k = start; k < end; k++)
                spare[k] = j >= end || (i < middle && keys[i] <= keys[j]) ? keys[i++] : keys[j++];
        }
        uint64_t *other = keys;
        keys = spare;
        spare = other;
    }
    return keys;
}

static inline int reach_each_other(const Bounds *a, const Bounds *b)
{
    return (a->low[0] <= b->high[0]) & (b->low[0] <= a->high[0]) & (a->low[1] <= b->high[1]) &
           (b->low[1] <= a->high[1]);
}

/* A sweep along the longest axis. As in MuJoCo, ends of boxes are compared in single precision and equal ends
   in the order of elements, because this determines the order of contacts. */
static void sweep_self(const Pose *p, int flex, const Manner *m, List *list)
{
    const Flex *x = p->f->flex + flex;
    const Vec size = p->box[x->node].half;
    const int axis = size.x > size.y && size.x > size.z ? 0 : size.y > size.z ? 1 : 2;
    uint64_t *keys = p->keys;
    size_t n = 0;
    for (int e = 0; e < x->nelem; e++)
        if (is_active(p, x, e))
            keys[n++] = single_bits(part(low_of(p->around + x->elem + e), axis)) << 32 | (uint64_t)e << 1;
    keys = merged(keys, keys + (size_t)p->f->nelem, n);
    const int one = axis == 0, other = axis == 2 ? 1 : 2;
    Bounds *bounds = p->bounds;
    int *open = p->found, count = 0;
    for (size_t i = 0; i < n; i++) {
        const int e = (int)((uint32_t)keys[i] >> 1);
        const Vec low = low_of(p->around + x->elem + e), high = high_of(p->around + x->elem + e);
        const uint64_t end = single_bits(part(high, axis)) << 32 | (uint64_t)e << 1 | 1;
        const Bounds own = {{part(low, one), part(low, other)}, {part(high, one), part(high, other)}, end};
        int kept = 0;
        for (int k = 0; k < count; k++) {
            if (bounds[k].end < keys[i])
                continue;
            if (kept < k) {
                bounds[kept] = bounds[k];
                open[kept] = open[k];
            }
            if (reach_each_other(bounds + kept, &own))
                two_elements(p, flex, open[kept], flex, e, m, list);
            kept++;
        }
        bounds[kept] = own;
        open[kept] = e;
        count = kept + 1;
    }
}

static void self_flex(const Pose *p, int flex, List *list)
{
    const Flex *x = p->f->flex + flex;
    if (x->rigid || !(x->collider.contype & x->collider.conaffinity))
        return;
    if (x->internal)
        inside_flex(p, flex, list);
    if (x->selfcollide == SELF_COLLIDE_NONE)
        return;
    Manner m = mixed(p->c, &x->collider, &x->collider);
    m.includemargin = 0;
    fit_boxes(p, flex);
    if (!p->c->midphase || x->selfcollide == SELF_COLLIDE_NARROW || !x->nnode)
        narrow_self(p, flex, &m, list);
    else if (x->selfcollide == SELF_COLLIDE_BVH || (x->selfcollide == SELF_COLLIDE_AUTO && x->dim == 3))
        tree_self(p, flex, &m, list);
    else
        sweep_self(p, flex, &m, list);
}

/* --- all ---------------------------------------------------------------------------------------------------- */

static void reverse(Contact *c, int n)
{
    for (int i = 0; i < n / 2; i++) {
        const Contact other = c[i];
        c[i] = c[n - 1 - i];
        c[n - 1 - i] = other;
    }
}

/* The lower body of a contact between geoms. */
static inline int lower_body(const Collision *c, const Contact *contact)
{
    const int one = c->geom[contact->geom[0]].body, other = c->geom[contact->geom[1]].body;
    return one < other ? one : other;
}

/* The contacts of geoms and of flexes; for geoms alone, see `collide`. vert: positions (nflexvert, 3) of the
   vertices. work: at least `all_work` bytes. */
static int collide_all(const Collision *c, const real *geom_xpos, const real *geom_xmat, const real *vert,
                       void *work, Contact *out, int capacity, Signals *signals)
{
    const int geoms = c->ngeom ? collide(c, geom_xpos, geom_xmat, work, out, capacity, signals) : 0;
    const Flexes *f = c->flexes;
    if (!c->enabled || !f)
        return geoms;
    char *memory = (char *)work + (collision_work(c) + 63) / 64 * 64;
    Pose p = {c, f, geom_xpos, geom_xmat, vert, (Box *)memory, 0, 0, 0, 0, 0, 0, signals};
    p.around = p.box + f->nnode;
    p.whole = p.around + f->nelem;
    p.bounds = (Bounds *)(p.whole + f->nflex);
    p.keys = (uint64_t *)(p.bounds + f->nelem);
    p.found = (int *)(p.keys + 2 * (size_t)f->nelem) + f->nelem;
    p.known = p.found + f->nelem;
    memset(p.known, 0, sizeof *p.known * (size_t)f->nflex);
    List list = {out, geoms, capacity, 0};
    int next = 0; /* contacts of geoms from here on come later */
    for (int i = 0; i < f->nmeeting;) {
        const FlexMeeting *first = f->meeting + i;
        const int body = c->geom[first->geom].body, start = list.n;
        while (next < start && start <= capacity && lower_body(c, out + next) <= body)
            next++;
        list.later = start - next;
        for (; i < f->nmeeting && c->geom[f->meeting[i].geom].body == body; i++) {
            const FlexMeeting *meeting = f->meeting + i;
            if (meeting->plane)
                plane_flex(&p, meeting->geom, meeting->flex, &list);
            else
                geom_flex(&p, meeting->geom, meeting->flex, &list);
        }
        const int added = list.n - start;
        if (!added || list.n > capacity)
            continue;
        if (next < start) { /* rotate by three reversals: swaps the later contacts with those just added */
            reverse(out + next, start - next);
            reverse(out + start, added);
            reverse(out + next, list.n - next);
        }
        next += added;
    }
    list.later = 0;
    for (int i = 0; i < f->npair; i++)
        two_flexes(&p, f->pair[i].flex[0], f->pair[i].flex[1], &list);
    for (int i = 0; i < f->nflex; i++)
        self_flex(&p, i, &list);
    return list.n;
}

static inline size_t all_work(const Collision *c)
{
    return (collision_work(c) + 63) / 64 * 64 + flex_work(c->flexes);
}

static const Calls CALLS = {collide_all, touches_of_geoms, geom_distance, nearest_hit, normal_of_hit};

#endif
