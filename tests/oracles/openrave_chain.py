"""An independent reader of OpenRAVE XML, tag by tag, with products of 4x4 matrices: OpenRAVE itself is not
available here.

Nothing of polybody is used except the positions of its formulas. lxml parses the text, poses are matrices,
link poses are computed from joint to joint, and masses are added by the parallel-axis theorem. Pinocchio gets
its model from this, with a joint at each anchor followed by its link, which differs from the way of the
lowering.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from lxml import etree

Matrix = np.ndarray
EYE = np.eye(4)


def shift(pos: Any) -> Matrix:
    found = np.eye(4)
    found[:3, 3] = pos
    return found


def turn(axis: Any, angle: float) -> Matrix:
    """Rodrigues' formula."""
    axis = np.asarray(axis, float)
    norm = np.linalg.norm(axis)
    found = np.eye(4)
    if norm > 0:
        x, y, z = axis / norm
        cross = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
        found[:3, :3] += math.sin(angle) * cross + (1 - math.cos(angle)) * cross @ cross
    return found


def of_quaternion(quat: Any) -> Matrix:
    w, *v = np.asarray(quat, float) / np.linalg.norm(quat)
    angle = 2 * math.atan2(np.linalg.norm(v), w)
    return turn(v, angle)


def quaternion(m: np.ndarray) -> np.ndarray:
    """The quaternion that OpenRAVE computes from a matrix (3, 3), which may be a rotation only to a few
    digits.
    """
    trace = np.trace(m)
    if trace >= 0:
        quat = np.array([1 + trace, m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]])
    else:
        i = int(np.argmax(np.diag(m)))
        j, k = (i + 1) % 3, (i + 2) % 3
        quat = np.array([m[k, j] - m[j, k], 0.0, 0.0, 0.0])
        quat[1 + i] = 1 + m[i, i] - m[j, j] - m[k, k]
        quat[1 + j], quat[1 + k] = m[i, j] + m[j, i], m[i, k] + m[k, i]
    return quat / np.linalg.norm(quat)


def rounded(rows: Any) -> Matrix:
    """A matrix of the text, normalised by way of the quaternion that OpenRAVE computes from it."""
    return of_quaternion(quaternion(np.asarray(rows, float).reshape(3, 3)))


def tag(node: Any) -> str:
    return node.tag.lower() if isinstance(node.tag, str) else ""


def words(node: Any) -> list[str]:
    return ("".join(node.itertext()) if len(node) == 0 else node.text or "").split()


def numbers(node: Any) -> np.ndarray:
    return np.array([float(word) for word in words(node)])


def attribute(node: Any, name: str) -> str | None:
    return next((value for key, value in node.attrib.items() if key.lower() == name), None)


def children(node: Any, *tags: str) -> Iterator[Any]:
    return (child for child in node if tag(child) in tags)


def first(node: Any, *tags: str) -> Any:
    return next(children(node, *tags), None)


def own(node: Any, start: Matrix = EYE) -> Matrix:
    """The transform of an element: translations add, rotations multiply from the left, and none rotates a
    translation.
    """
    found = start.copy()
    for child in node:
        kind = tag(child)
        if kind == "translation":
            found[:3, 3] += numbers(child)
        elif kind in ("rotationaxis", "rotationmat", "quat"):
            given = numbers(child)
            if kind == "rotationaxis":
                by = turn(given[:3], math.radians(given[3]))
            else:
                by = rounded(given) if kind == "rotationmat" else of_quaternion(given)
            found[:3, :3] = by[:3, :3] @ found[:3, :3]
    return found


@dataclass(eq=False)
class Link:
    name: str
    pose: Matrix
    static: bool = False
    mass: tuple[float, np.ndarray, np.ndarray] | None = None
    solids: list[tuple[str, np.ndarray, Matrix]] = field(default_factory=list)


@dataclass(eq=False)
class Joint:
    name: str
    kind: str
    one: Link
    two: Link
    rel: Matrix
    anchor: np.ndarray
    axes: list[np.ndarray]
    bounds: list[tuple[float, float]]
    circular: bool
    enabled: bool
    formulas: list[str]
    """One for each axis; "" for none."""
    known: dict[str, Joint] = field(default_factory=dict)
    """The joints by the names that its formulas use."""

    @property
    def count(self) -> int:
        return {"universal": 2, "hinge2": 2, "spherical": 3}.get(self.kind, 1)

    @property
    def rigid(self) -> bool:
        still = not self.circular and all(low == high for low, high in self.bounds)
        return still or (self.kind == "slider" and not self.axes)

    @property
    def indexed(self) -> bool:
        return self.enabled and not any(self.formulas)

    def motion(self, values: Any) -> Matrix:
        """The motion between the first link and ``rel``."""
        if self.rigid:
            return EYE
        if self.kind == "slider":
            return shift(values[0] * self.axes[0])
        if self.kind == "spherical":
            about = turn(values, float(np.linalg.norm(values)))
        else:
            about = EYE
            for axis, value in zip(self.axes, values, strict=True):
                about = about @ turn(axis, value)
        return shift(self.anchor) @ about @ shift(-self.anchor)

    def clamped(self, values: Any) -> list[float]:
        if self.circular or self.kind == "spherical":
            return list(values)
        return [min(max(v, low), high) for v, (low, high) in zip(values, self.bounds, strict=True)]


class Body:
    """A body or robot, read in the order of the text."""

    def __init__(self, path: Path, node: Any) -> None:
        self.links: list[Link] = []
        self.joints: list[Joint] = []
        self.name = ""
        self.values: tuple[int, np.ndarray] | None = None
        self._element(path, node, 0, False)
        for joint in self.joints:
            joint.known = joint.known or {each.name: each for each in self.joints}

    def _link(self, name: str | None, fold: bool = False) -> Link:
        exact = [link for link in self.links if link.name == name]
        alike = [link for link in self.links if fold and link.name.lower() == (name or "").lower()]
        return (exact or alike)[0]

    def _element(self, path: Path, node: Any, depth: int, in_file: bool) -> None:
        begun = own_links = len(self.links)
        own_joints = len(self.joints)
        prefix, file = attribute(node, "prefix") or "", attribute(node, "file")
        if file:
            inner = path.parent / file.strip()
            if inner.is_file() and inner.suffix == ".xml":
                self._element(inner, etree.parse(inner).getroot(), depth + 1, True)
                self._prefix(prefix, begun, own_joints)
            own_links, own_joints = len(self.links), len(self.joints)
        default = ("sphere", 1.0, np.ones(3), ("total", 1.0))
        for child in node:
            kind = tag(child)
            if kind in ("kinbody", "robot"):
                self._element(path, child, depth + 1, in_file)
            elif kind in ("mass", "body", "joint") and tag(node) == "robot":
                continue  # they belong to a kinbody
            elif kind == "mass":
                default = self._rule(child, default)
                shape, *sizes, (what, amount) = default
                what = "density" if shape == "mimicgeom" else what
                default = ("sphere" if shape == "custom" else shape, *sizes, (what, amount))
            elif kind == "body":
                self._body(child, default)
            elif kind == "joint":
                self._joint(child)
            elif kind == "jointvalues" and not in_file and depth <= (self.values or (1,))[0]:
                self.values = (depth, numbers(child))
        pose = own(node)
        for link in self.links[begun:]:
            link.pose = pose @ link.pose
        self._prefix(prefix, own_links, own_joints)
        self.name = attribute(node, "name") or self.name

    def _prefix(self, prefix: str, links: int, joints: int) -> None:
        if not prefix:
            return
        names = {joint.name: joint for joint in self.joints}
        for joint in self.joints:
            joint.known = joint.known or dict(names)
        for row in (*self.links[links:], *self.joints[joints:]):
            row.name = prefix + row.name

    # --- links ----------------------------------------------------------------------------------------------

    def _body(self, node: Any, default: Any) -> None:
        name = attribute(node, "name")
        known = next((link for link in self.links if name is not None and link.name == name), None)
        link = known or Link(name or f"link{len(self.links)}", EYE.copy())
        if known is None:
            self.links.append(link)
        link.pose = own(node, link.pose)
        off = first(node, "offsetfrom")
        if off is not None:
            link.pose = self._link(words(off)[0]).pose @ link.pose
        if attribute(node, "type"):
            link.static = attribute(node, "type").lower() == "static"
        for geom in children(node, "geom"):
            solid = self._solid(geom)
            if solid is not None:
                link.solids.append(solid)
        mass = first(node, "mass")
        if mass is not None:
            link.mass = self._mass(self._rule(mass, ("sphere", *default[1:3], ("density", 1.0))), mass, link)
        elif known is None:
            link.mass = self._mass(default, None, link)

    @staticmethod
    def _solid(geom: Any) -> tuple[str, np.ndarray, Matrix] | None:
        kind = (attribute(geom, "type") or "box").lower()
        if kind == "box":
            full = first(geom, "fullextents")
            half = first(geom, "extents", "halfextents")
            return "box", numbers(half) if half is not None else numbers(full) / 2, own(geom)
        if kind == "sphere":
            return "sphere", numbers(first(geom, "radius")), own(geom)
        if kind == "cylinder":
            size = np.array([numbers(first(geom, "radius"))[0], numbers(first(geom, "height"))[0]])
            return "cylinder", size, own(geom)
        return None

    @staticmethod
    def _rule(node: Any, default: Any) -> Any:
        """The kind, radius, half extents, and the given amount: a density or a total mass."""
        radius, extents = first(node, "radius"), first(node, "extents")
        amounts = list(children(node, "density", "total"))
        amount = (tag(amounts[-1]), float(words(amounts[-1])[0])) if amounts else ("density", 1.0)
        return (
            (attribute(node, "type") or "sphere").lower(),
            default[1] if radius is None else numbers(radius)[0],
            default[2] if extents is None else numbers(extents),
            amount,
        )

    @staticmethod
    def _mass(rule: Any, node: Any, link: Link) -> tuple[float, np.ndarray, np.ndarray]:
        kind, radius, half, (what, amount) = rule
        zero = np.zeros(3)
        if kind == "custom":
            com, inertia, total = first(node, "com"), first(node, "inertia"), first(node, "total")
            tensor = np.eye(3) * 0.4 if inertia is None else numbers(inertia).reshape(3, 3)
            mass = 1.0 if total is None else float(words(total)[0])
            return mass, zero if com is None else numbers(com), tensor
        if kind == "mimicgeom":
            return _together(link.solids, what, amount)
        if kind == "box":
            mass = amount * 8 * half.prod() if what == "density" else amount
            square = half**2
            return mass, zero, mass / 3 * np.diag(square.sum() - square)
        mass = amount * 4 / 3 * math.pi * radius**3 if what == "density" else amount
        return mass, zero, 0.4 * mass * radius**2 * np.eye(3)

    # --- joints ---------------------------------------------------------------------------------------------

    def _joint(self, node: Any) -> None:
        ends = [words(child)[0] for child in children(node, "body")]
        one, two = (self._link(name, fold=True) for name in ends)
        off = first(node, "offsetfrom")
        frame = EYE if off is None else self._link(words(off)[0]).pose
        into = np.linalg.inv(one.pose) @ frame
        kind = (attribute(node, "type") or "hinge").lower()
        anchor = first(node, "anchor")
        sign = -1.0 if first(node, "lostop", "histop") is not None else 1.0
        axes = []
        for name in ("axis",) if kind in ("hinge", "slider") else ("axis1", "axis2"):
            axis = first(node, name)
            if axis is not None:
                along = into[:3, :3] @ numbers(axis)
                axes.append(sign * along / np.linalg.norm(along))
            elif kind == "hinge":
                axes.append(np.array([0.0, 0.0, sign]))
        joint = Joint(
            attribute(node, "name") or f"joint{len(self.joints)}",
            kind,
            one,
            two,
            np.linalg.inv(one.pose) @ two.pose,
            (into @ np.array([*(np.zeros(3) if anchor is None else numbers(anchor)), 1.0]))[:3],
            axes,
            [],
            (attribute(node, "circular") or "").lower() in ("true", "1"),
            (attribute(node, "enable") or "true").lower() in ("true", "1"),
            [],
        )
        joint.bounds = _bounds(node, kind, joint.count)
        joint.formulas = [
            attribute(node, f"mimic_pos{place}")
            or (attribute(node, "mimic_pos") if place == 0 else None)
            or ""
            for place in range(joint.count)
        ]
        initial = first(node, "initial")
        if initial is not None:
            joint.rel = np.linalg.inv(joint.motion(numbers(initial))) @ joint.rel
        self.joints.append(joint)

    # --- poses ----------------------------------------------------------------------------------------------

    @property
    def indexed(self) -> list[Joint]:
        return [joint for joint in self.joints if joint.indexed]

    def start(self) -> dict[Joint, list[float]]:
        """Values after loading: measured from the drawn poses of the links, clamped, then overwritten by
        given ones.
        """
        found = {}
        for joint in self.joints:
            across = np.linalg.inv(joint.one.pose) @ joint.two.pose @ np.linalg.inv(joint.rel)
            if joint.rigid:
                found[joint] = [0.0] * joint.count
            elif joint.kind == "slider":
                found[joint] = joint.clamped([float(joint.axes[0] @ across[:3, 3])])
            elif joint.kind == "hinge":
                w, *v = quaternion(across[:3, :3])
                angle = 2 * math.atan2(float(np.dot(v, joint.axes[0])), w)
                angle = math.remainder(angle, 2 * math.pi)
                found[joint] = joint.clamped([angle])
            else:
                assert np.allclose(across, EYE), "only hinges and sliders are read back here"
                found[joint] = [0.0] * joint.count
        given = None if self.values is None else self.values[1]
        if given is not None and len(given) == sum(joint.count for joint in self.indexed):
            for joint in self.indexed:
                if not joint.rigid:
                    found[joint] = joint.clamped(given[: joint.count])
                given = given[joint.count :]
        return self.followed(found)

    def followed(self, values: Mapping[Joint, list[float]]) -> dict[Joint, list[float]]:
        """The values including those of joints that follow others, by Python's own arithmetic."""
        found = dict(values)
        for _ in self.joints:
            for joint in self.joints:
                if any(joint.formulas):
                    found[joint] = joint.clamped(
                        [_evaluate(text, joint.known, found) if text else 0.0 for text in joint.formulas]
                    )
        return found

    def placed(self, values: Mapping[Joint, list[float]]) -> dict[Link, Matrix]:
        """The poses of all links: static links and the first keep their own, joints determine the others."""
        found = {link: link.pose for link in self.links if link.static}
        for joint, parent, child in self.tree():
            if parent is None:
                found[child] = child.pose
                continue
            assert joint is not None
            across = joint.motion(values[joint]) @ joint.rel
            found[child] = found[parent] @ (across if parent is joint.one else np.linalg.inv(across))
        return found

    def tree(self) -> list[tuple[Joint | None, Link | None, Link]]:
        """Each link that is not static with the joint and the link that determine its pose, parents first."""
        level = [link for link in self.links if link.static]
        known = set(level)
        rows: list[tuple[Joint | None, Link | None, Link]] = []
        while len(known) < len(self.links):
            if not level:
                root = next(link for link in self.links if link not in known)
                rows.append((None, None, root))
                known.add(root)
                level = [root]
            below = []
            for link in self.links:
                if link in known:
                    continue
                for joint in sorted(self.joints, key=lambda joint: not joint.indexed):
                    parent = {joint.one: joint.two, joint.two: joint.one}.get(link)
                    if parent in level:
                        rows.append((joint, parent, link))
                        below.append(link)
                        break
            known.update(below)
            level = below
        return rows


def _bounds(node: Any, kind: str, count: int) -> list[tuple[float, float]]:
    factor = 1.0 if kind == "slider" else math.pi / 180
    for name, scale in (("limits", 1.0), ("limitsrad", 1.0), ("limitsdeg", factor)):
        given = first(node, name)
        if given is not None:
            pairs = (scale * numbers(given)).reshape(count, 2)
            return [(float(min(pair)), float(max(pair))) for pair in pairs]
    default = {"slider": (-10.0, 10.0), "spherical": (-100.0, 100.0)}.get(kind, (-math.pi, math.pi))
    low, high = first(node, "lostop"), first(node, "histop")
    if low is not None and high is not None:
        pairs = zip(factor * numbers(low), factor * numbers(high), strict=True)
        return [(float(a), float(b)) for a, b in pairs]
    return [default] * count


def _together(solids: list[Any], what: str, amount: float) -> tuple[float, np.ndarray, np.ndarray]:
    """Mass, centre of mass and inertia about it, of solids of one density, or of one total mass."""
    rows = []
    for kind, size, pose in solids:
        if kind == "box":
            volume, square = 8 * size.prod(), size**2
            own_inertia = volume / 3 * np.diag(square.sum() - square)
        elif kind == "sphere":
            volume = 4 / 3 * math.pi * size[0] ** 3
            own_inertia = 0.4 * volume * size[0] ** 2 * np.eye(3)
        else:
            radius, height = size
            volume = math.pi * radius**2 * height
            across = volume * (3 * radius**2 + height**2) / 12
            own_inertia = np.diag([across, volume * radius**2 / 2, across])  # its axis is y
        turned = pose[:3, :3] @ own_inertia @ pose[:3, :3].T
        rows.append((volume, pose[:3, 3], turned))
    total = sum(volume for volume, _, _ in rows)
    if total == 0:
        return 0.0, np.zeros(3), np.zeros((3, 3))
    centre = sum(volume * at for volume, at, _ in rows) / total
    inertia = np.zeros((3, 3))
    for volume, at, turned in rows:
        d = at - centre
        inertia += turned + volume * (d @ d * np.eye(3) - np.outer(d, d))
    density = amount if what == "density" else amount / total
    return density * total, centre, density * inertia


def _evaluate(text: str, known: Mapping[str, Joint], values: Mapping[Joint, list[float]]) -> float:
    """Evaluate a formula of arithmetic and functions of Python's math, from a trusted file."""
    names: dict[str, Any] = {
        name: getattr(math, name) for name in ("sin", "cos", "tan", "atan", "sqrt", "exp")
    }
    if "if(" in text or ":=" in text:
        raise NotImplementedError(text)

    def replaced(match: re.Match[str]) -> str:
        word = match[0]
        return f"({float(values[known[word]][0])!r})" if word in known and known[word] in values else word

    return float(
        eval(re.sub(r"[A-Za-z_]\w*", replaced, text).replace("^", "**"), {"__builtins__": {}}, names)
    )


# --- documents ----------------------------------------------------------------------------------------------


def bodies(path: Path) -> list[Body]:
    """The bodies and robots of a file, environments in environments and files included."""
    found: list[Body] = []

    def environment(path: Path, node: Any) -> None:
        file = attribute(node, "file")
        if file and (path.parent / file.strip()).is_file():
            inner = path.parent / file.strip()
            environment(inner, etree.parse(inner).getroot())
        for child in node:
            if tag(child) == "environment":
                environment(path, child)
            elif tag(child) in ("kinbody", "robot"):
                found.append(Body(path, child))
                found[-1].name = found[-1].name or f"{tag(child)}{len(found) - 1}"

    root = etree.parse(path).getroot()
    if tag(root) == "environment":
        environment(path, root)
    elif tag(root) in ("kinbody", "robot"):
        found.append(Body(path, root))
    return found
