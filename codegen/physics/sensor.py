"""What is common to all sensors."""

# mypy: disable-error-code="no-any-return"
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..staging.machines import Machine
from ..staging.scalars import clip, where
from ..staging.value_classes import Scalar

FRAME, BALL, SHAPES = "frame", "ball", "shapes"
"""Kinds of objects: frames given by a type and a row; ball joints; a geom or all geoms of a body, by type."""


class Sensor:
    """Common to all rows.

    Attributes:
        name: the keyword.
        code: its number.
        dim: the number of its values; 0 if the document or a plugin determines it. A plugin also determines
            data and stage.
        object: the axis of sensor_objid, or FRAME, BALL or SHAPES; "" if none.
        reference: the same for sensor_refid, which is -1 if a FRAME is missing.
        data: the type of its values: "real", "positive", "axis" or "quaternion".
        stage: what they depend on, in MuJoCo's terms: "pos", "vel" or "acc".
        bounds: the types of values that a cutoff limits.
    """

    name: str
    code: int
    dim = 3
    object = ""
    reference = ""
    data = "real"
    stage = "pos"
    bounds: tuple[str, ...] = ("real", "positive")

    @classmethod
    def read(kind, m: Machine, t: Any, z: Any) -> Sequence[Scalar]:
        """The values before applying a cutoff."""
        raise NotImplementedError

    @classmethod
    def measure(kind, m: Machine, t: Any, z: Any) -> None:
        """Stores the values in sensordata."""
        first, cutoff = t.sensor_adr[z], t.sensor_cutoff[z]
        for n, x in enumerate(kind.read(m, t, z)):
            bounded = where(cutoff > 0.0, clip(x, -cutoff, cutoff), x) if kind.data in kind.bounds else x
            t.sensordata[first + n] = bounded
