# cython: language_level=3
"""The constraints of a block of states, solved in all of its lanes at once.

Kernels of a batch reach it by a function pointer and this object's address, without the GIL. The C text is compiled for each
number of lanes that processors have (constraints/lanes/); what is the same for all of them, tables and memory, is made here.
"""

from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memset

cdef extern from "constraints/lanes/build.h" nogil:
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
    int reserve_lanes(LaneWork *w, int slots, int lanes, int bytes)
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
    """Rows and their forces in all lanes; 0: there was not as much memory as they need."""
    cdef Block *own = <Block *>memory
    while not own.text.find(&own.work):
        if not reserve_lanes(&own.work, 2 * own.work.need_slots, own.text.lanes, own.text.bytes):
            return 0
    own.text.solve(&own.work)
    return 1


cdef void take(void *memory, const void **tables) noexcept nogil:
    """Before a block of states with Models of their own: what constraints read of each."""
    cdef Block *own = <Block *>memory
    own.work.tables = <const Tables *const *>tables
    fill_lanes(&own.work, own.text.lanes, own.text.bytes)


cdef class BlockSolver:
    """What solves the constraints of a block of states.

    Args:
        constraints: the address of the constraints of a single simulation, whose tables of the Model are used. It must stay.
        columns: the addresses of the block's columns by name, [scalar][lane].
        lanes: how many states there are side by side.
        bytes: of a number, 8 or 4.
        failed: the address of a byte for each lane that says that it does not move.
        states: the address of the number of lanes that are states, an int.
        eq_active: the address of a byte for each equality of each state of the batch: whether it holds.
        own: whether lanes have Models of their own: of one structure, with other frictions and masses.
        first: the address of the number of the first lane's state, an int64_t.

    Raises:
        ValueError: there is no text for so many lanes, or not for this processor.
        MemoryError: there is not as much memory.
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
        """The address of what solves: int (*)(void *memory), which returns 0 where memory was not enough."""
        return <uintptr_t>&solve

    @property
    def taking(self):
        """The address of what gives it the Models of a block's states: void (*)(void *memory, const void **)."""
        return <uintptr_t>&take

    @property
    def address(self):
        """What it is called with: memory of this object, which kernels do not keep alive."""
        return <uintptr_t>&self.block
