"""BatchStepper: many simulations of one Model, side by side."""

from __future__ import annotations

import threading
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor
from contextlib import contextmanager
from functools import partial
from operator import index
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from polybody.constraints.copies import differ
from polybody.constraints.lane_models import why_one_by_one
from polybody.engine.constraint_rows import asks_solver
from polybody.engine.data import MOCAP, Data
from polybody.engine.divergence import LIMIT, check_limit, explain
from polybody.engine.singular import require_determined
from polybody.engine.unsimulated import require_simulated
from polybody.engine.variants import NUMBERS
from polybody.errors import ModelError, Problem, SimulationError
from polybody.generated.kernels.interface import PRECISIONS, RESULTS
from polybody.model.model import Model, required
from polybody.model.observable import check_results
from polybody.model.variants import varying
from polybody.programs.blocks import AGAIN, Blocks
from polybody.programs.load import Program
from polybody.simulation.batch import programs
from polybody.simulation.batch.arrays import Arrays, no_parameter
from polybody.simulation.batch.computing import BatchComputing
from polybody.simulation.batch.evaluation import Accelerations, Evaluation, single_stage, treats_late
from polybody.simulation.batch.instances import Indices, Rows, rows
from polybody.simulation.batch.memory import AT_START, INPUTS, STATE, Memory, check_parameters, fill
from polybody.simulation.batch.models import Addresses, OwnModels, own_model
from polybody.simulation.batch.pieces import pieces, work
from polybody.simulation.batch.pool import Pool
from polybody.simulation.batch.programs import one_of
from polybody.simulation.batch.state import BatchState

Reals = NDArray[Any]

COMPUTED = {
    name: RESULTS[name]
    for name in (
        *("forward_kinematics", "energy", "mass_matrix", "bias", "passive", "inverse", "acceleration"),
        "jacobian",
    )
}
"""The kernels that can be run on states, and the columns of a Data that they fill."""
FAILURES = ("mark", "raise")
INERTIAS = {
    "tendon_armature": ("opt_tendon_inertia",),
    "actuator_armature": ("opt_tendon_inertia", "opt_reflects"),
}
"""Parameters that change the mass matrix as flags of the Model say that there is something to change."""
FRICTION = {"dof_frictionloss", "tendon_frictionloss"}
"""Parameters that make constraints if they are positive."""
MOST = 1 << 26
"""Maximum number of instances: no memory holds more, so a larger number is a mistake."""


def check_inertias(model: Model, names: Sequence[str]) -> None:
    """Refuse inertias as parameters if the Model has none, and the rest of springs if these yield.

    Raises:
        ModelError: it has none.
    """
    for name in INERTIAS.keys() & set(names):
        if not any(model._column(flag) for flag in INERTIAS[name]):
            raise ModelError([f"{name} is a parameter, but all of it is 0 in the Model: add some first"])
    tendons = ["tendon_lengthspring"] if (model.tendon_plasticadr >= 0).any() else []
    if (model.nplastic and "qpos_spring" in names) or varying(model, names, tendons):
        raise ModelError(["the rest of springs varies with parameters, but springs of the Model yield"])


class BatchStepper(BatchComputing, BatchState):
    """``n`` simulations of one Model, each with its own state, forces and time.

        batch = BatchStepper(model, 4096, threads=2)
        batch.qvel = np.random.default_rng(0).normal(size=(4096, model.nv))
        batch.step(100)
        batch.qpos                       # (n, nq), a view onto the memory that steps work on

    A program compiled for the Model steps as many instances at once as fit into the processor's registers.
    The results of an instance do not depend on the number of instances, its index, or the number of threads.

    An instance that diverges in a step keeps the state before that step: ``failed`` marks it, its ``time``
    does not advance, and :meth:`failure` reports the cause. The other instances continue. :meth:`reset`, or
    ``failed[i] = False`` after a repair, reactivates it.

    A BatchStepper belongs to one thread at a time. It can be pickled, except for its executor.

    Args:
        model: what is simulated.
        n: how many instances.
        threads: number of threads, including the calling one.
        executor: a thread pool to use; by default the BatchStepper creates one, which :meth:`close` ends.
        precision: "float64", or "float32": about twice as fast, since registers hold twice as many, and
            accelerations are off by about 1e-6 relative.
        parameters: columns of the Model whose values differ between instances; see ``parameters``.
        results: columns of a Data that steps compute in addition to the state, such as "sensordata", "xpos"
            or "cvel", at the beginning of the last step; see ``results``.
        kernels: "specialized" kernels are compiled for the Model, which takes seconds the first time; "loop"
            kernels work for any Model; "auto" uses these only if the others are not available, with a
            warning. ``kernels`` and ``reason`` say what was chosen and why.
        on_failure: "mark" an instance that fails, or also "raise" when the step is done.
        limit: an instance fails if its qpos, qvel or qacc exceeds this magnitude, as in MuJoCo; inf: if they
            become NaN or infinite.

    Raises:
        ValueError: an invalid number or name.
        TypeError: an argument of the wrong type, or an executor of processes.
        CompileError: "specialized" kernels cannot be compiled.
    """

    __slots__ = (
        *("__weakref__", "_accelerations", "_apart", "_asked", "_begun", "_blocks", "_busy", "_computing"),
        *("_evaluation", "_inputs", "_late_rows", "_memory", "_mocap_then", "_model", "_models", "_names"),
        *("_parameters", "_pool", "_results", "kernels", "limit", "n", "on_failure", "precision", "reason"),
        "threads",
    )

    def __init__(
        self,
        model: Model,
        n: int,
        threads: int = 1,
        *,
        executor: Executor | None = None,
        precision: str = "float64",
        parameters: Sequence[str] = (),
        results: Sequence[str] = (),
        kernels: str = "auto",
        on_failure: str = "mark",
        limit: float = LIMIT,
    ) -> None:
        required(model, "BatchStepper")
        require_simulated(model)
        if not parameters:  # parameters may add mass or armature
            require_determined(model)
        self._model = model
        self.n = _whole("a batch's n", n, 1, MOST)
        self.threads = _whole("threads", threads, 1, 1024)
        self.precision = one_of("precision", precision, PRECISIONS)
        self.on_failure = one_of("on_failure", on_failure, FAILURES)
        self.limit = check_limit(limit)
        self._names = check_parameters(parameters)
        if not model.opt_constrained and FRICTION.intersection(self._names):
            raise ModelError(
                ["dry friction is a parameter, but the Model has no constraints: add some first"]
            )
        check_inertias(model, self._names)
        self._results = check_results(results)
        self._pool = Pool(self.threads, executor)
        self._busy = threading.Lock()
        self._inputs, self._asked = programs.steps_with(model, self._names, self._results)
        derived = self._inputs[len(self._names) :]
        request = programs.needed(None, precision, self._inputs, results=self._asked)
        program, self.kernels, self.reason = programs.mover(model, kernels, request)
        lanes, dtype = program.lanes if program else 1, np.dtype(precision)
        self._memory = Memory(
            model, self.n, lanes, dtype, self._names, self._results, derived if program else ()
        )
        for name in self._asked:  # also what history keeps
            self._memory.add(name)
        self._add_mocap()
        self._late_rows = self._at_start()
        self._begun = np.zeros(self.n)
        self._models = self._own_models(program)
        self._blocks = self._made(program, "step", self._memory.given)
        self._computing: dict[str, Blocks] = {}
        self._apart: dict[str, Reals] = {}  # results of compute() that are columns of the state, too
        self._evaluation: Evaluation | None = None
        self._accelerations: Accelerations | None = None
        self._parameters = Arrays({name: self._memory.view(name) for name in self._names}, no_parameter)
        self.reset()

    @property
    def parameters(self) -> Arrays:
        """Arrays (n, ...) by column, each row as in the Model; writable, initially with the Model's values.

        Quantities that depend on them are recomputed in every call of :meth:`step`. An instance with an
        invalid number, such as a negative mass, fails at its next step.
        """
        return self._parameters

    def _at_start(self) -> NDArray[np.bool_] | None:
        """Memory for what determines qacc where steps do not compute it; see :attr:`qacc`."""
        if "qacc" in self._asked or not treats_late(self.model, self._names):
            return None
        for name in AT_START:
            self._memory.add(name)
        moved = MOCAP if self.model.nmocap else ()
        self._mocap_then = {name: self._memory.columns[name].copy() for name in moved}
        return np.zeros(self.n, np.bool_)

    def _own_models(self, program: Program | None) -> OwnModels | None:
        """Data derived from the Models of instances; None if all instances share it."""
        kernels = program is None and bool(varying(self.model, self._names, NUMBERS))
        tables = asks_solver(self.model) and differ(self.model, self._names)
        derived = self._inputs[len(self._names) :] if program else ()
        if not kernels and not tables and not derived:
            return None
        own = self._memory, self._names
        return OwnModels(self.model, *own, kernels=kernels, tables=tables, derived=derived, pool=self._pool)

    def _made(
        self,
        program: Program | None,
        kernel: str,
        given: Mapping[str, float | None],
        memory: Memory | None = None,
        model: Model | None = None,
        addresses: Addresses | None = None,
    ) -> Blocks:
        """Blocks that run a kernel, by default on the memory and with the Models of this batch."""
        memory, model = memory or self._memory, model or self.model
        results = COMPUTED.get(kernel, ())
        added = [name for name in (*INPUTS, *self._asked, *AT_START) if name in memory.columns]
        read = dict.fromkeys((*STATE, *added, *results))
        seen = memory.columns if program else {name: memory.columns[name] for name in read}
        own = self._models
        if own is not None and addresses is None:
            addresses = own.addresses
        models, tables = addresses or (None, None)
        return Blocks(
            program or model.kernel,
            seen,
            given,
            time=memory.time,
            failed=memory.failed,
            count=memory.n,
            timestep=model.opt.timestep,
            limit=self.limit,
            workers=self.threads,
            kernel=kernel,
            observed=bool(set(self._asked) - {"sensordata"}),
            attach=partial(programs.attached, model) if asks_solver(model) else None,
            eq_active=memory.eq_active,
            models=models if program is None else None,
            tables=tables,
            at_once=bool(model.opt_constrained) and not why_one_by_one(model, self._names),
            effort=work(model, self.kernels),
            delays=model.kernel if model.nhistory and kernel != AGAIN else None,
            history=memory.history,
        )

    def _add_external(self) -> None:
        """Allocate forces on the bodies of every instance. The steps use another program from now on."""
        with self._alone():
            self._memory.add("xfrc_applied")
            self._remake()
            self._computing.clear()  # invalid with these forces

    def _ask_accelerations(self) -> None:
        """Let steps compute qacc, by another program from now on."""
        with self._alone():
            self._asked, self._late_rows = (*self._asked, "qacc"), None
            self._remake()

    def _remake(self) -> None:
        """Use the program for what is asked for now."""
        self._blocks = self._made(self._program("step", self._asked), "step", self._memory.given)

    def _program(
        self, kernel: str, results: tuple[str, ...] = (), model: Model | None = None
    ) -> Program | None:
        """A program with the inputs that this batch has now; None: the loop kernels."""
        if self.kernels == "loop":
            return None
        external = "xfrc_applied" in self._memory.columns
        request = programs.needed(None, self.precision, self._inputs, kernel, results, external)
        return programs.mover(model or self.model, "specialized", request)[0]

    # --- steps ------------------------------------------------------------------------------------

    def step(
        self,
        n: int = 1,
        ctrl: ArrayLike | None = None,
        *,
        every: int | None = None,
        out: Mapping[str, Reals] | None = None,
    ) -> Mapping[str, Reals] | None:
        """Take ``n`` steps with every instance; the kernels run without the GIL.

        Args:
            n: number of steps.
            ctrl: controls, of shape (instances, nu), or of each step, (n, instances, nu); those of the last
                step stay in ``ctrl``.
            every: record after every ``every`` steps; ``n // every`` frames in total.
            out: arrays to record into, by the names time, qpos, qvel, act, ctrl, qacc, qfrc_applied and those
                of results, of shape (n // every, instances, ...) and the precision's type (time: float64).
                They may be views of any strides. By default new ones of time, qpos, qvel and the results.

        Returns:
            ``out``, or the new arrays; None without ``every``.

        Raises:
            TypeError: a number that is not an integer, an array of another type.
            ValueError: a negative number, an array of another shape.
            SimulationError, ModelError: with ``on_failure="raise"``, the :meth:`failure` of the first
                instance that failed in these steps. All steps have been taken then.

        A signal, such as Ctrl-C, is handled between steps; where one step of all instances takes longer than
        tenths of a second, also between instances and within their constraint solvers. If its handler raises
        there, some instances have the state before that step, the others the state and results after it:
        their ``time`` says which. What was recorded in this call is undefined then.
        """
        n = _whole("steps", n, 0, 1 << 62)
        if every is None:
            if out is not None:
                raise ValueError("`out` is written after every n-th step: give `every`")
            record: list[tuple[str, Reals]] = []
        else:
            every = _whole("every", every, 1, 1 << 62)
            out, record = self._memory.recorded(n // every, out)
            if self._late_rows is not None and any(name == "qacc" for name, _ in record):
                self._ask_accelerations()
        control = self._controls(n, ctrl)
        with self._alone():
            before = self.failed.copy() if self.on_failure == "raise" else None
            self._begun[:] = self.time
            self._advance(n, every or 0, record, control)
            if control is not None and n:
                self.ctrl[...] = control[-1]
        if before is not None and (new := np.flatnonzero(self.failed & ~before)).size:
            raise self.failure(int(new[0]))
        return out

    def _controls(self, n: int, ctrl: ArrayLike | None) -> Reals | None:
        """Controls of every step as the kernels read them; None: the current controls."""
        if ctrl is None:
            return None
        given = np.asarray(ctrl)
        shape = (self.n, self.model.nu)
        if given.ndim < 3:
            fill(self.ctrl, "ctrl", given)
            return None
        if given.shape != (n, *shape) or given.dtype.kind not in "fiu":
            found = f"{given.dtype} of shape {given.shape}"
            raise ValueError(f"ctrl must be numbers of shape {shape} or {(n, *shape)}, got {found}")
        dtype = np.float64 if self.kernels == "loop" else self.precision
        return np.ascontiguousarray(given, dtype=dtype)

    def compute(self, kernel: str) -> Mapping[str, Reals]:
        """Run a kernel on the current state of every instance; states do not change.

        Args:
            kernel: "forward_kinematics" (xpos, xquat, xmat of every body), "energy" (potential and kinetic),
                "mass_matrix" (qM, its rows as in the Model), "bias" (qfrc_bias), "passive" (qfrc_passive),
                "inverse" (qfrc_inverse = M qacc + qfrc_bias), "acceleration" (qacc), or "jacobian"
                (dof_xaxis, dof_xanchor, xpos, xmat; see :meth:`jacobian`). Specialized ones are compiled on
                first use.

        Returns:
            Arrays of shape (n, ...) by name; views of memory that the next call overwrites.

        Raises:
            ValueError: there is no such kernel.
            CompileError: it cannot be compiled.
        """
        one_of("a kernel", kernel, COMPUTED)
        self.qacc  # noqa: B018  (an input, and computed where steps do not)
        with self._alone():
            if kernel not in self._computing:
                for name in COMPUTED[kernel]:
                    self._memory.add(name)
                program = self._program(kernel)
                given = dict.fromkeys(STATE) | self._memory.given
                given = {name: least for name, least in given.items() if name not in COMPUTED[kernel]}
                self._computing[kernel] = self._made(program, kernel, given)
            state = {name: self._memory.columns[name].copy() for name in COMPUTED[kernel] if name in STATE}
            self._run(self._computing[kernel], 0)
            invalid = self._invalid(np.arange(self.n))
            for name in COMPUTED[kernel] if invalid.any() else ():
                self._memory.view(name)[invalid] = np.nan
            found = {name: self._memory.view(name) for name in COMPUTED[kernel]}
            for name, kept in state.items():
                own = self._apart.setdefault(name, np.empty_like(found[name]))
                own[...], found[name] = found[name], own
                self._memory.columns[name][...] = kept
        return found

    def _run(self, blocks: Blocks, steps: int, *recording: Any) -> None:
        if self._models is not None:
            self._models.refresh()
        blocks.begin(steps, *recording)
        self._pool.run(blocks.work, -(-self.n // blocks.lanes), blocks.end)

    def forward(self, mask: Rows | None = None) -> None:
        """Compute all results of instances, and qacc, at their current state, like :func:`polybody.forward`.

        Constraints start from qacc_warmstart and leave it at their solution. Other rows of the results stay.
        The first call may compile a program.

        Args:
            mask: indices, a slice, or a mask of shape (n,); by default all.

        Raises:
            IndexError: no such instances.
            CompileError: the program cannot be compiled.
        """
        chosen = rows(mask, self.n)
        with self._alone():
            if len(chosen):
                self._evaluate(chosen)
                if self._late_rows is not None:
                    self._late_rows[chosen] = False

    def _evaluate(self, chosen: Indices) -> None:
        external = "xfrc_applied" in self._memory.columns
        if self._evaluation is None or self._evaluation.external != external:
            model = self.model if self.kernels == "loop" else single_stage(self.model)
            late = ("qacc",) if treats_late(model, self._names) else ()
            program = self._program("step", tuple(dict.fromkeys((*self._asked, *late))), model)
            self._evaluation = Evaluation(model, self._memory, program, self._made, external=external)
        if self._models is not None:
            self._models.refresh()
        self._evaluation.run(self._pool, chosen, self._models)
        for name in (*self._results, "qacc"):
            self._memory.view(name)[chosen[self._invalid(chosen)]] = np.nan

    def _invalid(self, chosen: Indices) -> NDArray[np.bool_]:
        """Which instances have invalid parameters."""
        found = np.zeros(len(chosen), np.bool_)
        if self._models is not None:
            found |= self._models.impossible[chosen]
        for name in self._names:
            least, values = self._memory.given[name], self._memory.view(name)[chosen].reshape(len(chosen), -1)
            with np.errstate(invalid="ignore"):
                found |= ~(np.isfinite(values) & (values >= least)).all(axis=1)
        return found

    def _accelerate(self, chosen: Indices) -> None:
        with self._alone():
            if self._accelerations is None:
                self._accelerations = Accelerations(self.model, self._memory, self._mocap_then, self.threads)
            self._accelerations.run(self._pool, chosen)

    @contextmanager
    def _alone(self) -> Iterator[None]:
        if not self._busy.acquire(blocking=False):
            raise RuntimeError("a BatchStepper belongs to one thread at a time; another one is using it")
        try:
            yield
        finally:
            self._busy.release()

    def _advance(self, n: int, every: int, record: list[tuple[str, Reals]], control: Reals | None) -> None:
        piece = pieces(self.model, self.kernels, self.n, self.threads)
        done, before = 0, self.failed.copy()
        try:
            while done < n:
                count = min(piece.steps, n - done)
                self._run(self._blocks, count, every, done, record, control, piece.heeds)
                done += count
        finally:
            if self._late_rows is not None and n:
                self._leave_late(self._late_rows, before, done == n)
            self._blocks.begin(0)  # release the arrays of the caller

    def _leave_late(self, rows: NDArray[np.bool_], before: NDArray[np.bool_], complete: bool) -> None:
        """Mark the instances that have taken a step: their qacc includes forces at its end, see qacc.

        Args:
            rows: the marks.
            before: which instances had failed before.
            complete: whether no signal ended the steps; after one, some may have taken none.
        """
        late: Any = slice(None)
        if not complete or before.any():
            late = ((self.time != self._begun) | self.failed | complete) & ~before
        rows[late] = True
        self._memory.view("qacc")[late] = np.nan
        for name, kept in self._mocap_then.items():
            kept.T[: self.n][late] = self._memory.columns[name].T[: self.n][late]

    def close(self) -> None:
        """End the threads that the BatchStepper created, but not those of an executor. A later step creates
        new ones."""
        self._pool.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    # --- one instance -----------------------------------------------------------------------------

    def instance_model(self, instance: int) -> Model:
        """The Model that an instance simulates: with its own parameters.

        Raises:
            IndexError: no such instance.
            ModelError: its parameters are invalid.
        """
        row = self._row(instance)
        return own_model(self.model, self._memory, self._names, row)

    def instance(self, instance: int) -> Data:
        """A separate simulation that continues from the state of an instance; raises like
        :meth:`instance_model`."""
        row = self._row(instance)
        data = Data(self.instance_model(row))
        data.time = float(self.time[row])
        added = [name for name in INPUTS if name in self._memory.columns]
        self.qacc  # noqa: B018  (computes it where steps do not)
        known = [name for name in self._results if not np.isnan(self._memory.view(name)[row]).all()]
        past = ("history",) if self.model.nhistory else ()
        for name in (*STATE, *added, *past, "eq_active", *known):
            setattr(data, name, self._memory.view(name)[row])
        return data

    def failure(self, instance: int) -> SimulationError | ModelError:
        """The cause of the failure of an instance; ``steps`` is the number of completed steps in the last
        call.

        A ModelError names invalid parameters, or constraints that are too large.

        Raises:
            IndexError: no such instance.
            ValueError: it has not failed.
            MemoryError: there is not enough memory for its constraints.
        """
        row = self._row(instance)
        if not self.failed[row]:
            raise ValueError(f"instance {row} has not failed")
        try:
            data = self.instance(row)
            done = round((data.time - float(self._begun[row])) / data.model.opt.timestep)
            return explain(data, done, self.limit, instance=row)
        except ModelError as error:
            return ModelError([Problem(str(problem), "instance", row) for problem in error.problems])

    def _row(self, instance: int) -> int:
        (row,) = rows(index(instance), self.n).tolist()
        return int(row)

    # --- copies -----------------------------------------------------------------------------------

    def __reduce__(self) -> tuple[Any, ...]:
        options = {
            "threads": self.threads,
            "precision": self.precision,
            "parameters": self._names,
            "results": self._results,
            "kernels": "loop" if self.kernels == "loop" and self.reason == "asked for" else "auto",
            "on_failure": self.on_failure,
            "limit": self.limit,
        }
        self.qacc  # noqa: B018  (computes it where steps do not)
        added = [name for name in INPUTS if name in self._memory.columns]
        past = ("history",) if self.model.nhistory else ()
        names = dict.fromkeys((*STATE, *added, *past, "eq_active", *self._names, *self._results))
        arrays = {name: np.array(self._memory.view(name)) for name in names}
        return _restored, (self.model, self.n, options, arrays, self.time.copy(), self.failed.copy())

    def __repr__(self) -> str:
        failed = f", {self.failed.sum()} failed" if self.failed.any() else ""
        return f"<BatchStepper of {self.n} {self.model.name!r}, kernels {self.kernels!r}{failed}>"


def _whole(what: str, value: int, least: int, most: int) -> int:
    try:
        number = index(value)
    except TypeError:
        raise TypeError(f"{what} must be a whole number, not {value!r}") from None
    if not least <= number <= most:
        raise ValueError(f"{what} must be at least {least} and at most {most}, not {number}")
    return number


def _restored(
    model: Model,
    n: int,
    options: dict[str, Any],
    arrays: dict[str, Reals],
    time: Reals,
    failed: Reals,
) -> BatchStepper:
    batch = BatchStepper(model, n, **options)
    if "xfrc_applied" in arrays:
        batch._add_external()
    for name, array in arrays.items():
        batch._memory.view(name)[...] = array
    batch.time, batch.failed = time, failed
    return batch
