"""Bodies, joints and manipulators: rules about single elements."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import Any

from polybody.base import held
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.openrave.documents import GeomType
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.geometry.inertia import inertia_fault
from polybody.suggest import did_you_mean
from polybody.validation.checker import is_surely_inertia
from polybody.validation.scene import Scene

KEYS = {row.cls.__name__: key for key, row in FORMAT.elements.items()}
KINBODY, GEOM, MANIPULATOR = KEYS["KinBody"], KEYS["Geom"], KEYS["Manipulator"]
INERTIAS = (KEYS["MassInertia"],)
VERTICES, SECTION, ENDS = KEYS["Vertices"], KEYS["CrossSection"], KEYS["JointBody"]
MESHES = (KEYS["Render"], KEYS["Collision"], KEYS["Data"])
LIMITS = (KEYS["Limits"], KEYS["Limitsrad"], KEYS["Limitsdeg"])
MATRIX, AXIS, QUATERNION, SENSOR = KEYS["RotationMat"], KEYS["RotationAxis"], KEYS["Quat"], KEYS["Sensor"]
NODES = (
    *(KINBODY, GEOM, MANIPULATOR, VERTICES, SECTION, ENDS, MATRIX, AXIS, QUATERNION, SENSOR),
    *(*INERTIAS, *MESHES, *LIMITS),
)
SIZES = ("extents", "halfextents", "fullextents")
FAR = 1e-2
"""Tolerance of a rotation matrix: files give three digits."""


def check(scene: Scene) -> None:
    """Report violations of rules about single elements."""
    for node in scene.nodes(KINBODY):
        _kinbody(node, scene)
    _geoms(scene)
    for key in INERTIAS:
        for node in scene.nodes(key):
            _inertia(node, scene)
    for key in LIMITS:
        for node in scene.nodes(key):
            _limits(node, scene)
    _ends(scene)
    for node in scene.nodes(MANIPULATOR):
        _manipulator(node, scene)
    _rotations(scene)
    for node in scene.nodes(SENSOR):
        _sensor(node, scene)


def _kinbody(node: Any, scene: Scene) -> None:
    """`makejoinedlinksadjacent` must be a number: readers treat a word as 0."""
    if isinstance(node.makejoinedlinksadjacent, bool):
        message = "`makejoinedlinksadjacent` must be 0 or 1; readers treat a word as 0"
        hint = f"write `{int(node.makejoinedlinksadjacent)}`"
        scene.report("PB074", node, "makejoinedlinksadjacent", message, hint)


def _geoms(scene: Scene) -> None:
    """Boxes have edges, triangle meshes have a source, and files have at most one or three scale factors."""
    for geom in scene.rules.bare(GEOM, *SIZES, "geom"):
        if (geom.type is None or geom.type is GeomType.BOX) and _is_known(geom):
            scene.report("PB021", geom, None, "a box needs <extents>")
    for geom in scene.select(GEOM, "type", GeomType.TRIMESH):
        if all(file is None for file in (geom.collision, geom.data, geom.vertices, geom.render_)):
            scene.report("PB021", geom, None, "a trimesh needs <collision>, <vertices> or <render>")
    for mesh in scene.nodes(*MESHES):
        words = () if mesh.text is None else mesh.text
        if not _is_known(scene.parent(mesh)):
            continue
        if words and getattr(mesh, "file", None) is not None:
            scene.report("PB025", mesh, None, f"<{mesh.TAG}> names its file both as an attribute and as text")
        if len(words) == 3 or not all(map(is_number, words[1:])):
            message = f"<{mesh.TAG}> must be a file name, followed by nothing, one factor or three factors"
            scene.report("PB017", mesh, None, message, f"it is followed by `{clip(' '.join(words[1:]))}`")
    for key, multiple, what in ((VERTICES, 9, "a triangle needs 9"), (SECTION, 2, "a corner needs 2")):
        for node in scene.nodes(key):
            if node.text is not None and len(node.text) % multiple and _is_known(scene.parent(node)):
                scene.report("PB017", node, None, f"<{node.TAG}> has {len(node.text)} numbers; {what}")


def _is_known(geom: Any) -> bool:
    """Whether the type of a shape is known; it may be given and not understood."""
    return geom.type is not None or geom.attribute_span("type") == geom.span


def is_number(word: str) -> bool:
    """Whether a word in a text is a number."""
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def _inertia(node: Any, scene: Scene) -> None:
    """An inertia matrix must be symmetric and physically possible."""
    if node.text is None:
        return
    xx, xy, xz, yx, yy, yz, zx, zy, zz = node.text
    if xy == yx and xz == zx and yz == zy and is_surely_inertia(xx, yy, zz, xy, xz, yz):
        return
    size = max(map(abs, node.text)) or 1.0
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > 1e-6 * size:
        scene.report("PB047", node, None, "the matrix of an inertia must be symmetric")
        return
    fault = inertia_fault([xx, yy, zz, xy, xz, yz])
    if fault is not None:
        scene.report("PB047", node, None, f"<inertia> is not a possible inertia: {fault}")


def _limits(node: Any, scene: Scene) -> None:
    """Lower bounds must not exceed upper bounds."""
    values: tuple[float, ...] = () if node.text is None else node.text
    if len(values) == 2 and values[0] <= values[1]:
        return  # the usual case
    for low, high in zip(values[::2], values[1::2], strict=False):
        if low > high:
            message = f"<{node.TAG}>: the lower bound {low:g} is greater than the upper bound {high:g}"
            scene.report("PB044", node, None, message)


def _ends(scene: Scene) -> None:
    """A joint connects two different bodies."""
    nodes, homes = scene.nodes(ENDS), scene.rules.parents(ENDS)
    texts = [node.text for node in nodes]
    equal = [index for index, (text, other) in enumerate(pairwise(texts)) if text == other]
    for index in equal:
        node = nodes[index]
        if node.text and homes[index] is homes[index + 1]:
            both = held(homes[index], "body")
            if len([body for body in both if body.text]) == 2:
                message = f"the joint connects body `{clip(node.text[0])}` with itself"
                scene.report("PB033", both[1], None, message)


def _manipulator(node: Any, scene: Scene) -> None:
    """The number of signs must be that of the gripper's joints."""
    joints = node.joints or node.gripperjoints
    signs = node.closingdirection or node.closingdir or node.chuckingdirection
    if joints is None or signs is None or joints.text is None or signs.text is None:
        return
    if len(joints.text) != len(signs.text):
        message = f"<{signs.TAG}> has {len(signs.text)} values for {len(joints.text)} joints"
        scene.report("PB024", signs, None, message)


def _rotations(scene: Scene) -> None:
    for node in scene.nodes(MATRIX):
        if node.text is not None:
            _matrix(node, scene)
    for node in scene.nodes(AXIS):
        if node.text is not None and not any(node.text[:3]):
            scene.report("PB046", node, None, "the axis of <rotationaxis> is zero and has no direction")
    for node in scene.nodes(QUATERNION):
        norm = 1.0 if node.text is None else math.hypot(*node.text)
        if norm == 0.0:
            message = "the quaternion has norm 0 and is not a rotation"
            scene.report("PB041", node, None, message, "`1 0 0 0` is the identity rotation")
        elif abs(norm - 1) > FAR:
            message = f"the quaternion has norm {norm:.9g}; it is normalised when used"
            unit = " ".join(f"{number / norm:.9g}" for number in node.text)
            scene.report("PB042", node, None, message, f"the unit quaternion is `{unit}`")


def _matrix(node: Any, scene: Scene) -> None:
    rows = [node.text[0:3], node.text[3:6], node.text[6:9]]
    worst = 0.0
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            worst = max(worst, abs(sum(x * y for x, y in zip(a, b, strict=True)) - (i == j)))
    (a, b, c), (d, e, f), (g, h, i_) = rows
    determinant = a * (e * i_ - f * h) - b * (d * i_ - f * g) + c * (d * h - e * g)
    if worst > FAR or determinant < 0:
        message = f"the matrix is not a rotation: it is off by {max(worst, 1 - determinant):.3g}"
        scene.report("PB055", node, None, message)


def _sensor(node: Any, scene: Scene) -> None:
    """Elements that no built-in sensor of OpenRAVE reads belong to a plugin."""
    known = [child.tag for child in FORMAT.elements[SENSOR].children]
    for child in held(node, "elements"):
        if not scene.takes("PB085"):
            return
        message = f"no built-in sensor of OpenRAVE reads <{clip(child.TAG)}>; it is kept for a plugin"
        scene.report("PB085", child, None, message, did_you_mean(child.TAG, known))
