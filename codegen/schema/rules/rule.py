"""What all kinds of rules have in common."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, ClassVar, NamedTuple, Protocol, get_type_hints

from ...markdown import code, text
from ...python_source import Expression, call, quoted
from ...render import literal
from ..linking import attribute_of
from ..model import Element, Place, Schema, SchemaError
from ..slots import exists, slot
from .arguments import Argument, Condition

DATES = ("since", "until")
"""The attributes that a rule of any kind may have."""


class Shown(Protocol):
    """An element of an example, which rules complete."""

    def get(self, name: str) -> str | None:
        """The value of a name: an attribute, the text of a child, "" for a child without text."""

    def put(self, name: str, value: str) -> None:
        """Change a value that is there."""

    def provide(self, names: Iterable[str]) -> None:
        """Add what is not there yet."""

    def holds(self, condition: Condition) -> bool: ...

    def minimum(self, name: str) -> float | None:
        """The lower bound of the type of a value."""


class Stated(NamedTuple):
    """An attribute that states a rule: the field that contains it, its type, and its default."""

    field: str
    argument: Argument
    default: Any


@dataclass(frozen=True, kw_only=True)
class Rule:
    """A rule of an element. The fields that a kind of rule adds are the attributes that state it."""

    place: Place
    doc: str = ""  # the reason
    since: str = ""  # the releases that have it
    until: str = ""

    ties: ClassVar[bool] = False
    """Whether one of its names alone may have no effect: examples show others."""
    says: ClassVar[str] = ""
    """What it demands, as the beginning of a sentence, with the names of its attributes in braces."""
    severity = "error"

    @classmethod
    def kind(cls) -> str:
        """The name in schemas: ``pb:oneOf``."""
        return cls.__name__[:1].lower() + cls.__name__[1:]

    @classmethod
    @cache
    def stated(cls) -> dict[str, Stated]:
        """The attributes that state a rule of this kind."""
        defaults = {each.name: each.default for each in dataclasses.fields(cls)}
        hints = get_type_hints(cls, include_extras=True)
        read = {name: getattr(hints[name], "__metadata__", (None,))[0] for name in defaults}
        return {name.rstrip("_"): Stated(name, each, defaults[name]) for name, each in read.items() if each}

    @classmethod
    def parsed(cls, attributes: Mapping[str, str], doc: str, place: Place) -> Rule:
        """A rule as a schema states it.

        Raises:
            SchemaError: an attribute is unknown, missing or invalid.
        """
        known, values = cls.stated(), {}
        dates = {name: attributes[name] for name in DATES if name in attributes and name not in known}
        for name in attributes:
            if name not in known and name not in dates:
                raise SchemaError(place, f'pb:{cls.kind()} has no "{name}", but {", ".join(known)}')
        for name, each in known.items():
            if name in attributes:
                try:
                    values[each.field] = each.argument.read(attributes[name])
                except ValueError as error:
                    said = f'pb:{cls.kind()} {name}="{attributes[name]}" is not {error}'
                    raise SchemaError(place, said) from None
            elif each.default is dataclasses.MISSING:
                raise SchemaError(place, f'pb:{cls.kind()} needs "{name}"')
        return cls(place=place, doc=doc, **values, **dates)

    def __str__(self) -> str:
        """As in a schema, without the reason and what is the default."""
        values = ((name, getattr(self, each.field), each) for name, each in self.stated().items())
        said = (f'{name}="{_written(value)}"' for name, value, each in values if value != each.default)
        return f"pb:{self.kind()} {' '.join(said)}"

    @property
    def subjects(self) -> tuple[str, ...]:
        """The names of attributes and children that it is about."""
        values = [getattr(self, each.field) for each in self.stated().values() if each.argument.subject]
        return tuple(name for value in values for name in ((value,) if isinstance(value, str) else value))

    @property
    def conditions(self) -> dict[str, Condition]:
        """Its ``when`` and ``unless``, if it has them."""
        values = {name: getattr(self, each.field) for name, each in self.stated().items()}
        return {name: value for name, value in values.items() if isinstance(value, Condition)}

    # --- check

    def check(self, schema: Schema, element: Element) -> None:
        """Check that the element has what the rule names.

        Raises:
            SchemaError: it has not.
        """
        for name in self.subjects:
            self.demand(schema, element, name)
        if len(self.conditions) > 1:
            raise SchemaError(self.place, f"pb:{self.kind()} takes one condition")
        for condition in self.conditions.values():
            self._check_condition(schema, element, condition)

    def demand(self, schema: Schema, element: Element, name: str) -> None:
        if not exists(schema, element, name):
            raise SchemaError(self.place, f'pb:{self.kind()}: <{element.tag}> has no "{name}"')

    def _check_condition(self, schema: Schema, element: Element, condition: Condition) -> None:
        if not condition.values:
            self.demand(schema, element, condition.attribute)
            return
        attribute = attribute_of(element, condition.attribute, self.place)
        if not attribute.enum:
            raise SchemaError(self.place, f'"{attribute.name}" has no keywords to compare with')
        for value in condition.values:
            if schema.enum(attribute.enum).member(value) is None:
                raise SchemaError(self.place, f'"{value}" is no keyword of "{attribute.name}"')

    # --- row

    def rows(self, schema: Schema, element: Element) -> Iterator[Expression]:
        """The rows of runtime/base that readers check: one of the class of the same name."""
        yield self.row(schema, element)

    def row(self, schema: Schema, element: Element) -> Expression:
        """A row whose fields are what states the rule, where it is not the default."""
        positional, named = [], {}
        for name, each in self.stated().items():
            value = getattr(self, each.field)
            if each.default is dataclasses.MISSING:
                positional.append(_expression(value, schema, element))
            elif value != each.default:
                named[name] = _expression(value, schema, element)
        return call(type(self).__name__, *positional, **named)

    def newer(self) -> dict[str, str]:
        """Names that only later versions have, with these versions."""
        return {}

    def default_of(self, name: str, word: str) -> str:
        """Its default of an attribute whose shape depends on a keyword, for that word; "" if it has none."""
        return ""

    # --- sentence

    def words(self) -> str:
        """What it demands, as the beginning of a sentence."""
        values = ((name, getattr(self, each.field)) for name, each in self.stated().items())
        return self.says.format(**{name: _shown(value) for name, value in values})

    def sentence(self) -> str:
        """What it demands, under which condition, and why, in Markdown."""
        between = {"when": " where ", "unless": ", unless "}
        said = self.words() + "".join(between[name] + c.sentence() for name, c in self.conditions.items())
        return f"{said[:1].upper()}{said[1:]}." + (f" {text(self.doc)}" if self.doc else "")

    def requirement(self, name: str) -> str:
        """Whether, and under which condition, an attribute is required: a few words, or ""."""
        return ""

    # --- example

    def applies(self, shown: Shown) -> bool:
        """Whether its conditions hold."""
        return all(shown.holds(each) == (name == "when") for name, each in self.conditions.items())

    def complete(self, shown: Shown) -> None:
        """Change an element so that it satisfies the rule."""

    def disabled(self, name: str) -> Condition | None:
        """The condition under which a name has no effect."""
        return None

    def blocks(self, name: str, shown: Shown) -> bool:
        """Whether an attribute or child would have no effect on an element, or may not be added."""
        condition = self.disabled(name)
        return condition is not None and shown.holds(condition)

    def sample(self, name: str) -> str:
        """A value that it allows where the simplest one would not do, or ""."""
        return ""

    # --- releases and diff

    def without(self, names: set[str]) -> Rule | None:
        """What is left of it in a release whose element lacks these names; None if nothing is."""
        lost = names.intersection(slot(name).name or slot(name).child for name in self.subjects)
        lost |= names.intersection(condition.attribute for condition in self.conditions.values())
        return None if lost else self

    def standing(self, names: set[str]) -> Rule | None:
        """What is left of it for an element that has got these names."""
        return self


def _expression(value: Any, schema: Schema, element: Element) -> Expression:
    if isinstance(value, Condition):
        return value.row(schema, element)
    return quoted(value) if isinstance(value, tuple) else literal(value)


def _shown(value: object) -> str:
    """A value in a sentence."""
    return ", ".join(map(code, value)) if isinstance(value, tuple) else code(_written(value))


def _written(value: object) -> str:
    if isinstance(value, tuple):
        return " ".join(value)
    if isinstance(value, bool):
        return str(value).lower()
    return f"{value:g}" if isinstance(value, float) else str(value)
