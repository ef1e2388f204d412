"""MJCF documents that give no Model: all errors are reported in one run, with their positions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import mujoco
import polybody
import pytest
from polybody.lowering.mjcf import compile_document

from tests.lowering.mjcf_models import BALL, document

SCENE = """<mujoco><compiler/><option/><size/>
<asset><material name="m"/></asset>
<worldbody><geom name="w" size=".1"/><site name="s0"/>
<body name="a"><joint name="j" range="0 90"/><geom name="g" size=".1"/><site name="s" pos="1 0 0"/>
<camera name="c"/>
<light name="l"/><body name="b"><joint name="k" type="ball"/><geom name="h" type="box" size=".1 .1 .1"/>
</body></body>
<body name="f"><freejoint/><geom size=".1"/></body></worldbody>
<contact><pair geom1="w" geom2="g"/><exclude body1="a" body2="f"/></contact>
<equality><weld body1="a" body2="f"/><joint joint1="j"/></equality>
<tendon><fixed name="t"><joint joint="j" coef="1"/></fixed>
<spatial name="u"><site site="s0"/><geom geom="g"/><site site="s"/></spatial></tendon>
<actuator><motor joint="j"/><position joint="j"/><general joint="j"/></actuator>
<sensor><jointpos joint="j"/><framepos objtype="body" objname="a"/><user dim="1"/>
<distance geom1="w" geom2="g"/></sensor>
<custom><numeric name="n" data="1"/><tuple name="v"><element objtype="body" objname="a"/></tuple></custom>
<keyframe><key/></keyframe></mujoco>"""


def at(document: Any, path: str) -> Any:
    """A node by tags and indices: "worldbody.body.0.geom.0"."""
    node = document
    for step in path.split("."):
        node = node[int(step)] if step.isdigit() else getattr(node, step)
    return node


EDITS: dict[str, tuple[str, str, Any]] = {
    "a plane needs positive": ("worldbody.geom.0", "type", "plane"),
    "a box needs positive numbers": ("worldbody.geom.0", "type", "box"),
    "`condim` is 2; it must be 1, 3, 4 or 6": ("worldbody.geom.0", "condim", 2),
    "there is no material `x`": ("worldbody.geom.0", "material", "x"),
    "`fromto` are the same point": ("worldbody.body.0.body.0.geom.0", "fromto", (1.0,) * 6),
    "a sphere cannot have": ("worldbody.geom.0", "fromto", (0.0, 0.0, 0.0, 1.0, 0.0, 0.0)),
    "the axis of `axisangle` has zero length": ("worldbody.geom.0", "axisangle", (0.0, 0.0, 1e-8, 3.0)),
    "`zaxis` has zero length": ("worldbody.body.0", "zaxis", (0.0, 0.0, 0.0)),
    "the component of the second axis of `xyaxes`": (
        "worldbody.site.0",
        "xyaxes",
        (1.0, 0.0, 0.0, 2.0, 0.0, 0.0),
    ),
    "`axis` has zero length": ("worldbody.body.0.joint.0", "axis", (0.0, 5e-8, 0.0)),
    "`range` from 5 to 5 is empty": ("worldbody.body.0.joint.0", "limited:range", (5.0, 5.0)),
    "must begin at 0, not at 1": ("worldbody.body.0.body.0.joint.0", "range", (1.0, 5.0)),
    "both numbers of `springdamper`": ("worldbody.body.0.joint.0", "springdamper", (1.0, 0.0)),
    "mass and density must not be negative": ("worldbody.body.0.geom.0", "density", -1.0),
    "a mocap body must be a child of the world": ("worldbody.body.0", "mocap", True),
    "`fovy` of 180 degrees": ("worldbody.body.0.camera.0", "fovy", 180.0),
    "there is no body `x`": ("worldbody.body.0.camera.0", "target", "x"),
    "`dir` has zero length": ("worldbody.body.0.light.0", "dir", (0.0, 0.0, 0.0)),
    "a free joint must be the only joint": ("worldbody.body.0.body.0.joint.0", "type", "free"),
    "the name `b` is already used": ("worldbody.body.1", "name", "b"),
    "there is no geom `x`": ("contact.pair.0", "geom1", "x"),
    "couples something to itself": ("equality.weld.0", "body2", "a"),
    "an equality of joints allows": ("equality.joint.0", "joint1", "k"),
    "there is no joint `x` (did": ("tendon.fixed.0.joint.0", "joint", "x"),
    "type `box`": ("tendon.spatial.0.geom.0", "geom", "h"),
    "`width` of a tendon": ("tendon.spatial.0", "width", 0.0),
    "is decreasing": ("tendon.fixed.0", "springlength", (2.0, 1.0)),
    "has no transmission target": ("actuator.motor.0", "joint", None),
    "`inheritrange` is allowed only for servos": ("actuator.position.0", "inheritrange:joint", "k"),
    "has no `range`": ("actuator.position.0", "inheritrange:tendon", "t"),
    "`actrange` requires an activation": ("actuator.general.0", "actrange", (0.0, 1.0)),
    "`actdim` is 2": ("actuator.general.0", "actdim", 2),
    "requires a hinge or a slide": ("sensor.jointpos.0", "joint", "k"),
    "there is no body `x` (did": ("sensor.framepos.0", "objname", "x"),
    "`noise` must not be negative": ("sensor.framepos.0", "noise", -1.0),
    "`dim` is 1; `datatype` `axis` requires 3": ("sensor.user.0", "datatype", "axis"),
    "the two objects are the same": ("sensor.distance.0", "geom2", "w"),
    "a custom field must have 1 to 500": ("custom.numeric.0", "size", 501),
    "`qpos` has 2 numbers; the model needs 12": ("keyframe.key.0", "qpos", (1.0, 2.0)),
    "`user` has 3 numbers; `nuser_geom`": ("worldbody.geom.0", "user", (1.0, 2.0, 3.0)),
    "there is no group 31": ("option", "actuatorgroupdisable", (31,)),
    "`ctrlrange` without `ctrllimited`": ("actuator.motor.0", "autolimits:ctrlrange", (0.0, 1.0)),
}
"""The message, and what causes it: an element, an attribute, its value."""
BESIDE: dict[str, Callable[[Any], None]] = {
    "limited": lambda root: _put(at(root, "worldbody.body.0.joint.0"), "limited", "true"),
    "autolimits": lambda root: _put(root.compiler, "autolimits", False),
}


def _put(node: Any, name: str, value: Any) -> None:
    """Set an attribute; for keywords, the member with that spelling."""
    kinds = {
        "type": {"geom": "GeomType", "joint": "JointType"}.get(node.TAG),
        "limited": "Automatic",
        "datatype": "SensorData",
    }
    if kinds.get(name):
        from polybody.generated.formats import mjcf

        value = getattr(mjcf, kinds[name])(value)
    setattr(node, name, value)


@pytest.mark.parametrize("message", EDITS)
def test_what_cannot_be_is_said_at_its_line(message):
    """For documents that were changed after reading; the reader's errors are a different matter."""
    path, name, value = EDITS[message]
    root = document(SCENE)
    beside, _, name = name.rpartition(":")
    if beside in BESIDE:
        BESIDE[beside](root)
    elif beside:
        at(root, path).joint = None
        setattr(at(root, path), beside, 1.0)
    if name == "user":
        root.size.nuser_geom = 2
    _put(at(root, path), name, value)
    with pytest.raises(polybody.ValidationError) as raised:
        compile_document(root)
    line = at(root, path).span.line
    said = [f"{d.line} {d.message} ({d.suggestion})" for d in raised.value.diagnostics]
    assert any(text.startswith(f"{line} ") and message in text for text in said), said


def test_all_that_is_wrong_is_said_at_once():
    root = document(SCENE)
    geom, joint = root.worldbody.geom[0], root.worldbody.body[0].joint[0]
    motor, sensor = root.actuator.motor[0], root.sensor.jointpos[0]
    geom.condim, joint.axis, motor.joint, sensor.joint = 2, (0.0, 0.0, 0.0), None, "x"
    with pytest.raises(polybody.ValidationError) as raised:
        compile_document(root)
    lines = [node.span.line for node in (geom, joint, motor, sensor)]
    errors = [d for d in raised.value.diagnostics if d.severity == "error"]
    assert [d.line for d in errors] == lines
    assert {d.code for d in errors} == {"PB063"}


WHOLE = {
    "the sum of two is less": (
        '<body><inertial pos="0 0 0" mass="1" diaginertia="1 1 2.0000000000001"/></body>'
    ),
    "not positive definite": '<body><inertial pos="0 0 0" mass="1" fullinertia="1 1 1e-15 0 0 0"/></body>',
    "have no mass, so there is": '<body><geom size=".1" mass="0"/><geom size=".1" mass="0"/></body>',
    "moves, and neither it nor": (
        f'<body><joint/><body><body>{BALL}</body></body><inertial pos="0 0 0" mass="0"/></body>'
    ),
    "there is no body `t0`": (
        f'<body name="t">{BALL}</body><replicate count="2"><camera target="t"/></replicate>'
    ),
    "makes more than 250,000 copies": '<replicate count="250001"><geom size=".1"/></replicate>',
    "more than 250,000 copies of elements": (
        '<replicate count="40"><geom size=".1"/></replicate></worldbody><sensor><clock/></sensor><worldbody>'
    ),
}


@pytest.mark.parametrize("message", WHOLE)
def test_what_only_the_whole_shows(message):
    text = f"<mujoco><worldbody>{WHOLE[message]}</worldbody></mujoco>"
    try:
        root = polybody.read("test.xml", text=text, policy="lenient", format="mjcf")
    except polybody.ValidationError as refused:
        pytest.skip(f"the reader says so: {refused}")
    with pytest.raises(polybody.ValidationError, match=message):
        compile_document(root)
    if "copies" not in message:  # MuJoCo makes as many of these as it can
        with pytest.raises(ValueError, match="Error"):
            mujoco.MjModel.from_xml_string(text)


def nested(tag: str, depth: int) -> Any:
    inside = f"<{tag}>" * depth + BALL + f"</{tag.split(maxsplit=1)[0]}>" * depth
    return compile_document(document(f"<mujoco><worldbody>{inside}</worldbody></mujoco>"))


def test_deep_trees():
    assert len(nested("body", 1500).names["body"]) == 1501
    assert nested('frame pos="1 0 0"', 1500).columns["geom_pos"].tolist() == [[1500, 0, 0]]
    assert nested('replicate count="1"', 50).names["geom"] == ("",)


LARGE = (
    '<geom type="ellipsoid" size="{+} {+} {+}" fluidshape="ellipsoid" shellinertia="true"/>',
    '<geom size=".1" pos="{} {} {}"/><geom size=".1"/>',
    '<geom type="box" size="{+} {+} {+}" euler="{} {} {}"/>',
    '<geom size=".1" zaxis="{} {} {}"/>',
    '<geom size=".1" fromto="{} {} {} 0 0 0" type="capsule"/>',
    '<replicate count="3" offset="{} {} {}" euler="{} {} {}"><geom size=".1"/></replicate>',
    '<joint axis="{} {} {}" ref="{}" range="-1 {}"/><geom size=".1"/>',
    '<inertial pos="{} {} {}" mass="1" fullinertia="{} {} {} 0 0 0"/>',
    '<camera sensorsize="{+} {+}" focal="{} 1" resolution="1 1"/>',
)


@pytest.mark.parametrize("number", ["1e300", "1e-300", "-1e308"])
@pytest.mark.parametrize("element", LARGE)
def test_numbers_at_the_end_of_their_range(element, number):
    """Sums and products that overflow cause no crash; the check of the Model then decides."""
    inside = element.replace("{+}", number.lstrip("-")).replace("{}", number)
    try:
        compile_document(document(f"<mujoco><worldbody><body>{inside}</body></worldbody></mujoco>"))
    except polybody.ValidationError as error:
        assert error.diagnostics  # noqa: PT017


@pytest.mark.parametrize(
    "text",
    [
        '<worldbody><geom size=".1" contype="5000000000"/></worldbody>',
        '<worldbody><camera resolution="5000000000 1"/></worldbody>',
        '<worldbody><body><joint group="-3000000000"/><geom size=".1"/></body></worldbody>',
        '<option iterations="99999999999999999999"/>',
        '<size nkey="2000000000"/>',
        '<size nuser_body="2000000000"/>',
        '<size nuserdata="2000000000"/>',
        '<size nuserdata="-9"/>',
        '<worldbody><body name="b"/></worldbody><actuator>'
        '<general body="b" dyntype="user" actdim="2000000000"/></actuator>',
        '<sensor><user dim="2000000000"/></sensor>',
    ],
)
def test_whole_numbers_that_are_too_large_or_too_small(text):
    root = polybody.read("test.xml", text=f"<mujoco>{text}</mujoco>", policy="lenient", format="mjcf")
    with pytest.raises(polybody.ValidationError, match=r"32 bits|more than [\d,]+|less than 0"):
        compile_document(root)


GEOMS = """<mujoco><worldbody><geom name="a" size=".1"{}/><body name="b"><joint/><geom name="c" size=".1"/>
<body name="f"><flexcomp name="f" count="2 2 1" spacing=".1 .1 .1"><contact{}/></flexcomp></body></body>
</worldbody><contact><pair geom1="a" geom2="c"{}/></contact></mujoco>"""


@pytest.mark.parametrize(("place", "warned"), [(0, "error"), (1, "warning"), (2, "error")])
@pytest.mark.parametrize("number", [0, 2, 7])
@pytest.mark.filterwarnings("ignore::polybody.ModelWarning")
def test_a_condim_that_does_not_exist_is_refused_under_every_policy(place: int, warned: str, number: int):
    """MuJoCo does not check that of a flex, and no Model can have it."""
    text = GEOMS.format(*(f' condim="{number}"' if place == at else "" for at in range(3)))
    for policy, severity in (("strict", "error"), ("warn", warned), ("lenient", "warning")):
        found = polybody.check("m.xml", policy, text=text, model=False)
        assert [(each.code, each.severity) for each in found] == [("PB019", severity)]
        assert f"is {number}; it must be 1, 3, 4 or 6" in found[0].message
        with pytest.raises(
            polybody.ValidationError, match=f"`condim`.* is {number}; it must be 1, 3, 4 or 6"
        ):
            polybody.load("m.xml", text=text, policy=policy)
    polybody.load("m.xml", text=text.replace(f'"{number}"', '"6"'))


@pytest.mark.parametrize("kind", ["hinge", "ball"])
@pytest.mark.parametrize("name", ["stiffness", "damping", "armature"])
def test_numbers_of_degrees_of_freedom_are_named_at_their_joint(kind: str, name: str) -> None:
    """Once for each joint, at the attribute."""
    ball = '<geom size=".1"/>'
    text = f"""<mujoco><worldbody><body><freejoint/>{ball}<body><joint axis="1 0 0"/>
<joint name="k" type="{kind}" pos=".1 0 0"
 {name}="-1"/>{ball}</body></body></worldbody></mujoco>"""
    with pytest.raises(polybody.ValidationError) as caught:
        polybody.lower(polybody.read("m.xml", text=text))
    (found,) = caught.value.diagnostics
    assert (found.code, found.line, found.column) == ("PB063", 3, 2)
    assert "'k'" in found.message
