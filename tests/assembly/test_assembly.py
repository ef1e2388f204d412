"""Assembly of bodies and joints: rows, offsets, errors at the elements, free joints with unequal axes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody
import pytest
from polybody.assembly.parts import (
    Actuator,
    Assembly,
    Body,
    Equality,
    Exclude,
    Geom,
    Joint,
    Key,
    Tendon,
)
from polybody.diagnostics import Findings
from polybody.generated.model import EqualityType, JointType, ShapeType
from polybody.lowering import lowered

MASS: dict[str, Any] = {"mass": 1.0, "inertia": np.diag([1.0, 2.0, 2.5])}


def tree() -> tuple[Assembly, list[Body]]:
    """The world carries a, which carries b and c; b carries d. They are added in a different order."""
    assembly = Assembly("tree")
    a = Body("a", None, **MASS)
    b, c = Body("b", a, **MASS), Body("c", a, **MASS)
    d = Body("d", b, **MASS)
    for row, body in enumerate((a, b, c, d)):
        body.joints.append(Joint(f"j{row}", JointType.hinge, axis=(0, 1, 0)))
    for body in (a, b, d, c):
        assembly.body(body)
    return assembly, [a, b, c, d]


def test_bodies_come_depth_first_with_what_belongs_to_them() -> None:
    assembly, (a, _, c, _) = tree()
    assembly.world.geoms.append(Geom("floor", ShapeType.plane))
    c.geoms.append(Geom("ball", ShapeType.sphere, (0.5,)))
    a.geoms.append(Geom("box", ShapeType.box, (1, 2, 3)))
    model = assembly.build(Findings())
    assert model.names["body"] == ("world", "a", "b", "d", "c")
    assert model.names["joint"] == ("j0", "j1", "j3", "j2")
    assert model.body_parentid.tolist() == [0, 0, 1, 2, 1]
    assert model.names["geom"] == ("floor", "box", "ball")
    assert model.geom_bodyid.tolist() == [0, 1, 4]
    assert model.geom_rbound[1:] == pytest.approx([np.sqrt(14), 0.5])
    assert (model.opt_timestep, model.opt_gravity.tolist()) == (1e-3, [0, 0, -9.81])


def test_what_refers_to_bodies_and_joints_has_their_rows() -> None:
    assembly, (a, b, c, d) = tree()
    c.joints[0].qpos0 = [0.25]
    assembly.actuators.append(Actuator("m", d.joints[0], 3.0, forcerange=(-np.inf, 4.0)))
    assembly.equalities.append(Equality(EqualityType.joint, d.joints[0], c.joints[0], (1.0, 2.0, 4.0)))
    assembly.equalities.append(Equality(EqualityType.connect, d, None, (1, 2, 3), (4, 5, 6)))
    assembly.excludes += [Exclude(c, b), Exclude(b, c), Exclude(None, d)]
    assembly.tendons.append(Tendon([(c.joints[0], 0.5), (a.joints[0], -1.0)], (-1.0, np.inf)))
    assembly.keys.append(Key("home", np.arange(4.0)))
    model = assembly.build(Findings())
    assert model.actuator_trnid.tolist() == [[2, -1]]
    assert model.actuator_gear[0].tolist() == [3, 0, 0, 0, 0, 0]
    assert model.actuator_forcerange.tolist() == [[-1e10, 4]]
    assert model.eq_obj1id.tolist() == [2, 3]
    assert model.eq_obj2id.tolist() == [3, 0]
    # 1 + 2 (x0 + d) + 4 (x0 + d)^2 at x0 = 1/4, less the follower's start, 0
    assert model.eq_data[0, :3].tolist() == [1.75, 4.0, 4.0]
    assert model.exclude_signature.tolist() == [3, (2 << 16) + 4]
    assert model.wrap_objid.tolist() == [3, 0]
    assert (model.tendon_limited.tolist(), model.tendon_range.tolist()) == ([1], [[-1, 1e10]])
    assert model.key_qpos.tolist() == [[0, 1, 2, 3]]


def test_a_free_joint_of_unequal_axes_is_split_and_keeps_its_coordinates() -> None:
    def made(damping: Any) -> polybody.Model:
        assembly = Assembly()
        pose: dict[str, Any] = {"pos": (1, 2, 3), "quat": (0.5, 0.5, 0.5, 0.5), "ipos": (0.1, 0.2, 0.3)}
        free = Joint("f", JointType.free, damping=damping)
        assembly.body(Body("a", joints=[free], **MASS, **pose))
        return assembly.build(Findings())

    equal, unequal = made(0.5), made((0.5, 0.5, 0.5, 0.5, 0.5, 0.5 + 1e-12))
    assert equal.names["joint"] == ("f",)
    assert unequal.names["joint"] == ("f.0", "f.1", "f.2", "f.3")
    assert unequal.jnt_type.tolist() == [JointType.slide] * 3 + [JointType.ball]
    assert unequal.qpos0.tolist() == equal.qpos0.tolist()
    rng = np.random.default_rng(1)
    quat = rng.normal(size=4)
    state = np.concatenate([rng.uniform(-1, 1, 3), quat / np.linalg.norm(quat)]), rng.uniform(-1, 1, 6)
    results = []
    for model in (equal, unequal):
        data = polybody.Data(model)
        data.qpos, data.qvel = state
        polybody.forward(model, data)
        results.append(np.concatenate([data.xpos[1], data.xmat[1].ravel(), data.qacc]))
    assert results[0] == pytest.approx(results[1], abs=1e-9)


def test_errors_are_at_the_elements() -> None:
    document = polybody.read("a.urdf", text='<robot name="r">\n<link name="a"/>\n<link name="b"/></robot>')
    first, second = document.link
    for wrong, line in (
        ({"mass": -1.0, "inertia": np.eye(3)}, 3),
        ({"mass": 1.0, "inertia": np.diag([1.0, 1.0, 3.0])}, 3),
        ({"mass": np.nan}, 3),
    ):
        assembly = Assembly(root=document)
        assembly.body(Body("a", **MASS, node=first))
        assembly.body(Body("b", node=second, **wrong))
        with pytest.raises(polybody.ValidationError) as caught:
            assembly.build(Findings())
        assert {(each.code, each.line) for each in caught.value.diagnostics} == {("PB063", line)}
    assembly = Assembly(root=document)
    assembly.body(Body("same", **MASS, node=first))
    assembly.body(Body("same", **MASS, node=second))
    with pytest.raises(polybody.ValidationError, match=r"3:1.*name 'same' is already used"):
        assembly.build(Findings())


def test_places_are_for_messages() -> None:
    document = polybody.read("a.urdf", text='<robot name="r">\n<link name="a"/></robot>')
    assembly = Assembly()
    body = assembly.body(Body("a", node=document.link[0]))
    body.joints.append(Joint("j", JointType.hinge, axis=(0, 0, 1), node=document.link[0]))
    model = assembly.build(Findings())
    with pytest.raises(polybody.ModelError, match=r"body 1 'a' \(a.urdf:2:1\)"):
        polybody.step(model, polybody.Data(model))


def test_bodies_that_carry_each_other_are_the_callers_fault() -> None:
    assembly = Assembly()
    a = assembly.body(Body("a"))
    a.parent = assembly.body(Body("b", a))
    with pytest.raises(ValueError, match="not connected to the world: a, b"):
        assembly.build(Findings())


def test_load_makes_no_remarks_and_lowered_does(tmp_path: Path) -> None:
    limit = '<limit lower="-1" upper="1" effort="1" velocity="2"/>'
    ends = '<parent link="world"/><child link="a"/>'
    motor = (
        '<transmission name="t"><type>SimpleTransmission</type><joint name="j"/><actuator name="m"/>'
        "</transmission>"
    )
    text = (
        '<robot name="r"><link name="world"/><link name="a"/><joint name="j" type="{}">{}</joint>{}</robot>'
    )
    path = tmp_path / "a.urdf"
    path.write_text(text.format("revolute", ends + limit, motor))
    result = lowered(polybody.read(path))
    assert [each.code for each in result.findings if "velocity" in each.message] == ["PB061"]
    assert polybody.load(path) == result.model
    path.write_text(text.format("planar", ends + limit, motor))
    with pytest.raises(polybody.ValidationError, match="cannot have an actuator") as of_load:
        polybody.load(path)
    with pytest.raises(polybody.ValidationError, match="cannot have an actuator") as of_lowered:
        lowered(polybody.read(path))
    kept = [each for each in of_lowered.value.diagnostics if each.severity != "info"]
    assert of_load.value.diagnostics == kept
    assert len(kept) < len(of_lowered.value.diagnostics)
