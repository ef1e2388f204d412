"""A schema of ours as a description."""

from __future__ import annotations

from ..schema import Kind, Schema
from ..schema.model import Attribute as Declared
from .described import Attribute, Description, Element, Path

NAMES = {Kind.INT: "int", Kind.REAL: "real"}


def described(schema: Schema) -> Description:
    """The paths of a schema. Below an element of the same kind a path is not continued."""
    found: dict[Path, Element] = {}
    elements = {element.key: element for element in schema.elements}

    def add(path: Path, key: str, above: tuple[str, ...]) -> None:
        element = elements[key]
        found[path] = Element({each.name: _attribute(schema, each) for each in element.attributes})
        for child in element.children:
            if child.element not in (*above, key):
                add((*path, child.tag), child.element, (*above, key))

    for root in schema.roots:
        add((elements[root].tag,), root, ())
    return found


def _attribute(schema: Schema, declared: Declared) -> Attribute:
    forms = declared.forms
    keywords: list[str] = []
    kind = "string"
    for form in forms:
        if form.kind is Kind.ENUM:
            keywords += [member.value for member in schema.enum(form.enum).members]
        elif form.kind is Kind.BOOL:
            keywords += ["false", "true"]
        elif form.kind in NAMES:
            count = "" if form.scalar else f"({form.high})" if form.low == form.high else "(n)"
            kind = f"{NAMES[form.kind]}{count}"
    only_words = keywords and kind == "string"
    return Attribute("keyword" if only_words else kind, tuple(keywords), declared.default, declared.required)
