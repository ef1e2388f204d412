#ifndef POLYBODY_PRODUCTS_H
#define POLYBODY_PRODUCTS_H

/* Products with the mass matrix M and its factors, and with J.

   M has entries only between a degree of freedom and its ancestors, so products and factors can be computed
   for single trees. A range selects some of the trees or rows. */

#include "solver/dense.h"

enum { MAX_TOGETHER = 3 }; /* rows of M */

/* Half-open range: degrees of freedom of whole trees, or rows of whole constraints. */
typedef struct { int begin, end; } Range;

/* --- M ------------------------------------------------------------------------------------------------------------- */

/* Finds the degrees of freedom with nothing but the diagonal in their rows of M and of its factors, such as those of flexes. */
static void find_alone(const Constraints *c)
{
    for (int i = 0; i < FACT(c, nv); i++) {
        const real *M = c->d.qM + c->m.M_rowadr[i], *L = c->d.qLD + c->m.M_rowadr[i];
        int j = 0;
        while (j < c->m.dof_depth[i] && M[j] == 0 && L[j] == 0)
            j++;
        c->a.alone[i] = j == c->m.dof_depth[i];
    }
}

/* y += M x for `count` rows from row i on, each the parent of the next one: their common ancestors are
   processed only once. */
INLINE void multiply_inertia_rows(const Constraints *c, int i, int count, const real *restrict x, real *restrict y)
{
    const real *row[MAX_TOGETHER], more = c->m.opt_regularization[0];
    const int *column = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i];
    real own[MAX_TOGETHER], sum[MAX_TOGETHER];
    UNROLL(16)
    for (int r = 0; r < count; r++) {
        row[r] = c->d.qM + c->m.M_rowadr[i + r];
        own[r] = x[i + r];
        sum[r] = (row[r][n + r] + more) * own[r];
    }
    for (int j = 0; j < n; j++) {
        const real other = x[column[j]];
        real above = y[column[j]];
        UNROLL(16)
        for (int r = 0; r < count; r++) {
            sum[r] += row[r][j] * other;
            above += row[r][j] * own[r];
        }
        y[column[j]] = above;
    }
    UNROLL(16)
    for (int r = 0; r < count; r++)
        UNROLL(16)
        for (int q = 0; q < r; q++) {
            sum[r] += row[r][n + q] * own[q];
            sum[q] += row[r][n + q] * own[r];
        }
    UNROLL(16)
    for (int r = 0; r < count; r++)
        y[i + r] = sum[r];
}

/* The same for the degrees of freedom of a range. */
INLINE void multiply_inertia_range(const Constraints *c, Range dofs, const real *restrict x, real *restrict y)
{
    const int *parent = c->m.dof_parentid;
    for (int i = dofs.begin, count; i < dofs.end; i += count) {
        count = 1;
        if (c->a.alone[i]) {
            y[i] = (c->d.qM[c->m.M_rowadr[i] + c->m.dof_depth[i]] + c->m.opt_regularization[0]) * x[i];
            continue;
        }
        while (count < MAX_TOGETHER && i + count < dofs.end && parent[i + count] == i + count - 1)
            count++;
        switch (count) {
        case 1: multiply_inertia_rows(c, i, 1, x, y); break;
        case 2: multiply_inertia_rows(c, i, 2, x, y); break;
        default: multiply_inertia_rows(c, i, MAX_TOGETHER, x, y);
        }
    }
}

/* The inertia by which stopping tests of solvers are scaled: the mean at qpos0 of each degree of freedom, or as of MuJoCo 4.0 the
   trace of M, of the trees on which rows act if these are known. */
static real total_inertia(const Constraints *c)
{
    const int nv = FACT(c, nv);
    real sum = 0;
    if (!is_newest(c))
        return c->m.stat_meaninertia[0] * (nv > 1 ? nv : 1);
    for (int i = 0; i < nv; i++)
        if (!FACT(c, by_islands) || c->a.tree_island[c->m.dof_treeid[i]] >= 0)
            sum += c->d.qM[c->m.M_rowadr[i] + c->m.dof_depth[i]];
    return sum;
}

/* y = M x, with the regularisation. */
static void multiply_inertia(const Constraints *c, const real *restrict x, real *restrict y)
{
    if (FACT(c, dense)) {
        BY_BLOCKS(c, multiply_dense_inertia, x, y);
        return;
    }
    const Range all = {0, FACT(c, nv)};
    multiply_inertia_range(c, all, x, y);
}

/* The first half of x = M^-1 x, with the transposed factors, for `count` rows from row i on; each is the parent of the next. */
INLINE void solve_rows_back(const Constraints *c, int i, int count, real *restrict x)
{
    const int *column = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i];
    const real *row[MAX_TOGETHER];
    real own[MAX_TOGETHER];
    UNROLL(16)
    for (int r = 0; r < count; r++) {
        row[r] = c->d.qLD + c->m.M_rowadr[i + r];
        own[r] = x[i + r];
    }
    UNROLL(16)
    for (int r = count - 1; r > 0; r--)
        UNROLL(16)
        for (int q = 0; q < r; q++)
            own[q] -= row[r][n + q] * own[r];
    for (int j = 0; j < n; j++) {
        real above = x[column[j]];
        UNROLL(16)
        for (int r = count - 1; r >= 0; r--)
            above -= row[r][j] * own[r];
        x[column[j]] = above;
    }
    UNROLL(16)
    for (int r = 0; r < count; r++)
        x[i + r] = own[r];
}

/* The second half. */
INLINE void solve_rows_forth(const Constraints *c, int i, int count, real *restrict x)
{
    const int *column = c->m.M_colind + c->m.M_rowadr[i], n = c->m.dof_depth[i];
    const real *row[MAX_TOGETHER];
    real sum[MAX_TOGETHER];
    UNROLL(16)
    for (int r = 0; r < count; r++) {
        row[r] = c->d.qLD + c->m.M_rowadr[i + r];
        sum[r] = x[i + r] * c->d.qLDiagInv[i + r];
    }
    for (int j = 0; j < n; j++) {
        const real other = x[column[j]];
        UNROLL(16)
        for (int r = 0; r < count; r++)
            sum[r] -= row[r][j] * other;
    }
    UNROLL(16)
    for (int r = 0; r < count; r++) {
        UNROLL(16)
        for (int q = 0; q < r; q++)
            sum[r] -= row[r][n + q] * sum[q];
        x[i + r] = sum[r];
    }
}

#define BY_ROWS(count, name, ...) \
    switch (count) { \
    case 1: name(__VA_ARGS__, 1, x); break; \
    case 2: name(__VA_ARGS__, 2, x); break; \
    default: name(__VA_ARGS__, MAX_TOGETHER, x); \
    }

/* x = M^-1 x by the factors qLD, of the degrees of freedom of a range. Out of line, so that rounding is the same wherever it is
   called. */
static __attribute__((noinline)) void solve_range(const Constraints *c, Range dofs, real *restrict x)
{
    const int *parent = c->m.dof_parentid;
    for (int end = dofs.end, count; end > dofs.begin; end -= count) {
        count = 1;
        if (c->a.alone[end - 1])
            continue;
        while (count < MAX_TOGETHER && end - count > dofs.begin && parent[end - count] == end - count - 1)
            count++;
        BY_ROWS(count, solve_rows_back, c, end - count)
    }
    for (int i = dofs.begin, count; i < dofs.end; i += count) {
        count = 1;
        if (c->a.alone[i]) {
            x[i] *= c->d.qLDiagInv[i];
            continue;
        }
        while (count < MAX_TOGETHER && i + count < dofs.end && parent[i + count] == i + count - 1)
            count++;
        BY_ROWS(count, solve_rows_forth, c, i)
    }
}

static void solve_inertia(const Constraints *c, real *restrict x)
{
    const Range all = {0, FACT(c, nv)};
    solve_range(c, all, x);
}

/* --- J ------------------------------------------------------------------------------------------------------------- */

/* `count` consecutive rows with the same n columns: their products with x; and J^T times their forces. */
INLINE void multiply_together(const real *J, const int *k, int n, int count, const real *x, real *y)
{
    real sum[4] = {0};
    for (int j = 0; j < n; j++)
        UNROLL(16)
        for (int r = 0; r < count; r++)
            sum[r] += J[n * r + j] * x[k[j]];
    for (int r = 0; r < count; r++)
        y[r] = sum[r];
}

INLINE void gather_together(const real *J, const int *k, int n, int count, const real *f, real *y)
{
    for (int j = 0; j < n; j++) {
        real sum = J[j] * f[0];
        UNROLL(16)
        for (int r = 1; r < count; r++)
            sum += J[n * r + j] * f[r];
        y[k[j]] += sum;
    }
}

INLINE void multiply_row_range(const Constraints *c, Range rows, const real *restrict x, real *restrict y)
{
    const Arena *a = &c->a;
    for (int i = rows.begin; i < rows.end;) {
        const real *J = a->jacobian + a->row_first[i];
        const int *k = a->column + a->row_columns[i], n = a->row_count[i], left = a->row_dim[i];
        if (left >= 4) {
            multiply_together(J, k, n, 4, x, y + i);
            i += 4;
        } else if (left == 3) {
            multiply_together(J, k, n, 3, x, y + i);
            i += 3;
        } else {
            multiply_together(J, k, n, 1, x, y + i++);
        }
    }
}

/* y += J^T f for the rows of a range. */
INLINE void gather_row_range(const Constraints *c, Range rows, const real *restrict f, real *restrict y)
{
    const Arena *a = &c->a;
    for (int i = rows.begin; i < rows.end;) {
        const real *J = a->jacobian + a->row_first[i], *own = f + i;
        const int *k = a->column + a->row_columns[i], n = a->row_count[i], left = a->row_dim[i];
        if (left >= 4) {
            if (own[0] != 0 || own[1] != 0 || own[2] != 0 || own[3] != 0)
                gather_together(J, k, n, 4, own, y);
            i += 4;
        } else {
            if (own[0] != 0)
                gather_together(J, k, n, 1, own, y);
            i++;
        }
    }
}

#endif
