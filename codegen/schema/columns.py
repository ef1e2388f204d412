"""The columns of the canonical model, from model.xsd."""

from __future__ import annotations

from math import prod

from .model import Attribute, Column, Element, Schema, SchemaError
from .places import first_paths
from .types import Form, Kind

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
    if shape.text and not shape.sizes:
        what = f'pb:shape="{shape.text}" of a column is numbers or sizes, as in "3 3" or "3*nmocap"'
        raise SchemaError(attribute.place, what)
    if not shape.constant:
        if form.low == form.high:
            what = f'pb:shape="{shape.text}" depends on the Model, the list always has {form.low} numbers'
            raise SchemaError(attribute.place, what)
        return shape.sizes
    if form.low != form.high:
        raise SchemaError(attribute.place, f'column "{attribute.name}" needs one fixed length (xs:length)')
    size = prod(map(int, shape.sizes or (form.low,)))
    if size != form.low:
        what = f'pb:shape="{shape.text}" has {size} numbers, the list has {form.low}'
        raise SchemaError(attribute.place, what)
    return shape.sizes or (form.low,)
