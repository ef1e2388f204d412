"""The names in rules: what of an element a rule is about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .model import Element, Schema

TEXT, TEXT_OF = "text()", "/text()"
"""Names of an element's own text, and of that of a child."""


@dataclass(frozen=True, slots=True)
class Slot:
    """``pos`` is an attribute or a child, ``axis/@xyz`` an attribute of a child, ``mass/text()`` the text of
    a child, ``text()`` the element's own.
    """

    child: str = ""  # the tag of the child that has it; "" for the element itself
    name: str = ""  # of the attribute; "" for a text


def slot(name: str) -> Slot:
    """A name in a rule, parsed."""
    if name == TEXT or name.endswith(TEXT_OF):
        return Slot(name.removesuffix(TEXT).removesuffix("/"))
    child, _, attribute = name.removeprefix("@").rpartition("/@")
    return Slot(child, attribute)


def exists(schema: Schema, element: Element, name: str) -> bool:
    """Whether an element can have what a name refers to."""
    wanted = slot(name)
    held = [element]
    if wanted.child:
        held = [schema.element(child.element) for child in element.children if child.tag == wanted.child]
    if not wanted.name:
        return any(each.text is not None for each in held)
    found = any(attribute.name == wanted.name for each in held for attribute in each.attributes)
    return found or (not wanted.child and any(child.tag == wanted.name for child in element.children))
