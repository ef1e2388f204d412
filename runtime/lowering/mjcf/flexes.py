"""Compilation of flexes, and their columns."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.assembly.columns import BYTE, DOUBLE, INTEGER, SINGLE, Columns, joined, starts
from polybody.geometry.flexes import STIFFNESS, Topology, outward, stiffness, topology
from polybody.lowering.mjcf.body_columns import materials
from polybody.lowering.mjcf.columns import Field, coded, flags, gather
from polybody.lowering.mjcf.elements import Body, Element, Spec, Values
from polybody.lowering.mjcf.numbering import Numbered, of_lists
from polybody.lowering.mjcf.poses import NOWHERE, Pose, composed, matrix
from polybody.lowering.mjcf.problems import Unmade

FIELDS: tuple[Field, ...] = (
    ("flex_contype", "contype", 0, INTEGER),
    ("flex_conaffinity", "conaffinity", 0, INTEGER),
    ("flex_condim", "condim", 0, INTEGER),
    ("flex_priority", "priority", 0, INTEGER),
    ("flex_solmix", "solmix", 0, DOUBLE),
    ("flex_solref", "solref", 2, DOUBLE),
    ("flex_solimp", "solimp", 5, DOUBLE),
    ("flex_friction", "friction", 3, DOUBLE),
    ("flex_margin", "margin", 0, DOUBLE),
    ("flex_gap", "gap", 0, DOUBLE),
    ("flex_activelayers", "activelayers", 0, INTEGER),
    ("flex_dim", "dim", 0, INTEGER),
    ("flex_group", "group", 0, INTEGER),
    ("flex_radius", "radius", 0, DOUBLE),
    ("flex_damping", "damping", 0, DOUBLE),
    ("flex_edgestiffness", "edgestiffness", 0, DOUBLE),
    ("flex_edgedamping", "edgedamping", 0, DOUBLE),
    ("flex_rgba", "rgba", 4, SINGLE),
)
Reals = NDArray[np.float64]


def compile_flexes(numbered: Numbered, spec: Spec) -> None:
    """Compile all flexes, after poses of bodies are known; `made` in their values is None after a finding."""
    if not spec.lists["flex"]:
        return
    poses = _poses(spec)
    for flex in spec.lists["flex"]:
        flex.values["made"] = None
        try:
            flex.values["made"] = _compile(numbered, flex, poses)
        except Unmade as reason:
            numbered.problems.add(flex.node, str(reason), reason.attribute)


def _poses(spec: Spec) -> dict[int, Pose]:
    """The world poses of all bodies, as given in the document, by identity."""
    found: dict[int, Pose] = {}
    for body in spec.world.walk():
        around = NOWHERE if body.parent is None else found[id(body.parent)]
        found[id(body)] = composed(around, (body.pos, body.quat))
    return found


class Made:
    """A flex's arrays, by the suffixes of their columns' names."""

    def __init__(self, bodies: list[Body], vertices: Reals, elements: Any, found: Topology) -> None:
        self.bodies, self.vertices, self.elements, self.topology = bodies, vertices, elements, found
        self.stiffness = np.zeros((len(elements), STIFFNESS))


def _compile(numbered: Numbered, flex: Element, poses: dict[int, Pose]) -> Made | None:
    values = flex.values
    dim = values["dim"]
    if not 1 <= dim <= 3:
        raise Unmade(f"`dim` is {dim}; it must be 1, 2 or 3", "dim")
    if not numbered.problems.listed(flex.node, values, "condim"):
        return None
    if values["edgestiffness"] > 0 and dim > 1:
        raise Unmade("only flexes of dimension 1 have a stiffness of edges; others use <elasticity>")
    vertices, elements = _numbers(values, dim)
    resolved = [numbered.resolve(flex, reference, "body") for reference in values["references"]]
    bodies = [body for body in resolved if isinstance(body, Body)]
    if len(bodies) < len(resolved):
        return None
    if len(bodies) == 1 and len(vertices):
        bodies *= len(vertices)
    if not bodies:
        raise Unmade("the flex has no bodies", "body")
    if not len(vertices):
        vertices = np.zeros((len(bodies), 3))
    if len(bodies) != len(vertices):
        message = (
            f"`body` names {len(bodies)} bodies for {len(vertices)} vertices; it must name one for each, "
            "or one for all"
        )
        raise Unmade(message, "body")
    _check(values, elements, len(vertices), dim)
    points = np.empty_like(vertices)
    turns = {
        id(body): (np.array(poses[id(body)][0]), np.array(matrix(poses[id(body)][1]))) for body in bodies
    }
    for row, body in enumerate(bodies):
        place, turn = turns[id(body)]
        points[row] = place + turn @ vertices[row]
    if dim == 3:
        elements = outward(elements, points)
    made = Made(bodies, vertices, elements, topology(dim, elements))
    if values["young"] > 0 and dim > 1:
        if not 0 <= values["poisson"] < 0.5:
            raise Unmade(f"`poisson` is {values['poisson']:g}; it must be from 0 to less than 0.5")
        given = values["young"], values["poisson"], values["thickness"]
        with np.errstate(all="ignore"):
            made.stiffness = stiffness(dim, elements, points, *given)
        wrong = np.flatnonzero(~np.isfinite(made.stiffness).all(axis=1))
        if len(wrong):
            raise Unmade(f"element {wrong[0]} of the flex is flat, so its stiffness is undefined", "element")
    return made


def _numbers(values: Values, dim: int) -> tuple[Reals, NDArray[np.int32]]:
    """Vertices, (n, 3), empty if all are at the origins of their bodies; and elements, (m, dim + 1)."""
    vertices = () if values["vertex"] is None else values["vertex"]
    if isinstance(vertices, tuple) and len(vertices) % 3:
        raise Unmade(f"`vertex` has {len(vertices)} numbers; each vertex needs 3", "vertex")
    elements = values["element"]
    if elements is None or not len(elements):
        raise Unmade("the flex has no elements", "element")
    if isinstance(elements, tuple) and len(elements) % (dim + 1):
        message = f"`element` has {len(elements)} numbers; each element of dimension {dim} needs {dim + 1}"
        raise Unmade(message, "element")
    whole = np.array(elements, dtype=np.float64).reshape(-1, dim + 1)  # accepts any integer
    return np.array(vertices, dtype=np.float64).reshape(-1, 3), whole.clip(-1, 2**31 - 1).astype(np.int32)


def _check(values: Values, elements: Any, count: int, dim: int) -> None:
    if count < dim + 1:
        raise Unmade(
            f"a flex of dimension {dim} needs {dim + 1} or more vertices; this one has {count}", "vertex"
        )
    wrong = elements[(elements < 0) | (elements >= count)]
    if len(wrong):
        raise Unmade(f"`element` refers to vertex {wrong[0]}; there are {count} vertices", "element")
    ordered = np.sort(elements, axis=1)
    twice = np.flatnonzero((ordered[:, 1:] == ordered[:, :-1]).any(axis=1))
    if len(twice):
        raise Unmade(f"element {twice[0]} contains a vertex twice", "element")
    if values["texcoord"] and len(values["texcoord"]) != 2 * count:
        message = f"`texcoord` has {len(values['texcoord'])} numbers; {count} vertices need 2 each"
        raise Unmade(message, "texcoord")


@of_lists("flex")
def flex_columns(numbered: Numbered) -> Columns:
    """The columns of flexes; those of vertices, edges and elements are concatenated."""
    flexes = numbered.spec.lists["flex"]
    columns = gather(flexes, FIELDS)
    columns["flex_selfcollide"] = coded(flexes, "selfcollide")
    for flex in flexes:
        flex.values.setdefault("internal", False)  # not said since 3.15.0
    for name in ("internal", "flatskin"):
        columns[f"flex_{name}"] = flags(flexes, name, BYTE)
    columns["flex_matid"] = materials(numbered, flexes)
    made: list[Made] = [flex.values["made"] for flex in flexes if flex.values["made"] is not None]
    if len(made) < len(flexes):
        made = []  # failures have been reported
    shapes = [each.topology for each in made]
    texcoords = [np.array(flex.values["texcoord"] or (), dtype=SINGLE).reshape(-1, 2) for flex in flexes]
    columns["flex_vertbodyid"] = np.array([body.id for each in made for body in each.bodies], dtype=INTEGER)
    parts: tuple[tuple[str, list[Any], int, Any], ...] = (
        ("vert", [each.vertices for each in made], 3, DOUBLE),
        ("edge", [shape.edges for shape in shapes], 2, INTEGER),
        ("elem", [each.elements.reshape(-1) for each in made], 0, INTEGER),
        ("elemedge", [shape.element_edges.reshape(-1) for shape in shapes], 0, INTEGER),
        ("elemlayer", [shape.layers for shape in shapes], 0, INTEGER),
        ("stiffness", [each.stiffness for each in made], STIFFNESS, DOUBLE),
        ("shell", [shape.shell.reshape(-1) for shape in shapes], 0, INTEGER),
        ("evpair", [shape.pairs for shape in shapes], 2, INTEGER),
        ("texcoord", texcoords, 2, SINGLE),
    )
    for name, arrays, width, kind in parts:
        columns[f"flex_{name}"] = joined(arrays, width, kind)
    counts = {
        "vert": [len(each.vertices) for each in made],
        "edge": [len(shape.edges) for shape in shapes],
        "elem": [len(each.elements) for each in made],
        "shell": [len(shape.shell) for shape in shapes],
        "evpair": [len(shape.pairs) for shape in shapes],
    }
    for name, rows in counts.items():
        columns[f"flex_{name}num"] = np.array(rows, dtype=INTEGER)
        if name != "shell":
            columns[f"flex_{name}adr"] = starts(rows, optional=name == "evpair")
    columns["flex_elemdataadr"] = starts([each.elements.size for each in made])
    columns["flex_elemedgeadr"] = starts([shape.element_edges.size for shape in shapes])
    columns["flex_shelldataadr"] = starts([shape.shell.size for shape in shapes], optional=True)
    columns["flex_texcoordadr"] = starts([len(each) for each in texcoords], optional=True)
    return columns
