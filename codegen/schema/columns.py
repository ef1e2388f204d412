"""The columns of the canonical model, from model.xsd."""

from __future__ import annotations

import re
from math import prod

from .model import Attribute, Column, Element, Schema, SchemaError
from .places import first_paths
from .types import Form, Kind

WIDTH = re.compile(r"[1-9]\d*|([1-9]\d*\*)?[a-z]\w*")
"""A dimension of a row: a number, a size of the Model, or a number times a size."""
WHOLE = ((8, 2**8), (32, 2**31))
"""Numbers of bits of integers, and the upper bounds of their values."""
SINGLE = 3.5e38
"""Real types whose maximum is below this have 32 bits."""


def tables(schema: Schema) -> tuple[Column, ...]:
    """The columns of every element with a ``pb:axis``, in the order of the schema.

    Raises:
        SchemaError: a column without role, or whose shape and list length disagree.
    """
    paths = first_paths(schema)
    return tuple(
        _column(element, attribute, paths[element.key].partition("/")[0])
        for element in schema.elements
        if element.axis
        for attribute in element.attributes
        if not attribute.meaning.declares  # a row's own name or number is not a column
    )


def _column(element: Element, attribute: Attribute, owner: str) -> Column:
    meaning = attribute.meaning
    if not meaning.role:
        raise SchemaError(attribute.place, f'column "{attribute.name}" has no pb:role; give it one')
    if len(attribute.forms) != 1:
        raise SchemaError(attribute.place, f'column "{attribute.name}" must have one lexical form')
    form = attribute.forms[0]
    kind = Kind.INT if meaning.kind else form.kind  # the XML form has the keyword, the column its code
    return Column(
        name=element.prefix + attribute.name,
        axis=element.axis,
        kind=kind,
        bits=_bits(kind, form),
        shape=_shape(attribute),
        value=meaning.value,
        role=meaning.role,
        stage=attribute.stage or element.stage or "kernel",
        read=attribute.read,
        unit=meaning.unit,
        doc=attribute.doc,
        default=attribute.default,
        index=meaning.index,
        first=element.prefix + meaning.first if meaning.first else "",
        values=meaning.values,
        vocabulary=meaning.kind,
        enum=form.enum,
        kept=meaning.kept,
        signals=meaning.signals,
        owner=owner,
        place=attribute.place,
    )


def _bits(kind: Kind, form: Form) -> int:
    """Number of bits of a column's numbers, from the maximum of their type."""
    if kind is Kind.BOOL:
        return 8
    if kind is Kind.REAL:
        return 32 if form.maximum is not None and form.maximum < SINGLE else 64
    if kind is Kind.INT and form.maximum is not None:
        return next((bits for bits, limit in WHOLE if form.maximum < limit), 64)
    return 32


def _shape(attribute: Attribute) -> tuple[int | str, ...]:
    """Row shape: ``pb:shape`` if given (it may fold a list into a matrix), otherwise the list's length."""
    form, shape = attribute.forms[0], attribute.meaning.shape
    if form.scalar:
        return ()
    words = shape.split()
    if not all(WIDTH.fullmatch(word) for word in words):
        what = f'pb:shape="{shape}" of a column is numbers or sizes, as in "3 3" or "3*nmocap"'
        raise SchemaError(attribute.place, what)
    if not all(word.isdecimal() for word in words):
        if form.low == form.high:
            what = f'pb:shape="{shape}" depends on the Model, the list always has {form.low} numbers'
            raise SchemaError(attribute.place, what)
        return tuple(int(word) if word.isdecimal() else word for word in words)
    if form.low != form.high:
        raise SchemaError(attribute.place, f'column "{attribute.name}" needs one fixed length (xs:length)')
    if not words:
        return (form.low,)
    numbers = tuple(map(int, words))
    size = prod(numbers)
    if size != form.low:
        raise SchemaError(attribute.place, f'pb:shape="{shape}" has {size} numbers, the list has {form.low}')
    return numbers
