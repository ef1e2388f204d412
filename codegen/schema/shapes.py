"""How many numbers a value has, where its type alone does not say it: ``pb:shape``, parsed once."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

_SIZE = re.compile(r"[1-9]\d*|([1-9]\d*\*)?[a-z]\w*")
"""A number, a size of the Model, or a number times a size."""
_QUANTITY = re.compile(r"(?:(\d+)\*)?([A-Za-z_]\w*)\((\.\./@)?(\w+)\)")
"""A quantity of the keyword of an attribute, or a multiple of one."""
_FACTOR = re.compile(r"(\d+)\*")


@dataclass(frozen=True, slots=True)
class Quantity:
    """``2*dof(type)``: ``factor`` times the quantity ``name`` of the keyword that the attribute ``by`` takes.
    In the shape of a text, ``dof(../@type)``, that is an attribute of the parent element.
    """

    name: str
    by: str
    factor: int = 1
    of_parent: bool = False

    def __str__(self) -> str:
        """Without the attribute."""
        return self.name if self.factor == 1 else f"{self.factor}*{self.name}"

    def count(self, quantities: Mapping[str, int]) -> int:
        """The number of values, from the quantities of a keyword."""
        return self.factor * quantities[self.name]


@dataclass(frozen=True, slots=True)
class Shape:
    """A shape as it is written, ``text``, which is "" if there is none.

    ``sizes`` are its dimensions if each is a number, a size of the Model, or a number times a size: ``3 3``,
    ``3*nmocap``. The number of values is a multiple of ``factor``, or follows from ``quantity``.
    """

    text: str = ""
    sizes: tuple[int | str, ...] = ()
    factor: int = 1
    quantity: Quantity | None = None

    @property
    def constant(self) -> bool:
        """Whether it says nothing that the type of the value does not say."""
        return not self.text or (bool(self.sizes) and all(isinstance(size, int) for size in self.sizes))


NO_SHAPE = Shape()


def parsed(text: str) -> Shape:
    """A shape as it is written in a schema.

    Raises:
        ValueError: it counts by an attribute in a way that no check can follow.
    """
    words, factor, found = text.split(), _FACTOR.match(text), _QUANTITY.search(text)
    if found is not None and found[0] != text:
        raise ValueError("a quantity of a keyword is alone, or after a factor: 2*dof(type)")
    return Shape(
        text=text,
        sizes=tuple(map(_size, words)) if all(map(_SIZE.fullmatch, words)) else (),
        factor=1 if factor is None else int(factor[1]),
        quantity=found and Quantity(found[2], found[4], int(found[1] or 1), found[3] is not None),
    )


def _size(word: str) -> int | str:
    return int(word) if word.isdecimal() else word
