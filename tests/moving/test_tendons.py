"""Tendons and muscles compared with MuJoCo, with every kind of kernel."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
import pytest

from tests.moving.workshop import away, put

mujoco = pytest.importorskip("mujoco")
PATH = Path(__file__).with_name("ropes.xml")
FIELDS = (
    *("ten_length", "ten_velocity", "ten_J", "ten_wrapadr", "ten_wrapnum"),
    *("actuator_length", "actuator_velocity", "act_dot", "actuator_force", "qfrc_spring", "qfrc_damper"),
    *("qfrc_passive", "qfrc_actuator", "qfrc_smooth", "qacc", "sensordata", "energy"),
)
AT_REFERENCE = (
    *("tendon_length0", "tendon_invweight0", "tendon_lengthspring", "actuator_length0", "actuator_acc0"),
)
INPUTS = ("qpos", "qvel", "act", "ctrl")


def ropes(integrator: str = "Euler") -> pb.Model:
    model = pb.load(PATH, disable="constraint", enable="energy")
    return model.replace(opt_integrator=integrator)


def peer(integrator: str = "Euler") -> tuple[Any, Any]:
    model = mujoco.MjModel.from_xml_path(str(PATH))
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
    model.opt.enableflags |= mujoco.mjtEnableBit.mjENBL_ENERGY
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4 if integrator == "RK4" else 0
    return model, mujoco.MjData(model)


def state(seed: int, scale: float = 0.6) -> dict[str, Any]:
    """A state of the ropes: unit quaternions, activations and controls, some of them out of range."""
    rng = np.random.default_rng(seed)
    theirs, data = peer()
    data.qpos[:] += scale * rng.normal(size=theirs.nq)
    mujoco.mj_normalizeQuat(theirs, data.qpos)
    data.qvel[:] = rng.normal(size=theirs.nv)
    data.act[:], data.ctrl[:] = (0.5 + 0.7 * rng.normal(size=n) for n in (theirs.na, theirs.nu))
    return {name: np.array(getattr(data, name)) for name in INPUTS}


def test_at_the_reference() -> None:
    model, (theirs, _) = ropes(), peer()
    for name in AT_REFERENCE:
        assert away(getattr(model, name), getattr(theirs, name)) < 1e-11, name


def test_fields_at_instants() -> None:
    """At states in which each shape is wrapped and passed."""
    model, (theirs, other) = ropes(), peer()
    data = pb.Data(model)
    touched = np.zeros(model.ntendon)
    for seed in range(60):
        values = state(seed)
        put(data, values)
        put(other, values)
        pb.forward(model, data)
        mujoco.mj_forward(theirs, other)
        for name in FIELDS:
            assert away(getattr(data, name), getattr(other, name)) < 1e-11, (seed, name)
        points = int(other.ten_wrapnum.sum())  # MuJoCo leaves stale ones beyond the last
        assert np.array_equal(data.wrap_obj.ravel()[:points], other.wrap_obj.ravel()[:points])
        assert away(data.wrap_xpos.reshape(-1, 3)[:points], other.wrap_xpos.reshape(-1, 3)[:points]) < 1e-11
        touched += [(data.wrap_obj.ravel() >= 0)[a : a + n].any() for a, n in rows(data)]
    assert (touched[2:5] > 5).all()
    assert (touched[2:5] < 55).all()


def rows(data: pb.Data) -> list[tuple[int, int]]:
    """The index of the first point of each tendon's path, and the number of its points."""
    return list(zip(data.ten_wrapadr.tolist(), data.ten_wrapnum.tolist(), strict=True))


def spans(rng: np.random.Generator, count: int) -> str:
    """A document of tendons from a fixed site to a moving one, around or past a shape at the origin."""
    fixed, moving, shapes, tendons = [], [], [], []
    for k in range(count):
        places = {name: 1.2 * rng.normal(size=3) for name in "abs"}
        if k % 5 == 0:  # on a line through the centre
            places["a"], places["s"] = np.array([0.0, 0.0, 1.2]), np.array([0.3, 0.4, 0.1]) * (-1) ** k
            places["b"] = -0.7 * places["a"]
        kind, size = ("sphere", f"{rng.uniform(0.2, 0.9)}") if k % 2 else ("cylinder", "0.5 0.1")
        turn = " ".join(map(str, rng.uniform(-90, 90, size=3))) if k % 5 else "90 0 0"
        shapes.append(f'<geom name="g{k}" type="{kind}" size="{size}" euler="{turn}"/>')
        for name, place in places.items():
            at = moving if name == "b" else fixed
            at.append(f'<site name="{name}{k}" pos="{" ".join(map(str, place))}"/>')
        side = f' sidesite="s{k}"' if k % 3 or k % 5 == 0 else ""
        path = f'<site site="a{k}"/><geom geom="g{k}"{side}/><site site="b{k}"/>'
        tendons.append(f"<spatial>{path}</spatial>")
    hinges = '<joint type="slide"/><joint axis="1 2 3"/><geom size="1"/>'
    body = f"<body>{hinges}{''.join(moving)}</body>"
    world = f"<worldbody>{''.join(shapes + fixed)}{body}</worldbody>"
    return f"<mujoco>{world}<tendon>{''.join(tendons)}</tendon></mujoco>"


def test_shapes_wherever_they_are(tmp_path: Path) -> None:
    """Both ways around the outside, along the inside, ends inside the shape, and paths that do not touch
    it.
    """
    text = spans(np.random.default_rng(0), 150)
    (tmp_path / "spans.xml").write_text(text)
    model = pb.load(tmp_path / "spans.xml", disable="constraint")
    theirs = mujoco.MjModel.from_xml_string(text)
    data, other = pb.Data(model), mujoco.MjData(theirs)
    for q in ((0.0, 0.0), (0.3, 0.7), (-0.1, 1.3), (0.5, -2.2)):
        data.qpos[:] = other.qpos[:] = q
        pb.forward(model, data)
        mujoco.mj_forward(theirs, other)
        assert np.abs(data.ten_length - other.ten_length).max() < 1e-11
        assert np.abs(data.ten_J.ravel() - other.ten_J.ravel()).max() < 1e-9


@pytest.mark.parametrize("integrator", ["Euler", "RK4"])
def test_steps(integrator: str) -> None:
    model, (theirs, other) = ropes(integrator), peer(integrator)
    data = pb.Data(model)
    put(data, state(3))
    put(other, state(3))
    pb.step(model, data, 100)
    mujoco.mj_step(theirs, other, 100)
    for name in ("qpos", "qvel", "act", "sensordata"):
        assert away(getattr(data, name), getattr(other, name)) < 1e-10, name


def test_every_kernel_has_the_same_numbers() -> None:
    model, names = ropes(), ("qpos", "qvel", "act", "sensordata")
    results = ("sensordata", "ten_length", "ten_velocity", "qfrc_actuator", "qfrc_spring")
    loops, straight = (pb.Stepper(model, kernels=kind) for kind in ("loop", "specialized"))
    batch = pb.BatchStepper(model, n=3, results=results)
    for seed in range(3):
        put(loops.data, state(seed))
        put(straight.data, state(seed))
        for name in INPUTS:
            getattr(batch, name)[seed] = state(seed)[name]
    batch.step(10)
    loops.step(10)
    straight.step(10)
    for name in names:
        found = batch.results["sensordata"] if name == "sensordata" else getattr(batch, name)
        assert away(getattr(straight.data, name), getattr(loops.data, name)) < 1e-11, name
        assert away(found[2], getattr(loops.data, name)) < 1e-11, name
    put(loops.data, state(2))
    loops.step(9)
    pb.forward(model, loops.data)
    for name in results:
        assert away(batch.results[name][2], getattr(loops.data, name)) < 1e-10, name


def test_the_jacobian_is_the_derivative_of_the_length() -> None:
    model = ropes()
    data, step = pb.Data(model), 1e-6
    for seed in range(5):
        put(data, state(seed))
        jacobian, before = data.ten_J.copy(), data.qpos.copy()
        for dof in range(model.nv):
            lengths = []
            for sign in (1, -1):
                data.qpos[:] = before
                nudged = np.zeros(model.nv)
                nudged[dof] = sign * step
                theirs, _ = peer()
                mujoco.mj_integratePos(theirs, data.qpos, nudged, 1.0)
                pb.forward(model, data)
                lengths.append(data.ten_length.copy())
            data.qpos[:] = before
            slope = (lengths[0] - lengths[1]) / (2 * step)
            assert np.abs(slope - jacobian[:, dof])[:5].max() < 1e-7


def test_muscles_without_a_range_of_lengths_are_refused() -> None:
    document = pb.read(PATH)
    model = pb.lower(document, disable="constraint")
    ranges = model.actuator_lengthrange.copy()
    ranges[1] = 0
    without = model.replace(actuator_lengthrange=ranges)
    with pytest.raises(
        pb.ModelError, match=r"without `lengthrange`.*actuator 1 'triceps' .*disable='actuation'"
    ):
        pb.step(without, pb.Data(without))


def test_one_tendon_by_name() -> None:
    model = ropes()
    data = pb.Data(model)
    data.qvel[:] = 1.0
    pb.forward(model, data)
    for row, name in enumerate(model.names["tendon"]):
        assert data.tendon(row).length == data.ten_length[row]
        assert data.tendon(name).velocity == data.ten_velocity[row]
    with pytest.raises(KeyError, match="no tendon is called 'cord'"):
        data.tendon("cord")


FIXED = """<mujoco><option gravity="0 0 0"><flag contact="disable"/></option><worldbody><body>
<joint axis="1 2 3" pos=".1 .2 .3"/><geom size=".1" mass="1"/><site name="a" pos=".11 .23 .31"/>
<body pos=".37 .2 .1" euler="10 20 30"><geom size=".1" mass="1"/><site name="b" pos=".13 .07 .03"/></body>
</body></worldbody><tendon><spatial {}><site site="a"/><site site="b"/></spatial></tendon>
<sensor><force site="b"/></sensor></mujoco>"""


def test_dry_friction_of_a_tendon_of_constant_length_is_none() -> None:
    """Also not in the force between the bodies that it connects, which are fixed to each other."""
    rng = np.random.default_rng(0)
    rough, smooth = (
        pb.lower(pb.read("m.xml", text=FIXED.format(words), release="4.0"))
        for words in ('frictionloss=".5"', "")
    )
    for _ in range(5):
        found = [pb.Data(model) for model in (rough, smooth)]
        qpos, qvel = rng.normal(size=(2, 1))
        for data in found:
            data.qpos[:], data.qvel[:] = qpos, qvel
            pb.forward(data.model, data)
        assert found[0].nefc == 0
        np.testing.assert_allclose(found[0].sensordata, found[1].sensordata, rtol=1e-12)
        np.testing.assert_allclose(found[0].cfrc_int, found[1].cfrc_int, rtol=1e-12, atol=1e-12)
