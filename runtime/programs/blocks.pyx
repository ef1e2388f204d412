# cython: language_level=3, boundscheck=False, wraparound=False
"""Steps of many states, block by block, by any number of threads, without the GIL.

The columns of a batch are `[scalar][state]` in memory. A worker copies a block of states, as many as one call
of the kernel steps, to its own memory, takes all steps there, and copies them back. So the kernel always sees
the same data, whatever the rest of the batch is and whichever thread works on it.
"""

import numpy as np

from cpython.exc cimport PyErr_CheckSignals
from cpython.mem cimport PyMem_Calloc, PyMem_Free
from libc.stdint cimport int64_t, uintptr_t
from libc.string cimport memcpy

from polybody.constraints.block import BlockSolver
from polybody.constraints.solver import DATA
from polybody.generated.kernels.contract.columns import STAGE_WRITES
from polybody.generated.kernels.interface import CONSTRAINTS, PREPARE, PREPARED
from polybody.programs.load import LOAD, START, STATE, usable

from polybody.programs.advance cimport (
    LARGE, MAX_LANES, pb_advance, pb_convert, pb_delay, pb_left, pb_note, pb_run, pb_steer, pb_void_failed,
)
from polybody.programs.columns cimport (
    pb_announce, pb_convert_rows, pb_copy, pb_is_set, pb_refuse, pb_set, pb_take,
)
from polybody.programs.lanes cimport pb_solve_lanes, pb_take_own
from polybody.programs.load cimport Program, Recollection, TakeAll, Worker, address
from polybody.programs.loops cimport Loop, Steps, loop
from polybody.generated.kernels.dynamics cimport c_step, c_step_observed
from polybody.generated.kernels.contract.codes cimport FIND_ADHESION, MEASURE_GEOMS, PULL_CONTACTS, SOLVE_CONSTRAINTS
from polybody.generated.kernels.contract.records cimport (
    PARTS, PbBlock, PbColumn, PbLaneColumn, PbLaneSolver, PbOwn, PbRecord, PbResult, PbRun, Signals,
)
from polybody.generated.kernels.layout cimport Data, KernelData, KernelModel, Model

TIME = "time"
AGAIN = "again"
"""The loop kernel that computes qacc from qpos, qvel and start_load."""
WRITTEN_BY = {name: SOLVE_CONSTRAINTS for stage in STAGE_WRITES for name in STAGE_WRITES[stage]}
WRITTEN_BY.update((name, stage) for stage in (FIND_ADHESION, PULL_CONTACTS, MEASURE_GEOMS) for name in STAGE_WRITES[stage])
"""The solver stages that write columns; solving writes also what follows from accelerations."""

cdef extern from "signals.h" nogil:
    int is_ended(Signals *s, double work) noexcept nogil

cdef struct Ending:
    int heeds    # whether signals end the work
    int ended    # whether one has; all workers see it
    void *owner  # the Blocks

KEPT = frozenset((*STATE, *START, LOAD, "qacc", "dof_drive"))
"""Columns of a failed instance that keep their numbers, unlike results."""
OF_LAST = ("qacc", *START, LOAD)
"""Columns of the last step that an instance took; those of a failed one are of the step that failed."""
SOLVED = ("qacc", "qfrc_constraint", "qacc_warmstart")
"""Columns that the solver of all lanes at once writes."""

cdef enum:
    GRAIN = 32  # batches of blocks per worker, so that all workers end at about the same time

ctypedef const Model *Pointer
ctypedef int (*Solve)(void *lanes) noexcept nogil
ctypedef void (*Take)(void *workspace, const void *tables, const unsigned char *eq_active) noexcept nogil


cdef int handle(void *asked) noexcept with gil:
    """In the calling thread: whether the handler of a signal raises, such as that of Ctrl-C, which ends the work of all
    workers. The Blocks keep what it raises.
    """
    cdef Ending *ending = <Ending *>asked
    if not ending.heeds:
        return 0
    try:
        PyErr_CheckSignals()
    except BaseException as error:
        (<Blocks>ending.owner).end(error)
    return pb_is_set(&ending.ended)


cdef int follow(void *asked) noexcept nogil:
    """In other threads: whether the work has ended."""
    return pb_is_set(&(<Ending *>asked).ended)


cdef class Blocks:
    """The columns of a batch, and the workers that step it.

    Args:
        mover: the program with the kernel, and optionally a kernel of the same name with the prefix ``prepare_`` that
            runs before it; or, for the loop kernel, a KernelModel.
        columns: the kernel's arguments by name: arrays of shape (scalars, states), rows contiguous and padded to
            whole blocks. They are kept alive.
        given: the names of columns that steps do not change, with their minimum valid value (states with a smaller
            one fail); -inf: any finite value; None: not checked.
        time: float64, shape (padded,).
        failed: uint8, shape (padded,): states that are no longer stepped.
        count: the number of states, without padding.
        timestep: of all states, unless a column ``opt_timestep`` has one for each.
        limit: the largest magnitude of qpos, qvel and qacc with which a step succeeds.
        workers: the maximum number of threads.
        kernel: ``step``, or a kernel that computes something of the states, once, and changes neither time nor
            failed.
        attach: creates the memory of one simulation with its constraint solver; None: there are no constraints.
        eq_active: uint8, shape (padded, neq): the active equalities of each state; required with ``attach``.
        models: the addresses of the loop kernel's struct of each state, uint64, shape (count,), of the same tree as
            the KernelModel's; None: all share that one. What they point to has to outlive this object, and they may
            change between calls of :meth:`work`.
        tables: the addresses of the constraint tables of each state, likewise; None: all share those of ``attach``.
        at_once: whether a program's constraints are solved in all lanes at once.
        delays: the KernelModel of delays of actuators and sensors; None: there are none.
        history: their past samples, float64, shape (padded, nhistory); required with ``delays``.
        observed: whether the last step of the loop kernel, and each step that is recorded, also computes all other
            results.
        effort: work of a step of one state, in the unit of signals.h.
    """

    cdef readonly int lanes
    cdef readonly int workers
    cdef int bytes, inner_bytes, ncolumn, nrecord, clock, prepared
    cdef PbOwn each
    cdef dict own  # columns that only the solver and the kernel use, and their numbers of scalars
    cdef int64_t count, nblock, grain, next, steps, every, done
    cdef double timestep, limit, effort
    cdef Ending ending
    cdef object raised
    cdef PbColumn *columns
    cdef PbRecord *records
    cdef double *time
    cdef unsigned char *failed
    cdef Pointer *models
    cdef double *history
    cdef size_t past  # bytes of it for one state
    cdef KernelModel kernel_model
    cdef KernelModel delays
    cdef list arrays, team, order, recorded
    cdef Program program
    cdef str kernel
    cdef bint steps_on, at_once
    cdef object control, attach
    cdef Loop compute
    cdef Steps stepping

    def __cinit__(
        self, mover, columns, given, *, time, failed, int64_t count, double timestep, double limit, int workers,
        str kernel="step", bint observed=False, attach=None, eq_active=None, models=None, tables=None,
        bint at_once=False, double effort=0.0, delays=None, history=None,
    ):
        self.effort, self.ending.owner = effort, <void *>self
        self.kernel, self.steps_on = kernel, kernel == "step"
        self.stepping = c_step_observed if observed else c_step
        self.program = mover if isinstance(mover, Program) else None
        self.attach, self.at_once = attach, at_once
        self.delays = delays
        sizes = self.sizes_of(columns)
        self.order = list(sizes)
        self.lanes = 1 if self.program is None else self.program.lanes
        dtype = columns["qpos"].dtype
        self.bytes, self.inner_bytes = dtype.itemsize, dtype.itemsize if self.program is not None else 8
        self.count, self.nblock = count, -(-count // self.lanes)
        self.timestep, self.limit, self.workers = timestep, limit, workers
        self.grain = max(1, self.nblock // (workers * GRAIN))
        self.arrays, self.recorded = [time, failed, eq_active], []
        usable(time, "time", np.dtype(np.float64), self.nblock * self.lanes, 1)
        usable(failed, "failed", np.dtype(np.uint8), self.nblock * self.lanes, 1)
        self.time, self.failed = <double *>address(time), <unsigned char *>address(failed)
        if attach is not None:
            self.each.neq = eq_active.shape[1]
            usable(eq_active, "eq_active", np.dtype(np.uint8), self.nblock * self.lanes * self.each.neq, 1)
            self.each.eq_active = <const unsigned char *>address(eq_active)
        if delays is not None:
            usable(history, "history", np.dtype(np.float64), self.nblock * self.lanes * self.delays.c.nhistory, 1)
            self.history, self.past = <double *>address(history), self.delays.c.nhistory * sizeof(double)
            self.arrays.append(history)
        if tables is not None:
            usable(tables, "tables", np.dtype(np.uint64), count, 1)
            self.each.tables = <const void **>address(tables)
            self.arrays.append(tables)
        self.ncolumn = len(self.order)
        self.columns = <PbColumn *>PyMem_Calloc(self.ncolumn + 1, sizeof(PbColumn))
        if self.columns == NULL:
            raise MemoryError
        self.clock = self.order.index("opt_timestep") if "opt_timestep" in self.order else -1
        for c, name in enumerate(self.order):
            self.take_column(<int>c, name, columns[name], dtype, sizes[name], given)
        if self.program is None:
            self.kernel_model = mover
            self.models = NULL
            if models is not None:
                usable(models, "models", np.dtype(np.uint64), count, 1)
                self.models = <Pointer *>address(models)
                self.arrays.append(models)
            self.compute = NULL if self.steps_on else loop(kernel)
        self.team = [self.worker(k) for k in range(workers)]

    def __dealloc__(self):
        PyMem_Free(self.columns)
        PyMem_Free(self.records)

    def sizes_of(self, columns):
        """The number of scalars of each of the batch's columns."""
        if self.program is None:
            return {name: len(array) for name, array in columns.items()}
        kernels = self.program.kernels
        sizes = dict(kernels[self.kernel]) | dict(kernels.get(PREPARE + self.kernel, {}))
        self.prepared = sizes.pop(PREPARED, 0)
        solves = sizes.pop(CONSTRAINTS, 0) > 0
        self.own = {name: size for name, size in sizes.items() if solves and name in DATA and name not in columns}
        if LOAD in sizes:
            sizes |= {name: sizes[state] for name, state in zip(START, STATE) if name in columns}
        if self.delays is not None:  # its samples are kept even if no kernel reads them
            sizes["ctrl"] = self.delays.c.nu
        if TIME in sizes:  # the time of a batch is always in double precision
            self.own[TIME] = sizes[TIME]
        return {name: size for name, size in sizes.items() if name not in self.own}

    cdef int take_column(self, int c, name, array, dtype, scalars, given) except -1:
        if array.dtype != dtype or array.shape != (scalars, self.nblock * self.lanes):
            raise ValueError(f"{name} is {array.dtype} of shape {array.shape}, the kernel has {scalars} {dtype}")
        if array.size and array.strides[1] != dtype.itemsize:
            raise ValueError(f"{name}: the same scalar of all states must be contiguous")
        self.arrays.append(array)
        column = &self.columns[c]
        column.memory, column.row, column.scalars = <char *>address(array), array.strides[0], scalars
        column.result = name not in given
        column.left = self.program is not None and self.steps_on and (name in START or name == LOAD)
        least = given.get(name)
        column.least = np.nan if least is None else least
        return 0

    cdef Worker worker(self, int number):
        """A worker, and which of its columns are results of steps, without those from which others follow."""
        cdef Worker worker = self.equipped(number)
        cdef int c
        for c, name in enumerate(self.order if self.steps_on else ()):
            if self.columns[c].result and name not in KEPT:
                result = &worker.results[worker.block.nresult]
                result.memory, result.scalars = <char *>worker.column[c], self.columns[c].scalars
                worker.block.nresult += 1
        return worker

    cdef Worker equipped(self, int number):
        kernels = self.program.kernels if self.program is not None else {}
        names, before = kernels.get(self.kernel, ()), kernels.get(PREPARE + self.kernel, ())
        cdef Worker worker = Worker(self.ncolumn, len(names), len(before))
        cdef int c, part
        worker.signals.handle, worker.signals.asked = follow if number else handle, &self.ending
        block = &worker.block
        block.lanes, block.bytes = self.lanes, self.inner_bytes
        if self.program is None:
            worker.data = KernelData(self.kernel_model) if self.attach is None else self.attach()
            if self.models != NULL:
                worker.data.pairs()
            if self.attach is not None:
                self.each.take = <Take><void *><uintptr_t>worker.data.solver.taking
                self.share_signals(worker, worker.data.solver)
            worker.clock_is(worker.data.c.time)
            for c in range(self.ncolumn):
                worker.column[c] = address(worker.data.array(self.order[c]))
            worker.data.c.recalls[0] = self.delays is not None
            worker.history = worker.data.c.history
            return worker
        block.run = self.program.find(self.kernel).run
        if PREPARE + self.kernel in kernels:
            worker.prepare = self.program.find(PREPARE + self.kernel).run
        dtype = self.program.dtype
        for c in range(self.ncolumn):
            worker.column[c] = worker.allocate(self.columns[c].scalars, self.lanes, dtype)
        cdef void *prepared = worker.allocate(self.prepared, self.lanes, dtype)
        places = {name: <uintptr_t>worker.column[c] for c, name in enumerate(self.order)}
        places |= {name: <uintptr_t>worker.allocate(size, self.lanes, dtype) for name, size in self.own.items()}
        places |= {PREPARED: <uintptr_t>prepared, CONSTRAINTS: <uintptr_t>&worker.constraints}
        for k, name in enumerate(names):
            worker.of_kernel[<int>k] = <void *><uintptr_t>places[name]
        for k, name in enumerate(before):
            worker.of_prepare[<int>k] = <void *><uintptr_t>places[name]
        if self.delays is not None:
            self.recall_in(worker, places)
        if TIME in self.own:
            block.instant = <char *><uintptr_t>places[TIME]
        if CONSTRAINTS in names:
            self.solve_in(worker, places)
        for part in range(PARTS if self.steps_on else 0):
            if STATE[part] not in self.order:  # no activations or constraints
                continue
            c = self.order.index(STATE[part])
            block.state[part], block.scalars[part] = <char *>worker.column[c], self.columns[c].scalars
            block.kept[part] = <char *>worker.allocate(self.columns[c].scalars, self.lanes, dtype)
        for part, name in enumerate(START if self.steps_on and LOAD in self.order else ()):
            if name in self.order:
                block.start[part].to = <char *>worker.column[<int>self.order.index(name)]
                block.start[part].from_ = block.state[part]
                block.start[part].bytes = <size_t>(block.scalars[part] * block.lanes * block.bytes)
                block.nstart = part + 1
        block.limit = self.limit
        if self.steps_on and "qacc" in self.order:
            c = self.order.index("qacc")
            block.qacc, block.accelerations = <char *>worker.column[c], self.columns[c].scalars
        for c, name in enumerate(self.order if self.steps_on else ()):
            if name in OF_LAST:
                last = &block.last[block.nlast]
                last.now, last.scalars = <char *>worker.column[c], self.columns[c].scalars
                last.before = <char *>worker.allocate(last.scalars, self.lanes, dtype)
                block.nlast += 1
        return worker

    cdef int recall_in(self, Worker worker, places) except -1:
        """Let delays act in a worker of a program."""
        worker.history = <double *>worker.allocate(self.delays.c.nhistory, self.lanes, np.float64)
        worker.recollection = Recollection(self.delays, self.lanes, self.program.dtype)
        worker.recollection.c.history = worker.history
        worker.recollection.c.ctrl = <char *><uintptr_t>places["ctrl"]
        if self.steps_on and "sensordata" in places:
            worker.recollection.c.sensordata = <char *><uintptr_t>places["sensordata"]
        worker.block.delays = &worker.recollection.c
        return 0

    cdef int solve_in(self, Worker worker, places) except -1:
        """Attach a solver to a worker that solves its lanes one by one, in the memory of one simulation."""
        cdef PbLaneColumn *column
        sizes = self.program.kernels[self.kernel]
        names = [name for name in DATA if name in sizes]
        worker.solved = self.attach()
        solver = &worker.solver
        solver.column = <PbLaneColumn *>PyMem_Calloc(len(names), sizeof(PbLaneColumn))
        if solver.column == NULL:
            raise MemoryError
        for k, name in enumerate(names):
            column = &solver.column[<int>k]
            column.lanes = <char *><uintptr_t>places[name]
            column.own = <double *>address(worker.solved.array(name))
            column.scalars = sizes[name]
            column.leaves = WRITTEN_BY.get(name, -1)
            column.solved = name in SOLVED
            column.reads = name not in WRITTEN_BY or name == "qacc_warmstart" or self.at_once and name in SOLVED
        solver.ncolumn = len(names)
        solver.weighs = "xfrc_constraint" in sizes
        solver.measures = "sensor_constraint" in sizes or "sensor_grids" in sizes
        solver.call, solver.workspace = worker.solved.c.constrain, worker.solved.c.constraints
        self.each.take = <Take><void *><uintptr_t>worker.solved.solver.taking
        self.share_signals(worker, worker.solved.solver)
        solver.each = self.each
        solver.block = &worker.block
        worker.at_once = self.block_solver(worker, places) if self.at_once else None
        if worker.at_once is not None:
            solver.solve = <Solve><void *><uintptr_t>worker.at_once.function
            solver.lanes = <void *><uintptr_t>worker.at_once.address
            if self.each.tables != NULL:
                worker.take_all = <TakeAll><void *><uintptr_t>worker.at_once.taking
        worker.constraints[0], worker.constraints[1] = <void *>&pb_solve_lanes, <void *>solver
        return 0

    def share_signals(self, Worker worker, solver):
        """Let a solver handle signals as its worker does; what was ended begins again."""
        solver.handle_signals(<uintptr_t>worker.signals.handle, <uintptr_t>worker.signals.asked)

    def end(self, error=None):
        """If signals end the work, let all workers end before their next block, without storing what they have done of the
        present one.
        """
        if self.ending.heeds:
            self.raised = error or self.raised
            pb_set(&self.ending.ended, 1)

    cdef int restart(self) except -1:
        """Forget that the work was ended."""
        cdef Worker worker
        self.raised = None
        pb_set(&self.ending.ended, 0)
        for worker in self.team:
            worker.signals.ended = 0
            memory = worker.solved if worker.data is None else worker.data
            if memory is not None and memory.solver is not None:
                self.share_signals(worker, memory.solver)
        return 0

    def block_solver(self, Worker worker, places):
        """The solver of all lanes of a worker at once; None if this processor lacks the registers."""
        try:
            return BlockSolver(
                <uintptr_t>worker.solved.c.constraints, places, self.lanes, self.inner_bytes,
                <uintptr_t>&worker.failed, <uintptr_t>&worker.block.states,
                <uintptr_t>self.each.eq_active, <uintptr_t>&worker.block.first, self.each.tables != NULL,
            )
        except ValueError:
            return None

    def begin(self, int64_t steps, int64_t every=0, int64_t done=0, record=(), control=None, bint heeds=True):
        """Set what :meth:`work` does: the number of steps, and what is recorded.

        Args:
            steps: the number of steps.
            every: the number of steps between frames; 0: nothing is recorded.
            done: the number of steps taken since recording began.
            record: pairs of the name of a column, or ``time``, and an array of shape (frames, states,
                scalars).
            control: the controls of each step since recording began, of shape (steps, states, nu) and of the
                columns' type; None: those in the column ctrl.
            heeds: whether a signal ends the work between states; otherwise it is handled afterwards.
        """
        self.ending.heeds = heeds
        if pb_is_set(&self.ending.ended):
            self.restart()
        self.control = None if control is None or "ctrl" not in self.order else control
        self.steps, self.every, self.done, self.next = steps, every, done, 0
        PyMem_Free(self.records)
        self.records, self.nrecord, self.recorded = NULL, 0, list(record)
        if not record:
            return
        self.records = <PbRecord *>PyMem_Calloc(len(record), sizeof(PbRecord))
        if self.records == NULL:
            raise MemoryError
        cdef bint large = sum(array.nbytes for _, array in record) >= LARGE
        for r, (name, array) in enumerate(record):
            entry = &self.records[<int>r]
            entry.number = 0 if name == "time" else 1 + self.order.index(name)
            entry.memory, entry.bytes, entry.scalars = <char *>address(array), array.itemsize, array.shape[2]
            entry.frame, entry.state, entry.scalar = array.strides
            entry.large = large
        self.nrecord = len(record)

    def work(self, int worker):
        """Process blocks until none is left, or until a signal ends the work; other workers do the same in other threads.
        Worker 0 is that of the calling thread, which handles signals.

        Raises:
            BaseException: what the handler of a signal raised, such as KeyboardInterrupt. Each block is as before, or done.
        """
        cdef Worker own = self.team[worker]
        cdef int64_t first, block
        cdef double effort = self.effort * self.lanes * max(1, self.steps)
        self.steer(own)
        with nogil:
            while not pb_is_set(&self.ending.ended):
                first = pb_take(&self.next, self.grain)
                if first >= self.nblock:
                    break
                for block in range(first, min(first + self.grain, self.nblock)):
                    if is_ended(&own.signals, effort) or not self.move(own, block):
                        break
        if worker == 0 and self.raised is not None:
            error, self.raised = self.raised, None
            raise error

    cdef int steer(self, Worker own) except -1:
        """Set the source of the controls of each step."""
        own.block.control = NULL
        if self.control is None:
            return 0
        own.block.control = <const char *>address(self.control)
        own.block.control_step, own.block.control_state, own.block.control_scalar = self.control.strides
        own.block.controls = self.control.shape[2]
        own.block.ctrl = <char *>own.column[<int>self.order.index("ctrl")]
        return 0

    cdef bint move(self, Worker own, int64_t block) noexcept nogil:
        """Process a block; returns whether that was not ended."""
        self.load(own, block)
        cdef bint steps = self.steps_on and self.steps > 0 and pb_left(&own.block) > 0
        if own.data is not None and self.attach is not None:
            pb_take_own(&self.each, own.data.c.constraints, block)
        if not self.steps_on:
            self.call(own, block)
        elif own.data is None:
            pb_advance(&own.block, self.steps)
        else:
            self.advance(own, self.model_of(block))
        if pb_is_set(&self.ending.ended):
            return False
        self.store(own, block, steps)
        return True

    cdef const Model *model_of(self, int64_t block) noexcept nogil:
        return &self.kernel_model.c if self.models == NULL else self.models[block]

    cdef void advance(self, Worker own, const Model *model) noexcept nogil:
        """Steps of the loop kernel, from one frame to the next."""
        cdef int64_t left = self.steps, count, done
        pb_void_failed(&own.block)
        while left > 0:
            count = left
            if self.nrecord:
                count = min(left, self.every - own.block.taken % self.every)
            if own.block.control != NULL:
                count = 1
                pb_steer(&own.block)
            if not own.failed[0]:
                done = self.stepping(model, &own.data.c, count, self.limit)
                if done < count:
                    own.failed[0] = 1
                    pb_void_failed(&own.block)
            left -= count
            own.block.taken += count - 1
            pb_note(&own.block)

    cdef void call(self, Worker own, int64_t block) noexcept nogil:
        if own.data is None:
            if own.block.delays != NULL:
                pb_delay(&own.block)
            pb_run(&own.block)
        else:
            self.compute(self.model_of(block), &own.data.c)

    # --- between the batch and a worker -----------------------------------------------------------

    cdef void load(self, Worker own, int64_t block) noexcept nogil:
        cdef int width = self.lanes * self.bytes
        cdef int c, lane
        own.block.record, own.block.nrecord = self.records, self.nrecord
        own.block.every, own.block.taken, own.block.moved = self.every, self.done, self.done
        own.block.first = block * self.lanes
        own.block.states = <int>min(self.lanes, self.count - own.block.first)
        for lane in range(self.lanes):
            own.block.time[lane] = self.time[block * self.lanes + lane]
            own.failed[lane] = self.failed[block * self.lanes + lane]
            own.timestep[lane] = self.timestep
        cdef bint whole = pb_left(&own.block) == self.lanes  # otherwise failed instances keep what they started from
        for c in range(self.ncolumn):
            column = &self.columns[c]
            memory = column.memory + block * width
            pb_announce(memory + width, column.row, column.scalars)
            if column.left and whole:
                continue
            if self.bytes == self.inner_bytes:
                pb_copy(<char *>own.column[c], width, memory, column.row, column.scalars, width)
            else:
                pb_convert_rows(<char *>own.column[c], self.inner_bytes, self.inner_bytes,
                                memory, column.row, self.bytes, column.scalars)
            if not column.result and column.least == column.least:
                pb_refuse(<char *>own.column[c], self.inner_bytes, column.scalars, self.lanes, column.least,
                          own.failed)
        if self.history != NULL:
            memcpy(own.history, <char *>self.history + own.block.first * self.past, self.lanes * self.past)
        if own.take_all != NULL:
            own.take_all(own.solver.lanes, self.each.tables + own.block.first)
        if own.prepare != NULL:
            own.prepare(own.of_prepare)
        if self.clock >= 0:
            for lane in range(self.lanes):
                pb_convert(<char *>&own.timestep[lane], 8,
                           <char *>own.column[self.clock] + lane * self.inner_bytes, self.inner_bytes)

    cdef void store(self, Worker own, int64_t block, bint steps) noexcept nogil:
        cdef int width = self.lanes * self.bytes
        cdef int c, lane
        for lane in range(self.lanes if self.steps_on else 0):
            self.time[block * self.lanes + lane] = own.block.time[lane]
            self.failed[block * self.lanes + lane] = own.failed[lane]
        if self.history != NULL and self.steps_on:
            memcpy(<char *>self.history + own.block.first * self.past, own.history, self.lanes * self.past)
        for c in range(self.ncolumn):
            column = &self.columns[c]
            memory = column.memory + block * width
            if not column.result or column.left and not steps:
                continue
            if self.bytes == self.inner_bytes:
                pb_copy(memory, column.row, <char *>own.column[c], width, column.scalars, width)
            else:
                pb_convert_rows(memory, column.row, self.bytes,
                                <char *>own.column[c], self.inner_bytes, self.inner_bytes, column.scalars)
