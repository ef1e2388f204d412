"""Random SDFormat files of features that Drake 1.51 supports: nested frames, nested models, every joint.

python -m tests.oracles.random_sdf FOLDER --count 100 --seed 0
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from tests.oracles.random_files import MOMENTS, RandomWriter, numbers, run, write_files

KINDS = ("revolute", "continuous", "prismatic", "fixed", "ball", "universal", "screw", "planar")
"""The last one is a <drake:joint>."""


class Writer(RandomWriter):
    """Writes one document."""

    def pose(self, frames: list[str], share: float = 0.8) -> str:
        """A pose relative to one of these frames, or to the enclosing element."""
        if not self.chance(share):
            return ""
        relative = f' relative_to="{self.pick(frames)}"' if frames and self.chance(0.5) else ""
        place = np.concatenate([self.vector(), self.vector(3.0)])
        degrees = self.chance(0.2)
        if degrees:
            place[3:] = np.rad2deg(place[3:])
        unit = ' degrees="true"' if degrees else ""
        return f"<pose{relative}{unit}>{numbers(place)}</pose>"

    def inertial(self) -> str:
        if self.chance(0.05):
            return ""  # 1 kg
        moment = self.moments()
        text = "".join(f"<{name}>{moment[at]:.17g}</{name}>" for name, at in MOMENTS.items())
        mass = f"<mass>{self.mass():.17g}</mass>"
        return f"<inertial>{self.pose([])}{mass}<inertia>{text}</inertia></inertial>"

    def axis(self, tag: str, kind: str, within: str, direction: np.ndarray) -> str:
        inside = f"<xyz{within}>{numbers(direction)}</xyz>"
        if self.chance(0.5) and kind != "universal":
            inside += "<limit><lower>-2</lower><upper>1</upper><effort>5</effort></limit>"
        dynamics = f"<damping>{self.rng.uniform(0, 1):.17g}</damping>" if self.chance(0.6) else ""
        if kind in ("revolute", "continuous", "prismatic") and self.chance(0.4):
            dynamics += "<spring_reference>.3</spring_reference><spring_stiffness>4</spring_stiffness>"
        return f"<{tag}>{inside}<dynamics>{dynamics}</dynamics></{tag}>"

    def joint(self, name: str, kind: str, parent: str, child: str, frames: list[str]) -> str:
        if kind == "planar":
            ends = f"<drake:parent>{parent}</drake:parent><drake:child>{child}</drake:child>"
            damping = f"<drake:damping>{numbers(self.rng.uniform(0, 1, 3))}</drake:damping>"
            return f'<drake:joint name="{name}" type="planar">{ends}{damping}</drake:joint>'
        parts = [f"<parent>{parent}</parent>", f"<child>{child}</child>", self.pose(frames, 0.6)]
        within = f' expressed_in="{self.pick(frames)}"' if self.chance(0.4) else ""
        along = self.vector(2.0)
        if kind not in ("fixed", "ball"):
            parts.append(self.axis("axis", kind, within, along))
        if kind == "universal":
            parts.append(self.axis("axis2", kind, within, np.cross(along, self.vector())))
        if kind == "screw":
            parts.append(f"<screw_thread_pitch>{self.rng.uniform(-1, 1):.17g}</screw_thread_pitch>")
        return f'<joint name="{name}" type="{kind}">{"".join(parts)}</joint>'

    def model(self, name: str, count: int, depth: int) -> tuple[str, list[str]]:
        """A model, and its links as named from outside."""
        links: list[str] = []
        frames: list[str] = []
        parts: list[str] = []
        if depth and self.chance(0.6):
            text, inner = self.model("inner", 2, depth - 1)
            parts.append(text)
            links += inner
            frames += inner
        for place in range(count):
            own = f"{name}_l{place}"
            parts.append(f'<link name="{own}">{self.pose(frames)}{self.inertial()}</link>')
            if self.chance(0.3):
                to = f' attached_to="{own}"' if self.chance(0.7) else ""
                parts.append(f'<frame name="{own}_f"{to}>{self.pose(frames)}</frame>')
                frames.append(f"{own}_f")
            if links and self.chance(0.85):
                kind = self.pick(KINDS)
                parts.append(self.joint(f"{own}_j", kind, self.pick(links), own, [*frames, own]))
            elif self.chance(0.4) and not depth:
                parts.append(self.joint(f"{own}_w", self.pick(KINDS[:4]), "world", own, [*frames, own]))
            links.append(own)
            frames.append(own)
        self.rng.shuffle(parts)
        placed = f' placement_frame="{frames[-1]}"' if self.chance(0.2) else ""
        text = f'<model name="{name}"{placed}>{self.pose([])}{"".join(parts)}</model>'
        return text, [f"{name}::{link}" for link in links]

    def document(self, count: int) -> str:
        text, _ = self.model("m", count, 1)
        return f'<sdf version="1.9" xmlns:drake="http://drake.mit.edu">{text}</sdf>\n'


def document(seed: int, bodies: tuple[int, int] = (1, 5)) -> str:
    """A random document."""
    rng = np.random.default_rng(seed)
    return Writer(rng).document(int(rng.integers(*bodies, endpoint=True)))


def write_folder(folder: Path, *, count: int, seed: int) -> list[Path]:
    """Write a number of files and return their paths."""
    return write_files(folder, ".sdf", document, count=count, seed=seed)


if __name__ == "__main__":
    run("tests.oracles.random_sdf", write_folder)
