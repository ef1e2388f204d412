#ifndef POLYBODY_ROWS_H
#define POLYBODY_ROWS_H

/* The rows of the constraints at the positions of a simulation.

   A row describes a scalar function of the positions: its derivatives with respect to the degrees of freedom
   (its row of the Jacobian J), its target, and its stiffness. The order of rows, the defaults and the meaning
   of the parameters are MuJoCo's: https://mujoco.readthedocs.io/en/3.2.7/modeling.html#solver-parameters,
   https://mujoco.readthedocs.io/en/3.2.7/computation/index.html#constraint-model. */

#include "solver/dense.h"
#include "vec.h"

#define LEAST 1e-15       /* divisors are at least this */
#define LEAST_IMPEDANCE 1e-4
#define MOST_IMPEDANCE 0.9999

static inline Vec vec_at(const real *x) { return vec(x[0], x[1], x[2]); }

/* Product of a matrix in row-major order and a vector. */
static inline Vec turned(const real *m, Vec v)
{
    return vec(dot(vec_at(m), v), dot(vec_at(m + 3), v), dot(vec_at(m + 6), v));
}

typedef struct { real w; Vec v; } Turn; /* a quaternion */

static inline Turn turn_at(const real *q) { Turn t = {q[0], vec_at(q + 1)}; return t; }
static inline Turn conjugate(Turn a) { Turn t = {a.w, negated(a.v)}; return t; }
static inline Turn product(Turn a, Turn b)
{
    Turn t = {a.w * b.w - dot(a.v, b.v), add(along(scaled(a.w, b.v), b.w, a.v), cross(a.v, b.v))};
    return t;
}

/* --- memory of rows ----------------------------------------------------------------------------------------------- */

/* Index of the column path[k] within a row of J. */
static inline int place_of(const Constraints *c, int k) { return FACT(c, dense) ? c->a.path[k] : k; }

/* Whether there is space for `rows` more rows with `columns` columns each. The need is counted in any
   case. */
static int has_space(Constraints *c, int rows, int columns)
{
    c->need.row += rows;
    if (FACT(c, dense)) { /* and for the rows of zeros that pad the last block */
        c->need.entry = (c->need.row + PADDED) * row_stride(c, columns);
    } else {
        c->need.index += columns;
        c->need.entry += (long)rows * columns;
    }
    return c->need.row <= c->have.row && c->need.index <= c->have.index && c->need.entry <= c->have.entry;
}

/* Properties shared by all rows of one constraint. */
typedef struct { int type, id, rows, columns; real margin, frictionloss; } Common;

/* Begins the rows of a constraint with the columns path[0 .. columns), or for dense rows those in `mask`.
   Returns the index of the first row, or -1 if there is no space. */
static inline int begin_columns(Constraints *c, const Common *what, uint64_t mask)
{
    const Arena *a = &c->a;
    const int first = c->nefc, dense = FACT(c, dense), stride = row_stride(c, what->columns);
    const int index = (int)c->need.index, entry = (int)c->need.entry;
    if (!has_space(c, what->rows, what->columns))
        return -1;
    for (int k = 0; !dense && k < what->columns; k++)
        a->column[index + k] = a->path[k];
    for (int r = 0; r < what->rows; r++) {
        const int i = first + r;
        a->row_type[i] = what->type;
        a->row_id[i] = what->id;
        a->row_dim[i] = what->rows - r;
        a->row_mask[i] = mask;
        a->row_margin[i] = what->margin;
        a->row_frictionloss[i] = what->frictionloss;
        a->row_pos[i] = 0;
        if (FACT(c, servos))
            a->row_servo[i] = 0;
        if (!dense) {
            a->row_first[i] = entry + r * stride;
            a->row_columns[i] = index;
            a->row_count[i] = what->columns;
        }
    }
    c->nefc += what->rows;
    return first;
}

/* The same with the columns of the path; dense rows are initialised to zero. */
static int begin_rows(Constraints *c, const Common *what)
{
    uint64_t mask = 0;
    for (int k = 0; FACT(c, dense) && k < what->columns; k++)
        mask |= (uint64_t)1 << c->a.path[k];
    const int first = begin_columns(c, what, mask);
    if (FACT(c, dense) && first >= 0) {
        const Block zeros = {0};
        for (int k = 0; k < what->rows * SPLIT * FACT(c, blocks); k++)
            put_block(row_of(c, first) + BLOCK * k, zeros);
    }
    return first;
}

/* Removes a constraint that no degree of freedom affects. */
static void drop_if_empty(Constraints *c, int first)
{
    const Arena *a = &c->a;
    if (first < 0)
        return;
    const int rows = c->nefc - first, dense = FACT(c, dense);
    const int count = length_of_row(c, first);
    if (FACT(c, sparse) && (dense ? a->row_mask[first] != 0 : count > 0))
        return;
    const real *J = row_of(c, first);
    for (int k = 0; k < rows * row_stride(c, count); k++)
        if (J[k] != 0)
            return;
    c->nefc = first;
    c->need.row -= rows;
    if (!dense) {
        c->need.index -= count;
        c->need.entry -= (long)rows * count;
    }
}

/* --- paths --------------------------------------------------------------------------------------------------------- */

/* Writes the degrees of freedom that move one of two bodies to path, ascending. For each, `sign` has two
   numbers: 1 if it moves the first body, and 1 if it moves the second, else 0. Those that move both are
   included only with `common`. */
static int find_path(Constraints *c, int one, int other, int common)
{
    const int *parent = c->m.dof_parentid;
    int i = c->m.body_lastdof[one], j = c->m.body_lastdof[other], n = 0;
    int *path = c->a.path;
    real *sign = c->a.sign;
    while (i >= 0 || j >= 0) {
        const int next = i > j ? i : j;
        const int first = i == next, second = j == next;
        if (first && second && !common)
            break; /* all remaining ones are common as well */
        path[n] = next;
        sign[2 * n] = first;
        sign[2 * n + 1] = second;
        n++;
        if (first)
            i = parent[i];
        if (second)
            j = parent[j];
    }
    for (int k = 0; k < n / 2; k++) {
        const int dof = path[k];
        const real s = sign[2 * k], t = sign[2 * k + 1];
        path[k] = path[n - 1 - k];
        sign[2 * k] = sign[2 * (n - 1 - k)];
        sign[2 * k + 1] = sign[2 * (n - 1 - k) + 1];
        path[n - 1 - k] = dof;
        sign[2 * (n - 1 - k)] = s;
        sign[2 * (n - 1 - k) + 1] = t;
    }
    return n;
}

static inline Vec axis_of(const Constraints *c, int dof) { return vec_at(c->d.dof_xaxis + 6 * dof); }

/* The velocity of a point due to a degree of freedom at unit velocity. */
static inline Vec speed_of(const Constraints *c, int dof, Vec point)
{
    const Vec arm = sub(point, vec_at(c->d.dof_xanchor + 3 * dof));
    return add(vec_at(c->d.dof_xaxis + 6 * dof + 3), cross(axis_of(c, dof), arm));
}

/* --- equalities ---------------------------------------------------------------------------------------------------- */

typedef struct { int body; Vec point; Turn turn; } Anchor;

/* The position and frame of one side of an equality: at a site, or at a point of a body. */
static Anchor anchored(const Constraints *c, int e, int side)
{
    const int object = side ? c->m.eq_obj2id[e] : c->m.eq_obj1id[e];
    const real *data = c->m.eq_data + 11 * e;
    Anchor a;
    if (c->m.eq_objtype[e] == OBJECT_SITE) {
        a.body = c->m.site_bodyid[object];
        a.point = vec_at(c->d.site_xpos + 3 * object);
        a.turn = product(turn_at(c->d.xquat + 4 * a.body), turn_at(c->m.site_quat + 4 * object));
        return a;
    }
    const int welded = c->m.eq_type[e] == EQUALITY_WELD;
    const Vec place = vec_at(data + (welded == side ? 0 : 3));
    a.body = object;
    a.point = add(turned(c->d.xmat + 9 * object, place), vec_at(c->d.xpos + 3 * object));
    a.turn = turn_at(c->d.xquat + 4 * object);
    if (welded && !side)
        a.turn = product(a.turn, turn_at(data + 6));
    return a;
}

static real weight(const Constraints *c, int one, int other, int turning)
{
    return c->m.body_invweight0[2 * one + turning] + c->m.body_invweight0[2 * other + turning];
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
    const Turn back = conjugate(q.turn);
    const Vec gap = sub(p.point, q.point), twist = scaled(scale, product(back, p.turn).v);
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
            const Turn rate = {0, scaled(s - t, axis_of(c, dof))};
            const Vec w = scaled(0.5 * scale, product(product(back, rate), p.turn).v);
            for (int r = 0; r < 3; r++)
                J[(3 + r) * stride + at] = part(w, r);
        }
    }
    drop_if_empty(c, i);
}

/* A length constrained by an equality, friction or a limit: of a joint or a tendon, with its degrees of
   freedom. */
typedef struct { real value, rest, weight; int count; const int *columns; const real *entries; int dof; } Length;

static const real ONE = 1;

static Length length_of(const Constraints *c, int tendon, int row)
{
    Length x;
    if (tendon) {
        const int start = c->m.tendon_rowadr[row];
        x.value = c->d.ten_length[row];
        x.rest = c->m.tendon_length0[row];
        x.weight = c->m.tendon_invweight0[row];
        x.count = c->m.tendon_rownnz[row];
        x.columns = c->m.ten_J_colind + start;
        x.entries = c->d.ten_entry + start;
        x.dof = -1;
    } else {
        const int coordinate = c->m.jnt_qposadr[row];
        x.dof = c->m.jnt_dofadr[row];
        x.value = c->d.qpos[coordinate];
        x.rest = c->m.qpos0[coordinate];
        x.weight = c->m.dof_invweight0[x.dof];
        x.count = 1;
        x.columns = c->m.jnt_dofadr + row;
        x.entries = &ONE;
    }
    return x;
}

/* One row for one length, or for one minus a multiple of another. */
static int add_length(Constraints *c, const Common *given, const Length *x, real factor, const Length *y, real other)
{
    const Arena *a = &c->a;
    Common what = *given;
    int n = 0, k = 0, l = 0;
    const int more = y ? y->count : 0;
    while (k < x->count || l < more) { /* both lists are ascending */
        const int i = k < x->count ? x->columns[k] : INT32_MAX, j = l < more ? y->columns[l] : INT32_MAX;
        a->path[n] = i < j ? i : j;
        a->sign[n] = (i <= j ? factor * x->entries[k] : 0) - (j <= i ? other * y->entries[l] : 0);
        k += i <= j;
        l += j <= i;
        n++;
    }
    what.columns = n;
    what.rows = 1;
    const int i = begin_rows(c, &what);
    if (i < 0)
        return i;
    real *J = row_of(c, i);
    for (int m = 0; m < n; m++)
        J[place_of(c, m)] = a->sign[m];
    a->row_diagonal[i] = x->weight + (y ? y->weight : 0);
    return i;
}

/* A length is a polynomial of another one, both relative to qpos0. */
static void add_polynomial(Constraints *c, int e)
{
    const real *f = c->m.eq_data + 11 * e;
    const int tendon = c->m.eq_type[e] == EQUALITY_TENDON, second = c->m.eq_obj2id[e];
    const Length x = length_of(c, tendon, c->m.eq_obj1id[e]);
    const Common what = {ROW_EQUALITY, e, 1, 0, 0, 0};
    real way = x.value - x.rest - f[0], slope = 0;
    int i;
    if (second >= 0) {
        const Length y = length_of(c, tendon, second);
        const real u = y.value - y.rest;
        way -= u * (f[1] + u * (f[2] + u * (f[3] + u * f[4])));
        slope = f[1] + u * (2 * f[2] + u * (3 * f[3] + u * 4 * f[4]));
        i = add_length(c, &what, &x, 1, &y, slope);
    } else {
        i = add_length(c, &what, &x, 1, NULL, 0);
    }
    if (i >= 0)
        c->a.row_pos[i] = way;
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

#include "rows/flex_rows.h"

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

/* --- dry friction and limits --------------------------------------------------------------------------------------- */

/* The components of a free joint's velocity in the axes of the parent (jnt_inparent): element `n` of the
   angular velocity w, or of the velocity of the body's origin minus w x offset. Writes the row's entries. */
static void find_rate_in_parent(const Constraints *c, int j, int n, int turning, real *entries)
{
    const real *q = c->d.qpos + c->m.jnt_qposadr[j] + 3;
    const real size = sqrt(q[0] * q[0] + dot(vec_at(q + 1), vec_at(q + 1)));
    const Turn here = {q[0] / size, scaled(1 / size, vec_at(q + 1))}, frame = turn_at(c->m.jnt_quat + 4 * j);
    const Turn unit = {0, vec(n == 0, n == 1, n == 2)};
    const Vec axis = product(product(frame, unit), conjugate(frame)).v;
    const Turn about = {0, turning ? axis : cross(vec_at(c->m.jnt_offset + 3 * j), axis)};
    const Vec own = product(product(conjugate(here), about), here).v;
    for (int k = 0; k < 3; k++) {
        entries[k] = turning ? 0 : part(axis, k);
        entries[3 + k] = part(own, k);
    }
}

/* The velocity of a degree of freedom; or, of a free joint, a component in the axes of the parent. */
static Length rate_of(const Constraints *c, int i)
{
    const int j = c->m.dof_jntid[i], first = c->m.jnt_dofadr[j];
    Length x = {0, 0, c->m.dof_invweight0[i], 1, c->a.path, c->a.sign, i};
    c->a.path[0] = i;
    c->a.sign[0] = 1;
    if (c->m.dof_inparent[i]) {
        const int turning = i - first > 2;
        const Vec offset = vec_at(c->m.jnt_offset + 3 * j);
        find_rate_in_parent(c, j, (i - first) % 3, turning, c->a.sign);
        x.weight += turning ? 0 : dot(offset, offset) * c->m.dof_invweight0[first + 3];
        x.count = 6;
        for (int k = 0; k < 6; k++)
            c->a.path[k] = first + k;
    }
    return x;
}

static void add_friction(Constraints *c)
{
    if (!FACT(c, frictional))
        return;
    for (int i = 0; i < FACT(c, nv); i++)
        if (c->m.dof_frictionloss[i] > 0) {
            const Length x = rate_of(c, i);
            const Common what = {ROW_FRICTION_OF_DOF, i, 1, 0, 0, c->m.dof_frictionloss[i]};
            add_length(c, &what, &x, 1, NULL, 0);
        }
    for (int t = 0; t < FACT(c, ntendon); t++)
        if (c->m.tendon_frictionloss[t] > 0) {
            const Length x = length_of(c, 1, t);
            const Common what = {ROW_FRICTION_OF_TENDON, t, 1, 0, 0, c->m.tendon_frictionloss[t]};
            drop_if_empty(c, add_length(c, &what, &x, 1, NULL, 0));
        }
}

/* Servo motors hold the velocities in dof_drive within their force bounds: qfrc_actuator contains the
   midpoint of the bounds, and the row's bound is half of their difference. If only one bound is finite,
   qfrc_actuator contains that bound, and the row, which is that of a limit, pushes away from it. */
static void add_servos(Constraints *c, int lopsided)
{
    for (int i = 0; i < FACT(c, nv) && FACT(c, servos); i++) {
        if (c->m.dof_prescribed[i] >= 0)
            continue;
        const int j = c->m.dof_jntid[i];
        const real *range = c->m.dof_servorange + 2 * i;
        const int below = range[0] >= -FAR, above = range[1] <= FAR;
        if ((below != above) != lopsided)
            continue;
        const real most = below && above ? .5 * (range[1] - range[0]) : INFINITY;
        const int sign = lopsided && above ? -1 : 1;
        const Length x = rate_of(c, i);
        const Common what = {lopsided ? ROW_LIMIT_OF_JOINT : ROW_FRICTION_OF_DOF, lopsided ? j : i, 1, 0, 0, lopsided ? 0 : most};
        const int row = add_length(c, &what, &x, sign, NULL, 0);
        if (row >= 0)
            c->a.row_servo[row] = sign;
    }
}

/* The lower limit of a length, then the upper one, if within the margin. */
static void add_limits_of(Constraints *c, int type, int id, const Length *x, const real *range, real margin)
{
    for (int side = -1; side <= 1; side += 2) {
        const real left = side * (range[side > 0] - x->value);
        if (left < margin) {
            const Common what = {type, id, 1, 0, margin, 0};
            const int i = add_length(c, &what, x, -side, NULL, 0);
            if (i < 0)
                continue;
            c->a.row_pos[i] = left;
            if (x->dof < 0)
                drop_if_empty(c, i);
        }
    }
}

/* The angle of a ball joint is at most the larger element of its range. */
static void add_limit_of_ball(Constraints *c, int j)
{
    const real *q = c->d.qpos + c->m.jnt_qposadr[j], *range = c->m.jnt_range + 2 * j;
    const int dof = c->m.jnt_dofadr[j];
    const real size = sqrt(q[0] * q[0] + dot(vec_at(q + 1), vec_at(q + 1)));
    const Vec v = vec_at(q + 1);
    const real s = norm(v) / size, w = q[0] / size;
    real angle = 2 * atan2(s, w);
    if (angle > M_PI)
        angle -= 2 * M_PI;
    const Vec turning = s * size < LEAST ? vec(0, 0, 0) : scaled(angle / (s * size), v);
    const real way = norm(turning), margin = c->m.jnt_margin[j];
    const Vec axis = way < LEAST ? vec(1, 0, 0) : scaled(1 / way, turning);
    const real left = greatest(range[0], range[1]) - way;
    if (!(left < margin))
        return;
    const Common what = {ROW_LIMIT_OF_JOINT, j, 1, 3, margin, 0};
    for (int k = 0; k < 3; k++)
        c->a.path[k] = dof + k;
    const int i = begin_rows(c, &what);
    if (i < 0)
        return;
    for (int k = 0; k < 3; k++)
        row_of(c, i)[place_of(c, k)] = -part(axis, k);
    c->a.row_pos[i] = left;
    c->a.row_diagonal[i] = c->m.dof_invweight0[dof];
    drop_if_empty(c, i);
}

static void add_limits(Constraints *c)
{
    if (!FACT(c, limited))
        return;
    for (int j = 0; j < FACT(c, njnt); j++) {
        if (!c->m.jnt_limited[j] || c->m.jnt_type[j] == JOINT_FREE)
            continue;
        if (FACT(c, balls) && c->m.jnt_type[j] == JOINT_BALL) {
            add_limit_of_ball(c, j);
            continue;
        }
        const Length x = length_of(c, 0, j);
        add_limits_of(c, ROW_LIMIT_OF_JOINT, j, &x, c->m.jnt_range + 2 * j, c->m.jnt_margin[j]);
    }
    for (int t = 0; t < FACT(c, ntendon); t++)
        if (c->m.tendon_limited[t]) {
            const Length x = length_of(c, 1, t);
            add_limits_of(c, ROW_LIMIT_OF_TENDON, t, &x, c->m.tendon_range + 2 * t, c->m.tendon_margin[t]);
        }
}

#include "rows/contact_rows.h"
#include "rows/row_parameters.h"

/* Makes all rows at the current positions. */
static void make_rows(Constraints *c)
{
    const int off = FACT(c, off);
    c->nefc = c->ne = c->nf = c->nl = 0;
    c->need.row = c->need.index = c->need.entry = 0;
    if (!(off & DISABLE_EQUALITY))
        add_equalities(c);
    c->ne = c->nefc;
    if (!(off & DISABLE_FRICTIONLOSS))
        add_friction(c);
    add_servos(c, 0);
    c->nf = c->nefc - c->ne;
    add_servos(c, 1);
    if (!(off & DISABLE_LIMIT))
        add_limits(c);
    c->nl = c->nefc - c->ne - c->nf;
    if (!(off & DISABLE_CONTACT) && FACT(c, touching))
        add_contacts(c);
    set_parameters(c);
}

#endif
