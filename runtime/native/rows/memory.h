#ifndef POLYBODY_ROW_MEMORY_H
#define POLYBODY_ROW_MEMORY_H

/* Memory of rows, and the degrees of freedom that move two bodies relative to each other. */

#include "rows/values.h"
#include "solver/dense.h"

#define LEAST 1e-15       /* divisors are at least this */
#define MAX_IMPEDANCE 0.9999

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

/* The inverse of the inertia that a row between two bodies moves, for translations or rotations. */
static real weight(const Constraints *c, int one, int other, int turning)
{
    return c->m.body_invweight0[2 * one + turning] + c->m.body_invweight0[2 * other + turning];
}

#endif
