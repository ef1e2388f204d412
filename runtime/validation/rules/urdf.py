"""URDF: transmissions, joints that follow others, damping by kind of joint, materials, versions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from polybody.base import children_of
from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.document.uris import Places, Remark
from polybody.files import is_file
from polybody.generated.formats.urdf.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.checker import Rules
from polybody.validation.rules import urdf_slips

TRANSMISSION, LINK, COLLISION = "Transmission", "Link", "Collision"
JOINTS = ("Joint", "DrakeJoint")
FILES = tuple(key for key, row in FORMAT.elements.items() if any(a.file for a in row.attributes))
NODES = (TRANSMISSION, *JOINTS, LINK, COLLISION, *FILES)
VERSION = "1.0"
PLANAR = "planar"
PR2 = "the PR2"
FOR_OTHERS = {
    "robot": {
        **dict.fromkeys(("deformable", "reduced_deformable"), "Bullet"),
        "origin": "nobody where it stands in a robot",
    },
    "joint": {
        **dict.fromkeys(("calibration", "safety_controller"), "controllers"),
        "joint_properties": "readers of before 2010, others read <dynamics>",
    },
    "collision": {"verbose": "the former checker of collisions", "material": "visuals"},
    "transmission": {
        **dict.fromkeys(("leftActuator", "rightActuator", "flexJoint", "rollJoint", "gap_joint"), PR2),
        **dict.fromkeys(("passive_joint", "use_simulated_gripper_joint"), PR2),
        **dict.fromkeys(("compensator", "simulated_actuated_joint"), PR2),
        "motorTorqueConstant": "controllers",
        "robotNamespace": "Gazebo",
    },
}
"""Elements that simulators pass over, by where they stand, and what they are for."""
ONE_FREEDOM = ("hinge", "slide", "screw")


def check(root: Any, rules: Rules, findings: Findings) -> None:
    """Report what the tables cannot say about a document."""
    joints = [joint for key in JOINTS for joint in rules.nodes[key]]
    _version(root, findings)
    passed_over = (node for key in (*JOINTS, TRANSMISSION, COLLISION) for node in rules.nodes[key])
    for node in (root, *passed_over):
        others = FOR_OTHERS.get(node.TAG.removeprefix("drake:"), {})
        for child in children_of(node):
            if child.TAG in others:
                message = f"<{child.TAG}> is for {others[child.TAG]}; a simulation does not use it"
                findings.add("PB078", child.span, message, source=child.source)
    for transmission in rules.nodes[TRANSMISSION]:
        _transmission(transmission, findings)
    named = {joint.name: joint for joint in joints if joint.name is not None}
    for joint in joints:
        _mimic(joint, named, findings)
        _damping(joint, findings)
        urdf_slips.joint(joint, findings)
    _materials(root, rules, findings)
    urdf_slips.colours([*root.material, *_visual_materials(rules)], findings)
    if not rules.lost:
        known = {part.name: part for part in (*rules.nodes[LINK], *joints) if part.name}
        urdf_slips.gazebo(root, known, findings)
    _files(root, rules, findings)
    for link in rules.nodes[LINK]:
        if link.name == "world" and link.inertial is not None:
            message = "the inertia of link `world` has no effect: it is the world"
            findings.add("PB027", link.inertial.span, message, source=link.source)


def _version(root: Any, findings: Findings) -> None:
    if root.version is not None and root.version != VERSION:
        span = root.attribute_span("version")
        message = f"URDF {clip(root.version)} is not known here; it is read as {VERSION}"
        findings.add("PB073", span, message, xpath="/robot/@version", source=root.source)


def _transmission(node: Any, findings: Findings) -> None:
    """One actuator moves one joint in a simple transmission."""
    kind = node.type_.text if node.type_ is not None else node.type
    if kind is None or "SimpleTransmission" not in kind:
        return
    for tag, held in (("actuator", node.actuator), ("joint", node.joint)):
        if not held:
            message = f"a SimpleTransmission needs a <{tag}>"
            findings.add("PB015", node.span, message, source=node.source)
        elif len(held) > 1:
            message = f"a SimpleTransmission takes one <{tag}> only"
            findings.add("PB014", held[1].span, message, source=node.source)


def _freedoms(joint: Any) -> int | None:
    """How many velocities a joint has, 2 for any more than one; None where its type is not known."""
    if joint.type is None:
        return None
    sequence = FORMAT.sequences[joint.type]
    return len(sequence) if all(primitive.joint in ONE_FREEDOM for primitive in sequence) else 2


def _mimic(joint: Any, named: dict[str, Any], findings: Findings) -> None:
    if joint.mimic is None or joint.mimic.joint not in named:
        return
    own, other = _freedoms(joint), _freedoms(named[joint.mimic.joint])
    if own is None or other is None:
        return
    span, source = joint.mimic.attribute_span("joint"), joint.source
    if own != other and joint.type.value != "floating":
        message = f"joint `{clip(joint.mimic.joint)}` has another number of degrees of freedom than this one"
        findings.add("PB048", span, message, source=source)
    elif own != 1:
        message = f"a {joint.type.value} joint does not follow another: only one with one freedom does"
        findings.add("PB027", span, message, hint="remove <mimic>", source=source)


def _damping(joint: Any, findings: Findings) -> None:
    damping = None if joint.dynamics is None else joint.dynamics.damping
    if damping is None or joint.type is None:
        return
    wanted, count = (3 if joint.type.value == PLANAR else 1), len(damping) if type(damping) is tuple else 1
    if count != wanted:
        message = (
            f"`damping` has {count} value{'s' * (count != 1)}; a {joint.type.value} joint takes {wanted}"
        )
        findings.add("PB024", joint.dynamics.attribute_span("damping"), message, source=joint.source)


def _materials(root: Any, rules: Rules, findings: Findings) -> None:
    """A visual's material has a colour or texture, or the name of one that has."""
    used = list(_visual_materials(rules))
    known = {material.name: material for material in (*root.material, *used) if _is_defined(material)}
    known |= {material.name: material for material in root.material}
    known.pop(None, None)
    for material in used:
        if _is_defined(material) or (material.name in known and material.name):
            continue
        if not material.name:
            message = "<material> needs a name, a colour or a texture"
            findings.add("PB023", material.span, message, source=material.source)
        elif material.name not in rules.lost and findings.takes("PB032"):
            message = (
                f"there is no material `{clip(material.name)}`, and this one has neither colour nor texture"
            )
            hint = did_you_mean(material.name, known)
            span = material.attribute_span("name")
            findings.add("PB032", span, message, hint=hint, source=material.source)


def _visual_materials(rules: Rules) -> Iterator[Any]:
    for link in rules.nodes[LINK]:
        for visual in link.visual:
            if visual.material is not None:
                yield visual.material


def _is_defined(material: Any) -> bool:
    return material.color is not None or material.texture is not None


def _files(root: Any, rules: Rules, findings: Findings) -> None:
    """Each file is inside the model's folder or package, and there."""
    if root.source is None or not is_file(root.source.path):
        return  # a text without a place of its own
    folder = Path(root.source.path).parent
    places = Places(folder, folder)
    for key in FILES:
        naming = next(attribute for attribute in FORMAT.elements[key].attributes if attribute.file)
        for node in rules.nodes[key]:
            if getattr(node, naming.field):
                places.file(getattr(node, naming.field), Remark(findings, node, naming))
