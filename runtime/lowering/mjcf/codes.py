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
from polybody.generated.model import SENSORS as MEASURED
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


FRAMED = "framed"
"""Attached to a body, geom, site or camera given by `objtype` and `objname`."""
APART = "apart"
"""Between two geoms or bodies."""
_OBJECTS = {"jnt": "joint", "ball": "joint", "frame": FRAMED, "shapes": APART, "": None}
"""Kinds of objects of sensors, if they have another name than the axis of the object."""
SENSORS: dict[str, SensorKind] = {
    kind.name: SensorKind(
        kind,
        _OBJECTS.get(row.object, row.object),
        SensorData(row.data) if row.data else None,
        row.dim or None,
        SensorStage(row.stage) if row.stage else None,
    )
    for kind, row in MEASURED.items()
}
SENSORS["user"] = SensorKind(SensorType.user, None, None, None, None)
"""The kinds of sensors by their tags."""
