"""Random URDF files of features that Drake 1.51 supports: every joint, root, inertia and force element.

python -m tests.oracles.random_urdf FOLDER --count 100 --seed 0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.oracles.random_files import MOMENTS, RandomWriter, numbers, run, write_files

KINDS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar", "ball", "universal", "screw")
DRAKE = ("ball", "universal", "screw")
"""Joints that are written <drake:joint>."""
REVERSIBLE = ("revolute", "continuous", "prismatic", "fixed")
"""Joints that Drake can use from child to parent."""
DAMPERS = {"planar": 3, "fixed": 0, "floating": 0}
"""The number of damping values of a joint; 1 for the others."""


class Writer(RandomWriter):
    """Writes one document."""

    def __init__(self, rng: np.random.Generator) -> None:
        super().__init__(rng)
        self.mimicked: list[str] = []

    def origin(self, share: float = 0.8) -> str:
        if not self.chance(share):
            return ""
        parts = [f'xyz="{numbers(self.vector())}"' if self.chance(0.8) else ""]
        parts.append(f'rpy="{numbers(self.vector(3.0))}"' if self.chance(0.8) else "")
        return f"<origin {' '.join(parts)}/>"

    def inertial(self) -> str:
        chance = self.rng.random()
        if chance < 0.03:
            return ""
        mass = f'<mass value="{self.mass():.17g}"/>'
        if chance < 0.1:
            return f"<inertial>{self.origin()}{mass}</inertial>"
        moment = self.moments()
        if chance < 0.2:
            moment = np.diag([1.0, 1.0, 3.0])  # impossible for a body: Drake replaces it
        text = " ".join(f'{name}="{moment[at]:.17g}"' for name, at in MOMENTS.items())
        return f"<inertial>{self.origin()}{mass}<inertia {text}/></inertial>"

    def joint(self, name: str, kind: str, parent: str, child: str) -> str:
        parts = [f'<parent link="{parent}"/><child link="{child}"/>', self.origin()]
        if self.chance(0.8):
            parts.append(f'<axis xyz="{numbers(self.vector(2.0))}"/>')
        if self.chance(0.5) and DAMPERS.get(kind, 1):
            damping = self.rng.uniform(0, 1, DAMPERS.get(kind, 1))
            parts.append(f'<dynamics damping="{numbers(damping)}" friction="0"/>')
        if kind == "screw":
            parts.append(f'<drake:screw_thread_pitch value="{self.rng.uniform(-1, 1):.17g}"/>')
        if kind in ("revolute", "prismatic", "continuous"):
            parts.append('<limit lower="-2" effort="5" velocity="3"/>' if self.chance(0.6) else "")
            if self.mimicked and self.chance(0.2):
                other = str(self.rng.choice(self.mimicked))
                parts.append(f'<mimic joint="{other}" multiplier="{self.rng.uniform(-1, 1):.3f}"/>')
            else:
                self.mimicked.append(name)
        tag = "drake:joint" if kind in DRAKE else "joint"
        self.rng.shuffle(parts)
        return f'<{tag} name="{name}" type="{kind}">{"".join(parts)}</{tag}>'

    def transmission(self, joint: str) -> str:
        rotor = '<drake:rotor_inertia value="0.02"/>' if self.chance(0.7) else ""
        gear = '<drake:gear_ratio value="7"/>' if self.chance(0.7) else ""
        named = f'<joint name="{joint}"/><actuator name="{joint}_motor">{rotor}{gear}</actuator>'
        return f"<transmission><type>transmission_interface/SimpleTransmission</type>{named}</transmission>"

    def forces(self, links: list[str]) -> str:
        """A bushing and a spring with damper between links, which may be frames of one of them."""
        if len(links) < 2 or self.chance(0.6):
            return ""
        one, two = self.rng.choice(links, 2, replace=False)
        frame = f'<frame name="aside" link="{one}" xyz="{numbers(self.vector(0.5))}" rpy="0.1 -0.2 0.3"/>'
        inside = '<drake:bushing_frameA name="aside"/>' + f'<drake:bushing_frameC name="{two}"/>'
        for kind in ("torque", "force"):
            for what in ("stiffness", "damping"):
                inside += f'<drake:bushing_{kind}_{what} value="{numbers(self.rng.uniform(0, 3, 3))}"/>'
        return f"{frame}<drake:linear_bushing_rpy>{inside}</drake:linear_bushing_rpy>"

    def document(self, count: int) -> str:
        links = [f"l{place}" for place in range(count)]
        if self.chance(0.5):
            links[0] = "world"
        joints, moving = [], []
        for place in range(1, count):
            kind = self.pick(KINDS)
            ends = [links[int(self.rng.integers(place))], links[place]]
            if kind in REVERSIBLE and self.chance(0.15):
                ends.reverse()
            if self.chance(0.1):
                continue  # another root
            joints.append(self.joint(f"j{place}", kind, *ends))
            if kind in ("revolute", "prismatic") and self.chance(0.4):
                moving.append(f"j{place}")
        parts = [f'<link name="{name}">{self.inertial() if name != "world" else ""}</link>' for name in links]
        parts += [*joints, *map(self.transmission, moving)]
        self.rng.shuffle(parts)
        parts.append(self.forces([name for name in links if name != "world"]))
        return f'<robot name="r" xmlns:drake="http://drake.mit.edu">{"".join(parts)}</robot>\n'


def document(seed: int, bodies: tuple[int, int] = (2, 7)) -> str:
    """A random document."""
    rng = np.random.default_rng(seed)
    return Writer(rng).document(int(rng.integers(*bodies, endpoint=True)))


def write_folder(folder: Path, *, count: int, seed: int) -> list[Path]:
    """Write a number of files and return their paths."""
    return write_files(folder, ".urdf", document, count=count, seed=seed)


if __name__ == "__main__":
    run("tests.oracles.random_urdf", write_folder)
