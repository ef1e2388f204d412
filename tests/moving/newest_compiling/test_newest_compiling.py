"""Models as of MuJoCo 4.0: their columns, and how they move, by loops, programs and batches."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.diagnostics import ValidationError
from polybody.generated.model import DisableFlag

from tests.moving.newest_compiling.models import STATES, models

MODELS = models()
MOVING = [name for name in MODELS if not name.startswith(("mesh", "builtin", "fitted", "inertia"))]
PROGRAMS = ("fused", "scaled, similar")
INPUTS, STATE = ("qpos", "qvel", "ctrl"), ("qpos", "qvel", "act")
FIELDS = ("xpos", "xquat", "qfrc_bias", "qfrc_passive", "actuator_force", "qacc_smooth")
LARGE = 40


def _facts() -> dict[str, dict[str, Any]]:
    """By model and field."""
    stored = np.load(Path(__file__).with_name("facts.npz"))
    ends = np.cumsum(stored["sizes"])
    found: dict[str, dict[str, Any]] = {}
    for name, numbers in zip(
        str(stored["names"]).split("\n"), np.split(stored["numbers"], ends[:-1]), strict=True
    ):
        model, field = name.split("/", 1)
        found.setdefault(model, {})[field] = numbers
    return found


FACTS = _facts()


def lowered(name: str) -> pb.Model:
    return pb.lower(pb.read("model.xml", text=MODELS[name], release="4.0"))


def unconstrained(name: str) -> pb.Model:
    """The model without constraints, which are not what this is about."""
    model = lowered(name)
    return model.replace(opt_disableflags=int(model.opt_disableflags) | int(DisableFlag.constraint))


def reduced(column: Any) -> Any:
    """See asked.py."""
    numbers = np.asarray(column, dtype=float).ravel()
    if len(numbers) <= LARGE:
        return numbers
    place = np.arange(len(numbers))
    return np.array([np.mean(numbers * np.cos(k * place)) for k in (0.0, 0.1, 1.0)])


def agree(ours: Any, theirs: Any, what: str) -> None:
    ours = np.asarray(ours, dtype=float).ravel()
    bound = 1e-9 * (1 + np.abs(theirs).max(initial=0))
    np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=bound, err_msg=what)


@pytest.mark.parametrize("name", MODELS)
def test_columns_are_those_of_mujoco(name: str) -> None:
    model = lowered(name)
    for field, theirs in FACTS[name].items():
        if field[0].isdigit():
            continue
        ours = np.asarray(getattr(model, field))
        agree(reduced(ours[:, :11] if field == "eq_data" else ours), theirs, field)


def put(data: Any, name: str, state: int) -> None:
    for field in INPUTS:
        getattr(data, field)[...] = FACTS[name][f"{state}/{field}"]


@pytest.mark.parametrize("name", MODELS)
def test_motion_is_that_of_mujoco(name: str) -> None:
    model = unconstrained(name)
    for state in range(STATES):
        data = pb.Data(model)
        put(data, name, state)
        pb.forward(model, data)
        for field in FIELDS:
            agree(getattr(data, field), FACTS[name][f"{state}/{field}"], field)
        pb.step(model, data)
        for field in STATE:
            agree(getattr(data, field), FACTS[name][f"{state}/next_{field}"], field)


@pytest.mark.parametrize("name", MOVING)
def test_batches_step_as_mujoco(name: str) -> None:
    batch = pb.BatchStepper(unconstrained(name), n=STATES, threads=1)
    for state in range(STATES):
        for field in INPUTS:
            getattr(batch, field)[state] = FACTS[name][f"{state}/{field}"]
    batch.step(1)
    for state in range(STATES):
        for field in STATE:
            agree(getattr(batch, field)[state], FACTS[name][f"{state}/next_{field}"], field)


@pytest.mark.long
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_step_as_mujoco(name: str) -> None:
    model = unconstrained(name)
    stepper = pb.Stepper(model, kernels="specialized")
    for state in range(STATES):
        pb.reset(model, stepper.data)
        put(stepper.data, name, state)
        stepper.step(1)
        for field in STATE:
            agree(getattr(stepper.data, field), FACTS[name][f"{state}/next_{field}"], field)


MESH = """<mujoco><compiler {compiler}/><asset><mesh name="m" {mesh}/></asset><worldbody>
<body><freejoint/><geom type="mesh" mesh="m" {geom}/></body></worldbody></mujoco>"""
FLAT = 'builtin="square" params="3 3 1 1 1 1" inertia="exact"'
LOOSE = 'contype="0" conaffinity="0"'
STRETCHED = """<mujoco><asset><hfield name="h" nrow="2" ncol="2" size="1 1 1 1"/></asset><worldbody>
<frame scale="1 2 3" scaling="{policy}">{inside}</frame></worldbody></mujoco>"""
PLUGGED = """<mujoco><extension><plugin plugin="mujoco.sdf.torus"/></extension><asset><mesh name="m">{mesh}
</mesh></asset><worldbody><frame {scale}><geom type="sdf" mesh="m"><plugin plugin="mujoco.sdf.torus"/></geom>
</frame></worldbody></mujoco>"""
REFUSED = {
    "a sheet has no volume": (MESH.format(compiler="", mesh=FLAT, geom=LOOSE), "too small"),
    "shells are said by meshes": (
        MESH.format(compiler="", mesh='builtin="sphere" params="1"', geom='shellinertia="true"'),
        "inertia",
    ),
    "a cone needs three vertices": (
        MESH.format(compiler="", mesh='builtin="cone" params="2 1"', geom=""),
        "at least 3",
    ),
    "mass of what is discarded": (
        MESH.format(
            compiler='discardvisual="true" inertiafromgeom="true"',
            mesh='builtin="sphere" params="1"',
            geom=LOOSE,
        ),
        "its mass counts",
    ),
    "attached twice": (
        """<mujoco><worldbody><body name="b"/><attach body="b" prefix="p"/><attach body="b" prefix="p"/>
        </worldbody></mujoco>""",
        "already",
    ),
    "a stretched unit": (STRETCHED.format(policy="similar", inside=""), "geometry"),
    "a plugin of something scaled": (
        PLUGGED.format(scale='scale="2"', mesh='<plugin plugin="mujoco.sdf.torus"/>'),
        "a mesh with a plugin cannot be scaled",
    ),
} | {
    f"stretched {inside}": (STRETCHED.format(policy="geometry", inside=inside), message)
    for inside, message in {
        '<geom size="1"/>': "a sphere can only be scaled equally in all directions",
        '<geom size="1" quat="1 0 .1 0"/>': "a sphere can only be scaled equally in all directions",
        '<geom type="box" size="1 1 1" quat="1 .1 0 0"/>': "a box must be aligned",
        '<geom type="ellipsoid" size="1 1 1" quat="1 .1 0 0"/>': "an? ellipsoid must be aligned",
        '<geom type="plane" size="1 1 1" quat="1 0 0 .1"/>': "a plane must be aligned",
        '<geom type="capsule" size="1 1"/>': "a capsule can only be scaled equally",
        '<geom type="cylinder" size="1 1" quat="1 .1 0 0"/>': "a cylinder must be aligned",
        '<geom type="box" size="1" fromto="0 0 0 0 0 1"/>': "a box can only be scaled equally",
        '<geom type="hfield" hfield="h" quat="1 0 0 .1"/>': "a hfield must be aligned",
        '<body><joint axis="0 1 1"/><geom type="box" size="1 1 1"/></body>': "axis of a joint",
        '<body><joint type="slide" axis="0 1 1"/><geom type="box" size="1 1 1"/></body>': "axis of a joint",
    }.items()
}


@pytest.mark.parametrize("name", REFUSED)
def test_refusals(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises(ValidationError, match=message):
        pb.lower(pb.read("model.xml", text=text, release="4.0"))


@pytest.mark.parametrize(
    ("policy", "ff", "ff_of_slide"), [("similar", 60.0, 30.0), ("geometry", 3.0, 3.0)]
)
def test_ranges_of_scaled_pid_controllers_are_those_of_mujoco(
    policy: str, ff: float, ff_of_slide: float
) -> None:
    model = lowered(f"scaled, pid, {policy}")
    assert model.actuator_ctrlrange[:2].tolist() == [[-1, 1], [-2, 4]]
    assert model.actuator_velrange[0].tolist() == [-2, 2]
    assert model.actuator_ffrange[[0, 2]].tolist() == [[-ff, ff], [-ff_of_slide, ff_of_slide]]


COPIED = """
<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed></tendon>
<equality><tendon tendon1="t"/><weld body1="b" body2="world"/><weld body1="world" body2="b"/></equality>
<actuator><motor name="m" tendon="t"/></actuator>
<sensor><actuatorfrc name="f" actuator="m"/><tendonpos tendon="t"/><framepos objtype="body" objname="world"
  reftype="body" refname="b"/><framepos objtype="body" objname="world"/></sensor>"""


ANSWERS = {
    "4.0": (
        [(3, 0, -1), (1, 1, 0), (1, 0, 1), (3, 1, -1), (1, 2, 0), (1, 0, 2)],
        ["", "f0", "", "", "f1", "", ""],
        [(0, -1), (0, -1), (0, 1), (0, -1), (1, -1), (1, -1), (0, 2)],
    ),
    "3.17": (
        [(3, 0, -1), (3, 1, -1)],
        ["", "f0", "", "", "f1", "", ""],
        [(0, -1), (0, -1), (0, 1), (0, -1), (1, -1), (1, -1), (0, 2)],
    ),
    "3.3.0": ([(3, 0, -1)], ["", "", "", ""], [(0, -1), (0, -1), (0, 1), (0, 2)]),
}
"""Type and objects of equalities, names of sensors, their objects and reference objects, of MuJoCo 4.0.1,
3.17.0 and 3.3.0.
"""


@pytest.mark.parametrize("release", ANSWERS)
def test_what_refers_to_copied_tendons_and_to_the_world_is_copied(release: str) -> None:
    body = '<body name="b"><joint name="j"/><geom size=".1"/></body>'
    copies = f'<worldbody><replicate count="2" offset="0 1 0">{body}</replicate></worldbody>'
    text = f"<mujoco>{copies}{COPIED}</mujoco>"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", pb.ModelWarning)  # of the release
        model = pb.lower(pb.read("model.xml", text=text, release=release))
    equalities, names, objects = ANSWERS[release]
    found = zip(model.eq_type.tolist(), model.eq_obj1id.tolist(), model.eq_obj2id.tolist(), strict=True)
    assert [(int(kind), *ends) for kind, *ends in found] == equalities
    assert list(model.names["sensor"]) == names
    sensors = zip(model.sensor_objid.tolist(), model.sensor_refid.tolist(), strict=True)
    assert sorted(sensors) == sorted(objects)
    assert model.nactuator == sum(kind == 3 for kind, *_ in equalities)


SIMPLE = """<mujoco><worldbody><body {0}><joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 1 0"/>
<geom type="box" size=".1 .2 .3" mass="2"/></body><body pos="2 0 0" {0}><freejoint/>
<geom type="box" size=".1 .2 .3"/></body></worldbody></mujoco>"""


def test_bodies_that_are_not_to_be_simple_are_not(tmp_path: Path) -> None:
    """The numbers are MuJoCo's: the inverse weight of slides along two axes is then a mean over three."""
    simple, other = (
        pb.lower(pb.read("model.xml", text=SIMPLE.format(word), release="4.0"))
        for word in ("", 'simple="false"')
    )
    other.save(tmp_path / "model.npz")
    for model in (other, pb.Model.load(tmp_path / "model.npz")):
        np.testing.assert_array_equal(model.body_simple, [1, 0, 0])
        np.testing.assert_array_equal(model.dof_simplenum, np.zeros(8))
        np.testing.assert_allclose(model.body_invweight0[:, 0], [0, 1 / 3, 1 / 48], rtol=1e-12)
    np.testing.assert_array_equal(simple.body_simple, [1, 2, 1])
    np.testing.assert_allclose(simple.body_invweight0[:, 0], [0, 1 / 2, 1 / 48], rtol=1e-12)
    assert not simple.body_notsimple.any()
