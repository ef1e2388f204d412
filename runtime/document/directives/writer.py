"""Model directives as YAML that is read back as equal. Texts are quoted if YAML would read something else."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from polybody.document.directives.documents import (
    AddCollisionFilterGroup,
    AddDirectives,
    AddFrame,
    AddModel,
    AddModelInstance,
    AddWeld,
    AngleAxis,
    Directive,
    Directives,
    Rpy,
    Transform,
)
from polybody.document.directives.reader import OWN, REQUIRED

PLAIN = re.compile(r"[A-Za-z_][\w./+-]*(::?[\w./+-]+)*")
"""Names and paths that need no quotes, apart from special words."""
WORDS = frozenset(("y", "n", "yes", "no", "on", "off", "true", "false", "null"))
"""Words that YAML 1.1 reads as values, in lower case."""
KINDS = (AddModel, AddModelInstance, AddFrame, AddWeld, AddCollisionFilterGroup, AddDirectives)
ORIGIN = (0.0, 0.0, 0.0)


def write(document: Directives) -> str:
    """The document as YAML, with keys in the order of their class. Empty optional values are omitted.

    Raises:
        TypeError: an object is not a directive, or a field has a value of the wrong type.
        ValueError: a number is not finite, or a text has a character that YAML cannot represent.
    """
    lines = ["directives:" if document.directives else "directives: []"]
    for directive in document.directives:
        lines += _directive(directive)
    return "\n".join(lines) + "\n"


def _directive(directive: Directive) -> Iterator[str]:
    kind = type(directive)
    if kind not in KINDS:
        known = ", ".join(each.__name__ for each in KINDS)
        raise TypeError(f"a directive must be one of {known}, not {kind.__name__}")
    yield f"- {kind.KEY}:"
    for field in fields(kind):
        if field.name in OWN:
            continue
        value = getattr(directive, field.name)
        if field.name in REQUIRED[kind] or not (value is None or value in ((), {}, "", Transform())):
            yield from _entry(field.name, value)


def _entry(key: str, value: Any, indent: str = "    ") -> Iterator[str]:
    """A key of a mapping and its value."""
    if isinstance(value, dict):
        yield f"{indent}{key}:"
        for name, each in value.items():
            yield from _entry(_text(name), each, indent + "  ")
    elif isinstance(value, Transform):
        yield f"{indent}{key}: {_transform(value)}"
    elif isinstance(value, tuple) and value and not isinstance(value[0], str):
        yield f"{indent}{key}: {_numbers(value)}"
    elif isinstance(value, tuple):
        yield f"{indent}{key}: [{', '.join(map(_text, value))}]"
    else:
        yield f"{indent}{key}: {_text(value)}"


def _transform(pose: Transform) -> str:
    said = [] if pose.base_frame is None else [f"base_frame: {_text(pose.base_frame)}"]
    if pose.translation != ORIGIN:
        said.append(f"translation: {_numbers(pose.translation)}")
    if pose.rotation is not None:
        said.append(f"rotation: {_rotation(pose.rotation)}")
    return f"{{{', '.join(said)}}}"


def _rotation(turn: Any) -> str:
    if isinstance(turn, Rpy):
        return f"!Rpy {{deg: {_numbers(turn.deg)}}}"
    if isinstance(turn, AngleAxis):
        return f"!AngleAxis {{angle_deg: {_number(turn.angle_deg)}, axis: {_numbers(turn.axis)}}}"
    raise TypeError(f"a rotation must be Rpy, AngleAxis or None, not {type(turn).__name__}")


def _numbers(values: Any) -> str:
    return f"[{', '.join(map(_number, values))}]"


def _number(value: Any) -> str:
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        raise TypeError(f"expected a number, not {value!r:.60}")
    if not math.isfinite(value):
        raise ValueError(f"{value} is not a finite number")
    return repr(float(value)).removesuffix(".0")


def _text(value: Any) -> str:
    if not isinstance(value, str):
        raise TypeError(f"expected a string, not {value!r:.60}")
    if any(ord(letter) < 32 or 0xD800 <= ord(letter) < 0xE000 for letter in value):
        raise ValueError(f"{value!r:.60} contains a character that YAML cannot represent directly")
    if PLAIN.fullmatch(value) and value.lower() not in WORDS:
        return value
    return json.dumps(value, ensure_ascii=False)
