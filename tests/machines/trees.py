"""Random robots with similar limbs, and bodies fixed between and beside them, as documents of every format.

Compiled programs compute limbs of the same structure together. The structure is that of joints, and bodies
without joints differ: a mount in front of one limb and not of another, a fixed hand, a camera on the trunk.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from tests.oracles.random_files import RandomWriter, numbers

INTEGRATORS = ("Euler", "implicit", "implicitfast", "RK4")
MOVING = ("hinge", "slide")
ENOUGH = 16
"""Parts of a robot after which no further limb is added."""


@dataclass
class Part:
    """A body: how it is attached to its parent (by place in the list; -1: the world), and its mass, kg.

    `at` is its origin in its parent's frame, m; all frames are parallel at first.
    """

    parent: int
    kind: str
    at: np.ndarray
    axis: np.ndarray
    mass: float
    centre: np.ndarray
    moments: np.ndarray


@dataclass
class Robot:
    """Parts in depth-first order."""

    parts: list[Part] = field(default_factory=list)

    def place(self, k: int) -> np.ndarray:
        """A part's origin in the world."""
        part = self.parts[k]
        return part.at + (self.place(part.parent) if part.parent >= 0 else 0.0)

    def children(self, k: int) -> Iterator[int]:
        return (n for n, part in enumerate(self.parts) if part.parent == k)


class Limb(NamedTuple):
    """The joints of a limb: each above another of the same limb, or -1."""

    kinds: tuple[str, ...]
    above: tuple[int, ...]


class Maker(RandomWriter):
    """Makes robots."""

    def part(self, robot: Robot, parent: int, kind: str) -> int:
        axis = self.rng.normal(size=3)
        moments = self.rng.uniform(0.02, 0.035, 3)  # any three within a factor of two belong to some body
        found = Part(
            parent,
            kind,
            self.vector(0.3),
            axis / np.linalg.norm(axis),
            self.mass(),
            self.vector(0.1),
            moments,
        )
        robot.parts.append(found)
        return len(robot.parts) - 1

    def welded(self, robot: Robot, parent: int, share: float) -> int:
        """Perhaps a body fixed to a parent, and another one to that. Returns the last one, or the parent."""
        while self.chance(share):
            parent = self.part(robot, parent, "weld")
            share /= 2
        return parent

    def limb(self) -> Limb:
        count = int(self.rng.integers(1, 4))
        above = tuple(int(self.rng.integers(-1 if k == 0 else 0, k)) for k in range(count))
        return Limb(tuple(self.pick(MOVING) for _ in range(count)), above)

    def attach(self, robot: Robot, parent: int, limb: Limb, mounts: float) -> None:
        """A copy of a limb, depth first, with numbers and fixed bodies of its own."""

        def grow(joint: int, to: int) -> None:
            own = self.part(robot, self.welded(robot, to, mounts), limb.kinds[joint])
            self.welded(robot, own, mounts / 2)
            for k, above in enumerate(limb.above):
                if above == joint:
                    grow(k, own)

        grow(0, parent)

    def robot(self, root: str, parts: int = ENOUGH) -> Robot:
        """A trunk with limbs, some of which are alike, until there are this many parts or a few more."""
        made = Robot()
        trunk = self.welded(made, self.part(made, -1, root), 0.5)
        mounts = float(self.rng.choice([0.0, 0.5, 0.8, 1.0]))
        for _ in range(int(self.rng.integers(1, 3))):
            limb = self.limb()
            always, to = (
                self.chance(0.4),
                trunk,
            )  # mounts for all, of one limb or two, or each limb has its own
            for _ in range(int(self.rng.integers(2, 5))):
                if len(made.parts) > parts:
                    break
                if always and (to == trunk or self.chance(0.6)):
                    to = self.part(made, trunk, "weld")
                self.attach(made, to, limb, 0.0 if always else mounts)
                if self.chance(0.2):
                    self.part(made, trunk, "weld")
        return made


def inertia(part: Part) -> str:
    """The entries of a diagonal inertia tensor, as attributes."""
    x, y, z = part.moments
    return f'ixx="{x:.17g}" iyy="{y:.17g}" izz="{z:.17g}" ixy="0" ixz="0" iyz="0"'


def elements(part: Part) -> str:
    """The same as elements."""
    named = zip(("ixx", "iyy", "izz", "ixy", "ixz", "iyz"), (*part.moments, 0, 0, 0), strict=True)
    return "".join(f"<{name}>{x:.17g}</{name}>" for name, x in named)


# --- the formats -------------------------------------------------------------------------------------------


class Mjcf(RandomWriter):
    """Several trees, a static body, a mocap body, sites, tendons, actuators, sensors."""

    def body(self, robot: Robot, k: int, tree: str) -> str:
        part = robot.parts[k]
        name = f"{tree}{k}"
        joint = {"free": f'<freejoint name="j{name}"/>', "weld": ""}.get(part.kind)
        if joint is None:
            words = f'type="{part.kind}" axis="{numbers(part.axis)}" damping=".3" stiffness="2"'
            joint = f'<joint name="j{name}" {words}/>'
        turn = numbers(self.rng.normal(size=4))
        words = f'mass="{part.mass:.17g}" diaginertia="{numbers(part.moments)}"'
        inside = f'<inertial pos="{numbers(part.centre)}" {words}/>'
        inside += f'<site name="s{name}" pos="{numbers(self.vector(0.1))}"/>'
        inside += f'<camera mode="{self.pick(["fixed", "trackcom"])}"/>'
        inside += f'<geom name="g{name}" size=".05" pos="{numbers(self.vector(0.1))}"/>'
        inside += "".join(self.body(robot, child, tree) for child in robot.children(k))
        return f'<body name="b{name}" pos="{numbers(part.at)}" quat="{turn}">{joint}{inside}</body>'

    def document(self, robots: list[Robot], integrator: str, touching: bool) -> str:
        world = "".join(self.body(robot, 0, "abc"[n]) for n, robot in enumerate(robots))
        world += '<body name="still" pos="1 1 0"><geom name="gstill" type="box" size=".1 .2 .3"/></body>'
        held = '<body pos=".1 0 0"><geom size=".1" mass="1"/></body>'
        world += f'<body name="moved" mocap="true" pos="0 2 0">{held}</body>'
        names = [f"{'abc'[n]}{k}" for n, robot in enumerate(robots) for k in range(len(robot.parts))]
        turning = [
            f"j{'abc'[n]}{k}" for n, robot in enumerate(robots) for k, part in enumerate(robot.parts)
            if part.kind in MOVING
        ]  # fmt: skip
        tendons = "".join(f'<joint joint="{joint}" coef="{self.rng.normal():.3f}"/>' for joint in turning[:3])
        path = "".join(f'<site site="s{name}"/>' for name in self.rng.choice(names, 3, replace=False))
        tendon = (
            f'<fixed name="t" stiffness="1">{tendons}</fixed><spatial name="p" damping=".5">{path}</spatial>'
        )
        motors = "".join(f'<motor joint="{joint}" gear="2"/>' for joint in turning)
        motors += '<general tendon="p" dyntype="filter" dynprm=".1" gainprm="2"/>'
        sensors = ""
        for name in names:
            sensors += "".join(
                f'<{kind} body="b{name}"/>' for kind in ("subtreecom", "subtreelinvel", "subtreeangmom")
            )
            kind = self.pick(["force", "torque", "accelerometer", "gyro"])
            sensors += f'<{kind} site="s{name}"/><framelinacc objtype="body" objname="b{name}"/>'
        acts = "" if touching else '<flag contact="disable"/>'
        option = f'<option integrator="{integrator}" timestep=".002" density="1.2">{acts}</option>'
        sections = {"worldbody": world, "tendon": tendon, "actuator": motors, "sensor": sensors}
        inside = "".join(f"<{tag}>{text}</{tag}>" for tag, text in sections.items())
        return f"<mujoco>{option}{inside}</mujoco>\n"


def urdf(robot: Robot) -> str:
    kinds = {"hinge": "continuous", "slide": "prismatic", "weld": "fixed"}
    links = joints = ""
    for k, part in enumerate(robot.parts):
        centre = f'<origin xyz="{numbers(part.centre)}"/>'
        centre += f'<mass value="{part.mass:.17g}"/><inertia {inertia(part)}/>'
        links += f'<link name="b{k}"><inertial>{centre}</inertial></link>'
        if part.parent >= 0 or part.kind != "free":
            parent = f"b{part.parent}" if part.parent >= 0 else "world"
            ends = f'<parent link="{parent}"/><child link="b{k}"/>'
            ends += f'<origin xyz="{numbers(part.at)}" rpy=".1 .2 .3"/>'
            limit = '<limit effort="5" velocity="3" lower="-9" upper="9"/>' if part.kind == "slide" else ""
            axis = f'<axis xyz="{numbers(part.axis)}"/>' if part.kind != "weld" else ""
            joints += f'<joint name="j{k}" type="{kinds[part.kind]}">{ends}{axis}{limit}</joint>'
    world = '<link name="world"/>' if robot.parts[0].kind != "free" else ""
    return f'<robot name="r">{world}{links}{joints}</robot>\n'


def sdf(robot: Robot) -> str:
    kinds = {"hinge": "revolute", "slide": "prismatic", "weld": "fixed"}
    inside = ""
    for k, part in enumerate(robot.parts):
        to = f' relative_to="b{part.parent}"' if part.parent >= 0 else ""
        body = f"<pose>{numbers(part.centre)} 0 0 0</pose>"
        body += f"<mass>{part.mass:.17g}</mass><inertia>{elements(part)}</inertia>"
        pose = f"<pose{to}>{numbers(part.at)} .1 .2 .3</pose>"
        inside += f'<link name="b{k}">{pose}<inertial>{body}</inertial></link>'
        if part.parent >= 0 or part.kind != "free":
            parent = f"b{part.parent}" if part.parent >= 0 else "world"
            axis = f"<axis><xyz>{numbers(part.axis)}</xyz></axis>" if part.kind != "weld" else ""
            ends = f"<parent>{parent}</parent><child>b{k}</child>"
            inside += f'<joint name="j{k}" type="{kinds[part.kind]}">{ends}{axis}</joint>'
    return f'<sdf version="1.9"><model name="m">{inside}</model></sdf>\n'


def skel(robot: Robot) -> str:
    kinds = {"hinge": "revolute", "slide": "prismatic", "weld": "weld", "free": "free"}
    bodies = joints = ""
    for k, part in enumerate(robot.parts):
        body = f"<mass>{part.mass:.17g}</mass><offset>{numbers(part.centre)}</offset>"
        body += f"<moment_of_inertia>{elements(part)}</moment_of_inertia>"
        place = f"<transformation>{numbers(robot.place(k))} 0 0 0</transformation>"
        bodies += f'<body name="b{k}">{place}<inertia>{body}</inertia></body>'
        parent = f"b{part.parent}" if part.parent >= 0 else "world"
        axis = f"<axis><xyz>{numbers(part.axis)}</xyz></axis>" if part.kind in MOVING else ""
        ends = f"<parent>{parent}</parent><child>b{k}</child>"
        joints += f'<joint name="j{k}" type="{kinds[part.kind]}">{ends}{axis}</joint>'
    inside = f'<skeleton name="s">{bodies}{joints}</skeleton>'
    return f'<skel version="1.0"><world name="w">{inside}</world></skel>\n'


def x_xy(robot: Robot) -> str:
    def body(k: int) -> str:
        part = robot.parts[k]
        along = "xyz"[int(np.abs(part.axis).argmax())]
        joint = {"hinge": f"r{along}", "slide": f"p{along}", "weld": "frozen"}.get(part.kind, "free")
        own = f'<geom type="box" dim=".2 .3 .1" mass="{part.mass:.17g}" pos="{numbers(part.centre)}"/>'
        inside = own + "".join(body(child) for child in robot.children(k))
        return f'<body name="b{k}" joint="{joint}" pos="{numbers(part.at)}" euler="10 20 30">{inside}</body>'

    return (
        f'<x_xy model="m"><options gravity="0 0 9.81" dt="0.005"/><worldbody>{body(0)}</worldbody></x_xy>\n'
    )


def openrave(robot: Robot) -> str:
    kinds = {"hinge": "hinge", "slide": "slider", "weld": "hinge"}
    bodies = joints = ""
    for k, part in enumerate(robot.parts):
        x, y, z = part.moments
        mass = f"<total>{part.mass:.17g}</total><com>{numbers(part.centre)}</com>"
        mass += f"<inertia>{x:.17g} 0 0 0 {y:.17g} 0 0 0 {z:.17g}</inertia>"
        kind = "static" if k == 0 and part.kind != "free" else "dynamic"
        place = f"<translation>{numbers(robot.place(k))}</translation>"
        bodies += f'<body name="b{k}" type="{kind}">{place}<mass type="custom">{mass}</mass></body>'
        if part.parent >= 0:
            ends = f"<body>b{part.parent}</body><body>b{k}</body><offsetfrom>b{k}</offsetfrom>"
            limits = "<limitsdeg>0 0</limitsdeg>" if part.kind == "weld" else ""
            axis = f"<axis>{numbers(part.axis)}</axis>{limits}"
            joints += f'<joint name="j{k}" type="{kinds[part.kind]}">{ends}{axis}</joint>'
    return f'<kinbody name="m">{bodies}{joints}</kinbody>\n'


SINGLE: dict[str, Callable[[Robot], str]] = {
    ".urdf": urdf, ".sdf": sdf, ".skel": skel, ".x_xy.xml": x_xy, ".kinbody.xml": openrave,
}  # fmt: skip
"""Formats of a single robot, by the suffix of their files."""


def mjcf(seed: int) -> str:
    """A random MJCF document."""
    rng = np.random.default_rng(seed)
    maker = Maker(rng)
    count = 1 + (seed % 3 == 2)
    robots = [maker.robot(maker.pick(["free", "weld", "hinge"]), ENOUGH // count) for _ in range(count)]
    return Mjcf(rng).document(robots, INTEGRATORS[seed % len(INTEGRATORS)], touching=seed // 4 % 2 == 1)


def document(seed: int, suffix: str) -> str:
    """A random document of the format with a suffix."""
    if suffix == ".mjcf.xml":
        return mjcf(seed)
    maker = Maker(np.random.default_rng(seed))
    return SINGLE[suffix](maker.robot(maker.pick(["free", "weld"])))


SUFFIXES = (".mjcf.xml", *SINGLE)
