#ifndef POLYBODY_FLEX_ROWS_H
#define POLYBODY_FLEX_ROWS_H

/* The rows of flexes: of edges of fixed length, and the bodies that a contact with an element moves. */

#include "rows/memory.h"

static inline Vec vertex_of_flex(const Constraints *c, int flex, int vertex)
{
    return vec_at(c->d.flexvert_xpos + 3 * (long)(c->m.flex_vertadr[flex] + vertex));
}

/* Fixes the lengths of all edges of a flex whose ends can move relative to each other. */
static void add_edges(Constraints *c, int e)
{
    const Arena *a = &c->a;
    const int flex = c->m.eq_obj1id[e], first = c->m.flex_edgeadr[flex];
    for (int edge = first; edge < first + c->m.flex_edgenum[flex]; edge++) {
        if (c->m.flexedge_rigid[edge])
            continue;
        const int ends[2] = {c->m.flexedge_first[edge], c->m.flexedge_second[edge]};
        const Vec p = vec_at(c->d.flexvert_xpos + 3 * (long)ends[0]), q = vec_at(c->d.flexvert_xpos + 3 * (long)ends[1]);
        const int n = find_path(c, c->m.flex_vertbodyid[ends[0]], c->m.flex_vertbodyid[ends[1]], 0);
        const Common what = {ROW_EQUALITY, e, 1, n, 0, 0};
        const int i = begin_rows(c, &what);
        if (i < 0)
            continue;
        const Vec direction = unit(sub(q, p));
        real *J = a->jacobian + a->row_first[i];
        for (int k = 0; k < n; k++) /* each moves one of the ends */
            J[k] = a->sign[2 * k + 1] != 0 ? dot(direction, speed_of(c, a->path[k], q)) : -dot(direction, speed_of(c, a->path[k], p));
        a->row_pos[i] = c->d.flexedge_length[edge] - c->m.flexedge_length0[edge];
        a->row_diagonal[i] = c->m.flexedge_invweight0[edge];
        drop_if_empty(c, i);
    }
}

/* The bodies that a contact acts on, with weights, which are negative on the first side. */
typedef struct {
    int n, plain; /* plain: one body on each side */
    int body[8];
    real weight[8];
} Ends;

/* Adds the bodies of an element, weighted by the proximity of their vertices to the contact. As in MuJoCo the
   squares of the weights sum to 1, and a vertex on the other side of the contact is omitted. */
static void add_element(const Constraints *c, const Contact *contact, int side, Ends *ends)
{
    const int flex = contact->flex[side], corners = c->m.flex_dim[flex] + 1;
    const int *corner = c->m.flex_elem + c->m.flex_elemdataadr[flex] + (long)contact->elem[side] * corners;
    const int start = ends->n;
    real square = 0;
    for (int k = 0; k < corners; k++) {
        if (corner[k] == contact->vert[1 - side])
            continue;
        const real share = 1 / maximum(LEAST, distance(vec_at(contact->pos), vertex_of_flex(c, flex, corner[k])));
        ends->body[ends->n] = c->m.flex_vertbodyid[c->m.flex_vertadr[flex] + corner[k]];
        ends->weight[ends->n++] = share;
        square += share * share;
    }
    const real scale = (side ? 1 : -1) / sqrt(maximum(LEAST * LEAST, square));
    for (int k = start; k < ends->n; k++)
        ends->weight[k] *= scale;
}

/* The body of a geom or of a vertex; -1 for an element. */
static inline int body_of_side(const Constraints *c, const Contact *contact, int side)
{
    if (contact->geom[side] >= 0)
        return c->m.geom_bodyid[contact->geom[side]];
    const int flex = contact->flex[side], vertex = contact->vert[side];
    return vertex >= 0 ? c->m.flex_vertbodyid[c->m.flex_vertadr[flex] + vertex] : -1;
}

/* The body of a geom; -1 for a flex. */
static inline int body_of_geom(const Constraints *c, const Contact *contact, int side)
{
    return contact->geom[side] >= 0 ? c->m.geom_bodyid[contact->geom[side]] : -1;
}

static Ends ends_of(const Constraints *c, const Contact *contact)
{
    if (!FACT(c, flexes)) {
        const Ends bodies = {2, 1, {c->m.geom_bodyid[contact->geom[0]], c->m.geom_bodyid[contact->geom[1]]}, {-1, 1}};
        return bodies;
    }
    Ends ends;
    ends.n = 0;
    ends.plain = 1;
    for (int side = 0; side < 2; side++) {
        const int body = body_of_side(c, contact, side);
        if (body < 0) {
            ends.plain = 0;
            add_element(c, contact, side, &ends);
        } else {
            ends.body[ends.n] = body;
            ends.weight[ends.n++] = side ? 1 : -1;
        }
    }
    return ends;
}

/* Writes the degrees of freedom that move the ends of a contact to path, ascending, and their weights to
   sign, as in find_path(). */
static int find_ends(Constraints *c, const Ends *ends)
{
    if (ends->plain)
        return find_path(c, ends->body[0], ends->body[1], 0);
    int at[8], n = 0;
    for (int k = 0; k < ends->n; k++)
        at[k] = c->m.body_lastdof[ends->body[k]];
    for (;;) {
        int next = -1;
        real sum = 0;
        for (int k = 0; k < ends->n; k++)
            next = at[k] > next ? at[k] : next;
        if (next < 0)
            break;
        for (int k = 0; k < ends->n; k++)
            if (at[k] == next) {
                sum += ends->weight[k];
                at[k] = c->m.dof_parentid[next];
            }
        c->a.path[n] = next;
        c->a.sign[2 * n] = 0;
        c->a.sign[2 * n++ + 1] = sum;
    }
    for (int k = 0; k < n / 2; k++) {
        const int dof = c->a.path[k];
        const real sign = c->a.sign[2 * k + 1];
        c->a.path[k] = c->a.path[n - 1 - k];
        c->a.sign[2 * k + 1] = c->a.sign[2 * (n - 1 - k) + 1];
        c->a.path[n - 1 - k] = dof;
        c->a.sign[2 * (n - 1 - k) + 1] = sign;
    }
    return n;
}

static real weight_of_ends(const Constraints *c, const Ends *ends)
{
    real sum = 0;
    for (int k = 0; k < ends->n; k++)
        sum += fabs(ends->weight[k]) * c->m.body_invweight0[2 * ends->body[k]];
    return sum;
}

#endif
