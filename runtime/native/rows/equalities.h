#ifndef POLYBODY_EQUALITIES_H
#define POLYBODY_EQUALITIES_H

/* The rows of equalities. */

#include "rows/flex_rows.h"
#include "rows/lengths.h"
#include "rows/memory.h"

typedef struct { int body; Vec point; Quat turn; } Anchor;

/* The position and frame of one side of an equality: at a site, or at a point of a body. */
static Anchor anchored(const Constraints *c, int e, int side)
{
    const int object = side ? c->m.eq_obj2id[e] : c->m.eq_obj1id[e];
    const real *data = c->m.eq_data + 11 * e;
    Anchor a;
    if (c->m.eq_objtype[e] == OBJECT_SITE) {
        a.body = c->m.site_bodyid[object];
        a.point = vec_at(c->d.site_xpos + 3 * object);
        a.turn = anchor_frame(quat_at(c->d.xquat + 4 * a.body), quat_at(c->m.site_quat + 4 * object));
        return a;
    }
    const int welded = c->m.eq_type[e] == EQUALITY_WELD;
    const Vec place = vec_at(data + (welded == side ? 0 : 3));
    a.body = object;
    a.point = anchor_point(mat_at(c->d.xmat + 9 * object), place, vec_at(c->d.xpos + 3 * object));
    a.turn = quat_at(c->d.xquat + 4 * object);
    if (welded && !side)
        a.turn = anchor_frame(a.turn, quat_at(data + 6));
    return a;
}

/* Two points coincide; for a weld, two frames. */
static void add_connection(Constraints *c, int e)
{
    const Arena *a = &c->a;
    const int welded = c->m.eq_type[e] == EQUALITY_WELD;
    const Anchor p = anchored(c, e, 0), q = anchored(c, e, 1);
    const int n = find_path(c, p.body, q.body, 1);
    const Common what = {ROW_EQUALITY, e, welded ? 6 : 3, n, 0, 0};
    const int i = begin_rows(c, &what);
    if (i < 0)
        return;
    const real scale = c->m.eq_data[11 * e + 10];
    const Vec gap = sub(p.point, q.point), twist = weld_residual(p.turn, q.turn, scale);
    const Mat3 rates = weld_rates(p.turn, q.turn, scale);
    for (int r = 0; r < what.rows; r++) {
        a->row_pos[i + r] = r < 3 ? part(gap, r) : part(twist, r - 3);
        a->row_diagonal[i + r] = weight(c, p.body, q.body, r >= 3);
    }
    real *J = row_of(c, i);
    const int stride = row_stride(c, n);
    for (int k = 0; k < n; k++) {
        const int dof = a->path[k], at = place_of(c, k);
        const real s = a->sign[2 * k], t = a->sign[2 * k + 1];
        const Vec v = sub(scaled(s, speed_of(c, dof, p.point)), scaled(t, speed_of(c, dof, q.point)));
        for (int r = 0; r < 3; r++)
            J[r * stride + at] = part(v, r);
        if (welded) {
            const Vec w = weld_rate(rates, scaled(s - t, axis_of(c, dof)));
            for (int r = 0; r < 3; r++)
                J[(3 + r) * stride + at] = part(w, r);
        }
    }
    drop_if_empty(c, i);
}

/* The coupling of two lengths. */
static Coupling coupling_of(const Constraints *c, int e)
{
    const real *f = c->m.eq_data + 11 * e;
    const int tendon = c->m.eq_type[e] == EQUALITY_TENDON, second = c->m.eq_obj2id[e];
    const Length x = length_of(c, tendon, c->m.eq_obj1id[e]);
    const Length y = second >= 0 ? length_of(c, tendon, second) : (Length){0};
    const Polynomial polynomial = {f[0], f[1], f[2], f[3], f[4]};
    return coupling(polynomial, x.value - x.rest, y.value - y.rest);
}

/* A length is a polynomial of another one, both relative to qpos0. */
static void add_polynomial(Constraints *c, int e)
{
    const int tendon = c->m.eq_type[e] == EQUALITY_TENDON, second = c->m.eq_obj2id[e];
    const Length x = length_of(c, tendon, c->m.eq_obj1id[e]);
    const Common what = {ROW_EQUALITY, e, 1, 0, 0, 0};
    const Length y = second >= 0 ? length_of(c, tendon, second) : (Length){0};
    const Coupling found = coupling_of(c, e);
    const int i = add_length(c, &what, &x, 1, second >= 0 ? &y : NULL, found.slope);
    if (i >= 0)
        c->a.row_pos[i] = found.residual;
    drop_if_empty(c, i);
}

/* A coordinate equals a formula of others. */
static void add_formula(Constraints *c, int e)
{
    const Arena *a = &c->a;
    for (int h = 0; h < FACT(c, nformula); h++) {
        if (c->m.formula_eqid[h] != e)
            continue;
        int n = 0;
        real weights = 0;
        for (int k = 0; k < FACT(c, nJformula); k++) {
            if (c->m.formula_J_formula[k] != h)
                continue;
            int at = n++; /* columns are ascending */
            for (; at > 0 && a->path[at - 1] > c->m.formula_J_colind[k]; at--) {
                a->path[at] = a->path[at - 1];
                a->sign[at] = a->sign[at - 1];
            }
            a->path[at] = c->m.formula_J_colind[k];
            a->sign[at] = c->d.formula_entry[k];
            weights += c->m.dof_invweight0[a->path[at]];
        }
        const Common what = {ROW_EQUALITY, e, 1, n, 0, 0};
        const int i = begin_rows(c, &what);
        if (i < 0)
            return;
        for (int k = 0; k < n; k++)
            row_of(c, i)[place_of(c, k)] = a->sign[k];
        a->row_pos[i] = c->d.formula_pos[h];
        a->row_diagonal[i] = weights;
        drop_if_empty(c, i);
    }
}

static void add_equalities(Constraints *c)
{
    for (int e = 0; e < FACT(c, neq); e++) {
        if (!c->eq_active[e])
            continue;
        switch (c->m.eq_type[e]) {
        case EQUALITY_CONNECT: case EQUALITY_WELD: add_connection(c, e); break;
        case EQUALITY_JOINT: case EQUALITY_TENDON: add_polynomial(c, e); break;
        case EQUALITY_FLEX: add_edges(c, e); break;
        case EQUALITY_FORMULA: add_formula(c, e); break;
        }
    }
}

#endif
