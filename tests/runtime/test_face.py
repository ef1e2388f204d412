"""The contents of `import polybody`, which costs nothing before it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import polybody as pb
import pytest
from polybody.generated.formats import ROOTS

from tests.runtime import typed
from tests.runtime.test_cli_simulate import PENDULUM
from tests.waiting import PATIENCE

ROOT = Path(__file__).resolve().parents[2]


def fresh(code: str) -> str:
    """The output of a new interpreter."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=PATIENCE
    ).stdout


def test_importing_it_imports_nothing_heavy() -> None:
    code = "import sys; before = set(sys.modules); import polybody; print(*sorted(set(sys.modules) - before))"
    loaded = set(fresh(code).split())
    assert not loaded & {"numpy", "lxml", "xmlschema", "jinja2", "click", "rich", "matplotlib"}
    assert [name for name in loaded if name.startswith("polybody.")] == []


@pytest.mark.parametrize("name", pb.__all__)
def test_every_name_is_there(name: str) -> None:
    value = getattr(pb, name)
    assert value.__name__ == name
    assert value.__doc__
    assert name in dir(pb)


def test_reading_does_not_load_the_engine_nor_codegen() -> None:
    loaded = fresh("import sys, polybody; polybody.read; print(*sys.modules)")
    assert "polybody.document" in loaded
    assert "kernels" not in loaded
    assert "codegen" not in loaded


DOCUMENTS = {
    "mjcf": '<mujoco><worldbody><body name="b"><joint/><geom size="1"/></body></worldbody></mujoco>',
    "openrave": '<kinbody name="k"><body name="b"/></kinbody>',
    "sdf": '<sdf version="1.9"><model name="m"><link name="l"/></model></sdf>',
    "skel": '<skel version="1.0"><world name="w"/></skel>',
    "srdf": '<robot name="r"><group name="g"><link name="l"/></group></robot>',
    "urdf": '<robot name="r"><link name="l"><inertial><mass value="1"/>'
    '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>',
    "x_xy": PENDULUM,
}
USED = """
import sys
import polybody as pb
path = sys.argv[1]
document = pb.read(path, policy="lenient")
pb.check(path)
pb.resolve(document)
pb.write(document)
try:
    simulation = pb.Stepper(pb.load(path, policy="lenient"), kernels="loop")
except pb.ValidationError as error:  # its format is not simulated
    assert [finding.code for finding in error.diagnostics] == ["PB064"]
else:
    simulation.step(2)
from polybody.cli import app
for command in (["check", path], ["info", path], ["explain", "PB012"]):
    app(command, standalone_mode=False)
print("\\nloaded", *sys.modules)
"""


@pytest.mark.parametrize("name", sorted(ROOTS))
def test_what_codegen_needs_is_loaded_for_codegen_alone(name: str, tmp_path: Path) -> None:
    """Reading, checking, writing, loading, stepping and their commands need none of it."""
    path = tmp_path / "model.xml"
    path.write_text(DOCUMENTS[name])
    command = [sys.executable, "-c", USED, str(path)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=300)
    assert done.returncode == 0, done.stderr
    loaded = done.stdout.rpartition("\nloaded ")[2].split()
    assert f"polybody.generated.formats.{name}" in loaded
    assert "polybody.cli" in loaded
    assert "polybody.engine" in loaded or name != "x_xy", "the model has been stepped"
    packages = {module.partition(".")[0] for module in loaded}
    assert not packages & {"lxml", "xmlschema", "elementpath", "jinja2"}
    assert not any(module.startswith("polybody.codegen") for module in loaded)


@pytest.mark.parametrize(
    "first", ["import polybody.lowering.x_xy", "from polybody.lowering import lowered", "pb.load", "pb.lower"]
)
def test_lower_is_the_function_whatever_was_imported_before(first: str) -> None:
    code = f"import polybody as pb; {first}; print(type(pb.lower).__name__)"
    assert fresh(code) == "function\n"


def test_a_formats_classes_are_reachable() -> None:
    assert pb.x_xy.Body.__module__.startswith("polybody.generated.formats.x_xy")
    with pytest.raises(AttributeError, match="has no attribute 'x_yx'"):
        _ = pb.x_yx


def test_type_checkers_know_documents_and_models(tmp_path: Path) -> None:
    """Only with mypy; for pyright there is a command in tests/runtime/typed.py."""
    lines, said = typed.found("mypy", tmp_path)
    assert lines == typed.WRONG, said


@pytest.mark.parametrize("given", [None, "arm.xml", 5])
def test_what_is_no_document(given: object) -> None:
    for use in (pb.lower, pb.write, pb.validate, pb.resolve):
        with pytest.raises(TypeError, match="expected a document"):
            use(given)  # type: ignore[operator]


def test_from_file_to_motion(tmp_path: Path) -> None:
    path = tmp_path / "pendulum.xml"
    path.write_text(PENDULUM)
    model = pb.load(path, seed=0)
    assert model == pb.lower(pb.read(path), seed=0)
    assert model.body("pendulum").mass == 0.5
    data = pb.Data(model)
    pb.forward(model, data)
    pb.step(model, data, 100)
    assert pb.mass_matrix(model, data).shape == (2, 2)
    sim = pb.Stepper(model, kernels="auto")
    sim.step(100)
    assert sim.data.qpos.tolist() == data.qpos.tolist()
    path.write_text(PENDULUM.replace("pendulum", "cart", 1).replace('name="pendulum"', 'name="cart"'))
    with pytest.raises(pb.ValidationError) as error:
        pb.load(path)
    (twice,) = (finding for finding in error.value.diagnostics if finding.severity == "error")
    assert (twice.line, twice.related) == (9, (f"{path}:7:15",))
