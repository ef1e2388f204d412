#ifndef POLYBODY_STEPS_H
#define POLYBODY_STEPS_H

/* Steps of a simulation by the kernels. */

#include <float.h>
#include <math.h>
#include <string.h>

#include "dynamics.h"
#include "dynamics/delays.h"
#include "layout.h"

/* Checks whether external forces act on bodies, which is read more often than it changes. */
static void watch(const Model *m, Data *d)
{
    int acts = 0;
    for (int n = 0; n < m->nbody; n++) {
        const Wrench *x = d->xfrc_applied + n;
        acts |= x->lin.x != 0 || x->lin.y != 0 || x->lin.z != 0 || x->ang.x != 0 || x->ang.y != 0 || x->ang.z != 0;
    }
    d->external_acts[0] = acts;
}

/* Whether no number is NaN or exceeds the limit in magnitude. Uses two sums, which are independent of each
   other. */
static int all_within(const double *x, int n, double limit)
{
    const double most = limit < DBL_MAX ? limit : DBL_MAX;
    double even = 0.0, odd = 0.0;
    int i = 0;
    for (; i + 1 < n; i += 2) {
        even += fabs(x[i]) <= most ? 0.0 : 1.0;
        odd += fabs(x[i + 1]) <= most ? 0.0 : 1.0;
    }
    if (i < n)
        even += fabs(x[i]) <= most ? 0.0 : 1.0;
    return even + odd == 0.0;
}

/* Takes at most n steps of an integrator; returns the number completed. Restores the state before a step
   in which qpos, qvel or qacc becomes NaN or exceeds the limit, or act becomes NaN or infinite. */
static long step_by(const Model *m, Data *d, long n, int integrator, double limit)
{
    const int delays = m->nhistory > 0;
    watch(m, d);
    for (long k = 0; k < n; k++) {
        if (delays)
            begin_delays(m, d);
        const int taken = take_step(m, d, integrator);
        if (delays && !taken)
            end_delays(m, d);
        if (!taken)
            return k;
        if (!all_within(d->qpos, m->nq, limit) || !all_within(d->qvel, m->nv, limit)
            || !all_within(d->qacc, m->nv, limit) || !all_within(d->act, m->na, INFINITY)) {
            restore(m, d);
            if (delays)
                end_delays(m, d);
            return k;
        }
        if (delays)
            end_delayed_step(m, d);
        d->time[0] += m->opt_timestep[0];
    }
    return n;
}

static long step(const Model *m, Data *d, long n, double limit)
{
    return step_by(m, d, n, m->opt_integrator[0], limit);
}

/* The same; the last step also computes all other results. */
static long step_observed(const Model *m, Data *d, long n, double limit)
{
    const long before = n > 1 ? step(m, d, n - 1, limit) : 0;
    if (before < n - 1)
        return before;
    d->observes[0] = 2;
    const long last = n > 0 ? step(m, d, 1, limit) : 0;
    d->observes[0] = 0;
    return before + last;
}

static int differs(const void *a, const void *b, size_t count)
{
    return memcmp(a, b, count * sizeof(double)) != 0;
}

/* Copies what determines positions and velocities of bodies to another memory; returns whether anything differed. */
static int follow(const Model *m, const Data *from, Data *to)
{
    if (!differs(to->qpos, from->qpos, m->nq) && !differs(to->qvel, from->qvel, m->nv)
        && !differs(to->mocap_pos, from->mocap_pos, 3 * m->nmocap)
        && !differs(to->mocap_quat, from->mocap_quat, 4 * m->nmocap)
        && !differs(to->adhesion_moment, from->adhesion_moment, m->nadhesion)
        && !differs(to->plastic, from->plastic, m->nplastic))
        return 0;
    memcpy(to->qpos, from->qpos, m->nq * sizeof(double));
    memcpy(to->qvel, from->qvel, m->nv * sizeof(double));
    memcpy(to->mocap_pos, from->mocap_pos, 3 * m->nmocap * sizeof(double));
    memcpy(to->mocap_quat, from->mocap_quat, 4 * m->nmocap * sizeof(double));
    memcpy(to->adhesion_moment, from->adhesion_moment, m->nadhesion * sizeof(double));
    memcpy(to->plastic, from->plastic, m->nplastic * sizeof(double));
    return 1;
}

#endif
