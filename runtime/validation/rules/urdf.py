"""URDF: transmissions, joints that follow others, damping by kind of joint, materials."""

from __future__ import annotations

from typing import Any

from polybody.base import fields_held, held
from polybody.document.parser.value_faults import clip
from polybody.document.uris import Places
from polybody.generated.formats.urdf.documents import DrakeJointType, JointType
from polybody.generated.formats.urdf.tables import FORMAT
from polybody.suggest import did_you_mean
from polybody.validation.names import distinct
from polybody.validation.rules import urdf_extensions, urdf_slips, urdf_versions
from polybody.validation.scene import Scene, again

TRANSMISSION, LINK, MATERIAL = "Transmission", "Link", "VisualMaterial"
MIMIC, DYNAMICS, LIMIT = "Mimic", "Dynamics", "Limit"
JOINTS = ("Joint", "DrakeJoint")
FILES = {key: each for key, row in FORMAT.elements.items() for each in row.attributes if each.file}
PLANAR = "planar"
PR2 = "the PR2"
FOR_OTHERS = {
    "robot": {
        **dict.fromkeys(("deformable", "reduced_deformable"), "Bullet"),
        "origin": "no reader if it is here",
    },
    "joint": {
        **dict.fromkeys(("calibration", "safety_controller"), "controllers"),
        "joint_properties": "readers before 2010; newer ones read <dynamics>",
    },
    "collision": {"verbose": "the former collision checker", "material": "visual elements only"},
    "transmission": {
        **dict.fromkeys(("leftActuator", "rightActuator", "flexJoint", "rollJoint", "gap_joint"), PR2),
        **dict.fromkeys(("passive_joint", "use_simulated_gripper_joint"), PR2),
        **dict.fromkeys(("compensator", "simulated_actuated_joint"), PR2),
        "motorTorqueConstant": "controllers",
        "robotNamespace": "Gazebo",
    },
}
"""Elements that simulators ignore, by their parents, and their purposes."""
PASSED_OVER = {
    child.element: FOR_OTHERS[row.tag.removeprefix("drake:")][child.tag]
    for key in (*JOINTS, TRANSMISSION, "Collision")
    for row in (FORMAT.elements[key],)
    for child in row.children
    if child.tag in FOR_OTHERS[row.tag.removeprefix("drake:")]
}
"""The same for children of other elements, by kind of element."""
IN_ROBOT = {
    child.field: FOR_OTHERS["robot"][child.tag]
    for child in FORMAT.elements[FORMAT.root].children
    if child.tag in FOR_OTHERS["robot"]
}
"""The same for children of the robot, by field."""
OWN = (TRANSMISSION, LINK, MATERIAL, MIMIC, DYNAMICS, LIMIT, urdf_versions.ORIGIN, *JOINTS)
NODES = tuple(dict.fromkeys((*OWN, *FILES, *PASSED_OVER)))
EXTENSIONS = frozenset(("gazebo", "ros2_control"))
"""The fields of extensions whose content is checked."""


def check(scene: Scene) -> None:
    """Report violations of rules that the tables cannot express."""
    root: Any = scene.root
    _passed_over(scene)
    for transmission in scene.nodes(TRANSMISSION):
        _transmission(transmission, scene)
    _same_links(scene)
    _mimics(scene)
    _damping(scene)
    urdf_versions.check(root, scene)
    for node in held(root, "drake_distance_constraint"):
        message = f"Drake 1.51 ignores <{node.TAG}>, which it knows since 1.56"
        scene.report("PB088", node, None, f"{message}; the Model uses it as a spring and damper")
    urdf_slips.limits(scene, LIMIT, scene.select(JOINTS[0], "type", JointType.CONTINUOUS))
    _materials(scene)
    inside = fields_held(root)
    if not scene.rules.lost and not inside.isdisjoint(EXTENSIONS):
        links, joints = (
            {part.name: part for part in scene.nodes(*keys) if part.name} for keys in ((LINK,), JOINTS)
        )
        if "gazebo" in inside:
            urdf_slips.gazebo(held(root, "gazebo"), links | joints, scene)
            urdf_extensions.gazebo(held(root, "gazebo"), links, joints, scene)
        if "ros2_control" in inside:
            urdf_extensions.control(held(root, "ros2_control"), joints, scene)
    _files(scene)
    world: Any = scene.declared("link").get("world")
    if world is not None and world.inertial is not None:
        message = "the inertia of link `world` has no effect: this link is the world"
        scene.report("PB027", world.inertial, None, message)


def _passed_over(scene: Scene) -> None:
    """Elements that a simulation ignores."""
    nodes, inside = scene.rules.nodes, fields_held(scene.root)
    found = [(node, whom) for key, whom in PASSED_OVER.items() if nodes[key] for node in nodes[key]]
    if not inside.isdisjoint(IN_ROBOT):
        found += [(node, whom) for field, whom in IN_ROBOT.items() for node in held(scene.root, field)]
    for node, whom in found:
        scene.report("PB078", node, None, f"<{node.TAG}> is used by {whom}; a simulation ignores it")


def _transmission(node: Any, scene: Scene) -> None:
    """A simple transmission has one actuator and one joint."""
    kind = node.type_.text if node.type_ is not None else node.type
    if kind is None:
        scene.report("PB015", node, None, "a <transmission> needs a <type>")
    if kind is None or "SimpleTransmission" not in kind:
        return
    for tag in ("actuator", "joint"):
        inside = held(node, tag)
        if not inside:
            scene.report("PB015", node, None, f"a SimpleTransmission needs a <{tag}>")
        elif len(inside) > 1:
            scene.report("PB014", inside[1], None, f"a SimpleTransmission allows only one <{tag}>")


def _same_links(scene: Scene) -> None:
    """Two links are connected by only one joint, as Drake requires."""
    joints = scene.nodes(*JOINTS)

    def ends(tag: str) -> list[Any]:
        return [name for key in JOINTS for name in scene.rules.along(scene.nodes(key), key, tag, "link")]

    children = ends("child")
    if distinct(children):
        return
    # A joint in the opposite direction closes a cycle, which is reported separately.
    pairs = [None if None in pair else pair for pair in zip(ends("parent"), children, strict=True)]
    for joint, first in again(joints, pairs):
        before = first.span
        place = "" if before is None else f" at line {before.line}"
        message = (
            f"joint `{clip(joint.name or '')}` connects the same links as joint "
            f"`{clip(first.name or '')}`{place};"
        )
        message += " Drake accepts only one joint between two links"
        scene.report("PB083", joint, None, message, related=before)


def _dofs(joint: Any) -> int | None:
    """Number of velocities of a joint; None if its type is unknown."""
    if joint.type is None:
        return None
    return FORMAT.joint_size(joint.type)[1]


def _mimics(scene: Scene) -> None:
    """A joint that follows another has one degree of freedom, as the other one does."""
    mimics = scene.nodes(MIMIC)
    named = {joint.name: joint for joint in scene.nodes(*JOINTS) if joint.name is not None} if mimics else {}
    for mimic in mimics:
        joint = scene.parent(mimic)
        if mimic.joint not in named:
            continue
        own, other = _dofs(joint), _dofs(named[mimic.joint])
        if own is None or other is None:
            continue
        if own != other and joint.type.value != "floating":
            message = (
                f"joint `{clip(mimic.joint)}` has {other} degree{'s' * (other != 1)} of freedom, and this "
                f"{joint.type.value} joint, which follows it, {own or 'none'}"
            )
            scene.report("PB048", mimic, "joint", message)
        elif own != 1:
            message = (
                f"a {joint.type.value} joint cannot follow another: only a joint with one "
                "degree of freedom can"
            )
            scene.report("PB027", mimic, "joint", message, "remove <mimic>")


def _damping(scene: Scene) -> None:
    """A planar joint has three damping coefficients, others have one."""
    nodes = scene.rules.nodes[DYNAMICS]
    given = scene.rules.along(nodes, DYNAMICS, "", "damping")
    asked = [dynamics for dynamics, damping in zip(nodes, given, strict=True) if type(damping) is tuple]
    planar = scene.select(JOINTS[0], "type", JointType.PLANAR)
    planar += scene.select(JOINTS[1], "type", DrakeJointType.PLANAR)
    of_planar = [joint.dynamics for joint in planar if joint.dynamics is not None]
    asked += [dynamics for dynamics in of_planar if type(dynamics.damping) is float]
    for dynamics in asked:
        kind = scene.parent(dynamics).type
        if kind is None:
            continue
        damping = dynamics.damping
        wanted, count = (3 if kind.value == PLANAR else 1), len(damping) if type(damping) is tuple else 1
        if count != wanted:
            has = f"`damping` has {count} value{'s' * (count != 1)}"
            scene.report("PB024", dynamics, "damping", f"{has}; a {kind.value} joint takes {wanted}")


def _materials(scene: Scene) -> None:
    """A material has a colour or texture; that of a visual may have the name of a material that has."""
    root: Any = scene.root
    common = held(root, "material")
    for material in common:
        if material.name and material.color is None and material.texture is None:
            message = f"Drake refuses the material `{clip(material.name)}`: it has neither colour nor texture"
            scene.report("PB083", material, None, message, "add a <color>, or remove it")
    known = dict.fromkeys(material.name for material in common if material.name is not None)
    without = scene.rules.bare(MATERIAL, "color", "texture")
    if not known.keys() >= set(scene.rules.along(without, MATERIAL, "", "name")):
        bare = {id(material) for material in without}
        for material in scene.nodes(MATERIAL):
            if id(material) in bare:
                _bare_material(material, known, scene)
            elif material.name is not None:
                known[material.name] = None
    colours = scene.rules.along(scene.nodes(MATERIAL), MATERIAL, "color", "rgba")
    colours = [*scene.rules.along(common, "Material", "color", "rgba"), *colours]
    urdf_slips.colours([*common, *scene.nodes(MATERIAL)], colours, scene)


def _bare_material(material: Any, known: dict[str, None], scene: Scene) -> None:
    """A material that is only a name refers to an earlier material, or to one of the robot's."""
    if not material.name:
        scene.report("PB023", material, None, "<material> needs a name, a colour or a texture")
    elif material.name not in known and material.name not in scene.rules.lost and scene.takes("PB032"):
        missing = f"no material `{clip(material.name)}` is defined before this one"
        message = f"{missing}, which has neither colour nor texture"
        scene.report("PB032", material, "name", message, did_you_mean(material.name, known))


def _files(scene: Scene) -> None:
    """Each file exists where it may be opened."""
    places = Places(scene.root.source, scene.root)
    for key, naming in FILES.items():
        for node in scene.nodes(key):
            if name := getattr(node, naming.field):
                places.file(name, scene.teller(node, naming.name))
