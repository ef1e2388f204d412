"""Bodies: where joints and shapes are allowed, and physically possible inertia."""

from __future__ import annotations

from collections import Counter
from typing import Any

from polybody.base import Node, children_of, held
from polybody.base.releases import is_in
from polybody.generated.formats.mjcf import Frame, GeomType, JointType, Replicate
from polybody.validation.scene import Scene

BODY, GEOM, JOINT, FREEJOINT = "Body", "Geom", "Joint", "Freejoint"
INERTIAL, FRAME, REPLICATE = "Inertial", "Frame", "Replicate"
NODES = ("Worldbody", BODY, GEOM, JOINT, FREEJOINT, INERTIAL, FRAME, REPLICATE)
WRAPPERS = ("frame", "replicate")
WRAPPING = (Frame, Replicate)
JOINTS = ("joint", "freejoint")
ROUNDING, TINY = 1e-12, 1e-30
"""A moment of inertia up to this part of the largest entry of a tensor is zero up to rounding."""
SLACK = 1e-10
"""By how much, relative to its size, the sum of two moments may be less than the third."""


def check(scene: Scene) -> None:
    """Report misplaced joints and shapes, and impossible inertia."""
    special = scene.nodes(FREEJOINT) + scene.select(JOINT, "type", JointType.FREE, JointType.BALL)
    for wrapper in scene.nodes(FRAME, REPLICATE):
        _wrapper(scene, wrapper)
    homes = {id(home): home for home in (home_of(scene, node) for node in special) if home.TAG == "body"}
    counts = joint_counts(scene) if homes else {}
    for body in homes.values():
        if counts[id(body)] > 1 or home_of(scene, body).TAG == "body":
            _joints(scene, body)
    for node in scene.having(REPLICATE, "prefix"):
        scene.report("PB027", node, "prefix", "`prefix` of a replicate has no effect", "remove it")
    for body in scene.having(BODY, "mocap"):
        if body.mocap and (joined(body) or home_of(scene, body).TAG == "body"):
            scene.report("PB049", body, "mocap", "a mocap body must be a child of the world without joints")
    moving: dict[int, bool] = {}
    for geom in scene.select(GEOM, "type", GeomType.PLANE, GeomType.HFIELD):
        if _moves(scene, geom, moving):
            kind = scene.value(geom, "type").value
            message = f"a {kind} cannot move: put it in the world or in a body fixed to it"
            scene.report("PB049", geom, "type", message)
    for node in scene.rules.unbalanced(INERTIAL, "diaginertia"):
        _moments(scene, node)
    for node in scene.having(INERTIAL, "fullinertia"):
        if node.diaginertia is None and not _positive(*_bounded(scene, node.fullinertia)):
            scene.report("PB047", node, "fullinertia", "the inertia is not positive definite")


def home_of(scene: Scene, node: Any) -> Any:
    """The body or world that contains an element, directly or through frames and replicates."""
    home = scene.parent(node)
    passed = []
    while home.TAG in WRAPPERS:
        if id(home) in scene.homes:
            home = scene.homes[id(home)]
            break
        passed.append(home)
        home = scene.parent(home)
    scene.homes.update((id(wrapper), home) for wrapper in passed)
    return home


def joint_counts(scene: Scene) -> Counter[int]:
    """Number of joints of bodies and of the world, by id, including those in frames and replicates."""
    return Counter(map(id, scene.rules.homes(scene.nodes(JOINT, FREEJOINT), WRAPPING)))


def wraps(body: Any) -> bool:
    """Whether a body contains frames or replicates."""
    return bool(held(body, "frame") or held(body, "replicate"))


def direct(node: Node) -> list[Any]:
    """The children of a body or the world, including those in frames and replicates."""
    found: list[Any] = []
    stack = list(reversed(children_of(node)))
    while stack:
        child = stack.pop()
        if child.TAG in WRAPPERS:
            stack.extend(reversed(children_of(child)))
        else:
            found.append(child)
    return found


def parts(body: Node, *tags: str) -> list[Any]:
    """The children with some tags, including those in frames and replicates."""
    if wraps(body):
        return [part for part in direct(body) if part.TAG in tags]
    return [part for tag in tags for part in held(body, tag)]


def joined(body: Node) -> list[Any]:
    """The joints of a body, grouped by kind."""
    return parts(body, *JOINTS)


def _moves(scene: Scene, geom: Any, moving: dict[int, bool]) -> bool:
    """Whether there is a joint between a geom and the world; ``moving`` caches it by the id of a body."""
    passed = []
    home = home_of(scene, geom)
    while home.TAG == "body" and id(home) not in moving:
        passed.append(home)
        home = home_of(scene, home)
    for body in reversed(passed):
        above = home_of(scene, body)
        moving[id(body)] = moving.get(id(above), False) or bool(joined(body))
    return moving.get(id(home_of(scene, geom)), False)


def _wrapper(scene: Scene, wrapper: Any) -> None:
    """Elements that a frame or replicate can contain in a body, but not in the world."""
    if home_of(scene, wrapper).TAG == "worldbody":
        for child in children_of(wrapper):
            if child.TAG in (*JOINTS, "inertial"):
                scene.report(
                    "PB049", child, None, f"<{child.TAG}> is allowed only in a body, not in the world"
                )


def _joints(scene: Scene, body: Any) -> None:
    joints = [part for part in direct(body) if part.TAG in JOINTS]
    kinds = ["free" if joint.TAG == "freejoint" else scene.value(joint, "type").value for joint in joints]
    rotations = [joint for joint, kind in zip(joints, kinds, strict=True) if kind in ("ball", "hinge")]
    for joint, kind in zip(joints, kinds, strict=True):
        if kind == "free" and home_of(scene, body).TAG == "body":
            scene.report("PB049", joint, None, "a free joint is allowed only in a child of the world")
    if len(joints) > 1 and "free" in kinds:
        second = joints[1] if kinds[0] == "free" else joints[0]
        scene.report("PB049", second, None, "a free joint must be the only joint of its body")
    turning = [kind for kind in kinds if kind in ("ball", "hinge")]
    if "ball" in turning[:-1]:
        scene.report(
            "PB049", rotations[-1], None, "a ball joint must not be followed by a rotation in the same body"
        )


def _moments(scene: Scene, node: Any) -> None:
    name, moments = "diaginertia", sorted(node.diaginertia)
    if moments[0] < 0:
        scene.report("PB047", node, name, f"a moment of inertia is {moments[0]:g}; it must not be negative")
        return
    settings = scene.root.compiler  # type: ignore[attr-defined]
    balanced = settings is not None and settings.balanceinertia
    if not balanced and moments[0] + moments[1] < moments[2] * (1 - SLACK):
        message = f"impossible moments of inertia {', '.join(f'{m:g}' for m in moments)}: the sum of two is"
        hint = 'correct them, or write <compiler balanceinertia="true"/>, which replaces them by their mean'
        scene.report("PB047", node, name, f"{message} less than the third", hint)


def _bounded(scene: Scene, tensor: tuple[float, ...]) -> tuple[float, ...]:
    """A tensor, in releases that accept one with a moment of zero, up to rounding, if there is a minimum."""
    settings = scene.root.compiler  # type: ignore[attr-defined]
    least = None if settings is None else settings.boundinertia
    if not least or not is_in(scene.format.version, "4.0", None):
        return tensor
    more = max(ROUNDING * max(map(abs, tensor)), TINY)
    return (*(moment + more for moment in tensor[:3]), *tensor[3:])


def _positive(xx: float, yy: float, zz: float, xy: float, xz: float, yz: float) -> bool:
    """Whether a symmetric matrix is positive definite, by its leading minors."""
    second = xx * yy - xy * xy
    third = xx * (yy * zz - yz * yz) - xy * (xy * zz - yz * xz) + xz * (xy * yz - yy * xz)
    return xx > 0 and second > 0 and third > 0
