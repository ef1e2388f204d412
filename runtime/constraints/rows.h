#ifndef POLYBODY_ROWS_H
#define POLYBODY_ROWS_H

/* The rows of the constraints at the positions of a simulation.

   A row says of one number, which depends on the positions, how it changes with each degree of freedom (its row of the
   Jacobian J), what it should come to, and how stiffly. Order of the rows, defaults and the meaning of the parameters are
   MuJoCo's: https://mujoco.readthedocs.io/en/3.2.7/modeling.html#solver-parameters,
   https://mujoco.readthedocs.io/en/3.2.7/computation/index.html#constraint-model. */

#include "dense.h"
#include "../collision/vector.h"

#define LEAST 1e-15       /* divisors are at least this */
#define LEAST_IMPEDANCE 1e-4
#define MOST_IMPEDANCE 0.9999

static inline Vec vec_at(const real *x) { return vec(x[0], x[1], x[2]); }

/* A matrix by rows times a vector. */
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

/* --- room in the arena -------------------------------------------------------------------------------------------- */

/* Where in a row of J the column path[k] is. */
static inline int place_of(const Constraints *c, int k) { return FACT(c, dense) ? c->a.path[k] : k; }

/* Whether there is room for so many more rows with so many columns each. What is needed is counted in any case. */
static int room(Constraints *c, int rows, int columns)
{
    c->need.row += rows;
    if (FACT(c, dense)) { /* and for rows of zeros up to a whole block */
        c->need.entry = (c->need.row + BLOCK) * row_stride(c, columns);
    } else {
        c->need.index += columns;
        c->need.entry += (long)rows * columns;
    }
    return c->need.row <= c->have.row && c->need.index <= c->have.index && c->need.entry <= c->have.entry;
}

/* What is said of all rows of one constraint. */
typedef struct { int type, id, rows, columns; real margin, frictionloss; } Common;

/* Begin the rows of a constraint whose columns are path[0 .. columns), or where rows are dense those of `mask`: the number of
   the first one, or -1 without room. */
static inline int begin_columns(Constraints *c, const Common *what, uint64_t mask)
{
    const Arena *a = &c->a;
    const int first = c->nefc, dense = FACT(c, dense), stride = row_stride(c, what->columns);
    const int index = (int)c->need.index, entry = (int)c->need.entry;
    if (!room(c, what->rows, what->columns))
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

/* The same with the columns of the path; dense rows are zeros. */
static int begin_rows(Constraints *c, const Common *what)
{
    uint64_t mask = 0;
    for (int k = 0; FACT(c, dense) && k < what->columns; k++)
        mask |= (uint64_t)1 << c->a.path[k];
    const int first = begin_columns(c, what, mask);
    if (FACT(c, dense) && first >= 0)
        memset(row_of(c, first), 0, sizeof(real) * what->rows * row_stride(c, what->columns));
    return first;
}

/* Take back a constraint on which no degree of freedom has an influence. */
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

/* The degrees of freedom that move one of two bodies, in ascending order, to path; to sign 1 of those that move the first,
   and beside it 1 of those that move the second. Common ones are left out on request. */
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
            break; /* all that follow are common, too */
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

/* The velocity of a point that a degree of freedom moves at unit rate. */
static inline Vec speed_of(const Constraints *c, int dof, Vec point)
{
    const Vec arm = sub(point, vec_at(c->d.dof_xanchor + 3 * dof));
    return add(vec_at(c->d.dof_xaxis + 6 * dof + 3), cross(axis_of(c, dof), arm));
}

/* --- equalities ---------------------------------------------------------------------------------------------------- */

typedef struct { int body; Vec point; Turn turn; } Anchor;

/* Where an equality holds one of its two sides: at a site, or at a point of a body. */
static Anchor anchored(const Constraints *c, int e, int side)
{
    const int object = side ? c->m.eq_obj2id[e] : c->m.eq_obj1id[e];
    const real *data = c->m.eq_data + 11 * e;
    Anchor a;
    if (c->m.eq_objtype[e] == SITE_OBJECT) {
        a.body = c->m.site_bodyid[object];
        a.point = vec_at(c->d.site_xpos + 3 * object);
        a.turn = product(turn_at(c->d.xquat + 4 * a.body), turn_at(c->m.site_quat + 4 * object));
        return a;
    }
    const int welded = c->m.eq_type[e] == WELD;
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

/* Two points, and of a weld two frames, are the same. */
static void add_connection(Constraints *c, int e)
{
    const Arena *a = &c->a;
    const int welded = c->m.eq_type[e] == WELD;
    const Anchor p = anchored(c, e, 0), q = anchored(c, e, 1);
    const int n = find_path(c, p.body, q.body, 1);
    const Common what = {EQUALITY, e, welded ? 6 : 3, n, 0, 0};
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

/* A length that an equality, friction or a limit is about: of a joint or a tendon, with its degrees of freedom. */
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

/* One row about one length, or about one less a multiple of another. */
static int add_length(Constraints *c, const Common *given, const Length *x, real factor, const Length *y, real other)
{
    const Arena *a = &c->a;
    Common what = *given;
    int n = 0, k = 0, l = 0;
    const int more = y ? y->count : 0;
    while (k < x->count || l < more) { /* both lists ascend */
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

/* A length is a polynomial of another: both measured from where they are at qpos0. */
static void add_polynomial(Constraints *c, int e)
{
    const real *f = c->m.eq_data + 11 * e;
    const int tendon = c->m.eq_type[e] == TENDON, second = c->m.eq_obj2id[e];
    const Length x = length_of(c, tendon, c->m.eq_obj1id[e]);
    const Common what = {EQUALITY, e, 1, 0, 0, 0};
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

/* A coordinate is what a formula of others says. */
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
            int at = n++; /* columns ascend */
            for (; at > 0 && a->path[at - 1] > c->m.formula_J_colind[k]; at--) {
                a->path[at] = a->path[at - 1];
                a->sign[at] = a->sign[at - 1];
            }
            a->path[at] = c->m.formula_J_colind[k];
            a->sign[at] = c->d.formula_entry[k];
            weights += c->m.dof_invweight0[a->path[at]];
        }
        const Common what = {EQUALITY, e, 1, n, 0, 0};
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

#include "flex_rows.h"

static void add_equalities(Constraints *c)
{
    for (int e = 0; e < FACT(c, neq); e++) {
        if (!c->eq_active[e])
            continue;
        switch (c->m.eq_type[e]) {
        case CONNECT: case WELD: add_connection(c, e); break;
        case JOINT: case TENDON: add_polynomial(c, e); break;
        case FLEX_EDGES: add_edges(c, e); break;
        case FORMULA: add_formula(c, e); break;
        }
    }
}

/* --- dry friction and limits --------------------------------------------------------------------------------------- */

static void add_friction(Constraints *c)
{
    if (!FACT(c, frictional))
        return;
    for (int i = 0; i < FACT(c, nv); i++)
        if (c->m.dof_frictionloss[i] > 0) {
            const Length x = {0, 0, c->m.dof_invweight0[i], 1, &i, &ONE, i};
            const Common what = {FRICTION_OF_DOF, i, 1, 0, 0, c->m.dof_frictionloss[i]};
            add_length(c, &what, &x, 1, NULL, 0);
        }
    for (int t = 0; t < FACT(c, ntendon); t++)
        if (c->m.tendon_frictionloss[t] > 0) {
            const Length x = length_of(c, 1, t);
            const Common what = {FRICTION_OF_TENDON, t, 1, 0, 0, c->m.tendon_frictionloss[t]};
            drop_if_empty(c, add_length(c, &what, &x, 1, NULL, 0));
        }
}

/* Servo motors hold the velocities that dof_drive says, as far as their forces reach. */
static void add_servos(Constraints *c)
{
    for (int i = 0; i < FACT(c, nv) && FACT(c, servos); i++) {
        if (c->m.dof_prescribed[i] >= 0)
            continue;
        const int j = c->m.dof_jntid[i];
        const real *range = c->m.jnt_actfrcrange + 2 * j;
        const real most = c->m.jnt_actfrclimited[j] ? greatest(-range[0], range[1]) : INFINITY;
        const Length x = {0, 0, c->m.dof_invweight0[i], 1, &i, &ONE, i};
        const Common what = {FRICTION_OF_DOF, i, 1, 0, 0, most};
        const int row = add_length(c, &what, &x, 1, NULL, 0);
        if (row >= 0)
            c->a.row_servo[row] = 1;
    }
}

/* The lower limit of a length, then the upper one, as far as they are near. */
static void add_limits_of(Constraints *c, int type, int id, const Length *x, const real *range, real margin)
{
    for (int side = -1; side <= 1; side += 2) {
        const real left = side * (range[side > 0] - x->value);
        if (left < margin) {
            const Common what = {type, id, 1, 0, margin, 0};
            const int i = add_length(c, &what, x, -side, NULL, 0);
            if (i >= 0)
                c->a.row_pos[i] = left;
            drop_if_empty(c, i);
        }
    }
}

/* The angle of a ball joint is at most the larger number of its range. */
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
    const Common what = {LIMIT_OF_JOINT, j, 1, 3, margin, 0};
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
        if (!c->m.jnt_limited[j] || c->m.jnt_type[j] == FREE)
            continue;
        if (FACT(c, balls) && c->m.jnt_type[j] == BALL) {
            add_limit_of_ball(c, j);
            continue;
        }
        const Length x = length_of(c, 0, j);
        add_limits_of(c, LIMIT_OF_JOINT, j, &x, c->m.jnt_range + 2 * j, c->m.jnt_margin[j]);
    }
    for (int t = 0; t < FACT(c, ntendon); t++)
        if (c->m.tendon_limited[t]) {
            const Length x = length_of(c, 1, t);
            add_limits_of(c, LIMIT_OF_TENDON, t, &x, c->m.tendon_range + 2 * t, c->m.tendon_margin[t]);
        }
}

/* --- contacts ------------------------------------------------------------------------------------------------------ */

/* Direction k of a contact: the normal and the tangents along which surfaces slide, then the same three to turn about. */
static inline real share(const Contact *contact, int k, Vec sliding, Vec turning)
{
    return k < 3 ? dot(vec_at(contact->frame + 3 * k), sliding) : dot(vec_at(contact->frame + 3 * (k - 3)), turning);
}

/* The rows of J of a contact, from its columns in the path. */
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

/* Axes and anchors of all degrees of freedom, each number side by side, for dense rows of contacts. */
static void spread_axes(const Constraints *c)
{
    const int width = row_stride(c, 0);
    const real *restrict axis = c->d.dof_xaxis, *restrict anchor = c->d.dof_xanchor;
    real *restrict to = c->a.axes;
    for (int i = 0; i < FACT(c, nv); i++, to++) {
        UNROLLED
        for (int e = 0; e < 6; e++)
            to[width * e] = *axis++;
        UNROLLED
        for (int e = 6; e < 9; e++)
            to[width * e] = *anchor++;
    }
}

typedef struct { Block x, y, z; } Vecs;

INLINED Block dots(const real *x, Vecs v) { return x[0] * v.x + x[1] * v.y + x[2] * v.z; }

/* The rows of J of a contact, eight degrees of freedom at a time: those of `other` move the second body, those of `one` the
   first. */
INLINED void write_dense_contact(const Constraints *c, int blocks, const Contact *contact, int first, uint64_t one,
                                 uint64_t other, int pyramid)
{
    const int dim = contact->dim, width = BLOCK * blocks;
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
        const Block along = dots(frame, v), normal = where(more, along) - where(less, along);
        if (dim == 1 || !pyramid)
            put_block(J, normal);
        for (int r = 1; r < dim; r++) {
            const Block sliding = r < 3 ? dots(frame + 3 * r, v) : dots(frame + 3 * (r - 3), w);
            const Block own = where(more, sliding) - where(less, sliding);
            if (!pyramid) {
                put_block(J + width * r, own);
                continue;
            }
            put_block(J + width * (2 * r - 2), normal + contact->friction[r - 1] * own);
            put_block(J + width * (2 * r - 1), normal - contact->friction[r - 1] * own);
        }
    }
}

KERNEL void write_dense_rows(const Constraints *c, const Contact *contact, int first, uint64_t one, uint64_t other, int pyramid)
{
    BY_BLOCKS(c, write_dense_contact, contact, first, one, other, pyramid);
}

/* The degrees of freedom that move a body, where rows are dense. */
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
    real sliding, turning;
    int n;
    if (dense) { /* where there are no flexes */
        const int one = c->m.geom_bodyid[contact->geom[0]], other = c->m.geom_bodyid[contact->geom[1]];
        first = movers_of(c, one);
        second = movers_of(c, other);
        n = first != second;
        sliding = weight(c, one, other, 0);
        turning = weight(c, one, other, 1);
    } else {
        const Ends ends = ends_of(c, contact);
        n = find_ends(c, &ends);
        sliding = weight_of_ends(c, &ends, 0);
        turning = weight_of_ends(c, &ends, 1);
    }
    const int pyramid = dim > 1 && FACT(c, cone) == PYRAMIDAL;
    const int type = dim == 1 ? CONTACT_FRICTIONLESS : pyramid ? CONTACT_PYRAMIDAL : CONTACT_ELLIPTIC;
    const Common what = {type, id, pyramid ? 2 * (dim - 1) : dim, n, contact->includemargin, 0};
    if (FACT(c, sparse) && n == 0) {
        contact->exclude = 3;
        return;
    }
    const int i = begin_columns(c, &what, first ^ second);
    if (i < 0)
        return;
    contact->efc_address = i;
    for (int r = 0; r < what.rows; r++) {
        const real f = pyramid ? contact->friction[r / 2] : 0;
        a->row_pos[i + r] = r == 0 || pyramid ? contact->dist : 0;
        if (r && !pyramid)
            a->row_margin[i + r] = 0;
        a->row_diagonal[i + r] = pyramid ? sliding + f * f * (r / 2 < 2 ? sliding : turning) : r < 3 ? sliding : turning;
    }
    if (dense)
        write_dense_rows(c, contact, i, first & ~second, second & ~first, pyramid);
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
        if (c->contacts[k].exclude == 0)
            add_contact(c, k);
    }
}

/* --- stiffness ----------------------------------------------------------------------------------------------------- */

typedef struct { real now, slope, most; } Impedance;

/* What part of the constraint force the constraint has at a violation; d(x) of MuJoCo's documentation. */
static Impedance impedance(const real *solimp, real violation)
{
    const real low = clamped(solimp[0], LEAST_IMPEDANCE, MOST_IMPEDANCE);
    const real high = clamped(solimp[1], LEAST_IMPEDANCE, MOST_IMPEDANCE);
    const real width = greatest(0, solimp[2]), power = greatest(1, solimp[4]);
    const real middle = clamped(solimp[3], LEAST_IMPEDANCE, MOST_IMPEDANCE);
    Impedance found = {0.5 * (low + high), 0, high};
    if (low == high || width <= LEAST)
        return found;
    const real x = fabs(violation) / width, sign = violation < 0 ? -1 : 1;
    if (x >= 1 || x <= 0) {
        found.now = x >= 1 ? high : low;
        return found;
    }
    real y = x, slope = 1;
    if (power != 1) { /* two arcs of a power of x that meet in the middle */
        const int near = x <= middle;
        const real way = near ? x : 1 - x, whole = near ? middle : 1 - middle;
        const real before = power == 2 ? way : pow(way, power - 1);
        const real scale = 1 / (power == 2 ? whole : pow(whole, power - 1));
        y = near ? scale * before * way : 1 - scale * before * way;
        slope = power * scale * before;
    }
    found.now = low + y * (high - low);
    found.slope = slope * sign * (high - low) / width;
    return found;
}

/* A reference of two numbers as it acts: both positive (time constant, damping ratio) or neither (stiffness, damping). */
typedef struct { real first, second; } Reference;

static Reference reference(const Constraints *c, const real *given, real first, real second)
{
    Reference r = {given[0], given[1]};
    if ((r.first > 0) != (r.second > 0)) {
        r.first = first;
        r.second = second;
    }
    if (!(FACT(c, off) & NO_REFSAFE) && r.first > 0)
        r.first = greatest(r.first, 2 * c->m.opt_timestep[0]);
    return r;
}

/* Stiffness and damping of a row. */
typedef struct { real K, B; } Stiffness;

static inline Stiffness stiffness(Reference r, real most, int pulled)
{
    Stiffness s = {0, 0};
    if (pulled && r.first > 0)
        s.K = 1 / greatest(LEAST, most * most * r.first * r.first * r.second * r.second);
    else if (pulled)
        s.K = -r.first / greatest(LEAST, most * most);
    s.B = r.second > 0 ? 2 / greatest(LEAST, most * r.first) : -r.second / greatest(LEAST, most);
    return s;
}

static inline void set_row(const Constraints *c, int i, Stiffness s, Impedance d, real R)
{
    const Arena *a = &c->a;
    real *KBIP = a->row_KBIP + 4 * i;
    KBIP[0] = s.K;
    KBIP[1] = s.B;
    KBIP[2] = d.now;
    KBIP[3] = d.slope;
    a->row_R[i] = R;
    a->row_D[i] = 1 / R;
    a->row_diagonal[i] = R * d.now / (1 - d.now);
}

/* The regularisation of a row by itself. */
static inline real regularisation(const Constraints *c, int i, Impedance d)
{
    return greatest(LEAST, (1 - d.now) * c->a.row_diagonal[i] / d.now);
}

/* The rows of a contact with friction: the regularisation of the others is as the first one's and the friction say. */
static inline void set_contact(const Constraints *c, int first, Stiffness normal, Stiffness tangent, Impedance d)
{
    const Arena *a = &c->a;
    Contact *contact = c->contacts + a->row_id[first];
    const real *f = contact->friction, R = regularisation(c, first, d), ratio = c->m.opt_impratio[0];
    const real tangential = R / greatest(LEAST, ratio);
    const int rows = a->row_dim[first];
    contact->mu = ratio == 1 ? f[0] : f[0] * sqrt(tangential / R);
    if (a->row_type[first] == CONTACT_PYRAMIDAL) {
        const real same = 2 * contact->mu * contact->mu * R, D = 1 / same, diagonal = same * d.now / (1 - d.now);
        for (int i = first; i < first + rows; i++) {
            real *KBIP = a->row_KBIP + 4 * i;
            KBIP[0] = normal.K;
            KBIP[1] = normal.B;
            KBIP[2] = d.now;
            KBIP[3] = d.slope;
            a->row_R[i] = same;
            a->row_D[i] = D;
            a->row_diagonal[i] = diagonal;
        }
        return;
    }
    set_row(c, first, normal, d, R);
    set_row(c, first + 1, tangent, d, tangential);
    for (int r = 2; r < rows; r++)
        set_row(c, first + r, tangent, d, tangential * f[0] * f[0] / (f[r - 1] * f[r - 1]));
}

/* Whose solref and solimp a row has. */
static void parameters(const Constraints *c, int i, const real **solref, const real **solimp)
{
    const int id = c->a.row_id[i];
    const ModelColumns *m = &c->m;
    switch (c->a.row_type[i]) {
    case EQUALITY: *solref = m->eq_solref + 2 * id; *solimp = m->eq_solimp + 5 * id; break;
    case FRICTION_OF_DOF: *solref = m->dof_solref + 2 * id; *solimp = m->dof_solimp + 5 * id; break;
    case FRICTION_OF_TENDON: *solref = m->tendon_solref_fri + 2 * id; *solimp = m->tendon_solimp_fri + 5 * id; break;
    case LIMIT_OF_JOINT: *solref = m->jnt_solref + 2 * id; *solimp = m->jnt_solimp + 5 * id; break;
    case LIMIT_OF_TENDON: *solref = m->tendon_solref_lim + 2 * id; *solimp = m->tendon_solimp_lim + 5 * id; break;
    default: *solref = c->contacts[id].solref; *solimp = c->contacts[id].solimp;
    }
}

/* KBIP, R and D of every row; mu of contacts. The rows of one constraint share the violation: of an equality the norm of all,
   else that of the first. */
static void set_parameters(Constraints *c)
{
    const Arena *a = &c->a;
    for (int first = 0; first < c->nefc; first += a->row_dim[first]) {
        const int type = a->row_type[first], rows = a->row_dim[first];
        const real *solref, *solimp;
        parameters(c, first, &solref, &solimp);
        real violation = a->row_pos[first] - a->row_margin[first];
        if (type == EQUALITY && rows > 1) {
            violation = 0;
            for (int r = 0; r < rows; r++)
                violation += a->row_pos[first + r] * a->row_pos[first + r];
            violation = sqrt(violation);
        }
        const Impedance d = impedance(solimp, violation);
        if (FACT(c, servos) && a->row_servo[first]) { /* as stiff as rows get, within a step */
            const Reference servo = {0, -MOST_IMPEDANCE / c->m.opt_timestep[0]};
            const Impedance stiff = {MOST_IMPEDANCE, 0, MOST_IMPEDANCE};
            set_row(c, first, stiffness(servo, MOST_IMPEDANCE, 0), stiff, regularisation(c, first, stiff));
            continue;
        }
        const Reference given = reference(c, solref, 0.02, 1);
        const Stiffness normal = stiffness(given, d.most, type != FRICTION_OF_DOF && type != FRICTION_OF_TENDON);
        if (type == CONTACT_PYRAMIDAL || type == CONTACT_ELLIPTIC) {
            Reference own = {0, 0};
            if (type == CONTACT_ELLIPTIC)
                own = reference(c, c->contacts[a->row_id[first]].solreffriction, 0, 0);
            const int other = own.first != 0 || own.second != 0;
            set_contact(c, first, normal, stiffness(other ? own : given, d.most, 0), d);
            continue;
        }
        for (int i = first; i < first + rows; i++)
            set_row(c, i, normal, d, regularisation(c, i, d));
    }
}

/* All rows at the present positions. */
static void make_rows(Constraints *c)
{
    const int off = FACT(c, off);
    c->nefc = c->ne = c->nf = c->nl = 0;
    c->need.row = c->need.index = c->need.entry = 0;
    if (!(off & NO_EQUALITY))
        add_equalities(c);
    c->ne = c->nefc;
    if (!(off & NO_FRICTIONLOSS))
        add_friction(c);
    add_servos(c);
    c->nf = c->nefc - c->ne;
    if (!(off & NO_LIMIT))
        add_limits(c);
    c->nl = c->nefc - c->ne - c->nf;
    if (!(off & NO_CONTACT) && FACT(c, touching))
        add_contacts(c);
    set_parameters(c);
}

#endif
