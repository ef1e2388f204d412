#ifndef POLYBODY_SINES_H
#define POLYBODY_SINES_H

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "dynamics/kernel.h"
#include "layout.h"

/* Sine and cosine of qpos, from the first angle to the last one: polynomials on an eighth of a turn, after Cody and
 * Waite's reduction in three parts. Far from zero, where the reduction loses digits, the library's functions are
 * used. The range is extended to whole cache lines, to fill up the last register; qpos ends with zeros. */
#define FAR 1e5
KERNEL void sines(const Model *m, Data *d)
{
    int begin = 1, end = m->nlink;
    while (begin < end && !turns_about_axis(m->link + begin))
        begin++;
    while (begin < end && !turns_about_axis(m->link + end - 1))
        end--;
    if (begin == end)
        return;
    const int first = m->link[begin].qposadr / 8 * 8, n = (m->link[end - 1].qposadr + 8) / 8 * 8;
    const double *restrict x = d->qpos;
    double *restrict qsin = d->qsin;
    double *restrict qcos = d->qcos;
    int far = 0;
    for (int a = first; a < n; a++) {
        const double shift = 6755399441055744.0;  /* the nearest integer is in the lowest bits */
        const double turns = x[a] * 0.63661977236758134308 + shift;
        const double whole = turns - shift;
        const double r = ((x[a] - whole * 1.57079632673412561417) - whole * 6.07710050630396597660e-11)
            - whole * 2.02226624879595063154e-21;
        const double z = r * r;
        double s = 1.58969099521155010221e-10;
        s = s * z - 2.50507602534068634195e-08;
        s = s * z + 2.75573137070700676789e-06;
        s = s * z - 1.98412698298579493134e-04;
        s = s * z + 8.33333333332248946124e-03;
        s = s * z - 1.66666666666666324348e-01;
        s = r + r * z * s;
        double c = -1.13596475577881948265e-11;
        c = c * z + 2.08757232129817482790e-09;
        c = c * z - 2.75573143513906633035e-07;
        c = c * z + 2.48015872894767294178e-05;
        c = c * z - 1.38888888888741095749e-03;
        c = c * z + 4.16666666666666019037e-02;
        c = 1.0 - 0.5 * z + z * z * c;
        uint64_t bits, us, uc;
        memcpy(&bits, &turns, 8);
        memcpy(&us, &s, 8);
        memcpy(&uc, &c, 8);
        const uint64_t swap = 0 - (bits & 1);
        const uint64_t rs = ((swap & uc) | (~swap & us)) ^ ((bits & 2) << 62);
        const uint64_t rc = ((swap & us) | (~swap & uc)) ^ (((bits + 1) & 2) << 62);
        memcpy(&qsin[a], &rs, 8);
        memcpy(&qcos[a], &rc, 8);
        far |= !(fabs(x[a]) < FAR);
    }
    for (int a = first; far && a < n; a++) {
        if (!(fabs(x[a]) < FAR)) {
            qsin[a] = sin(x[a]);
            qcos[a] = cos(x[a]);
        }
    }
}

#endif
