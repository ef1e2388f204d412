"""`replicate`: copies of a subtree along a line or a circle, and of the elements that refer to it."""

from __future__ import annotations

from math import pi

from polybody.lowering.mjcf.copying import Copier
from polybody.lowering.mjcf.elements import Body, Frame, Spec, Values
from polybody.lowering.mjcf.keyframes import store
from polybody.lowering.mjcf.poses import euler, rotated
from polybody.lowering.mjcf.problems import Problems
from polybody.lowering.mjcf.references import Names, follow, forget, names_of
from polybody.lowering.mjcf.values import since
from polybody.rotations.poses import ORIGIN, UPRIGHT, Vector


def replicate(spec: Spec, body: Body, apart: Body, top: Frame, values: Values, problems: Problems) -> None:
    """Replace the content, which was read into a separate body, by its copies.

    Args:
        spec: receives the copies.
        body: the parent of the copies.
        apart: the separate body with the content, which is the last child of `body`.
        top: the frame that contains the content.
        values: of the element.
        problems: receives a finding if there are too many copies.
    """
    node, count = top.node, values["count"] or 0
    if "inertial" in apart.values:
        problems.remark(apart.values["inertial"]["node"], "<inertial> has no effect in a <replicate>")
    size = sum(1 + sum(map(len, each.parts)) for each in apart.walk()) - 1 + len(spec.lists["key"])
    if not size:  # nothing to copy
        count = 0
    if not problems.fits(spec, node, size * count, "count"):
        body.bodies.remove(apart)
        return
    names_of(spec)
    try:
        poses = _poses(values, top.settings.degrees, top.settings.sequence, count)
    except ValueError:
        problems.add(node, "the angles of the copies overflow", "euler")
        poses = []
    copied = not since("3.16.0")  # keyframes, with each copy
    for number, (place, turn) in enumerate(poses):
        suffix = (values["sep"] or "") + str(number).zfill(len(str(count)))
        if copied:
            store(spec, spec, "", suffix)
        frame = Frame(node, top.settings, top.parent, "", place, turn)
        frames: dict[Frame, Frame | None] = {top: frame}
        if top.parent is not None:
            frames[top.parent] = top.parent
        _instance(Copier("", suffix, frames=frames), apart, body, spec.names)
        # Elements whose references do not exist are copied with each copy, and so double each time.
        if not problems.fits(spec, node, follow(spec, spec.lists, "", suffix), "count"):
            break
    if copied:
        store(spec, spec, "", "")
        spec.lists["key"].clear()
    body.bodies.remove(apart)
    gone = set(map(id, apart.walk()))
    spec.frames = {name: found for name, found in spec.frames.items() if id(found[1]) not in gone}
    forget(spec, apart)


def _poses(
    values: Values, degrees: bool, sequence: str, count: int
) -> list[tuple[Vector, tuple[float, float, float, float]]]:
    """The poses of the copies. The offset from one to the next is in the axes of the first of the two; as of
    3.2.7, in those of the copy before it.
    """
    own = since("3.3.1")
    offset, angles = values["offset"] or ORIGIN, values["euler"] or ORIGIN
    place, turn, found = ORIGIN, UPRIGHT, []
    for number in range(count):
        x, y, z = rotated(offset, turn)
        turn = euler(tuple([_radians(number * angle, degrees, own) for angle in angles]), sequence)
        if own:
            x, y, z = rotated(offset, turn)
        found.append((place, turn))
        place = (place[0] + x, place[1] + y, place[2] + z)
    return found


def _radians(angle: float, degrees: bool, own: bool) -> float:
    """An angle in radians, as of later releases with MuJoCo's rounding: where copies just touch something,
    the last digit decides between contact and none.
    """
    if not degrees:
        return angle
    return angle / 180.0 * pi if own else angle * (pi / 180)


def _instance(copier: Copier, apart: Body, body: Body, names: Names) -> None:
    """One copy of the content."""
    ends = [len(parts) for parts in body.parts]
    copier.parts(apart, body)
    for parts, end in zip(body.parts, ends, strict=True):
        names.add(parts[end:])
    for child in apart.bodies:
        twin = copier.body(child, body)
        body.bodies.append(twin)
        names.add_tree(twin)
