"""polybody's results for the scenes: the numbers in the tables."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np
import polybody as pb

from benchmarks.scenes.documents import LENGTH, LINKAGES, SPAN, WRITERS, Solid

GRAVITY = 9.81
SUFFIX = {"urdf": "urdf", "sdf": "sdf", "skel": "skel", "openrave": "xml"}
FORMATS = tuple(SUFFIX)


class Scene(NamedTuple):
    """A Model of solids, and the indices of each one's first coordinate and velocity."""

    data: pb.Data
    qpos: list[int]
    qvel: list[int]

    def run(self, seconds: float, look: Callable[[pb.Data], Any] = lambda data: None) -> list[Any]:
        """Step, and return what ``look`` measured after each step."""
        model, seen = self.data.model, []
        for _ in range(round(seconds / float(model.opt.timestep))):
            pb.step(model, self.data)
            seen.append(look(self.data))
        return seen


def loaded(text: str, form: str, **options: Any) -> pb.Model:
    """The Model of a document."""
    from polybody.lowering import lowered

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        document = pb.read(f"scene.{SUFFIX[form]}", text=text, format=form, policy="warn")
        model: pb.Model = lowered(document, **options).model
    return model


def scene(
    form: str, solids: Sequence[Solid], friction: float = 1.0, extra: str = "", **options: Any
) -> Scene:
    """A scene at rest, every solid at its height."""
    model = loaded(WRITERS[form](solids, friction, extra), form, **options)
    data = pb.Data(model)
    qpos, qvel = [], []
    for solid in solids:
        body = next(row for row, name in enumerate(model.names["body"]) if name.split("::")[-1] == solid.name)
        joint = int(model.body_jntadr[body])
        qpos.append(int(model.jnt_qposadr[joint]))
        qvel.append(int(model.jnt_dofadr[joint]))
        data.qpos[qpos[-1] + 2] = solid.height
    return Scene(data, qpos, qvel)


def slide(form: str, solids: Sequence[Solid], friction: float, speed: float = 2.0) -> dict[str, float]:
    """How far a block slides, m, and creeps in the following second, m; its penetration, m, and mean weight,
    N.
    """
    it = scene(form, solids, friction)
    it.run(1.0)
    start = it.data.qpos[it.qpos[0]]
    it.data.qvel[it.qvel[0]] = speed
    it.run(speed / friction / GRAVITY + 0.5)
    stopped = it.data.qpos[it.qpos[0]] - start
    forces = it.run(
        1.0, lambda data: sum(pb.contact_force(data.model, data, row)[0] for row in range(data.ncon))
    )
    return {
        "distance": stopped,
        "creep": it.data.qpos[it.qpos[0]] - start - stopped,
        "depth": solids[0].height - it.data.qpos[it.qpos[0] + 2],
        "weight": float(np.mean(forces)),
    }


def stack(form: str, solids: Sequence[Solid]) -> dict[str, float]:
    """How far a stack sinks in, m, and how far its boxes drift, m, in 3 s."""
    it = scene(form, solids)
    it.run(3.0)
    places = np.array([it.data.qpos[row : row + 3] for row in it.qpos])
    return {
        "sunk": max(solid.height - z for solid, z in zip(solids, places[:, 2], strict=True)),
        "drift": float(np.abs(places[:, :2]).max()),
        "speed": float(np.abs(it.data.qvel).max()),
    }


def roll(form: str, solids: Sequence[Solid], friction: float, speed: float = 1.0) -> dict[str, float]:
    """The final rolling speed of a sphere that slid at first, m/s, and its slip, m/s."""
    it = scene(form, solids, friction)
    it.run(1.0)
    it.data.qvel[it.qvel[0]] = speed
    it.run(1.0)
    first = it.qvel[0]
    pb.forward(it.data.model, it.data)
    turn = rotation(it.data.qpos[it.qpos[0] + 3 : it.qpos[0] + 7])
    spin = turn @ it.data.qvel[first + 3 : first + 6]
    return {"speed": it.data.qvel[first], "slip": it.data.qvel[first] - spin[1] * solids[0].size[0]}


def rotation(quat: Any) -> Any:
    """The rotation matrix of a unit quaternion."""
    from polybody.rotations.arrays import matrix

    return matrix(np.asarray(quat))


def bounce(form: str, solids: Sequence[Solid], extra: str = "", **options: Any) -> dict[str, float]:
    """The fraction of its speed that a sphere has after it fell from 0.5 m, and its greatest penetration,
    m.
    """
    it = scene(form, solids, 1.0, extra, **options)
    seen = it.run(0.8, lambda data: (data.qpos[it.qpos[0] + 2], data.qvel[it.qvel[0] + 2]))
    heights, speeds = np.array(seen).T
    return {
        "share": float(speeds.max() / -speeds.min()),
        "depth": float(solids[0].size[0] - heights.min()),
    }


def linkage(form: str, angle: float = 1.0, seconds: float = 2.0) -> dict[str, float]:
    """The gap of the loop, m, the change of energy, J, and the angles of the cranks after a swing, rad."""
    model = loaded(LINKAGES[form](), form)
    data = pb.Data(model)
    rows = {name: int(model.jnt_qposadr[row]) for row, name in enumerate(model.names["joint"])}
    data.qpos[rows["a"]], data.qpos[rows["b"]], data.qpos[rows["c"]] = angle, angle, -angle
    bodies = {name: row for row, name in enumerate(model.names["body"])}
    gaps = []
    for _ in range(round(seconds / float(model.opt.timestep))):
        pb.step(model, data)
        pb.forward(model, data)
        ends = [
            data.xpos[bodies[name]] + rotation(data.xquat[bodies[name]]) @ np.array(point)
            for name, point in (("bar", (SPAN, 0, 0)), ("right", (0, 0, -LENGTH)))
        ]
        gaps.append(np.linalg.norm(ends[0] - ends[1]))
    return {"gap": float(max(gaps)), "angle": float(data.qpos[rows["a"]])}
