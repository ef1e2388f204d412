"""Random models: inertia of tendons and actuators, polynomials of forces, limits of forces on tendons."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[3]))  # asked.py runs in another environment

from tests.oracles.random_files import numbers
from tests.oracles.random_mjcf import Writer

SEEDS = (0, 1, 2, 3, 4, 5, 6, 7, 9, 11)
STATES = 2


class Newest(Writer):
    """Writes documents of 4.0 without contacts."""

    def poly(self, name: str, low: float, high: float) -> str:
        """Coefficients of one to three powers."""
        count = int(self.rng.integers(1, 4))
        values = self.rng.uniform(low, high, 3)[:count]
        values[1:2] -= high / 2
        return self.maybe(0.5, name, numbers(values))

    def geom(self, kind: str, *groups: str) -> str:
        name = self.new("geom", *groups, *(("round",) if kind == "sphere" else ()))
        place = f'pos="{numbers(self.vector(0.12))}" quat="{self.quat()}"'
        return f'<geom name="{name}" type="{kind}" size=".1 .07 .12" {place} contype="0" conaffinity="0"/>'

    def body(self, depth: int) -> str:
        """Inertias are given: those of several geoms depend on how far principal axes are converged."""
        head, _, tail = super().body(depth).partition(">")
        mass = f'mass="{self.between(0.5, 2)}" diaginertia="{self.between(0.01, 0.019, 3)}"'
        return f'{head}><inertial pos="{numbers(self.vector(0.1))}" quat="{self.quat()}" {mass}/>{tail}'

    def joint(self, kind: str) -> str:
        head = super().joint(kind).removesuffix("/>")
        for name in ("damping", "stiffness"):
            head = re.sub(rf' {name}="[^"]*"', "", head)
        return head + self.poly("stiffness", 0.0, 20.0) + self.poly("damping", 0.0, 2.0) + "/>"

    def tendon(self) -> str:
        joints, sites = self.some("joint", 1, 3), self.some("site", 2, 4)
        if not joints and not sites:
            return ""
        limited = self.chance(0.2)
        name = self.new("tendon", *(["limited tendon"] if limited else []))
        words = f' range="0 {self.between(0.1, 1.5)}"' if limited else ""
        words += self.maybe(0.2, "frictionloss", self.between(0, 0.5))
        words += self.maybe(0.4, "springlength", f"{self.between(0.1, 0.3)} {self.between(0.3, 0.5)}")
        words += self.poly("stiffness", 0.0, 30.0) + self.poly("damping", 0.0, 3.0)
        words += self.maybe(0.4, "actuatorfrcrange", "-2 1.5")
        inert = self.chance(0.5)
        words += f' armature="{self.between(0.1, 3)}"' if inert else ""
        if not sites or (joints and self.chance(0.4)):
            inside = "".join(f'<joint joint="{each}" coef="{self.between(-1, 1)}"/>' for each in joints)
            return f'<fixed name="{name}"{words}>{inside}</fixed>'
        inside = f'<site site="{sites[0]}"/>'
        for n, site in enumerate(sites[1:]):
            for geom in self.some("round", 1, 1) if self.chance(0.4) and not inert else []:
                inside += f'<geom geom="{geom}"/>'
            inside += f'<site site="{site}"/>'
            if n == 1 and len(sites) > 3:
                inside += f'<pulley divisor="2"/><site site="{site}"/>'
        self.names.setdefault("plain tendon", []).append(name)
        return f'<spatial name="{name}"{words}>{inside}</spatial>'

    def equality(self) -> str:
        """None: stiff ones are solved for less exactly than is compared here."""
        return ""

    def actuator(self) -> str:
        kind, target = self.pick(["motor", "position", "velocity", "general", "motor"]), self.transmission()
        tendons = self.some("tendon", 1, 1)
        if tendons and self.chance(0.5):
            target = f'tendon="{tendons[0]}"'
        if not target:
            return ""
        words = {
            "position": f' kp="{self.between(1, 50)}" kv="{self.between(0, 3)}"',
            "velocity": f' kv="{self.between(0, 3)}"',
            "general": self.general(),
        }.get(kind, "")
        if "crank" not in target:
            gear = self.rng.normal(size=6)
            gear[3:] *= "refsite" not in target
            words += f' gear="{numbers(gear)}"'
        words += self.maybe(0.3, "forcerange", "-1 1.2")
        if target.startswith("joint") or (target.startswith("tendon") and not self.around(target)):
            words += self.poly("damping", 0.0, 2.0) + self.maybe(0.4, "armature", self.between(0, 0.3))
        return f'<{kind} name="{self.new("actuator")}" {target}{words}/>'

    def around(self, target: str) -> bool:
        """Whether a tendon may go around a shape."""
        return target.split('"')[1] in self.names.get("plain tendon", [])

    def sensor(self) -> str:
        tendons, sites = self.some("tendon", 1, 1), self.some("site", 1, 1)
        if tendons and self.chance(0.4):
            return f'<tendonactuatorfrc tendon="{tendons[0]}"/>'
        if sites and self.chance(0.6):
            return f'<{self.pick(["force", "torque", "accelerometer"])} site="{sites[0]}"/>'
        joints = self.some("joint", 1, 1)
        return f'<jointactuatorfrc joint="{joints[0]}"/>' if joints else ""

    def option(self) -> str:
        words = f' integrator="{self.pick(["Euler", "implicit", "implicitfast", "RK4"])}"'
        words += f' timestep="{self.pick([".001", ".004"])}" solver="{self.pick(["Newton", "CG"])}"'
        words += f' jacobian="{self.pick(["dense", "sparse", "auto"])}"'
        flags = 'contact="disable" energy="enable"'
        flags += self.maybe(0.1, "constraint", "disable") + self.maybe(0.1, "actuation", "disable")
        flags += self.maybe(0.1, "eulerdamp", "disable")
        return f"<option{words}><flag {flags}/></option>"

    def asset(self) -> str:
        return ""


def document(seed: int) -> str:
    """A random document."""
    rng = np.random.default_rng(seed)
    writer = Newest(rng, ("sphere", "capsule", "ellipsoid", "box"), int(rng.choice([1, 2, 4, 8])))
    return writer.document()


def models() -> dict[str, str]:
    """All of them by name."""
    return {f"random {seed}": document(seed) for seed in SEEDS}
