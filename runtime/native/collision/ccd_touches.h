#ifndef POLYBODY_CCD_TOUCHES_H
#define POLYBODY_CCD_TOUCHES_H

/* The contacts of convex shapes as of MuJoCo 4.0: one, or several where faces or edges meet a face. */

#include "collision/ccd_faces.h"

typedef struct {
    Outline now, next;
} Clipped;

/* Cuts an outline by the planes through the edges of a face that are normal to it. */
static void clip_outline(const Outline *face, Vec normal, const Outline *other, Clipped *out)
{
    Outline *now = &out->now, *next = &out->next;
    now->count = other->count;
    for (int i = 0; i < other->count; i++)
        now->v[i] = other->v[i];
    for (int e = 0; e < face->count; e++) {
        const Vec corner = face->v[e], end = face->v[e + 1 < face->count ? e + 1 : 0];
        const Vec inward = unit(cross(sub(end, corner), sub(add(corner, normal), corner)));
        next->count = 0;
        for (int i = 0; i < now->count && next->count + 2 <= MOST_SIDES; i++) {
            const Vec from = now->v[i], to = now->v[i + 1 < now->count ? i + 1 : 0];
            const real start = dot(sub(from, corner), inward), stop = dot(sub(to, corner), inward);
            if (!(start > -TINY) && !(stop > -TINY))
                continue;
            if (!(start > -TINY && stop > -TINY) && start - stop != 0) {
                const real share = start / (start - stop);
                if (share >= 0 && share <= 1)
                    next->v[next->count++] = along(from, share, sub(to, from));
            }
            if (stop > -TINY)
                next->v[next->count++] = to;
        }
        Outline *swap = now;
        now = next;
        next = swap;
    }
    if (now != &out->now) {
        out->now.count = now->count;
        for (int i = 0; i < now->count; i++)
            out->now.v[i] = now->v[i];
    }
}

static inline real area_of_four(Vec a, Vec b, Vec c, Vec d) { return .5 * norm(cross(sub(a, c), sub(b, d))); }

/* Four corners of a convex outline that span the greatest area. */
static void widest_four(const Outline *o, int *best)
{
    const int n = o->count;
    const Vec *v = o->v;
    int b = 1, c = 2, d = 3;
    real area = area_of_four(v[0], v[1], v[2], v[3]);
    for (int i = 0; i < 4; i++)
        best[i] = i;
    for (int a = 0; a < n; a++) {
        for (;;) {
            const int next = (d + 1) % n;
            const real wider = area_of_four(v[a], v[b], v[c], v[next]);
            if (area >= wider)
                break;
            area = wider;
            d = next;
            for (real more; (more = area_of_four(v[a], v[b], v[(c + 1) % n], v[d])) > area; area = more)
                c = (c + 1) % n;
            for (real more; (more = area_of_four(v[a], v[(b + 1) % n], v[c], v[d])) > area; area = more)
                b = (b + 1) % n;
            best[0] = a;
            best[1] = b;
            best[2] = c;
            best[3] = d;
        }
        if (b != a)
            continue;
        b = (b + 1) % n;
        if (c != b)
            continue;
        c = (c + 1) % n;
        if (d == c)
            d = (d + 1) % n;
    }
}

static void most_distant_two(const Outline *o, int *best)
{
    real most = 0;
    best[0] = 0;
    best[1] = 1;
    for (int i = 0; i < o->count; i++)
        for (int k = i + 1; k < o->count; k++) {
            const Vec d = sub(o->v[k], o->v[i]);
            const real square = dot(d, d);
            if (square > most) {
                most = square;
                best[0] = i;
                best[1] = k;
            }
        }
}

/* The points at which an outline meets a face: both on the face, and the distances along a direction. At most `most` of those that are
   below the face by less than `margin`. Returns their number. */
static int meet_face(const Outline *face, Vec normal, const Outline *other, Vec way, real margin, int most, Vec *on_face, Vec *on_other,
                     real *dist)
{
    Clipped clipped;
    int chosen[MOST_WITNESSES], count = 0;
    if (face->count < 3)
        return 0;
    clip_outline(face, normal, other, &clipped);
    Outline *o = &clipped.now;
    for (int i = 0; i < o->count; i++)
        if (dot(sub(o->v[i], face->v[0]), normal) <= margin)
            o->v[count++] = o->v[i];
    o->count = count;
    if (most < 5 && count > 4) {
        widest_four(o, chosen);
        count = 4;
    } else if (other->count == 2 && count > 2) {
        most_distant_two(o, chosen);
        count = 2;
    } else {
        count = count < most ? count : most;
        for (int i = 0; i < count; i++)
            chosen[i] = i;
    }
    for (int i = 0; i < count; i++) {
        const Vec v = o->v[chosen[i]];
        on_face[i] = along(v, -dot(sub(v, face->v[0]), normal), normal);
        dist[i] = dot(sub(on_face[i], v), way);
        on_other[i] = along(on_face[i], -dist[i], way);
    }
    return count;
}

/* The features that meet: faces, or an edge (of the shape `edge_of`, else -1) and a face. */
typedef struct {
    int face[2], edge, edge_of;
} Meeting;

/* What of two shapes meets; returns whether there are several contacts. */
static int find_meeting(Part *part, const CcdResult *r, Meeting *m)
{
    const Vec way = sub(r->on_b[0], r->on_a[0]), back = sub(r->on_a[0], r->on_b[0]);
    m->edge_of = -1;
    find_normals(part, back);
    find_normals(part + 1, way);
    m->face[0] = find_opposite_faces(part, part + 1, way, m->face + 1);
    if (m->face[0] >= 0)
        return 1;
    /* the edges of the shape whose part is smaller first */
    const int second = part[0].faces && part[1].dim != 3 && (part[1].dim < part[0].dim || !part[1].faces);
    for (int k = 0; k < 2; k++) {
        const int own = k ? !second : second, face = !own;
        if (part[own].dim == 3 || !part[face].faces)
            continue;
        part[own].edges = 0;
        m->face[face] = find_edge_along_face(part + face, part + own, own ? r->on_b[0] : r->on_a[0], own ? back : way, &m->edge);
        if (m->face[face] >= 0) {
            m->edge_of = own;
            return 1;
        }
    }
    return 0;
}

static inline real inflation_of(const CcdShape *c) { return c->elastic || c->type == SHAPE_CAPSULE ? 0 : c->inflation; }

static inline int has_faces(const CcdShape *c)
{
    return c->count > 0 && !(c->type == SHAPE_MESH && !(c->shape->hull->sides && c->shape->hull->sides->count));
}

/* Replaces a result by several contacts, if features meet that have them. */
static NEVER_INLINE void find_more(const CcdShape *a, const CcdShape *b, int most, CcdResult *r)
{
    Part part[2];
    Meeting m;
    Outline outline[2];
    CcdResult found;
    if (!has_faces(a) || !has_faces(b))
        return;
    set_part(a, part);
    set_part(b, part + 1);
    if (!find_meeting(part, r, &m))
        return;
    for (int side = 0; side < 2; side++)
        if (m.edge_of != side)
            outline_face(part + side, part[side].row[m.face[side]], outline + side);
    if (m.edge_of >= 0) {
        const int face = !m.edge_of;
        if (!outline_edge(part + m.edge_of, m.edge, part[face].normal[m.face[face]], outline + m.edge_of)) {
            r->count = 1;
            return;
        }
    }
    const real margin_a = inflation_of(a), margin_b = inflation_of(b), margin = margin_a + margin_b;
    Vec n, direction;
    if (m.edge_of == 0) {
        n = part[1].normal[m.face[1]];
        direction = negated(n);
        found.count = meet_face(outline + 1, n, outline, negated(n), margin, most, found.on_b, found.on_a, found.dist);
    } else if (m.edge_of == 1) {
        n = direction = part[0].normal[m.face[0]];
        found.count = meet_face(outline, n, outline + 1, negated(n), margin, most, found.on_a, found.on_b, found.dist);
    } else {
        n = part[1].normal[m.face[1]];
        direction = negated(n);
        found.count =
            meet_face(outline, part[0].normal[m.face[0]], outline + 1, n, margin, most, found.on_a, found.on_b, found.dist);
    }
    r->count = 1;
    if (found.count <= 0)
        return;
    inflate_witnesses(margin_a, margin_b, direction, &found);
    found.apart = r->apart;
    *r = found;
}

/* The distance of two shapes, negative if they overlap; points on both if it is at most `cutoff`. Up to `most` contacts; with 0 it is
   only found out whether they are apart. */
static real ccd_search(CcdShape *a, CcdShape *b, const Search *search, real cutoff, int most, CcdResult *r)
{
    most = most < MOST_WITNESSES ? most : MOST_WITNESSES;
    r->on_a[0] = a->centre;
    r->on_b[0] = b->centre;
    int done = 0;
    if (is_round(a) || is_round(b) || (!a->elastic && !b->elastic && (a->inflation > 0 || b->inflation > 0))) {
        done = ccd_of_cores(a, b, search, cutoff, most, r);
        if (done && r->dist[0] < 0 && most > 1)
            find_more(a, b, most, r);
        r->on_a[0] = done ? r->on_a[0] : a->centre;
        r->on_b[0] = done ? r->on_b[0] : b->centre;
    }
    if (!done) {
        ccd_distance(a, b, search, cutoff, r);
        if (most && r->dist[0] <= search->tolerance && a->count > 1 && !r->apart &&
            ccd_depth(a, b, search, cutoff > 0, r->dist[0], r) && most > 1)
            find_more(a, b, most, r);
    }
    real least = r->dist[0];
    for (int i = 1; i < r->count; i++)
        least = minimum(least, r->dist[i]);
    return least;
}

/* How many contacts a pair of kinds of shapes may have. */
static inline int most_contacts(const CcdShape *a, const CcdShape *b)
{
#define IS_FLAT(c) ((c)->type == SHAPE_BOX || (c)->type == SHAPE_MESH || (c)->type == SHAPE_CYLINDER)
    const int lines = (a->type == SHAPE_CAPSULE) + (b->type == SHAPE_CAPSULE);
    if (a->shape->search->multi && IS_FLAT(a) + IS_FLAT(b) + lines == 2)
        return lines ? 2 : 4;
    return 1;
#undef IS_FLAT
}

/* The contacts of two convex shapes, each inflated; returns their number, at most `most`. */
static int ccd_contacts(const Convex *one, const Convex *other, const Search *search, int most, Touch *out)
{
    CcdShape a = ccd_shape(one), b = ccd_shape(other);
    CcdResult r;
    if (!(ccd_search(&a, &b, search, 0, most, &r) < 0))
        return 0;
    for (int i = 0; i < r.count; i++)
        out[i] = touch(r.dist[i], scaled(.5, add(r.on_a[i], r.on_b[i])), unit(sub(r.on_a[i], r.on_b[i])));
    return r.count;
}

static int ccd_touches(const Shape *a, const Shape *b, real margin, Touch *out)
{
    const Convex one = convex(a, .5 * margin), other = convex(b, .5 * margin);
    const CcdShape first = ccd_shape(&one), second = ccd_shape(&other);
    const int n = ccd_contacts(&one, &other, a->search, most_contacts(&first, &second), out);
    for (int i = 0; i < n; i++)
        out[i].dist += margin;
    return n;
}

#endif
