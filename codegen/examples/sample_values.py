"""The values in examples: samples from the schema, defaults, or plain values of their type."""

from __future__ import annotations

from ..schema.model import Attribute, Element, Member, Schema
from ..schema.shapes import Quantity
from ..schema.types import Form, Kind
from .sample_document import Node

PLAIN = {
    "m": "0.1",
    "rad": "0.5",
    "deg": "0.5",
    "s": "0.1",
    "kg m^2": "0.01",
    "N": "10",
    "N/m": "100",
    "N m/rad": "100",
    "N s/m": "0.1",
    "N m s/rad": "0.1",
    "kg/m^3": "1000",
}
"""A typical number in a unit; 1 in others."""
ROTATIONS = {"wxyz": "1 0 0 0", "xyzw": "0 0 0 1", "matrix": "1 0 0 0 1 0 0 0 1", "axis-angle": "0 0 1 0.5"}
FILES = {
    "mesh": "part.obj",
    "image": "wood.png",
    "heightfield": "hills.png",
    "skin": "cloth.skn",
    "folder": "assets",
    "any": "data.bin",
    "model": "part.xml",
}
"""A file name by the kind of file."""


def samples(attribute: Attribute) -> list[str]:
    """The values that the schema lists for examples, in order."""
    return (
        [value.strip() for value in attribute.meaning.sample.split(";")] if attribute.meaning.sample else []
    )


def plain(schema: Schema, element: Element, node: Node, attribute: Attribute) -> str:
    """A value for an attribute that has no sample and neither declares nor refers to a name."""
    meaning, form = attribute.meaning, attribute.forms[0]
    if form.fixed is not None:
        return form.fixed
    if meaning.file:
        return FILES[meaning.file]
    for value in filter(None, (rule.sample(attribute.name) for rule in element.rules)):
        if _takes(form, len(value.split())):
            return value
    default = attribute.default
    if default and default.strip() and not attribute.default_varies and "INF" not in default.upper():
        return default
    turn = ROTATIONS.get(meaning.rotation.partition(" ")[2])
    if turn is not None and _takes(form, len(turn.split())):
        return turn
    number = _word(schema, form, attribute)
    return " ".join([number] * _many(schema, element, node, attribute))


def _takes(form: Form, count: int) -> bool:
    return not form.scalar and form.low <= count and (form.high < 0 or count <= form.high)


def _many(schema: Schema, element: Element, node: Node, attribute: Attribute) -> int:
    """The number of numbers or words of a value."""
    form = attribute.forms[0]
    if form.scalar:
        return 1
    shape = attribute.meaning.shape
    if shape.quantity is not None and not shape.quantity.of_parent:
        return counted(schema, element, node, shape.quantity)
    if shape.factor > 1:
        return shape.factor
    return form.low or (min(3, form.high) if form.high > 0 else 3)


def counted(schema: Schema, element: Element, node: Node, quantity: Quantity) -> int:
    """The number of values required by the keyword of an attribute."""
    attribute = next(value for value in element.attributes if value.name == quantity.by)
    word = node.attributes.get(quantity.by, attribute.default)
    member = schema.enum(attribute.enum).member(word or "")
    return 1 if member is None else quantity.count(member.quantities)


def keywords(schema: Schema, attribute: Attribute) -> list[str]:
    """The keywords of an attribute, the simplest first."""
    members = schema.enum(attribute.enum).members if attribute.enum else ()
    return [member.value for member in sorted(members, key=_oddity)]


def _oddity(member: Member) -> int:
    return bool(member.deprecated)


def _word(schema: Schema, form: Form, attribute: Attribute) -> str:
    if form.kind is Kind.ENUM:
        return keywords(schema, attribute)[0]
    if form.kind is Kind.BOOL:
        return "true"
    if form.kind is Kind.STRING:
        return attribute.name if attribute.name != "text" else "example"
    if form.numbers:
        return f"{form.numbers[0]:g}"
    number = (
        float(PLAIN.get(attribute.meaning.unit.partition("|")[0], "1")) if form.kind is Kind.REAL else 1.0
    )
    low, high = form.minimum, form.maximum
    if low is not None and (number < low or (form.open and number == low)):
        number = low + 1
    if high is not None and (number > high or (form.open and number == high)):
        number = high - 1 if low is None else (low + high) / 2
    return f"{number:g}" if form.kind is Kind.REAL else str(int(number))
