#ifndef POLYBODY_CONTACT_ROWS_H
#define POLYBODY_CONTACT_ROWS_H

/* The rows of contacts. */

#include "rows/flex_rows.h"
#include "rows/memory.h"

/* Component of a velocity along direction k of a contact: the normal and both tangents (linear velocity),
   then the same three (angular velocity). */
static inline real share(const Contact *contact, int k, Vec sliding, Vec turning)
{
    return k < 3 ? dot(vec_at(contact->frame + 3 * k), sliding) : dot(vec_at(contact->frame + 3 * (k - 3)), turning);
}

/* Writes the rows of J of a contact from its columns in the path. */
static void write_contact_rows(const Constraints *c, const Contact *contact, int first, int n, int pyramid)
{
    const Arena *a = &c->a;
    const int dim = contact->dim;
    const Vec point = vec_at(contact->pos);
    real *J = row_of(c, first);
    for (int k = 0; k < n; k++) {
        const int dof = a->path[k];
        const real s = a->sign[2 * k + 1] - a->sign[2 * k];
        const Vec v = scaled(s, speed_of(c, dof, point)), w = scaled(s, axis_of(c, dof));
        if (!pyramid) {
            for (int r = 0; r < dim; r++)
                J[r * n + k] = share(contact, r, v, w);
            continue;
        }
        const real normal = share(contact, 0, v, w);
        for (int r = 0; r < dim - 1; r++) {
            const real side = contact->friction[r] * share(contact, r + 1, v, w);
            J[2 * r * n + k] = normal + side;
            J[(2 * r + 1) * n + k] = normal - side;
        }
    }
}

/* Copies axes and anchors of all degrees of freedom, one array per component, for dense rows of contacts. */
static void spread_axes(const Constraints *c)
{
    const int width = row_stride(c, 0);
    const real *restrict axis = c->d.dof_xaxis, *restrict anchor = c->d.dof_xanchor;
    real *restrict to = c->a.axes;
    for (int i = 0; i < FACT(c, nv); i++, to++) {
        UNROLL(16)
        for (int e = 0; e < 6; e++)
            to[width * e] = *axis++;
        UNROLL(16)
        for (int e = 6; e < 9; e++)
            to[width * e] = *anchor++;
    }
}

typedef struct { Block x, y, z; } Vecs;

INLINE Block dots(const real *x, Vecs v) { return x[0] * v.x + x[1] * v.y + x[2] * v.z; }

/* The rows of J of a contact, BLOCK degrees of freedom at a time: those in `other` move the second body,
   those in `one` the first. */
INLINE void write_dense_contact(const Constraints *c, int blocks, const Contact *contact, int first, uint64_t one,
                                 uint64_t other, int pyramid)
{
    const int dim = contact->dim, width = WIDTH_OF(blocks);
    const real *frame = contact->frame, *p = contact->pos;
    for (int b = 0; b < blocks; b++) {
        const real *axes = c->a.axes + BLOCK * b;
        real *J = c->a.jacobian + (long)width * first + BLOCK * b;
        const Bits more = columns_in(other, b), less = columns_in(one, b);
        const Vecs w = {block_of(axes), block_of(axes + width), block_of(axes + 2 * width)};
        const Block x = p[0] - block_of(axes + 6 * width), y = p[1] - block_of(axes + 7 * width);
        const Block z = p[2] - block_of(axes + 8 * width);
        const Vecs v = {block_of(axes + 3 * width) + (w.y * z - w.z * y), block_of(axes + 4 * width) + (w.z * x - w.x * z),
                        block_of(axes + 5 * width) + (w.x * y - w.y * x)};
        const Block along = dots(frame, v), normal = block_masked(more, along) - block_masked(less, along);
        if (dim == 1 || !pyramid)
            put_block(J, normal);
        for (int r = 1; r < dim; r++) {
            const Block sliding = r < 3 ? dots(frame + 3 * r, v) : dots(frame + 3 * (r - 3), w);
            const Block own = block_masked(more, sliding) - block_masked(less, sliding);
            if (!pyramid) {
                put_block(J + width * r, own);
                continue;
            }
            put_block(J + width * (2 * r - 2), normal + contact->friction[r - 1] * own);
            put_block(J + width * (2 * r - 1), normal - contact->friction[r - 1] * own);
        }
    }
}

/* Mask of the degrees of freedom that move a body, if rows are dense. */
static inline uint64_t movers_of(const Constraints *c, int body)
{
    const int last = c->m.body_lastdof[body];
    return last < 0 ? 0 : c->a.tree[last];
}

static void add_contact(Constraints *c, int id)
{
    Contact *contact = c->contacts + id;
    const Arena *a = &c->a;
    const int dim = contact->dim, dense = FACT(c, dense);
    uint64_t first = 0, second = 0;
    real sliding;
    int n;
    if (dense) { /* there are no flexes */
        const int one = c->m.geom_bodyid[contact->geom[0]], other = c->m.geom_bodyid[contact->geom[1]];
        first = movers_of(c, one);
        second = movers_of(c, other);
        n = first != second;
        sliding = weight(c, one, other, 0);
    } else {
        const Ends ends = ends_of(c, contact);
        n = find_ends(c, &ends);
        sliding = weight_of_ends(c, &ends);
    }
    const int pyramid = dim > 1 && FACT(c, cone) == CONE_PYRAMIDAL;
    const int type = dim == 1 ? ROW_CONTACT_FRICTIONLESS : pyramid ? ROW_CONTACT_PYRAMIDAL : ROW_CONTACT_ELLIPTIC;
    const Common what = {type, id, pyramid ? 2 * (dim - 1) : dim, n, contact->includemargin, 0};
    if (n == 0 && (FACT(c, sparse) || is_newest(c))) {
        contact->exclude = 3;
        return;
    }
    const int i = begin_columns(c, &what, first ^ second);
    if (i < 0)
        return;
    contact->efc_address = i;
    a->row_diagonal[i] = pyramid ? sliding + contact->friction[0] * contact->friction[0] * sliding : sliding;
    a->row_pos[i] = contact->dist;
    for (int r = 1; r < what.rows; r++) {
        a->row_pos[i + r] = pyramid ? contact->dist : 0;
        if (!pyramid)
            a->row_margin[i + r] = 0;
    }
    if (dense)
        write_dense_contact(c, BLOCKS(c), contact, i, first & ~second, second & ~first, pyramid);
    else
        write_contact_rows(c, contact, i, n, pyramid);
}

static void add_contacts(Constraints *c)
{
    if (FACT(c, dense) && c->ncon)
        spread_axes(c);
    for (int k = 0; k < c->ncon; k++) {
        c->contacts[k].efc_address = -1;
        c->contacts[k].mu = 0;
        if (c->contacts[k].exclude == 0 && FACT(c, nv) > 0)
            add_contact(c, k);
    }
}

#endif
