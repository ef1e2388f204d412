"""The process that builds one program: codegen traces the Model, the compiler compiles it, the cache stores
it.

It is a separate process because tracing would hold the GIL and thereby stop the simulation, and because a
crash of the compiled program must not affect the simulation. It writes a line of JSON for every stage to
standard output. When the requesting process ends, which it notices on standard input, it goes on for a
limited time, so that the program is in the cache the next time; or it ends, if the job says so.
"""

from __future__ import annotations

import gc
import json
import os
import pickle
import shutil
import signal
import sys
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from polybody.errors import CompileError
from polybody.generated.kernels.interface import CONSTRAINTS, PREPARE, RESULTS
from polybody.programs.cache import ABOUT, BESIDE, LIBRARY, MIN_FREE, Cache, CacheError
from polybody.programs.compiler import build
from polybody.programs.key import header_folders
from polybody.programs.worker_protocol import PATIENCE, Columns, Job

if TYPE_CHECKING:
    from polybody.programs.load import Program

Say = Callable[..., None]
WAITING = "waiting for another process that builds it"
DETACHED = 900.0
"""Maximum time, in seconds, of a build whose requesting process has ended."""
GIVEN = (
    *("time", "qpos", "qvel", "act", "ctrl", "qfrc_applied", "mocap_pos", "mocap_quat", "qacc_warmstart"),
    "plastic",
)
"""Columns of a state, which are random when a program is tried."""
FOLLOWING = frozenset(
    (
        *("qpos", "qvel", "act", "qacc", "cacc", "cfrc_int", "sensordata", "qfrc_constraint"),
        *("qacc_warmstart", "plastic"),
    )
)
"""Columns that follow from accelerations, whose rounding the mass matrix amplifies."""
ALIKE = {"float64": (1e-6, 1e-3), "float32": (1e-2, 1e-1)}
"""Tolerance of a program relative to the loop kernel, for other columns and for these. It only detects errors
that are not rounding, in any model; tests use smaller ones.
"""


def make(job: Job, say: Say) -> None:
    """Build a program and store it in the cache, unless another process has done so meanwhile.

    Raises:
        CompileError, CacheError, OSError, ValueError: it cannot be built.
    """
    cache = Cache(job.cache)
    with cache.lock(job.key, lambda: say(WAITING)):
        if not job.anew and cache.find(job.program, job.build) is not None:
            return
        begun = time.perf_counter()
        say("tracing the model")
        texts, kernels = trace(job)
        if job.constraints:
            texts = (*texts, job.constraints)
        traced = time.perf_counter()
        say("compiling", 0, len(texts))
        library = job.folder / LIBRARY
        compiler, flags = job.target.compiler, job.target.flags
        if job.constraints:
            flags = (*flags, "-DPB_CONSTRAINTS", *(f"-I{folder}" for folder in header_folders()))
        assert compiler is not None
        build(
            compiler,
            texts,
            library,
            flags=flags,
            linking=job.target.linking,
            key=job.program,
            jobs=job.jobs,
            seconds=job.seconds,
            progress=lambda done: say("compiling", done, len(texts)),
        )
        built = time.perf_counter()
        say("trying it")
        compare(job, library)
        facts = {
            **job.facts,
            "request": asdict(job.request),
            "kernels": kernels,
            "texts": len(texts),
            "compiler": compiler.version(),
            "command": [*compiler.command, *flags],
            "seconds": {"tracing": round(traced - begun, 3), "compiling": round(built - traced, 3)},
            "made": time.strftime("%Y-%m-%d %H:%M:%S"),
        }
        _keep_beside(job, library, facts)
        cache.store(job.key, library, facts)


def _keep_beside(job: Job, library: Path, facts: dict[str, Any]) -> None:
    """Also leave the program in the build folder: other processes may remove it from the cache any time."""
    beside = job.folder / BESIDE
    beside.mkdir()
    try:
        os.link(library, beside / LIBRARY)
    except OSError:  # a file system without links
        shutil.copyfile(library, beside / LIBRARY)
    (beside / ABOUT).write_text(json.dumps(facts), encoding="ascii")


def trace(job: Job) -> tuple[tuple[str, ...], list[dict[str, Any]]]:
    """The C texts for a model, and facts about their kernels.

    Raises:
        ValueError: the model is too large to specialize, or a number in it is not finite.
        CompileError: a joint moves without inertia, so its acceleration is undefined.
    """
    from polybody.codegen import specialised
    from polybody.generated.kernels import layout

    processor = specialised.Processor(**asdict(job.target.processor))
    request = specialised.Request(**asdict(job.request))
    try:
        program = specialised.specialise(
            job.columns,
            layout.KernelModel(job.columns).sizes,
            layout.VALUES,
            request,
            processor,
            job.unread,
        )
    except ValueError as error:
        if isinstance(error.__cause__, ZeroDivisionError):
            raise CompileError("it divides by zero: a joint moves no inertia") from None
        raise
    return program.texts, [{"name": k.name, "operations": k.operations} for k in program.kernels]


def compare(job: Job, library: Path) -> None:
    """Load a program and compare a step and all its results with those of the loop kernels.

    Each lane starts from another random state.

    Raises:
        CompileError: it is not a program, or its results differ.
    """
    from polybody.codegen import specialised
    from polybody.generated.kernels import dynamics
    from polybody.programs.load import LOAD, Program, ProgramError, Unconstrained

    try:
        program = Program(library, job.program)
    except (OSError, ProgramError) as error:
        raise CompileError(f"the compiled program cannot be loaded: {error}") from None
    if "step" not in program.kernels:
        return
    request = specialised.Request(**asdict(job.request))
    model = dynamics.KernelModel({**job.columns, **specialised.acting(job.columns, request)})
    random = np.random.default_rng(0)
    states = [_random_state(model, random, job.request.external) for _ in range(program.lanes)]
    columns = _advanced(program, job.columns, [data.arrays for data in states])
    for data in states:
        # Without a Model, neither side has rows. Loops ask for sensors of contacts, too.
        data.attach(Unconstrained(data.arrays))
        dynamics.step(model, data, 1, observed=bool(job.request.results))
    asked = [*RESULTS["step"], *job.request.results]
    if specialised.stores_late({**job.columns, **specialised.acting(job.columns, request)}, request):
        asked = [name for name in asked if name != "qacc"] + [LOAD] * (LOAD in columns)
    for name in dict.fromkeys(asked):
        loop = np.stack([data.array(name).reshape(-1) for data in states], axis=1)
        found = columns[name] if name in columns else np.zeros_like(loop)
        limit = ALIKE[program.dtype.name][name in FOLLOWING] * (1.0 + np.abs(loop).max(initial=0.0))
        known = np.isfinite(loop.astype(program.dtype)).all()
        if known and not np.isfinite(found).all():
            raise CompileError(
                f"{name} of the compiled program is not finite, that of the loop kernel is: the Model has "
                "numbers that are too large for the program's order of operations"
            )
        if known and not np.abs(found - loop).max(initial=0.0) <= limit:
            raise CompileError(f"the compiled program and the loop kernel give different results: {name}")


def _random_state(model: Any, random: np.random.Generator, external: bool) -> Any:
    """The memory of a simulation in a random state, with random numbers in place of a solver's."""
    from polybody.codegen.staging.calls import STAGES
    from polybody.generated.kernels import dynamics

    data = dynamics.KernelData(model)
    solved = [name for stage in STAGES.values() for name in stage.writes]
    for name in (*GIVEN, *solved, *(["xfrc_applied"] if external else ())):
        data.array(name)[...] = random.normal(size=data.array(name).shape)
    return data


def _advanced(program: Program, model: Columns, states: Sequence[Columns]) -> dict[str, Any]:
    """The columns of a program after one step from states, one in each lane."""
    from polybody.programs.load import Unconstrained

    kernels = [name for name in (f"{PREPARE}step", "step") if name in program.kernels]
    known = [{**model, **state} for state in states]
    columns: dict[str, Any] = {}
    for kernel in kernels:
        for name, size in program.kernels[kernel].items():
            columns[name] = _side_by_side([each.get(name, np.zeros(size)) for each in known], program)
    if CONSTRAINTS in columns:
        columns[CONSTRAINTS] = Unconstrained(columns)
    for kernel in kernels:
        program.bind(kernel, columns).call()
    return columns


def _side_by_side(numbers: Sequence[NDArray[Any]], program: Program) -> NDArray[Any]:
    """A column of several states in the lanes of a program: (scalars, lanes), aligned to a block."""
    block = program.lanes * program.dtype.itemsize
    size = numbers[0].size
    memory = np.zeros((size + 1) * block, dtype=np.uint8)
    first = -memory.ctypes.data % block
    lanes = memory[first : first + size * block].view(program.dtype).reshape(-1, program.lanes)
    for lane, x in enumerate(numbers):
        lanes[:, lane] = x.reshape(-1)
    return lanes


# --- the process -------------------------------------------------------------------------------------


def main() -> None:
    """Execute the Job in the file that the argument names."""
    gc.disable()  # a trace is one large graph in use: collection takes half of the time
    path = Path(sys.argv[1])
    try:
        job: Job = pickle.loads(path.read_bytes())
        path.unlink()
    except FileNotFoundError:  # the requesting process gave up meanwhile
        _end()
    work = Work(job)
    threading.Thread(target=work.watch, daemon=True).start()
    if job.patience and hasattr(os, "nice"):
        os.nice(job.patience)
    done = work.execute()
    if work.alone:
        shutil.rmtree(job.folder, ignore_errors=True)
    if not done:
        _end()


class Work:
    """A job that is executed, and its reports."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.alone = self.waits = False

    def execute(self) -> bool:
        """Execute the job; returns whether it succeeded."""
        try:
            make(self.job, self.say)
        except CacheError as error:
            return self._fail(str(error), place=True)
        except CompileError as error:
            return self._fail(str(error), place=shutil.disk_usage(self.job.folder).free < MIN_FREE)
        except ValueError as error:
            return self._fail(str(error))
        except OSError as error:
            return self._fail(f"it cannot be written: {error}", place=True)
        except MemoryError:
            return self._fail("there is not enough memory for it")
        except Exception as error:
            return self._fail(f"an internal error, {type(error).__name__}: {error}")
        self.say("done")
        return True

    def say(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Report a stage."""
        self.waits = stage == WAITING
        if self.waits and self.alone:
            self._give_up()
        self._report({"stage": stage, "done": done, "total": total})

    def _fail(self, message: str, place: bool = False) -> bool:
        """Report the failure, and whether another folder might help."""
        self._report({"stage": "failed", "message": message, "place": place})
        return False

    def _report(self, progress: dict[str, Any]) -> None:
        with suppress(OSError):  # nobody listens any longer
            print(json.dumps(progress), flush=True)

    def watch(self) -> None:
        """Go on alone, or end, when the requesting process has ended or does not wait any longer."""
        while os.read(0, 1):
            pass
        self.alone = True
        if self.waits or not self.job.lasting:  # if it waits, another process builds the program
            self._give_up()
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        os.dup2(nowhere, 2)
        if not self.job.patience and hasattr(os, "nice"):
            os.nice(PATIENCE)
        time.sleep(DETACHED)
        self._give_up()

    def _give_up(self) -> NoReturn:
        shutil.rmtree(self.job.folder, ignore_errors=True)
        _end()


def _end() -> NoReturn:
    """End immediately, with all running compilers."""
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    main()
