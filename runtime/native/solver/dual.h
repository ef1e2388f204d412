#ifndef POLYBODY_DUAL_H
#define POLYBODY_DUAL_H

/* Projected Gauss-Seidel on forces: minimises f' (A + R) f / 2 + b' f over the admissible forces, with A = J
   M^-1 J^T and b = J qacc_smooth - aref, one constraint after another. The same without R on friction alone
   removes the slip that R permits. (Todorov, Convex and analytically-invertible dynamics with contacts and
   constraints, 2014; the order of updates and the thresholds follow MuJoCo's documentation of its
   solvers.) */

#include "solver/cost.h"
#include "rows/jacobian.h"
#include "solver/line_search.h"
#include "solver/primal.h"

#define WORSE 1e-10       /* an update that raises the cost by more is reverted */
#define SINGULAR 1e-10    /* determinants below this */
#define CONVERGED 1e-10   /* tolerance of the search for a multiplier */
enum { MAX_MULTIPLIERS = 20 };

/* Stride between rows of A + R: whole blocks, zeros beyond the last row. */
static inline long dual_width(const Constraints *c) { return padded_rows(c); }

/* Number of elements of A + R and of its intermediate results. */
static inline long dual_size(const Constraints *c)
{
    return dual_width(c) * (dual_width(c) + (FACT(c, dense) ? 2 * FACT(c, nv) : 0));
}

static inline real *dual_row(const Constraints *c, int i) { return c->a.dual + dual_width(c) * i; }

/* A of dense rows: with M = L^T D L, the columns of X = L^-T J^T and of D^-1 X, BLOCK rows of J at a time,
   and their products. */
INLINE void find_dense_dual(const Constraints *c, int blocks, real *A)
{
    const long width = dual_width(c), strips = width / BLOCK;
    const int *column = c->m.M_colind, *address = c->m.M_rowadr, *depth = c->m.dof_depth;
    real *X = A + width * width, *scaled = X + width * FACT(c, nv);
    for (int r = 0; r < strips; r++) {
        Block x[MAX_LENGTH];
        for (int b = 0; b < blocks; b++) {
            UNROLL(16)
            for (int k = 0; k < BLOCK; k++)
                x[BLOCK * b + k] = block_of(row_of(c, BLOCK * r + k) + BLOCK * b);
            transpose(x + BLOCK * b);
        }
        for (int i = FACT(c, nv) - 1; i >= 0; i--) {
            const real *L = c->d.qLD + address[i];
            const int *above = column + address[i];
            for (int j = 0; j < depth[i]; j++)
                x[above[j]] -= L[j] * x[i];
            put_block(X + width * i + BLOCK * r, x[i]);
            put_block(scaled + width * i + BLOCK * r, x[i] * c->d.qLDiagInv[i]);
        }
    }
    for (int r = 0; r < strips; r++)
        for (int s = 0; s <= r; s++) {
            Block sum[BLOCK] = {{0}};
            for (int i = 0; i < FACT(c, nv); i++) {
                const Block own = block_of(X + width * i + BLOCK * s);
                UNROLL(16)
                for (int k = 0; k < BLOCK; k++)
                    sum[k] += scaled[width * i + BLOCK * r + k] * own;
            }
            UNROLL(16)
            for (int k = 0; k < BLOCK; k++)
                put_block(dual_row(c, BLOCK * r + k) + BLOCK * s, sum[k]);
            transpose(sum);
            UNROLL(16)
            for (int k = 0; k < BLOCK; k++)
                put_block(dual_row(c, BLOCK * s + k) + BLOCK * r, sum[k]);
        }
}

/* Appends the trees that a constraint acts on to the n entries of tree_range, except those whose roots have the mark
   already, and marks their roots. Returns the new number of entries. */
static int find_row_trees(const Constraints *c, int first, int mark, int n)
{
    const Arena *a = &c->a;
    const int *columns = columns_of_row(c, first);
    Range *found = (Range *)(void *)a->tree_range;
    for (int k = 0; k < length_of_row(c, first); k++) {
        const int root = a->tree_root[columns[k]];
        if (a->tree_row[root] == mark)
            continue;
        a->tree_row[root] = mark;
        Range *own = found + n++;
        own->begin = root;
        for (own->end = columns[k] + 1; own->end < FACT(c, nv) && a->tree_root[own->end] == root;)
            own->end++;
    }
    return n;
}

/* Whether a constraint acts on a marked tree. */
static inline int acts_on_marked(const Constraints *c, int first, int mark)
{
    const int *columns = columns_of_row(c, first);
    for (int k = 0; k < length_of_row(c, first); k++)
        if (c->a.tree_row[c->a.tree_root[columns[k]]] == mark)
            return 1;
    return 0;
}

/* x = M^-1 x for BLOCK vectors at once. */
INLINE void solve_side_by_side(const Constraints *c, Range dofs, Block *restrict x)
{
    const int *column = c->m.M_colind, *address = c->m.M_rowadr, *depth = c->m.dof_depth;
    for (int i = dofs.end - 1; i >= dofs.begin; i--) {
        const real *L = c->d.qLD + address[i];
        const int *above = column + address[i];
        for (int j = 0; j < depth[i]; j++)
            x[above[j]] -= L[j] * x[i];
    }
    for (int i = dofs.begin; i < dofs.end; i++) {
        const real *L = c->d.qLD + address[i];
        const int *above = column + address[i];
        Block sum = x[i] * c->d.qLDiagInv[i];
        for (int j = 0; j < depth[i]; j++)
            sum -= L[j] * x[above[j]];
        x[i] = sum;
    }
}

/* Products of row j with `count` rows from `first` on, whose M^-1 J^T is x: to `dual`, for rows not before
   j. */
INLINE void multiply_by_row(const Constraints *c, int j, int first, int count, const Block *x)
{
    const real *J = row_of(c, j);
    const int *columns = columns_of_row(c, j);
    Block sum = {0};
    for (int k = 0; k < length_of_row(c, j); k++)
        sum += J[k] * x[columns[k]];
    for (int r = j > first ? j - first : 0; r < count; r++)
        dual_row(c, first + r)[j] = dual_row(c, j)[first + r] = sum[r];
}

/* The same for rows with lists of columns, at most BLOCK rows at a time: those of several whole constraints, or a
   part of one. */
static void find_listed_dual(const Constraints *c)
{
    const Arena *a = &c->a;
    const Range *trees = (const Range *)(const void *)a->tree_range;
    Block *x = (Block *)(void *)a->solved;
    memset(a->dual, 0, sizeof(real) * dual_width(c) * dual_width(c));
    memset(x, 0, sizeof(Block) * FACT(c, nv));
    for (int i = 0; i < FACT(c, nv); i++) {
        a->tree_root[i] = c->m.M_colind[c->m.M_rowadr[i]];
        a->tree_row[i] = -1;
    }
    for (int i = 0, count; i < c->nefc; i += count) {
        int n = 0;
        for (count = 0; count < BLOCK && i + count < c->nefc;) {
            const int first = i + count, *columns = columns_of_row(c, first), left = BLOCK - count;
            const int dim = a->row_dim[first] > left && count == 0 ? left : a->row_dim[first];
            if (dim > left)
                break;
            n = find_row_trees(c, first, i, n);
            for (int r = 0; r < dim; r++)
                for (int k = 0; k < length_of_row(c, first); k++)
                    x[columns[k]][count + r] = row_of(c, first + r)[k];
            count += dim;
        }
        for (int t = 0; t < n; t++)
            solve_side_by_side(c, trees[t], x);
        for (int j = 0; j < i + count;) {
            const int end = j + a->row_dim[j];
            if (acts_on_marked(c, j, i))
                for (; j < end && j < i + count; j++)
                    multiply_by_row(c, j, i, count, x);
            j = end;
        }
        for (int t = 0; t < n; t++)
            memset(x + trees[t].begin, 0, sizeof(Block) * (trees[t].end - trees[t].begin));
    }
}

/* Computes A + R of all rows, to `dual`, and the reciprocals of its diagonal. */
static void find_dual(Constraints *c)
{
    const Arena *a = &c->a;
    if (FACT(c, dense)) {
        BY_BLOCKS(c, find_dense_dual, a->dual);
    } else {
        find_listed_dual(c);
    }
    for (int i = 0; i < c->nefc; i++)
        a->row_inverse[i] = 1 / (dual_row(c, i)[i] += a->row_R[i]);
}

/* Updates the residuals of all rows after a change of one force. */
INLINE void change_residuals(const Constraints *c, int row, real by)
{
    const real *A = dual_row(c, row);
    for (int i = 0; i < dual_width(c); i += BLOCK)
        put_block(c->a.row_residual + i, block_of(c->a.row_residual + i) + by * block_of(A + i));
}

/* The residuals (A + R) f + b. */
static void find_residuals(const Constraints *c)
{
    const Arena *a = &c->a;
    copy_blocks(a->row_residual, a->row_b, row_blocks(c));
    for (int i = 0; i < c->nefc; i++)
        if (a->row_force[i] != 0)
            change_residuals(c, i, a->row_force[i]);
}

/* Rows that are updated together, and what their residuals would be without R. */
typedef struct {
    int first, n;
    real matrix[MAX_DIM * MAX_DIM], residual[MAX_DIM], before[MAX_DIM];
} Group;

/* The rows first .. first + n with their block of A + R; or of A, without R. */
INLINE Group group_of(const Constraints *c, int first, int n, int bare)
{
    const Arena *a = &c->a;
    Group g;
    g.first = first;
    g.n = n;
    for (int i = 0; i < n; i++) {
        const real *row = dual_row(c, first + i);
        g.before[i] = a->row_force[first + i];
        g.residual[i] = a->row_residual[first + i] - (bare ? a->row_R[first + i] * g.before[i] : 0);
        for (int j = 0; j < n; j++)
            g.matrix[i * n + j] = row[first + j];
        if (bare) {
            const real own = g.matrix[i * n + i] - a->row_R[first + i];
            g.matrix[i * n + i] = maximum(n == 1 ? MIN_CURVATURE : SINGULAR, own);
        }
    }
    return g;
}

/* The decrease of the cost by the change of a group; an increase is reverted. */
INLINE real gained(const Constraints *c, const Group *g, int undo)
{
    real *f = c->a.row_force + g->first, change = 0;
    for (int i = 0; i < g->n; i++) {
        const real d = f[i] - g->before[i];
        real sum = 0;
        for (int j = 0; j < g->n; j++)
            sum += g->matrix[i * g->n + j] * (f[j] - g->before[j]);
        change += d * (0.5 * sum + g->residual[i]);
    }
    if (undo && change > WORSE) {
        for (int i = 0; i < g->n; i++)
            f[i] = g->before[i];
        return 0;
    }
    for (int i = 0; i < g->n; i++)
        if (f[i] != g->before[i])
            change_residuals(c, g->first + i, f[i] - g->before[i]);
    return -change;
}

/* P = L D L^T of a small matrix, in place; returns its determinant, or 0 if a pivot is at most `least`. */
static real factorise_small(real *p, int n, real least)
{
    real determinant = 1;
    for (int j = 0; j < n; j++) {
        for (int k = 0; k < j; k++)
            p[j * n + j] -= p[j * n + k] * p[j * n + k] * p[k * n + k];
        if (!(p[j * n + j] > least))
            return 0;
        determinant *= p[j * n + j];
        for (int i = j + 1; i < n; i++) {
            for (int k = 0; k < j; k++)
                p[i * n + j] -= p[i * n + k] * p[j * n + k] * p[k * n + k];
            p[i * n + j] /= p[j * n + j];
        }
    }
    return determinant;
}

static void solve_small(const real *p, int n, real *x)
{
    for (int i = 0; i < n; i++)
        for (int k = 0; k < i; k++)
            x[i] -= p[i * n + k] * x[k];
    for (int i = 0; i < n; i++)
        x[i] /= p[i * n + i];
    for (int i = n - 1; i >= 0; i--)
        for (int k = i + 1; k < n; k++)
            x[i] -= p[k * n + i] * x[k];
}

/* Minimises x' A x / 2 + x' b within the ellipse |x / s| <= r, by Newton's method on the multiplier of the
   constraint. Returns whether the constraint is active. x = 0 if the matrix is nearly singular: by its
   determinant up to three rows, by its pivots beyond, as in MuJoCo. */
static int within_ellipse(const real *A, const real *b, const real *s, real r, int n, real *x)
{
    real multiplier = 0, y[MAX_DIM], p[MAX_DIM * MAX_DIM];
    for (int k = 0; k < MAX_MULTIPLIERS; k++) {
        for (int i = 0; i < n; i++) {
            y[i] = -s[i] * b[i];
            for (int j = 0; j < n; j++)
                p[i * n + j] = s[i] * s[j] * A[i * n + j] + (i == j ? multiplier : 0);
        }
        const real determinant = factorise_small(p, n, n <= 3 ? 0 : SINGULAR);
        if (determinant == 0 || (n <= 3 && determinant < SINGULAR)) {
            for (int i = 0; i < n; i++)
                x[i] = 0;
            return 0;
        }
        solve_small(p, n, y);
        real outside = -r * r, derivative = 0, z[MAX_DIM];
        for (int i = 0; i < n; i++) {
            outside += y[i] * y[i];
            z[i] = y[i];
        }
        if (outside < CONVERGED)
            break;
        solve_small(p, n, z);
        for (int i = 0; i < n; i++)
            derivative -= 2 * y[i] * z[i];
        const real step = -outside / derivative;
        if (step < CONVERGED)
            break;
        multiplier += step;
    }
    for (int i = 0; i < n; i++)
        x[i] = s[i] * y[i];
    return multiplier != 0;
}

/* Friction of an elliptic contact with a fixed normal force: rows first + 1 on, from the residuals without
   their forces. */
static void update_friction(const Constraints *c, int first, const real *A, const real *b, int n)
{
    const real *s = c->contacts[c->a.row_id[first]].friction;
    real *f = c->a.row_force + first, square = 0;
    if (f[0] < MIN_CURVATURE) {
        for (int k = 1; k <= n; k++)
            f[k] = 0;
        return;
    }
    if (within_ellipse(A, b, s, f[0], n, f + 1)) { /* scale onto the ellipse */
        for (int k = 0; k < n; k++)
            square += f[1 + k] * f[1 + k] / (s[k] * s[k]);
        const real scale = sqrt(f[0] * f[0] / maximum(MIN_CURVATURE, square));
        for (int k = 1; k <= n; k++)
            f[k] *= scale;
    }
}

/* An elliptic contact: first along the ray of its force, or the normal force alone if there is none; then its
   friction. */
INLINE real update_contact(const Constraints *c, int first)
{
    const int dim = c->a.row_dim[first];
    const Group g = group_of(c, first, dim, 0);
    real *f = c->a.row_force + first;
    if (f[0] < MIN_CURVATURE) {
        f[0] = maximum(0, f[0] - g.residual[0] / g.matrix[0]);
        for (int k = 1; k < dim; k++)
            f[k] = 0;
    } else {
        real curvature = 0, slope = 0;
        for (int i = 0; i < dim; i++) {
            slope += f[i] * g.residual[i];
            for (int j = 0; j < dim; j++)
                curvature += f[i] * g.matrix[i * dim + j] * f[j];
        }
        if (curvature >= MIN_CURVATURE) {
            real alpha = -slope / curvature;
            if (f[0] + alpha * g.before[0] < 0)
                alpha = -1;
            for (int k = 0; k < dim; k++)
                f[k] += alpha * g.before[k];
        }
    }
    real A[MAX_DIM * MAX_DIM], b[MAX_DIM];
    for (int i = 1; i < dim; i++) {
        b[i - 1] = g.residual[i] + g.matrix[i * dim] * (f[0] - g.before[0]);
        for (int j = 1; j < dim; j++) {
            A[(i - 1) * (dim - 1) + j - 1] = g.matrix[i * dim + j];
            b[i - 1] -= g.matrix[i * dim + j] * g.before[j];
        }
    }
    update_friction(c, first, A, b, dim - 1);
    return gained(c, &g, 1);
}

/* A single row, within its admissible forces. */
INLINE real update_row(const Constraints *c, int i)
{
    const Arena *a = &c->a;
    const real residual = a->row_residual[i], before = a->row_force[i], most = a->row_frictionloss[i];
    real f = before - residual * a->row_inverse[i];
    if (i >= c->ne + c->nf)
        f = maximum(0, f);
    else if (i >= c->ne)
        f = clamped(f, -most, most);
    const real by = f - before;
    if (by == 0)
        return 0;
    a->row_force[i] = f;
    change_residuals(c, i, by);
    return -by * (0.5 * by * dual_row(c, i)[i] + residual);
}

/* Without R: dry friction of a single row. */
INLINE real update_dry(const Constraints *c, int i)
{
    const Group g = group_of(c, i, 1, 1);
    const real most = c->a.row_frictionloss[i];
    c->a.row_force[i] = clamped(g.before[0] - g.residual[0] / g.matrix[0], -most, most);
    return gained(c, &g, 0);
}

/* Without R: two opposite edges of a pyramid, keeping their sum. */
INLINE real update_edges(const Constraints *c, int first)
{
    const Group g = group_of(c, first, 2, 1);
    real *f = c->a.row_force + first;
    const real mean = 0.5 * (f[0] + f[1]), *A = g.matrix;
    const real curvature = A[0] + A[3] - A[1] - A[2];
    const real one = g.residual[0] - A[0] * f[0] - A[1] * f[1], other = g.residual[1] - A[2] * f[0] - A[3] * f[1];
    const real slope = mean * (A[0] - A[3]) + one - other;
    const real alpha = curvature < MIN_CURVATURE ? 0 : clamped(-slope / curvature, -mean, mean);
    f[0] = mean + alpha;
    f[1] = mean - alpha;
    return gained(c, &g, 1);
}

/* Without R: the friction of an elliptic contact. */
INLINE real update_slip(const Constraints *c, int first)
{
    const int n = c->a.row_dim[first] - 1;
    const Group g = group_of(c, first + 1, n, 1);
    real b[MAX_DIM];
    for (int i = 0; i < n; i++) {
        b[i] = g.residual[i];
        for (int j = 0; j < n; j++)
            b[i] -= g.matrix[i * n + j] * g.before[j];
    }
    update_friction(c, first, g.matrix, b, n);
    return gained(c, &g, 1);
}

/* One sweep over all rows, or over friction alone; returns the decrease of the cost. */
static real sweep_rows(const Constraints *c, int bare)
{
    const Arena *a = &c->a;
    real fallen = 0;
    for (int i = bare ? c->ne : 0; i < c->nefc;) {
        const int type = a->row_type[i], dim = a->row_dim[i];
        if (type == ROW_CONTACT_ELLIPTIC) {
            fallen += bare ? update_slip(c, i) : update_contact(c, i);
            i += dim;
        } else if (bare && type == ROW_CONTACT_PYRAMIDAL) {
            fallen += update_edges(c, i);
            i += 2;
        } else {
            fallen += !bare ? update_row(c, i) : i < c->ne + c->nf ? update_dry(c, i) : 0;
            i++;
        }
    }
    return fallen;
}

/* Sets the states of rows from their forces. */
static void find_states(const Constraints *c)
{
    const Arena *a = &c->a;
    for (int i = 0; i < c->nefc;) {
        const real f = a->row_force[i], most = a->row_frictionloss[i];
        if (i < c->ne) {
            a->row_state[i++] = ROW_STATE_QUADRATIC;
        } else if (i < c->ne + c->nf) {
            a->row_state[i++] = f <= -most ? ROW_STATE_LINEAR_POSITIVE : f >= most ? ROW_STATE_LINEAR_NEGATIVE : ROW_STATE_QUADRATIC;
        } else if (a->row_type[i] != ROW_CONTACT_ELLIPTIC) {
            a->row_state[i++] = f <= 0 ? ROW_STATE_SATISFIED : ROW_STATE_QUADRATIC;
        } else {
            const int dim = a->row_dim[i];
            const real *s = c->contacts[a->row_id[i]].friction;
            real square = 0;
            for (int k = 1; k < dim; k++)
                square += a->row_force[i + k] * a->row_force[i + k] / (s[k - 1] * s[k - 1]);
            const int state = f <= 0 ? ROW_STATE_SATISFIED : sqrt(square) < f ? ROW_STATE_QUADRATIC : ROW_STATE_CONE;
            for (int k = 0; k < dim; k++)
                a->row_state[i + k] = state;
            i += dim;
        }
    }
}

/* Initial forces: those of qacc_warmstart if their cost is below that of zero forces. */
static void start_forces(Constraints *c)
{
    const Arena *a = &c->a;
    const int n = c->nefc;
    real cost = 1;
    if (!(FACT(c, off) & DISABLE_WARMSTART)) {
        load_dofs(c, a->acc, c->d.qacc_warmstart);
        find_residual(c, a->acc);
        update(c, a->row_residual);
        find_residuals(c);
        cost = 0;
        for (int i = 0; i < n; i++)
            cost += 0.5 * a->row_force[i] * (a->row_b[i] + a->row_residual[i]);
    }
    if (cost > 0)
        memset(a->row_force, 0, sizeof(real) * n);
}

/* Sweeps until the decrease of the cost is below a tolerance; returns the number of sweeps. */
static int sweep(Constraints *c, int bare)
{
    const real scale = 1 / total_inertia(c);
    const real tolerance = bare ? c->m.opt_noslip_tolerance[0] : c->m.opt_tolerance[0];
    const int most = bare ? c->m.opt_noslip_iterations[0] : c->m.opt_iterations[0];
    int done = 0;
    find_residuals(c);
    while (done < most && !is_interrupted(c)) {
        real fallen = 0;
        if (bare && done == 0)
            for (int i = 0; i < c->nefc; i++)
                fallen += 0.5 * c->a.row_R[i] * c->a.row_force[i] * c->a.row_force[i];
        fallen += sweep_rows(c, bare);
        done++;
        if (scale * fallen < tolerance)
            break;
    }
    return done;
}

/* Computes qacc, qfrc_constraint and states from forces. */
static void finish_dual(Constraints *c)
{
    real *acc = c->d.qacc;
    const size_t size = sizeof(real) * FACT(c, nv);
    gather_forces(c, c->a.row_force, c->a.force);
    memcpy(c->d.qfrc_constraint, c->a.force, size);
    memcpy(acc, c->a.force, size);
    solve_inertia(c, acc);
    for (int i = 0; i < FACT(c, nv); i++)
        acc[i] += c->d.qacc_smooth[i];
    find_states(c);
}

#endif
