"""Values of the schema model as Python types, Python expressions and plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ..python_source import Expression, flat, row
from ..render import literal
from ..schema import SchemaError
from ..schema.model import Attribute, Child, Element, Member, Place, Schema
from ..schema.types import UNBOUNDED, Form, Kind

PYTHON = {Kind.STRING: "str", Kind.REAL: "float", Kind.INT: "int", Kind.BOOL: "bool"}
VECTORS = range(1, 17)
"""Lengths for which tuples of floats have a name such as ``Vec3``."""


def python_type(form: Form) -> str:
    """The type of a form's values: vectors of fixed length as such, a short range as a union of them."""
    word = form.enum or PYTHON[form.kind]
    if form.scalar:
        return word
    few = form.high != UNBOUNDED and form.low > 0 and form.high - form.low <= (2 if word == "float" else 0)
    if not few or form.high > VECTORS[-1]:
        return f"tuple[{word}, ...]"
    return " | ".join(_vector(word, length) for length in range(form.low, form.high + 1))


def _vector(word: str, length: int) -> str:
    return f"Vec{length}" if word == "float" and length in VECTORS else f"tuple[{', '.join([word] * length)}]"


def vector_lengths(attributes: list[Attribute]) -> list[int]:
    """The lengths of the vector types in the types of these attributes."""
    types = {word for a in attributes for form in a.every_form for word in python_type(form).split(" | ")}
    return [length for length in VECTORS if f"Vec{length}" in types]


def parsed(text: str, attribute: Attribute, schema: Schema, scope: str = "") -> Expression:
    """The Python expression of a value written in the schema, by the first form that accepts it.

    ``scope`` is the prefix of names of enumerations.

    Raises:
        SchemaError: no form does.
    """
    for form in attribute.forms:
        found = _parsed_form(text, form, schema, scope)
        if found is not None:
            return found
    raise SchemaError(attribute.place, f'default "{text}" of "{attribute.name}" has none of its forms')


def _parsed_form(text: str, form: Form, schema: Schema, scope: str) -> Expression | None:
    if form.scalar:
        return _parsed_word(text, form, schema, scope)
    words = [_parsed_word(word, form, schema, scope) for word in text.split()]
    if any(word is None for word in words):
        return None
    if len(words) < form.low or (form.high != UNBOUNDED and len(words) > form.high):
        return None
    return row(word for word in words if word is not None)


def _parsed_word(text: str, form: Form, schema: Schema, scope: str) -> str | None:
    if form.kind is Kind.STRING:
        return literal(text)
    if form.kind is Kind.ENUM:
        member = keyword(schema, form.enum, text)
        return member and scope + member
    word = text.strip()
    if form.kind is Kind.BOOL:
        return {"true": "True", "1": "True", "false": "False", "0": "False"}.get(word)
    try:
        value = float(word) if form.kind is Kind.REAL else int(word)
    except ValueError:
        return None
    return number(value)


def number(value: float) -> str:
    """The Python expression of a number."""
    if isinstance(value, int):
        return str(value)
    return repr(value).replace("e+", "e") if math.isfinite(value) else f'float("{value}")'


def keyword(schema: Schema, enum: str, value: str) -> str | None:
    """The member of an enumeration for a keyword, as an expression."""
    member = schema.enum(enum).member(value)
    return None if member is None else f"{enum}.{member.name}"


def repeated(notation: str, length: int, place: Place) -> Expression:
    """Numbers from notation such as ``1 0 ...``, where the last is repeated up to the length."""
    words = notation.split()
    open_end = words[-1:] == ["..."]
    words = words[:-1] if open_end else words
    try:
        numbers = [repr(float(word)) for word in words]
    except ValueError:
        raise SchemaError(place, f'default "{notation}" is not a list of numbers') from None
    if not numbers or (len(numbers) != length and not open_end):
        raise SchemaError(place, f'default "{notation}" does not give {length} numbers')
    return row((numbers + numbers[-1:] * length)[:length])


def default_text(attribute: Attribute, schema: Schema) -> str:
    """The default in Python, or as notation if it has variable length, or ""."""
    if attribute.default is None:
        return ""
    if attribute.default_varies:
        return f"`{attribute.default}`"
    return flat(parsed(attribute.default, attribute, schema))


def dates(thing: Attribute | Child | Member, schema: Schema) -> Iterator[str]:
    """Sentences about the releases that have something, and about what changed in them."""
    if not schema.releases:
        return
    if thing.since:
        yield f"Since {thing.since}."
    if thing.until:
        yield f"Until {thing.until}."
    default = thing.default if isinstance(thing, Attribute) else None
    for change in thing.changes if isinstance(thing, Attribute) else ():
        if change.default != default:
            default = change.default
            yield f"From {change.since} the default is {'none' if default is None else f'`{default}`'}."


def facts(element: Element, attribute: Attribute, default: str) -> str:
    """One sentence with facts that are not in the type: number of values, range, unit, default, whether it is
    required.

    ``default`` is the default as shown, or "".
    """
    form = attribute.forms[0]
    others = ", or text" if form.kind is not Kind.STRING and attribute.forms[-1].kind is Kind.STRING else ""
    parts = [amount(attribute, form) + others]
    if attribute.meaning.declares:
        parts.append(f"a unique {attribute.meaning.declares} name")
    if attribute.meaning.refers:
        parts.append("the name of a " + " or ".join(attribute.meaning.refers))
    if attribute.aliases:
        parts.append("also read as " + ", ".join(f"`{alias}`" for alias in attribute.aliases))
    if form.fixed is not None:
        parts.append(f"always {default or f'`{form.fixed}`'}")
    elif default:
        parts.append(f"default {default}")
    parts.append(required_text(element, attribute))
    if attribute.status is not None and attribute.status.level != "simulated":
        parts.append(f"not simulated: {attribute.status.reason}")
    sentence = "; ".join(part for part in parts if part)
    return sentence[:1].upper() + sentence[1:] + "." if sentence else ""


def amount(attribute: Attribute, form: Form) -> str:
    """``3 numbers in m``, ``1 to 3 positive numbers``, ``text of type xs:date``, or nothing for a word."""
    if form.built_in:
        return f"text of type xs:{form.built_in}" if form.scalar else f"words of type xs:{form.built_in}"
    if form.kind not in (Kind.REAL, Kind.INT):
        return ""
    units = [unit for unit in attribute.meaning.unit.split("|") if unit not in ("", "1")]
    units += [f"units by {attribute.meaning.unitBy}"] if attribute.meaning.unitBy else []
    unit = f" in {' or '.join(units)}" if units else ""
    if form.scalar and form.numbers:
        return f"{_listed(form)}{unit}"
    adjective, span = _range(form)
    noun = f"{adjective}{'' if form.kind is Kind.REAL else 'whole '}number"
    if form.scalar:
        count = ""
    elif form.high != UNBOUNDED:
        count = f"{form.low} " if form.low == form.high else f"{form.low} to {form.high} "
        noun += "" if form.high == 1 else "s"
    else:
        count, noun = "", noun + "s"
    sized = attribute.meaning.shape.quantity
    length = f", {sized} of `{sized.by}` many" if sized is not None and form.high == UNBOUNDED else ""
    return f"{count}{noun}{span}{unit}{length}"


def _listed(form: Form) -> str:
    """The numbers that are allowed, as ``1, 3 or 4``."""
    *others, last = (f"{number:g}" for number in form.numbers)
    return f"{', '.join(others)} or {last}" if others else last


def _range(form: Form) -> tuple[str, str]:
    """The texts before and after the noun."""
    if form.numbers:
        return "", f", each {_listed(form)}"
    low = None if form.implied[0] else form.minimum
    high = None if form.implied[1] else form.maximum
    if low is None and high is None:
        return "", ""
    if low == 0 and high is None:
        return ("positive " if form.open else "non-negative "), ""
    if low is not None and high is not None:
        return "", (f" between {low:g} and {high:g}" if form.open else f" from {low:g} to {high:g}")
    if low is not None:
        return "", f" {'above' if form.open else 'from'} {low:g}"
    return "", f" {'below' if form.open else 'up to'} {high:g}"


def required_text(element: Element, attribute: Attribute) -> str:
    """Whether an attribute is required and under which condition, or ""."""
    if attribute.required:
        return "required"
    return next(filter(None, (rule.requirement(attribute.name) for rule in element.rules)), "")
