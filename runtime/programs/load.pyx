# cython: language_level=3, boundscheck=False, wraparound=False
"""Opens compiled programs and calls their kernels on the memory of a simulation."""

import _ctypes
import ctypes
import os
import struct
import sys
import weakref
from collections.abc import Mapping
from operator import index
from types import MappingProxyType

import numpy as np

from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t, uintptr_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy

from polybody.base.kernel_columns import memory
from polybody.generated.kernels.interface import ABI, CALLED, CONSTRAINTS, LANES, PRECISIONS

from polybody.generated.kernels.contract.codes cimport SOLVE_CONSTRAINTS
from polybody.generated.kernels.contract.records cimport PARTS, PbBlock, PbCopy, PbResult, PbRun
from polybody.generated.kernels.layout cimport KernelData, KernelModel, take
from polybody.generated.kernels.program cimport PbKernel, PbProgram
from polybody.programs.advance cimport pb_advance

MOST = 4096  # maximum number of kernels and of their columns; a larger table is invalid
DTYPES = {size: np.dtype(name) for name, size in PRECISIONS.items()}
STATE = ("qpos", "qvel", "act", "qacc_warmstart", "plastic")
INPUTS = ("time", "qpos", "qvel", "act", "ctrl", "qfrc_applied", "mocap_pos", "mocap_quat", "plastic")
"""Columns from which a step of a single simulation starts."""
START = ("start_qpos", "start_qvel")
"""Where a batch has the state at the beginning of the last step, if that does not compute the accelerations of
that instant.
"""
LOAD = "start_load"
"""The column of a step from which they follow then."""
CLOCK = ("time", "opt_timestep")
FORCES = "xfrc_applied"

ctypedef const PbProgram *(*Entry)() noexcept


class ProgramError(ValueError):
    """A file that is not a program, or not the expected one."""


cdef class Program:
    """A compiled program: a shared library with kernels for one Model.

    Opening a library executes code in it: open only files that nobody else could have written.

    Args:
        path: the library.
        key: the expected key; by default any.

    Attributes:
        key: its key.
        lanes: the number of states per call, 1 or the lanes of a batch.
        dtype: its floating-point type, float64 or float32.
        kernels: for each kernel the columns in its arguments and their number of scalars per state,
            ``{"step": {"qpos": 7, ...}}``.

    Raises:
        OSError: there is no such file, or the system cannot load it.
        ProgramError: it is damaged, not a program, of another version, or has another key.
    """

    def __cinit__(self, path, key=None):
        name = os.fspath(path)
        if not isinstance(name, str):
            raise TypeError(f"a path must be a string, not {name!r}")
        check_whole(name)
        library = ctypes.CDLL(os.path.abspath(name))
        if hasattr(_ctypes, "dlclose"):
            weakref.finalize(self, _ctypes.dlclose, library._handle).atexit = False
        try:
            entry = library.polybody_program
        except AttributeError:
            raise ProgramError(f"{name} does not contain a program of polybody") from None
        self.c = (<Entry><uintptr_t>ctypes.cast(entry, ctypes.c_void_p).value)()
        if self.c == NULL:
            raise ProgramError(f"{name} does not contain a program of polybody")
        if self.c.abi != ABI:
            raise ProgramError(f"{name} has version {self.c.abi}, this polybody uses version {ABI}")
        try:
            self.read_table()
        except ValueError as error:  # includes UnicodeDecodeError
            raise ProgramError(f"{name} has an invalid table: {error}") from None
        if key is not None and self.key != key:
            raise ProgramError(f"{name} is the program {self.key!r}, not {key!r}")

    cdef int read_table(self) except -1:
        cdef const PbKernel *kernel
        cdef int k, c
        if self.c.lanes not in LANES:
            raise ValueError(f"{self.c.lanes} lanes")
        if self.c.bytes not in DTYPES:
            raise ValueError(f"numbers of {self.c.bytes} bytes")
        if not 0 < self.c.nkernel <= MOST or self.c.kernel == NULL:
            raise ValueError(f"{self.c.nkernel} kernels")
        self.lanes, self.dtype, self.key = self.c.lanes, DTYPES[self.c.bytes], text(self.c.key)
        kernels = {}
        for k in range(self.c.nkernel):
            kernel = &self.c.kernel[k]
            name = text(kernel.name)
            if kernel.run == NULL or not 0 <= kernel.ncolumn <= MOST or kernel.column == NULL or kernel.size == NULL:
                raise ValueError(f"kernel {name} does not exist")
            columns = {text(kernel.column[c]): kernel.size[c] for c in range(kernel.ncolumn)}
            if len(columns) < kernel.ncolumn or min(columns.values(), default=0) < 0:
                raise ValueError(f"kernel {name} has columns {columns}")
            kernels[name] = MappingProxyType(columns)
        if len(kernels) < self.c.nkernel:
            raise ValueError("two kernels of one name")
        self.kernels = MappingProxyType(kernels)
        return 0

    cdef const PbKernel *find(self, str name) except NULL:
        for k, known in enumerate(self.kernels):
            if known == name:
                return &self.c.kernel[<int>k]
        raise KeyError(f"this program has the kernels {', '.join(self.kernels)}, not {name}")

    def bind(self, str name not None, columns, *, double limit=np.inf, KernelData owner=None, KernelData start=None):
        """Bind a kernel to memory, ready to be called.

        Args:
            name: the kernel.
            columns: arrays by column name, at least the kernel's arguments; for :meth:`Bound.step` also
                ``time`` and ``opt_timestep`` (float64, one number). They are kept alive, and written to.
                ``constraints`` is the constraint solver: an object with the addresses ``function`` and
                ``address``, and the size ``layout`` of its memory.
            limit: the largest magnitude of qpos, qvel and qacc with which a step succeeds.
            owner: the simulation whose memory it is, which belongs to one thread at a time.
            start: another memory, to which :meth:`Bound.step` copies what its last step starts from.

        Raises:
            KeyError: no such kernel.
            TypeError, ValueError: an array is missing, has the wrong type or size, or its memory cannot be
                used: read-only, strided, or not aligned to a block of lanes.
        """
        return Bound(self, name, columns, limit, owner, start)

    def __repr__(self):
        return f"<Program of {', '.join(self.kernels)}: {self.dtype}, lanes {self.lanes}>"


cdef class Recollection:
    """Delays of actuators and sensors in some lanes; who makes it sets where their columns are."""

    def __cinit__(self, KernelModel model not None, int lanes, dtype):
        self.model = model
        given = np.empty(model.c.nu * lanes, dtype)
        numbers = [np.empty(size) for size in (model.c.nu, model.c.nsensordata, model.c.nsensordata)]
        self.kept = [given, *numbers]
        self.c.model, self.c.nhistory, self.c.given = &model.c, model.c.nhistory, <char *>address(given)
        self.c.controls, self.c.shown = <double *>address(numbers[0]), <double *>address(numbers[1])
        self.c.measured = <double *>address(numbers[2])


cdef class Worker:
    """The memory of one block and the functions that step it; used by one thread at a time."""

    def __cinit__(self, int columns, int of_kernel, int of_prepare):
        self.arrays = []
        self.source = <void **>PyMem_Calloc(1 + columns + of_kernel + of_prepare, sizeof(void *))
        if self.source == NULL:
            raise MemoryError
        self.results = <PbResult *>PyMem_Calloc(columns + 1, sizeof(PbResult))
        if self.results == NULL:
            raise MemoryError
        self.block.result = self.results
        self.column = self.source + 1
        self.of_kernel = self.column + columns
        self.of_prepare = self.of_kernel + of_kernel
        self.block.column = self.of_kernel
        self.block.kept_time, self.block.timestep = self.kept_time, self.timestep
        self.block.failed = self.failed
        self.clock_is(self.time)
        self.block.source = <char **>self.source

    def __dealloc__(self):
        PyMem_Free(self.source)
        PyMem_Free(self.results)
        PyMem_Free(self.solver.column)

    cdef void clock_is(self, double *time) noexcept:
        self.source[0] = self.block.time = time

    cdef void *allocate(self, int rows, int lanes, dtype):
        array = memory(rows * lanes, dtype)
        self.arrays.append(array)
        return address(array)


cdef class Bound:
    """A kernel bound to memory; made by :meth:`Program.bind`. It belongs to one thread at a time."""

    def __cinit__(self, Program program not None, str name not None, columns, double limit, KernelData owner, KernelData start):
        cdef const PbKernel *kernel = program.find(name)
        if not isinstance(columns, Mapping):
            raise TypeError(f"columns must be a mapping of names to arrays, not {type(columns).__name__}")
        self.program, self.name, self.run = program, name, kernel.run
        self.arrays, self.kept, self.owner = {}, [], owner
        self.block.limit = limit
        self.column = <void **>calloc(kernel.ncolumn, sizeof(void *))
        if self.column == NULL:
            raise MemoryError
        for c, (column, size) in enumerate(program.kernels[name].items()):
            if column == CONSTRAINTS:
                array = self.called(columns)
            else:
                array = self.taken(columns, column, program.dtype, size * program.lanes, program.lanes)
            self.column[<int>c] = address(array)
        if name == "step":
            self.prepare_steps(columns)
            self.leave_start(columns, start)
            self.recall(owner)

    def __dealloc__(self):
        free(self.column)

    def taken(self, columns, name, dtype, size, lanes):
        """The array of a column, after checking that the kernel can use its memory."""
        if name not in columns:
            raise ValueError(f"the column {name} is missing")
        array = columns[name]
        usable(array, name, dtype, size, lanes)
        self.arrays[name] = array
        return array

    def called(self, columns):
        """The solver of the constraints, as an argument of the kernel."""
        if columns.get(CONSTRAINTS) is None:
            raise ValueError(f"the column {CONSTRAINTS} is missing: what solves them")
        self.kept.append(columns[CONSTRAINTS])
        array = pointers(columns[CONSTRAINTS])
        self.kept.append(array)
        return array

    cdef int prepare_steps(self, columns) except -1:
        """Allocate memory for the state before a step, and set the clock if it is given."""
        cdef int part
        sizes = self.program.kernels["step"]
        missing = [name for name in STATE[:2] if name not in sizes]
        if missing:
            raise ProgramError(f"the program's step moves no {' and no '.join(missing)}")
        if self.program.lanes > 1 or not all(name in columns for name in CLOCK):
            return 0
        self.block.run, self.block.column = self.run, self.column
        self.block.lanes, self.block.bytes = 1, self.program.c.bytes
        for part in range(PARTS):
            if STATE[part] not in sizes:  # no activations or constraints
                continue
            state, size = self.arrays[STATE[part]], sizes[STATE[part]]
            kept = np.empty(size, self.program.dtype)
            self.kept.append(kept)
            self.block.state[part], self.block.scalars[part] = <char *>address(state), size
            self.block.kept[part] = <char *>address(kept)
        if "qacc" in sizes:
            self.block.qacc, self.block.accelerations = <char *>address(self.arrays["qacc"]), sizes["qacc"]
        real = np.dtype(np.float64)
        self.block.time = <double *>address(self.taken(columns, "time", real, 1, 1))
        timestep = np.asarray(columns["opt_timestep"], dtype=real)
        if timestep.size != 1:
            raise ValueError(f"one state has one opt_timestep, not shape {timestep.shape}")
        kept_time = np.empty(1)
        self.kept += [timestep, kept_time]
        self.block.timestep = <const double *>address(timestep)
        self.block.kept_time = <double *>address(kept_time)
        self.block.failed = &self.failed
        if FORCES in columns:
            forces = self.taken(columns, FORCES, real, np.size(columns[FORCES]), 1)
            self.forces, self.nforces = <const double *>address(forces), forces.size
        return 0

    cdef int leave_start(self, columns, KernelData start) except -1:
        """Copy INPUTS to another memory before the last step."""
        cdef PbCopy *each
        cdef int k
        if sizeof(self.block.start) < len(INPUTS) * sizeof(PbCopy):
            raise AssertionError("a block has fewer places to start from than INPUTS")
        for k, name in enumerate(INPUTS if start is not None else ()):
            source, to = columns[name], start.array(name)
            if to.shape != source.shape or to.dtype != source.dtype:
                raise ValueError(f"{name} is {source.dtype} of shape {source.shape}, its copy is not")
            each = &self.block.start[k]
            each.to, each.from_, each.bytes = <char *>address(to), <const char *>address(source), to.nbytes
            self.block.nstart = k + 1
            self.kept += [to, source]
        return 0

    cdef int recall(self, KernelData owner) except -1:
        """Let delays of actuators and sensors act, if the simulation has any."""
        if owner is None or not owner.model.c.nhistory or not owner.c.recalls[0]:
            return 0
        own = Recollection(owner.model, 1, self.program.dtype)
        own.c.history, own.c.ctrl, own.c.sensordata = owner.c.history, <char *>owner.c.ctrl, <char *>owner.c.sensordata
        self.kept.append(own)
        self.block.delays = &own.c
        return 0

    @property
    def pushed(self):
        """Whether some element of ``xfrc_applied``, bound with the state, is nonzero; steps assume that all
        are 0.
        """
        cdef Py_ssize_t k
        for k in range(self.nforces):
            if self.forces[k] != 0:
                return True
        return False

    def call(self):
        """Run the kernel once, on the memory bound to it. Nothing is checked, and the GIL is held."""
        self.run(self.column)

    def step(self, n=1):
        """Take n steps without the GIL; returns how many were completed.

        If fewer than n, the next step would have become NaN or exceeded the limit. In this case the state
        (time, qpos, qvel, act) is that before it, and qacc is the acceleration of the failed step.

        Raises:
            RuntimeError: another thread is using the simulation.
            TypeError: this is not the step of a single state, or it was bound without ``time`` and
                ``opt_timestep``, or n is not an integer.
            ValueError: n is negative.
        """
        cdef int64_t count = index(n), done
        if self.block.run == NULL:
            raise TypeError(f"steps are taken by the kernel step of one state, bound with {' and '.join(CLOCK)}")
        if count < 0:
            raise ValueError(f"{count} steps")
        if self.owner is not None:
            take(self.owner)
        with nogil:
            self.failed = 0
            done = pb_advance(&self.block, count)
        if self.owner is not None:
            self.owner.busy = False
        return done

    def __repr__(self):
        return f"<{self.name} bound to {', '.join(self.arrays)}>"


ctypedef struct Free:
    char *qacc
    char *qacc_warmstart
    const char *qacc_smooth
    size_t bytes


cdef void set_free(void *memory, int stage) noexcept nogil:
    cdef Free *c = <Free *>memory
    if stage == SOLVE_CONSTRAINTS:
        memcpy(c.qacc, c.qacc_smooth, c.bytes)
        memcpy(c.qacc_warmstart, c.qacc_smooth, c.bytes)


cdef class Unconstrained:
    """A replacement for the solver when a program is tested: accelerations are those without constraints, and
    what else a solver would write, such as forces on bodies, keeps its values.

    Args:
        columns: arrays of the accelerations that a solver reads and writes, by column name.
    """

    cdef Free c
    cdef list kept

    def __init__(self, columns):
        names = ("qacc", "qacc_warmstart", "qacc_smooth")
        if any(name not in columns for name in names):  # only sensors call it
            self.kept = [np.zeros(0)] * 3
        else:
            self.kept = [columns[name] for name in names]
        self.c.qacc, self.c.qacc_warmstart = <char *>address(self.kept[0]), <char *>address(self.kept[1])
        self.c.qacc_smooth, self.c.bytes = <char *>address(self.kept[2]), self.kept[0].nbytes

    @property
    def function(self):
        """The address of the function that kernels call."""
        return <uintptr_t>&set_free

    @property
    def address(self):
        """The argument of that function."""
        return <uintptr_t>&self.c

    @property
    def layout(self):
        """0: programs cannot access its memory directly."""
        return 0


def pointers(solver):
    """The column ``constraints`` of a kernel: the addresses of a solver as 8-byte elements."""
    column = np.zeros(CALLED)
    column.view(np.uint64)[:] = solver.function, solver.address, solver.layout
    return column


cdef void *address(array):
    return <void *><uintptr_t>array.ctypes.data


cdef str text(const char *bytes):
    """A name or a key, which is ASCII."""
    if bytes == NULL:
        raise ValueError("a name is missing")
    return bytes.decode("ascii")


def usable(array, name, dtype, size, lanes):
    """Raise TypeError or ValueError unless the array is memory for `size` numbers that a kernel can write."""
    if not isinstance(array, np.ndarray) or array.dtype != dtype:
        raise TypeError(f"{name} must be an array of {dtype}, not {getattr(array, 'dtype', type(array).__name__)}")
    if array.size != size:
        raise ValueError(f"{name} has {array.size} numbers, the kernel needs {size}")
    if not array.flags.c_contiguous or not array.flags.writeable:
        raise ValueError(f"{name} must be contiguous and writable")
    if size and array.ctypes.data % (lanes * dtype.itemsize):
        raise ValueError(f"{name} must begin at a multiple of {lanes * dtype.itemsize} bytes")


def check_whole(path):
    """Raise ProgramError if a file is not a shared library or is truncated: mapping it would crash the
    process.

    Only ELF files are checked: the section table is at the end, and the header has its offset.
    """
    with open(path, "rb") as file:
        head = file.read(64)
        size = os.fstat(file.fileno()).st_size
    if size == 0:
        raise ProgramError(f"{path} is empty")
    if not head.startswith(b"\x7fELF"):
        if sys.platform == "linux":
            raise ProgramError(f"{path} is not a shared library")
        return
    wide = struct.calcsize("P") == 8
    if len(head) < 64 or head[4] != 1 + wide:
        raise ProgramError(f"{path} is damaged, or for another machine")
    order = "<" if head[5] == 1 else ">"
    (start,) = struct.unpack_from(order + ("Q" if wide else "I"), head, 40 if wide else 32)
    each, number = struct.unpack_from(order + "HH", head, 58 if wide else 46)
    if start + each * number > size:
        raise ProgramError(f"{path} is damaged: its end is missing")
