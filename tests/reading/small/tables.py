"""Its tables: every kind of value and every kind of rule once."""

from __future__ import annotations

from polybody.base import (
    UNBOUNDED,
    Ascending,
    Attribute,
    Child,
    Defaults,
    Differ,
    Element,
    Exclusive,
    Format,
    Ignored,
    Kind,
    Length,
    OneOf,
    Required,
    Requires,
    Text,
    Together,
    UnitQuaternion,
    Value,
    When,
)

from .documents import Box, Item, Note, Pose, Shade, Small, Usual

REAL = Value(Kind.REAL)
STRING = Value(Kind.STRING)
ITEM_ATTRIBUTES = (
    Attribute("name", "name", (Value(Kind.STRING, pattern=r"[a-z]+\d*"),), declares="item"),
    Attribute("class", "class_", (Value(Kind.STRING, nonempty=True),), aliases=("kind",)),
    Attribute("of", "of", (Value(Kind.STRING, 1, UNBOUNDED, scalar=False),), refers=("item",)),
    Attribute("count", "count", (Value(Kind.INT, minimum=0, maximum=10),)),
    Attribute("whole", "whole", (Value(Kind.INT, 2, 3, scalar=False),)),
    Attribute("flag", "flag", (Value(Kind.BOOL),)),
    Attribute("flags", "flags", (Value(Kind.BOOL, 1, 3, scalar=False),)),
    Attribute("shade", "shade", (Value(Kind.ENUM, enum=Shade),), default=Shade.LIGHT),
    Attribute("shades", "shades", (Value(Kind.ENUM, 1, UNBOUNDED, scalar=False, enum=Shade),)),
    Attribute("any", "any", (Value(Kind.REAL, 0, UNBOUNDED, scalar=False, finite=False), STRING)),
    Attribute("low", "low", (REAL,)),
    Attribute("high", "high", (REAL,)),
    Attribute("turn", "turn", (Value(Kind.REAL, 4, 5, scalar=False),)),
    Attribute("a", "a", (STRING,)),
    Attribute("b", "b", (STRING,)),
    Attribute("c", "c", (STRING,)),
)
SMALL = Element(
    "small",
    "small",
    Small,
    children=(
        Child("usual", "small/usual", "usual"),
        Child("box", "small/box", "box", low=1, high=UNBOUNDED),
    ),
)
USUAL = Element("small/usual", "usual", Usual, attributes=ITEM_ATTRIBUTES, rules=(Exclusive(("a", "b")),))
BOX = Element(
    "small/box",
    "box",
    Box,
    attributes=(Attribute("name", "name", (STRING,), required=True),),
    children=(
        Child("item", "small/box/item", "item", high=3),
        Child("box", "small/box", "box", high=UNBOUNDED),
        Child("note", "small/box/note", "note", high=UNBOUNDED),
    ),
    ordered=True,
)
ITEM = Element(
    "small/box/item",
    "item",
    Item,
    attributes=ITEM_ATTRIBUTES,
    children=(Child("pose", "small/box/item/pose", "pose"),),
    rules=(
        Exclusive(("a", "b")),
        Together(("low", "high")),
        OneOf(("a", "b", "c", "class")),
        Requires("flags", ("flag",)),
        Required("count", unless=When("shade", (Shade.LIGHT,))),
        Length("whole", "shade", {Shade.LIGHT: (2, 2), Shade.DARK: (2, 3)}),
        Ascending("low", "high"),
        Differ("a", "c"),
        UnitQuaternion("turn", 1e-6, start=1, normalised=False, when=When("shade", (Shade.DARK,))),
        Ignored(("flag", "flags"), When("shade", (Shade.DARK,))),
    ),
)
POSE = Element(
    "small/box/item/pose",
    "pose",
    Pose,
    attributes=(Attribute("frame", "frame", (STRING,)),),
    text=Text((Value(Kind.REAL, 6, 6, scalar=False, minimum=-100.0),)),
)
NOTE = Element("small/box/note", "note", Note, text=Text((STRING,), required=False))

FORMAT = Format(
    name="small",
    version="1",
    root="small",
    elements={row.key: row for row in (SMALL, USUAL, BOX, ITEM, POSE, NOTE)},
    defaults=(Defaults("small/usual", "small/box/item"),),
    namespaces=("item",),
    enums={"Shade": Shade},
)
