#ifndef POLYBODY_FACTORS_H
#define POLYBODY_FACTORS_H

#include <stdint.h>
#include <string.h>

#include "dynamics/kernel.h"
#include "layout.h"

/* The mass matrix in factors, as in codegen/physics/ltl.py, with the same operations on each number but the sums of
 * substitute(). Up to TOGETHER rows, each of which is the parent of the next one, are processed at once, so that the rows of
 * their ancestors are read and written only once. Rows of a degree of freedom that is alone have only a diagonal. */
enum { TOGETHER = 4 };

/* How many rows before `end` can be processed at once, at most TOGETHER. */
INLINE int rows_before(const Model *m, int end)
{
    int n = 1;
    while (n < TOGETHER && end > n && m->dof_parentid[end - n] == end - n - 1)
        n++;
    return n;
}

/* How many rows from i on. */
INLINE int rows_from(const Model *m, int i)
{
    int n = 1;
    while (n < TOGETHER && i + n < m->nv && m->dof_parentid[i + n] == i + n - 1)
        n++;
    return n;
}

/* Eliminates n rows from row i on. */
INLINE void eliminate_rows(const Model *m, double *qLD, double *qLDiagInv, int i, const int n)
{
    const int *depth = m->dof_depth, *parent = m->dof_parentid;
    const int64_t *address = m->M_rowadr;
    const int above = depth[i];
    double *row[TOGETHER], inverse[TOGETHER], f[TOGETHER], g[TOGETHER] = {0};
    UNROLL(4)
    for (int r = n - 1; r >= 0; r--) {
        double *own = row[r] = qLD + address[i + r];
        UNROLL(4)
        for (int q = r + 1; q < n; q++)
            f[q] = row[q][above + r] * inverse[q];
        if (r < n - 1) {
            INDEPENDENT
            for (int j = 0; j <= above + r; j++) {
                double x = own[j];
                UNROLL(4)
                for (int q = n - 1; q > r; q--)
                    x = x - f[q] * row[q][j];
                own[j] = x;
            }
        }
        UNROLL(4)
        for (int q = r + 1; q < n; q++)
            row[q][above + r] = f[q];
        qLDiagInv[i + r] = inverse[r] = 1.0 / own[above + r];
    }
    for (int k = parent[i], column = above - 1; k >= 0; column -= 2) { /* their ancestors, two by two */
        double *one = qLD + address[k];
        UNROLL(4)
        for (int q = 0; q < n; q++)
            f[q] = row[q][column] * inverse[q];
        k = parent[k];
        if (k >= 0) {
            double *other = qLD + address[k];
            UNROLL(4)
            for (int q = 0; q < n; q++)
                g[q] = row[q][column - 1] * inverse[q];
            INDEPENDENT
            for (int j = 0; j < column; j++) {
                double x = one[j], y = other[j];
                UNROLL(4)
                for (int q = n - 1; q >= 0; q--) {
                    x = x - f[q] * row[q][j];
                    y = y - g[q] * row[q][j];
                }
                one[j] = x;
                other[j] = y;
            }
            k = parent[k];
        }
        double x = one[column];
        UNROLL(4)
        for (int q = n - 1; q >= 0; q--)
            x = x - f[q] * row[q][column];
        one[column] = x;
        UNROLL(4)
        for (int q = 0; q < n; q++) {
            row[q][column] = f[q];
            if (column > 0)
                row[q][column - 1] = g[q];
        }
    }
}

/* qLD, qLDiagInv: factors of a symmetric matrix in qLD. */
KERNEL void eliminate(const Model *m, Data *d)
{
    const int *restrict dof_alone = m->dof_alone;
    double *qLD = d->qLD, *qLDiagInv = d->qLDiagInv;
    for (int end = m->nv, n; end > 0; end -= n) {
        n = rows_before(m, end);
        if (dof_alone[end - 1]) {
            for (int i = end - n; i < end; i++)
                qLDiagInv[i] = 1.0 / qLD[m->M_rowadr[i] + m->dof_depth[i]];
            continue;
        }
        switch (n) {
        case 1: eliminate_rows(m, qLD, qLDiagInv, end - 1, 1); break;
        case 2: eliminate_rows(m, qLD, qLDiagInv, end - 2, 2); break;
        case 3: eliminate_rows(m, qLD, qLDiagInv, end - 3, 3); break;
        default: eliminate_rows(m, qLD, qLDiagInv, end - TOGETHER, TOGETHER);
        }
    }
}

/* qLD, qLDiagInv from qM, with dof_resist on the diagonal instead of the armature. */
KERNEL void decompose(const Model *m, Data *d)
{
    const int nv = m->nv;
    const int *restrict dof_depth = m->dof_depth;
    const int64_t *restrict M_rowadr = m->M_rowadr;
    const double *restrict dof_armature = m->dof_armature;
    const double *restrict dof_resist = d->dof_resist;
    double *restrict qLD = d->qLD;
    if (nv > 0)
        memcpy(qLD, d->qM, (M_rowadr[nv - 1] + dof_depth[nv - 1] + 1) * sizeof *qLD);
    for (int i = 0; i < nv; i++) {
        double *diagonal = qLD + M_rowadr[i] + dof_depth[i];
        *diagonal = *diagonal + dof_resist[i] - dof_armature[i];
    }
    if (m->opt_reflects[0]) /* both contain it */
        for (int i = 0; i < nv; i++)
            qLD[M_rowadr[i] + dof_depth[i]] -= d->dof_reflected[i];
    eliminate(m, d);
}

/* n consecutive rows of the factors, and their degrees of freedom. */
typedef struct {
    const double *row[TOGETHER];
    double x[TOGETHER];
} Rows;

INLINE Rows rows_at(const Model *m, const double *qLD, const double *x, int i, const int n)
{
    Rows own;
    UNROLL(4)
    for (int r = 0; r < n; r++) {
        own.row[r] = qLD + m->M_rowadr[i + r];
        own.x[r] = x[i + r];
    }
    return own;
}

/* The first half of substitute(), for n rows from row i on. */
INLINE void substitute_back(const Model *m, const double *restrict qLD, double *restrict x, int i, const int n)
{
    const int above = m->dof_depth[i];
    Rows own = rows_at(m, qLD, x, i, n);
    UNROLL(4)
    for (int q = n - 1; q > 0; q--)
        UNROLL(4)
        for (int r = 0; r < q; r++)
            own.x[r] = own.x[r] - own.row[q][above + r] * own.x[q];
    for (int k = m->dof_parentid[i]; k >= 0; k = m->dof_chainparentid[k]) {
        const int first = m->dof_chainadr[k], column = m->dof_depth[first];
        for (int j = 0; j <= k - first; j++) {
            double sum = x[first + j];
            UNROLL(4)
            for (int q = n - 1; q >= 0; q--)
                sum = sum - own.row[q][column + j] * own.x[q];
            x[first + j] = sum;
        }
    }
    UNROLL(4)
    for (int r = 0; r < n; r++)
        x[i + r] = own.x[r];
}

/* Subtracts the part of a chain, of degrees of freedom up to k, in the second half. */
INLINE void substitute_chain(const Model *m, const double *restrict x, Rows *own, int k, const int n)
{
    const int first = m->dof_chainadr[k], column = m->dof_depth[first];
    for (int j = 0; j <= k - first; j++)
        UNROLL(4)
        for (int r = 0; r < n; r++)
            own->x[r] = own->x[r] - own->row[r][column + j] * x[first + j];
}

/* The second half. The nearest ancestors are last: they were computed last, and so the processor can begin before. */
INLINE void substitute_forth(const Model *m, const double *restrict qLD, double *restrict x, int i, const int n)
{
    const int above = m->dof_depth[i], parent = m->dof_parentid[i];
    Rows own = rows_at(m, qLD, x, i, n);
    if (parent >= 0) {
        for (int k = m->dof_chainparentid[parent]; k >= 0; k = m->dof_chainparentid[k])
            substitute_chain(m, x, &own, k, n);
        substitute_chain(m, x, &own, parent, n);
    }
    UNROLL(4)
    for (int q = 0; q < n; q++)
        UNROLL(4)
        for (int r = q + 1; r < n; r++)
            own.x[r] = own.x[r] - own.row[r][above + q] * own.x[q];
    UNROLL(4)
    for (int r = 0; r < n; r++)
        x[i + r] = own.x[r];
}

/* qacc from dof_load; after bias() and decompose(). */
KERNEL void substitute(const Model *m, Data *d)
{
    const int nv = m->nv;
    const int *restrict dof_alone = m->dof_alone;
    const double *restrict qLD = d->qLD, *restrict inverse = d->qLDiagInv;
    double *restrict x = d->qacc;
    for (int i = 0; i < nv; i++)
        x[i] = d->dof_load[i] - d->qfrc_bias[i];
    for (int end = nv, n; end > 0; end -= n) {
        n = rows_before(m, end);
        if (dof_alone[end - 1])
            continue;
        switch (n) {
        case 1: substitute_back(m, qLD, x, end - 1, 1); break;
        case 2: substitute_back(m, qLD, x, end - 2, 2); break;
        case 3: substitute_back(m, qLD, x, end - 3, 3); break;
        default: substitute_back(m, qLD, x, end - TOGETHER, TOGETHER);
        }
    }
    for (int i = 0; i < nv; i++)
        x[i] = x[i] * inverse[i];
    for (int i = 0, n; i < nv; i += n) {
        n = rows_from(m, i);
        if (dof_alone[i])
            continue;
        switch (n) {
        case 1: substitute_forth(m, qLD, x, i, 1); break;
        case 2: substitute_forth(m, qLD, x, i, 2); break;
        case 3: substitute_forth(m, qLD, x, i, 3); break;
        default: substitute_forth(m, qLD, x, i, TOGETHER);
        }
    }
}

#endif
