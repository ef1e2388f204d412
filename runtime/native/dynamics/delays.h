#ifndef POLYBODY_DELAYS_H
#define POLYBODY_DELAYS_H

#include <math.h>
#include <string.h>

#include "compiler.h"
#include "layout.h"

/* Delays of actuators and sensors. The past samples of each are a part of `history`, as in MuJoCo: when the present interval
 * between measurements began, the place of the newest sample in a ring, the times of all samples, their values.
 *
 * Kernels know nothing of it: before they compute, the controls that act replace those in `ctrl`; afterwards, these are put
 * back, and sensordata has what was measured some time ago. */

enum { PAST_HELD, PAST_LINE, PAST_SPLINE };  /* how a value between two samples is found */
#define SAME_TIME 1e-15       /* s; times that differ by less are one, as in MuJoCo */

/* The samples of an actuator or a sensor; `newest` is a place in the ring, whatever the user has written there. */
typedef struct {
    double *begun, *place, *time, *value;
    int newest, count, width;
} Past;

INLINE Past past_at(double *history, int place, int count, int width)
{
    double *own = history + place;
    const int newest = own[1] >= 0.0 && own[1] < count ? (int)own[1] : count - 1;
    return (Past){own, own + 1, own + 2, own + 2 + count, newest, count, width};
}

/* The place in the ring of the k-th sample from the oldest on. */
INLINE int place_of(const Past *p, int k)
{
    return (p->newest + 1 + k) % p->count;
}

/* The first sample that is not before a time; their number if all are. */
static int first_from(const Past *p, double t)
{
    if (t <= p->time[place_of(p, 0)])
        return 0;
    if (t > p->time[place_of(p, p->count - 1)])
        return p->count;
    int before = 0, from = p->count - 1;
    while (from - before > 1) {
        const int middle = (before + from) / 2;
        if (p->time[place_of(p, middle)] < t)
            before = middle;
        else
            from = middle;
    }
    return from;
}

/* The values of a new sample, to be written. It replaces one of the same time, or the oldest one. */
static double *new_sample(Past *p, double t)
{
    const int k = first_from(p, t);
    int place = place_of(p, k < p->count ? k : 0);
    if (k < p->count && fabs(t - p->time[place]) < SAME_TIME)
        return p->value + (size_t)place * p->width;
    if (k == p->count) {
        *p->place = p->newest = place;
    } else if (k > 0) {  /* between others */
        for (int j = 0; j < k - 1; j++) {
            const int to = place_of(p, j), from = place_of(p, j + 1);
            p->time[to] = p->time[from];
            memcpy(p->value + (size_t)to * p->width, p->value + (size_t)from * p->width, p->width * sizeof(double));
        }
        place = place_of(p, k - 1);
    }
    p->time[place] = t;
    return p->value + (size_t)place * p->width;
}

/* The slope of a spline from the sample before another one to the one after it, times `span`; 0 at the ends. */
INLINE double slope_at(const Past *p, int k, int n)
{
    if (k < 1 || k > p->count - 2)
        return 0.0;
    const int from = place_of(p, k - 1), to = place_of(p, k + 1);
    return (p->value[(size_t)to * p->width + n] - p->value[(size_t)from * p->width + n]) / (p->time[to] - p->time[from]);
}

/* Writes the values at a time: those of the sample of that time, of the first or last one outside, or between two. */
static void recall(const Past *p, double t, int kind, double *found)
{
    const int oldest = place_of(p, 0), newest = place_of(p, p->count - 1);
    int k, place;
    if (t <= p->time[oldest] + SAME_TIME) {
        place = oldest;
    } else if (t >= p->time[newest] - SAME_TIME) {
        place = newest;
    } else {
        k = first_from(p, t);
        place = place_of(p, k);
        if (fabs(t - p->time[place]) >= SAME_TIME) {
            const int before = place_of(p, k - 1);
            if (kind != PAST_HELD) {
                const double span = p->time[place] - p->time[before], x = (t - p->time[before]) / span;
                const double *a = p->value + (size_t)before * p->width, *b = p->value + (size_t)place * p->width;
                const double xx = x * x, xxx = xx * x;
                for (int n = 0; n < p->width; n++)
                    found[n] = kind == PAST_LINE ? a[n] + x * (b[n] - a[n])
                        : (2 * xxx - 3 * xx + 1) * a[n] + (xxx - 2 * xx + x) * span * slope_at(p, k - 1, n)
                            + (-2 * xxx + 3 * xx) * b[n] + (xxx - xx) * span * slope_at(p, k, n);
                return;
            }
            place = before;
        }
    }
    memcpy(found, p->value + (size_t)place * p->width, p->width * sizeof(double));
}

INLINE Past past_controls(const Model *m, double *history, int u)
{
    return past_at(history, m->actuator_historyadr[u], m->actuator_history[2 * u], m->actuator_ctrlnum[u]);
}

INLINE Past past_measurements(const Model *m, double *history, int z)
{
    return past_at(history, m->sensor_historyadr[z], m->sensor_history[2 * z], m->sensor_dim[z]);
}

/* Replaces the controls of actuators with delays by those that act at a time. A controller of a plugin does not know
 * the delay, unless the actuator's own dynamics are between. */
static void delay_controls(const Model *m, double *history, double time, double *ctrl)
{
    for (int u = 0; u < m->nactuator; u++) {
        const int aside = m->actuator_controller[u] && m->actuator_act[u] < 0;
        if (m->actuator_historyadr[u] < 0 || m->actuator_delay[u] == 0.0 || aside)
            continue;
        const Past p = past_controls(m, history, u);
        recall(&p, time - m->actuator_delay[u], m->actuator_history[2 * u + 1], ctrl + m->actuator_ctrladr[u]);
    }
}

/* Whether a sensor with an interval measures at a time. */
INLINE int is_due(const Model *m, const Past *p, int z, double time)
{
    return *p->begun + m->sensor_interval[2 * z] <= time;
}

/* Whether sensordata has a past measurement of a sensor. */
INLINE int is_past(const Model *m, const Past *p, int z, double time)
{
    return m->sensor_delay[z] > 0.0 || (m->sensor_interval[2 * z] > 0.0 && !is_due(m, p, z, time));
}

/* Replaces what sensors measure at a time by what they show. */
static void delay_sensors(const Model *m, double *history, double time, double *sensordata)
{
    for (int z = 0; z < m->nsensor; z++) {
        if (m->sensor_historyadr[z] < 0)
            continue;
        const Past p = past_measurements(m, history, z);
        if (is_past(m, &p, z, time))
            recall(&p, time - m->sensor_delay[z], m->sensor_history[2 * z + 1], sensordata + m->sensor_adr[z]);
    }
}

/* Keeps the controls of a step that began at a time, and what was measured at its beginning. Then sensordata has what
 * sensors show; `measured` is memory of the same size. */
static void keep_samples(
    const Model *m, double *history, double time, const double *ctrl, double *sensordata, double *measured)
{
    memcpy(measured, sensordata, m->nsensordata * sizeof(double));
    delay_sensors(m, history, time, sensordata);
    for (int u = 0; u < m->nactuator; u++) {
        if (m->actuator_historyadr[u] < 0)
            continue;
        Past p = past_controls(m, history, u);
        memcpy(new_sample(&p, time), ctrl + m->actuator_ctrladr[u], p.width * sizeof(double));
    }
    for (int z = 0; z < m->nsensor; z++) {
        if (m->sensor_historyadr[z] < 0)
            continue;
        Past p = past_measurements(m, history, z);
        if (m->sensor_interval[2 * z] > 0.0) {
            if (!is_due(m, &p, z, time))
                continue;
            *p.begun += m->sensor_interval[2 * z];
        }
        const double *kept = m->sensor_delay[z] > 0.0 ? measured : sensordata;
        memcpy(new_sample(&p, time), kept + m->sensor_adr[z], p.width * sizeof(double));
    }
}

/* Whether delays act on a simulation. */
INLINE int recalls(const Model *m, const Data *d)
{
    return m->nhistory > 0 && d->recalls[0];
}

/* Controls that act, also at later instants of a step of several stages. */
static void begin_delays(const Model *m, Data *d)
{
    const size_t bytes = m->nu * sizeof(double);
    const double time = d->time[0], h = m->opt_timestep[0];
    memcpy(d->ctrl_given, d->ctrl, bytes);
    memcpy(d->ctrl_half, d->ctrl, bytes);
    memcpy(d->ctrl_end, d->ctrl, bytes);
    if (!recalls(m, d))
        return;
    delay_controls(m, d->history, time, d->ctrl);
    if (m->opt_delays[0]) {
        delay_controls(m, d->history, time + 0.5 * h, d->ctrl_half);
        delay_controls(m, d->history, time + h, d->ctrl_end);
    }
}

/* The controls that are given. */
static void end_delays(const Model *m, Data *d)
{
    memcpy(d->ctrl, d->ctrl_given, m->nu * sizeof(double));
}

/* Completes a step, before its time advances. */
static void end_delayed_step(const Model *m, Data *d)
{
    end_delays(m, d);
    if (recalls(m, d))
        keep_samples(m, d->history, d->time[0], d->ctrl, d->sensordata, d->sensor_measured);
}

#endif
