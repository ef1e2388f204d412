"""Random MJCF files: trees of every joint and shape, with contacts, tendons, equalities, actuators, sensors.

python -m tests.oracles.random_mjcf FOLDER --count 100 --seed 0
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path

import numpy as np

from tests.oracles.random_files import RandomWriter, numbers, run, write_files

SIZES = {"sphere": 1, "capsule": 2, "ellipsoid": 3, "cylinder": 2, "box": 3, "mesh": 0}
"""Shapes of bodies, with the number of their sizes."""
ROUND = ("sphere", "cylinder")
"""Shapes around which tendons wrap."""
DISABLED = (
    *("equality", "frictionloss", "limit", "contact", "passive", "gravity", "clampctrl", "warmstart"),
    *("filterparent", "actuation", "refsafe", "sensor", "midphase", "eulerdamp"),
)
ENABLED = ("override", "energy", "multiccd", "island")
ACTUATORS = (
    *("motor", "position", "velocity", "intvelocity", "damper", "cylinder", "muscle", "adhesion", "general"),
)
SENSORS = {
    "site": [
        "accelerometer",
        "velocimeter",
        "gyro",
        "force",
        "torque",
        "magnetometer",
        "touch",
        "rangefinder",
    ],
    "joint": ["jointpos", "jointvel", "jointactuatorfrc"],
    "limited joint": ["jointlimitpos", "jointlimitvel", "jointlimitfrc"],
    "ball": ["ballquat", "ballangvel"],
    "tendon": ["tendonpos", "tendonvel"],
    "limited tendon": ["tendonlimitpos", "tendonlimitvel", "tendonlimitfrc"],
    "actuator": ["actuatorpos", "actuatorvel", "actuatorfrc"],
    "body": ["subtreecom", "subtreelinvel", "subtreeangmom"],
}
"""Sensors of one object by the kind of the object. The attribute is the last word."""
FRAMES = ["framepos", "framequat", "framexaxis", "framelinvel", "frameangvel", "framelinacc", "frameangacc"]
DISTANCES = ("distance", "normal", "fromto")


class Writer(RandomWriter):
    """Writes one document. `names` has the objects that are written so far, by kind."""

    def __init__(self, rng: np.random.Generator, shapes: Iterable[str], bodies: int) -> None:
        super().__init__(rng)
        self.shapes, self.bodies = list(shapes), bodies
        self.names: dict[str, list[str]] = {}

    # --- parts ----------------------------------------------------------------------------------------------

    def between(self, low: float, high: float, count: int = 1) -> str:
        return numbers(self.rng.uniform(low, high, count))

    def quat(self) -> str:
        q = self.rng.normal(size=4)
        return numbers(q / np.linalg.norm(q))

    def maybe(self, share: float, name: str, value: str) -> str:
        return f' {name}="{value}"' if self.chance(share) else ""

    def new(self, *kinds: str) -> str:
        """The name of a new object of these kinds."""
        name = f"{kinds[0].split()[-1]}{len(self.names.setdefault(kinds[0], []))}"
        for kind in kinds:
            self.names.setdefault(kind, []).append(name)
        return name

    def some(self, kind: str, least: int, most: int) -> list[str]:
        """Different objects of a kind: none if there are not enough."""
        known = self.names.get(kind, [])
        if len(known) < least:
            return []
        count = int(self.rng.integers(least, min(most, len(known)), endpoint=True))
        return [str(name) for name in self.rng.choice(known, count, replace=False)]

    def springs(self) -> str:
        """solref and solimp."""
        stiff = f"{numbers(-self.rng.uniform((100, 1), (5000, 100)))}"
        soft = self.between(0.005, 0.1) + " " + self.between(0.5, 2)
        ramp = self.rng.uniform((0.3, 0.9, 0.001, 0.1, 1), (0.9, 0.99, 0.1, 0.9, 4))
        return self.maybe(0.3, "solref", stiff if self.chance(0.3) else soft) + self.maybe(
            0.2, "solimp", numbers(ramp)
        )

    # --- the tree -------------------------------------------------------------------------------------------

    def geom(self, kind: str, *groups: str) -> str:
        groups += ("hull",) * (kind in SIZES) + ("round",) * (kind in ROUND)
        name = self.new("geom", *groups)
        place = f' pos="{numbers(self.vector(0.12))}" quat="{self.quat()}"'
        size = {
            "plane": ' size="0 0 .1"',
            "hfield": ' hfield="field"',
            "mesh": f' mesh="mesh{self.rng.integers(3)}"',
        }
        words = size.get(kind) or f' size="{self.between(0.04, 0.2, SIZES[kind])}"'
        words += place if kind in SIZES else f' pos="0 0 {self.between(-0.5, 0)}"'
        words += self.maybe(0.4, "condim", self.pick(["1", "3", "4", "6"]))
        words += self.maybe(
            0.4, "friction", numbers(self.rng.uniform((0.1, 0.001, 0.0001), (1.5, 0.1, 0.01)))
        )
        words += self.maybe(0.3, "margin", self.between(0, 0.05)) + self.maybe(
            0.2, "gap", self.between(0, 0.03)
        )
        words += self.maybe(0.2, "priority", str(self.rng.integers(3)))
        words += self.maybe(0.2, "solmix", self.between(0, 2)) + self.springs()
        words += self.maybe(0.15, "contype", str(self.rng.integers(4)))
        words += self.maybe(0.1 * (kind in SIZES), "fluidshape", "ellipsoid") + self.maybe(
            0.3, "density", self.between(200, 2000)
        )
        return f'<geom name="{name}" type="{kind}"{words}/>'

    def joint(self, kind: str) -> str:
        limited = self.chance(0.5)
        own = "ball" if kind == "ball" else "limited joint" if limited else "free joint"
        name = self.new("any joint", own, *(["joint"] if kind != "ball" else []))
        words = f' pos="{numbers(self.vector(0.05))}"'
        words += self.maybe(0.4, "damping", self.between(0, 2)) + self.maybe(
            0.3, "armature", self.between(0, 0.1)
        )
        words += self.maybe(0.3, "stiffness", self.between(0, 20))
        words += self.maybe(0.3, "frictionloss", self.between(0, 0.5))
        if kind != "ball":
            words += f' axis="{numbers(self.rng.normal(size=3))}"' + self.maybe(
                0.2, "ref", self.between(-0.3, 0.3)
            )
            words += self.maybe(0.2, "springref", self.between(-0.3, 0.3))
            words += self.maybe(0.2, "actuatorfrcrange", "-5 4")
        if limited:
            low = "0" if kind == "ball" else self.between(-1, 0)
            words += f' range="{low} {self.between(0.1, 1)}"' + self.maybe(
                0.3, "margin", self.between(0, 0.1)
            )
        return f'<joint name="{name}" type="{kind}"{words}/>'

    def joints(self, depth: int) -> str:
        if depth == 0 and self.chance(0.4):
            return f'<freejoint name="{self.new("any joint", "free body")}"/>'
        kinds = self.pick(
            ["hinge", "hinge", "slide", "hinge slide", "slide hinge", "ball", "slide slide ball"]
        )
        return "".join(map(self.joint, kinds.split())) if depth == 0 or self.chance(0.85) else ""

    def site(self) -> str:
        kind = self.pick(["sphere", "box", "capsule", "ellipsoid", "cylinder"])
        pose = f'pos="{numbers(self.vector(0.1))}" quat="{self.quat()}"'
        return f'<site name="{self.new("site")}" type="{kind}" size=".2 .25 .15" {pose}/>'

    def body(self, depth: int) -> str:
        name = self.new("body")
        fixed = depth == 0 and self.chance(0.07)
        words = f' pos="{numbers(self.vector(0.3 if depth else 0.5))}" quat="{self.quat()}"'
        words += ' mocap="true"' if fixed else self.maybe(0.15, "gravcomp", self.between(0, 1.5))
        inside = "" if fixed else self.joints(depth)
        inside += self.geom(self.pick(self.shapes), "first geom")
        inside += "".join(self.geom(self.pick(self.shapes)) for _ in range(self.rng.integers(3)))
        inside += "".join(self.site() for _ in range(self.rng.integers(3)))
        for _ in range(0 if fixed or depth > 4 else self.rng.integers(3)):
            if len(self.names["body"]) < self.bodies:
                inside += self.body(depth + 1)
        return f'<body name="{name}"{words}>{inside}</body>'

    # --- what refers to the tree ----------------------------------------------------------------------------

    def contact(self) -> str:
        """An excluded pair of bodies, or a pair of geoms with its own parameters."""
        bodies, geoms = self.some("body", 2, 2), self.some("first geom", 2, 2)
        if bodies and self.chance(0.4):
            return f'<exclude body1="{bodies[0]}" body2="{bodies[1]}"/>'
        if not geoms:
            return ""
        words = self.maybe(0.5, "condim", self.pick(["1", "3", "4", "6"])) + self.springs()
        words += self.maybe(0.5, "friction", self.between(0.01, 1, 5)) + self.maybe(0.3, "margin", ".03")
        words += self.maybe(0.3, "solreffriction", ".05 1")
        return f'<pair geom1="{geoms[0]}" geom2="{geoms[1]}"{words}/>'

    def tendon(self) -> str:
        joints, sites = self.some("joint", 1, 3), self.some("site", 2, 4)
        if not joints and not sites:
            return ""
        fixed = not sites or (bool(joints) and self.chance(0.5))
        limited = self.chance(0.4)
        name = self.new("tendon", *(["limited tendon"] if limited else []))
        words = f' range="0 {self.between(0.1, 1.5)}"' if limited else ""
        words += self.maybe(0.3, "frictionloss", self.between(0, 0.5)) + self.maybe(0.3, "margin", ".05")
        if self.chance(0.4):
            words += f' stiffness="{self.between(0, 30)}" springlength="{self.between(0.1, 0.5)}"'
        words += self.maybe(0.4, "damping", self.between(0, 3))
        if fixed:
            inside = "".join(f'<joint joint="{each}" coef="{self.between(-1, 1)}"/>' for each in joints)
            return f'<fixed name="{name}"{words}>{inside}</fixed>'
        inside = f'<site site="{sites[0]}"/>'
        for site in sites[1:]:
            for geom in self.some("round", 1, 1) if self.chance(0.5) else []:
                inside += f'<geom geom="{geom}"{self.maybe(0.5, "sidesite", self.pick(self.names["site"]))}/>'
            inside += f'<site site="{site}"/>'
        return f'<spatial name="{name}"{words}>{inside}</spatial>'

    def equality(self) -> str:
        kind = self.pick(["connect", "weld", "joint", "tendon"])
        one = self.some({"joint": "joint", "tendon": "tendon"}.get(kind, "body"), 2, 2)
        words = self.maybe(0.15, "active", "false") + self.springs()
        if not one:
            return ""
        if kind in ("joint", "tendon"):
            words += f' polycoef="{numbers(self.vector(0.4, 5))}"'
        elif self.chance(0.4) and self.some("site", 2, 2):
            one, kind = self.some("site", 2, 2), kind + " site"
        elif kind == "connect" or self.chance(0.4):
            words += f' anchor="{numbers(self.vector(0.1))}"'
        if kind.startswith("weld"):
            words += self.maybe(0.4, "torquescale", self.between(0, 2))
        tag, *about = kind.split()
        first = about[0] if about else {"connect": "body", "weld": "body"}.get(tag, tag)
        return f'<{tag} {first}1="{one[0]}" {first}2="{one[1]}"{words}/>'

    def transmission(self) -> str:
        sites, found = self.some("site", 2, 2), []
        for joint in self.some("any joint", 1, 1):
            found += [f'joint="{joint}"', f'jointinparent="{joint}"']
        for tendon in self.some("tendon", 1, 1):
            found.append(f'tendon="{tendon}"')
        if sites:
            found += [f'site="{sites[0]}"', f'site="{sites[0]}" refsite="{sites[1]}"']
            found.append(
                f'cranksite="{sites[0]}" slidersite="{sites[1]}" cranklength="{self.between(0.1, 1)}"'
            )
        return self.pick(found) if found else ""

    def actuator(self) -> str:
        kind, target = self.pick(ACTUATORS), self.transmission()
        if not target or (kind == "muscle" and not target.startswith(("joint", "tendon"))):
            return ""
        name = self.new("actuator")
        gain, rate = self.between(1, 50), self.between(0, 3)
        words = {
            "position": f' kp="{gain}" kv="{rate}"' + self.maybe(0.3, "timeconst", ".1"),
            "velocity": f' kv="{rate}"',
            "intvelocity": f' kp="{gain}" actrange="-1 1"',
            "damper": f' kv="{rate}" ctrlrange="0 1"',
            "muscle": ' lengthrange=".1 1.5"',
            "general": self.general(),
        }.get(kind, "")
        if kind == "adhesion":
            body = self.pick(self.names["body"])
            return f'<adhesion name="{name}" body="{body}" ctrlrange="0 1" gain="{gain}"/>'
        if "crank" not in target:
            gear = self.rng.normal(size=6)
            gear[3:] *= "refsite" not in target  # MuJoCo's lengths of rotations between sites are wrong
            words += f' gear="{numbers(gear)}"'
        words += self.maybe(0.3, "forcerange", "-6 8")
        return f'<{kind} name="{name}" {target}{words}/>'

    def general(self) -> str:
        dynamics = self.pick(["none", "integrator", "filter", "filterexact", "muscle"])
        prm = ".01 .04 .1" if dynamics == "muscle" else self.between(0.02, 0.5)
        words = f' dyntype="{dynamics}" dynprm="{prm}" gainprm="{numbers(self.vector(2))}"'
        words += f' gaintype="{self.pick(["fixed", "affine"])}" biastype="{self.pick(["none", "affine"])}"'
        words += f' biasprm="{numbers(self.vector(2))}"'
        if dynamics != "none":
            words += self.maybe(0.3, "actrange", "-.5 .6") + self.maybe(0.3, "actearly", "true")
        return words

    def sensor(self) -> str:
        kind = self.pick([*SENSORS, "frame", "distance", "clock"])
        if kind == "clock":
            return "<clock/>"
        if kind == "distance":
            geoms = self.some("hull", 2, 2)
            words = f'geom1="{geoms[0]}" geom2="{geoms[1]}"' if geoms else ""
            return f"<{self.pick(DISTANCES)} {words}/>" if geoms else ""
        if kind == "frame":
            tag, of, to = (
                self.pick(FRAMES),
                self.pick(["body", "xbody", "geom", "site"]),
                self.pick(["body", "site"]),
            )
            one, other = self.some(of.removeprefix("x"), 1, 1), self.some(to, 1, 1)
            words = f' objtype="{of}" objname="{one[0]}"' if one else ""
            if other and not tag.endswith("acc") and self.chance(0.4):
                words += f' reftype="{to}" refname="{other[0]}"'
            return f"<{tag}{words}/>" if one else ""
        names = self.some(kind, 1, 1)
        attribute = "joint" if kind == "ball" else kind.split()[-1]
        cutoff = "" if kind == "ball" else self.maybe(0.1, "cutoff", self.between(0.1, 3))
        return f'<{self.pick(SENSORS[kind])} {attribute}="{names[0]}"{cutoff}/>' if names else ""

    # --- the document ---------------------------------------------------------------------------------------

    def option(self) -> str:
        flags = "".join(self.maybe(0.03, flag, "disable") for flag in DISABLED)
        flags += "".join(self.maybe(0.06, flag, "enable") for flag in ENABLED)
        words = (
            f' timestep="{self.pick([".001", ".002", ".004"])}" cone="{self.pick(["pyramidal", "elliptic"])}"'
        )
        words += f' solver="{self.pick(["Newton", "Newton", "CG", "PGS"])}"'
        words += f' integrator="{self.pick(["Euler", "implicit", "implicitfast", "RK4"])}" tolerance="1e-14"'
        words += self.maybe(0.2, "impratio", self.between(0.5, 10))
        words += self.maybe(0.15, "noslip_iterations", str(self.rng.integers(1, 5)))
        words += self.maybe(0.3, "jacobian", self.pick(["dense", "sparse"]))
        if self.chance(0.2):
            words += f' density="{self.between(0, 1000)}" viscosity="{self.between(0, 1)}" wind="1 -.5 .2"'
        words += self.maybe(0.3, "gravity", numbers(self.vector(9)))
        if self.chance(0.1):
            words += ' o_margin=".02" o_solref=".03 1" o_friction="1 .8 .01 .001 .001"'
        return f"<option{words}><flag{flags}/></option>"

    def asset(self) -> str:
        parts = []
        for number in range(3):
            points = self.rng.normal(size=3 * int(self.rng.choice([4, 6, 12, 30]))) * 0.1
            parts.append(f'<mesh name="mesh{number}" vertex="{numbers(points)}"/>')
        heights = numbers(self.rng.random(30))
        size = 'nrow="5" ncol="6" size="1.5 1.5 .2 .1"'
        parts.append(f'<hfield name="field" {size} elevation="{heights}"/>')
        return "".join(parts)

    def several(self, part: str, most: int) -> str:
        return "".join(getattr(self, part)() for _ in range(self.rng.integers(most + 1)))

    def document(self) -> str:
        grounds = ["plane", "hfield", *self.shapes] if "mesh" in self.shapes else ["plane", *self.shapes]
        world = "".join(self.geom(self.pick(grounds)) for _ in range(self.rng.integers(3)))
        while len(self.names.get("body", [])) < self.bodies and (
            not self.names.get("body") or self.chance(0.7)
        ):
            world += self.body(0)
        sections = {"contact": 2, "tendon": 3, "equality": 3, "actuator": 5, "sensor": 16}
        inside = "".join(f"<{tag}>{self.several(tag, most)}</{tag}>" for tag, most in sections.items())
        head = f'<compiler angle="radian"/>{self.option()}<asset>{self.asset()}</asset>'
        return f"<mujoco>{head}<worldbody>{world}</worldbody>{inside}</mujoco>\n"


def document(seed: int, shapes: Iterable[str] = SIZES) -> str:
    """A random document."""
    rng = np.random.default_rng(seed)
    return Writer(rng, shapes, int(rng.choice([1, 2, 4, 8, 14, 25]))).document()


def write_folder(folder: Path, *, count: int, seed: int, shapes: Iterable[str] = SIZES) -> list[Path]:
    """Write a number of files and return their paths."""
    return write_files(folder, ".xml", partial(document, shapes=list(shapes)), count=count, seed=seed)


if __name__ == "__main__":
    run("tests.oracles.random_mjcf", write_folder)
