"""Facts of a format, recorded independently of its schema, in short notation: `real[3]=0 0 0`, `a|b!`,
`string`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

SPEC = re.compile(r"(?P<kind>[^\[=!]+)(\[(?P<size>[^\]]*)\])?(=(?P<default>.*?))?(?P<required>!)?")
PLAIN = ("string", "real", "int", "bool")


class Fact(NamedTuple):
    """A value's type, size (None is one), default, whether it is required, its keywords."""

    kind: str
    size: str | None
    default: str | None
    required: bool
    keywords: frozenset[str]


def fact(spec: str) -> Fact:
    found = SPEC.fullmatch(spec)
    assert found is not None, spec
    kind = found["kind"]
    keywords = frozenset() if kind in PLAIN else frozenset(kind.split("|"))
    size = None if found["size"] in (None, "1") else found["size"]
    return Fact("enum" if keywords else kind, size, found["default"], found["required"] is not None, keywords)


def named_facts(rest: str, separator: str = ";") -> dict[str, Fact]:
    """The facts of an element's values by name; the name of its text is empty."""
    specs = [part.strip() for part in rest.split(separator) if part.strip()]
    named = (spec[1:].split(" ", 1) if spec.startswith("@") else ("", spec) for spec in specs)
    return {name: fact(spec) for name, spec in named}


def same_default(ours: str | None, theirs: str | None) -> bool:
    """Whether two defaults are the same value; an empty text is no default."""
    if (ours or "") == (theirs or ""):
        return True
    try:
        words = [[float(word) for word in (text or "x").split()] for text in (ours, theirs)]
    except ValueError:
        return False
    return words[0] == words[1]


def values_in(element: Any) -> dict[str, Any]:
    """The values of an element from `polybody schema --json`, named as facts are."""
    ours = {attribute["name"]: attribute for attribute in element["attributes"]}
    return ours if element["text"] is None else {**ours, "": element["text"]}
