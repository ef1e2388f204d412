"""Loading: ``polybody.load`` compared with each format's own engine on the same file.

It measures CPU time in warm processes: imports and the first call do not count. Meshes of a "first" load are
new to every engine, so that no cache by content has them; a "second" load reads the same files again. Other
running processes slow polybody down more than MuJoCo: the humanoid takes 2.4 times MuJoCo's time on an idle
machine, 3 times with eight others.
"""

from __future__ import annotations

import argparse
import gc
import math
import random
import re
import struct
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.models.robots import MJCF, installed
from benchmarks.robots import sdf, skel, urdf
from benchmarks.rows import Part, Row, compare, main, selected

ROUNDS = 7
ENOUGH_SECONDS = 0.1
"""A round repeats short loads for this time, and records the shortest."""
LINKS, BODIES, MESHES = 40, 300, 30
RINGS, SECTORS = 40, 60
"""Of the vertices of a mesh: 2,400 in total, and 4,800 triangles."""
Load = Callable[[Path], object]


class Case(NamedTuple):
    """A file, and the engine that loads it."""

    model: str
    peers: Mapping[str, Load]
    write: Callable[[Path, int], Path]
    """Writes the file into a folder, with different meshes in each round."""
    fresh: bool = False
    """Whether each round loads new files, and then the same files again."""


# --- documents ---------------------------------------------------------------------------------------------


def humanoid(folder: Path, seed: int) -> Path:
    """The humanoid of MuJoCo, as the package of MJX has it."""
    return installed(*MJCF["humanoid"])


def text(name: str, content: str, folder: Path, seed: int) -> Path:
    """A document that is the same in every round."""
    path = folder / name
    path.write_text(content, encoding="utf-8")
    return path


def chain() -> str:
    """MJCF of a chain of bodies, each with a hinge and a capsule."""
    lines = ['<mujoco model="chain">', "  <worldbody>"]
    for body in range(BODIES):
        lines += [
            f'<body name="body{body}" pos="0 0 -0.2">',
            f'<joint name="joint{body}" axis="{"1 0 0" if body % 2 else "0 1 0"}" damping="0.1"/>',
            f'<geom name="geom{body}" type="capsule" fromto="0 0 0 0 0 -0.2" size="0.02"/>',
        ]
    return "\n".join([*lines, "</body>" * BODIES, "  </worldbody>", "</mujoco>", ""])


def meshed_mjcf(folder: Path, seed: int) -> Path:
    """MJCF of an arm whose bodies have a mesh each, in STL."""
    assets, bodies = [], []
    for row in range(MESHES):
        (folder / f"{row}.stl").write_bytes(stl(Lump(MESHES * seed + row)))
        assets.append(f'<mesh name="mesh{row}" file="{row}.stl"/>')
        bodies.append(f'<body pos="0 0 0.2"><joint axis="0 1 0"/><geom type="mesh" mesh="mesh{row}"/>')
    inside = f"<asset>{''.join(assets)}</asset><worldbody>{''.join(bodies)}{'</body>' * MESHES}</worldbody>"
    return text("meshed.xml", f"<mujoco>{inside}</mujoco>", folder, seed)


def meshed_urdf(folder: Path, seed: int) -> Path:
    """The URDF, with a mesh in OBJ as the visual and collision shape of each link."""
    lines, link = [], -1
    for line in urdf(22 * LINKS).splitlines():
        link += line.startswith("  <link")
        if "<cylinder" in line or "<box" in line:
            line = f'        <mesh filename="{link}.obj"/>'
        lines.append(line)
    for row in range(LINKS):
        (folder / f"{row}.obj").write_text(obj(Lump(LINKS * seed + row)), encoding="ascii")
    return text("meshed.urdf", "\n".join(lines), folder, seed)


def bare() -> str:
    """The URDF without shapes: links with inertia, and joints."""
    return re.sub(r"    <(visual|collision)>.*?</\1>\n", "", urdf(22 * LINKS), flags=re.DOTALL)


class Lump:
    """A closed surface: a sphere with random waves."""

    def __init__(self, seed: int) -> None:
        rng = random.Random(seed)
        waves = [
            (rng.uniform(0, 0.1), rng.randint(1, 4), rng.randint(1, 4), rng.uniform(0, 6)) for _ in range(4)
        ]
        self.vertices = [(0.0, 0.0, 0.1), (0.0, 0.0, -0.1)]
        for ring in range(1, RINGS + 1):
            polar = math.pi * ring / (RINGS + 1)
            for sector in range(SECTORS):
                around = 2 * math.pi * sector / SECTORS
                wave = sum(h * math.sin(a * around + phase) * math.sin(b * polar) for h, a, b, phase in waves)
                radius = 0.1 * (1 + wave)
                out = radius * math.sin(polar)
                x, y = out * math.cos(around), out * math.sin(around)
                self.vertices.append((x, y, radius * math.cos(polar)))
        self.faces = list(self._faces())

    def _faces(self) -> Iterator[tuple[int, int, int]]:
        for sector in range(SECTORS):
            after = (sector + 1) % SECTORS
            yield 0, 2 + sector, 2 + after
            for ring in range(RINGS - 1):
                here, below = 2 + ring * SECTORS, 2 + (ring + 1) * SECTORS
                yield here + sector, below + sector, below + after
                yield here + sector, below + after, here + after
            last = 2 + (RINGS - 1) * SECTORS
            yield 1, last + after, last + sector


def stl(lump: Lump) -> bytes:
    """A surface as binary STL."""
    records = [
        struct.pack("<12fH", 0, 0, 0, *(number for vertex in face for number in lump.vertices[vertex]), 0)
        for face in lump.faces
    ]
    return bytes(80) + struct.pack("<I", len(records)) + b"".join(records)


def obj(lump: Lump) -> str:
    """A surface as OBJ."""
    vertices = ["v {:.6f} {:.6f} {:.6f}".format(*vertex) for vertex in lump.vertices]
    faces = [f"f {a + 1} {b + 1} {c + 1}" for a, b, c in lump.faces]
    return "\n".join([*vertices, *faces, ""])


# --- engines -----------------------------------------------------------------------------------------------


def mujoco_loads(path: Path) -> object:
    import mujoco

    return mujoco.MjModel.from_xml_path(str(path))


def pinocchio_loads(path: Path) -> object:
    import pinocchio

    return pinocchio.buildModelFromUrdf(str(path))


def pinocchio_loads_shapes(path: Path) -> object:
    import pinocchio

    return pinocchio.buildModelsFromUrdf(str(path), package_dirs=[str(path.parent)])


def drake_loads(path: Path) -> object:
    from pydrake.geometry import SceneGraph
    from pydrake.multibody.parsing import Parser
    from pydrake.multibody.plant import MultibodyPlant

    plant: Any = MultibodyPlant(0.0)
    scene = SceneGraph()
    plant.RegisterAsSourceForSceneGraph(scene)
    Parser(plant).AddModels(str(path))
    plant.Finalize()
    return plant, scene


def dart_loads(path: Path) -> object:
    import dartpy

    return dartpy.utils.SkelParser.readWorld(f"file://{path}")


PINOCCHIO, DRAKE, DART = "Pinocchio 4.1.0", "Drake 1.51.1", "DART 6.20.0"
MUJOCO = {"MuJoCo 3.2.7": mujoco_loads}
GEOMETRY = {f"{PINOCCHIO}, with geometry": pinocchio_loads_shapes, DRAKE: drake_loads}
CASES = (
    Case("MJCF, humanoid of MuJoCo", MUJOCO, humanoid),
    Case(f"MJCF, chain of {BODIES} bodies", MUJOCO, partial(text, "chain.xml", chain())),
    Case(f"MJCF, {MESHES} meshes", MUJOCO, meshed_mjcf, fresh=True),
    Case(
        f"URDF, {LINKS} links",
        {PINOCCHIO: pinocchio_loads} | GEOMETRY,
        partial(text, "robot.urdf", urdf(22 * LINKS)),
    ),
    Case(
        f"URDF, {LINKS} links without shapes",
        {PINOCCHIO: pinocchio_loads, DRAKE: drake_loads},
        partial(text, "bare.urdf", bare()),
    ),
    Case(f"URDF, {LINKS} links with meshes", GEOMETRY, meshed_urdf, fresh=True),
    Case(f"SDFormat, {LINKS} links", {DRAKE: drake_loads}, partial(text, "robot.sdf", sdf(39 * LINKS))),
    Case(f"SKEL, {LINKS} bodies", {DART: dart_loads}, partial(text, "robot.skel", skel(33 * LINKS))),
)


def shortest(load: Load, path: Path, once: bool = False) -> float:
    """CPU time of a call in microseconds: the shortest of many, or that of a single call."""
    times: list[float] = []
    while not times or (not once and sum(times) < ENOUGH_SECONDS):
        start = time.process_time()
        result = load(path)
        times.append(time.process_time() - start)
        del result
    return min(times) * 1e6


def measure(arguments: argparse.Namespace) -> list[Row]:
    import polybody

    rows = []
    for case in CASES:
        if not selected(arguments, case.model):
            continue
        loads: dict[str, Load] = {"polybody": polybody.load, **case.peers}
        kinds = ("first load", "second load") if case.fresh else ("load",)
        times: dict[tuple[str, str], list[float]] = {(kind, name): [] for kind in kinds for name in loads}
        for seed in range(1 + (3 if arguments.quick else ROUNDS)):
            with tempfile.TemporaryDirectory() as name:
                path = case.write(Path(name), seed)
                for engine, load in loads.items():
                    for kind in kinds:
                        gc.collect()
                        times[kind, engine].append(shortest(load, path, kind == "first load"))
        rows += [  # without the first round, which imports
            compare(kind, "-", case.model, peer, times[kind, "polybody"][1:], times[kind, peer][1:])
            for kind in kinds
            for peer in case.peers
        ]
    return rows


PART = Part("Loading", measure, selects=True)

if __name__ == "__main__":
    main(PART)
