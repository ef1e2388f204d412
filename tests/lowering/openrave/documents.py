"""The example documents, and helpers that query their Models."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polybody as pb
from polybody.lowering import lowered

TRIDOF = """<Robot name="3DOFRobot"><KinBody>
<Body name="Base" type="dynamic"><Translation>0 0 0</Translation>
 <Geom type="cylinder"><rotationaxis>1 0 0 90</rotationaxis><radius>0.03</radius>
 <height>0.02</height></Geom></Body>
<Body name="Arm0" type="dynamic"><offsetfrom>Base</offsetfrom><Translation>0 0 0.005</Translation>
 <Geom type="box"><Translation>0.08 0 0</Translation><Extents>0.08 0.01 0.005</Extents></Geom></Body>
<Joint circular="true" name="Arm0" type="hinge"><Body>Base</Body><Body>Arm0</Body>
 <offsetfrom>Arm0</offsetfrom>
 <weight>4</weight><limitsdeg>-180 180</limitsdeg><axis>0 0 1</axis><maxvel>3</maxvel>
 <resolution>1</resolution>
</Joint>
<Body name="Arm1" type="dynamic"><offsetfrom>Arm0</offsetfrom><Translation>0.14 0 0.01</Translation>
 <Geom type="box"><Translation>0.08 0 0</Translation><Extents>0.08 0.0075 0.005</Extents></Geom></Body>
<Joint circular="true" name="Arm1" type="hinge"><Body>Arm0</Body><Body>Arm1</Body>
 <offsetfrom>Arm1</offsetfrom>
 <weight>3</weight><limitsdeg>-180 180</limitsdeg><axis>0 0 1</axis><maxvel>4</maxvel>
 <resolution>1</resolution>
</Joint>
<Body name="Arm2" type="dynamic"><offsetfrom>Arm1</offsetfrom><Translation>0.14 0 0.01</Translation>
 <Geom type="box"><Translation>0.04 0 0</Translation><Extents>0.04 0.005 0.005</Extents></Geom></Body>
<Joint circular="true" name="Arm2" type="hinge"><Body>Arm1</Body><Body>Arm2</Body>
 <offsetfrom>Arm2</offsetfrom>
 <weight>3</weight><limitsdeg>-180 180</limitsdeg><axis>0 0 1</axis><maxvel>2</maxvel>
 <resolution>2</resolution>
</Joint>
<Body name="RClaw" type="dynamic"><offsetfrom>Arm2</offsetfrom><Translation>0.08 0 0.005</Translation>
 <rotationaxis>0 0 1 -90</rotationaxis></Body>
<Joint name="j1" type="hinge"><Body>Arm2</Body><Body>RClaw</Body><offsetfrom>RClaw</offsetfrom>
 <weight>0.2</weight>
 <limitsdeg>-56 16</limitsdeg><axis>0 0 1</axis><maxvel>0.4</maxvel><resolution>3</resolution></Joint>
<Body name="LClaw" type="dynamic"><Translation>0.08 0.005 0</Translation>
 <rotationaxis>0 0 1 -90</rotationaxis>
 <offsetfrom>Arm2</offsetfrom></Body>
<Joint name="j2" type="hinge"><Body>Arm2</Body><Body>LClaw</Body><offsetfrom>LClaw</offsetfrom>
 <weight>0.2</weight>
 <limitsdeg>-56 16</limitsdeg><axis>0 0 -1</axis><maxvel>0.4</maxvel><resolution>3</resolution></Joint>
<transparency>0.1</transparency></KinBody>
<Manipulator name="arm"><effector>Arm2</effector><base>Base</base><joints>j1 j2</joints>
 <closingdirection>1 1</closingdirection><direction>1 0 0</direction><Translation>0.125 0 0</Translation>
</Manipulator></Robot>"""

HAND = """<kinbody name="finger"><body name="palm"/>
<body name="prox"><translation>0.05 0 0</translation></body>
<body name="dist"><offsetfrom>prox</offsetfrom><translation>0.07 0 0</translation></body>
<joint name="JF1" type="hinge"><body>palm</body><body>prox</body><offsetfrom>prox</offsetfrom>
 <axis>0 0 1</axis>
 <limits>0 2.4</limits></joint>
<joint name="JF1mimic" type="hinge" enable="false" mimic_pos="JF1/3+0.8727" mimic_vel="|JF1 0.33333"
 mimic_accel="|JF1 0"><body>prox</body><body>dist</body><offsetfrom>dist</offsetfrom>
 <axis>0 0 1</axis></joint>
</kinbody>"""

ARM_FILE = """<kinbody name="arm"><body name="base"/>
<body name="link1"><offsetfrom>base</offsetfrom><translation>0 0 0.3</translation></body>
<body name="link2"><offsetfrom>link1</offsetfrom><translation>0.2 0 0</translation>
 <rotationaxis>1 0 0 90</rotationaxis></body>
<joint name="j1" type="hinge"><body>base</body><body>link1</body><offsetfrom>link1</offsetfrom>
 <axis>0 0 1</axis>
</joint>
<joint name="j2" type="hinge"><body>link1</body><body>link2</body><offsetfrom>link2</offsetfrom>
 <axis>0 0 1</axis>
</joint></kinbody>"""
DUAL = """<Robot name="dual"><KinBody><body name="chest"/>
<KinBody><KinBody prefix="l_" file="arm.kinbody.xml"/><RotationAxis>1 0 0 90</RotationAxis>
 <translation>0 -0.1 0.7</translation></KinBody>
<KinBody><KinBody prefix="r_" file="arm.kinbody.xml"/><RotationAxis>1 0 0 -90</RotationAxis>
 <translation>0 0.1 0.7</translation></KinBody>
<joint name="leftdummy" type="hinge" enable="false"><body>chest</body><body>l_base</body>
 <limits>0 0</limits></joint>
<joint name="rightdummy" type="hinge" enable="false"><body>chest</body><body>r_base</body>
 <limits>0 0</limits></joint>
</KinBody>
<Manipulator name="leftarm"><base>l_base</base><effector>l_link2</effector></Manipulator>
<Manipulator name="rightarm"><base>r_base</base><effector>r_link2</effector></Manipulator>
<translation>1 2 0</translation><rotationaxis>0 0 1 90</rotationaxis></Robot>"""


def low(tmp_path: Path, text: str, **options: Any) -> Any:
    """The result of lowering a document that is beside the files of a folder."""
    path = tmp_path / "document.xml"
    path.write_text(text, encoding="utf-8")
    return lowered(pb.read(path, policy="warn", format="openrave"), **options)


def kinbody(inside: str) -> str:
    return f'<kinbody name="k">{inside}</kinbody>'


def poses(made: Any, q: Any = None) -> dict[str, tuple[np.ndarray, np.ndarray]]:
    """Position and quaternion of each body for native coordinates, by default those after loading."""
    model = made.model
    data = pb.Data(model)
    if q is not None:
        data.qpos[:] = made.native.qpos(q)
    pb.forward_kinematics(model, data)
    return {
        name: (data.xpos[row].copy(), data.xquat[row].copy()) for row, name in enumerate(model.names["body"])
    }


def dofs(made: Any, values: Any) -> np.ndarray:
    """Native coordinates after loading, with the degrees of freedom replaced."""
    q = made.native.q(made.model.qpos0)
    q[: len(values)] = values
    return q


def near(found: tuple[np.ndarray, np.ndarray], pos: Any, quat: Any = None, places: float = 1.1e-6) -> None:
    np.testing.assert_allclose(found[0], pos, rtol=0, atol=places)
    if quat is not None:
        sign = np.sign(np.dot(found[1], quat))
        np.testing.assert_allclose(sign * found[1], quat, rtol=0, atol=places)


def errors(caught: Any) -> list[str]:
    return [str(each) for each in caught.value.diagnostics if each.severity == "error"]


HINGE = '<joint name="{name}" type="hinge"><body>{one}</body><body>{two}</body>{more}</joint>'


def hinge(name: str, one: str, two: str, more: str = "<axis>0 0 1</axis>") -> str:
    return HINGE.format(name=name, one=one, two=two, more=more)


def said(made: Any, words: str) -> bool:
    return any(words in each.message for each in made.findings)


def two(joint: str, second: str = "") -> str:
    return kinbody(f'<body name="a" type="static"/><body name="b">{second}</body>{joint}')
