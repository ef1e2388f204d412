"""The classes of a format for tests."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from typing import ClassVar

from polybody.base import Node


class Shade(Enum):
    LIGHT = "light"
    DARK = "dark"


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Pose(Node):
    TAG: ClassVar[str] = "pose"
    FIELDS: ClassVar[tuple[str, ...]] = ("frame", "text")
    frame: str | None = None
    text: tuple[float, ...] | None = None


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Item(Node):
    TAG: ClassVar[str] = "item"
    FIELDS: ClassVar[tuple[str, ...]] = (
        "name", "class_", "of", "count", "whole", "flag", "flags", "shade", "shades", "any", "low", "high",
        "turn", "a", "b", "c",
    )  # fmt: skip
    name: str | None = None
    class_: str | None = None
    of: tuple[str, ...] | None = None
    count: int | None = None
    whole: tuple[int, ...] | None = None
    flag: bool | None = None
    flags: tuple[bool, ...] | None = None
    shade: Shade | None = None
    shades: tuple[Shade, ...] | None = None
    any: tuple[float, ...] | str | None = None
    low: float | None = None
    high: float | None = None
    turn: tuple[float, ...] | None = None
    a: str | None = None
    b: str | None = None
    c: str | None = None
    pose: Pose | None = None
    CHILDREN: ClassVar[dict[str, tuple[str, bool]]] = {"pose": ("pose", False)}


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Note(Node):
    TAG: ClassVar[str] = "note"
    FIELDS: ClassVar[tuple[str, ...]] = ("text",)
    text: str | None = None


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Box(Node):
    TAG: ClassVar[str] = "box"
    FIELDS: ClassVar[tuple[str, ...]] = ("name",)
    ORDERED: ClassVar[bool] = True
    name: str | None = None
    item: list[Item] = field(default_factory=list)
    box: list[Box] = field(default_factory=list)
    note: list[Note] = field(default_factory=list)
    CHILDREN: ClassVar[dict[str, tuple[str, bool]]] = {
        "item": ("item", True),
        "box": ("box", True),
        "note": ("note", True),
    }


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Usual(Node):
    TAG: ClassVar[str] = "usual"
    FIELDS: ClassVar[tuple[str, ...]] = Item.FIELDS
    name: str | None = None
    class_: str | None = None
    of: tuple[str, ...] | None = None
    count: int | None = None
    whole: tuple[int, ...] | None = None
    flag: bool | None = None
    flags: tuple[bool, ...] | None = None
    shade: Shade | None = None
    shades: tuple[Shade, ...] | None = None
    any: tuple[float, ...] | str | None = None
    low: float | None = None
    high: float | None = None
    turn: tuple[float, ...] | None = None
    a: str | None = None
    b: str | None = None
    c: str | None = None


@dataclass(slots=True, kw_only=True, eq=False, repr=False)
class Small(Node):
    TAG: ClassVar[str] = "small"
    usual: Usual | None = None
    box: list[Box] = field(default_factory=list)
    CHILDREN: ClassVar[dict[str, tuple[str, bool]]] = {"usual": ("usual", False), "box": ("box", True)}
