"""Columns derived from the paths of tendons: neighbouring parts of a path, and what moves them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.errors import ModelError, Problem
from polybody.generated.model import JointType, WrapType
from polybody.rotations.arrays import matrix

Columns = Mapping[str, NDArray[Any]]
Indices = NDArray[np.int32]
SHAPES = (WrapType.sphere, WrapType.cylinder)
KINDS = {"joint": (WrapType.joint,), "site": (WrapType.site,), "geom": SHAPES}
"""Kinds of parts of a path, and their types."""
OWNERS = {"joint": "jnt", "site": "site", "geom": "geom"}
TURNING = (JointType.hinge, JointType.ball)
ROUNDING = 1e-9
NEVER, ALWAYS, LATER = 0, 1, 2
"""Whether a path runs along the inside of a shape."""


def objects(known: Columns) -> dict[str, Indices]:
    """The rows that each part of a path refers to: joints, sites, shapes, side sites, bodies.

    Raises:
        ModelError: a part refers to a row that does not exist.
    """
    kind, row = known["wrap_type"], known["wrap_objid"]
    found: dict[str, Indices] = {}
    body = np.zeros(len(kind), dtype=np.int32)
    problems: list[Problem] = []
    for name, codes in KINDS.items():
        owner = known[f"{OWNERS[name]}_bodyid"]
        own = np.isin(kind, codes)
        wrong = np.flatnonzero(own & ((row < 0) | (row >= len(owner)))).tolist()
        problems += [
            Problem(f"wrap_objid {row[part]} is not a row of {OWNERS[name]}", "wrap", part) for part in wrong
        ]
        if not problems:
            body[own] = owner[row[own]]
        found[f"wrap_{name}"] = np.where(own, row, -1).astype(np.int32)
    sites, shape = len(known["site_bodyid"]), np.isin(kind, SHAPES)
    side = np.where(shape, known["wrap_prm"], -1.0)
    wrong = np.flatnonzero((side != np.floor(side)) | (side < -1) | (side >= sites)).tolist()
    problems += [
        Problem(f"its side site {side[part]:g} is not a row of site", "wrap", part) for part in wrong
    ]
    if problems:
        raise ModelError(problems)
    return found | {"wrap_body": body, "wrap_side": side.astype(np.int32)}


def paths(known: Columns) -> dict[str, NDArray[Any]]:
    """The tendon, the neighbours and the scale of each part.

    Raises:
        ModelError: paths overlap, or a shape is not between two sites.
    """
    kind = known["wrap_type"].tolist()
    count = len(kind)
    tendon, following, over = (np.full(count, -1, dtype=np.int32) for _ in range(3))
    scale = np.ones(count)
    end = 0
    for row, (first, number) in enumerate(
        zip(known["tendon_adr"].tolist(), known["tendon_num"].tolist(), strict=True)
    ):
        if first != end or number < 0 or first + number > count:
            raise ModelError([Problem("its path does not begin where the previous one ends", "tendon", row)])
        end = first + number
        tendon[first:end] = row
        for one, other, shape in _spans(kind, first, end):
            following[one], over[one] = other, shape
        divisor = 1.0
        for part in range(first, end):
            if kind[part] == WrapType.pulley:
                divisor = float(known["wrap_prm"][part])
            scale[part] = 1.0 / divisor if divisor else 0.0
    if end != count:
        raise ModelError([Problem("it belongs to no tendon", "wrap", end)])
    return {"wrap_tendon": tendon, "wrap_next": following, "wrap_over": over, "wrap_scale": scale}


def _spans(kind: list[int], first: int, end: int) -> Iterator[tuple[int, int, int]]:
    """Spans of a path: a site, the next site of its branch, and the shape between them or -1."""
    for part in range(first, end):
        if kind[part] in SHAPES:
            around = kind[part - 1 : part] + kind[part + 1 : part + 2]
            if not first < part < end - 1 or around != [WrapType.site, WrapType.site]:
                raise ModelError([Problem("a shape must be between two sites of its tendon", "wrap", part)])
        if kind[part] == WrapType.site and part + 1 < end:
            if kind[part + 1] == WrapType.site:
                yield part, part + 1, -1
            elif kind[part + 1] in SHAPES:
                yield part, part + 2, part + 1


def inside(known: Columns) -> dict[str, Indices]:
    """Whether paths run along the inside of shapes: is the side site within the radius of the centre?"""
    found = np.full(len(known["wrap_type"]), NEVER, dtype=np.int32)
    for part in np.flatnonzero(known["wrap_side"] >= 0).tolist():
        site, geom = int(known["wrap_side"][part]), int(known["wrap_geom"][part])
        apart = known["site_pos"][site] - known["geom_pos"][geom]
        near = np.linalg.norm(apart @ matrix(known["geom_quat"][geom])) < known["geom_size"][geom, 0]
        together = known["site_bodyid"][site] == known["geom_bodyid"][geom]
        found[part] = (ALWAYS if near else NEVER) if together else _ever(known, site, geom)
    return {"wrap_inside": found}


def _ever(known: Columns, site: int, geom: int) -> int:
    """The same for a side site on an ancestor of the body, where all joints between them rotate about one
    point.
    """
    child = int(known["geom_bodyid"][geom])
    joints = known["jnt_bodyid"] == child
    anchors, turning = known["jnt_pos"][joints], np.isin(known["jnt_type"][joints], TURNING)
    if known["body_parentid"][child] != known["site_bodyid"][site] or not len(anchors) or not turning.all():
        return LATER
    if (anchors != anchors[0]).any() or known["body_mocapid"][child] >= 0:
        return LATER
    own = np.linalg.norm(known["geom_pos"][geom] - anchors[0])
    outer = known["site_pos"][site] - known["body_pos"][child]
    away = np.linalg.norm(outer @ matrix(known["body_quat"][child]) - anchors[0])
    radius = known["geom_size"][geom, 0]
    if abs(away - own) > radius * (1 + ROUNDING):
        return NEVER
    return ALWAYS if away + own < radius * (1 - ROUNDING) else LATER


def jacobian(known: Columns) -> dict[str, NDArray[Any]]:
    """The entries of ten_J, and which part of a path and which degree of freedom contribute to each.

    A degree of freedom that moves a whole branch changes no length; nor does one that moves both neighbours
    alike.
    """
    entries: list[tuple[int, int, float]] = []
    levers: list[tuple[int, int, int]] = []
    start: list[int] = []
    count = len(known["tendon_adr"])
    parts: list[list[int]] = [[] for _ in range(count)]
    for part, tendon in enumerate(known["wrap_tendon"].tolist()):
        parts[tendon].append(part)
    above = known["dof_parentid"].tolist()
    for tendon in range(count):
        start.append(len(entries))
        coefficients = _coefficients(known, parts[tendon])
        moving = [
            (p, d) for branch in _branches(known, parts[tendon]) for p, d in _moving(known, branch, above)
        ]
        dofs = sorted(coefficients.keys() | {dof for _, dof in moving})
        place = {dof: len(entries) + n for n, dof in enumerate(dofs)}
        entries += [(tendon, dof, coefficients.get(dof, 0.0)) for dof in dofs]
        levers += [(part, dof, place[dof]) for part, dof in moving]
    number = np.diff([*start, len(entries)]).astype(np.int32)
    columns: dict[str, NDArray[Any]] = {
        "tendon_rowadr": np.array(start, dtype=np.int32),
        "tendon_rownnz": number.reshape(count),
        "ten_J_coef": np.array([entry[2] for entry in entries], dtype=np.float64),
    }
    for n, name in enumerate(("tendon", "colind")):
        columns[f"ten_J_{name}"] = np.array([entry[n] for entry in entries], dtype=np.int32)
    for n, name in enumerate(("wrap", "dof", "entry")):
        columns[f"lever_{name}"] = np.array([lever[n] for lever in levers], dtype=np.int32)
    return columns


def _coefficients(known: Columns, parts: list[int]) -> dict[int, float]:
    """The coefficient of each degree of freedom in a fixed tendon; coefficients of a repeated joint are
    added.
    """
    found: dict[int, float] = {}
    for part in parts:
        joint = int(known["wrap_joint"][part])
        if joint >= 0:
            dof = int(known["jnt_dofadr"][joint])
            found[dof] = found.get(dof, 0.0) + float(known["wrap_prm"][part])
    return found


def _branches(known: Columns, parts: list[int]) -> Iterator[list[tuple[int, int, int]]]:
    """The spans of each branch: a site, the next site, and the shape between them or -1."""
    branch: list[tuple[int, int, int]] = []
    for part in parts:
        following = int(known["wrap_next"][part])
        if following >= 0:
            branch.append((part, following, int(known["wrap_over"][part])))
        elif branch and part == branch[-1][1]:
            yield branch
            branch = []


def _moving(
    known: Columns, branch: list[tuple[int, int, int]], above: list[int]
) -> Iterator[tuple[int, int]]:
    """The parts of a branch on which the tendon exerts a force, each with the degrees of freedom that move it
    and not all parts.
    """
    last, body = known["body_lastdof"], known["wrap_body"]
    pulled: dict[int, int] = {}
    for one, other, shape in branch:
        group = [part for part in (one, shape, other) if part >= 0]
        tips = {part: int(last[body[part]]) for part in group}
        if len(set(tips.values())) > 1:
            pulled |= tips
    if not pulled:
        return
    common = _common(set(pulled.values()), above)
    for part, dof in pulled.items():
        while dof > common:
            yield part, dof
            dof = above[dof]


def _common(dofs: set[int], above: list[int]) -> int:
    """The last degree of freedom on the path from the world to all of these; -1 if there is none."""
    while len(dofs) > 1:  # the last one cannot move all of them
        last = max(dofs)
        dofs = (dofs - {last}) | {above[last]}
    (found,) = dofs
    return found


def points(known: Any, at: Columns) -> tuple[NDArray[Any], ...]:
    """The points of all paths, as MuJoCo lists them: ten_wrapadr, ten_wrapnum, wrap_obj, wrap_xpos.

    Args:
        known: the Model.
        at: for each part of a path: "point", the position of the site; "first" and "last", where the path
            touches the shape; "free", whether it does not touch it.
    """
    count = len(known.wrap_type)
    found = np.zeros(2 * count, dtype=np.int32)
    places = np.zeros((2 * count, 3))
    starts, numbers, end = [], [], 0

    def put(what: int, place: NDArray[Any]) -> None:
        nonlocal end
        found[end], places[end] = what, place
        end += 1

    for first, number in zip(known.tendon_adr.tolist(), known.tendon_num.tolist(), strict=True):
        start = end
        for part in range(first, first + number):
            kind = known.wrap_type[part]
            if kind == WrapType.site:
                put(-1, at["point"][part])
            elif kind in SHAPES and at["free"][part] == 0:
                put(int(known.wrap_geom[part]), at["first"][part])
                put(int(known.wrap_geom[part]), at["last"][part])
            elif kind == WrapType.pulley:
                put(-2, np.zeros(3))
        starts.append(start)
        numbers.append(end - start)
    return (
        np.array(starts, dtype=np.int32),
        np.array(numbers, dtype=np.int32),
        found.reshape(count, 2),
        places.reshape(count, 6),
    )
