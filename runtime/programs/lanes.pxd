"""The constraints of states in lanes, solved in all lanes at once or one state after another.

A program stores the columns that the solver reads in `[scalar][lane]`. For most Models all lanes are solved
there (constraints/block.pyx). For others each lane is copied to the memory of a single simulation, its rows
are made and solved, and the results are copied back. In both cases the results of a lane do not depend on the
others.
"""

from libc.stdint cimport int64_t

from polybody.generated.kernels.contract.records cimport PbOwn

cdef extern from "programs/lanes.h":
    void pb_take_own(const PbOwn *own, void *workspace, int64_t state) noexcept nogil
    void pb_solve_lanes(void *memory, int stage) noexcept nogil
