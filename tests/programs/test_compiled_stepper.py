"""Steppers with kernels compiled for their Model: which are chosen, and that nothing else changes."""

from __future__ import annotations

import pickle
import shutil
import warnings
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from polybody import engine
from polybody.assembly.builder import ModelBuilder
from polybody.engine.data import Data
from polybody.errors import CompileError, CompileWarning, ModelError, SimulationError
from polybody.model.model import Model
from polybody.programs import choosing
from polybody.programs.build import FORKED, ask
from polybody.programs.choosing import STEP
from polybody.simulation.stepper import Stepper

from tests.programs.caches import built, empty, forget
from tests.runtime.models import HOSTILE, chain, everything, pendulum
from tests.waiting import at_once, in_a_fork

pytestmark = pytest.mark.concurrent


@pytest.fixture
def fresh(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """An empty cache, no memory of earlier requests, and "auto" meaning auto."""
    empty(tmp_path / "cache", monkeypatch)
    yield tmp_path / "cache"
    forget()


@pytest.fixture
def compiler(fresh: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """CC names a compiler that waits until this file exists."""
    ready, script = tmp_path / "ready", tmp_path / "compiler"
    real = shutil.which("cc") or "cc"
    script.write_text(f'#!/bin/sh\nuntil [ -e "{ready}" ]; do sleep 0.01; done\nexec "{real}" "$@"\n')
    script.chmod(0o755)
    monkeypatch.setenv("CC", str(script))
    return ready


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_specialized_kernels_give_the_same_numbers(integrator: str) -> None:
    model = everything().replace(opt_integrator=integrator)
    loop, compiled = Stepper(model, "loop"), Stepper(model, "specialized")
    assert compiled.kernels == "specialized"
    assert compiled.reason.startswith("compiled for this model in ")
    for sim in (loop, compiled):
        sim.data.qfrc_applied[:] = np.linspace(-1, 1, model.nv)
        sim.step(300)
        sim.step()
    assert compiled.data.time == loop.data.time
    assert compiled.data.qpos == pytest.approx(loop.data.qpos, abs=1e-10)
    assert compiled.data.qvel == pytest.approx(loop.data.qvel, abs=1e-9)
    assert compiled.data.qacc == pytest.approx(loop.data.qacc, abs=1e-8)


def test_auto_takes_them_from_the_cache_at_once(fresh: Path) -> None:
    model = pendulum()
    first = Stepper(model, "specialized")
    assert first.reason.endswith(", now")
    del first
    forget()
    again = Stepper(model)
    assert again.kernels == "specialized"
    assert again.reason.endswith(", from the cache")
    assert again.progress == ""


def test_auto_serves_with_loops_until_the_reset_after_they_are_ready(compiler: Path) -> None:
    model = chain(5)
    sim = Stepper(model)
    assert sim.kernels == "loop"
    assert "being compiled" in sim.reason
    assert sim.progress
    sim.step(10)
    compiler.touch()
    built(model)
    sim.step(10)
    assert sim.kernels == "loop", "within one run the numbers come from one sort of kernels"
    loop = Stepper(model, "loop")
    loop.step(20)
    assert sim.data.get_state().tolist() == loop.data.get_state().tolist()
    sim.reset()
    assert (sim.kernels, sim.data.time) == ("specialized", 0.0)


def test_switch_changes_between_two_steps(compiler: Path) -> None:
    model = chain(6)
    sim, loop = Stepper(model, "switch"), Stepper(model, "loop")
    sim.step(10)
    assert sim.kernels == "loop"
    compiler.touch()
    built(model)
    sim.step(10)
    assert sim.kernels == "specialized"
    loop.step(20)
    assert sim.data.time == loop.data.time
    assert sim.data.qpos == pytest.approx(loop.data.qpos, abs=1e-12)


def test_what_auto_means_is_up_to_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    model = pendulum()
    monkeypatch.setenv("POLYBODY_KERNELS", "specialized")
    assert Stepper(model).kernels == "specialized"
    assert Stepper(model, "loop").kernels == "loop"
    monkeypatch.setenv("POLYBODY_KERNELS", "fast")
    with pytest.raises(
        ValueError, match="POLYBODY_KERNELS must be one of auto, loop, specialized, switch, not 'fast'"
    ):
        Stepper(model)


def test_models_too_large_or_without_motion(fresh: Path) -> None:
    large = chain(choosing.UNROLLED + 1)
    sim = Stepper(large, "switch")
    assert (sim.kernels, sim.progress) == ("loop", "")
    assert sim.reason == "it has 101 degrees of freedom, and straight-line code is generated for at most 100"
    with pytest.raises(CompileError, match=r"it has 401 degrees of freedom.* at most 400"):
        Stepper(chain(401), "specialized")
    still = ModelBuilder().build()
    assert Stepper(still).reason == "it has no degrees of freedom"
    Stepper(still).step(10)
    with pytest.raises(CompileError, match="it has no degrees of freedom"):
        Stepper(still, "specialized")
    assert not fresh.exists()


def test_one_build_serves_all_who_ask(fresh: Path) -> None:
    model = chain(4)
    sims = [Stepper(model, "switch") for _ in range(5)]
    built(model)
    for sim in sims:
        sim.step()
        assert sim.kernels == "specialized"
    assert len(list((fresh / "programs").iterdir())) == 1
    assert len({id(sim._choice.build) for sim in sims}) == 1


def test_names_of_a_model_do_not_matter(fresh: Path) -> None:
    def made(name: str) -> Model:
        b = ModelBuilder(name)
        b.joint(b.body(name=name, mass=1, inertia=(1, 1, 1)), "hinge", name=name + "j")
        return b.build()

    names = [HOSTILE, 'x"; */ } int main() { /*', "??/\n#include </etc/passwd>\n", "a"]
    for name in names:
        Stepper(made(name), "specialized").step(3)
    (kept,) = (fresh / "programs").iterdir()
    assert b"passwd" not in (kept / "program.so").read_bytes()
    entry = ask(made("b"), STEP).entry
    assert entry is not None
    assert entry.facts["model"] == HOSTILE


def test_models_that_differ_in_a_number_have_programs_of_their_own(fresh: Path) -> None:
    first, second = Stepper(pendulum(), "specialized"), Stepper(pendulum(damping=0.5), "specialized")
    for sim in (first, second):
        loop = Stepper(sim.model, "loop")
        loop.step(500)
        sim.step(500)
        assert sim.data.qpos == pytest.approx(loop.data.qpos, abs=1e-12)
    assert len(list((fresh / "programs").iterdir())) == 2


# --- the same behaviour ------------------------------------------------------------------------------


def wild() -> Model:
    b = ModelBuilder(timestep=1.0)
    b.joint(b.body(name="wild", mass=1, inertia=(1, 1, 1)), "slide", name="spring", stiffness=1e6, qpos0=0.1)
    return b.build()


def test_simulations_fail_in_the_same_way() -> None:
    model = wild()
    told = []
    for kernels in ("loop", "specialized"):
        sim = Stepper(model, kernels)
        with pytest.raises(SimulationError) as caught:
            sim.step(100_000)
        told.append((str(caught.value), caught.value.steps, sim.data.get_state().tolist()))
    assert told[0] == told[1]


@pytest.mark.parametrize("column", ["qpos", "qvel", "qfrc_applied"])
def test_nan_before_a_step_is_reported_in_the_same_way(column: str) -> None:
    told = []
    for kernels in ("loop", "specialized"):
        sim = Stepper(pendulum(), kernels)
        getattr(sim.data, column)[0] = np.nan
        with pytest.raises(SimulationError) as caught:
            sim.step(3)
        told.append((str(caught.value), repr(sim.data.get_state().tolist())))
    assert told[0] == told[1]


def test_arguments_are_checked_in_the_same_way() -> None:
    sim = Stepper(pendulum(), "specialized")
    with pytest.raises(ValueError, match="the number of steps must not be negative"):
        sim.step(-1)
    with pytest.raises(TypeError):
        sim.step(1.5)  # type: ignore[arg-type]
    sim.step(0)
    sim.step(np.int64(2))
    assert sim.data.time == pytest.approx(0.002)


def test_steps_are_taken_in_pieces_that_ctrl_c_can_interrupt(monkeypatch: pytest.MonkeyPatch) -> None:
    model = pendulum()
    whole, pieces = Stepper(model, "specialized"), Stepper(model, "specialized")
    whole.step(100)
    monkeypatch.setattr(engine.dynamics, "UNINTERRUPTED", 14)
    pieces.step(100)
    assert pieces.data.get_state().tolist() == whole.data.get_state().tolist()


def test_the_simulation_under_way_may_be_exchanged() -> None:
    model = pendulum()
    sim = Stepper(model, "specialized", data=Data(model))
    before = sim.data
    sim.step(10)
    sim.data = Data(model)
    sim.step(20)
    assert (before.time, sim.data.time) == (pytest.approx(0.01), pytest.approx(0.02))
    sim.data = Data(everything())
    with pytest.raises(ValueError, match="the data simulate"):
        sim.step()


def test_a_stepper_is_pickled_with_what_was_asked_for() -> None:
    sim = Stepper(pendulum(), "specialized")
    sim.step(10)
    other = pickle.loads(pickle.dumps(sim))
    assert other.kernels == "specialized"
    sim.step(10)
    other.step(10)
    assert other.data.get_state().tolist() == sim.data.get_state().tolist()


def test_threads_share_a_program() -> None:
    model = everything()
    Stepper(model, "specialized")

    def run(_: int) -> object:
        sim = Stepper(model, "specialized")
        for _ in range(20):
            sim.step(50)
        return sim.data.get_state().tolist()

    ends = at_once(run, range(4))
    assert ends == ends[:1] * 4


def test_what_moves_without_inertia_is_refused(fresh: Path) -> None:
    b = ModelBuilder("loose")
    b.joint(b.body(name="empty"), "hinge", name="free wheel")
    model = b.build()
    for kernels in ("specialized", "auto", "loop"):
        with pytest.raises(ModelError, match="no inertia resists a motion of body 1 'empty'"):
            Stepper(model, kernels)


# --- without a compiler, and forks -------------------------------------------------------------------


def test_no_compiler_is_said_once_and_loops_serve(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(fresh))
    monkeypatch.delenv("CC", raising=False)
    with pytest.warns(CompileWarning, match="there is no C compiler; install gcc or clang") as said:
        sims = [Stepper(pendulum()), Stepper(chain(3)), Stepper(pendulum(), "switch")]
    assert len(said) == 1
    assert said[0].filename == __file__
    for sim in sims:
        assert sim.kernels == "loop"
        assert "there is no C compiler" in sim.reason
        sim.step(10)
    with pytest.raises(CompileError, match=r"cannot be specialized for <Model 'pendulum'.*no C compiler"):
        Stepper(pendulum(), "specialized")


def test_without_a_compiler_what_is_kept_still_serves(fresh: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Stepper(pendulum(), "specialized")
    forget()
    monkeypatch.setenv("PATH", str(fresh))
    monkeypatch.delenv("CC", raising=False)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Stepper(pendulum()).kernels == "specialized"


def test_a_failing_compiler_is_reported_once_and_not_tried_again(
    fresh: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    calls = tmp_path / "calls"
    broken = tmp_path / "broken"
    broken.write_text(f'#!/bin/sh\necho called >> "{calls}"\necho "x.c:1: error: I am broken" >&2\nexit 3\n')
    broken.chmod(0o755)
    monkeypatch.setenv("CC", str(broken))
    sim = Stepper(pendulum())
    with pytest.raises(CompileError, match=r"broken failed with code 3: x.c:1: error: I am broken"):
        built(sim.model)
    before = calls.read_text()
    with pytest.warns(CompileWarning, match="I am broken"):
        sim.reset()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        Stepper(pendulum(), "switch").step()
    assert (sim.kernels, sim.progress) == ("loop", "")
    assert "I am broken" in sim.reason
    sim.step(10)
    assert calls.read_text() == before


def test_a_fork_while_compiling_and_one_after_loading(compiler: Path) -> None:
    model = chain(7)
    compiler.touch()
    loaded = Stepper(pendulum(), "specialized")
    compiler.unlink()
    sim = Stepper(model, "switch")

    def child() -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            sim.step()
        assert sim.kernels == "loop"
        assert sim.reason.endswith(FORKED)
        compiler.touch()
        loaded.step(100)
        assert loaded.data.time == pytest.approx(0.1)
        other = Stepper(chain(3), "specialized")  # it can compile by itself
        other.step()
        sim.reset()
        built(model)
        sim.step()
        assert sim.kernels == "specialized"

    in_a_fork(child)
    built(model)
    sim.step()
    assert sim.kernels == "specialized"
