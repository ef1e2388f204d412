"""URDF: the content of `<gazebo>`, as Gazebo's conversion to SDFormat reads it, and of `<ros2_control>`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any, NamedTuple

from polybody.base import Untyped
from polybody.document.parser.value_faults import clip
from polybody.suggest import closest, did_you_mean
from polybody.validation.scene import Scene

CODE = "PB133"
FLAG, NUMBER, TEXT = "flag", "number", "text"
FLAGS = ("true", "false", "yes", "no", "1", "0")
OF_ROBOT = {"static": FLAG}
OF_LINK = {
    **dict.fromkeys(("turnGravityOff", "selfCollide"), FLAG),
    **dict.fromkeys(("dampingFactor", "maxVel", "minDepth", "mu1", "mu2", "kp", "kd"), NUMBER),
    **dict.fromkeys(("maxContacts", "laserRetro"), NUMBER),
    **dict.fromkeys(("fdir1", "material", "visual", "collision"), TEXT),
}
OF_JOINT = {
    **dict.fromkeys(("springStiffness", "springReference", "stopCfm", "stopErp", "fudgeFactor"), NUMBER),
    **dict.fromkeys(("provideFeedback", "implicitSpringDamper", "cfmDamping"), FLAG),
    **dict.fromkeys(("disableFixedJointLumping", "preserveFixedJoint"), FLAG),
}
ANYWHERE = frozenset(("canonicalBody",))
"""Settings that the conversion knows and does not use."""
PLACES = {"the robot": OF_ROBOT, "a link": OF_LINK, "a joint": OF_JOINT}
"""What the conversion reads, by what `reference` names; other elements are copied into the SDFormat."""
SDF_ELEMENTS = {"the robot": "Model", "a link": "Link", "a joint": "Joint"}
"""The element of SDFormat into which others are copied."""


class Content(NamedTuple):
    """What an element of `<ros2_control>` needs and may contain."""

    attributes: tuple[str, ...] = ()
    children: tuple[str, ...] = ()


_COMPONENT = Content(("name",), ("command_interface", "state_interface", "param", "limits"))
_INTERFACE = Content(("name",), ("param", "limits"))
_ENDS = Content(
    ("name", "role"), ("mechanical_reduction", "offset", "param", "command_interface", "state_interface")
)
CONTROL: Mapping[str, Content] = {
    "ros2_control": Content(
        ("name", "type"), ("hardware", "joint", "sensor", "gpio", "transmission", "properties")
    ),
    "ros2_control/hardware": Content((), ("plugin", "group", "param", "properties")),
    **dict.fromkeys(("ros2_control/joint", "ros2_control/sensor", "ros2_control/gpio"), _COMPONENT),
    "ros2_control/transmission": Content(
        ("name",), ("plugin", "joint", "actuator", "param", "command_interface", "state_interface")
    ),
    **dict.fromkeys(("transmission/joint", "transmission/actuator"), _ENDS),
    **{
        f"{above}/{tag}": _INTERFACE
        for above in ("joint", "sensor", "gpio", "transmission")
        for tag in ("command_interface", "state_interface")
    },
    **{
        f"{above}/param": Content(("name",))
        for above in ("hardware", "joint", "sensor", "gpio", "command_interface", "state_interface")
    },
}
"""By the tags of an element and the one around it."""
COMPONENTS = ("system", "actuator", "sensor")
"""The values of `type`."""


def gazebo(nodes: Iterable[Any], links: Mapping[str, Any], joints: Mapping[str, Any], scene: Scene) -> None:
    """Check the children of `<gazebo>`: names, places and values that the conversion reads."""
    for node in nodes:
        places = ["the robot"] if not node.reference else []
        places += ["a link"] if node.reference in links else []
        places += ["a joint"] if node.reference in joints else []
        for child in node.elements if places else ():
            _setting(child, places, scene)


def _setting(child: Untyped, places: list[str], scene: Scene) -> None:
    tag = child.tag
    kinds = {PLACES[place][tag] for place in places if tag in PLACES[place]}
    if kinds:
        _value(child, kinds.pop(), scene)
        return
    if tag in ANYWHERE or ":" in tag or any(tag in _copied(place) for place in places):
        return
    elsewhere = next((place for place, known in PLACES.items() if tag in known), None)
    if elsewhere is not None:
        message = f"<{clip(tag)}> is for {elsewhere}; here it has no effect"
        scene.report(CODE, child, None, message, f"`reference` must name {elsewhere}")
        return
    known = {name for place in places for name in (*PLACES[place], *_copied(place))}
    near = closest(tag, known)
    hint = None if near is None else f"did you mean `{near}`?"
    what = " or ".join(f"<{SDF_ELEMENTS[place].lower()}>" for place in places)
    message = f"<{clip(tag)}> is no setting of Gazebo's conversion, and no element of SDFormat's {what}"
    scene.report(CODE, child, None, message, hint)


def _value(child: Untyped, kind: str, scene: Scene) -> None:
    text = child.attributes.get("value", child.text or "").strip()  # as the conversion reads it
    if kind == FLAG and text.lower() not in FLAGS:
        message = f"<{child.tag}> must be true or false, not `{clip(text)}`"
        scene.report(CODE, child, None, message)
    elif kind == NUMBER:
        try:
            float(text)
        except ValueError:
            scene.report(CODE, child, None, f"<{child.tag}> must be a number, not `{clip(text)}`")


@cache
def _copied(place: str) -> frozenset[str]:
    """The tags of the children of SDFormat's element for a place."""
    from polybody.generated.formats.sdf.tables import FORMAT

    row = FORMAT.elements[SDF_ELEMENTS[place]]
    return frozenset([child.tag for child in row.children] + [each.name for each in row.attributes])


def control(nodes: Iterable[Any], joints: Mapping[str, Any], scene: Scene) -> None:
    """Check `<ros2_control>`: elements and attributes that its reader needs, and names of joints."""
    for node in nodes:
        kind = node.attributes.get("type")
        if kind is not None and kind not in COMPONENTS:
            message = f"`type` of <ros2_control> is `{clip(kind)}`, not one of {', '.join(COMPONENTS)}"
            scene.report(CODE, node, None, message, did_you_mean(kind, COMPONENTS))
        waiting = [("ros2_control", node)]
        while waiting:
            key, each = waiting.pop()
            _element(each, CONTROL[key], scene)
            waiting += [
                (f"{each.TAG}/{child.tag}", child)
                for child in each.elements
                if f"{each.TAG}/{child.tag}" in CONTROL
            ]
        own = {each.attributes.get("name") for each in node.elements if each.tag == "joint"}
        for each in node.elements:
            if each.tag == "joint":
                _joint(each, joints, "the robot", scene)
            for end in each.elements if each.tag == "transmission" else ():
                if end.tag == "joint":
                    _joint(end, own, "this <ros2_control>", scene)


def _element(node: Any, content: Content, scene: Scene) -> None:
    for name in content.attributes:
        if name not in node.attributes:
            scene.report(CODE, node, None, f"<{node.TAG}> needs `{name}`")
    for child in node.elements if content.children else ():
        if child.tag not in content.children and ":" not in child.tag:
            message = f"<{clip(child.tag)}> is not read in <{node.TAG}>"
            scene.report(CODE, child, None, message, did_you_mean(child.tag, content.children))


def _joint(node: Untyped, known: Iterable[Any], whose: str, scene: Scene) -> None:
    name = node.attributes.get("name")
    names = [each for each in known if isinstance(each, str)]
    if name is not None and name not in names:
        message = f"there is no joint `{clip(name)}` of {whose}"
        scene.report(CODE, node, None, message, did_you_mean(name, names))
