"""Model files by format: those of this repository and of the packages of its tests, and random ones."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import polybody as pb
from polybody.document import registry
from polybody.reading import as_written

from tests.lowering.openrave import random_documents, random_scenes
from tests.oracles import random_mjcf, random_sdf, random_skel, random_urdf, random_x_xy

from . import trees

ROOT = Path(__file__).resolve().parents[2]
SUFFIXES = (".xml", ".urdf", ".sdf", ".skel", ".mjcf", ".world")
FORMATS = ("mjcf", "urdf", "sdf", "skel", "x_xy", "openrave")
ROBOTS = "cmeel.prefix/share/example-robot-data"
SHIPPED: dict[str, tuple[str, ...]] = {
    "mjcf": (
        "gymnasium/envs/mujoco/assets/*.xml", "mujoco/mjx/test_data/*.xml",
        "mujoco/mjx/test_data/tendon/*.xml", "mujoco/mjx/test_data/actuator/*.xml",
    ),
    "urdf": (
        f"{ROBOTS}/robots/*/*.urdf", f"{ROBOTS}/robots/*/*/*.urdf", "pydrake/share/drake/examples/*/*.urdf",
    ),
    "sdf": ("pydrake/share/drake/examples/**/*.sdf",),
    "x_xy": ("ring/io/examples/*.xml",),
}  # fmt: skip
"""Files of installed packages, by format."""
OWN = (
    *(f"examples/**/*.{ending}" for ending in ("xml", "urdf", "sdf", "skel")),
    *("tests/differential/data/**/*.*", "tests/samples/*.*"),
)
"""Files of this repository, of any format."""
MAX_BYTES = 20_000
"""Larger files are not in samples."""


def format_of(path: Path) -> str:
    """The format of a document, judged by its content; "" if it is of none."""
    try:
        document = as_written(path, "lenient")
    except (pb.ValidationError, OSError, UnicodeError):
        return ""
    return "" if document is None else registry.format_of(document).name


def of_folder(place: Path) -> list[Path]:
    """Files that may be documents, small ones first."""
    inside = [place] if place.is_file() else place.rglob("*")
    found = [path for path in inside if path.suffix in SUFFIXES and path.is_file()]
    return sorted(found, key=lambda path: (path.stat().st_size, str(path)))


def shipped(form: str) -> list[Path]:
    """Small files of a format, in a fixed order."""
    installed = Path(np.__file__).parents[1]
    places = [(installed, pattern) for pattern in SHIPPED.get(form, ())]
    places += [(ROOT, pattern) for pattern in OWN]
    found = {path for place, pattern in places for path in place.glob(pattern) if path.suffix in SUFFIXES}
    small = [path for path in found if path.stat().st_size < MAX_BYTES and format_of(path) == form]
    return sorted(small, key=lambda path: (path.name, str(path)))


def packages() -> dict[str, Path]:
    """Folders of the packages that files of installed packages refer to."""
    found = next((Path(place, ROBOTS) for place in sys.path if Path(place, ROBOTS).is_dir()), None)
    return {} if found is None else {"example-robot-data": found}


def written(form: str, folder: Path, seed: int) -> Path:
    """A random document of a format: with an odd seed of alike limbs, otherwise of all its features."""
    suffix = next(s for s in trees.SUFFIXES if s.startswith({"openrave": ".kinbody"}.get(form, f".{form}")))
    path = folder / f"random_{seed}{suffix}"
    if seed % 2:
        path.write_text(trees.document(seed, suffix), encoding="utf-8")
    elif form == "openrave":
        return (random_documents if seed % 4 else random_scenes).write(folder, seed)
    elif form == "x_xy":
        path.write_text(random_x_xy.random_x_xy(np.random.default_rng(seed)), encoding="utf-8")
    else:
        writers = {"mjcf": random_mjcf, "urdf": random_urdf, "sdf": random_sdf, "skel": random_skel}
        path.write_text(writers[form].document(seed), encoding="utf-8")
    return path
