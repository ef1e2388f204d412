"""What bodies, joints and manipulators say in themselves."""

from __future__ import annotations

import math
from typing import Any

from polybody.diagnostics import Findings
from polybody.document.parser.value_faults import clip
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.geometry.inertia import inertia_fault
from polybody.suggest import did_you_mean

SENSOR = next(row for row in FORMAT.elements.values() if row.cls.__name__ == "Sensor")
FAR = 1e-2
"""How far a written matrix may be from a rotation: files give three digits."""


def add(findings: Findings, code: str, node: Any, message: str, hint: str | None = None) -> None:
    if findings.takes(code):
        findings.add(code, node.span, message, hint=hint, source=node.source)


def kinbody(node: Any, findings: Findings) -> None:
    """Whether joined links are adjacent is a number: readers take a word as 0."""
    if isinstance(node.makejoinedlinksadjacent, bool):
        message = "`makejoinedlinksadjacent` is 0 or 1; readers take a word as 0"
        span = node.attribute_span("makejoinedlinksadjacent")
        hint = f"write `{int(node.makejoinedlinksadjacent)}`"
        findings.add("PB074", span, message, hint=hint, source=node.source)


def geom(node: Any, findings: Findings) -> None:
    """A box has its edges, triangles come from somewhere; files have one factor or three."""
    if node.type is None and node.attribute_span("type") != node.span:
        return  # it is written and not understood
    kind = "box" if node.type is None else node.type.value
    sizes = (node.extents, node.halfextents, node.fullextents)
    if kind == "box" and all(size is None for size in sizes) and not node.geom:
        add(findings, "PB021", node, "a box needs <extents>")
    files = (node.collision, node.data, node.vertices, node.render_)
    if kind == "trimesh" and all(file is None for file in files):
        add(findings, "PB021", node, "a trimesh needs <collision>, <vertices> or <render>")
    for mesh in (node.render_, node.collision, node.data):
        words = () if mesh is None or mesh.text is None else mesh.text
        named = mesh is not None and getattr(mesh, "file", None) is not None
        if named and words:
            add(findings, "PB025", mesh, f"<{mesh.TAG}> names its file as attribute and as text")
        if len(words) == 3 or not all(map(is_number, words[1:])):
            message = f"<{mesh.TAG}> is a file, and one factor or three behind it"
            add(findings, "PB017", mesh, message, f"`{clip(' '.join(words[1:]))}` stands behind it")
    if node.vertices is not None and node.vertices.text is not None and len(node.vertices.text) % 9:
        message = f"<vertices> has {len(node.vertices.text)} numbers; a triangle has 9"
        add(findings, "PB017", node.vertices, message)
    section = node.crosssection
    if section is not None and section.text is not None and len(section.text) % 2:
        add(findings, "PB017", section, f"<crosssection> has {len(section.text)} numbers; a corner has 2")


def is_number(word: str) -> bool:
    """Whether a word among others in a text is a number."""
    try:
        return math.isfinite(float(word))
    except ValueError:
        return False


def mass(node: Any, findings: Findings) -> None:
    """An inertia is symmetric, and a body's."""
    matrix = None if node.inertia is None else node.inertia.text
    if matrix is None:
        return
    xx, xy, xz, yx, yy, yz, zx, zy, zz = matrix
    size = max(map(abs, matrix)) or 1.0
    if max(abs(xy - yx), abs(xz - zx), abs(yz - zy)) > 1e-6 * size:
        add(findings, "PB047", node.inertia, "the matrix of an inertia is symmetric")
        return
    fault = inertia_fault([xx, yy, zz, xy, xz, yz])
    if fault is not None:
        add(findings, "PB047", node.inertia, f"<inertia> is no body's inertia: {fault}")


def joint(node: Any, findings: Findings) -> None:
    """Bounds in order; two bodies; formulas of freedoms that there are."""
    for limits in (node.limits, node.limitsrad, node.limitsdeg):
        values = () if limits is None or limits.text is None else limits.text
        for low, high in zip(values[::2], values[1::2], strict=False):
            if low > high:
                message = f"<{limits.TAG}>: the lower bound {low:g} is greater than the upper bound {high:g}"
                add(findings, "PB044", limits, message)
    ends = [body.text[0] for body in node.body if body.text]
    if len(ends) == 2 and ends[0] == ends[1]:
        message = f"the joint connects body `{clip(ends[0])}` with itself"
        add(findings, "PB033", node.body[1], message)


def manipulator(node: Any, findings: Findings) -> None:
    """As many signs as joints of the gripper."""
    joints = node.joints or node.gripperjoints
    signs = node.closingdirection or node.closingdir or node.chuckingdirection
    if joints is None or signs is None or joints.text is None or signs.text is None:
        return
    if len(joints.text) != len(signs.text):
        message = f"<{signs.TAG}> has {len(signs.text)} values for {len(joints.text)} joints"
        add(findings, "PB024", signs, message)


def rotation_matrix(node: Any, findings: Findings) -> None:
    if node.text is None:
        return
    rows = [node.text[0:3], node.text[3:6], node.text[6:9]]
    worst = 0.0
    for i, a in enumerate(rows):
        for j, b in enumerate(rows):
            worst = max(worst, abs(sum(x * y for x, y in zip(a, b, strict=True)) - (i == j)))
    (a, b, c), (d, e, f), (g, h, i_) = rows
    determinant = a * (e * i_ - f * h) - b * (d * i_ - f * g) + c * (d * h - e * g)
    if worst > FAR or determinant < 0:
        add(
            findings,
            "PB055",
            node,
            f"the matrix is no rotation: it is off by {max(worst, 1 - determinant):.3g}",
        )


def rotation_axis(node: Any, findings: Findings) -> None:
    if node.text is not None and not any(node.text[:3]):
        add(findings, "PB046", node, "the axis of <rotationaxis> is zero, which is no direction")


def quaternion(node: Any, findings: Findings) -> None:
    if node.text is None:
        return
    norm = math.hypot(*node.text)
    if norm == 0.0:
        message = "the quaternion has norm 0 and is no rotation"
        add(findings, "PB041", node, message, "`1 0 0 0` turns by nothing")
    elif abs(norm - 1) > FAR:
        message = f"the quaternion has norm {norm:.9g}; it is normalised when used"
        unit = " ".join(f"{number / norm:.9g}" for number in node.text)
        add(findings, "PB042", node, message, f"the unit quaternion is `{unit}`")


def sensor(node: Any, findings: Findings) -> None:
    """What no sensor that OpenRAVE brings reads is the plugin's that may."""
    known = [row.tag for row in SENSOR.children]
    for child in node.elements:
        if not findings.takes("PB085"):
            return
        message = f"no sensor of OpenRAVE's own reads <{clip(child.tag)}>; it is kept for a plugin"
        add(findings, "PB085", child, message, did_you_mean(child.tag, known))
