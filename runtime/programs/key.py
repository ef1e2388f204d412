"""The key of a program. Equal keys mean equal programs, at any time and in any process of this machine.

It is computed without codegen, so that with a warm cache the first step is taken at once.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cache
from hashlib import blake2b
from importlib.util import find_spec
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.kernels import interface
from polybody.generated.kernels.interface import ABI, Request
from polybody.generated.kernels.layout import COUNTED, DATA, GIVEN, VALUES
from polybody.programs.target import Target

SEEN = frozenset(("geom", "cam", "light", "sensor", "sensordata"))
"""Axes whose rows affect no motion, except geoms that tendons wrap around or that the medium acts on."""
BY_GEOMS = 2
"""Value of body_fluid for bodies whose geoms the medium acts on."""
LAYOUT = repr((ABI, DATA, VALUES)).encode()
SIZE = 16
"""Length of each half of a key in bytes."""
GENERATOR = (
    "passes/*.py",
    "physics/*.py",
    "specialised/*.py",
    "staging/*.py",
    "render.py",
    "templates/*.jinja",
)
"""The files of codegen that determine a program's text."""


def columns(model: Any, request: Request) -> dict[str, NDArray[Any]]:
    """What determines a program of a Model: the columns that the kernels read, and sizes without a column.

    Cameras, lights, sensors and geoms that nothing depends on are included only if a step computes more than
    the state. Names and the initial state are never included, so Models that differ only in those share a
    program.
    """
    arrays = model.kernel.arrays
    axes = {name: axis for name, axis, *_ in GIVEN}
    axes |= {name: axis for axis, name in COUNTED if name not in axes}
    found = {name: arrays[name] if name in arrays else model.columns[name] for name in axes}
    if request.results:
        return found
    shaped = (found["wrap_geom"] >= 0).any() or (found["body_fluid"] == BY_GEOMS).any()
    shaped = shaped or found["opt_constrained"].any()
    unseen = SEEN - {"geom"} if shaped else SEEN
    if not shaped:
        found |= {"body_geomadr": np.full_like(found["body_geomadr"], -1)}
        found |= {"body_geomnum": np.zeros_like(found["body_geomnum"])}
    return {
        name: array if axes[name] not in unseen else array[:0] if array.ndim else np.zeros_like(array)
        for name, array in found.items()
    }


def program_key(
    columns: Mapping[str, NDArray[Any]],
    request: Request,
    target: Target,
    constraints: str = "",
    unread: Mapping[str, frozenset[int]] = MappingProxyType({}),
) -> str:
    """The key of what is computed, and for which processor: the canonical columns, the request, the
    generator, the text of the constraints, and what that does not read.
    """
    asked = (request, target.processor, target.features)
    parts = [repr(asked).encode(), LAYOUT, generator(), constraints.encode()]
    parts += [f"{name} {sorted(places)}".encode() for name, places in sorted(unread.items())]
    arrays = [(name, columns[name]) for name in sorted(columns)]
    parts.append(repr([(name, array.dtype.str, array.shape) for name, array in arrays]).encode())
    parts += [array.tobytes() for _, array in arrays]
    return digest(parts)


def build_key(target: Target) -> str:
    """The key of how it is compiled: the compiler, its version, the flags; "" if there is no compiler."""
    if target.compiler is None:
        return ""
    words = (*target.compiler.command, target.compiler.identity, *target.flags, *target.linking)
    return digest(word.encode() for word in words)


def digest(parts: Iterable[bytes]) -> str:
    """A hash that includes the length of every part, so that different lists have different hashes."""
    state = blake2b(digest_size=SIZE)
    for part in parts:
        state.update(len(part).to_bytes(8, "little"))
        state.update(part)
    return state.hexdigest()


def header_folders() -> tuple[Path, ...]:
    """The folders of the headers that texts include: those written by hand, and the generated contract."""
    return Path(__file__).parent.parent / "native", Path(interface.__file__).parent


@cache
def generator() -> bytes:
    """The version of the code generator and of the files that texts include, computed from their sources."""
    spec = find_spec("polybody.codegen")  # locates it without importing it
    if spec is None or spec.origin is None:
        return b""
    home = Path(spec.origin).parent
    files = sorted(path for pattern in GENERATOR for path in home.glob(pattern) if path.is_file())
    files += sorted(path for folder in header_folders() for path in folder.rglob("*.h"))
    return digest(part for path in files for part in (path.name.encode(), path.read_bytes())).encode()
