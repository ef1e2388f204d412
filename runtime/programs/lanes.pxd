"""The constraints of states in lanes, solved in all lanes at once or one state after another.

A program stores the columns that the solver reads in `[scalar][lane]`. For most Models all lanes are solved
there (constraints/block.pyx). For others each lane is copied to the memory of a single simulation, its rows
are made and solved, and the results are copied back. In both cases the results of a lane do not depend on the
others.
"""

from libc.stdint cimport int64_t

from polybody.programs.advance cimport PbBlock

cdef extern from "programs/lanes.h":
    ctypedef struct PbLaneColumn:
        char *lanes
        double *own
        int scalars, reads, leaves, solved
    ctypedef struct PbOwn:
        void (*take)(void *workspace, const void *tables, const unsigned char *eq_active) noexcept nogil
        const void **tables
        const unsigned char *eq_active
        int neq
    ctypedef struct PbLaneSolver:
        void (*call)(void *workspace, int stage) noexcept nogil
        void *workspace
        PbLaneColumn *column
        int ncolumn, weighs, measures
        const PbBlock *block
        int (*solve)(void *lanes) noexcept nogil
        void *lanes
        PbOwn each
    void pb_take_own(const PbOwn *own, void *workspace, int64_t state) noexcept nogil
    void pb_solve_lanes(void *memory, int stage) noexcept nogil
