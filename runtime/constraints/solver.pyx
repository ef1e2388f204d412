"""The constraints of one simulation: memory, and the function that kernels call.

Kernels call it through a function pointer with the address of this object's memory, without the GIL. Memory
is reused between steps; if it is too small for a stage, it is reallocated, twice as large as needed, and the
stage is repeated.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from libc.stdint cimport uintptr_t
from libc.string cimport memset

from polybody.base.arrays cimport data_of, load_arrays
from polybody.collision.table cimport CollisionTable
from polybody.collision.table import CONTACT
from polybody.errors import ModelError
from polybody.generated.kernels.contract.codes cimport FIND_CONSTRAINTS, MEASURE_GEOMS, MEASURE_IMAGES
from polybody.generated.kernels.contract.records cimport Collision, Contact, Signals

cdef extern from "rows/columns.h":
    ctypedef struct ColumnName:
        const char *name
        const char *size
        int width
        char kind
    ctypedef struct Sizes:
        long contact
        long row
        long entry
        long index
        long hessian
        long dense
        long dual
        long pattern
        long dof
        long group
        long matrix
        long exact
    ctypedef struct ModelColumns:
        pass
    ctypedef struct DataColumns:
        pass
    ctypedef struct Arena:
        pass
    ctypedef struct Tables:
        ModelColumns m
        const Collision *collision
        int *facts
    ctypedef struct Constraints:
        ModelColumns m
        DataColumns d
        Arena a
        Sizes have
        Sizes need
        const Collision *collision
        void *collision_work
        Contact *contacts
        const unsigned char *eq_active
        int nv, words, blocks, dense, exact, multifrontal, by_islands
        int ncon, nefc, ne, nf, nl, coupled, islands, iterations
        void *owner
        Signals signals
    const ColumnName *model_columns
    const ColumnName *data_columns
    const ColumnName *arena_columns
    const ColumnName *sizes
    const ColumnName *fact_names
    int MODEL_COLUMN_COUNT, DATA_COLUMN_COUNT, ARENA_COLUMN_COUNT, SIZE_COUNT, FACT_COUNT
    ctypedef struct SolverText:
        int (*run)(Constraints *c, int stage) noexcept nogil
        void (*contact_wrench)(const Constraints *c, const Contact *contact, double *wrench) noexcept nogil
        int (*usable)() noexcept nogil
    enum: BEGIN
    enum: FORGET
    void take_tables(Constraints *c, const Tables *t) noexcept nogil
    const SolverText solver_r64, solver_r32, solver_r16

cdef extern from "rows/contacts.h":
    int find_contacts(Constraints *c) noexcept nogil

cdef extern from "rows/probing.h":
    void measure_geoms(Constraints *c) noexcept nogil

cdef const SolverText *text = NULL


def registers():
    """The sizes of registers, in bytes, for which the stages are compiled and which the processor has; the largest
    first.
    """
    usable = ((64, solver_r64.usable()), (32, solver_r32.usable()), (16, solver_r16.usable()))
    return [size for size, is_usable in usable if is_usable]


def choose_registers(int size):
    """Run the stages compiled for registers of a size, in all later steps of all simulations.

    Raises:
        ValueError: the size is not one of `registers()`.
    """
    global text
    if size not in registers():
        raise ValueError(f"there are no stages for registers of {size} bytes; there are for {registers()}")
    text = &solver_r64 if size == 64 else &solver_r32 if size == 32 else &solver_r16


choose_registers(registers()[0])

ctypedef int (*Handle)(void *asked) noexcept nogil

DTYPES = {"i": np.int32, "d": np.float64, "m": np.uint64}
MODEL = tuple([(model_columns[k].name.decode(), chr(model_columns[k].kind)) for k in range(MODEL_COLUMN_COUNT)])
"""Columns of a Model that constraints read, with their types."""
DATA = tuple([data_columns[k].name.decode() for k in range(DATA_COLUMN_COUNT)])
"""Columns of a simulation that constraints read or write."""
FACTS = tuple([fact_names[k].name.decode() for k in range(FACT_COUNT)])
"""Facts about a Model that select the solver's code paths: see facts.py."""
SIZES = tuple([sizes[k].name.decode() for k in range(SIZE_COUNT)])
"""The counts of elements of the arrays whose size depends on the state."""
ARENA = {
    arena_columns[k].name.decode():
        (k, SIZES.index(arena_columns[k].size.decode()), arena_columns[k].width, chr(arena_columns[k].kind))
    for k in range(ARENA_COLUMN_COUNT)
}
"""These arrays by name: number, number of the count, numbers in an element, and type."""
MAX_ELEMENTS = (1 << 31) - (1 << 16)
"""Maximum number of numbers in an array: stages use indices of 32 bits, and access some elements beyond the end. A front
of 46,338 coupled degrees of freedom has as many.
"""
MOST = tuple([
    MAX_ELEMENTS // max([width for _, of, width, _ in ARENA.values() if of == size], default=1)
    for size in range(SIZE_COUNT)
])
"""For each count, its maximum."""
COUPLED = ": at most 46,338 degrees of freedom can be coupled"
BOUNDED = {
    **dict.fromkeys(("hessian", "dense", "square", "panel", "stack"), COUPLED),
    "dual": ": the solver PGS and iterations without slip take a matrix of all rows of constraints, of which there are "
    "{rows:,}; at most 46,336 are possible",
}
"""What the maximum means for a Model, for counts that are squares."""
OF_SIZE = tuple([
    tuple([(k, width * np.dtype(DTYPES[kind]).itemsize) for k, of, width, kind in ARENA.values() if of == size])
    for size in range(SIZE_COUNT)
])
"""For each count, the numbers of its arrays, and the bytes of an element."""
FIRST_CONTACTS = 32
ALIGNMENT = 64
BEYOND = 16
"""Number of elements beyond the end of an array that vector instructions may access."""


load_arrays()


cdef uintptr_t address(array):
    return <uintptr_t>data_of(array)


def _memory(count, dtype):
    """Zeros, aligned to a cache line and padded at the end for vector instructions."""
    kind = np.dtype(dtype)
    raw = np.zeros((count + BEYOND) * kind.itemsize + ALIGNMENT, np.uint8)
    first = -address(raw) % ALIGNMENT
    return raw[first : first + count * kind.itemsize].view(kind)


cdef long _whole_lines(long size):
    """A number of bytes, rounded up to cache lines."""
    return (size + ALIGNMENT - 1) // ALIGNMENT * ALIGNMENT


cdef void call(void *memory, int stage) noexcept nogil:
    """The function that kernels call. Python is only needed to reallocate memory that is too small."""
    cdef Constraints *c = <Constraints *>memory
    if stage == MEASURE_GEOMS or stage == MEASURE_IMAGES:
        measure_geoms(c)
        return
    while not ((stage != FIND_CONSTRAINTS or find_contacts(c)) and text.run(c, stage)):
        if not more(c):
            text.run(c, FORGET)
            break


cdef int interrupted(void *memory) noexcept with gil:
    """Whether the handler of a signal raises, such as that of Ctrl-C. The Solver keeps what it raises. Handlers run in the
    main thread alone.
    """
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Solver>(<Constraints *>memory).owner).refused = error
        return 1
    return 0


cdef bint more(Constraints *c) noexcept with gil:
    """Reallocate memory; returns whether that was possible. The Solver keeps the reason if not."""
    try:
        (<Solver>c.owner).grow()
    except (MemoryError, ModelError) as error:
        (<Solver>c.owner).refused = error
        return False
    return True


cdef void take(void *memory, const void *tables, const unsigned char *eq_active) noexcept nogil:
    """Set the tables of another Model and other active equalities before a step; NULL: unchanged."""
    cdef Constraints *c = <Constraints *>memory
    if tables != NULL:
        take_tables(c, <const Tables *>tables)
    if eq_active != NULL:
        c.eq_active = eq_active


cdef dict places():
    """Where Tables have the addresses of the Model's columns, and of its `collision`; in bytes from their
    start.
    """
    cdef Tables t
    first = <char *>&t.m - <char *>&t
    found = {name: first + k * <int>sizeof(uintptr_t) for k, (name, _) in enumerate(MODEL)}
    return {**found, "collision": <char *>&t.collision - <char *>&t}


PLACES = places()


cdef class ModelTables:
    """The data of one Model that constraints read. Immutable; shared by all of its simulations.

    Args:
        columns: the Model's columns by name, contiguous and of the types in MODEL.
        facts: the Model's facts, by the names in FACTS.
        collisions: the candidate pairs; None: nothing can touch.
    """

    cdef Tables c
    cdef object columns
    cdef readonly CollisionTable collisions

    def __init__(self, columns, facts, CollisionTable collisions):
        cdef uintptr_t *pointers = <uintptr_t *>&self.c.m
        cdef int k
        memset(&self.c, 0, sizeof(Tables))
        self.columns, self.collisions = columns, collisions
        for k, (name, _) in enumerate(MODEL):
            pointers[k] = address(columns[name])
        for k, name in enumerate(FACTS):
            self.c.facts[k] = facts[name]
        if collisions is not None:
            self.c.collision = &collisions.c

    @property
    def struct(self):
        """The bytes of the tables; the addresses that PLACES names may be replaced in a copy."""
        return (<const char *>&self.c)[: sizeof(Tables)]

    @property
    def address(self):
        """The address of the tables: memory of this object, which readers do not keep alive."""
        return <uintptr_t>&self.c


cdef class Solver:
    """The constraints of one simulation.

    Args:
        tables: the data of the Model.
        arrays: the simulation's memory by the names of columns.
        eq_active: which equalities are active, (neq,) of uint8.
    """

    cdef Constraints c
    cdef list blocks
    cdef object arrays, active, contacts, work
    cdef ModelTables tables
    cdef readonly object refused  # the error for which the last rows did not get their memory
    cdef object __weakref__

    def __init__(self, ModelTables tables, arrays, eq_active):
        cdef uintptr_t *pointers
        cdef int k
        memset(&self.c, 0, sizeof(Constraints))
        self.c.owner = <void *>self
        self.handle_signals(<uintptr_t>&interrupted, <uintptr_t>&self.c)
        self.tables, self.arrays, self.active = tables, arrays, eq_active
        take_tables(&self.c, &tables.c)
        pointers = <uintptr_t *>&self.c.d
        for k in range(DATA_COLUMN_COUNT):
            pointers[k] = address(arrays[data_columns[k].name.decode()])
        if tables.collisions is not None:
            self.work = _memory(tables.collisions.work_bytes, np.uint8)
            self.c.collision_work = <void *>address(self.work)
        self.c.eq_active = <const unsigned char *>address(eq_active)
        self.blocks = [None] * SIZE_COUNT
        self.c.need.dof = (self.c.nv + 7) // 8 * 8
        self.c.need.pattern = 0 if self.c.multifrontal else <long>self.c.nv * self.c.words
        self.c.need.group = self.c.nv + 1 if self.c.multifrontal else 0
        self.c.need.matrix = len(tables.columns["M_colind"]) if self.c.multifrontal else 0
        self.c.need.exact = len(tables.columns["M_colind"]) if self.c.exact else 0
        self.c.need.row, self.c.need.index = 32, max(256, self.c.nv)
        self.c.need.entry = max(1024, (32 + 8) * 8 * self.c.blocks) if self.c.dense else 1024
        self.c.need.contact = FIRST_CONTACTS
        self.grow()
        text.run(&self.c, BEGIN)
        self.grow()
        self.c.need.row = 0

    @property
    def function(self):
        """The address of the function that kernels call."""
        return <uintptr_t>&call

    @property
    def address(self):
        """The argument `memory` of that function: memory of this object, which kernels do not keep alive."""
        return <uintptr_t>&self.c

    @property
    def taking(self):
        """The address of take(), which sets another Model and other active equalities."""
        return <uintptr_t>&take

    @property
    def layout(self):
        """The size of that memory, which programs that access it directly check."""
        return sizeof(Constraints)

    def handle_signals(self, uintptr_t handle, uintptr_t asked):
        """Let a function handle signals while contacts are searched for and rows are solved: int (*)(void *asked), called
        without the GIL, which returns whether this ends. What was ended before begins again.
        """
        self.c.signals.handle, self.c.signals.asked = <Handle><void *>handle, <void *>asked
        self.c.signals.ended = 0

    @property
    def counts(self):
        """ncon, nefc, ne, nf, nl."""
        return self.c.ncon, self.c.nefc, self.c.ne, self.c.nf, self.c.nl

    @property
    def iterations(self):
        """Number of iterations of the last solve; one per island if islands are solved separately."""
        if self.c.by_islands and self.c.nefc:
            return self.own("island_iterations", self.c.islands).tolist()
        return [self.c.iterations]

    def tree_islands(self):
        """The island of each tree, -1: none, and then unused numbers, (nv,); only if islands are solved separately."""
        return self.own("tree_island", self.c.nv).copy()

    def clear(self):
        """Remove all contacts and rows."""
        self.refused, self.c.signals.ended = None, 0
        self.c.ncon = self.c.nefc = self.c.ne = self.c.nf = self.c.nl = self.c.iterations = 0

    def require_rows(self):
        """Raise the error for which the last rows could not be computed or solved, once.

        Raises:
            ModelError, MemoryError: the rows need more memory than arrays may have, or than there is.
            BaseException: what the handler of a signal raised, such as KeyboardInterrupt.
        """
        if self.refused is not None:
            error, self.refused, self.c.signals.ended = self.refused, None, 0
            raise error

    def contact(self):
        """The contacts, (ncon,) of CONTACT: a view of the current memory."""
        return self.contacts[: self.c.ncon]

    def contact_force(self, int number):
        """Force and torque of a contact on its second geom, in the contact's frame, (6,)."""
        found = np.zeros(6)
        text.contact_wrench(&self.c, self.c.contacts + number, <double *>address(found))
        return found

    def row(self, name):
        """A column of the current rows: a view of the current memory."""
        width = ARENA["row_" + name][2]
        found = self.own("row_" + name, self.c.nefc)
        return found if width == 1 else found.reshape(-1, width)

    def jacobian(self):
        """The rows of the Jacobian, dense, (nefc, nv)."""
        if self.c.dense:
            width = 8 * self.c.blocks
            return self.own("jacobian", self.c.nefc * width).reshape(-1, width)[:, : self.c.nv].copy()
        dense = np.zeros((self.c.nefc, self.c.nv))
        first, columns, count = (self.row(name).tolist() for name in ("first", "columns", "count"))
        places, entries = self.own("column", self.c.have.index), self.own("jacobian", self.c.have.entry)
        for row in range(self.c.nefc):
            chosen = places[columns[row] : columns[row] + count[row]]
            dense[row, chosen] = entries[first[row] : first[row] + count[row]]
        return dense

    cdef object own(self, str name, long elements):
        """The first elements of an array whose size depends on the state: a view of the current memory."""
        k, size, width, kind = ARENA[name]
        block = self.blocks[size]
        first = (<uintptr_t *>&self.c.a)[<int>k] - address(block)
        return np.ndarray((elements * width,), DTYPES[kind], block, first)

    cdef int grow(self) except -1:
        """Reallocate the arrays that are too small; those of the same size are in one block.

        Raises:
            ModelError: an array would have more numbers than indices of 32 bits reach.
            MemoryError: there is not enough memory.
        """
        cdef long *have = <long *>&self.c.have
        cdef long *need = <long *>&self.c.need
        cdef int k
        for k in range(SIZE_COUNT):
            if self.blocks[k] is not None and need[k] <= have[k]:
                continue
            if need[k] > MOST[k]:
                raise ModelError([
                    f"the constraints of {self.c.nv:,} degrees of freedom need {need[k]:,} elements of the array "
                    f"{SIZES[k]!r}; the limit is {MOST[k]:,}{BOUNDED.get(SIZES[k], '').format(rows=self.c.nefc)}"
                ])
            count = need[k] if have[k] == 0 else min(max(2 * have[k], need[k]), MOST[k])
            try:
                self.allocate(k, count)
            except MemoryError:
                raise MemoryError(f"not enough memory for {count:,} elements of the array {SIZES[k]!r} of constraints")
            if self.c.dense and SIZES[k] == "index":
                self.own("column", self.c.nv)[:] = np.arange(self.c.nv)
            elif SIZES[k] == "contact" and count:
                self.contacts = _memory(count, CONTACT)
                self.c.contacts = <Contact *>address(self.contacts)
            have[k] = count
        return 0

    cdef int allocate(self, int size, long count) except -1:
        """Allocate the arrays of one size: zeros, each aligned to a cache line and padded at its end."""
        cdef uintptr_t *pointers = <uintptr_t *>&self.c.a
        cdef uintptr_t start
        cdef long width, total = ALIGNMENT
        cdef int k
        for k, width in OF_SIZE[size]:
            total += _whole_lines((count + BEYOND) * width)
        self.blocks[size] = np.zeros(total, np.uint8)
        start = address(self.blocks[size])
        start += -start % ALIGNMENT
        for k, width in OF_SIZE[size]:
            pointers[k] = start
            start += _whole_lines((count + BEYOND) * width)
        return 0
