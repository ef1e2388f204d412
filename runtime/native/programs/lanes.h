#ifndef POLYBODY_PROGRAMS_LANES_H
#define POLYBODY_PROGRAMS_LANES_H

#include "contract/codes.h"
#include "programs/advance.h"

static void pb_take_own(const PbOwn *own, void *workspace, int64_t state)
{
    own->take(workspace, own->tables ? own->tables[state] : NULL, own->eq_active + state * own->neq);
}

static void pb_gather(const PbLaneColumn *c, int lanes, int bytes, int lane)
{
    if (bytes == 8) {
        const double *from = (const double *)c->lanes + lane;
        for (int s = 0; s < c->scalars; s++)
            c->own[s] = from[(size_t)s * lanes];
    } else {
        const float *from = (const float *)c->lanes + lane;
        for (int s = 0; s < c->scalars; s++)
            c->own[s] = from[(size_t)s * lanes];
    }
}

static void pb_scatter(const PbLaneColumn *c, int lanes, int bytes, int lane)
{
    if (bytes == 8) {
        double *to = (double *)c->lanes + lane;
        for (int s = 0; s < c->scalars; s++)
            to[(size_t)s * lanes] = c->own[s];
    } else {
        float *to = (float *)c->lanes + lane;
        for (int s = 0; s < c->scalars; s++)
            to[(size_t)s * lanes] = (float)c->own[s];
    }
}

/* One lane in the memory of the solver: makes its rows and runs `stage`. */
static void pb_solve_lane(const PbLaneSolver *own, int stage, int lane)
{
    const PbBlock *b = own->block;
    pb_take_own(&own->each, own->workspace, b->first + lane);
    for (int k = 0; k < own->ncolumn; k++)
        if (own->column[k].reads)
            pb_gather(own->column + k, b->lanes, b->bytes, lane);
    if (stage != MEASURE_GEOMS)
        own->call(own->workspace, FIND_CONSTRAINTS);
    own->call(own->workspace, stage);
    if (stage == MEASURE_GEOMS || stage == FIND_ADHESION || stage == PULL_CONTACTS)
        return;
    if (own->weighs)
        own->call(own->workspace, WEIGH_CONSTRAINTS);
    if (own->measures)
        own->call(own->workspace, MEASURE_CONSTRAINTS);
}

/* The function that kernels call. Lanes share the memory of the solver, so rows are made again for every
   stage that writes results. Results that follow from accelerations are computed together with them. If
   all lanes are solved at once, those results are computed from their accelerations. */
static void pb_solve_lanes(void *memory, int stage)
{
    const PbLaneSolver *own = (const PbLaneSolver *)memory;
    const PbBlock *b = own->block;
    if (stage == MEASURE_IMAGES)
        stage = MEASURE_GEOMS; /* which measures both, and leaves the same columns */
    if (stage != SOLVE_CONSTRAINTS && stage != FIND_ADHESION && stage != PULL_CONTACTS && stage != MEASURE_GEOMS)
        return;
    const int at_once = stage == SOLVE_CONSTRAINTS && own->solve && own->solve(own->lanes);
    if (at_once && !own->weighs && !own->measures)
        return;
    for (int lane = 0; lane < b->lanes; lane++) {
        const int moves = lane < b->states && !b->failed[lane];
        if (moves)
            pb_solve_lane(own, at_once ? INVERT_CONSTRAINTS : stage, lane);
        for (int k = 0; k < own->ncolumn; k++)
            if (own->column[k].leaves == stage && !(at_once && own->column[k].solved)) {
                if (!moves) /* padding, or failed */
                    memset(own->column[k].own, 0, sizeof(double) * own->column[k].scalars);
                pb_scatter(own->column + k, b->lanes, b->bytes, lane);
            }
    }
}

#endif
