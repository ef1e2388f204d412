# cython: language_level=3
"""The constraints of a block of states, solved in all of its lanes at once.

Kernels of a batch call it through a function pointer with the address of this object's memory, without the
GIL. The C code is compiled for each number of lanes that processors support (constraints/lanes/); the common
part, tables and memory, is managed here.
"""

from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset

cdef extern from "lanes/build.h" nogil:
    ctypedef struct ColumnName:
        const char *name
    ctypedef struct Constraints:
        pass
    ctypedef struct Tables:
        pass
    ctypedef struct LaneColumns:
        pass
    ctypedef struct LaneWork:
        LaneColumns d
        const unsigned char *failed
        const int *states
        const unsigned char *eq_active
        const int64_t *first
        int own
        const Tables *const *tables
        int nv, need_slots, most_slots, iterations
    ctypedef struct LaneText:
        int lanes, bytes
        int (*find)(LaneWork *w) noexcept nogil
        void (*solve)(LaneWork *w) noexcept nogil
        int (*usable)() noexcept nogil
    const ColumnName *data_columns
    int DATA_COLUMN_COUNT
    const LaneText lanes_d8, lanes_d4, lanes_d2, lanes_f16, lanes_f8, lanes_f4
    int build_lanes(LaneWork *w, const Constraints *c)
    int reserve_lanes(LaneWork *w, long slots, int lanes, int bytes)
    void fill_lanes(LaneWork *w, int lanes, int bytes) noexcept nogil
    void free_lanes(LaneWork *w)

cdef enum:
    FIRST_SLOTS = 32

cdef const LaneText *texts[6]
texts[:] = [&lanes_d8, &lanes_d4, &lanes_d2, &lanes_f16, &lanes_f8, &lanes_f4]


cdef struct Block:
    LaneWork work
    const LaneText *text


cdef int solve(void *memory) noexcept nogil:
    """Make the rows and compute their forces in all lanes; 0: out of memory."""
    cdef Block *own = <Block *>memory
    while not own.text.find(&own.work):
        if not reserve_lanes(&own.work, 2 * <long>own.work.need_slots, own.text.lanes, own.text.bytes):
            return 0
    own.text.solve(&own.work)
    return 1


cdef void take(void *memory, const void **tables) noexcept nogil:
    """Set the tables of each Model before a block of states with different Models."""
    cdef Block *own = <Block *>memory
    own.work.tables = <const Tables *const *>tables
    fill_lanes(&own.work, own.text.lanes, own.text.bytes)


cdef class BlockSolver:
    """Solver of the constraints of a block of states.

    Args:
        constraints: the address of the constraints of a single simulation, whose tables of the Model are
            used. It must outlive this object.
        columns: the addresses of the block's columns by name, [scalar][lane].
        lanes: the number of states in a block.
        bytes: size of a number, 8 or 4.
        failed: the address of one byte per lane; nonzero: the lane is not simulated.
        states: the address of the number of lanes in use, an int.
        eq_active: the address of one byte per equality of each state of the batch: whether it is active.
        own: whether lanes have different Models, of the same structure but with different frictions and
            masses.
        first: the address of the index of the first lane's state, an int64_t.

    Raises:
        ValueError: this number of lanes is not supported, or not by this processor.
        MemoryError: out of memory.
    """

    cdef Block block

    def __cinit__(
        self, uintptr_t constraints, columns, int lanes, int bytes, uintptr_t failed, uintptr_t states,
        uintptr_t eq_active, uintptr_t first, bint own,
    ):
        cdef uintptr_t *pointers = <uintptr_t *>&self.block.work.d
        cdef int k
        memset(&self.block, 0, sizeof(Block))
        for k in range(6):
            if texts[k].lanes == lanes and texts[k].bytes == bytes and texts[k].usable():
                self.block.text = texts[k]
        if self.block.text == NULL:
            raise ValueError(f"there is no solver for {lanes} lanes of {bytes} bytes")
        self.block.work.failed = <const unsigned char *>failed
        self.block.work.states = <const int *>states
        self.block.work.own = own
        if not build_lanes(&self.block.work, <const Constraints *>constraints):
            raise MemoryError
        if not reserve_lanes(&self.block.work, FIRST_SLOTS, lanes, bytes):
            raise MemoryError
        for k in range(DATA_COLUMN_COUNT):
            pointers[k] = columns.get(data_columns[k].name.decode(), 0)
        self.block.work.eq_active = <const unsigned char *>eq_active
        self.block.work.first = <const int64_t *>first

    def __dealloc__(self):
        free_lanes(&self.block.work)

    @property
    def function(self):
        """The address of the solver: int (*)(void *memory), which returns 0 if it is out of memory."""
        return <uintptr_t>&solve

    @property
    def taking(self):
        """The address of a function that sets the Models of the states of a block: void (*)(void *memory, const void **)."""
        return <uintptr_t>&take

    @property
    def address(self):
        """The argument `memory` of these functions: memory of this object. Kernels do not keep it alive."""
        return <uintptr_t>&self.block
