#ifndef POLYBODY_LANES_ROWS_H
#define POLYBODY_LANES_ROWS_H

/* The rows of all lanes; see rows/rows.h for one state. A row that is missing in a lane has D = 0
   there.

   A contact is stored as one wrench per direction, at the reference points of the trees of its bodies; J x is
   the product of the wrench and the relative velocity of the bodies. If both bodies move, the row's entries
   are stored as well. */

#include "formulas/lanes.h"
#include "lanes/lengths.h"
#include "rows/values.h"

enum { ANGLE = 0, LINE = 3, LEVER = 6 }; /* parts of a wrench: moment on the second body, force, moment on the
                                            first body */

INLINE int stride_of(const Link *l) { return l->lever ? 9 : 6; }
INLINE vreal *wrench_of(const LaneWork *w, const Slot *s) { return (vreal *)w->wrench + s->wrench; }

/* The axes of all degrees of freedom at their reference points. */
static void set_axes(LaneWork *w)
{
    vreal *S = (vreal *)w->S;
    const vreal *axis = COLUMN(w, dof_xaxis), *anchor = COLUMN(w, dof_xanchor), *xpos = COLUMN(w, xpos);
    for (int i = 0; i < w->nv; i++, S += 6) {
        const Vec3 turn = at3(axis + 6 * i), arm = sub3(at3(xpos + 3 * w->root[w->dof_root[i]]), at3(anchor + 3 * i));
        put3(S, turn);
        put3(S + 3, add3(at3(axis + 6 * i + 3), cross3(turn, arm)));
    }
}

/* Lists the degrees of freedom that move the bodies of slots. */
static void find_needed(LaneWork *w)
{
    memset(w->marked, 0, w->nv);
    w->nneeded = 0;
    for (int k = 0; k < w->nslot; k++)
        for (int side = 0; side < 2; side++)
            for (int i = w->slot[k].link->node[side]; i >= 0 && !w->marked[i]; i = w->c->m.dof_parentid[i])
                w->marked[i] = 1;
    for (int i = 0; i < w->nv; i++)
        if (w->marked[i])
            w->needed[w->nneeded++] = i;
}

/* The velocities of these bodies at generalised velocities x, stored at the last degree of freedom that moves
   the body. */
static void set_speeds(LaneWork *w, const vreal *x)
{
    const int *parent = w->c->m.dof_parentid;
    for (int k = 0; k < w->nneeded; k++) {
        const int i = w->needed[k];
        const vreal own = x[i], *S = (const vreal *)w->S + 6 * i;
        vreal *to = (vreal *)w->speed + 6 * i;
        if (parent[i] < 0) {
            UNROLL(16) for (int k = 0; k < 6; k++)
                to[k] = S[k] * own;
        } else {
            const vreal *from = (const vreal *)w->speed + 6 * parent[i];
            UNROLL(16) for (int k = 0; k < 6; k++)
                to[k] = from[k] + S[k] * own;
        }
    }
}

/* Relative velocity of a slot's bodies in each of its directions. */
INLINE void rates(const LaneWork *w, const Slot *s, int dim, vreal *u)
{
    const Link *l = s->link;
    const vreal *W = wrench_of(w, s), *b = (const vreal *)w->speed + 6 * l->node[1];
    vreal d[6];
    if (l->node[0] < 0) {
        UNROLL(16) for (int k = 0; k < 6; k++)
            d[k] = b[k];
    } else {
        const vreal *a = (const vreal *)w->speed + 6 * l->node[0];
        if (l->lever) {
            for (int r = 0; r < dim; r++, W += 9) {
                u[r] = W[0] * b[0] + W[1] * b[1] + W[2] * b[2] - (W[6] * a[0] + W[7] * a[1] + W[8] * a[2]);
                u[r] += W[3] * (b[3] - a[3]) + W[4] * (b[4] - a[4]) + W[5] * (b[5] - a[5]);
            }
            return;
        }
        UNROLL(16) for (int k = 0; k < 6; k++)
            d[k] = b[k] - a[k];
    }
    for (int r = 0; r < dim; r++, W += 6)
        u[r] = (W[0] * d[0] + W[1] * d[1] + W[2] * d[2]) + (W[3] * d[3] + W[4] * d[4] + W[5] * d[5]);
}

INLINE int is_pyramid(const LaneWork *w, const Slot *s) { return !s->held && s->dim > 1 && w->c->m.opt_cone[0] == CONE_PYRAMIDAL; }
INLINE int is_ellipse(const LaneWork *w, const Slot *s) { return !s->held && s->dim > 1 && w->c->m.opt_cone[0] == CONE_ELLIPTIC; }

/* mu of a contact, followed by the frictions of its directions. */
INLINE const vreal *friction_of(const LaneWork *w, const Slot *s) { return (const vreal *)w->friction + s->friction; }

/* Converts directions to rows. */
INLINE void spread(const LaneWork *w, const Slot *s, int dim, const vreal *u, vreal *to)
{
    if (!is_pyramid(w, s)) {
        for (int r = 0; r < dim; r++)
            to[r] = u[r];
        return;
    }
    for (int r = 1; r < dim; r++) {
        const vreal side = friction_of(w, s)[r] * u[r];
        to[2 * r - 2] = u[0] + side;
        to[2 * r - 1] = u[0] - side;
    }
}

/* J x for all rows. */
static void multiply_lanes(LaneWork *w, const vreal *x, vreal *to)
{
    for (int i = 0; i < w->nsparse; i++) {
        const Sparse *s = w->sparse + i;
        const vreal *J = (const vreal *)w->entry + s->entry;
        vreal sum = J[0] * x[s->column[0]];
        for (int k = 1; k < s->count; k++)
            sum += J[k] * x[s->column[k]];
        to[i] = sum;
    }
    if (!w->nslot)
        return;
    set_speeds(w, x);
    for (int k = 0; k < w->nslot; k++) {
        const Slot *s = w->slot + k;
        vreal u[MAX_DIRECTIONS];
        if (s->dim == 3) {
            rates(w, s, 3, u);
            spread(w, s, 3, u, to + s->row);
        } else {
            rates(w, s, s->dim, u);
            spread(w, s, s->dim, u, to + s->row);
        }
    }
}

/* Adds a wrench, or its opposite, to the load of a degree of freedom. */
INLINE void load_node(LaneWork *w, int node, const vreal *wrench, int sign)
{
    vreal *to = (vreal *)w->load + 6 * node;
    if (!w->marked[node]) {
        w->marked[node] = 1;
        UNROLL(16) for (int k = 0; k < 6; k++)
            to[k] = sign > 0 ? wrench[k] : -wrench[k];
    } else {
        UNROLL(16) for (int k = 0; k < 6; k++)
            to[k] = sign > 0 ? to[k] + wrench[k] : to[k] - wrench[k];
    }
}

/* Adds the wrenches of a slot's forces to its bodies. */
INLINE void apply(LaneWork *w, const Slot *s, int dim, const vreal *f)
{
    const Link *l = s->link;
    const vreal *W = wrench_of(w, s);
    vreal g[MAX_DIRECTIONS], sum[9] = {{0}};
    if (is_pyramid(w, s)) {
        g[0] = f[0] + f[1];
        const vreal *friction = friction_of(w, s);
        g[1] = friction[1] * (f[0] - f[1]);
        for (int r = 2; r < dim; r++) {
            g[0] += f[2 * r - 2] + f[2 * r - 1];
            g[r] = friction[r] * (f[2 * r - 2] - f[2 * r - 1]);
        }
    } else {
        for (int r = 0; r < dim; r++)
            g[r] = f[r];
    }
    const int stride = stride_of(l);
    for (int r = 0; r < dim; r++, W += stride) {
        UNROLL(16) for (int k = 0; k < 6; k++)
            sum[k] += g[r] * W[k];
        if (l->lever)
            UNROLL(16) for (int k = 6; k < 9; k++)
                sum[k] += g[r] * W[k];
    }
    load_node(w, l->node[1], sum, 1);
    if (l->node[0] < 0)
        return;
    if (l->lever)
        UNROLL(16) for (int k = 0; k < 3; k++)
            sum[k] = sum[6 + k];
    load_node(w, l->node[0], sum, -1);
}

/* J^T f for all rows. */
static void gather_forces(LaneWork *w, const vreal *f, vreal *to)
{
    const int *parent = w->c->m.dof_parentid;
    if (w->nslot) {
        memset(w->marked, 0, w->nv);
        for (int k = 0; k < w->nslot; k++) {
            const Slot *s = w->slot + k;
            if (s->dim == 3)
                apply(w, s, 3, f + s->row);
            else
                apply(w, s, s->dim, f + s->row);
        }
        for (int i = w->nv - 1; i >= 0; i--) {
            if (!w->marked[i]) {
                to[i] = vsplat(0);
                continue;
            }
            const vreal *S = (const vreal *)w->S + 6 * i, *own = (const vreal *)w->load + 6 * i;
            to[i] = (S[0] * own[0] + S[1] * own[1] + S[2] * own[2]) + (S[3] * own[3] + S[4] * own[4] + S[5] * own[5]);
            if (parent[i] >= 0)
                load_node(w, parent[i], own, 1);
        }
    } else {
        for (int i = 0; i < w->nv; i++)
            to[i] = vsplat(0);
    }
    for (int i = 0; i < w->nsparse; i++) {
        const Sparse *s = w->sparse + i;
        const vreal *J = (const vreal *)w->entry + s->entry;
        for (int k = 0; k < s->count; k++)
            to[s->column[k]] += J[k] * f[i];
    }
}

/* --- wrenches ------------------------------------------------------------------------------------------------------ */

/* Allocates a slot's wrenches, and its entries if both bodies move. */
static void place_slot(LaneWork *w, Slot *s, int dim, int rows)
{
    const Link *l = s->link;
    s->dim = dim;
    s->rows = rows;
    s->row = w->nrow;
    s->wrench = w->used_wrench;
    s->curve = w->used_curve;
    s->entry = w->used_entry;
    w->nrow += rows;
    w->used_wrench += dim * stride_of(l);
    w->used_curve += dim * (dim + 1) / 2;
    if (l->node[0] >= 0)
        w->used_entry += dim * TILE * w->path[l->path].tiles;
}

/* Direction r of a slot: a force along `line` at points of the two bodies, with a moment; zero in lanes
   without it. */
INLINE void put_wrench(LaneWork *w, const Slot *s, int r, vmask has, const Vec3 *arm, Vec3 line, Vec3 moment)
{
    const Link *l = s->link;
    vreal *W = wrench_of(w, s) + r * stride_of(l);
    const vreal sign = l->flip ? vsplat(-1) : vsplat(1);
    const Vec3 angle = scaled3(sign, add3(cross3(arm[1], line), moment));
    put3(W + ANGLE, select3(has, angle, nothing3()));
    put3(W + LINE, select3(has, scaled3(sign, line), nothing3()));
    if (l->lever)
        put3(W + LEVER, select3(has, add3(cross3(arm[0], line), moment), nothing3()));
}

/* Computes the entries of a slot whose bodies both move, from its wrenches. */
static void set_entries(LaneWork *w, const Slot *s)
{
    const Link *l = s->link;
    if (l->node[0] < 0)
        return;
    const Path *p = w->path + l->path;
    const int stride = stride_of(l), more = l->lever ? LEVER : ANGLE;
    for (int k = 0; k < p->tiles; k++)
        for (int a = 0; a < TILE; a++) {
            const int sides = p->sides[TILE * k + a], dof = w->dof_at[TILE * p->tile[k] + a];
            const vreal *W = wrench_of(w, s), *S = (const vreal *)w->S + 6 * dof;
            vreal *J = (vreal *)w->entry + s->entry + TILE * k + a;
            for (int r = 0; r < s->dim; r++, W += stride, J += TILE * p->tiles) {
                vreal x = vsplat(0);
                if (sides) {
                    const vreal line = W[3] * S[3] + W[4] * S[4] + W[5] * S[5];
                    if (sides & 2)
                        x += W[0] * S[0] + W[1] * S[1] + W[2] * S[2] + line;
                    if (sides & 1)
                        x -= W[more] * S[0] + W[more + 1] * S[1] + W[more + 2] * S[2] + line;
                }
                *J = x;
            }
        }
}

/* Vectors from the reference points to points of a link's bodies. */
INLINE void arms(const LaneWork *w, const Link *l, Vec3 first, Vec3 second, Vec3 *arm)
{
    const vreal *xpos = COLUMN(w, xpos);
    arm[0] = sub3(first, at3(xpos + 3 * l->root[0]));
    arm[1] = sub3(second, at3(xpos + 3 * l->root[1]));
}

/* --- connections ---------------------------------------------------------------------------------------------------- */

/* The point and the frame of one side of an equality. */
static inline void anchor_in_lanes(const LaneWork *w, int e, int side, Vec3 *point, LaneQuat *turn)
{
    const ModelColumns *m = &w->c->m;
    const int object = side ? m->eq_obj2id[e] : m->eq_obj1id[e], welded = m->eq_type[e] == EQUALITY_WELD;
    const int body = m->eq_objtype[e] == OBJECT_SITE ? m->site_bodyid[object] : object;
    const vreal *q = COLUMN(w, xquat) + 4 * body;
    const LaneQuat own = {q[0], q[1], q[2], q[3]};
    *turn = own;
    if (m->eq_objtype[e] == OBJECT_SITE) {
        *point = at3(COLUMN(w, site_xpos) + 3 * object);
        *turn = anchor_frame_in_lanes(own, quat_at(m->site_quat + 4 * object));
        return;
    }
    const double *data = m->eq_data + 11 * e, *place = data + (welded == side ? 0 : 3);
    const vreal *R = COLUMN(w, xmat) + 9 * body;
    const LaneMat3 axes = {at3(R), at3(R + 3), at3(R + 6)};
    *point = anchor_point_in_lanes(axes, vec_at(place), at3(COLUMN(w, xpos) + 3 * body));
    if (welded && !side)
        *turn = anchor_frame_in_lanes(own, quat_at(data + 6));
}

/* Connections and welds. The first body of the equality is the second of the link, since the row is J1 -
   J2. */
static void add_connections(LaneWork *w, vmask moves)
{
    const ModelColumns *m = &w->c->m;
    for (int e = 0, drift = 0; e < w->c->neq; e++) {
        while (drift < w->c->nconnection && m->connection_eqid[drift] < e)
            drift++;
        const int welded = m->eq_type[e] == EQUALITY_WELD;
        const Link *l = w->link + e;
        const vmask acts = moves & holding(w, e);
        if ((m->eq_type[e] != EQUALITY_CONNECT && !welded) || l->node[1] < 0 || !vany(acts))
            continue;
        if (w->nslot >= w->most_slots) {
            w->nslot++;
            continue;
        }
        Slot *s = w->slot + w->nslot++;
        s->pair = -1;
        s->held = 1;
        s->link = l;
        s->surface = NULL;
        place_slot(w, s, welded ? 6 : 3, welded ? 6 : 3);
        Vec3 point[2], arm[2];
        LaneQuat turn[2];
        for (int side = 0; side < 2; side++)
            anchor_in_lanes(w, e, side, point + side, turn + side);
        /* point[0] belongs to the link's second body, unless only the equality's second body moves */
        arms(w, l, l->flip ? point[0] : point[1], l->flip ? point[1] : point[0], arm);
        const vreal zero = vsplat(0), one = vsplat(1);
        const Vec3 unit[3] = {vec3(one, zero, zero), vec3(zero, one, zero), vec3(zero, zero, one)};
        Vec3 residual[2] = {sub3(point[0], point[1]), nothing3()};
        for (int r = 0; r < 3; r++)
            put_wrench(w, s, r, acts, arm, unit[r], nothing3());
        if (welded) {
            const double scale = m->eq_data[11 * e + 10];
            const LaneMat3 rates = weld_rates_in_lanes(turn[0], turn[1], scale);
            residual[1] = weld_residual_in_lanes(turn[0], turn[1], scale);
            put_wrench(w, s, 3, acts, arm, nothing3(), rates.x);
            put_wrench(w, s, 4, acts, arm, nothing3(), rates.y);
            put_wrench(w, s, 5, acts, arm, nothing3(), rates.z);
        }
        const Softness *k = w->of_equality + e;
        const vreal d = impedance_in_lanes(k->solimp, vsqrt(dot3(residual[0], residual[0]) + dot3(residual[1], residual[1]))).now;
        const vreal *weight = (const vreal *)w->weight + l->weight;
        vreal u[MAX_DIRECTIONS], pos[6];
        put3(pos, residual[0]);
        put3(pos + 3, residual[1]);
        rates(w, s, s->dim, u);
        for (int r = 0; r < s->dim; r++) {
            vreal aref = reference_acceleration_in_lanes(k->stiffness, d, pos[r], u[r]);
            if (drift < w->c->nconnection && m->connection_eqid[drift] == e)
                aref -= r < 3 ? COLUMN(w, connection_drift)[3 * drift + r] : COLUMN(w, connection_twist)[3 * drift + r - 3];
            put_row(w, s->row + r, acts, 1 / regularisation_in_lanes(d, weight[r >= 3]), aref);
        }
        set_entries(w, s);
    }
}

/* --- contacts ------------------------------------------------------------------------------------------------------- */

/* Sets the wrenches and rows of one contact; lanes without the contact get zeros. */
static void set_contact(LaneWork *w, Slot *s, const vreal *t, vmask has)
{
    const Surface *f = s->surface;
    const Link *l = s->link;
    const int pyramid = f->dim > 1 && w->c->m.opt_cone[0] == CONE_PYRAMIDAL, dim = f->dim;
    Vec3 frame[3], arm[2];
    vreal u[MAX_DIRECTIONS];
    place_slot(w, s, dim, pyramid ? 2 * (dim - 1) : dim);
    frame_in_lanes(t, is_plain(w->pair + s->pair), frame);
    arms(w, l, at3(t + POS), at3(t + POS), arm);
    for (int r = 0; r < dim; r++)
        put_wrench(w, s, r, has, arm, r < 3 ? frame[r] : nothing3(), r < 3 ? nothing3() : frame[r - 3]);
    rates(w, s, dim, u);
    const vreal violation = t[DIST] - vsplat(f->includemargin), d = impedance_in_lanes(f->normal.solimp, violation).now;
    const Stiffness normal = f->normal.stiffness, tangent = {0, f->tangent.stiffness.B};
    const vreal *friction = friction_of(w, s), sliding = ((const vreal *)w->weight)[l->weight];
    if (pyramid) {
        const vreal edge = regularisation_in_lanes(d, sliding * (vsplat(1) + friction[1] * friction[1]));
        const vreal R = pyramid_regularisation_in_lanes(edge, friction[0]);
        vreal v[2 * MAX_DIRECTIONS];
        spread(w, s, dim, u, v);
        for (int r = 0; r < s->rows; r++)
            put_row(w, s->row + r, has, 1 / R, reference_acceleration_in_lanes(normal, d, violation, v[r]));
    } else {
        const vreal R = regularisation_in_lanes(d, sliding), side = tangential_regularisation_in_lanes(R, w->c->m.opt_impratio[0]);
        put_row(w, s->row, has, 1 / R, reference_acceleration_in_lanes(normal, d, violation, u[0]));
        for (int r = 1; r < dim; r++) {
            const vreal own = direction_regularisation_in_lanes(side, friction[1], friction[r]);
            put_row(w, s->row + r, has, 1 / own, reference_acceleration_in_lanes(tangent, d, violation, u[r]));
        }
    }
    set_entries(w, s);
}

/* Makes all rows at the current state; slots that are inactive in all lanes are removed. */
static int make_lane_rows(LaneWork *w, vmask moves)
{
    const int off = FACT(w->c, off);
    w->nsparse = w->used_entry = w->used_wrench = w->used_curve = 0;
    set_axes(w);
    if (!(off & DISABLE_EQUALITY))
        add_length_equalities(w, moves);
    w->nequality = w->nsparse;
    if (!(off & DISABLE_FRICTIONLOSS))
        add_friction_rows(w, moves);
    w->nfriction = w->nsparse;
    if (!(off & DISABLE_LIMIT))
        add_limits_in_lanes(w, moves);
    w->nrow = w->nsparse;
    const int found = w->nslot;
    if (found > w->most_slots) {
        w->need_slots = found + w->nlink;
        return 0;
    }
    const int touches = found;
    for (int k = 0; k < w->nv; k++)
        w->needed[k] = k;
    w->nneeded = w->nv;
    set_speeds(w, COLUMN(w, qvel));
    if (w->nlink && !(off & DISABLE_EQUALITY))
        add_connections(w, moves);
    w->nheld = w->nrow;
    if (w->nslot > w->most_slots) {
        w->need_slots = w->nslot;
        return 0;
    }
    int kept = 0;
    for (int k = 0; k < touches; k++) {
        const vreal *t = touch_of(w, k);
        const vmask has = (vmask)t[HAS] & (t[DIST] < vsplat(w->slot[k].surface->includemargin));
        if (!vany(has))
            continue;
        Slot s = w->slot[k];
        set_contact(w, &s, t, has);
        w->slot[kept++] = s;
    }
    for (int k = touches; k < w->nslot; k++) /* connections come after contacts */
        w->slot[kept++] = w->slot[k];
    w->nslot = kept;
    find_needed(w);
    return 1;
}

#endif
