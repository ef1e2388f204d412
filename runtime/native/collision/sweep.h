#ifndef POLYBODY_SWEEP_H
#define POLYBODY_SWEEP_H

/* Finds the pairs of geoms, among many, whose bounding spheres overlap, in the order of candidates.

   Geoms are sorted along the axis of greatest variance and distributed to columns along it; in each column a
   sweep compares those that overlap along the axis. Its memory is fixed: if there are more pairs than fit, it
   finds the first ones and is then run again for the following ones. */

#include <string.h>
#include "collision/bounds.h"
#include "collision/lanes.h"
#include "collision/groups.h"

#ifndef POLYBODY_PROGRAM
#define SWEEPING SEARCH /* with the same results for each instruction set, see lanes.h */
#else
#define SWEEPING static
#endif

typedef struct {
    uint64_t major, minor;
} Key;

static inline int before(Key a, Key b) /* without branches, which sorting would mispredict */
{
    return (a.major < b.major) | ((a.major == b.major) & (a.minor < b.minor));
}

static inline int precedes(const Candidate *a, const Candidate *b)
{
    Key x = {a->bodies, a->order}, y = {b->bodies, b->order};
    return before(x, y);
}

/* Sorts n keys, few of which are far from their places, by insertion. */
static inline void insert_keys(Key *keys, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        Key key = keys[i];
        size_t j = i;
        for (; j > 0 && before(key, keys[j - 1]); j--)
            keys[j] = keys[j - 1];
        keys[j] = key;
    }
}

/* Sorts n keys by merging runs; `spare` has space for n keys. */
static void sort_keys(Key *keys, Key *spare, size_t n)
{
    enum { RUN = 12 };
    for (size_t start = 0; start < n; start += RUN)
        insert_keys(keys + start, n - start < RUN ? n - start : RUN);
    Key *from = keys, *to = spare;
    for (size_t width = RUN; width < n; width *= 2) {
        for (size_t start = 0; start < n; start += 2 * width) {
            size_t middle = start + width < n ? start + width : n,
                   end = start + 2 * width < n ? start + 2 * width : n;
            size_t i = start, j = middle, k = start;
            while (i < middle && j < end) {
                const int second = before(from[j], from[i]);
                to[k++] = from[second ? j : i];
                j += second;
                i += !second;
            }
            memcpy(to + k, from + i, (middle - i) * sizeof *to);
            memcpy(to + k + (middle - i), from + j, (end - j) * sizeof *to);
        }
        Key *other = from;
        from = to;
        to = other;
    }
    if (from != keys)
        memcpy(keys, from, n * sizeof *keys);
}

/* The same, first by equal parts of the range of the numbers `at`, in whose order the keys are. Changes these numbers; `count` has space
   for n + 1. */
static void sort_by_parts(Key *keys, Key *spare, size_t n, real *at, int *count)
{
    enum { CROWDED = 24 };
    real low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < n; i++) {
        low = minimum(low, at[i]);
        high = maximum(high, at[i]);
    }
    const real scale = high > low ? (real)(n - 1) / (high - low) : INFINITY;
    if (!(scale > 0 && scale < 1e300 && n > CROWDED && n < INT32_MAX)) {
        sort_keys(keys, spare, n);
        return;
    }
    int most = 0;
    memset(count, 0, (n + 1) * sizeof *count);
    for (size_t i = 0; i < n; i++) {
        at[i] = (at[i] - low) * scale;
        const int own = ++count[(int)at[i] + 1];
        most = own > most ? own : most;
    }
    if (most > CROWDED) {
        sort_keys(keys, spare, n);
        return;
    }
    for (size_t i = 0; i < n; i++)
        count[i + 1] += count[i];
    for (size_t i = 0; i < n; i++)
        spare[count[(int)at[i]]++] = keys[i];
    insert_keys(spare, n);
    memcpy(keys, spare, n * sizeof *keys);
}

/* An unsigned integer with the same order as the reals. */
static inline uint64_t ordered_bits(real x)
{
    uint64_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 63 ? ~bits : bits | (uint64_t)1 << 63;
}

/* A bounding sphere and its margin, sorted along the sweep's axis. */
typedef struct {
    Vec pos;
    real low, high, bound, margin;
    int geom, weld, first[2], end[2]; /* range of the columns that it overlaps, along both other axes */
    Vec middle, half; /* axis-aligned box around the geom and its margin; infinite if unused */
} Ball;

typedef struct {
    const Collision *c;
    const real *xpos, *xmat;
    Ball *balls;
    int *start, *entry; /* entry[start[k]] to entry[start[k + 1] - 1]: spheres of column k */
    real *numbers;         /* the numbers of the present column's spheres, each kind by itself */
    int *near;
    Key *keys, *spare;
    size_t capacity, found;
    int nballs, columns[2], again;
    Key last; /* of the pairs already found */
} Sweep;

enum { ENTRIES_PER_BALL = 6, BALLS_PER_COLUMN = 64, WIDENINGS = 100 };
enum { BALL_X, BALL_Y, BALL_Z, BALL_LOW, BALL_BOUND, BALL_MARGIN, BALL_WELD, BALL_NUMBERS };

static inline size_t sweep_capacity(const Collision *c) { return 16 * (size_t)c->nswept + 64; }

/* Bytes of work memory of `collide`. */
static inline size_t collision_work(const Collision *c)
{
    size_t n = c->nswept;
    return 2 * sweep_capacity(c) * sizeof(Key) + n * sizeof(Ball) + BALL_NUMBERS * (n + LANES) * sizeof(real) +
           ((ENTRIES_PER_BALL + 2) * n + 2) * sizeof(int);
}

static inline real *numbers_of(const Sweep *s, int kind) { return s->numbers + kind * (s->c->nswept + LANES); }

static inline real radius_of(const Ball *ball) { return ball->bound + at_least(ball->margin, 0); }

static inline int column_of(real x, real low, real width, int n)
{
    real at = width > 0 ? (x - low) / width : 0;
    return at > 0 ? at < n - 1 ? (int)at : n - 1 : 0;
}

/* The axis along which the positions of some geoms vary most. */
static int widest_axis(const int *geoms, int count, const real *xpos)
{
    real sum[3] = {0, 0, 0}, square[3] = {0, 0, 0}, spread[3];
    int n = 0;
    for (int i = 0; i < count; i++) {
        const real *at = xpos + 3 * geoms[i];
        if (!is_place(at))
            continue;
        n++;
        for (int k = 0; k < 3; k++) {
            sum[k] += at[k];
            square[k] += at[k] * at[k];
        }
    }
    for (int k = 0; k < 3; k++)
        spread[k] = square[k] - sum[k] * sum[k] / (n ? n : 1);
    int widest = spread[1] > spread[0] ? 1 : 0;
    return spread[2] > spread[widest] ? 2 : widest;
}

/* Computes the columns of all spheres; returns whether columns and entries fit into the memory. */
static int reach_columns(Sweep *s, const int *axes, const real *low, const real *high, real width)
{
    size_t entries = 0, n = s->nballs;
    for (int k = 0; k < 2; k++)
        s->columns[k] = column_of(high[k], low[k], width, s->nballs) + 1;
    const size_t all = (size_t)s->columns[0] * s->columns[1];
    if (all > 1 && BALLS_PER_COLUMN * all > n)
        return 0;
    for (size_t i = 0; i < n; i++) {
        Ball *ball = s->balls + i;
        const real radius = radius_of(ball);
        for (int k = 0; k < 2; k++) {
            real at = part(ball->pos, axes[k]);
            ball->first[k] = column_of(at - radius, low[k], width, s->columns[k]);
            ball->end[k] = column_of(at + radius, low[k], width, s->columns[k]) + 1;
        }
        entries += (size_t)(ball->end[0] - ball->first[0]) * (ball->end[1] - ball->first[1]);
        if (entries > ENTRIES_PER_BALL * n)
            return 0;
    }
    return 1;
}

/* Computes the box of a ball, only for shapes whose contacts are searched for iteratively. */
static void enclose(const Collision *c, const real *xmat, Ball *ball)
{
    const Collider *g = c->geom + ball->geom;
    ball->middle = ball->pos;
    ball->half = vec(INFINITY, INFINITY, INFINITY);
    if (g->type < SHAPE_ELLIPSOID || g->type > SHAPE_MESH)
        return;
    const struct Field *f = c->field + ball->geom;
    const real *m = xmat + 9 * ball->geom, margin = ball_radius(c, g) - g->bound;
    const int says = f->half.x > 0;
    real middle[3], half[3];
    for (int k = 0; k < 3; k++, m += 3) {
        const real reach = fabs(m[0]) * f->half.x + fabs(m[1]) * f->half.y + fabs(m[2]) * f->half.z;
        middle[k] = part(ball->pos, k) + m[0] * f->middle.x + m[1] * f->middle.y + m[2] * f->middle.z;
        half[k] = says ? reach * (1 + 1e-9) + margin : INFINITY;
    }
    ball->middle = vec(middle[0], middle[1], middle[2]);
    ball->half = vec(half[0], half[1], half[2]);
}

static inline int are_clear(const Ball *a, const Ball *b)
{
    const Vec gap = sub(b->middle, a->middle), reach = add(a->half, b->half);
    return (fabs(gap.x) > reach.x) | (fabs(gap.y) > reach.y) | (fabs(gap.z) > reach.z);
}

/* Distributes the spheres to columns along `axis`, at least twice as wide as the average sphere, and wider
 * until they fit. */
static void lay_out(Sweep *s, int axis)
{
    int axes[2] = {(axis + 1) % 3, (axis + 2) % 3}, n = s->nballs;
    real low[2] = {INFINITY, INFINITY}, high[2] = {-INFINITY, -INFINITY}, sum = 0;
    for (int i = 0; i < n; i++) {
        const real radius = radius_of(s->balls + i);
        for (int k = 0; k < 2; k++) {
            low[k] = minimum(low[k], part(s->balls[i].pos, axes[k]) - radius);
            high[k] = maximum(high[k], part(s->balls[i].pos, axes[k]) + radius);
        }
        sum += 2 * radius;
    }
    real width = n ? maximum(2 * sum / n, maximum(high[0] - low[0], high[1] - low[1]) / n) : 0;
    int widening = 0;
    while (n && !reach_columns(s, axes, low, high, width))
        width = ++widening < WIDENINGS ? 1.3 * width : INFINITY;
    int all = n ? s->columns[0] * s->columns[1] : 0;
    memset(s->start, 0, (all + 1) * sizeof *s->start);
    for (int pass = 0; pass < 2; pass++) { /* first count, then fill */
        for (int i = 0; i < n; i++)
            for (int x = s->balls[i].first[0]; x < s->balls[i].end[0]; x++)
                for (int y = s->balls[i].first[1]; y < s->balls[i].end[1]; y++) {
                    int k = x * s->columns[1] + y;
                    if (pass == 0)
                        s->start[k + 1]++;
                    else
                        s->entry[s->start[k]++] = i;
                }
        if (pass == 0)
            for (int k = 0; k < all; k++)
                s->start[k + 1] += s->start[k];
    }
    for (int k = all; k > 0; k--) /* filling advanced each start to the next */
        s->start[k] = s->start[k - 1];
    if (all)
        s->start[0] = 0;
}

static Sweep start_sweep(const Collision *c, const real *xpos, const real *xmat, void *work)
{
    Sweep s = {0};
    s.c = c;
    s.xpos = xpos;
    s.xmat = xmat;
    s.again = c->nswept > 1;
    if (!s.again)
        return s;
    s.capacity = sweep_capacity(c);
    s.keys = work;
    s.spare = s.keys + s.capacity;
    s.balls = (Ball *)(s.spare + s.capacity);
    s.numbers = (real *)(s.balls + c->nswept);
    s.start = (int *)(s.numbers + BALL_NUMBERS * (c->nswept + LANES));
    s.entry = s.start + c->nswept + 2;
    s.near = s.entry + ENTRIES_PER_BALL * c->nswept;
    const int few = has_few_groups(c), count = few ? find_near(c, xpos, (Extent *)s.balls, s.entry) : c->nswept;
    const int *geoms = few ? s.entry : c->swept;
    int axis = widest_axis(geoms, count, xpos);
    for (int i = 0; i < count; i++) {
        int g = geoms[i];
        const real *at = xpos + 3 * g;
        if (is_place(at)) {
            const real low = at[axis] - ball_radius(c, c->geom + g);
            Key key = {ordered_bits(low), (uint64_t)g};
            s.numbers[s.nballs] = low;
            s.keys[s.nballs++] = key;
        }
    }
    sort_by_parts(s.keys, s.spare, s.nballs, s.numbers, (int *)(s.numbers + s.nballs));
    for (int i = 0; i < s.nballs; i++) {
        const int g = (int)s.keys[i].minor;
        const Collider *own = c->geom + g;
        const real radius = ball_radius(c, own), *at = xpos + 3 * g;
        Ball *ball = s.balls + i; /* lay_out computes its columns */
        ball->pos = vec(at[0], at[1], at[2]);
        ball->low = at[axis] - radius;
        ball->high = at[axis] + radius;
        ball->bound = own->bound;
        ball->margin = own_margin(c, own);
        ball->geom = g;
        ball->weld = own->weld;
        enclose(c, xmat, ball);
    }
    lay_out(&s, axis);
    return s;
}

static inline int holds(const uint64_t *sorted, int n, uint64_t value)
{
    int low = 0, high = n;
    while (low < high) {
        int middle = low + (high - low) / 2;
        if (sorted[middle] < value)
            low = middle + 1;
        else
            high = middle;
    }
    return low < n && sorted[low] == value;
}

/* Whether two geoms, the lower one first, may touch, regardless of distance. */
static int may_touch(const Collision *c, int lower, int higher)
{
    const Collider *a = c->geom + lower, *b = c->geom + higher;
    if (!(a->contype & b->conaffinity) && !(b->contype & a->conaffinity))
        return 0;
    if (a->weld == b->weld || (a->still && b->still))
        return 0;
    if (c->filterparent && a->weld && b->weld && (a->weld == b->parent_weld || b->weld == a->parent_weld))
        return 0;
    uint64_t bodies = (uint64_t)a->body << 32 | (uint64_t)b->body;
    return !holds(c->exclude, c->nexclude, bodies) &&
           !holds(c->paired, c->npair, (uint64_t)lower << 32 | (uint64_t)higher);
}

/* The key of a pair without explicit parameters. Pairs of geoms of the same two bodies are in the stored
   order of the geoms, lower type first; without a midphase, lower body first. */
static inline Key pair_key(const Collision *c, int lower, int higher)
{
    const Collider *a = c->geom + lower, *b = c->geom + higher;
    int swap = c->midphase && a->type > b->type;
    uint64_t first = swap ? higher : lower, second = swap ? lower : higher;
    Key key = {(uint64_t)a->body << 32 | (uint64_t)b->body, (uint64_t)1 << 63 | first << 31 | second};
    return key;
}

/* Whether the boxes of two geoms show that they are apart. Only for shapes for which that is cheaper than
   searching for contacts. */
static int shown_apart(const Sweep *s, int one, int other, real margin)
{
    const Collision *c = s->c;
    const int type = c->geom[one].type, second = c->geom[other].type;
    if (type < SHAPE_ELLIPSOID || type > SHAPE_MESH || second < SHAPE_ELLIPSOID || second > SHAPE_MESH)
        return 0;
    const Shape a = shape_of(c, one, s->xpos, s->xmat), b = shape_of(c, other, s->xpos, s->xmat);
    return boxes_apart(&a, &b, margin);
}

static void keep_pair(Sweep *s, Key key)
{
    if (s->found == s->capacity) { /* the lower half is kept; the rest is found in a later run */
        sort_keys(s->keys, s->spare, s->found);
        s->found /= 2;
        s->again = 1;
    }
    if (s->again && before(s->keys[s->capacity / 2 - 1], key))
        return;
    s->keys[s->found++] = key;
}

/* Writes the numbers of the spheres of a column one after another; those beyond the last one are out of reach. */
static void gather_column(const Sweep *s, const int *entry, int count)
{
    for (int n = 0; n < count; n++) {
        const Ball *ball = s->balls + entry[n];
        const real own[BALL_NUMBERS] = {ball->pos.x, ball->pos.y, ball->pos.z, ball->low, ball->bound, ball->margin, ball->weld};
        for (int kind = 0; kind < BALL_NUMBERS; kind++)
            numbers_of(s, kind)[n] = own[kind];
    }
    EVERY_LANE (n)
        numbers_of(s, BALL_LOW)[count + n] = INFINITY;
}

INLINE vreal reals_at(const real *x)
{
    vreal some;
    memcpy(&some, x, sizeof some);
    return some;
}

/* Lists the spheres of a column after its entry i that overlap it, in `near`; they are sorted along the axis. It branches
   only where the overlap along the axis ends: other branches would be mispredicted half of the time. */
INLINE int list_overlapping(const Sweep *s, const int *entry, int i, int count)
{
    const real *px = numbers_of(s, BALL_X), *py = numbers_of(s, BALL_Y), *pz = numbers_of(s, BALL_Z), *low = numbers_of(s, BALL_LOW);
    const real *bound = numbers_of(s, BALL_BOUND), *margin = numbers_of(s, BALL_MARGIN), *weld = numbers_of(s, BALL_WELD);
    const vreal zero = {0}, own = zero + margin[i];
    const real high = s->balls[entry[i]].high;
    int n = 0;
    for (int j = i + 1; j < count && low[j] <= high; j += LANES) {
        const vreal x = reals_at(px + j) - px[i], y = reals_at(py + j) - py[i], z = reals_at(pz + j) - pz[i];
        const vreal other = reals_at(margin + j), apart = vselect(own > other, own, other);
        const vreal reach = bound[i] + reals_at(bound + j) + (s->c->summed ? own + other : apart);
        const vmask overlap = (reals_at(low + j) <= high) & (reals_at(weld + j) != weld[i]) & ~(x * x + y * y + z * z > reach * reach);
        if (vany(overlap))
            EVERY_LANE (k) {
                s->near[n] = entry[j + k];
                n -= (int)overlap[k];
            }
    }
    return n;
}

/* Stores a pair of overlapping spheres of a column if their geoms may touch. */
static void add_pair(Sweep *s, const Ball *a, const Ball *b, int column)
{
    const Collision *c = s->c;
    const Collider *one = c->geom + a->geom, *other = c->geom + b->geom;
    const int x = a->first[0] > b->first[0] ? a->first[0] : b->first[0];
    const int y = a->first[1] > b->first[1] ? a->first[1] : b->first[1];
    if (x * s->columns[1] + y != column) /* already found in an earlier column */
        return;
    if (are_clear(a, b) && !(one->type == SHAPE_BOX && other->type == SHAPE_BOX)) /* box pairs have a test of their own */
        return;
    const int lower = a->geom < b->geom ? a->geom : b->geom, higher = a->geom < b->geom ? b->geom : a->geom;
    if (!may_touch(c, lower, higher) || shown_apart(s, lower, higher, both_of(c, a->margin, b->margin)))
        return;
    const Key key = pair_key(c, lower, higher);
    if (before(s->last, key))
        keep_pair(s, key);
}

/* Sorts the pairs found, which are spread over the bodies. */
static void sort_pairs(Sweep *s)
{
    if (s->found > 4 * (size_t)s->c->nswept) {
        sort_keys(s->keys, s->spare, s->found);
        return;
    }
    for (size_t i = 0; i < s->found; i++)
        s->numbers[i] = (real)(s->keys[i].major >> 32);
    sort_by_parts(s->keys, s->spare, s->found, s->numbers, (int *)(s->numbers + s->found));
}

/* Finds the next pairs, sorted; returns 0 when there are no more. */
SWEEPING int continue_sweep(Sweep *s)
{
    if (!s->again)
        return 0;
    s->again = 0;
    s->found = 0;
    int all = s->nballs ? s->columns[0] * s->columns[1] : 0;
    for (int k = 0; k < all; k++) {
        const int *entry = s->entry + s->start[k], count = s->start[k + 1] - s->start[k];
        gather_column(s, entry, count);
        for (int i = 0; i + 1 < count; i++) {
            const int found = list_overlapping(s, entry, i, count);
            for (int n = 0; n < found; n++)
                add_pair(s, s->balls + entry[i], s->balls + s->near[n], k);
        }
    }
    sort_pairs(s);
    if (s->found)
        s->last = s->keys[s->found - 1];
    return s->found > 0;
}

static inline Candidate swept_candidate(const Sweep *s, size_t i)
{
    Key key = s->keys[i];
    uint64_t low = ((uint64_t)1 << 31) - 1;
    int first = (int)(key.minor >> 31 & low), second = (int)(key.minor & low);
    if (s->c->geom[first].type > s->c->geom[second].type) {
        int other = first;
        first = second;
        second = other;
    }
    Candidate p = {key.major, key.minor, 0, {first, second}, -1, 0};
    return p;
}

#endif
