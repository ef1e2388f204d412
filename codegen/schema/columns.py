"""The columns of the canonical model, from model.xsd."""

from __future__ import annotations

from .model import Attribute, Column, Element, Kind, Schema, SchemaError


def tables(schema: Schema) -> tuple[Column, ...]:
    """The columns of every element with a ``pb:axis``, in the order of the schema.

    Raises:
        SchemaError: a column without role, or whose shape and list length disagree.
    """
    return tuple(
        _column(element, attribute)
        for element in schema.elements
        if element.axis
        for attribute in element.attributes
        if not attribute.meaning.declares  # a row's own name or number is no column
    )


def _column(element: Element, attribute: Attribute) -> Column:
    meaning = attribute.meaning
    if not meaning.role:
        raise SchemaError(attribute.place, f'column "{attribute.name}" has no pb:role; give it one')
    if len(attribute.forms) != 1:
        raise SchemaError(attribute.place, f'column "{attribute.name}" must have one lexical form')
    form = attribute.forms[0]
    kind = Kind.INT if meaning.kind else form.kind  # a dump has the word, the column its code
    return Column(
        name=element.prefix + attribute.name,
        axis=element.axis,
        kind=kind,
        bits=64 if kind is Kind.INT and (form.maximum or 0) >= 2**31 else 32,
        shape=_shape(attribute),
        value=meaning.value,
        role=meaning.role,
        unit=meaning.unit,
        doc=attribute.doc,
        default=attribute.default,
        index=meaning.index,
        vocabulary=meaning.kind,
        enum=form.enum,
        owner=element.key.partition("/")[0],
        place=attribute.place,
    )


def _shape(attribute: Attribute) -> tuple[int, ...]:
    """Row shape: ``pb:shape`` where given (it may fold a list into a matrix), else the list's length."""
    form, shape = attribute.forms[0], attribute.meaning.shape
    if form.scalar:
        return ()
    if form.low != form.high:
        raise SchemaError(attribute.place, f'column "{attribute.name}" needs one fixed length (xs:length)')
    if not shape:
        return (form.low,)
    if not all(part.isdecimal() for part in shape.split()):
        raise SchemaError(attribute.place, f'pb:shape="{shape}" of a column is numbers, as in "3 3"')
    numbers = tuple(int(part) for part in shape.split())
    size = 1
    for number in numbers:
        size *= number
    if size != form.low:
        raise SchemaError(attribute.place, f'pb:shape="{shape}" has {size} numbers, the list has {form.low}')
    return numbers
