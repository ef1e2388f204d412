"""Builds of programs: faults of compilers, disks and processes."""

from __future__ import annotations

import errno
import os
import pickle
import re
import resource
import shutil
import signal
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from polybody.assembly.builder import ModelBuilder
from polybody.codegen.staging import packing
from polybody.errors import CompileError, CompileNotice
from polybody.generated.kernels.interface import Request
from polybody.programs import cache as caches
from polybody.programs import choosing, compiler, key, target, worker
from polybody.programs import worker_protocol as jobs
from polybody.programs.build import ask, builds
from polybody.programs.cache import Cache
from polybody.programs.choosing import STEP
from polybody.programs.load import Program
from polybody.programs.worker_protocol import Job, Progress, Worker
from polybody.simulation.batch.stepper import BatchStepper
from polybody.simulation.stepper import Stepper

from tests.machines.quick import quickly
from tests.programs.caches import built, empty, forget, job, silent
from tests.runtime.models import chain, everything, pendulum
from tests.waiting import PATIENCE, Process, at_once, environment, process, python, said, until

pytestmark = pytest.mark.concurrent

REAL = shutil.which("cc") or "cc"


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, and no information about earlier builds."""
    folder = tmp_path / "cache"
    empty(folder, monkeypatch)
    yield folder
    forget()


def script(folder: Path, text: str) -> str:
    """A fake compiler; what it starts and prints is recorded in the folder."""
    path = folder / "compiler"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return str(path)


def nothing_left(home: Path) -> bool:
    return list((home / "building").iterdir()) == [] and list((home / "programs").iterdir()) == []


def gone(process: int) -> bool:
    """Whether a process has ended."""
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except OSError:
        return True
    return state == "Z"


def written(path: Path) -> str:
    """The first line of a file, once it exists."""
    return until(lambda: path.read_text() if path.exists() and path.read_text().endswith("\n") else "")


# --- compilers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name", [n for n in ("gcc", "clang", "gcc -O1 -g", "env gcc") if shutil.which(n.split()[0])]
)
def test_compilers_and_their_arguments(home: Path, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", name)
    sim, loop = Stepper(pendulum(), "specialized"), Stepper(pendulum(), "loop")
    for each in (sim, loop):
        each.step(100)
    assert sim.data.qpos == pytest.approx(loop.data.qpos, abs=1e-12)
    (entry,) = Cache().entries()
    assert entry.facts["command"][1 : len(name.split())] == name.split()[1:]
    assert entry.facts["compiler"]


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("no-such-compiler -O2", "there is no C compiler 'no-such-compiler', which CC names"),
        ("'gcc", "cannot be parsed: No closing quotation"),
        ("/dev/null", "there is no C compiler '/dev/null'"),
    ],
)
def test_a_compiler_that_is_none(asked: str, said: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", asked)
    with pytest.raises(CompileError, match=said):
        compiler.find()
    assert target.native().compiler is None
    assert re.search(said, target.native().missing)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("exit 1", r"the C compiler compiler failed with code 1$"),
        ("echo 'a: error: b\x1b[31m' >&2; exit 2", r"failed with code 2: a: error: b\?\[31m$"),
        ("kill -11 $$", r"was killed by signal 11"),
        ("exit 0", r"failed|cannot be loaded|cannot be written"),
        ('for o; do :; done; echo hello > "$4"; exit 0', r"the compiled program cannot be loaded"),
    ],
)
def test_compilers_that_fail(
    home: Path, tmp_path: Path, text: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if "hello" in text:  # an output that is not a library
        text = 'while [ "$1" ]; do if [ "$1" = -o ]; then echo hello > "$2"; fi; shift; done'
    monkeypatch.setenv("CC", script(tmp_path, text))
    with pytest.raises(CompileError, match=said):
        Stepper(pendulum(), "specialized")
    assert nothing_left(home)
    Stepper(pendulum(), "loop").step()


def test_a_compiler_that_hangs_is_ended_with_all_it_started(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CC", script(tmp_path, f'sleep 600 & echo $! > "{tmp_path}/started"; wait'))
    started, seconds = tmp_path / "started", 0.25
    while not started.exists():  # the shell may take longer than that to start anything
        seconds *= 2
        assert seconds < PATIENCE
        process = Worker(job(pendulum(), tmp_path, seconds=seconds))
        assert (
            process.work(lambda progress: None) == f"the C compiler compiler took longer than {seconds:g} s"
        )
    until(lambda: gone(int(written(started))))


def test_what_a_compiler_makes_is_tried(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    there = job(pendulum(), tmp_path)
    other = worker.trace(replace(there, columns=key.columns(pendulum(damping=3.0), STEP)))
    monkeypatch.setattr(worker, "trace", lambda *_: other)
    with pytest.raises(CompileError, match="and the loop kernel give different results"):
        worker.make(job(pendulum(), tmp_path), silent)


@pytest.mark.parametrize(("precision", "single"), [("float64", True), ("float64", False), ("float32", False)])
@pytest.mark.parametrize("constrained", [False, True])
def test_all_results_are_tried(
    precision: str, single: bool, constrained: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A program that moves the right way and says something wrong about one body, in lanes as well."""
    model = everything().replace(dof_frictionloss=np.ones(everything().nv)) if constrained else everything()
    assert model.opt_constrained == constrained
    request = Request(("step",), precision, 1 if single else target.native().processor.lanes(precision))
    request = replace(request, results=("xpos", "subtree_com"))
    there = replace(job(model, tmp_path), request=request, columns=key.columns(model, request))
    wrong = dict(there.columns) | {
        "body_ipos": 2.0 * there.columns["body_ipos"]  # dynamics read body_spatial
    }
    original = worker.trace
    monkeypatch.setattr(worker, "trace", lambda given: original(replace(given, columns=wrong)))
    with pytest.raises(CompileError, match="and the loop kernel give different results"):
        worker.make(there, silent)
    monkeypatch.setattr(worker, "trace", original)
    worker.make(there, silent)


def test_limbs_visited_before_their_parents(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A program in which sums over subtrees lose limbs is not used."""
    monkeypatch.setattr(packing, "ordered", lambda groups, above=(): sorted(map(tuple, groups)))
    b = ModelBuilder("mounts")
    trunk = b.body(mass=1.0, inertia=(1, 1, 1))
    b.joint(trunk, "free")
    for side in (1, -1):
        mount = b.body(trunk, pos=(side, 0, 0), mass=0.1, inertia=(1, 1, 1))
        limb = b.body(mount, pos=(side, 0, 0), mass=2.0 + side, inertia=(1, 1, 1))
        b.joint(limb, "hinge", axis=(0, 1, 0))
    with quickly(), pytest.raises(CompileError, match="different results: subtree_com"):
        Stepper(b.build(), "specialized", results=("subtree_com",))
    until(lambda: nothing_left(home))


@pytest.mark.parametrize("number", [np.nan, np.inf])
def test_numbers_that_no_text_can_hold(tmp_path: Path, number: float) -> None:
    wrong = job(pendulum(), tmp_path)
    columns = dict(wrong.columns)
    columns["body_mass"] = columns["body_mass"] + number
    assert "not finite" in Worker(replace(wrong, columns=columns)).work(lambda progress: None)


@pytest.mark.parametrize(
    ("column", "reason"),
    [
        ("body_gravcomp", "a number that follows from the Model's is (nan|inf), not finite, as double"),
        ("dof_stiffness", "of the compiled program is not finite, that of the loop kernel is: the Model has"),
    ],
)
def test_numbers_that_are_too_large_for_a_program(home: Path, column: str, reason: str) -> None:
    """The loop kernels serve instead, with the reason."""
    model = everything()
    model = model.replace(**{column: np.full_like(getattr(model, column), 1e308)})
    with quickly(), pytest.raises(CompileError, match=reason):
        Stepper(model, "specialized")
    with quickly(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        sim = Stepper(model, "auto")
        until(lambda: "failed" in sim.reason)
    assert sim.kernels == "loop"
    assert re.search(reason, sim.reason)
    until(lambda: nothing_left(home))


def test_a_model_that_would_be_too_much_text(home: Path) -> None:
    model = chain(400).replace(opt_integrator="RK4")  # four accelerations a step
    with pytest.raises(CompileError, match=r"unrolled it would be some \d+ statements, which is more than"):
        Stepper(model, "specialized")
    assert nothing_left(home)


# --- progress ----------------------------------------------------------------------------------------


def test_progress_is_reported(home: Path) -> None:
    heard: list[Progress] = []
    build = ask(pendulum(), STEP, start=False)
    assert str(build.progress) == "waiting"
    build.wait(heard.append)
    stages = [progress.stage for progress in heard]
    assert stages == sorted(stages, key=["tracing the model", "compiling", "trying it", "done"].index)
    assert len(set(stages)) == 4
    assert "compiling, 1 of 1" in map(str, heard)
    assert str(build.progress) == "ready"


# --- disks -------------------------------------------------------------------------------------------


def test_a_disk_that_is_full(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Neither the compiler nor polybody can write files above some size."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    monkeypatch.setattr(caches, "TRIAL", 500)
    monkeypatch.setattr("polybody.programs.build.temporary", Cache)  # no other folder
    for size in (600, 3000, 12_000):  # the C text; the object; the library
        forget()
        resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
        try:
            with pytest.raises(CompileError, match=r"cannot be written|C compiler|ended by signal|too large"):
                Stepper(pendulum(), "specialized")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert nothing_left(home), size
    forget()
    assert Stepper(pendulum(), "specialized").kernels == "specialized"


@pytest.mark.parametrize("function", ["fsync", "rename"])
def test_a_disk_that_is_full_at_the_end(
    tmp_path: Path, function: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*args: object, **kwargs: object) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    todo = job(pendulum(), tmp_path)
    monkeypatch.setattr(os, function, refuse)
    with pytest.raises(OSError, match="No space left"):
        worker.make(todo, silent)
    monkeypatch.undo()
    assert Cache(todo.cache).entries() == []


# --- processes ---------------------------------------------------------------------------------------


def counting(folder: Path) -> str:
    return script(folder, f'echo "$@" >> "{folder}/calls"; sleep 0.3; exec "{REAL}" "$@"')


HEAD = "from tests.runtime.models import *\nfrom polybody.simulation.stepper import Stepper\n"


def interpreter(code: str) -> AbstractContextManager[Process]:
    """Another process that uses polybody."""
    return process(python(HEAD + code), env=environment())


def test_two_processes_at_once_compile_once(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "s = Stepper(pendulum(), 'specialized'); s.step(10); print(s.kernels, round(s.data.time / 1e-3))"
    monkeypatch.setenv("CC", counting(tmp_path))
    assert at_once(said, [HEAD + code] * 2) == ["specialized 10\n"] * 2
    calls = (tmp_path / "calls").read_text().splitlines()
    assert sum("-c" in call.split() for call in calls) == 1
    assert len(list((home / "programs").iterdir())) == 1
    assert list((home / "building").iterdir()) == []


def test_two_processes_that_cannot_lock_both_build(home: Path, tmp_path: Path) -> None:
    """As on a file system without locks: the later one finds an entry at the same path and uses it."""
    todo = job(pendulum(), tmp_path)
    (tmp_path / "other").mkdir()
    done: list[str] = []
    original = worker.compare

    def meanwhile(mine: Job, library: Path) -> None:
        original(mine, library)
        if not done:
            done.append("once")
            content = library.read_bytes()
            copy = tmp_path / "other" / library.name
            copy.write_bytes(content)
            Cache(mine.cache).store(mine.key, copy, {"who": "the other"})

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(worker, "compare", meanwhile)
        worker.make(todo, silent)
    entry = Cache(todo.cache).find(todo.program, todo.build)
    assert entry is not None
    Program(entry.library, todo.program)


@pytest.fixture
def slow(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], int]:
    """CC names a compiler that never ends; returns the function that gives its process id once it runs."""
    monkeypatch.setenv("CC", script(tmp_path, f'echo $$ > "{tmp_path}/compiling"; exec sleep 600'))
    return lambda: int(written(tmp_path / "compiling"))


def test_a_build_that_is_killed(slow: Callable[[], int], home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    sim = Stepper(chain(3), "switch")
    compiling = slow()
    until(lambda: sim.progress.startswith("compiling"))
    (building,) = builds.workers
    os.kill(building.process.pid, signal.SIGKILL)
    with pytest.raises(CompileError, match="the process that compiles ended by signal 9"):
        built(chain(3))
    until(lambda: gone(compiling))  # the compilers end with it
    with pytest.warns(UserWarning, match="ended by signal 9"):
        sim.step()
    assert sim.kernels == "loop"
    assert nothing_left(home)
    monkeypatch.delenv("CC")
    assert Stepper(chain(3), "specialized").kernels == "specialized", "its lock went with it"


@pytest.fixture
def lasting(home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[], list[str]]:
    """Builds outlive the processes that ask for them; returns the function that gives the compiled texts."""
    monkeypatch.setenv(jobs.DETACH, "1")
    monkeypatch.setenv("CC", counting(tmp_path))

    def compiled() -> list[str]:
        calls = (tmp_path / "calls").read_text().splitlines() if (tmp_path / "calls").exists() else []
        return [call for call in calls if "-c" in call.split()]

    return compiled


def finished(home: Path) -> bool:
    """Whether a program is in the cache and nothing else is left."""
    return len(list((home / "programs").iterdir())) == 1 and list((home / "building").iterdir()) == []


NEXT = HEAD + "s = Stepper(pendulum()); s.step(); print(s.kernels)"


def test_a_build_outlives_the_process_that_asked_for_it(lasting: Callable[[], list[str]], home: Path) -> None:
    """However short that was."""
    with interpreter("s = Stepper(pendulum()); print(s.kernels)") as other:
        assert other.communicate(timeout=PATIENCE) == (b"loop\n", b"")
    until(lambda: (home / "programs").exists() and finished(home))
    assert said(NEXT) == "specialized\n"
    assert len(lasting()) == 1


@pytest.mark.parametrize("end", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
@pytest.mark.parametrize("kernels", ["auto", "specialized"])
def test_signals_to_the_process_that_asked_do_not_end_a_build(
    lasting: Callable[[], list[str]], home: Path, end: signal.Signals, kernels: str
) -> None:
    """As Ctrl-C in a terminal, they are sent to all processes of its group."""
    code = f"s = Stepper(pendulum(), {kernels!r})\nimport sys; sys.stdin.readline()"
    with interpreter(code) as other:
        until(lasting)
        os.killpg(other.pid, end)
        other.wait(PATIENCE)
    until(lambda: finished(home))
    assert said(NEXT) == "specialized\n"
    assert len(lasting()) == 1


def test_processes_that_end_while_another_one_builds(
    lasting: Callable[[], list[str]], home: Path, tmp_path: Path
) -> None:
    """They neither build nor remain."""
    code = "s = Stepper(pendulum(), 'switch')\nimport sys; sys.stdin.readline()\nprint(s.progress)"
    with interpreter(code) as first:
        until(lasting)
        with interpreter(code) as second:
            second.stdin.write(b"\n")  # type: ignore[union-attr]
            second.stdin.close()  # type: ignore[union-attr]
            second.wait(PATIENCE)
        first.communicate(b"\n", timeout=PATIENCE)
    until(lambda: finished(home))
    assert len(lasting()) == 1


LIMITED = """
import sys
from polybody.programs import worker
worker.DETACHED = 0.2
worker.main()
"""


def test_a_build_alone_ends_after_a_time(slow: Callable[[], int], tmp_path: Path) -> None:
    todo = job(pendulum(), tmp_path, lasting=True)
    (todo.folder / jobs.JOB).write_bytes(pickle.dumps(todo))
    with process([*python(LIMITED), str(todo.folder / jobs.JOB)], env=environment()) as alone:
        compiling = slow()
        assert alone.stdin is not None
        alone.stdin.close()
        alone.wait(PATIENCE)
        until(lambda: gone(compiling))
    assert not todo.folder.exists()


def test_a_build_alone_that_is_killed(
    lasting: Callable[[], list[str]], home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It leaves at most its folder, and the next process builds."""
    monkeypatch.setenv("CC", script(tmp_path, f'echo $PPID > "{tmp_path}/alone"; exec sleep 600'))
    with interpreter("s = Stepper(pendulum())") as other:
        other.communicate(timeout=PATIENCE)
    alone = int(written(tmp_path / "alone"))
    os.killpg(alone, signal.SIGKILL)
    until(lambda: gone(alone))
    assert not list((home / "programs").iterdir())
    monkeypatch.setenv("CC", counting(tmp_path))
    assert Stepper(pendulum(), "specialized").kernels == "specialized"


def test_waiting_for_a_compiler_is_announced(home: Path) -> None:
    """Once for a program, and not for one in the cache."""
    with pytest.warns(
        CompileNotice, match=r"compiling kernels for 'pendulum' \(some seconds, once\)"
    ) as told:
        Stepper(pendulum(), "specialized")
    assert [Path(warning.filename).name for warning in told] == [Path(__file__).name]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Stepper(pendulum(), "specialized")
        choosing._noticed.clear()
        forget()
        Stepper(pendulum(), "specialized")
        Stepper(chain(3), "switch")
    with pytest.warns(CompileNotice, match="compiling kernels for") as told:
        BatchStepper(chain(2), 3).compute("energy")
    assert len(told) == 2


def test_an_interpreter_that_ends_takes_its_builds_along(slow: Callable[[], int], home: Path) -> None:
    code = "s = Stepper(chain(3)); s.step()\nimport sys; print(s.kernels, flush=True); sys.stdin.readline()"
    with interpreter(code) as other:
        compiling = slow()
        out, errors = other.communicate(b"\n", timeout=PATIENCE)
        assert (other.returncode, out, errors) == (0, b"loop\n", b"")
        until(lambda: gone(compiling))
    assert nothing_left(home)


def test_an_interpreter_that_is_killed_takes_its_builds_along(slow: Callable[[], int], home: Path) -> None:
    with interpreter("s = Stepper(chain(3)); s.step()\nimport sys; sys.stdin.readline()") as other:
        compiling = slow()
        other.kill()
        other.wait(PATIENCE)
        until(lambda: gone(compiling))
    until(lambda: nothing_left(home))


def test_ctrl_c_while_waiting_ends_the_build(slow: Callable[[], int], home: Path) -> None:
    with interpreter("Stepper(chain(3), 'specialized')") as other:
        compiling = slow()
        other.send_signal(signal.SIGINT)
        _, errors = other.communicate(timeout=PATIENCE)
        assert errors.endswith(b"KeyboardInterrupt\n")
        until(lambda: gone(compiling))
    assert nothing_left(home)


@pytest.mark.parametrize("executable", ["", "/no/such/python", None])
def test_an_interpreter_that_cannot_be_started_again(
    home: Path, executable: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    if executable is None:
        monkeypatch.setattr(sys, "frozen", True, raising=False)  # a program with a Python of its own
    else:
        monkeypatch.setattr(sys, "executable", executable)
    with pytest.raises(CompileError, match=r"cannot be started: No such file|requires a Python interpreter"):
        Stepper(pendulum(), "specialized")
    assert nothing_left(home)


def test_what_was_interrupted_can_be_asked_for_again(home: Path) -> None:
    def interrupt(progress: Progress) -> None:
        if progress.stage == "compiling":
            raise KeyboardInterrupt

    build = ask(pendulum(), STEP, start=False)
    with pytest.raises(KeyboardInterrupt):
        build.wait(interrupt)
    assert build.failure == "it was interrupted"
    assert nothing_left(home)
    assert Stepper(pendulum(), "specialized").kernels == "specialized"


def test_an_error_of_our_own_ends_neither_the_thread_nor_the_simulation(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*args: object) -> None:
        raise RuntimeError("a mistake")

    monkeypatch.setattr(jobs, "_heard", broken)
    first = Stepper(chain(3))
    with pytest.raises(CompileError, match="an internal error, RuntimeError: a mistake"):
        built(chain(3))
    first.step(10)
    monkeypatch.undo()
    monkeypatch.setenv("POLYBODY_CACHE", str(home))
    second = Stepper(chain(4), "switch")
    built(chain(4))
    second.step()
    assert second.kernels == "specialized"


def test_steppers_that_are_gone_are_not_compiled_for(slow: Callable[[], int], home: Path) -> None:
    first = Stepper(chain(3))
    slow()
    forgotten = Stepper(chain(4))
    del forgotten
    kept = Stepper(chain(5))
    (ended,) = builds.workers
    ended.kill()
    ask(chain(3), STEP)
    building = until(lambda: next((worker for worker in list(builds.workers) if worker is not ended), None))
    assert building is not None
    assert building.job.facts["nv"] == 5
    building.kill()
    assert (first.kernels, kept.kernels) == ("loop", "loop")
    with pytest.raises(CompileError):
        built(chain(5))


def test_importing_and_using_loops_starts_nothing(home: Path) -> None:
    code = (
        "import sys, threading\nimport polybody\nStepper(pendulum(), 'loop').step()\n"
        "print(threading.active_count(), 'polybody.codegen' in sys.modules)"
    )
    assert said(HEAD + code) == "1 False\n"
    assert not home.exists()


def test_a_warm_start_loads_no_generator_and_starts_no_process(home: Path) -> None:
    Stepper(pendulum(), "specialized")
    code = (
        "import sys, threading, subprocess\n"
        "def no(*a, **k): raise AssertionError('a process is started')\n"
        "s = Stepper(pendulum(), 'loop')\n"
        "subprocess.Popen = no\n"
        "s = Stepper(pendulum()); s.step()\n"
        "print(s.kernels, threading.active_count(), 'polybody.codegen' in sys.modules)"
    )
    assert said(HEAD + code) == "specialized 1 False\n"
