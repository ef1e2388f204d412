"""Checks that searches on the meshes and height fields of a Model stay within their data and terminate."""

from __future__ import annotations

from typing import Any

from numpy.typing import NDArray
from polybody.errors import ModelError, Problem
from polybody.generated.model import Release, ShapeType
from polybody.model.model import Model

Rows = NDArray[Any]


def check_meshes(model: Model) -> None:
    """Refuse data that would lead a search out of the arrays.

    Raises:
        ModelError: a mesh or height field refers to vertices, graph entries or heights that do not exist, or
            the graph of a mesh is invalid; lists each of them.
    """
    problems = []
    graph, faces = model.mesh_graph, int(model._column("opt_release")) == Release.v4_0
    for mesh in range(model.nmesh):
        start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
        text = ""
        if start < 0 or count < 0 or start + count > model.nmeshvert:
            text = f"its vertices are {start} to {start + count} of {model.nmeshvert}"
        elif _strays(model, mesh, count):
            text = "it refers to faces or vertices that do not exist"
        elif (first := int(model.mesh_graphadr[mesh])) >= 0:
            fault = _fault(graph[first:], count) or (faces and _fault_of_faces(graph[first:], count))
            text = f"{fault} in its convex hull, from mesh_graph[{first}] on" if fault else ""
        if text:
            problems.append(Problem(text, "mesh", mesh))
    for field in range(model.nhfield):
        start, count = (
            int(model.hfield_adr[field]),
            int(model.hfield_nrow[field]) * int(model.hfield_ncol[field]),
        )
        if start < 0 or count < 0 or start + count > model.nhfielddata:
            text = f"its heights are {start} to {start + count} of {model.nhfielddata}"
            problems.append(Problem(text, "hfield", field))
    for shape, number in (
        (ShapeType.mesh, model.nmesh),
        (ShapeType.sdf, model.nmesh),
        (ShapeType.hfield, model.nhfield),
    ):
        rows = model.geom_dataid[model.geom_type == shape]
        if len(rows) and rows.max() >= number:
            text = f"geom_dataid: {shape.name} {rows.max()} of {number}"
            problems.append(Problem(text, column="geom_dataid"))
    if problems:
        raise ModelError(problems)


def _strays(model: Model, mesh: int, vertices: int) -> bool:
    """Whether faces of a mesh do not exist, or refer to vertices that it does not have."""
    first, count = int(model.mesh_faceadr[mesh]), int(model.mesh_facenum[mesh])
    if first < 0 or count < 0 or first + count > model.nmeshface:
        return True
    faces = model.mesh_face[first : first + count]
    return bool(count) and (int(faces.min()) < 0 or int(faces.max()) >= vertices)


def _fault(graph: Rows, vertices: int) -> str:
    """The fault of the graph of a hull that begins here; "" if there is none."""
    if len(graph) < 2 or graph[0] < 1 or graph[1] < 0 or 2 + 2 * int(graph[0]) > len(graph):
        return "no number of vertices and faces"
    number = int(graph[0])
    neighbours = graph[2 + 2 * number :][: number + 3 * int(graph[1])]
    starts, rows = graph[2 : 2 + number], graph[2 + number : 2 + 2 * number]
    if rows.min() < 0 or rows.max() >= vertices:
        return "a vertex that the mesh does not have"
    if not len(neighbours) or neighbours.max() >= number or neighbours[-1] >= 0:
        return "a neighbour that the hull does not have"
    if starts.min() < 0 or starts.max() >= len(neighbours):
        return "neighbours that begin outside"
    return ""


def _fault_of_faces(graph: Rows, vertices: int) -> str:
    """The fault of the faces of this hull; "" if there is none. Flat sides as of MuJoCo 4.0 need them."""
    start, count = 2 + 3 * int(graph[0]) + 3 * int(graph[1]), 3 * int(graph[1])
    rows = graph[start : start + count]
    if len(rows) < count or (count and (int(rows.min()) < 0 or int(rows.max()) >= vertices)):
        return "a face with a vertex that the mesh does not have"
    return ""
