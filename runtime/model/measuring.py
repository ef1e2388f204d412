"""Which quantities the sensors of a Model depend on, for the steps, and the images of cameras."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import TABLES, Integrator
from polybody.model.flags import DISABLE
from polybody.model.inertias import damped_by

Columns = Mapping[str, NDArray[Any]]
FLAG = "opt_measures_"
STAGES = tuple(
    column.name.removeprefix(FLAG)
    for table in TABLES
    for column in table.columns
    if column.name.startswith(FLAG)
)
"""The stages that a step computes only for sensors; on which of them each sensor depends is generated."""


def needed(types: Iterable[int], objects: Iterable[int]) -> set[str]:
    """The stages on which sensors of these types, attached or relative to these kinds of objects, depend."""
    from polybody.generated.kernels import layout

    found = {stage for code in types for stage in layout.SENSOR_STAGES.get(code, ())}
    found |= {stage for code in objects for stage in layout.FRAME_STAGES.get(code, ())}
    return found.union(*(layout.STAGES_BEFORE.get(stage, ()) for stage in found))


def columns(known: Columns) -> dict[str, NDArray[Any]]:
    """opt_late, opt_measures and its stages."""
    types = set(known["sensor_type"].tolist())
    if int(known["opt_disableflags"]) & DISABLE["sensor"]:
        types = set()
    objects = {*known["sensor_objtype"].tolist(), *known["sensor_reftype"].tolist()} if types else set()
    stages = needed(types, objects)
    late = _late(known)
    own = late if known["opt_integrator"] != Integrator.RK4 else 0
    first = ("accelerations" in stages) * own
    flags = {f"opt_measures_{stage}": np.array(stage in stages, np.uint8) for stage in STAGES}
    flags["opt_late"] = np.array(own, np.int32)
    return {"opt_measures": np.array(bool(types) + first, np.int32), **flags}


def _late(known: Columns) -> int:
    """What a step of one stage adds to the mass matrix: 0 nothing, 1 a diagonal, 2 a matrix."""
    integrator, slopes = known["opt_integrator"], int(known["opt_slopes"])
    if integrator == Integrator.implicit or (integrator == Integrator.implicitfast and slopes == 2):
        return 2
    bent = bool(known["opt_dampers_act"]) and (known["dof_dampingpoly"].any() or damped_by(known)[0].any())
    if integrator == Integrator.implicitfast:
        damped = bool((known["dof_damping"] != 0).any()) or bent
        return int(slopes == 1 or bool(known["opt_dampers_act"] and damped))
    damped = bool(known["opt_implicit_damping"]) and (bool((known["dof_damping"] > 0).any()) or bent)
    sprung = bool(known["opt_implicit_stiffness"]) and bool((known["dof_stiffness"] > 0).any())
    return int(damped or sprung)


def pictures(known: Columns) -> dict[str, NDArray[np.float64]]:
    """Focal lengths and centre of the image of each camera, in pixels, and the rays of its pixels.

    Sizes of sensors are 32-bit numbers and divided as such. With a field of view of 0, the lengths are 0.
    """
    pixels, size = known["cam_resolution"], known["cam_sensorsize"]
    sized = (size != 0).all(axis=1)
    slope = np.tan(known["cam_fovy"] * np.pi / 360)
    focal = np.where(slope == 0, 0.0, 0.5 / np.where(slope == 0, 1.0, slope) * pixels[:, 1])
    both = np.repeat(focal[:, None], 2, axis=1)
    lengths = known["cam_intrinsic"][sized, :2] / size[sized] * pixels[sized].astype(np.float32)
    both[sized] = lengths
    lens = np.hstack([np.zeros_like(both), pixels / 2.0, np.full((len(pixels), 1), -1.0)])
    lens[:, :2] = np.where(both == 0, 0.0, 1 / np.where(both == 0, 1.0, both))
    lens[sized, 2:4] = known["cam_intrinsic"][sized, 2:] / size[sized] * pixels[sized].astype(np.float32)
    flat = known["cam_orthographic"] != 0
    half = pixels[flat] / 2.0
    lens[flat] = np.hstack([1 / np.maximum(half, 0.5), half, known["cam_fovy"][flat, None] / 2])
    return {"cam_focal": both, "cam_centre": pixels / 2.0, "cam_lens": lens}
