"""`polybody compile`, `polybody cache`, and the kernels of `polybody sim`."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from polybody import load
from polybody.assembly.builder import ModelBuilder
from polybody.cli import app
from polybody.programs.target import native
from polybody.simulation.batch.stepper import BatchStepper
from polybody.simulation.stepper import Stepper

from tests.programs.caches import empty, forget
from tests.runtime.models import HOSTILE, chain, everything, pendulum
from tests.runtime.test_cli_simulate import polybody, saved

SENSED = """<mujoco><worldbody><geom type="plane" size="1 1 1"/>
<body><joint name="hinge"/><geom size=".1"/></body></worldbody>
<sensor><jointpos joint="hinge"/></sensor></mujoco>"""


@pytest.fixture(autouse=True)
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    folder = tmp_path / "cache"
    empty(folder, monkeypatch)
    yield folder
    forget()


def test_what_is_compiled_ahead_is_found_by_steppers_and_batches(tmp_path: Path, own: Path) -> None:
    model = pendulum()
    rows = json.loads(polybody("compile", saved(model, tmp_path), "--json").stdout)
    assert [row["cached"] for row in rows] == [False, False]
    single, batch = rows
    assert (single["model"], single["nv"], single["request"]["lanes"]) == ("pendulum", 1, 1)
    assert batch["request"]["lanes"] > 1
    for row in rows:
        assert Path(row["path"]).stat().st_size == row["bytes"] > 1000
        assert row["kernels"][0]["name"] == "step"
        assert row["seconds"]["compiling"] > 0
        assert row["waited"] > 0
        assert "-march=native" in row["command"] or "-mcpu=native" in row["command"]
    forget()
    assert Stepper(model).reason.endswith("from the cache")
    assert BatchStepper(model, 3).reason.endswith("from the cache")
    again = json.loads(polybody("compile", saved(model, tmp_path), "--json").stdout)
    assert [row["cached"] for row in again] == [True, True]
    assert [row["key"] for row in again] == [row["key"] for row in rows]


def test_what_steps_leave_is_compiled_ahead(tmp_path: Path) -> None:
    """Sensors for simulations, and the requested results for simulations and batches; parts are disabled as
    by `sim`.
    """
    path = tmp_path / "sensed.xml"
    path.write_text(SENSED)
    model = load(path, disable="contact")
    arguments = ("compile", str(path), "--disable", "contact", "--json")
    single, batch = json.loads(polybody(*arguments).stdout)
    assert (single["request"]["results"], batch["request"]["results"]) == (["sensordata"], [])
    for row in json.loads(polybody(*arguments, "--results", "xpos sensordata").stdout):
        assert row["request"]["results"] == ["xpos", "sensordata"]
    forget()
    both = ("xpos", "sensordata")
    for stepper in (
        *(Stepper(model), Stepper(model, results=both)),
        *(BatchStepper(model, 3), BatchStepper(model, 3, results=both)),
    ):
        assert stepper.reason.endswith("from the cache")
    said = polybody("compile", str(path), "--results", "xpo", code=2).output
    assert "'xpo' is not a result of a step; did you mean `xpos`?" in said


def test_a_model_from_standard_input_is_compiled() -> None:
    done = CliRunner().invoke(app, ["compile", "-", "--no-batch", "--json"], input=SENSED)
    assert done.exit_code == 0, done.output
    assert [row["nv"] for row in json.loads(done.stdout)] == [1]
    faulty = CliRunner().invoke(app, ["compile", "-"], input=SENSED.replace("hinge", "a", 1))
    assert faulty.exit_code == 1
    assert "<stdin>:3:" in faulty.output
    assert "PB032" in faulty.output


def test_compile_says_what_it_made(tmp_path: Path, own: Path) -> None:
    file = saved(everything(), tmp_path)
    lines = polybody("compile", file, "--no-batch").stdout.splitlines()
    told = dict(line.split(maxsplit=1) for line in lines)
    assert told["model"] == "every joint, 13 degrees of freedom"
    assert told["kernels"].startswith("step of ")
    assert told["compiled"].startswith("now: ")
    assert int(told["size"].split()[0].replace(",", "")) > 10_000
    assert told["where"].startswith(str(own))
    assert "found in the cache" in polybody("compile", file, "--no-batch").stdout


def test_compile_for_batches_with_options(tmp_path: Path) -> None:
    model = pendulum()
    arguments = ("--precision", "float32", "--parameters", "body_mass, dof_damping", "--dt", "0.01", "--json")
    rows = json.loads(polybody("compile", saved(model, tmp_path), *arguments).stdout)
    assert rows[1]["request"]["precision"] == "float32"
    assert rows[1]["request"]["named"] == ["body_mass", "dof_damping", "body_subtreemass"]
    forget()
    changed = model.replace(opt_timestep=0.01)
    batch = BatchStepper(changed, 2, precision="float32", parameters=("body_mass", "dof_damping"))
    assert batch.reason.endswith("from the cache")
    assert (
        "--parameters: 'x' is not a parameter of a batch; "
        in polybody("compile", saved(model, tmp_path), "--parameters", "x", code=2).output
    )


def test_compile_that_cannot_be(tmp_path: Path, own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    still = saved(ModelBuilder().build(), tmp_path)
    assert "nothing was compiled: it has no degrees of freedom" in polybody("compile", still, code=1).output
    large = saved(chain(401), tmp_path)
    assert "at most 400" in polybody("compile", large, code=1).output
    monkeypatch.setenv("CC", "no-such-compiler")
    file = saved(pendulum(), tmp_path)
    assert "there is no C compiler 'no-such-compiler'" in polybody("compile", file, code=1).output
    assert "No such file" in polybody("compile", str(tmp_path / "none.npz"), code=1).output


def test_the_cache_is_shown_and_cleared(tmp_path: Path, own: Path) -> None:
    assert polybody("cache").stdout == "the cache is empty\n"
    assert polybody("cache", "path").stdout == f"{own}\n"
    b = ModelBuilder(HOSTILE)
    b.joint(b.body(mass=1, inertia=(1, 1, 1)), "hinge")
    for model in (b.build(), pendulum()):
        polybody("compile", saved(model, tmp_path), "--no-batch")
    _, *lines = polybody("cache", "list").stdout.splitlines()
    assert len(lines) == 2, "a name of several lines is one line"
    assert lines[0].endswith("1  pendulum: step, float64, 1 at a time")
    assert "os.system" in lines[1]
    facts = json.loads(polybody("cache", "list", "--json").stdout)
    assert [row["nv"] for row in facts] == [1, 1]
    size = json.loads(polybody("cache", "size", "--json").stdout)
    assert (size["programs"], size["bound"]) == (2, 512 << 20)
    assert polybody("cache", "size").stdout.startswith("2 programs, ")
    assert polybody("cache", "clear").stdout == f"removed 2 programs, {size['bytes']:,} bytes, from {own}\n"
    assert polybody("cache").stdout == "the cache is empty\n"
    assert json.loads(polybody("cache", "clear", "--json").stdout)["removed"] == 0


def test_a_cache_that_cannot_be(own: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("POLYBODY_CACHE_SIZE", "lots")
    assert "is not a whole number of MiB" in polybody("cache", code=2).output
    assert "burn" in polybody("cache", "burn", code=2).output


def test_a_damaged_entry_is_shown_and_cleared(tmp_path: Path, own: Path) -> None:
    polybody("compile", saved(pendulum(), tmp_path), "--no-batch")
    (entry,) = (own / "programs").iterdir()
    (entry / "about.json").write_text('{"nv": [], "model": {}, "request": 5}')
    assert polybody("cache").stdout.splitlines()[1].endswith("0  -: , , 1 at a time")
    assert polybody("cache", "clear").stdout.startswith("removed 1 programs")


def test_sim_with_kernels_of_its_own(tmp_path: Path, own: Path) -> None:
    file, out = saved(everything(), tmp_path), tmp_path / "out.npz"
    recorded = {}
    for kernels in ("loop", "specialized", "auto"):
        result = polybody("sim", file, "--steps", "200", "--kernels", kernels, "--out", str(out))
        told = dict(line.split(maxsplit=1) for line in result.stdout.splitlines())
        name = "loop" if kernels == "loop" else "specialized"
        assert told["kernels"].startswith(f"{name} (")
        assert ("faster" in told) == (name == "specialized")
        with np.load(out) as trajectory:
            recorded[kernels] = trajectory["qpos"]
    assert told["faster"].endswith(" times the loop kernels")
    assert recorded["specialized"] == pytest.approx(recorded["loop"], abs=1e-10)
    assert recorded["auto"].tolist() == recorded["specialized"].tolist()


def test_sim_without_a_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CC", "no-such-compiler")
    file = saved(pendulum(), tmp_path)
    result = polybody("sim", file, "--steps", "3")
    assert "loop (compilation failed: there is no C compiler 'no-such-compiler'" in result.stdout
    said = polybody("sim", file, "--steps", "3", "--kernels", "specialized", code=2).output
    assert "cannot be specialized" in said
    monkeypatch.setenv("POLYBODY_KERNELS", "fast")
    assert "POLYBODY_KERNELS must be one of" in polybody("sim", file, "--steps", "3", code=2).output


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--out", "/nowhere/at/all.npz"), "--out /nowhere/at/all.npz: the folder does not exist"),
        (("--plot", "/nowhere/at/all.png"), "--plot /nowhere/at/all.png: the folder does not exist"),
        (("--out", "/"), "--out /: this is a folder"),
        (("--plot", "plot.doc"), "plot.doc: unknown image format 'doc'; "),
    ],
)
def test_what_cannot_be_written_is_said_before_simulating(
    tmp_path: Path, arguments: tuple[str, ...], said: str
) -> None:
    file = saved(pendulum(), tmp_path)
    assert said in polybody("sim", file, "--steps", str(10**15), *arguments, code=2).output


def test_what_may_not_be_written_is_said_before_simulating(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *args: False)  # root has every permission
    file = saved(pendulum(), tmp_path)
    said = polybody("sim", file, "--steps", str(10**15), "--out", str(tmp_path / "x.npz"), code=2).output
    assert "x.npz: permission denied" in said


def test_programs_use_the_widest_registers() -> None:
    target = native()
    wide = "avx512f" in target.features.lower().split()
    assert ("-mprefer-vector-width=512" in target.flags) is wide
