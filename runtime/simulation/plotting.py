"""A picture of a recorded simulation: the motion as a strobe, coordinates and energies over time."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray
from polybody.files import replacing
from polybody.generated.model import JOINT_SIZES, JointType, ShapeType
from polybody.model.model import Model
from polybody.rotations.arrays import matrix
from polybody.simulation.recording import Trajectory

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

Reals = NDArray[np.float64]
View = Literal["auto", "front", "side", "top"]
"""From where the motion is seen; auto chooses the horizontal axis with the largest motion."""

AXES: dict[str, tuple[int, int]] = {"front": (1, 2), "side": (0, 2), "top": (0, 1)}
"""By view: the axes across and up."""
INK, FAINT, GROUND = "#22303c", "#d5dce2", "#ece7df"
POTENTIAL, KINETIC, DAMPED, CONSTRAINED = "#2a6f97", "#d1495b", "#edae49", "#7b5ea7"
MEDIUM = "#5b8c5a"
TOUCH = "#c1121f"
ARROW = 0.3
"""Length of the arrow of the largest contact force, relative to the height of the picture."""
LINES = ("#d1495b", "#2a6f97", "#edae49", "#5b8c5a", "#7b5ea7", "#c97b4a", "#3f8f8c", "#8c6d62")
STYLE: dict[Any, Any] = {
    "font.size": 10,
    "text.color": INK,
    "axes.edgecolor": FAINT,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": "#eef1f4",
    "xtick.color": INK,
    "ytick.color": INK,
    "legend.frameon": False,
}
FLASHES = 12
"""Number of instants at which the bodies are drawn."""


def check_kind(path: str | os.PathLike[str]) -> None:
    """Check that :func:`plot` can write such a file; raises the same errors."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'polybody[plot]'") from None
    kinds = Figure().canvas.get_supported_filetypes()
    kind = os.path.splitext(path)[1].lstrip(".").lower()  # noqa: PTH122
    if kind and kind not in kinds:
        raise ValueError(
            f"{os.fspath(path)}: unknown image format {kind!r}; expected one of {', '.join(sorted(kinds))}"
        )


def plot(
    path: str | os.PathLike[str],
    trajectory: Trajectory,
    model: Model,
    title: str = "",
    view: View = "auto",
) -> None:
    """Draw a trajectory of the Model into an image file.

    Args:
        path: its suffix determines the file type.
        trajectory: what is drawn.
        model: its Model.
        title: the heading; by default the name of the Model.
        view: of the motion: "front" (y and z), "side" (x and z), "top" (x and y) or "auto".

    Raises:
        ImportError: matplotlib is not installed; the message says how to install it.
        ValueError: matplotlib does not support this file type.
        OSError: the file cannot be written.
    """
    try:
        from matplotlib import rc_context
        from matplotlib.figure import Figure
    except ImportError:
        raise ImportError("plots need matplotlib: pip install 'polybody[plot]'") from None
    with rc_context(STYLE):
        figure = Figure(figsize=(12, 7), dpi=150, layout="constrained")
        figure.suptitle(_plain(title or model.name), x=0.012, ha="left", fontsize=14, fontweight="bold")
        grid = figure.add_gridspec(2, 2, width_ratios=(1, 1.25))
        axes = AXES[view] if view in AXES else _plane(trajectory)
        _strobe(figure.add_subplot(grid[:, 0]), trajectory, model, *axes)
        _coordinates(figure.add_subplot(grid[0, 1]), trajectory, model)
        _energies(figure.add_subplot(grid[1, 1]), trajectory)
        _save(figure, os.fspath(path))


def _save(figure: Figure, path: str) -> None:
    """Write a picture, atomically. A path without a suffix gets that of matplotlib's usual file type."""
    kind = os.path.splitext(path)[1].lstrip(".").lower()  # noqa: PTH122
    if not kind:
        kind = figure.canvas.get_default_filetype()
        path = f"{path.rstrip('.')}.{kind}"
    with replacing(path) as file:
        figure.savefig(file, format=kind)


def _plain(name: str, most: int = 60) -> str:
    """A name on one line, without characters that matplotlib interprets as a formula."""
    text = "".join(c if c.isprintable() else "�" for c in name)
    return (text if len(text) <= most else text[: most - 1] + "…").replace("$", r"\$")


# --- motion ------------------------------------------------------------------------------------------


def _strobe(axes: Axes, trajectory: Trajectory, model: Model, across: int, up: int) -> None:
    from matplotlib import colormaps
    from matplotlib.collections import LineCollection, PolyCollection

    shown = np.unique(np.linspace(0, len(trajectory.time) - 1, FLASHES).round().astype(int))
    shades = colormaps["YlGnBu"](np.linspace(0.3, 0.95, len(trajectory.time)))
    corners = _all_corners(model)
    for frame in shown:
        outlines = _outlines(model, corners, trajectory, frame, across, up)
        strength = 0.75 if frame in (shown[0], shown[-1]) else 0.22
        axes.add_collection(
            PolyCollection(
                outlines, facecolors=[shades[frame]], edgecolors="white", alpha=strength, lw=0.8, zorder=2
            )
        )
        bones = _bones(model, trajectory.xpos[frame][:, [across, up]])
        axes.add_collection(LineCollection(bones, colors=[shades[frame]], lw=1.2))
    for body in _ends(model):
        turned = matrix(trajectory.xquat[:, body]) @ model.body_ipos[body]
        path = (trajectory.xpos[:, body] + turned)[:, [across, up]]
        pieces = np.stack([path[:-1], path[1:]], axis=1)
        axes.add_collection(LineCollection(list(pieces), colors=list(shades[1:]), lw=1.2, alpha=0.7))
    _touches(axes, trajectory, shown, across, up)
    names = "xyz"
    axes.set(xlabel=f"{names[across]}, m", ylabel=f"{names[up]}, m", aspect="equal")
    axes.set_title(f"The motion, light to dark, {trajectory.time[-1] - trajectory.time[0]:.4g} s")
    axes.autoscale_view()
    axes.margins(0.08)
    if not _ground(axes, trajectory, model, across, up):
        axes.axhline(0, color=FAINT, lw=1, zorder=0)


def _ground(axes: Axes, trajectory: Trajectory, model: Model, across: int, up: int) -> bool:
    """Draw the fixed planes that are seen from the edge, and what is below them; returns whether there is
    one. The picture shows at least a tenth of its height below a level one.
    """
    edges = []
    planes = (model.geom_type == ShapeType.plane) & (model.body_weldid[model.geom_bodyid] == 0)
    for geom in np.flatnonzero(planes).tolist():
        body = int(model.geom_bodyid[geom])
        turn = matrix(trajectory.xquat[0, body])
        normal = (turn @ matrix(model.geom_quat[geom]))[[across, up], 2]
        point = (trajectory.xpos[0, body] + turn @ model.geom_pos[geom])[[across, up]]
        if np.linalg.norm(normal) > 0.99:
            edges.append((point, normal))
    if not edges:
        return False
    (left, right), (low, high) = axes.get_xlim(), axes.get_ylim()
    level = [point[1] for point, normal in edges if normal[1] > 0.99]
    low = min(low, *(each - 0.1 * (high - each) for each in level if each < high), low)
    reach = 10 * (right - left + high - low)
    for point, normal in edges:
        along = np.array([-normal[1], normal[0]]) * reach
        ends = [point - along, point + along]
        axes.fill(*np.array([*ends, *(end - normal * reach for end in ends[::-1])]).T, color=GROUND, zorder=0)
        axes.plot(*np.array(ends).T, color=FAINT, lw=1.5, zorder=1)
    axes.set(xlim=(left, right), ylim=(low, high))
    return True


def _touches(axes: Axes, trajectory: Trajectory, shown: NDArray[np.int64], across: int, up: int) -> None:
    """Contact points at the drawn instants, and the forces there as arrows; those of the last instant are
    darkest.
    """
    ends = np.cumsum(trajectory.ncon)
    rows = {int(frame): slice(ends[frame] - trajectory.ncon[frame], ends[frame]) for frame in shown}
    chosen = np.concatenate([np.arange(part.start, part.stop) for part in rows.values()])
    if not len(chosen):
        return
    plane = [across, up]
    forces = trajectory.contact_force[:, plane]
    greatest = max(float(np.linalg.norm(forces[chosen], axis=1).max()), 1e-300)
    height = max(float(np.ptp(trajectory.xpos[..., up])), 1e-3)
    for frame, part in rows.items():
        points, strength = trajectory.contact_pos[part][:, plane], 0.9 if frame == shown[-1] else 0.3
        axes.scatter(points[:, 0], points[:, 1], s=9, color=TOUCH, alpha=strength, lw=0, zorder=4)
        axes.quiver(
            *points.T,
            *(forces[part] * (ARROW * height / greatest)).T,
            angles="xy",
            scale_units="xy",
            scale=1,
            width=0.004,
            color=TOUCH,
            alpha=strength,
            zorder=4,
        )
    label = f"contacts; the longest arrow is {greatest:.3g} N"
    axes.scatter([], [], s=9, color=TOUCH, label=label)
    axes.legend(loc="upper left", fontsize=8)


def _plane(trajectory: Trajectory) -> tuple[int, int]:
    """The horizontal axis with the largest motion, and the vertical axis: z, or y without motion along z."""
    centres = trajectory.xpos[:, 1:]
    spread = np.ptp(centres, axis=(0, 1)) if centres.size else np.zeros(3)
    turned = np.abs(np.diff(matrix(trajectory.xquat.reshape(-1, 4)), axis=0)).sum(axis=(0, 2))
    busy = spread + 1e-3 * turned / max(turned.max(), 1e-300) * max(spread.max(), 1.0)
    across = int(np.argmax(busy[:2]))
    flat = busy[2] < 0.02 * busy[:2].min()
    return (0, 1) if flat else (across, 2)


def _ends(model: Model, most: int = 6) -> list[int]:
    """Bodies without children: the paths of their centres of mass are drawn."""
    inner = set(model.body_parentid[1:].tolist())
    return [body for body in range(1, model.nbody) if body not in inner][:most]


def _bones(model: Model, points: Reals) -> list[Reals]:
    """A line from every body's origin to its parent's, except for those attached to the world."""
    parents = model.body_parentid
    return [points[[body, parents[body]]] for body in range(1, model.nbody) if parents[body]]


def _all_corners(model: Model) -> list[Reals]:
    """Points whose convex hull approximates each geom, in the geom's frame."""
    meshes: dict[int, Reals] = {}
    found = []
    for geom in range(model.ngeom):
        shape, mesh = ShapeType(int(model.geom_type[geom])), int(model.geom_dataid[geom])
        if shape is not ShapeType.mesh or mesh < 0:
            found.append(_corners(shape, model.geom_size[geom]))
            continue
        if mesh not in meshes:
            meshes[mesh] = _mesh_corners(model, mesh)
        found.append(meshes[mesh])
    return found


def _outlines(
    model: Model, corners: list[Reals], trajectory: Trajectory, frame: int, across: int, up: int
) -> list[Reals]:
    """The silhouettes of all geoms, as seen along the third axis."""
    if not model.ngeom:
        return []
    body = model.geom_bodyid
    bodies = matrix(trajectory.xquat[frame])[body]
    own = matrix(model.geom_quat)
    outlines = []
    for geom in range(model.ngeom):
        if len(corners[geom]):
            inside = corners[geom] @ own[geom].T + model.geom_pos[geom]
            points = inside @ bodies[geom].T + trajectory.xpos[frame, body[geom]]
            outlines.append(hull(points[:, [across, up]]))
    return outlines


def _corners(shape: ShapeType, size: Reals) -> Reals:
    """Points on a shape whose convex hull is the shape or approximates it."""
    if shape is ShapeType.box:
        corners = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
        return np.asarray(size * corners)
    turn = np.linspace(0, 2 * np.pi, 33)[:-1]
    ring = np.stack([np.cos(turn), np.sin(turn), np.zeros(32)], axis=1)
    ends = [np.array([0, 0, -size[1]]), np.array([0, 0, size[1]])]
    if shape is ShapeType.cylinder:
        return np.concatenate([size[0] * ring + end for end in ends])
    tilts = np.linspace(-np.pi / 2, np.pi / 2, 17)
    ball = np.concatenate([np.cos(tilt) * ring + [0, 0, np.sin(tilt)] for tilt in tilts])
    if shape is ShapeType.capsule:
        return np.concatenate([size[0] * ball + end for end in ends])
    radii = {ShapeType.sphere: size[0], ShapeType.ellipsoid: size}.get(shape)
    return np.zeros((0, 3)) if radii is None else np.asarray(radii * ball)


def _mesh_corners(model: Model, mesh: int) -> Reals:
    """Vertices of a mesh whose convex hull approximates its own: those farthest in many directions."""
    start, count = int(model.mesh_vertadr[mesh]), int(model.mesh_vertnum[mesh])
    vertices = np.asarray(model.mesh_vert[start : start + count], dtype=np.float64)
    directions = _corners(ShapeType.sphere, np.ones(3))[::3]
    farthest = [int(np.argmax(vertices @ direction)) for direction in directions]
    return vertices[np.unique(farthest)]


def hull(points: Reals) -> Reals:
    """The corners of the convex hull of points in the plane, counter-clockwise (Andrew's monotone chain)."""
    ordered = points[np.lexsort((points[:, 1], points[:, 0]))].tolist()
    halves = []
    for order in (ordered, ordered[::-1]):
        half: list[list[float]] = []
        for x, y in order:
            while len(half) > 1 and (half[-1][0] - half[-2][0]) * (y - half[-2][1]) <= (
                half[-1][1] - half[-2][1]
            ) * (x - half[-2][0]):
                half.pop()
            half.append([x, y])
        halves.append(half[:-1])
    return np.array(halves[0] + halves[1])


# --- coordinates -------------------------------------------------------------------------------------


class Curve(NamedTuple):
    """A coordinate over time; ``angle`` in degrees, else in metres."""

    label: str
    values: Reals
    angle: bool


def curves(trajectory: Trajectory, model: Model) -> list[Curve]:
    """One curve for each coordinate of a joint; a rotation in space as the angle relative to the first
    instant.
    """
    found = []
    for row in range(model.njnt):
        joint = model.joint(row)
        name = _plain(joint.name, 24) or f"joint {row}"
        start, (nq, nv) = joint.qposadr, JOINT_SIZES[joint.type]
        values = trajectory.qpos[:, start : start + nq]
        if nq == 1:
            angle = joint.type is not JointType.slide
            found.append(Curve(name, np.degrees(values[:, 0]) if angle else values[:, 0], angle))
            continue
        found += [Curve(f"{name} {'xyz'[k]}", values[:, k], False) for k in range(nv - 3)]
        turn = values[:, -4:] / np.linalg.norm(values[:, -4:], axis=1, keepdims=True)
        cosine = np.clip(np.abs(turn @ turn[0]), 0, 1)
        found.append(Curve(f"rotation of {name}", np.degrees(2 * np.arccos(cosine)), True))
    return found


def _coordinates(axes: Axes, trajectory: Trajectory, model: Model) -> None:
    every = curves(trajectory, model)
    most = sorted(every, key=lambda curve: -float(np.ptp(curve.values)))[: len(LINES)]
    shown = [curve for curve in every if any(curve is kept for kept in most)]
    angles, lengths = [c for c in shown if c.angle], [c for c in shown if not c.angle]
    axes.set_title("Coordinates" + (f" ({len(shown)} of {len(every)})" if len(shown) < len(every) else ""))
    axes.set_xlim(trajectory.time[0], max(trajectory.time[-1], trajectory.time[0] + 1e-9))
    colours = dict(zip((id(curve) for curve in shown), LINES, strict=False))
    second = axes.twinx() if angles and lengths else axes
    if second is not axes:
        second.grid(False)
        second.spines["right"].set_visible(False)
    for side, group, unit in ((axes, angles, "degrees"), (second, lengths, "m")):
        for curve in group:
            side.plot(trajectory.time, curve.values, color=colours[id(curve)], lw=1.6, label=curve.label)
        if group:
            only = len(group) == 1 and second is not axes
            side.set_ylabel(
                f"{group[0].label}, {unit}" if only else unit, color=colours[id(group[0])] if only else INK
            )
    if len(angles) > 1 or len(lengths) > 1:
        handles = [line for side in {axes, second} for line in side.get_lines()]
        second.legend(handles=handles, fontsize=8, ncols=2, loc="best", frameon=True, edgecolor="none")


# --- energies ----------------------------------------------------------------------------------------


def _energies(axes: Axes, trajectory: Trajectory) -> None:
    potential, kinetic = trajectory.energy.T
    base = potential.min()
    areas = {
        "potential": (potential - base, POTENTIAL),
        "kinetic": (kinetic, KINETIC),
        "dissipated by dampers": (-trajectory.damped, DAMPED),
    }
    if trajectory.medium.any():
        areas["dissipated by the medium"] = (-trajectory.medium, MEDIUM)
    if trajectory.constrained.any() and trajectory.balanced:  # otherwise that work is not reliable
        areas["work of constraints"] = (-trajectory.constrained, CONSTRAINED)
    heights = [height for height, _ in areas.values()]
    colours = [colour for _, colour in areas.values()]
    axes.stackplot(trajectory.time, *heights, labels=list(areas), colors=colours, alpha=0.85, lw=0)
    total = potential[0] - base + kinetic[0] + trajectory.driven
    axes.plot(trajectory.time, total, color=INK, lw=1, ls=(0, (4, 3)))
    top = float(np.sum(heights, axis=0).max())
    put_in = ", and energy supplied" if trajectory.driven.any() else ""
    axes.set(title=f"Energy; dashed: the initial energy{put_in}", xlabel="time, s")
    axes.set_ylabel("energy, J (potential from its minimum)")
    axes.set_xlim(trajectory.time[0], max(trajectory.time[-1], trajectory.time[0] + 1e-9))
    axes.set_ylim(0, 1.28 * max(float(total.max()), top, 1e-300))
    axes.legend(loc="upper right", ncols=3 if len(areas) == 3 else 2, handlelength=1.2, columnspacing=1.4)
