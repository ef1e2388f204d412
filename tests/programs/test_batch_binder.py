"""Compiled programs opened, bound to memory, called and stepped; invalid libraries are rejected."""

from __future__ import annotations

import gc
import os
import sys
import weakref
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from polybody.assembly.builder import ModelBuilder
from polybody.engine.data import Data
from polybody.generated.kernels import dynamics
from polybody.generated.kernels.interface import ABI
from polybody.programs.load import Bound, Program, ProgramError

from tests.programs.programs import FACE, compiled, spring
from tests.waiting import in_a_fork, said

Arrays = dict[str, NDArray[np.float64]]


def memory(**first: float) -> Arrays:
    names = ("qpos", "qvel", "qfrc_applied", "qacc", "time", "opt_timestep")
    arrays = {name: np.zeros(1) for name in names}
    arrays["opt_timestep"][0] = 0.01
    for name, value in first.items():
        arrays[name][0] = value
    return arrays


def rail() -> Data:
    """The same results with the loop kernels."""
    b = ModelBuilder("rail", timestep=0.01, gravity=(0, 0, 0))
    b.joint(b.body(mass=1.0, inertia=(1, 1, 1)), "slide", axis=(0, 0, 1), stiffness=4.0)
    return Data(b.build())


def test_what_a_program_says_of_itself() -> None:
    program = Program(spring())
    assert (program.key, program.lanes, program.dtype) == ("spring", 1, np.float64)
    assert {name: dict(columns) for name, columns in program.kernels.items()} == {
        "step": {"qpos": 1, "qvel": 1, "qfrc_applied": 1, "qacc": 1},
        "twice": {"qpos": 1, "qacc": 1},
    }
    assert repr(program) == "<Program of step, twice: float64, lanes 1>"
    assert Program(spring(lanes=8, real="float")).dtype == np.float32
    assert Program(str(spring(lanes=8))).lanes == 8


def test_a_call_works_on_the_memory_it_was_bound_to() -> None:
    arrays = memory(qpos=3.0)
    bound = Program(spring()).bind("twice", arrays)
    bound.call()
    assert arrays["qacc"][0] == 6.0
    arrays["qpos"][0] = -1.0
    bound.call()
    assert arrays["qacc"][0] == -2.0
    assert repr(bound) == "<twice bound to qpos, qacc>"


@pytest.mark.parametrize("n", [0, 1, 15, 16, 17, 1000])
def test_steps_as_the_loop_kernel_takes_them(n: int) -> None:
    data = rail()
    data.qpos[0], data.qvel[0], data.qfrc_applied[0] = 1.0, -0.3, 0.7
    arrays = memory(qpos=1.0, qvel=-0.3, qfrc_applied=0.7)
    assert Program(spring()).bind("step", arrays).step(n) == n
    assert dynamics.step(data.kernel.model, data.kernel, n) == n
    assert arrays["time"][0] == data.time
    for name in ("qpos", "qvel", "qacc"):
        np.testing.assert_allclose(arrays[name], getattr(data, name), rtol=1e-12)


def test_one_after_the_other_or_at_once() -> None:
    once, single = memory(qpos=1.0), memory(qpos=1.0)
    Program(spring()).bind("step", once).step(100)
    bound = Program(spring()).bind("step", single)
    assert [bound.step() for _ in range(100)] == [1] * 100
    assert {name: array.tolist() for name, array in once.items()} == {
        name: array.tolist() for name, array in single.items()
    }


def until_it_fails(bound: Bound, arrays: Arrays) -> tuple[int, list[float]]:
    """Take single steps; returns how many succeeded, and the last finite state."""
    count = 0
    while True:
        before = [arrays[name][0] for name in ("time", "qpos", "qvel")]
        bound.call()
        if not np.isfinite([arrays["qpos"][0], arrays["qvel"][0]]).all():
            return count, before
        arrays["time"][0] += arrays["opt_timestep"][0]
        count += 1


@pytest.mark.parametrize("stiffness", [1e6, 1e9, 1e300])
@pytest.mark.parametrize("piece", [1, 7, 16, 10_000])
def test_a_failing_step_leaves_the_state_before_it(stiffness: float, piece: int) -> None:
    program = Program(spring(timestep=1.0, stiffness=stiffness))
    expected = memory(qpos=1.0, opt_timestep=1.0)
    count, state = until_it_fails(program.bind("step", expected), expected)
    arrays = memory(qpos=1.0, opt_timestep=1.0)
    bound = program.bind("step", arrays)
    done = 0
    while (now := bound.step(piece)) == piece:
        done += now
    assert done + now == count
    assert [arrays[name][0] for name in ("time", "qpos", "qvel")] == state
    assert arrays["qacc"].tolist() == expected["qacc"].tolist() or np.isnan(arrays["qacc"][0])
    assert bound.step(piece) == 0
    assert [arrays[name][0] for name in ("time", "qpos", "qvel")] == state
    arrays["qpos"][0] = arrays["qvel"][0] = 0.0
    assert bound.step(piece) == piece, "a state that was put right moves on"


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
@pytest.mark.parametrize("column", ["qpos", "qvel", "qfrc_applied"])
def test_what_was_not_finite_before(column: str, value: float) -> None:
    arrays = memory(**{column: value})
    assert Program(spring()).bind("step", arrays).step(40) == 0
    assert arrays["time"][0] == 0.0
    assert arrays[column][0] == value or np.isnan(arrays[column][0])


ENDLESS = """
import numpy as np
from polybody.programs.load import Program
from tests.programs.test_batch_binder import memory
from tests.waiting import PATIENCE, start, until

arrays = memory(qpos=1.0, opt_timestep=1e-4)
taken = start(Program({library!r}).bind("step", arrays).step, 1 << 60)
until(lambda: arrays["time"][0] > 0)
arrays["qfrc_applied"][0] = np.nan
print(0 < taken.result(PATIENCE) < 1 << 60)
"""


@pytest.mark.concurrent
def test_steps_are_taken_without_the_gil() -> None:
    """A call that ends only when another thread writes a value."""
    assert said(ENDLESS.format(library=str(spring(timestep=1e-4)))) == "True\n"


def test_memory_lives_as_long_as_what_is_bound_to_it() -> None:
    arrays = memory(qpos=1.0)
    program = Program(spring())
    bound = program.bind("step", arrays)
    watched = weakref.ref(program)
    del arrays, program
    gc.collect()
    assert bound.step(10) == 10
    assert watched() is not None
    del bound
    gc.collect()
    assert watched() is None


def test_a_library_is_let_go() -> None:
    if not sys.platform.startswith("linux"):
        pytest.skip("only Linux lists what is mapped")
    library = spring(stiffness=7.25)
    program = Program(library)
    assert str(library) in Path("/proc/self/maps").read_text()
    del program
    gc.collect()
    assert str(library) not in Path("/proc/self/maps").read_text()


# --- invalid arguments -----------------------------------------------------------------------------


def wrong(**changed: object) -> dict[str, object]:
    return {**memory(), **changed}


@pytest.mark.parametrize(
    ("columns", "error", "words"),
    [
        (None, TypeError, "a mapping of names to arrays, not NoneType"),
        ({}, ValueError, "the column qpos is missing"),
        (wrong(qpos=[0.0]), TypeError, "qpos must be an array of float64, not list"),
        (wrong(qpos=np.zeros(1, np.float32)), TypeError, "qpos must be an array of float64, not float32"),
        (wrong(qvel=np.zeros(2)), ValueError, "qvel has 2 numbers, the kernel needs 1"),
        (wrong(qacc=np.zeros(0)), ValueError, "qacc has 0 numbers"),
        (wrong(time=np.zeros(3)), ValueError, "time has 3 numbers"),
        (wrong(opt_timestep=np.zeros(3)), ValueError, "one opt_timestep"),
    ],
)
def test_columns_that_do_not_fit(columns: object, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        Program(spring()).bind("step", columns)  # type: ignore[arg-type]


def test_memory_that_cannot_be_used() -> None:
    program = Program(spring())
    fixed = np.zeros(1)
    fixed.setflags(write=False)
    with pytest.raises(ValueError, match="qpos must be contiguous and writable"):
        program.bind("step", memory() | {"qpos": fixed})
    shifted = np.zeros(17, np.uint8)[1:9].view(np.float64)
    if shifted.ctypes.data % 8:
        with pytest.raises(ValueError, match="qpos must begin at a multiple of 8 bytes"):
            program.bind("step", memory() | {"qpos": shifted})


def test_a_kernel_that_is_not_there() -> None:
    with pytest.raises(KeyError, match="has the kernels step, twice, not jump"):
        Program(spring()).bind("jump", memory())


def test_steps_of_what_cannot_step() -> None:
    with pytest.raises(TypeError, match="the kernel step of one state"):
        Program(spring()).bind("twice", memory()).step()
    columns = memory()
    del columns["time"]
    with pytest.raises(TypeError, match="bound with time and opt_timestep"):
        Program(spring()).bind("step", columns).step()
    with pytest.raises(ValueError, match="-1 steps"):
        Program(spring()).bind("step", memory()).step(-1)
    with pytest.raises(TypeError):
        Program(spring()).bind("step", memory()).step(1.5)  # type: ignore[arg-type]


# --- invalid programs ------------------------------------------------------------------------------


def test_another_version() -> None:
    with pytest.raises(ProgramError, match=f"has version {ABI + 1}, this polybody uses version {ABI}"):
        Program(spring(abi=ABI + 1))


def test_another_key() -> None:
    assert Program(spring(), key="spring").key == "spring"
    with pytest.raises(ProgramError, match="is the program 'spring', not 'autumn'"):
        Program(spring(), key="autumn")


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Program(tmp_path / "nothing.so")
    with pytest.raises(IsADirectoryError):
        Program(tmp_path)


@pytest.mark.parametrize("content", [b"", b"\x7fELF", b"\x7fELF" + bytes(60), b"#!/bin/sh\n", b"\xff" * 5000])
def test_a_file_that_is_no_library(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "program.so"
    path.write_bytes(content)
    with pytest.raises((ProgramError, OSError)):
        Program(path)


@pytest.mark.parametrize("part", [0.01, 0.1, 0.5, 0.9, 0.999])
def test_a_library_whose_end_is_missing(tmp_path: Path, part: float) -> None:
    whole = spring().read_bytes()
    path = tmp_path / "program.so"
    path.write_bytes(whole[: int(len(whole) * part)])
    with pytest.raises(ProgramError, match=r"damaged|no shared library"):
        Program(path)


TABLES = {
    "no entry": "int something;",
    "nothing given": "const PbProgram *polybody_program(void) { return NULL; }",
    "lanes": 'T p = {4, 3, 8, 1, "k", k};',
    "bytes": 'T p = {4, 1, 2, 1, "k", k};',
    "no kernels": 'T p = {4, 1, 8, 0, "k", k};',
    "too many kernels": 'T p = {4, 1, 8, 1 << 30, "k", k};',
    "kernels missing": 'T p = {4, 1, 8, 1, "k", NULL};',
    "no key": "T p = {4, 1, 8, 1, NULL, k};",
    "key beyond ASCII": 'T p = {4, 1, 8, 1, "\\xff", k};',
    "no name": 'static const PbKernel w[] = {{NULL, run, 1, c, s}};\nT p = {4, 1, 8, 1, "k", w};',
    "no function": 'static const PbKernel w[] = {{"a", NULL, 1, c, s}};\nT p = {4, 1, 8, 1, "k", w};',
    "no columns": 'static const PbKernel w[] = {{"a", run, -1, c, s}};\nT p = {4, 1, 8, 1, "k", w};',
    "one column twice": 'static const PbKernel w[] = {{"a", run, 2, c, s}};\nT p = {4, 1, 8, 1, "k", w};',
    "one kernel twice": 'static const PbKernel w[] = {{"a", run, 1, c, s}, {"a", run, 1, c, s}};\n'
    'T p = {4, 1, 8, 2, "k", w};',
    "a size below zero": "static const int z[] = {-1};\n"
    'static const PbKernel w[] = {{"a", run, 1, c, z}};\nT p = {4, 1, 8, 1, "k", w};',
}


@pytest.mark.parametrize("what", TABLES)
def test_a_library_that_is_no_program_or_whose_table_makes_no_sense(what: str) -> None:
    common = """
    typedef static const PbProgram T_;
    static void run(void *const *column) { (void)column; }
    static const char *const c[] = {"qpos", "qpos"};
    static const int s[] = {1, 1};
    static const PbKernel k[] = {{"a", run, 1, c, s}};
    """.replace("typedef static const PbProgram T_;", "#define T static const PbProgram")
    text = FACE + common + TABLES[what]
    if " p = " in text:
        text += "\nconst PbProgram *polybody_program(void) { return &p; }"
    with pytest.raises(ProgramError, match=r"does not contain a program|invalid table"):
        Program(compiled(text))


def test_a_step_that_moves_no_state() -> None:
    text = (
        FACE
        + """
    static void run(void *const *column) { (void)column; }
    static const char *const c[] = {"qpos"};
    static const int s[] = {1};
    static const PbKernel k[] = {{"step", run, 1, c, s}};
    static const PbProgram p = {4, 1, 8, 1, "k", k};
    const PbProgram *polybody_program(void) { return &p; }
    """
    )
    with pytest.raises(ProgramError, match="step moves no qvel"):
        Program(compiled(text)).bind("step", memory())


@pytest.mark.concurrent
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork")
def test_a_fork_after_loading() -> None:
    arrays = memory(qpos=1.0)
    bound = Program(spring()).bind("step", arrays)
    bound.step(10)

    def child() -> bytes:
        bound.step(90)
        return arrays["qpos"].tobytes()

    theirs = in_a_fork(child)
    bound.step(90)
    assert theirs == arrays["qpos"].tobytes()
