"""ModelBuilder makes of its arguments what an Assembly makes of the same parts."""

from __future__ import annotations

from typing import Any

import numpy as np
import polybody as pb
import pytest
from polybody.assembly.parts import (
    Actuator,
    Assembly,
    Body,
    Element,
    Equality,
    Exclude,
    Geom,
    Joint,
    Key,
    Material,
    Site,
    Tendon,
)
from polybody.diagnostics import Findings
from polybody.generated.model import ElementType, EqualityType, JointType, ShapeType
from polybody.model.checks import GIVEN


def _assembled() -> pb.Model:
    options = {"opt_timestep": 1e-3, "opt_gravity": (0.0, 0.0, -9.81), "opt_integrator": 0}
    assembly = Assembly("m", options, solref=(0.03, 0.9), solref_limit=(0.04, 1.0))
    base = assembly.body(Body("base", mass=2.0, inertia=np.diag([0.1, 0.2, 0.25]), gravcomp=0.5))
    arm = assembly.body(Body("arm", base, (0.1, 0, 0), (0.6, 0.8, 0, 0), 1.0, (0, 0, 0.1), np.eye(3)))
    slide = Joint("slide", JointType.slide, axis=(1, 0, 0), range=(-1.0, np.inf), frictionloss=0.1, qvel0=[2])
    turn = Joint("turn", JointType.hinge, pos=(0, 0, 0.2), qpos0=[0.3], damping=0.2, servorange=[(-3.0, 3.0)])
    ball = Joint("ball", JointType.ball, quat=(0, 1, 0, 0), vectorspring=True, stiffness=1.5)
    base.joints += [slide, turn]
    arm.joints.append(ball)
    red = Material("red", (1.0, 0.0, 0.0, 1.0))
    assembly.world.geoms.append(Geom("floor", ShapeType.plane, (5.0, 5.0, 0.1), contype=1, conaffinity=1))
    tip = Geom("tip", ShapeType.sphere, (0.05,), material=red, contype=2, condim=4, stiffness=9e4)
    tip.friction = (0.7, 0.01, 0.0)
    arm.geoms.append(tip)
    arm.sites.append(Site("eye", (0, 0, 0.3), (0, 0, 1, 0)))
    servo = {"gain": 50.0, "bias": (0.0, -50.0, -2.0), "ctrlrange": (-1.0, 1.0), "forcerange": (-9.0, 9.0)}
    assembly.actuators += [Actuator("servo", turn, **servo), Actuator("torque", ball, (1.0, 0.0, 2.0))]
    assembly.equalities += [
        Equality(EqualityType.joint, turn, slide, (0.0, 2.0, 0.5), name="gear"),
        Equality(EqualityType.connect, base, arm, (0.1, 0, 0), (0, 0, 0.1), active=False),
    ]
    spring = {"stiffness": (3.0, 3.0, 3.0), "torque_damping": (0.1, 0.2, 0.3), "pos2": (0, 0, 0.1)}
    assembly.elements.append(Element(ElementType.bushing, None, arm, **spring, name="bush"))
    assembly.tendons.append(Tendon([(slide, 1.0), (turn, -2.0)], (-1.0, 1.0), 5.0, 0.3, (0.1, 0.2), "cord"))
    assembly.excludes.append(Exclude(None, arm, "apart"))
    assembly.keys.append(Key("held", {turn: [0.5]}))
    return assembly.build(Findings())


def _built() -> pb.Model:
    b = pb.ModelBuilder("m", timestep=1e-3, solref=(0.03, 0.9), solref_limit=(0.04, 1.0))
    base = b.body(name="base", mass=2.0, inertia=(0.1, 0.2, 0.25), gravcomp=0.5)
    place: dict[str, Any] = {"pos": (0.1, 0, 0), "quat": (0.6, 0.8, 0, 0), "ipos": (0, 0, 0.1)}
    arm = b.body(base, name="arm", **place, mass=1.0, inertia=np.eye(3))
    b.joint(base, "slide", name="slide", axis=(2, 0, 0), range=(-1.0, np.inf), frictionloss=0.1, qvel0=2)
    b.joint(base, "hinge", name="turn", pos=(0, 0, 0.2), qpos0=0.3, damping=0.2, servorange=[(-3.0, 3.0)])
    b.joint(arm, "ball", name="ball", quat=(0, 2, 0, 0), vectorspring=True, stiffness=1.5)
    grey = (0.5, 0.5, 0.5, 1.0)
    b.geom(0, "plane", name="floor", size=(5, 5, 0.1), rgba=grey, contype=1, conaffinity=1)
    touch: dict[str, Any] = {"contype": 2, "condim": 4, "friction": (0.7, 0.01, 0), "stiffness": 9e4}
    red = Material("red", (1.0, 0.0, 0.0, 1.0))
    b.geom(arm, "sphere", name="tip", size=0.05, rgba=grey, material=red, **touch)
    b.site(arm, name="eye", pos=(0, 0, 0.3), quat=(0, 0, 1, 0))
    b.actuator("turn", name="servo", gain=50, bias=(0, -50, -2), ctrlrange=(-1, 1), forcerange=(-9, 9))
    b.actuator("ball", name="torque", gear=(1, 0, 2))
    b.equality("joint", "turn", "slide", data=(0, 2, 0.5), name="gear")
    b.equality("connect", base, arm, data=(0.1, 0, 0), other=(0, 0, 0.1), active=False)
    spring: dict[str, Any] = {"stiffness": (3, 3, 3), "torque_damping": (0.1, 0.2, 0.3), "pos2": (0, 0, 0.1)}
    b.element("bushing", 0, arm, name="bush", **spring)
    bounds: dict[str, Any] = {"range": (-1, 1), "springlength": (0.1, 0.2)}
    b.tendon({"slide": 1, "turn": -2}, name="cord", stiffness=5, damping=0.3, **bounds)
    b.exclude(0, arm, name="apart")
    b.key("held", {"turn": 0.5})
    return b.build()


def test_a_builder_makes_what_an_assembly_makes() -> None:
    built, assembled = _built(), _assembled()
    assert built.names == assembled.names
    one, other = built.given(), assembled.given()
    assert one.keys() == other.keys() == GIVEN.keys()
    for name, values in one.items():
        assert values.tobytes() == other[name].tobytes(), name
    assert built.key_ctrl.tolist() == [[0.5, 0.0]]
    pb.step(built, pb.Data(built))


def test_data_by_name_is_stored() -> None:
    b = pb.ModelBuilder()
    body = b.body(name="a", mass=1, inertia=(1, 1, 1))
    b.joint(body, "hinge", name="j")
    b.custom("numbers", (1, 2.5))
    b.custom("note", "text")
    b.custom("pair", [("body", body, 0.5), ("joint", "j", 2.0)])
    model = b.build()
    assert model.numeric_data.tolist() == [1, 2.5]
    assert model.text_data.tobytes() == b"text\0"
    assert (model.tuple_objid.tolist(), model.tuple_objprm.tolist()) == ([1, 0], [0.5, 2.0])


def test_bodies_keep_the_order_in_which_they_were_added() -> None:
    b = pb.ModelBuilder()
    one, two = (b.body(name=name, mass=1, inertia=(1, 1, 1)) for name in ("one", "two"))
    below = b.body(one, name="below", mass=1, inertia=(1, 1, 1))
    for body in (below, two):
        b.joint(body, "hinge", name=f"of {body}")
    model = b.build()
    assert model.names["body"] == ("world", "one", "two", "below")
    assert (model.body_parentid.tolist(), model.jnt_bodyid.tolist()) == ([0, 0, 0, 1], [two, below])


@pytest.mark.parametrize(
    ("method", "arguments", "said"),
    [
        ("site", {"body": 7}, "site 0: body 7 does not exist"),
        ("actuator", {"joint": "k"}, "actuator 0: 'k' is not one of the joints that exist: 'j'"),
        ("actuator", {"joint": "j", "gear": (1, 2)}, "gear must be 1 number"),
        ("actuator", {"joint": "j", "ctrlrange": 3}, "ctrlrange must be 2 numbers"),
        ("equality", {"type": "joint", "first": 1}, "joint needs names of joints, not 1"),
        ("equality", {"type": "weld", "first": "j"}, "weld needs rows of bodies, not 'j'"),
        ("equality", {"type": "flex", "first": 1}, "must be connect, weld, joint or formula, not flex"),
        ("equality", {"type": "joint", "first": "j", "data": (0,) * 6}, "6 numbers, which are too many"),
        ("equality", {"type": "joint", "first": "ball", "data": (0,)}, "'ball' has more than one degree of"),
        ("equality", {"type": "joint", "first": "j", "second": "ball"}, "'ball' has more than one degree of"),
        ("equality", {"type": "weld", "first": 1, "data": (0, 0, 0)}, "data must be 11 numbers"),
        ("element", {"type": "rope", "body1": 0, "body2": 1}, "'rope' is not one of"),
        ("exclude", {"body1": 0, "body2": 2}, "body 2 does not exist"),
        ("key", {"name": "k", "qpos": (1, 2)}, "qpos must be 1 number"),
        ("key", {"name": "k", "qpos": {"k": 1}}, "'k' is not one of the joints"),
        ("custom", {"name": "c", "data": [("geom", 0, 1.0)]}, "'geom' of 0 is neither a body's row nor"),
    ],
)
def test_parts_that_cannot_be(method: str, arguments: dict[str, Any], said: str) -> None:
    b = pb.ModelBuilder()
    b.joint(b.body(mass=1, inertia=(1, 1, 1)), "hinge", name="j")
    if "ball" in arguments.values():
        b.joint(b.body(mass=1, inertia=(1, 1, 1)), "ball", name="ball")
    with pytest.raises(pb.ModelError) as error:
        getattr(b, method)(**arguments)
    assert said in str(error.value)
