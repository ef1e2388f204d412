#ifndef POLYBODY_COLLIDE_H
#define POLYBODY_COLLIDE_H

/* From the poses of geoms to the list of contacts, in MuJoCo's order: by pair of bodies, lower body first;
   within a pair of bodies the explicit pairs first, then by pair of geoms. */

#include <float.h>
#include <string.h>
#include "collision/round.h"
#include "collision/sweep.h"
#ifndef POLYBODY_PROGRAM
#include "collision/narrow.h"
#include "collision/ray.h"
#endif

static inline void write_contact(const Touch *t, const Axes *frame, const Manner *m, int geom1, int geom2, Contact *out)
{
    out->dist = t->dist;
    out->pos[0] = t->pos.x;
    out->pos[1] = t->pos.y;
    out->pos[2] = t->pos.z;
    for (int i = 0; i < 3; i++) {
        Vec row = column(frame, i);
        out->frame[3 * i] = row.x;
        out->frame[3 * i + 1] = row.y;
        out->frame[3 * i + 2] = row.z;
    }
    out->includemargin = m->includemargin;
    for (int i = 0; i < 5; i++) {
        out->friction[i] = m->friction[i];
        out->solimp[i] = m->solimp[i];
    }
    for (int i = 0; i < 2; i++) {
        out->solref[i] = m->solref[i];
        out->solreffriction[i] = m->solreffriction[i];
        out->flex[i] = out->elem[i] = out->vert[i] = -1;
    }
    for (int i = 0; i < 3; i++)
        out->surfacevel[i] = 0;
    const int apart = t->dist >= m->includemargin;
    out->adhesion = m->adhesion;
    out->mu = 0;
    out->dim = apart && m->adhesion != 0 ? 1 : m->dim; /* it pulls across the gap, without friction */
    out->geom[0] = geom1;
    out->geom[1] = geom2;
    out->exclude = apart && m->adhesion == 0;
    out->efc_address = -1;
}

/* Whether two contacts have the same frame. */
static inline int same_directions(const Touch *t, const Touch *other)
{
    const Vec n = t->normal, m = other->normal, s = t->tangent, r = other->tangent;
    return n.x == m.x && n.y == m.y && n.z == m.z && s.x == r.x && s.y == r.y && s.z == r.z;
}

/* Whether a contact is finite. It is not if a pose is NaN or its axes overflow when squared. */
static inline int is_finite(const Touch *t)
{
    real sum = fabs(t->dist) + fabs(t->pos.x) + fabs(t->pos.y) + fabs(t->pos.z) + dot(t->normal, t->normal);
    return sum <= DBL_MAX;
}

/* A mesh, height field or plugin's shape without data. */
static inline int is_empty(const Collision *c, int geom)
{
    int type = c->geom[geom].type;
    if (type == SHAPE_SDF && !c->field[geom].kind)
        return 1;
    return ((type == SHAPE_MESH || type == SHAPE_SDF) && !c->hull[geom].count) ||
           (type == SHAPE_HFIELD && !c->grid[geom].height);
}

static inline real margin_of_pair(const Collision *c, const Candidate *p)
{
    return p->manner < 0 ? margin_of(c, c->geom + p->geom[0], c->geom + p->geom[1]) : c->manner[p->manner].margin;
}

#ifndef POLYBODY_PROGRAM
/* The contacts of any two shapes. */
static int general_touches(const Collision *c, const Candidate *p, const real *xpos, const real *xmat, real margin,
                           Touch *out)
{
    Narrow function = narrow_of(c, c->geom[p->geom[0]].type, c->geom[p->geom[1]].type);
    if (!function || is_empty(c, p->geom[0]) || is_empty(c, p->geom[1]))
        return 0;
    Shape one = shape_of(c, p->geom[0], xpos, xmat), other = shape_of(c, p->geom[1], xpos, xmat);
    return function(&one, &other, margin, out);
}
#endif

/* The contacts of two shapes. The functions of round shapes are inlined if the Model has such pairs: they are
   the most frequent and the cheapest. */
static inline int touches_of(const Collision *c, const Candidate *p, const real *xpos, const real *xmat,
                             real margin, Touch *out)
{
#define ROUND(one_type, other_type, function) \
    if (MAY_MEET(one_type, other_type) && kind == one_type * SHAPE_COUNT + other_type) { \
        Shape one = shape_of(c, p->geom[0], xpos, xmat), other = shape_of(c, p->geom[1], xpos, xmat); \
        return function(&one, &other, margin, out); \
    }
    const int kind = c->geom[p->geom[0]].type * SHAPE_COUNT + c->geom[p->geom[1]].type;
    ROUND(SHAPE_CAPSULE, SHAPE_CAPSULE, (RELEASE_OF(c) == RELEASE_V4_0 ? capsule_capsule_v4_0 : capsule_capsule))
    ROUND(SHAPE_PLANE, SHAPE_CAPSULE, plane_capsule)
    ROUND(SHAPE_PLANE, SHAPE_SPHERE, plane_sphere)
    ROUND(SHAPE_SPHERE, SHAPE_CAPSULE, sphere_capsule)
    ROUND(SHAPE_SPHERE, SHAPE_SPHERE, sphere_sphere)
#ifdef POLYBODY_PROGRAM
    return c->general(c, p, xpos, xmat, margin, out);
#else
    ROUND(SHAPE_SPHERE, SHAPE_CYLINDER, sphere_cylinder)
    ROUND(SHAPE_SPHERE, SHAPE_BOX, sphere_box)
    return general_touches(c, p, xpos, xmat, margin, out);
#endif
#undef ROUND
}

/* Writes contacts of a pair; returns the total number of contacts so far. */
static int write_contacts(const Collision *c, const Candidate *p, const Touch *touches, int found, Contact *out, int n, int capacity)
{
    const Collider *a = c->geom + p->geom[0], *b = c->geom + p->geom[1];
    Manner own;
    if (p->manner < 0)
        own = mixed(c, a, b);
    const Manner *manner = p->manner < 0 ? &own : c->manner + p->manner;
    Axes frame;
    for (int i = 0; i < found; i++) {
        if (i == 0 || !same_directions(touches + i, touches + i - 1))
            frame = frame_of(touches + i);
        if (is_finite(touches + i)) {
            if (n < capacity)
                write_contact(touches + i, &frame, manner, p->geom[0], p->geom[1], out + n);
            n++;
        }
    }
    return n;
}

#ifndef POLYBODY_PROGRAM
/* The finite contacts of two geoms at positions (2, 3) and orientations (2, 9); returns their number, at most
   MAX_TOUCHES. */
static int touches_of_geoms(const Collision *c, const int *geom, const real *xpos, const real *xmat, real margin, Touch *out)
{
    const Narrow function = narrow_of(c, c->geom[geom[0]].type, c->geom[geom[1]].type);
    Shape shape[2];
    int kept = 0;
    if (!function || is_empty(c, geom[0]) || is_empty(c, geom[1]))
        return 0;
    for (int side = 0; side < 2; side++) {
        const real *x = xpos + 3 * side, *m = xmat + 9 * side;
        const int g = geom[side];
        const Shape s = {{x[0], x[1], x[2]}, {{m[0], m[3], m[6]}, {m[1], m[4], m[7]}, {m[2], m[5], m[8]}},
                         c->geom[g].size, c->geom[g].type, c->geom[g].bound, c->hull + g, c->grid + g, &c->search, 0, 0,
                         c->field + g, c->tree + g};
        shape[side] = s;
    }
    const int found = function(shape, shape + 1, margin, out);
    for (int i = 0; i < found; i++)
        if (is_finite(out + i))
            out[kept++] = out[i];
    return kept;
}

/* The same of two convex shapes, as of MuJoCo 4.0, which searches them in the given order. */
static real ccd_distance_of(const Shape *one, const Shape *other, real cutoff, real *fromto)
{
    const Convex near = convex(one, 0), far = convex(other, 0);
    CcdShape a = ccd_shape(&near), b = ccd_shape(&far);
    CcdResult r;
    const real dist = ccd_search(&a, &b, one->search, cutoff, 1, &r);
    const Touch found = touch(dist, add(r.on_a[0], r.on_b[0]), vec(1, 0, 0));
    if (!(dist < cutoff) || !r.count || !is_finite(&found))
        return minimum(dist, cutoff);
    for (int k = 0; k < 6; k++)
        fromto[k] = part(k < 3 ? r.on_a[0] : r.on_b[0], k % 3);
    return dist;
}

/* The smallest distance between two geoms, at most `cutoff`. `fromto` receives the nearest points on the
   first and the second geom, or zeros if the distance is not below `cutoff`. Convex shapes are inflated by
   half the cutoff. */
static real geom_distance(const Collision *c, int geom1, int geom2, const real *xpos, const real *xmat,
                          real cutoff, real *fromto)
{
    int flip = c->geom[geom1].type > c->geom[geom2].type;
    int first = flip ? geom2 : geom1, second = flip ? geom1 : geom2;
    const Collider *a = c->geom + first, *b = c->geom + second;
    Narrow function = narrow_of(c, a->type, b->type);
    real dist = cutoff;
    memset(fromto, 0, 6 * sizeof *fromto);
    if (!function || is_empty(c, first) || is_empty(c, second))
        return dist;
    Touch touches[MAX_TOUCHES];
    Shape one = shape_of(c, first, xpos, xmat), other = shape_of(c, second, xpos, xmat);
    const int searched = function == convex_convex || function == box_box || function == box_box_v4_0;
    if (is_ccd(&c->search) && searched)
        return flip ? ccd_distance_of(&other, &one, cutoff, fromto) : ccd_distance_of(&one, &other, cutoff, fromto);
    if (c->search.native && searched) {
        Convex near = convex(&one, 0), far = convex(&other, 0);
        Vec ends[2];
        if (!separation(&near, &far, &c->search, cutoff, touches, ends, ends + 1) || !is_finite(touches))
            return dist;
        for (int k = 0; k < 6; k++)
            fromto[k] = part(ends[flip ? 1 - k / 3 : k / 3], k % 3);
        return minimum(touches[0].dist, cutoff);
    }
    int found = function(&one, &other, cutoff, touches);
    for (int i = 0; i < found; i++) {
        const Touch *t = touches + i;
        if (!is_finite(t) || !(t->dist < dist))
            continue;
        dist = t->dist;
        Vec half = scaled(flip ? -.5 * dist : .5 * dist, unit(t->normal)),
            ends[2] = {sub(t->pos, half), add(t->pos, half)};
        for (int k = 0; k < 6; k++)
            fromto[k] = part(ends[k / 3], k % 3);
    }
    return dist;
}
#endif

/* Whether the geoms are too far apart to touch. */
static inline int is_far(const Candidate *p, const real *xpos, const real *xmat)
{
    const real *a = xpos + 3 * p->geom[0], *b = xpos + 3 * p->geom[1];
    real x = b[0] - a[0], y = b[1] - a[1], z = b[2] - a[2];
    if (p->plane) {
        const real *m = xmat + 9 * p->geom[0];
        return x * m[2] + y * m[5] + z * m[8] > p->reach;
    }
    return x * x + y * y + z * z > p->reach * p->reach;
}

/* Which of at most 64 candidates are near enough to touch, as bits. */
static inline uint64_t near_ones(const Candidate *p, int count, const real *xpos, const real *xmat)
{
    uint64_t near = 0;
    for (int i = 0; i < count; i++)
        near |= (uint64_t)!is_far(p + i, xpos, xmat) << i;
    return near;
}

/* Candidates near enough to touch, of which several are searched at once, and the contacts of those before them. */
typedef struct {
    const Collision *c;
    const real *xpos, *xmat;
    Contact *out;
    int n, capacity, count;
    Signals *signals;
    const Candidate *next[AT_ONCE];
} Narrowing;

/* Finds the contacts of the next candidates; of none once a signal has ended the search. */
static void narrow(Narrowing *w)
{
    Found found[AT_ONCE];
    Touch touches[MAX_TOUCHES];
    real work = 0;
    for (int i = 0; i < w->count; i++)
        work += w->c->geom[w->next[i]->geom[0]].effort + w->c->geom[w->next[i]->geom[1]].effort;
    if (is_ended(w->signals, work))
        w->count = 0;
    const int searched = SEARCHES(w->c);
    if (searched)
        w->c->search_pairs(w->c, w->next, w->count, w->xpos, w->xmat, found);
    for (int i = 0; i < w->count; i++) {
        const Candidate *p = w->next[i];
        const int known = searched && found[i].count != UNKNOWN;
        const int count = known ? found[i].count : touches_of(w->c, p, w->xpos, w->xmat, margin_of_pair(w->c, p), touches);
        if (count)
            w->n = write_contacts(w->c, p, known ? found[i].touch : touches, count, w->out, w->n, w->capacity);
    }
    w->count = 0;
}

static inline void narrow_next(Narrowing *w, const Candidate *p)
{
    w->next[w->count++] = p;
    if (w->count == AT_ONCE)
        narrow(w);
}

/* Adds candidates that the sweep finds, and listed ones that precede them; returns the number of the latter. */
INLINE int narrow_swept(Narrowing *w, void *work)
{
    const Collision *c = w->c;
    int next = 0;
    Sweep sweep = start_sweep(c, w->xpos, w->xmat, work);
    while (continue_sweep(&sweep)) {
        Candidate own[AT_ONCE];
        for (size_t i = 0; i < sweep.found; i++) {
            Candidate *p = own + i % AT_ONCE;
            *p = swept_candidate(&sweep, i);
            for (; next < c->nlisted && precedes(c->listed + next, p); next++)
                if (!is_far(c->listed + next, w->xpos, w->xmat))
                    narrow_next(w, c->listed + next);
            narrow_next(w, p);
        }
        narrow(w);
    }
    return next;
}

/* The contacts of geoms at the given poses.

   geom_xpos, geom_xmat: positions (ngeom, 3) and orientations (ngeom, 9, by rows) in the world.
   work: at least `collision_work` bytes. Returns the number of contacts; if it exceeds `capacity`, only the
   first ones are written. If a signal ends the search, only some contacts are found. */
SWEEPING int collide(const Collision *c, const real *geom_xpos, const real *geom_xmat, void *work, Contact *out,
                   int capacity, Signals *signals)
{
    if (!c->enabled)
        return 0;
    Narrowing w = {.c = c, .xpos = geom_xpos, .xmat = geom_xmat, .out = out, .capacity = capacity, .signals = signals};
    int next = SWEEPS(c) ? narrow_swept(&w, work) : 0;
    while (next < c->nlisted) {
        const int count = c->nlisted - next < 64 ? c->nlisted - next : 64;
        uint64_t near = near_ones(c->listed + next, count, geom_xpos, geom_xmat);
        for (; near; near &= near - 1)
            narrow_next(&w, c->listed + next + __builtin_ctzll(near));
        next += count;
    }
    narrow(&w);
    return w.n;
}

#endif
