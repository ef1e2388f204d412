"""Which quantities the sensors of a Model depend on, for the steps, and the images of cameras."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from polybody.generated.model import Integrator, ObjectType, SensorType
from polybody.model.flags import DISABLE

Columns = Mapping[str, NDArray[Any]]
STAGES: Mapping[str, tuple[str, ...]] = {
    "frames": (
        *("magnetometer", "camprojection", "framepos", "framexaxis", "frameyaxis", "framezaxis"),
        *("framelinvel", "frameangvel", "framelinacc", "frameangacc", "subtreelinvel", "subtreeangmom"),
    ),
    "poses": ("framequat",),
    "centres": ("subtreecom", "subtreeangmom"),
    "cameras": ("camprojection",),
    "velocities": ("velocimeter", "framelinvel"),
    "momenta": ("subtreelinvel", "subtreeangmom"),
    "forces": ("force", "torque"),
    "geoms": ("rangefinder", "distance", "normal", "fromto"),
}
"""The sensors that depend on each stage."""
AFTER: Mapping[str, tuple[str, ...]] = {
    "momenta": ("velocities",),
    "geoms": ("poses",),
    "cameras": ("centres",),
    "centres": ("poses",),
}
"""The stages on which a stage depends."""
ACCELERATIONS = ("accelerometer", "framelinacc", "frameangacc", "force", "torque")
"""Sensors that depend on accelerations."""


def columns(known: Columns) -> dict[str, NDArray[Any]]:
    """opt_late, opt_measures and its stages."""
    found = set(known["sensor_type"].tolist())
    if int(known["opt_disableflags"]) & DISABLE["sensor"]:
        found = set()
    needed = {stage for stage, names in STAGES.items() if found & _codes(names)}
    kinds = np.concatenate([known["sensor_objtype"], known["sensor_reftype"]])
    if found and ObjectType.CAMERA in kinds:
        needed.add("cameras")
    for stage, before in AFTER.items():
        if stage in needed:
            needed |= set(before)
    late = _late(known)
    own = late if known["opt_integrator"] != Integrator.RK4 else 0
    first = bool(found & _codes(ACCELERATIONS)) * own
    flags = {f"opt_measures_{stage}": np.array(stage in needed, np.uint8) for stage in STAGES}
    flags["opt_late"] = np.array(late == 1, np.uint8)
    return {"opt_measures": np.array(bool(found) + first, np.int32), **flags}


def _late(known: Columns) -> int:
    """What a step of one stage adds to the mass matrix: 0 nothing, 1 a diagonal, 2 a matrix."""
    integrator, slopes = known["opt_integrator"], int(known["opt_slopes"])
    if integrator == Integrator.implicit or (integrator == Integrator.implicitfast and slopes == 2):
        return 2
    if integrator == Integrator.implicitfast:
        return int(slopes == 1 or bool(known["opt_passive_acts"] and (known["dof_damping"] != 0).any()))
    damped = bool(known["opt_implicit_damping"]) and bool((known["dof_damping"] > 0).any())
    sprung = bool(known["opt_implicit_stiffness"]) and bool((known["dof_stiffness"] > 0).any())
    return int(damped or sprung)


@cache
def _codes(names: tuple[str, ...]) -> frozenset[int]:
    return frozenset(int(SensorType[name]) for name in names)


def pictures(known: Columns) -> dict[str, NDArray[np.float64]]:
    """Focal lengths and centre of the image of each camera, in pixels.

    Sizes of sensors are 32-bit numbers and divided as such. With a field of view of 0, the lengths are 0.
    """
    pixels, size = known["cam_resolution"], known["cam_sensorsize"]
    sized = (size != 0).all(axis=1)
    slope = np.tan(known["cam_fovy"] * np.pi / 360)
    focal = np.where(slope == 0, 0.0, 0.5 / np.where(slope == 0, 1.0, slope) * pixels[:, 1])
    both = np.repeat(focal[:, None], 2, axis=1)
    lengths = known["cam_intrinsic"][sized, :2] / size[sized] * pixels[sized].astype(np.float32)
    both[sized] = lengths
    return {"cam_focal": both, "cam_centre": pixels / 2.0}
