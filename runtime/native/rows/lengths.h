#ifndef POLYBODY_LENGTHS_H
#define POLYBODY_LENGTHS_H

/* Rows of one length, or of two. */

#include "rows/memory.h"

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

#endif
