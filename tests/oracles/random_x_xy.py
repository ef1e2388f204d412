"""Random x_xy files: every feature of the document that affects dynamics, from a seed.

    python -m tests.oracles.random_x_xy FOLDER --count 200 --seed 0 [--joints rx spherical ...] [--bodies 2 5]

Masses, springs and rates are chosen such that motions stay moderate for a second, so that trajectories can be
compared.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from xml.etree import ElementTree

import numpy as np

# joint: (coordinates, velocities), the first four coordinates of these being a quaternion:
QUATERNION = frozenset(("free", "cor", "spherical"))
WIDTHS = {
    "free": (7, 6), "cor": (10, 9), "free_2d": (3, 3), "frozen": (0, 0), "spherical": (4, 3), "p3d": (3, 3),
    "px": (1, 1), "py": (1, 1), "pz": (1, 1), "rx": (1, 1), "ry": (1, 1), "rz": (1, 1),
    "saddle": (2, 2), "rr": (1, 1), "rr_imp": (2, 2), "rsaddle": (2, 2),
}  # fmt: skip
# Joints that imt-ring steps as the document specifies.
STEPPED = ("frozen", "px", "py", "pz", "rx", "ry", "rz", "spherical", "p3d", "rr")
_DIMS = {"box": 3, "sphere": 1, "cylinder": 2, "capsule": 2}
_COLORS = ("red", "black", "dustin_exp_blue", "0.1 0.5 0.9", "0.2 0.2 0.2 0.5")


def _numbers(values: Sequence[float] | np.ndarray, digits: int = 6) -> str:
    return " ".join(f"{float(v):.{digits}g}" for v in values)


def _unit(rng: np.random.Generator) -> str:
    quat = rng.normal(size=4)
    return _numbers(quat / np.linalg.norm(quat), 17)


def random_x_xy(
    rng: np.random.Generator,
    joints: Sequence[str] = STEPPED,
    bodies: tuple[int, int] = (2, 5),
    name: str = "random",
) -> str:
    """Text of a random file with a number of bodies from the inclusive range, joints drawn from the list."""
    root = ElementTree.Element("x_xy", model=name)
    if rng.random() < 0.8:
        direction = rng.normal(size=3)
        gravity = 9.81 * direction / np.linalg.norm(direction) if rng.random() < 0.5 else (0, 0, 9.81)
        ElementTree.SubElement(
            root, "options", gravity=_numbers(gravity), dt=str(rng.choice(["0.01", "0.005", "0.002"]))
        )
    geom_defaults, body_defaults = _defaults(rng)
    if geom_defaults or body_defaults:
        defaults = ElementTree.SubElement(root, "defaults")
        for tag, attributes in (("geom", geom_defaults), ("body", body_defaults)):
            if attributes:
                ElementTree.SubElement(defaults, tag, attributes)
    world = ElementTree.SubElement(root, "worldbody")
    if rng.random() < 0.3:
        _geom(rng, world, geom_defaults)
    placed = [world]
    kinds = [str(j) for j in rng.choice(list(joints), rng.integers(bodies[0], bodies[1] + 1))]
    if all(j == "frozen" for j in kinds) and set(joints) != {"frozen"}:
        kinds[-1] = next(j for j in joints if j != "frozen")
    for i, joint in enumerate(kinds):
        parent = placed[int(rng.integers(max(0, len(placed) - 3), len(placed)))]
        body = ElementTree.SubElement(parent, "body", name=f"body {i}/{joint}", joint=joint)
        _place(rng, body, body_defaults)
        _joint(rng, body, joint)
        for _ in range(int(rng.integers(0 if joint == "frozen" else 1, 3))):
            _geom(rng, body, geom_defaults)
        if rng.random() < 0.15:
            ElementTree.SubElement(body, "geom", type="xyz", dim="0.1")
        if rng.random() < 0.1:
            ElementTree.SubElement(body, "omc", name=f"segment {i}", pos_marker="4", pos="0 0 0.02")
        placed.append(body)
    if geom_defaults.keys() & {"mass", "pos", "euler"}:
        for geom in root.iter("geom"):
            if geom.get("type") == "xyz":  # it has none of these, neither written nor by default
                geom.set("type", "sphere")
                geom.set("mass", geom.get("mass", "0.1"))
    ElementTree.indent(root)
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _defaults(rng: np.random.Generator) -> tuple[dict[str, str], dict[str, str]]:
    geom: dict[str, str] = {}
    body: dict[str, str] = {}
    if rng.random() < 0.4:
        geom["edge_color"] = "black"
    if rng.random() < 0.3:
        geom["mass"] = _numbers([rng.uniform(0.2, 2)])
    if rng.random() < 0.15:
        geom |= {"type": "box", "dim": _numbers(rng.uniform(0.05, 0.5, 3))}
    if rng.random() < 0.2:
        geom["pos"] = _numbers(rng.uniform(-0.2, 0.2, 3))
    if rng.random() < 0.2:
        geom["euler"] = _numbers(rng.uniform(-180, 180, 3))
    if rng.random() < 0.2:
        body["pos"] = _numbers(rng.uniform(-0.5, 0.5, 3))
    if rng.random() < 0.2:
        body["quat"] = _unit(rng)
    return geom, body


def _place(
    rng: np.random.Generator, element: ElementTree.Element, defaults: dict[str, str], reach: float = 0.5
) -> None:
    if rng.random() < 0.8:
        element.set("pos", _numbers(rng.uniform(-reach, reach, 3)))
    turned = rng.random()
    if turned < 0.4 and "quat" not in defaults:
        element.set("euler", _numbers(rng.uniform(-180, 180, 3)))
    elif 0.4 <= turned < 0.8 and "euler" not in defaults:
        element.set("quat", _unit(rng))


def _joint(rng: np.random.Generator, body: ElementTree.Element, joint: str) -> None:
    nq, nv = WIDTHS[joint]
    if not nv:
        return
    # A centre of rotation has three redundant translations: armature makes its accelerations well determined.
    if rng.random() < 0.4 or joint == "cor":
        body.set("armature", _numbers(rng.uniform(0.01, 0.3, nv)))
    if rng.random() < 0.6:
        body.set("damping", _numbers(rng.uniform(0, 1, nv)))
    if rng.random() < 0.4:
        body.set("spring_stiff", _numbers(rng.uniform(0, 3, nv)))
        if rng.random() < 0.7:
            if joint in QUATERNION:
                body.set(
                    "spring_zero", " ".join([_unit(rng), _numbers(rng.uniform(-0.5, 0.5, nq - 4))]).strip()
                )
            else:
                body.set("spring_zero", _numbers(rng.uniform(-0.5, 0.5, nq)))


def _geom(rng: np.random.Generator, parent: ElementTree.Element, defaults: dict[str, str]) -> None:
    geom = ElementTree.SubElement(parent, "geom")
    if "type" not in defaults or rng.random() < 0.5:
        kind = str(rng.choice(list(_DIMS)))
        geom.attrib.update(type=kind, dim=_numbers(rng.uniform(0.05, 0.5, _DIMS[kind])))
    if "mass" not in defaults or rng.random() < 0.5:
        geom.set("mass", _numbers([rng.uniform(0.3, 3)]))
    _place(rng, geom, defaults, reach=0.3)
    if rng.random() < 0.4:
        geom.set("color", str(rng.choice(_COLORS)))


def write_folder(
    folder: Path, *, count: int, seed: int, joints: Sequence[str] = STEPPED, bodies: tuple[int, int] = (2, 5)
) -> list[Path]:
    """`count` files named random_0000.xml and so on; file k depends on seed and k only."""
    folder.mkdir(parents=True, exist_ok=True)
    paths = []
    for k in range(count):
        path = folder / f"random_{k:04d}.xml"
        path.write_text(random_x_xy(np.random.default_rng([seed, k]), joints, bodies, name=path.stem))
        paths.append(path)
    return paths


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m tests.oracles.random_x_xy", description="Write random x_xy files."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--joints", nargs="+", default=STEPPED, choices=sorted(WIDTHS))
    parser.add_argument("--bodies", nargs=2, type=int, default=(2, 5), metavar=("MIN", "MAX"))
    args = parser.parse_args()
    write_folder(args.folder, count=args.count, seed=args.seed, joints=args.joints, bodies=tuple(args.bodies))
    print(f"{args.count} files in {args.folder}")


if __name__ == "__main__":
    main()
