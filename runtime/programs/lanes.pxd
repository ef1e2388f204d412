"""The constraints of states that stand side by side, solved one state after the other.

A program stores what the solver reads of all its lanes in `[scalar][lane]`. Here one lane's numbers are brought to the memory of
a single simulation, its rows are found and solved, and what the solver leaves goes back. So a lane's numbers are those of that
simulation, whatever stands beside it.
"""

from polybody.programs.advance cimport PbBlock

cdef extern from *:
    """
    enum { PB_FIND, PB_SOLVE, PB_WEIGH, PB_INVERT, PB_MEASURE }; /* stages, as the solver has them */

    /* A column: in lanes, and in the memory of the solver. */
    typedef struct {
        char *lanes;
        double *own;
        int scalars;
        int reads, leaves;  /* what the solver does with it */
    } PbLaneColumn;

    typedef struct {
        void (*call)(void *workspace, int stage);
        void *workspace;
        PbLaneColumn *column;
        int ncolumn;
        int weighs, measures;  /* whether forces on bodies, and what sensors measure, are asked for, too */
        const PbBlock *block;
    } PbLaneSolver;

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

    /* What kernels call. All is done when accelerations are wanted: what one stage finds is there for the next. */
    static void pb_solve_lanes(void *memory, int stage)
    {
        const PbLaneSolver *own = (const PbLaneSolver *)memory;
        const PbBlock *b = own->block;
        if (stage != PB_SOLVE)
            return;
        for (int lane = 0; lane < b->lanes; lane++) {
            const int moves = lane < b->states && !b->failed[lane];
            for (int k = 0; moves && k < own->ncolumn; k++)
                if (own->column[k].reads)
                    pb_gather(own->column + k, b->lanes, b->bytes, lane);
            if (moves) {
                own->call(own->workspace, PB_FIND);
                own->call(own->workspace, PB_SOLVE);
                if (own->weighs)
                    own->call(own->workspace, PB_WEIGH);
                if (own->measures)
                    own->call(own->workspace, PB_MEASURE);
            }
            for (int k = 0; k < own->ncolumn; k++)
                if (own->column[k].leaves) {
                    if (!moves) /* it only pads, or stays as it is */
                        memset(own->column[k].own, 0, sizeof(double) * own->column[k].scalars);
                    pb_scatter(own->column + k, b->lanes, b->bytes, lane);
                }
        }
    }
    """
    ctypedef struct PbLaneColumn:
        char *lanes
        double *own
        int scalars, reads, leaves
    ctypedef struct PbLaneSolver:
        void (*call)(void *workspace, int stage) noexcept nogil
        void *workspace
        PbLaneColumn *column
        int ncolumn, weighs, measures
        const PbBlock *block
    void pb_solve_lanes(void *memory, int stage) noexcept nogil
