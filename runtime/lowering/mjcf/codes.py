"""MuJoCo's codes for the document's keywords."""

from __future__ import annotations

from enum import IntEnum, StrEnum
from typing import NamedTuple

from polybody.generated import model
from polybody.generated.formats import mjcf
from polybody.generated.formats.mjcf import SensorData, SensorStage
from polybody.generated.model import EqualityType, ObjectType, SensorType, TransmissionType, WrapType

_NAMESAKES: dict[type[StrEnum], type[IntEnum]] = {
    mjcf.GeomType: model.ShapeType,
    mjcf.SiteType: model.ShapeType,
    mjcf.TrackingMode: model.Mode,
    mjcf.SensorData: model.DataType,
    mjcf.SensorStage: model.Stage,
    **{
        getattr(mjcf, name): getattr(model, name)
        for name in (
            *("JointType", "Integrator", "Cone", "Jacobian", "Solver", "DynamicsType", "GainType"),
            *("BiasType", "TextureType", "SelfCollide"),
        )
    },
}
"""Enumerations of the Model with the same keywords."""
_OTHERWISE = {"2d": "flat"}
"""Keywords that have another name in the Model."""
_CODES = {
    id(word): int(codes[_OTHERWISE.get(word.value, word.value)])
    for words, codes in _NAMESAKES.items()
    for word in words
}


def code(word: StrEnum) -> int:
    """MuJoCo's number for a keyword. Equal keywords of different enumerations have different numbers."""
    return _CODES[id(word)]


OBJECTS = {kind.name.lower(): int(kind) for kind in ObjectType if kind is not ObjectType.UNKNOWN}
"""Kinds of objects."""
UNKNOWN = int(ObjectType.UNKNOWN)
EQUALITIES = {
    kind.name: int(kind) for kind in EqualityType if kind not in (EqualityType.distance, EqualityType.formula)
}
"""Equalities that MuJoCo simulates."""
WRAPS = {kind.name: int(kind) for kind in WrapType if kind is not WrapType.none}
TRANSMISSIONS = {
    "cranksite" if kind is TransmissionType.slidercrank else kind.name: int(kind)
    for kind in TransmissionType
    if kind is not TransmissionType.undefined
}
"""Transmissions by the attributes that choose them."""
TEXTURE_ROLES = 10


class SensorKind(NamedTuple):
    """A kind of sensor: the kind of object that it is attached to, the attribute for it, and its output.

    ``dim``, ``data`` and ``stage`` are None if the document specifies them.
    """

    code: int
    object: str | None
    data: SensorData | None
    dim: int | None
    stage: SensorStage | None


_REAL, _POSITIVE = SensorData.REAL, SensorData.POSITIVE
_AXIS, _QUATERNION = SensorData.AXIS, SensorData.QUATERNION
_POS, _VEL, _ACC = SensorStage.POS, SensorStage.VEL, SensorStage.ACC
FRAMED = "framed"
"""Attached to a body, geom, site or camera given by `objtype` and `objname`."""
APART = "apart"
"""Between two geoms or bodies."""
SENSORS: dict[str, SensorKind] = {
    tag: SensorKind(SensorType[tag], *row)
    for tag, row in {
        "touch": ("site", _POSITIVE, 1, _ACC),
        "accelerometer": ("site", _REAL, 3, _ACC),
        "velocimeter": ("site", _REAL, 3, _VEL),
        "gyro": ("site", _REAL, 3, _VEL),
        "force": ("site", _REAL, 3, _ACC),
        "torque": ("site", _REAL, 3, _ACC),
        "magnetometer": ("site", _REAL, 3, _POS),
        "rangefinder": ("site", _POSITIVE, 1, _POS),
        "camprojection": ("site", _REAL, 2, _POS),
        "jointpos": ("joint", _REAL, 1, _POS),
        "jointvel": ("joint", _REAL, 1, _VEL),
        "tendonpos": ("tendon", _REAL, 1, _POS),
        "tendonvel": ("tendon", _REAL, 1, _VEL),
        "actuatorpos": ("actuator", _REAL, 1, _POS),
        "actuatorvel": ("actuator", _REAL, 1, _VEL),
        "actuatorfrc": ("actuator", _REAL, 1, _ACC),
        "jointactuatorfrc": ("joint", _REAL, 1, _ACC),
        "ballquat": ("joint", _QUATERNION, 4, _POS),
        "ballangvel": ("joint", _REAL, 3, _VEL),
        "jointlimitpos": ("joint", _REAL, 1, _POS),
        "jointlimitvel": ("joint", _REAL, 1, _VEL),
        "jointlimitfrc": ("joint", _REAL, 1, _ACC),
        "tendonlimitpos": ("tendon", _REAL, 1, _POS),
        "tendonlimitvel": ("tendon", _REAL, 1, _VEL),
        "tendonlimitfrc": ("tendon", _REAL, 1, _ACC),
        "framepos": (FRAMED, _REAL, 3, _POS),
        "framequat": (FRAMED, _QUATERNION, 4, _POS),
        "framexaxis": (FRAMED, _AXIS, 3, _POS),
        "frameyaxis": (FRAMED, _AXIS, 3, _POS),
        "framezaxis": (FRAMED, _AXIS, 3, _POS),
        "framelinvel": (FRAMED, _REAL, 3, _VEL),
        "frameangvel": (FRAMED, _REAL, 3, _VEL),
        "framelinacc": (FRAMED, _REAL, 3, _ACC),
        "frameangacc": (FRAMED, _REAL, 3, _ACC),
        "subtreecom": ("body", _REAL, 3, _POS),
        "subtreelinvel": ("body", _REAL, 3, _VEL),
        "subtreeangmom": ("body", _REAL, 3, _VEL),
        "distance": (APART, _POSITIVE, 1, _POS),
        "normal": (APART, _AXIS, 3, _POS),
        "fromto": (APART, _REAL, 6, _POS),
        "clock": (None, _REAL, 1, _POS),
        "plugin": (None, None, None, None),
        "user": (None, None, None, None),
    }.items()
}
"""The kinds of sensors by their tags."""
