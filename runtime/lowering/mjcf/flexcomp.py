"""`flexcomp`: a flex with its bodies and joints, created as in MuJoCo 3.2.7."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.formats.mjcf import FlexcompType, JointType
from polybody.geometry import GeometryError
from polybody.lowering.mjcf.elements import Body, Element, Frame, Spec, Values
from polybody.lowering.mjcf.files import MESHES, Files
from polybody.lowering.mjcf.flex_points import Points, box, grid, merged, of_mesh
from polybody.lowering.mjcf.nodes import flat
from polybody.lowering.mjcf.poses import (
    MINVAL,
    NoDirectionError,
    composed,
    normalised,
    oriented,
    unit,
    vector,
)
from polybody.lowering.mjcf.problems import Problems, Unmade
from polybody.lowering.mjcf.references import Reference
from polybody.lowering.mjcf.values import effective, schema_defaults, since
from polybody.rotations.poses import ORIGIN, UPRIGHT

RADIAL = (FlexcompType.BOX, FlexcompType.CYLINDER, FlexcompType.ELLIPSOID)
"""Types whose points move only along lines through the centre."""
DIRECT = (FlexcompType.DIRECT, FlexcompType.MESH, FlexcompType.GMSH)
"""Types whose points are given individually."""
AXES = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
Reals = NDArray[np.float64]


def flex_values(kind: str, node: Any) -> Values:
    """The values of a flex or flexcomp from its own element and its children.

    Stiffness and damping of its edges are called `edgestiffness` and `edgedamping`.
    """
    values = effective(kind, node)
    below: dict[str, Any] = {child.TAG: child for child in flat(node)}
    for tag, kind in (("contact", "flexcontact"), ("elasticity", "flexelasticity")):
        values |= effective(kind, below[tag]) if tag in below else schema_defaults(kind)
    edge = effective("flexedge", below["edge"]) if "edge" in below else schema_defaults("flexedge")
    values |= {f"edge{name}": edge[name] for name in ("stiffness", "damping")}
    return values


def flexcomp(
    spec: Spec, body: Body, frame: Frame | None, node: Any, problems: Problems, plugin: Any = None
) -> None:
    """Add a flex, its bodies as children of a body, and optionally the equality that fixes its edges'
    lengths.
    """
    values = flex_values("flexcomp", node)
    try:
        _make(spec, body, frame, node, values | {"plugin": plugin}, problems)
    except Unmade as reason:
        problems.add(node, str(reason), reason.attribute)


def _make(
    spec: Spec, body: Body, frame: Frame | None, node: Any, values: Values, problems: Problems
) -> None:
    if not body.name:
        raise Unmade("the body around a <flexcomp> needs a name: vertices refer to it", None)
    above: Body | None = body
    while above is not None:
        if above.node.TAG == "replicate":
            raise Unmade("a <flexcomp> cannot be replicated: all copies of the flex would have one name")
        above = above.parent
    below = {child.TAG: child for child in flat(node)}
    if "elasticity" in below and "edge" in below and below["edge"].equality:
        raise Unmade("a flexcomp can have <elasticity> or an equality along its edges, not both")
    _check(values)
    if values["type"] not in DIRECT and not problems.counted("flexcomp", node, {"count": _sides(values)}):
        return
    made = _points(spec, node, values, problems)
    if made is None:
        return
    where = "count" if values["type"] not in DIRECT else "file" if values["file"] else "element"
    if not problems.shaped(node, len(made.points), len(made.elements), where):
        return
    values["dim"] = made.dimension
    points = _posed(made, values, body, frame if since("4.0") else None)
    _check_elements(made, len(points))
    pinned = _pinned(node, values, made.dimension, len(points))
    if _radial(values) and not values["rigid"]:
        pinned[0] = True
    used = np.ones(len(points), dtype=bool)
    elements = made.elements
    if values["type"] in DIRECT:
        used = np.zeros(len(points), dtype=bool)
        used[elements] = True
        elements = (np.cumsum(used) - 1)[elements].astype(np.int32)
    if not problems.fits(spec, node, 4 * int((used & ~pinned).sum()), "count"):
        return
    flex = _flex(values, made, points, elements, pinned, used)
    element = Element("flex", node, flex, body.settings)
    spec.lists["flex"].append(element)
    if pinned.all():
        flex["references"] = [Reference("body", body.name)]
    else:
        flex["references"] = _bodies(spec, body, node, values, points, pinned, used)
    if spec.names is not None:
        spec.names.add([element])
    edge = below.get("edge")
    if edge is not None and edge.equality and not pinned.all():
        _equality(spec, body, node, edge)


# --- points -----------------------------------------------------------------------------------------------


def _sides(values: Values) -> tuple[int, ...]:
    """The numbers of points along the sides."""
    whole = values["dim"] == 3 or values["type"] in RADIAL
    sides: tuple[int, ...] = values["count"]
    return sides if whole else sides[: values["dim"]]


def _radial(values: Values) -> bool:
    """Whether points move along rays from the one in the centre, which does not move."""
    return values["type"] in RADIAL and not since("3.3.0")


def _check(values: Values) -> None:
    kind, count, dim = values["type"], values["count"], values["dim"]
    if not 1 <= dim <= 3:
        raise Unmade(f"`dim` is {dim}; it must be 1, 2 or 3", "dim")
    least = 2 if kind in RADIAL else 1
    if min(count) < least:
        raise Unmade(f"a {kind.value} needs {least} or more points along each side", "count")
    if kind not in DIRECT and min(values["spacing"]) < 2 * values["radius"] + values["margin"]:
        raise Unmade("`spacing` is less than twice the radius and the margin of contacts", "spacing")
    for name in ("mass", "inertiabox"):
        if not values[name] >= MINVAL:
            raise Unmade(f"`{name}` of a flexcomp must be greater than 0", name)
    if not min(values["scale"]) >= MINVAL:
        raise Unmade("`scale` of a flexcomp must be greater than 0", "scale")


def _points(spec: Spec, node: Any, values: Values, problems: Problems) -> Points | None:
    """Points and elements in the flexcomp's own frame; None after a finding."""
    kind, dim = values["type"], values["dim"]
    if kind in (FlexcompType.MESH, FlexcompType.GMSH):
        return _of_file(spec, node, values, problems)
    if kind is FlexcompType.DIRECT:
        return Points(dim, *_given(values, dim))
    if kind in RADIAL:
        textured = values["texcoord"] is None and bool(values["material"])
        return box(kind, values["count"], values["spacing"], textured)
    if kind in (FlexcompType.SQUARE, FlexcompType.DISC):
        dim = 2
    if dim == 2 and values["texcoord"]:
        raise Unmade("MuJoCo 3.2.7 does not accept `texcoord` for this type of dimension 2", "texcoord")
    if kind is FlexcompType.CIRCLE and dim == 1 and values["count"][0] < 3:
        raise Unmade("a circle needs 3 or more points", "count")
    return grid(kind, dim, values["count"], values["spacing"])


def _given(values: Values, dim: int) -> tuple[Reals, NDArray[np.int32]]:
    points, elements = values["point"] or (), values["element"] or ()
    if len(points) % 3:
        raise Unmade(f"`point` has {len(points)} numbers; each point needs 3", "point")
    if len(elements) % (dim + 1):
        raise Unmade(f"`element` has {len(elements)} numbers; each element needs {dim + 1}", "element")
    return (
        np.array(points, dtype=np.float64).reshape(-1, 3),
        np.array(elements, dtype=np.float64).reshape(-1, dim + 1).clip(-1, 2**31 - 1).astype(np.int32),
    )


def _of_file(spec: Spec, node: Any, values: Values, problems: Problems) -> Points | None:
    """The points of a file of Gmsh or of a mesh; None after a finding."""
    from polybody.geometry.cache import content
    from polybody.geometry.gmsh import Wrong, load
    from polybody.geometry.mesh_files import read_mesh

    if not values["file"]:
        raise Unmade(f"a flexcomp of type `{values['type'].value}` needs `file`", "type")
    asset = Element("flexcomp", node, values | {"content_type": None}, spec.settings)
    files = Files(spec, problems)
    try:
        if values["type"] is FlexcompType.GMSH:
            path = files.path(asset, "file")
            if path is None:
                return None
            mesh = load(content(path))
            return Points(mesh.dimension, mesh.points, mesh.corners)
        if values["dim"] < 2:
            raise Unmade("the dimension of a flexcomp of a mesh must be 2 or 3", "dim")
        if values["dim"] == 3 and node.origin is None:
            raise Unmade("a flexcomp of a mesh of dimension 3 needs `origin`", "origin")
        found = files.find(asset, "file", MESHES)
        if found is None:
            return None
        raw = read_mesh(content(found[0]), found[1])
    except (GeometryError, Wrong) as error:
        raise Unmade(f"`{values['file']}` {error}", "file") from None
    vertices, faces = merged(raw.vertices, raw.faces) if found[1] == "obj" else (raw.vertices, raw.faces)
    return of_mesh(vertices, faces, values["dim"], values["origin"])


def _posed(made: Points, values: Values, body: Body, frame: Frame | None) -> Reals:
    """The points in the body's frame, scaled if they were given individually."""
    points = made.points
    if values["type"] in DIRECT:
        points = points * np.array(values["scale"])
    place, quat = values["pos"], values["quat"]
    if values["alternative"] is not None:
        try:
            quat = oriented(values["alternative"], body.settings.degrees, body.settings.sequence)
        except NoDirectionError as error:
            raise Unmade(f"{error} has zero length", values["alternative"][0]) from None
    if frame is not None:
        try:
            place, quat = composed(frame.pose(), (place, unit(quat)))
        except NoDirectionError as error:
            raise Unmade(f"{error} of the <{frame.node.TAG}> around has zero length", None) from None
    # MuJoCo rotates points by v + 2 u x (w v + u x v), even if the quaternion (w, u) is not normalised.
    axis = np.array(quat[1:])
    across = quat[0] * points + np.cross(axis, points)
    return np.asarray(points + 2 * np.cross(axis, across) + np.array(place))


def _check_elements(made: Points, count: int) -> None:
    if not count or not len(made.elements):
        raise Unmade("the flexcomp has no points or no elements", "element")
    wrong = made.elements[(made.elements < 0) | (made.elements >= count)]
    if len(wrong):
        raise Unmade(f"`element` refers to point {wrong[0]}; there are {count} points", "element")


# --- pins -------------------------------------------------------------------------------------------------


def _pinned(node: Any, values: Values, dim: int, count: int) -> NDArray[np.bool_]:
    """Which points are attached to the parent body."""
    pinned = np.full(count, bool(values["rigid"]))
    for pin in (child for child in flat(node) if child.TAG == "pin"):
        for place in _pins(pin, values, dim):
            if not 0 <= place < count:
                raise Unmade(f"<pin> refers to point {place}; there are {count} points")
            pinned[place] = True
    return pinned


def _pins(pin: Any, values: Values, dim: int) -> Iterator[int]:
    yield from pin.id or ()
    for first, last in _runs(pin, "range", 2):
        yield from (first, last)  # both must exist
        yield from range(first, last + 1)
    counts = values["count"][:dim]
    gridded = (pin.grid, pin.gridrange)
    if any(gridded) and (values["type"] is not FlexcompType.GRID or dim == 1):
        raise Unmade("`grid` and `gridrange` of <pin> require a grid of two or three dimensions")
    boxes = [(corner, corner) for corner in _runs(pin, "grid", dim)]
    boxes += [(both[:dim], both[dim:]) for both in _runs(pin, "gridrange", 2 * dim)]
    for low, high in boxes:
        if any(not 0 <= n < side for corner in (low, high) for n, side in zip(corner, counts, strict=True)):
            raise Unmade("<pin> refers to a point outside the grid")
        ranges = [np.arange(a, b + 1) for a, b in zip(low, high, strict=True)]
        if all(map(len, ranges)):
            yield from np.ravel_multi_index(np.meshgrid(*ranges), counts).ravel().tolist()


def _runs(pin: Any, name: str, width: int) -> Iterator[tuple[int, ...]]:
    numbers = getattr(pin, name) or ()
    if len(numbers) % width:
        raise Unmade(f"`{name}` of <pin> has {len(numbers)} numbers; it needs a multiple of {width}")
    yield from (tuple(numbers[at : at + width]) for at in range(0, len(numbers), width))


# --- created elements -------------------------------------------------------------------------------------


def _flex(
    values: Values,
    made: Points,
    points: Reals,
    elements: Any,
    pinned: NDArray[np.bool_],
    used: NDArray[np.bool_],
) -> Values:
    """The values of the flex; its vertices are in the frames of their bodies."""
    flex = values.copy()
    kind = values["type"]
    grown = kind is FlexcompType.GRID and made.dimension == 3
    if kind in (FlexcompType.BOX, FlexcompType.CYLINDER) or grown:
        flex["flatskin"] = True
    flex["dim"], flex["element"] = made.dimension, elements
    flex["texcoord"] = made.texcoords or values["texcoord"]
    flex["vertex"] = np.where(pinned[:, None], points, 0.0)[used] if pinned.any() else None
    return flex


def _bodies(
    spec: Spec,
    body: Body,
    node: Any,
    values: Values,
    points: Reals,
    pinned: NDArray[np.bool_],
    used: NDArray[np.bool_],
) -> list[Reference]:
    """Create a body for each used point that is not pinned; returns the bodies of the used points."""
    mass = values["mass"] / len(points)
    moment = mass * (2.0 * values["inertiabox"] * values["inertiabox"]) / 3.0
    inertial = {
        "node": node,
        "mass": mass,
        "pos": ORIGIN,
        "quat": UPRIGHT,
        "diaginertia": (moment, moment, moment),
        "fullinertia": None,
        "alternative": None,
    }
    plain, slide = schema_defaults("body"), schema_defaults("joint") | {"type": JointType.SLIDE}
    radial = _radial(values)
    names, made = [], []
    for number in np.flatnonzero(used).tolist():
        if pinned[number]:
            names.append(body.name)
            if values["plugin"] is not None:
                body.values["plugin"] = values["plugin"]
            continue
        name = f"{values['name']}_{number}"
        place = vector(points[number])
        own = plain | {"name": name, "pos": place, "inertial": inertial, "plugin": values["plugin"]}
        point = Body(node, own, body.settings, None, body)
        for axis in (normalised(place)[0],) if radial else AXES:
            point.joint.append(Element("joint", node, slide | {"axis": axis}, body.settings))
        names.append(name)
        made.append(point)
    body.bodies.extend(made)
    if spec.names is not None:
        for point in made:
            spec.names.add_tree(point)
    return [Reference("body", name) for name in names]


def _equality(spec: Spec, body: Body, node: Any, edge: Any) -> None:
    """The equality that fixes the lengths of all edges."""
    solver = effective("flexcompedge", edge)
    values = schema_defaults("equality") | {name: solver[name] for name in ("solref", "solimp")}
    name = node.name or ""
    values |= {"name": None, "type": "flex", "active": True, "references": [Reference("flex", name)]}
    element = Element("equality", node, values, body.settings)
    spec.lists["equality"].append(element)
