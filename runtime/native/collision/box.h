#ifndef POLYBODY_BOX_H
#define POLYBODY_BOX_H

/* A box against a plane; spheres and capsules against a box. Computations are in the frame of the box, whose
   origin is its centre. */

#include "collision/round.h"

static inline void numbers(Vec a, real *out)
{
    out[0] = a.x;
    out[1] = a.y;
    out[2] = a.z;
}
static inline Vec vector_of(const real *a) { return vec(a[0], a[1], a[2]); }

/* Converts a point from the frame of a shape to world coordinates. */
static inline Vec placed(const Shape *s, Vec local) { return add(s->pos, combined(&s->axes, local)); }
static inline Vec local_to(const Shape *s, Vec point) { return components(&s->axes, sub(point, s->pos)); }

/* The corners below the centre, at most four. Bits 0, 1, 2 of i give the sides of corner i along x, y, z (1:
   positive). */
static int plane_box(const Shape *a, const Shape *b, real margin, Touch *out)
{
    Vec up = a->axes.z;
    real height = dot(up, sub(b->pos, a->pos));
    int n = 0;
    for (int i = 0; i < 8 && n < 4; i++) {
        Vec corner = vec(i & 1 ? b->size[0] : -b->size[0], i & 2 ? b->size[1] : -b->size[1],
                         i & 4 ? b->size[2] : -b->size[2]);
        Vec arm = combined(&b->axes, corner);
        real drop = dot(up, arm);
        if (drop <= 0 && height + drop <= margin)
            out[n++] = touch_on_plane(height + drop, add(b->pos, arm), up);
    }
    return n;
}

/* A sphere with its centre at `centre`, in the frame of the box. If the centre is inside, the contact is with
   the nearest face; of faces that are equally near, except for rounding, with the first of -x, x, -y, y, -z, z.
   MuJoCo has the same order, but leaves it to rounding which of them is the nearest. */
#define TIE 1e-10 /* of the half sizes */
INLINE int ball_in_box_frame(Vec centre, real radius, const Shape *box, real margin, Touch *out)
{
    const real *size = box->size;
    Vec nearest = vec(clamped(centre.x, -size[0], size[0]), clamped(centre.y, -size[1], size[1]),
                      clamped(centre.z, -size[2], size[2]));
    Vec apart = sub(nearest, centre), normal;
    real length = norm(apart);
    if (!(length - radius <= margin))
        return 0;
    if (length <= TINY) {
        real c[3], inward[3] = {0, 0, 0};
        numbers(centre, c);
        int face = 0;
        real depth = INFINITY, tie = TIE * (size[0] + size[1] + size[2]);
        for (int i = 0; i < 6; i++) {
            real d = fabs((i % 2 ? size[i / 2] : -size[i / 2]) - c[i / 2]);
            if (d < depth - tie) {
                depth = d;
                face = i;
            }
        }
        inward[face / 2] = face % 2 ? -1 : 1;
        normal = vector_of(inward);
        length = -depth;
    } else {
        normal = scaled(1 / length, apart);
    }
    Vec pos = along(centre, (length + radius) / 2, normal);
    out[0] = touch(length - radius, placed(box, pos), combined(&box->axes, normal));
    return 1;
}

static inline int sphere_box(const Shape *a, const Shape *b, real margin, Touch *out)
{
    return ball_in_box_frame(local_to(b, a->pos), a->size[0], b, margin, out);
}

/* The point of the capsule's axis that is nearest to the box, in the frame of the box. */
typedef struct {
    real at;    /* coordinate on the capsule's axis, from -1 to 1 */
    real place; /* coordinate on the edge, from -1 to 1 */
    int on;     /* ON_FACE, ON_EDGE, ON_CORNER; OFF: not found */
    int axis;   /* of the face, or -1 inside the box; of the edge */
    int corner; /* the corner, or the lower end of the edge: bit k is set on the positive side of axis k
                 */
} Nearest;
enum { OFF, ON_FACE, ON_EDGE, ON_CORNER };

/* An end of the axis that is outside at most one pair of faces. */
static void nearest_of_ends(const real *centre, const real *half, const real *size, real *best,
                            Nearest *found)
{
    for (int end = -1; end <= 1; end += 2) {
        int outside = 0, axis = -1;
        real square = 0;
        for (int k = 0; k < 3; k++) {
            real over = fabs(centre[k] + end * half[k]) - size[k];
            if (over > 0) {
                outside++;
                axis = k;
                square += over * over;
            }
        }
        if (outside <= 1 && square < *best) {
            Nearest face = {end, 0, ON_FACE, axis, 0};
            *best = square;
            *found = face;
        }
    }
}

/* The twelve edges. An end of an edge counts as a corner even if only the first of the two clampings reached
   it. Operations have MuJoCo's order: on parallel edges rounding decides which point is the nearest. */
static void nearest_of_edges(const real *centre, const real *half, const real *size, real *best,
                             Nearest *found)
{
    Vec from = vector_of(centre), axis = vector_of(half);
    real length = dot(axis, axis);
    for (int k = 0; k < 3; k++)
        for (int i = 0; i < 8; i++) {
            if (i & 1 << k)
                continue;
            real middle[3], gap[3], edge = size[k], s, t;
            for (int j = 0; j < 3; j++)
                middle[j] = j == k ? 0 : i & 1 << j ? size[j] : -size[j];
            Vec apart = sub(from, vector_of(middle));
            real aa = edge * edge, ab = edge * half[k], det = aa * length - ab * ab;
            if (!(fabs(det) >= TINY))
                continue;
            real to_b = edge * part(apart, k), to_a = -dot(axis, apart);
            int end = 0;
            s = (length * to_b + ab * to_a) * (1 / det);
            t = (aa * to_a + ab * to_b) * (1 / det);
            if (fabs(s) > 1) {
                s = end = s > 0 ? 1 : -1;
                t = (to_a + s * ab) * (1 / length);
            }
            if (fabs(t) > 1) {
                t = t > 0 ? 1 : -1;
                s = (to_b + t * ab) * (1 / aa);
                if (fabs(s) > 1)
                    s = end = s > 0 ? 1 : -1;
            }
            numbers(along(negated(apart), -t, axis), gap);
            gap[k] += edge * s;
            real square = dot(vector_of(gap), vector_of(gap));
            if (square < *best - TINY) {
                Nearest found_here = {t, s, end ? ON_CORNER : ON_EDGE, k, end > 0 ? i | 1 << k : i};
                *best = square;
                *found = found_here;
            }
        }
}

/* Distance, in half lengths of the capsule, after which a coordinate has changed by `width`. Not a number if both are zero, so it is the
   first argument of `least`, which then returns the second. */
static inline real crossing_time(real width, real speed) { return width / fabs(speed); }

/* The next three functions return this if there is no second contact: no step along the capsule is that long.
   A step may be zero; the contact is then duplicated, as in MuJoCo. */
#define NO_SECOND 4

/* From a corner. Bit k of `inward` is set if the capsule's direction leads back over the box along axis k. If
   exactly one or exactly two bits are set, there is a second contact along that edge or across that face. */
static real second_from_corner(const Nearest *first, int inward, Vec axis, const real *half, const real *size)
{
    if (inward == 0 || inward == 7)
        return NO_SECOND;
    int one = inward == 1 || inward == 2 || inward == 4, single = one ? inward : 7 - inward;
    int k = single == 1 ? 0 : single == 2 ? 1 : 2, i = (k + 1) % 3, j = (k + 2) % 3;
    real towards = one ? 1 : -1; /* the direction along the capsule in which axis k leads inwards */
    if (part(axis, k) * part(axis, k) > .5) {
        real step = minimum(crossing_time(2 * size[k], half[k]), 1 - towards * first->at);
        return towards * step;
    }
    real step = 1 + towards * first->at;
    step = minimum(crossing_time(2 * size[i], half[i]), step);
    step = minimum(crossing_time(2 * size[j], half[j]), step);
    return -towards * step;
}

/* From the interior of an edge: only if the capsule leads back over the box along exactly one of the other
   two axes. The capsule extends across the face with which it makes the smaller angle, to the far side or
   past the end of the edge. */
static real second_from_edge(const Nearest *first, int inward, int ahead, const real *half, const real *size)
{
    int k = first->axis, i = (k + 1) % 3, j = (k + 2) % 3;
    inward &= ~(1 << k);
    if (inward != 1 && inward != 2 && inward != 4)
        return NO_SECOND;
    int across = fabs(half[i]) > fabs(half[j]) ? i : j;
    int forward = (inward >> across) & 1;
    real towards = forward ? 1 : -1, step = 1 - towards * first->at;
    step = minimum(crossing_time(2 * size[across], half[across]), step);
    real left = ((ahead >> k) & 1) == forward ? 1 - first->place : 1 + first->place;
    step = minimum(crossing_time(size[k] * left, half[k]), step);
    return towards * step;
}

/* From an end above a face: along the capsule as far as it is above the face. */
static real second_from_face(const Nearest *first, const real *centre, const real *half, const real *size)
{
    if (first->axis < 0)
        return NO_SECOND;
    real towards = -first->at, step = 2;
    for (int k = 0; k < 3; k++)
        for (int side = 1; side >= -1 && k != first->axis; side -= 2) {
            real time = (side * size[k] - (centre[k] + first->at * half[k])) / half[k] * towards;
            if (time > 0 && time < step)
                step = time;
        }
    return towards * step;
}

/* A sphere given by its centre in the frame of the box. The centre is converted to world coordinates and back, as in MuJoCo: if it is on
   the surface, rounding decides whether it is inside. */
static int ball_at_box(Vec centre, real radius, const Shape *box, real margin, Touch *out)
{
    return ball_in_box_frame(local_to(box, placed(box, centre)), radius, box, margin, out);
}

/* A sphere at the nearest point of the axis, and a second one if the capsule lies along a face or an edge. */
static int capsule_box(const Shape *a, const Shape *b, real margin, Touch *out)
{
    real centre[3], half[3], best = INFINITY;
    numbers(local_to(b, a->pos), centre);
    const Vec local = components(&b->axes, a->axes.z);
    numbers(scaled(a->size[1], local), half);
    Nearest first = {0, 0, OFF, 0, 0};
    nearest_of_ends(centre, half, b->size, &best, &first);
    nearest_of_edges(centre, half, b->size, &best, &first);
    if (first.on == OFF)
        return 0;
    int ahead = (half[0] > 0) | (half[1] > 0) << 1 | (half[2] > 0) << 2, inward = ahead ^ first.corner;
    real step = first.on == ON_CORNER ? second_from_corner(&first, inward, local, half, b->size)
                : first.on == ON_EDGE ? second_from_edge(&first, inward, ahead, half, b->size)
                                      : second_from_face(&first, centre, half, b->size);
    Vec from = vector_of(centre), axis = vector_of(half);
    int n = ball_at_box(along(from, first.at, axis), a->size[0], b, margin, out);
    if (step != NO_SECOND)
        n += ball_at_box(along(from, first.at + step, axis), a->size[0], b, margin, out + n);
    return n;
}

#endif
