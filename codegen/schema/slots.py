"""The names in rules: what of an element a rule is about."""

from __future__ import annotations

from dataclasses import dataclass

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
