"""Random SKEL files of features that DART loads: every joint and actuator, and every position of dampers and
springs.

python -m tests.oracles.random_skel FOLDER --count 100 --seed 0
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from xml.sax.saxutils import quoteattr

import numpy as np

from tests.oracles.random_files import RandomWriter, numbers, run, write_files

SIZES = {
    "weld": 0,
    "revolute": 1,
    "prismatic": 1,
    "universal": 2,
    "euler": 3,
    "translational": 3,
    "planar": 3,
    "ball": 3,
    "free": 6,
}
AXES = {"revolute": 1, "prismatic": 1, "universal": 2, "euler": 3, "translational": 3, "planar": 3}
DIRECTED = ("revolute", "prismatic", "universal")
ACTUATORS = ("force", "passive", "acceleration", "velocity", "locked", "servo")
SHAPES = ("box", "sphere", "ellipsoid", "cylinder", "capsule", "cone", "multi_sphere", "plane")
"""The last one has no inertia."""


class Writer(RandomWriter):
    """Writes one document."""

    def unit(self) -> np.ndarray:
        v = self.rng.normal(size=3)
        return np.asarray(v / np.linalg.norm(v))

    def transformation(self, share: float = 0.7) -> str:
        if not self.chance(share):
            return ""
        pose = np.concatenate([self.vector(0.5), self.vector(2.0)])
        return f"<transformation>{numbers(pose)}</transformation>"

    # --- bodies ---------------------------------------------------------------------------------------------

    def shape(self, tag: str, kinds: Sequence[str] = SHAPES) -> str:
        kind = str(self.rng.choice(kinds))
        size = self.rng.uniform(0.1, 0.6, 3)
        inside = f"<size>{numbers(size)}</size>"
        if kind not in ("box", "ellipsoid"):
            inside = f"<radius>{size[0]:.17g}</radius>"
        if kind in ("cylinder", "capsule", "cone"):
            inside += f"<height>{size[1]:.17g}</height>"
        if kind == "plane":
            inside = f"<normal>{numbers(self.unit())}</normal><offset>{size[0]:.17g}</offset>"
        if kind == "multi_sphere":
            inside = "".join(
                f"<sphere><radius>{radius:.17g}</radius><position>{numbers(self.vector())}</position></sphere>"
                for radius in size[: self.rng.integers(1, 4)]
            )
        geometry = f"<geometry><{kind}>{inside}</{kind}></geometry>"
        return f"<{tag}>{self.transformation()}{geometry}</{tag}>"

    def inertia(self) -> str:
        if self.chance(0.2):
            return ""
        mass = f"<mass>{self.rng.uniform(0.3, 3):.17g}</mass>"
        offset = f"<offset>{numbers(self.vector(0.2))}</offset>" if self.chance(0.6) else ""
        if self.chance(0.5):
            return f"<inertia>{mass}{offset}</inertia>"
        root = self.rng.normal(size=(3, 3))
        moment = 0.05 * (root @ root.T + 0.3 * np.eye(3))
        entries = {"ixx": (0, 0), "iyy": (1, 1), "izz": (2, 2), "ixy": (0, 1), "ixz": (0, 2), "iyz": (1, 2)}
        moment = np.trace(moment) * np.eye(3) - moment  # so that no principal moment exceeds the others
        text = "".join(f"<{name}>{moment[at]:.17g}</{name}>" for name, at in entries.items())
        return f"<inertia>{mass}{offset}<moment_of_inertia>{text}</moment_of_inertia></inertia>"

    def body(self, name: str) -> str:
        gravity = "<gravity>0</gravity>" if self.chance(0.2) else ""
        seen = [self.shape("visualization_shape", SHAPES[:-1]) for _ in range(self.rng.integers(0, 3))]
        touched = [self.shape("collision_shape") for _ in range(self.rng.integers(0, 2) if seen else 0)]
        inside = gravity + self.transformation() + self.inertia() + "".join([*seen, *touched])
        return f"<body name={quoteattr(name)}>{inside}</body>"

    # --- joints ---------------------------------------------------------------------------------------------

    def dynamics(self) -> str:
        parts = []
        if self.chance(0.6):
            parts.append(f"<damping>{self.rng.uniform(0, 2):.17g}</damping>")
        if self.chance(0.4):
            rest, stiffness = self.rng.uniform(-1, 1), self.rng.uniform(0, 30)
            parts.append(f"<spring_rest_position>{rest:.17g}</spring_rest_position>")
            parts.append(f"<spring_stiffness>{stiffness:.17g}</spring_stiffness>")
        return "".join(parts)

    def axis(self, tag: str, directed: bool) -> str:
        xyz = f"<xyz>{numbers(self.unit())}</xyz>" if directed else ""
        inside = self.dynamics()
        if inside and self.chance(0.7):
            inside = f"<dynamics>{inside}</dynamics>"
        else:
            inside = f"<damping>{self.rng.uniform(0, 1):.17g}</damping>"
        limit = "<limit><lower>-0.1</lower><upper>0.1</upper></limit>" if self.chance(0.3) else ""
        return f"<{tag}>{xyz}{inside}{limit}</{tag}>"

    def dofs(self, kind: str, actuator: str) -> str:
        count = SIZES[kind]
        if kind in ("ball", "free"):
            return self.round_dofs(kind, actuator)
        parts = []
        for index in range(count):
            if self.chance(0.25):
                inside = self.dynamics() + self.command(actuator)
                if self.chance(0.3):
                    inside += f'<position initial="{self.rng.uniform(-1, 1):.17g}"/>'
                if self.chance(0.3) and actuator != "locked":
                    inside += f'<velocity initial="{self.rng.uniform(-1, 1):.17g}"/>'
                parts.append(f'<dof local_index="{index}">{inside}</dof>')
        return "".join(parts)

    def round_dofs(self, kind: str, actuator: str) -> str:
        """Dampers and springs of rotation vectors and, for free joints, of positions."""
        if not self.chance(0.6):
            return ""
        damped, sprung, rests = self.chance(0.7), self.chance(0.6), self.chance(0.6)
        parts = []
        for index in range(SIZES[kind]):
            inside = ""
            if damped:
                inside += f"<damping>{self.rng.uniform(0, 1):.17g}</damping>"
            if sprung:
                inside += f"<spring_stiffness>{self.rng.uniform(0, 10):.17g}</spring_stiffness>"
            if sprung and rests:
                inside += f"<spring_rest_position>{self.rng.uniform(-1, 1):.17g}</spring_rest_position>"
            parts.append(f'<dof local_index="{index}">{inside}{self.command(actuator)}</dof>')
        return "".join(parts)

    def command(self, actuator: str) -> str:
        if actuator not in ("force", "acceleration") or not self.chance(0.5):
            return ""
        return f'<{actuator} initial="{self.rng.uniform(-1, 1):.17g}"/>'

    def joint(self, name: str, kind: str, parent: str, child: str) -> str:
        count = SIZES[kind]
        weights = [0.4, 0.1, 0.15, 0.15, 0.1, 0.1]
        actuator = str(self.rng.choice(ACTUATORS, p=weights)) if count else "force"
        parts = [f"<parent>{parent}</parent><child>{child}</child>", self.transformation()]
        tags = ("axis", "axis2", "axis3")[: AXES.get(kind, 0)]
        parts += [self.axis(tag, kind in DIRECTED) for tag in tags]
        if kind == "euler":
            parts.append(f"<axis_order>{self.rng.choice(['xyz', 'zyx'])}</axis_order>")
        if kind == "planar":
            parts.append(self.plane())
        if count and self.chance(0.6):
            parts.append(f"<init_pos>{numbers(self.vector(0.8, count))}</init_pos>")
        if count and actuator != "locked" and self.chance(0.6):
            parts.append(f"<init_vel>{numbers(self.vector(1.0, count))}</init_vel>")
        parts.append(self.dofs(kind, actuator))
        driven = f' actuator="{actuator}"' if self.chance(0.9) or actuator != "force" else ""
        return f'<joint {self.name(name)} type="{kind}"{driven}>{"".join(parts)}</joint>'

    def name(self, name: str) -> str:
        """A name attribute; other elements may have the same name."""
        return f"name={quoteattr('same' if self.chance(0.15) else name)}"

    def plane(self) -> str:
        kind = str(self.rng.choice(["xy", "yz", "zx", "arbitrary"]))
        tags = ("translation_axis1", "translation_axis2") if kind == "arbitrary" else ()
        inside = "".join(f"<{tag}><xyz>{numbers(self.unit())}</xyz></{tag}>" for tag in tags)
        return f'<plane type="{kind}">{inside}</plane>'

    # --- the whole ------------------------------------------------------------------------------------------

    def skeleton(self, number: int, kinds: list[str]) -> str:
        count = len(kinds)
        names = [f"b{place}" for place in range(count)]
        joints = []
        for place, kind in enumerate(kinds):
            parent = "world" if place == 0 or self.chance(0.15) else names[int(self.rng.integers(place))]
            if place == 0 and self.chance(0.15) and count > 1:
                continue  # DART gives a root a free joint if anything is attached to it
            if parent == "world" and place and not joints:
                parent = names[0]
            joints.append(self.joint(f"j{place}", kind, parent, names[place]))
        mentioned = "".join(joints)
        bodies = [self.body(name) for name in names if f">{name}<" in mentioned]
        self.rng.shuffle(bodies)
        self.rng.shuffle(joints)
        mobile = "<mobile>0</mobile>" if self.chance(0.15) else ""
        inside = self.transformation(0.4) + mobile + "".join([*bodies, *joints])
        return f"<skeleton {self.name(f's{number}')}>{inside}</skeleton>"

    def document(self, bodies: tuple[int, int]) -> str:
        gravity = numbers(self.vector(10.0))
        step = f"<time_step>{self.rng.choice(['0.001', '0.002'])}</time_step>"
        physics = f"<physics>{step}<gravity>{gravity}</gravity></physics>" if self.chance(0.9) else ""
        kinds = list(SIZES)
        skeletons = []
        for number in range(int(self.rng.integers(1, 3))):
            count = int(self.rng.integers(*bodies, endpoint=True))
            skeletons.append(self.skeleton(number, [str(self.rng.choice(kinds)) for _ in range(count)]))
        inside = "".join([physics, *skeletons])
        return f'<?xml version="1.0"?>\n<skel version="1.0"><world name="w">{inside}</world></skel>\n'


def document(seed: int, bodies: tuple[int, int] = (1, 5)) -> str:
    """A random document."""
    return Writer(np.random.default_rng(seed)).document(bodies)


def write_folder(folder: Path, *, count: int, seed: int, bodies: tuple[int, int] = (1, 5)) -> list[Path]:
    """Write a number of files and return their paths."""
    return write_files(folder, ".skel", lambda number: document(number, bodies), count=count, seed=seed)


if __name__ == "__main__":
    run("tests.oracles.random_skel", write_folder)
