#ifndef POLYBODY_SLOW_H
#define POLYBODY_SLOW_H

/* A polytope inflated by a radius (sphere, capsule, box, mesh) is nearest to another, or penetrates it least,
   along the normal of a face, the cross product of two edges, or the line from a corner or an edge to a
   corner: all of them are tried. For other shapes a set of directions is tried, and the best ones are
   refined. */

#include "collision/convex.h"

enum { CORE_POINTS = 20, NET = 200, STARTS = 4, MAX_TURNS = 500 };

typedef struct {
    Vec point[CORE_POINTS];
    int count;
    double radius;
} Core;

/* Whether the shape is a polytope with a radius around it, and which. */
static int core_of(const Shape *s, Core *c)
{
    const double *size = s->size;
    c->radius = s->type == SHAPE_SPHERE || s->type == SHAPE_CAPSULE ? size[0] : 0;
    c->count = s->type == SHAPE_SPHERE ? 1 : s->type == SHAPE_CAPSULE ? 2 : s->type == SHAPE_BOX ? 8 : s->type == SHAPE_MESH ? s->hull->count : 0;
    if (c->count > CORE_POINTS)
        return 0;
    for (int i = 0; i < c->count; i++) {
        Vec local = {0, 0, 0};
        if (s->type == SHAPE_CAPSULE)
            local.z = i ? size[1] : -size[1];
        if (s->type == SHAPE_BOX)
            local = vec(i & 1 ? size[0] : -size[0], i & 2 ? size[1] : -size[1], i & 4 ? size[2] : -size[2]);
        if (s->type == SHAPE_MESH)
            local = vec(s->hull->vert[3 * i], s->hull->vert[3 * i + 1], s->hull->vert[3 * i + 2]);
        c->point[i] = add(s->pos, combined(&s->axes, local));
    }
    return c->count > 0;
}

static double reach_of_core(const Core *c, Vec n)
{
    double most = -INFINITY;
    for (int i = 0; i < c->count; i++)
        most = maximum(most, dot(c->point[i], n));
    return most + c->radius;
}

/* The lesser overlap along a direction and against it, if that is less than what was found. */
static void try_direction(const Core *a, const Core *b, Vec way, double *best)
{
    double length = norm(way);
    if (!(length > 1e-9))
        return;
    Vec n = scaled(1 / length, way), back = negated(n);
    *best = minimum(*best, reach_of_core(a, n) + reach_of_core(b, back));
    *best = minimum(*best, reach_of_core(a, back) + reach_of_core(b, n));
}

static void try_one_sided(const Core *a, const Core *b, const Core *of, const Core *other, double *best)
{
    for (int i = 0; i < of->count; i++)
        for (int j = 0; j < i; j++) {
            Vec edge = sub(of->point[i], of->point[j]);
            double square = dot(edge, edge);
            for (int k = 0; k < other->count && square > 0; k++) {
                Vec way = sub(other->point[k], of->point[j]);
                try_direction(a, b, along(way, -dot(way, edge) / square, edge), best);
            }
            for (int k = 0; k < j; k++)
                try_direction(a, b, cross(edge, sub(of->point[k], of->point[j])), best);
        }
}

static double overlap_of_cores(const Core *a, const Core *b)
{
    double best = INFINITY;
    try_direction(a, b, vec(1, 0, 0), &best);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            try_direction(a, b, sub(a->point[i], b->point[j]), &best);
    try_one_sided(a, b, a, b, &best);
    try_one_sided(a, b, b, a, &best);
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < i; j++)
            for (int k = 0; k < b->count; k++)
                for (int l = 0; l < k; l++)
                    try_direction(a, b, cross(sub(a->point[i], a->point[j]), sub(b->point[k], b->point[l])), &best);
    return best;
}

/* How far two convex shapes overlap along a direction from the first to the second. */
static double overlap(const Shape *a, const Shape *b, Vec n)
{
    Convex one = convex(a, 0), other = convex(b, 0);
    double front = a->type == SHAPE_PLANE ? dot(a->pos, n) : dot(support(&one, n), n);
    return front - dot(support(&other, negated(n)), n);
}

/* Goes sideways as long as that makes the overlap less, in ever shorter steps, each in directions turned by another angle: along an
   edge of the overlap, as cylinders and boxes cause them, few directions lead downwards. It ends after MAX_TURNS, because along the edge
   of a flat cylinder each step gains less than the one before. */
static double improved_overlap(const Shape *a, const Shape *b, Vec n, double best)
{
    const double turn = .69546; /* no fraction of a full turn */
    double step = .2, along_side = 1, along_up = 0;
    for (int turns = 0, failed = 0; turns < MAX_TURNS && step > 1e-7; turns++) {
        Vec side = unit(cross(n, fabs(n.x) < .6 ? vec(1, 0, 0) : vec(0, 1, 0))), up = cross(n, side), found = n;
        for (int k = 0; k < 9; k++) {
            const double turned = along_side * cos(turn) - along_up * sin(turn);
            along_up = along_side * sin(turn) + along_up * cos(turn);
            along_side = turned;
            Vec tried = unit(along(along(n, step * along_side, side), step * along_up, up));
            double there = overlap(a, b, tried);
            if (there < best) {
                best = there;
                found = tried;
            }
        }
        failed = found.x == n.x && found.y == n.y && found.z == n.z ? failed + 1 : 0;
        if (failed > 3) {
            step *= .6;
            failed = 0;
        }
        n = found;
    }
    return best;
}

/* The least overlap of two convex shapes, negative where they are apart; `exact`: not only about. Without a formula the
   search also begins from a `hint`, a direction, if there is one. */
static double least_overlap(const Shape *a, const Shape *b, const Vec *hint, int *exact)
{
    Core one, other;
    *exact = 1;
    if (a->type == SHAPE_PLANE)
        return overlap(a, b, a->axes.z);
    if (core_of(a, &one) && core_of(b, &other))
        return overlap_of_cores(&one, &other);
    *exact = 0;
    Vec way[NET];
    double found[NET], best = INFINITY;
    for (int i = 0; i < NET; i++) { /* a spiral */
        double z = 1 - (2 * i + 1.) / NET, across = sqrt(1 - z * z);
        way[i] = vec(across * cos(2.399963229728653 * i), across * sin(2.399963229728653 * i), z);
        found[i] = overlap(a, b, way[i]);
    }
    if (hint)
        best = improved_overlap(a, b, *hint, overlap(a, b, *hint));
    for (int k = 0; k < STARTS; k++) {
        int lowest = 0;
        for (int i = 1; i < NET; i++)
            lowest = found[i] < found[lowest] ? i : lowest;
        best = minimum(best, improved_overlap(a, b, way[lowest], found[lowest]));
        found[lowest] = INFINITY;
    }
    return best;
}

#endif
