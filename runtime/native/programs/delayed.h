#ifndef POLYBODY_PROGRAMS_DELAYED_H
#define POLYBODY_PROGRAMS_DELAYED_H

#include "contract/records.h"
#include "dynamics/delays.h"

/* Delays of actuators and sensors in lanes: programs know nothing of them. */

INLINE double pb_number(const char *place, int bytes)
{
    return bytes == 8 ? *(const double *)place : *(const float *)place;
}

static void pb_lane_to(const PbBlock *b, const char *column, int scalars, int lane, double *own)
{
    for (int s = 0; s < scalars; s++)
        own[s] = pb_number(column + ((size_t)s * b->lanes + lane) * b->bytes, b->bytes);
}

static void pb_lane_from(const PbBlock *b, char *column, int scalars, int lane, const double *own)
{
    for (int s = 0; s < scalars; s++) {
        char *place = column + ((size_t)s * b->lanes + lane) * b->bytes;
        if (b->bytes == 8)
            *(double *)place = own[s];
        else
            *(float *)place = (float)own[s];
    }
}

/* Controls that act instead of those that are given. */
static void pb_delay(const PbBlock *b)
{
    const PbDelays *own = b->delays;
    const Model *m = (const Model *)own->model;
    memcpy(own->given, own->ctrl, (size_t)m->nu * b->lanes * b->bytes);
    for (int lane = 0; lane < b->lanes; lane++) {
        pb_lane_to(b, own->ctrl, m->nu, lane, own->controls);
        delay_controls(m, own->history + (size_t)lane * own->nhistory, b->time[lane], own->controls);
        pb_lane_from(b, own->ctrl, m->nu, lane, own->controls);
    }
}

/* The controls that are given; the samples of a step of the lanes that have taken it, and what their sensors show. */
static void pb_keep_samples(const PbBlock *b)
{
    const PbDelays *own = b->delays;
    const Model *m = (const Model *)own->model;
    memcpy(own->ctrl, own->given, (size_t)m->nu * b->lanes * b->bytes);
    for (int lane = 0; lane < b->lanes; lane++) {
        double *history = own->history + (size_t)lane * own->nhistory;
        const double time = b->kept_time[lane];
        if (b->failed[lane])
            continue;
        pb_lane_to(b, own->ctrl, m->nu, lane, own->controls);
        if (own->sensordata)
            pb_lane_to(b, own->sensordata, m->nsensordata, lane, own->shown);
        keep_samples(m, history, time, own->controls, own->shown, own->measured);
        if (own->sensordata)
            pb_lane_from(b, own->sensordata, m->nsensordata, lane, own->shown);
    }
}

#endif
