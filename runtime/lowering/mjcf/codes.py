"""MuJoCo's codes for the document's keywords."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from polybody.generated.formats.mjcf import (
    BiasType,
    Cone,
    DynamicsType,
    GainType,
    GeomType,
    Integrator,
    Jacobian,
    JointType,
    LengthRangeMode,
    SelfCollide,
    SensorData,
    SensorStage,
    SiteType,
    Solver,
    TextureType,
    TrackingMode,
)
from polybody.generated.model import SensorType

_NUMBERED: tuple[type[StrEnum], ...] = (
    *(JointType, GeomType, Integrator, Cone, Jacobian, Solver, DynamicsType, GainType, BiasType),
    *(TrackingMode, TextureType, SensorData, LengthRangeMode, SelfCollide),
)
_CODES = {id(member): code for words in _NUMBERED for code, member in enumerate(words)}
_CODES |= {id(member): _CODES[id(GeomType(member.value))] for member in SiteType}
_CODES |= {
    id(member): code
    for member, code in {
        SensorStage.NONE: 0, SensorStage.POS: 1, SensorStage.VEL: 2, SensorStage.ACC: 3
    }.items()
}  # fmt: skip


def code(word: StrEnum) -> int:
    """MuJoCo's number for a keyword. Equal keywords of different enumerations have different numbers."""
    return _CODES[id(word)]


OBJECTS = {
    name: code
    for code, name in enumerate(
        (
            *("body", "xbody", "joint", "dof", "geom", "site", "camera", "light", "flex", "mesh", "skin"),
            *("hfield", "texture", "material", "pair", "exclude", "equality", "tendon", "actuator"),
            *("sensor", "numeric", "text", "tuple", "key", "plugin"),
        ),
        1,
    )
}
"""Kinds of objects."""
UNKNOWN = 0
EQUALITIES = {"connect": 0, "weld": 1, "joint": 2, "tendon": 3, "flex": 4}
WRAPS = {"joint": 1, "pulley": 2, "site": 3, "sphere": 4, "cylinder": 5}
TRANSMISSIONS = {"joint": 0, "jointinparent": 1, "cranksite": 2, "tendon": 3, "site": 4, "body": 5}
TEXTURE_ROLES = 10
DISABLE = (
    *("constraint", "equality", "frictionloss", "limit", "contact", "passive", "gravity", "clampctrl"),
    *("warmstart", "filterparent", "actuation", "refsafe", "sensor", "midphase", "eulerdamp", "autoreset"),
)
"""Flags that are on by default, in the order of the bits that disable them."""
ENABLE = ("override", "energy", "fwdinv", "invdiscrete", "multiccd", "island", "nativeccd")
"""Flags that are off by default, in the order of the bits that enable them."""


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
