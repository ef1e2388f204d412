"""MuJoCo's codes for the document's keywords."""

from __future__ import annotations

from enum import Enum, IntEnum, StrEnum
from typing import NamedTuple

from polybody.generated import model
from polybody.generated.formats import mjcf
from polybody.generated.formats.mjcf import SensorData, SensorStage
from polybody.generated.model import SENSORS as MEASURED
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
_DATED = {id(word) for word, _ in (mjcf.FORMAT.whole or mjcf.FORMAT).keywords}
"""Keywords that only some releases have; the Model need not have them."""
_CODES = {
    id(word): int(codes[name])
    for words, codes in _NAMESAKES.items()
    for word in words
    if (name := _OTHERWISE.get(word.value, word.value)) in codes.__members__ or id(word) not in _DATED
}


LATER = frozenset(map(id, mjcf.FlexEqualityKind))
"""Keywords of other enumerations that have no meaning for Models yet."""


NEEDS = {"compiler/@conflict": "model"}
"""Attributes that are not simulated yet and act only in documents with another element."""


def lacks(word: Enum) -> bool:
    """Whether a keyword has no meaning for Models yet."""
    return id(word) in LATER or (type(word) in _NAMESAKES and id(word) not in _CODES)


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
    if kind not in (TransmissionType.undefined, TransmissionType.so3)
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
SENSORS["tactile"] = SensorKind(SensorType.tactile, "mesh", SensorData.REAL, None, SensorStage.ACC)
SENSORS["user"] = SensorKind(SensorType.user, None, None, None, None)
"""The kinds of sensors by their tags."""
