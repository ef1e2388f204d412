#ifndef POLYBODY_EPA_H
#define POLYBODY_EPA_H

/* Penetration depth of two convex shapes: a polytope inside their Minkowski difference is expanded until its
   face nearest to the origin is on the boundary of the difference (G. van den Bergen, Proximity queries and
   penetration depth computation on 3D game objects). */

#include "collision/gjk.h"

enum { MAX_POLES = 132, MAX_FACES = 2 * MAX_POLES };

typedef struct {
    int corner[3]; /* counterclockwise as seen from outside */
    Vec normal;
    real dist; /* distance of its plane from the origin; INFINITY if degenerate */
} Face;

typedef struct {
    Pole pole[MAX_POLES];
    Face face[MAX_FACES];
    int npole, nface;
} Polytope;

static inline Face face_of(const Polytope *p, int i, int j, int k)
{
    Face f = {{i, j, k}, {0, 0, 0}, INFINITY};
    Vec u = sub(p->pole[j].v, p->pole[i].v), w = sub(p->pole[k].v, p->pole[i].v), normal = cross(u, w);
    real area = norm(normal);
    if (area > 1e-12 * norm(u) * norm(w) && area > 0) {
        f.normal = scaled(1 / area, normal);
        f.dist = dot(f.normal, p->pole[i].v);
    }
    return f;
}

/* A unit vector perpendicular to a vector. */
static inline Vec sideways(Vec v)
{
    Vec axis = fabs(v.x) <= fabs(v.y) && fabs(v.x) <= fabs(v.z) ? vec(1, 0, 0)
               : fabs(v.y) <= fabs(v.z)                         ? vec(0, 1, 0)
                                                                : vec(0, 0, 1);
    return unit(cross(v, axis));
}

/* Adds the support point along a direction or its opposite, whichever is farther, unless it is in the plane
   through the first pole within rounding. */
static int add_beside(Polytope *p, Convex *a, Convex *b, Vec direction)
{
    Pole one = pole_towards(a, b, direction), other = pole_towards(a, b, negated(direction));
    real level = dot(p->pole[0].v, direction), up = dot(one.v, direction) - level, down = level - dot(other.v, direction);
    Pole best = up >= down ? one : other;
    if (!(maximum(up, down) > 1e-12 * (1 + norm(best.v))))
        return 0;
    p->pole[p->npole++] = best;
    return 1;
}

/* Builds a tetrahedron whose corners include those of the simplex. If the difference is flat, returns 0 and a
   direction in which it has no extent. */
static int make_tetrahedron(Polytope *p, Convex *a, Convex *b, const Simplex *s, Vec *flat)
{
    p->npole = s->count;
    for (int i = 0; i < s->count; i++)
        p->pole[i] = s->pole[i];
    if (!p->npole)
        p->pole[p->npole++] = pole_towards(a, b, vec(1, 0, 0));
    static const Vec axes[3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
    for (int i = 0; i < 3 && p->npole == 1; i++)
        add_beside(p, a, b, axes[i]);
    if (p->npole == 1) {
        *flat = axes[2];
        return 0;
    }
    if (p->npole == 2) {
        Vec edge = sub(p->pole[1].v, p->pole[0].v), across = sideways(edge);
        if (!add_beside(p, a, b, across) && !add_beside(p, a, b, unit(cross(edge, across)))) {
            *flat = across;
            return 0;
        }
    }
    if (p->npole == 3) {
        Vec normal = unit(cross(sub(p->pole[1].v, p->pole[0].v), sub(p->pole[2].v, p->pole[0].v)));
        if (!add_beside(p, a, b, normal)) {
            *flat = normal;
            return 0;
        }
    }
    static const int corners[4][3] = {{0, 1, 2}, {0, 2, 3}, {0, 3, 1}, {1, 3, 2}};
    Vec edge[3] = {sub(p->pole[1].v, p->pole[0].v), sub(p->pole[2].v, p->pole[0].v), sub(p->pole[3].v, p->pole[0].v)};
    int inverted = dot(cross(edge[0], edge[1]), edge[2]) > 0;
    for (int i = 0; i < 4; i++)
        p->face[i] = face_of(p, corners[i][0], corners[i][inverted ? 2 : 1], corners[i][inverted ? 1 : 2]);
    p->nface = 4;
    return 1;
}

/* Adds a pole: the faces visible from it are replaced by faces between their boundary and the pole. Returns 0
   if there is no space, or if no face is visible. No new face can be nearer than `level`, the distance of the nearest face before. Those
   that are have three corners nearly on a line, so that rounding determined their normals: they count as degenerate. */
static int add_pole(Polytope *p, const Pole *pole, real level)
{
    int rim[3 * MAX_FACES][2], count = 0, kept = 0;
    real rounding = 1e-14 * (1 + norm(pole->v));
    if (p->npole == MAX_POLES)
        return 0;
    for (int i = 0; i < p->nface; i++) {
        const Face *f = p->face + i;
        if (!(dot(f->normal, pole->v) - f->dist > rounding)) {
            if (kept < i)
                p->face[kept] = *f;
            kept++;
            continue;
        }
        for (int k = 0; k < 3; k++) { /* edges between two visible faces are not on the boundary */
            int from = f->corner[k], to = f->corner[(k + 1) % 3], twin = 0;
            while (twin < count && !(rim[twin][0] == to && rim[twin][1] == from))
                twin++;
            if (twin < count) {
                count--;
                rim[twin][0] = rim[count][0];
                rim[twin][1] = rim[count][1];
            } else {
                rim[count][0] = from;
                rim[count++][1] = to;
            }
        }
    }
    int hidden = p->nface - kept;
    p->nface = kept;
    if (!hidden || kept + count > MAX_FACES)
        return 0;
    p->pole[p->npole] = *pole;
    for (int i = 0; i < count; i++) {
        Face *f = p->face + p->nface++;
        *f = face_of(p, rim[i][0], rim[i][1], p->npole);
        if (f->dist < level - 1e-9 * (1 + fabs(level))) {
            f->normal = vec(0, 0, 0);
            f->dist = INFINITY;
        }
    }
    p->npole++;
    return 1;
}

static inline const Face *nearest_face(const Polytope *p)
{
    const Face *best = p->face;
    for (int i = 1; i < p->nface; i++)
        if (p->face[i].dist < best->dist)
            best = p->face + i;
    return best;
}

/* Points of both shapes whose difference is the projection of the origin onto the plane of a face. The
   projection is in that face or in one of the same plane. */
static void find_foot(const Polytope *p, const Face *face, Vec *on_a, Vec *on_b)
{
    Vec foot = scaled(face->dist, face->normal);
    real nearest = INFINITY;
    *on_a = p->pole[face->corner[0]].a; /* if squares of distances overflow */
    *on_b = p->pole[face->corner[0]].b;
    for (int k = 0; k < p->nface; k++) {
        const Face *f = p->face + k;
        if (!(f->dist <= face->dist + 1e-9 * (1 + fabs(face->dist))))
            continue;
        Pole corner[3];
        for (int i = 0; i < 3; i++) {
            corner[i] = p->pole[f->corner[i]];
            corner[i].v = sub(corner[i].v, foot);
        }
        real share[3], far = keep_triangle(corner, corner + 1, corner + 2, share);
        if (!(far < nearest))
            continue;
        nearest = far;
        *on_a = *on_b = vec(0, 0, 0);
        for (int i = 0; i < 3; i++) {
            *on_a = along(*on_a, share[i], corner[i].a);
            *on_b = along(*on_b, share[i], corner[i].b);
        }
    }
}

/* The depth of overlapping cores, the direction in which the second one has to move to separate them, and the
   contact points of both. */
static real core_depth(Convex *a, Convex *b, const Search *search, const Simplex *s, Vec *normal, Vec *on_a, Vec *on_b)
{
    Polytope p;
    Face best;
    int solid = make_tetrahedron(&p, a, b, s, normal);
    if (solid) {
        best = *nearest_face(&p);
        solid = best.dist < INFINITY;
        if (!solid) /* all faces are degenerate: the corners are nearly on a line */
            *normal = sideways(sub(p.pole[1].v, p.pole[0].v));
    }
    if (!solid) {
        Simplex touching = *s;
        *on_a = s->count ? weighed(&touching, 1) : p.pole[0].a;
        *on_b = s->count ? weighed(&touching, 2) : p.pole[0].b;
        return 0;
    }
    for (long round = 0; round < 2 * (long)search->iterations; round++) { /* many if shapes are smooth */
        Pole next = pole_towards(a, b, best.normal);
        if (!(dot(next.v, best.normal) - best.dist > .1 * search->tolerance) || !add_pole(&p, &next, best.dist))
            break;
        Face nearest = *nearest_face(&p);
        if (!(nearest.dist < INFINITY))
            break;
        best = nearest;
    }
    *normal = best.normal;
    find_foot(&p, &best, on_a, on_b);
    return maximum(best.dist, 0);
}

/* The distance of two inflated shapes, negative if they overlap. If it is at most `reach`, returns 1, the
   normal from the first to the second, and their nearest points. */
static int separation(Convex *a, Convex *b, const Search *search, real reach, Touch *out, Vec *on_a, Vec *on_b)
{
    Simplex s;
    real radius_a = core_radius(a), radius_b = core_radius(b), thick = radius_a + radius_b;
    real dist = core_distance(a, b, search, reach + thick, &s);
    if (!(dist - thick <= reach) && !(dist <= 1e-10))
        return 0;
    Vec normal;
    if (dist > 1e-10) {
        *on_a = weighed(&s, 1);
        *on_b = weighed(&s, 2);
        normal = unit(sub(*on_b, *on_a));
    } else {
        const real depth = core_depth(a, b, search, &s, &normal, on_a, on_b);
        dist = depth > 0 ? -depth : dist; /* if a simplex passes through the origin, `dist` is not exactly 0 */
        if (!(dist - thick <= reach))
            return 0;
    }
    *on_a = along(*on_a, radius_a, normal);
    *on_b = along(*on_b, -radius_b, normal);
    *out = touch(dist - thick, scaled(.5, add(*on_a, *on_b)), normal);
    return 1;
}

#endif
