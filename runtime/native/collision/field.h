#ifndef POLYBODY_FIELD_H
#define POLYBODY_FIELD_H

/* Signed distances, negative inside, of the shapes of MuJoCo's plugins (bolt, bowl, gear, nut, torus) and of
   primitive shapes. Bolt, nut and gear follow the shaders XtffzX and 3lG3WR on shadertoy.com; bowl and
   primitives follow Inigo Quilez, Distance functions. */

#include "collision/shape.h"

#define PI 3.14159265358979323846
#define HALF_ROOT 0.70710678118654752440 /* sqrt(1/2) */
#define TURNS 12.                        /* turns of a thread per metre */
#define STEP_OF_SLOPE 1e-8               /* step of finite differences, m, as in MuJoCo */

/* --- shapes of plugins --- */

static inline real torus(const real *size, Vec x)
{
    real q = sqrt(x.x * x.x + x.y * x.y) - size[0];
    return sqrt(q * q + x.z * x.z) - size[1];
}

INLINE Vec slope_of_torus(const real *size, Vec x)
{
    const real away = sqrt(x.x * x.x + x.y * x.y), q = away - size[0];
    const real up = 1 / maximum(sqrt(q * q + x.z * x.z), TINY), out = q * up / away;
    return vec(out * x.x, out * x.y, up * x.z);
}

static inline real bowl(const real *size, Vec x)
{
    real height = size[0], radius = size[1], width = sqrt(radius * radius - height * height);
    real across = sqrt(x.x * x.x + x.y * x.y), out = across - width, up = x.z - height;
    real far = height * across < width * x.z ? sqrt(out * out + up * up)
                                             : fabs(sqrt(across * across + x.z * x.z) - radius);
    return far - size[2];
}

/* Distances shared by bolt and nut: from the mean radius of the thread, from the thread, from the cone at its
   end, and from a hexagonal head whose top is chamfered by a cone. */
typedef struct {
    real thread, cone, head;
} Screw;

#define HALF_ROOT_3 0.86602540378443864676 /* sqrt(3) / 2 */
static const real SIDES[7][2] = {{-1, 0}, {-.5, -HALF_ROOT_3}, {.5, -HALF_ROOT_3}, {1, 0},
                                 {.5, HALF_ROOT_3}, {-.5, HALF_ROOT_3}, {-1, 0}};

static inline Screw screw(real radius, Vec x)
{
    Screw s = {NAN, NAN, NAN};
    if (!(x.x * x.x + x.y * x.y + x.z * x.z < 1e100))
        return s;
    real away = sqrt(x.x * x.x + x.y * x.y) - radius, azimuth = atan2(x.y, x.x), turn = x.z * TURNS - azimuth / PI / 2;
    s.thread = (away - fabs(turn - floor(turn) - .5) / TURNS) * HALF_ROOT;
    s.cone = (x.z - away) * HALF_ROOT;
    int side = (int)floor(azimuth * (3 / PI) + .5) + 3; /* of the head, counted from -180 degrees */
    s.head = maximum(SIDES[side][0] * x.x + SIDES[side][1] * x.y - .5, fabs(x.z + .25) - .25);
    s.head = maximum(s.head, (x.z + away - .22) * HALF_ROOT);
    return s;
}

static inline real bolt(const real *size, Vec x)
{
    Screw s = screw(size[0], x);
    real shaft = maximum(s.thread, fabs(x.z + .5) - .5);
    return minimum(maximum(shaft, -(s.cone + HALF_ROOT)), s.head);
}

static inline real nut(const real *size, Vec x)
{
    Screw s = screw(size[0], x);
    real hole = minimum(maximum(s.thread, -(s.cone + .5 * HALF_ROOT)), -s.cone - .05 * HALF_ROOT);
    return maximum(s.head, -hole);
}

/* The union of two shapes with a fillet. */
static inline real blend(real a, real b, real width)
{
    real share = clamped(.5 + .5 * (b - a) / width, 0, 1);
    return b * (1 - share) + a * share - width * share * (1 - share);
}

enum { TIP, DEPTH, HOLE, BASE, STRIDE, SHIFT, FILLET, FOOT, HALF_THICKNESS };

/* Derives the dimensions of a gear: phase, pitch diameter, number of teeth, thickness, diameter of the
   hole. */
static inline void measure_gear(struct Field *f)
{
    real diameter = f->size[1], teeth = f->size[2];
    real pressure = 3.096e-5 * teeth * teeth - 6.557e-3 * teeth + .551, pitch = teeth / diameter;
    real outer = (diameter + 2 / pitch) / 2, depth = 2.2 / pitch, base = diameter * cos(pressure) / 2;
    real stride = PI / pitch / (diameter / 2), rolled = acos(base / (diameter / 2));
    f->gear[TIP] = outer;
    f->gear[DEPTH] = depth;
    f->gear[HOLE] = f->size[4] >= 0 ? f->size[4] / 2 : outer - depth - .14 * diameter;
    f->gear[BASE] = base;
    f->gear[STRIDE] = stride;
    f->gear[SHIFT] = stride / 2 - 2 * (tan(rolled) - rolled);
    f->gear[FILLET] = .0035 * diameter;
    f->gear[FOOT] = base - outer + depth;
    f->gear[HALF_THICKNESS] = f->size[3] / 2;
}

/* The cross-section of a gear: teeth between two involutes of the base circle, on a ring. */
static inline real section_of_gear(const struct Field *f, real x, real y)
{
    const real *g = f->gear;
    real away = sqrt(x * x + y * y);
    if (g[HOLE] - away > 0)
        return g[HOLE] - away;
    if (g[TIP] - away < -.2)
        return away - g[TIP];
    real angle = atan2(y, x) + f->size[0], stride = g[STRIDE], half = g[SHIFT] / 2;
    real one = angle + half, other = -angle - g[SHIFT] + half;
    one = one - stride * floor(one / stride) - half;
    other = other - stride * floor(other / stride) - half;
    real flank = -1e6, base = g[BASE];
    if (base < away) {
        real rolled = acos(base / away), tangent = sqrt(away * away - base * base);
        flank = maximum(tangent - base * (one + rolled), tangent - base * (other + rolled));
    }
    real wall = maximum(one - (stride - g[SHIFT]), other - (stride - g[SHIFT]));
    real cogs = maximum(wall, flank), tip = away - g[TIP];
    /* the union, minus the blend of the parts that belong to only one of them */
    real rounded = blend(maximum(tip, -cogs), maximum(cogs, -tip), g[FILLET]);
    cogs = maximum(maximum(tip, cogs), -rounded);
    cogs = blend(away - (g[TIP] - g[DEPTH]), cogs, g[FOOT]);
    return maximum(cogs, -(away - g[HOLE]));
}

static inline real gear(const struct Field *f, Vec x)
{
    real plane = section_of_gear(f, x.x, x.y), above = fabs(x.z) - f->gear[HALF_THICKNESS];
    real out = maximum(plane, 0), up = maximum(above, 0);
    return minimum(maximum(plane, above), 0) + sqrt(out * out + up * up);
}

static real distance_with_angles(const struct Field *f, Vec x)
{
    switch (f->kind) {
    case DISTANCE_BOLT:
        return bolt(f->size, x);
    case DISTANCE_GEAR:
        return gear(f, x);
    case DISTANCE_NUT:
        return nut(f->size, x);
    case DISTANCE_OWN:
        return f->own(f->context, x, 0);
    default:
        return NAN;
    }
}

/* Inlined because its body is as cheap as a call. */
INLINE real field_distance(const struct Field *f, Vec x)
{
    if (f->kind == DISTANCE_TORUS)
        return torus(f->size, x);
    if (f->kind == DISTANCE_BOWL)
        return bowl(f->size, x);
    return distance_with_angles(f, x);
}

/* Whether the distance is exact, so that it changes by at most the distance moved. */
static inline int is_exact(const struct Field *f) { return f->kind == DISTANCE_TORUS || f->kind == DISTANCE_BOWL; }

/* Distance and gradient, by forward differences except for a torus. */
static real field_slope(const struct Field *f, Vec x, Vec *gradient)
{
    if (f->kind == DISTANCE_OWN)
        return f->own(f->context, x, gradient);
    real here = field_distance(f, x);
    if (f->kind == DISTANCE_TORUS) {
        *gradient = slope_of_torus(f->size, x);
        return here;
    }
    const real step = STEP_OF_SLOPE;
    gradient->x = (field_distance(f, vec(x.x + step, x.y, x.z)) - here) / step;
    gradient->y = (field_distance(f, vec(x.x, x.y + step, x.z)) - here) / step;
    gradient->z = (field_distance(f, vec(x.x, x.y, x.z + step)) - here) / step;
    return here;
}

/* --- primitives --- */

static inline Vec beyond_box(const real *size, Vec x)
{
    return vec(fabs(x.x) - size[0], fabs(x.y) - size[1], fabs(x.z) - size[2]);
}

static inline Vec beyond_axis(const real *size, Vec x)
{
    return vec(x.x, x.y, x.z - clamped(x.z, -size[1], size[1]));
}

static inline Vec divided(Vec x, const real *size) { return vec(x.x / size[0], x.y / size[1], x.z / size[2]); }

/* The distance to the edge of a shape, for a point beyond its sides by `out` and `up`. */
static inline real beyond(real out, real up)
{
    real a = maximum(out, 0), b = maximum(up, 0);
    return minimum(maximum(out, up), 0) + sqrt(a * a + b * b);
}

/* The signed distance of a primitive shape or a field at a point in its own frame. */
INLINE real shape_distance(const Shape *s, Vec x)
{
    const real *size = s->size;
    Vec a, b;
    real by_size;
    switch (s->type) {
    case SHAPE_SPHERE:
        return norm(x) - size[0];
    case SHAPE_CAPSULE:
        return norm(beyond_axis(size, x)) - size[0];
    case SHAPE_ELLIPSOID:
        a = divided(x, size);
        b = divided(a, size);
        by_size = norm(a);
        return by_size * (by_size - 1) / norm(b);
    case SHAPE_CYLINDER:
        return beyond(sqrt(x.x * x.x + x.y * x.y) - size[0], fabs(x.z) - size[1]);
    case SHAPE_BOX:
        a = beyond_box(size, x);
        b = vec(maximum(a.x, 0), maximum(a.y, 0), maximum(a.z, 0));
        return norm(b) + minimum(maximum(a.x, maximum(a.y, a.z)), 0);
    default:
        return field_distance(s->field, x);
    }
}

static Vec slope_of_box(const real *size, Vec x)
{
    Vec a = beyond_box(size, x), side = vec(x.x / fabs(x.x), x.y / fabs(x.y), x.z / fabs(x.z));
    int widest = a.x > a.y ? 0 : 1;
    if (a.z > part(a, widest))
        widest = 2;
    if (part(a, widest) < 0)
        return vec(widest == 0 ? side.x : 0, widest == 1 ? side.y : 0, widest == 2 ? side.z : 0);
    Vec b = vec(maximum(a.x, 0), maximum(a.y, 0), maximum(a.z, 0));
    real length = norm(b);
    return vec(a.x > 0 ? b.x / length * side.x : 0, a.y > 0 ? b.y / length * side.y : 0,
               a.z > 0 ? b.z / length * side.z : 0);
}

static Vec slope_of_cylinder(const real *size, Vec x)
{
    real away = sqrt(x.x * x.x + x.y * x.y), out = away - size[0], up = fabs(x.z) - size[1];
    Vec side = vec(x.x / away, x.y / away, x.z / fabs(x.z));
    if (maximum(out, up) < 0)
        return out > up ? vec(side.x, side.y, 0) : vec(0, 0, side.z);
    out = maximum(out, 0);
    up = maximum(up, 0);
    real length = sqrt(out * out + up * up);
    return vec(side.x * out / length, side.y * out / length, side.z * up / length);
}

static Vec slope_of_ellipsoid(const real *size, Vec x)
{
    Vec a = divided(x, size), b = divided(a, size), c = divided(divided(b, size), size);
    real level = norm(a), weight = norm(b);
    Vec of_level = scaled((2 * level - 1) / weight / level, b);
    return unit(along(of_level, -level * (level - 1) / (weight * weight * weight), c));
}

/* Distance and gradient. */
static real shape_slope(const Shape *s, Vec x, Vec *gradient)
{
    switch (s->type) {
    case SHAPE_SPHERE:
        *gradient = scaled(1 / norm(x), x);
        break;
    case SHAPE_CAPSULE:
        *gradient = beyond_axis(s->size, x);
        *gradient = scaled(1 / norm(*gradient), *gradient);
        break;
    case SHAPE_ELLIPSOID:
        *gradient = slope_of_ellipsoid(s->size, x);
        break;
    case SHAPE_CYLINDER:
        *gradient = slope_of_cylinder(s->size, x);
        break;
    case SHAPE_BOX:
        *gradient = slope_of_box(s->size, x);
        break;
    default:
        return field_slope(s->field, x, gradient);
    }
    return shape_distance(s, x);
}

#endif
