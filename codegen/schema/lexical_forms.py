"""Simple types as lexical forms of attributes and texts."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from .annotations import vocabulary
from .keys import lineage
from .model import (
    MOST,
    UNBOUNDED,
    Enumeration,
    Form,
    Kind,
    Meaning,
    Member,
    Place,
    Primitive,
    SchemaError,
    Status,
)
from .patterns import PatternError, python_pattern
from .source import XS, Component, Node, Xsd, documentation, place

_MEANING = frozenset(Meaning.__dataclass_fields__)
_TEXTS = ("anyAtomicType", "anySimpleType", "anyURI", "normalizedString", "string", "token")
"""Built-in types that accept any text."""
_PREFIXED = ("QName", "NOTATION")
"""Built-in types of names with prefixes that the document declares."""
SPELT_OUT = "true|false"
"""The only supported pattern of booleans: neither 1 nor 0."""
_PLAIN_REALS = ("0", "1.", ".5", "+2", "-1.5e-3", "7E+2")


MOST_FORMS = 1_000
"""Maximum number of types in a union, including nested ones."""


class Values:
    """Reads simple types of one schema, and collects its enumerations and constraints that no form can
    represent.
    """

    def __init__(self, xsd: Xsd) -> None:
        self.xsd = xsd
        self.path = xsd.path
        self.parted = len(xsd.roots) > 1
        self.enums: dict[int, Enumeration] = {}  # by identity of the type's node
        self.unread: list[str] = []
        self._forms: dict[int, tuple[Form, ...]] = {}  # by identity of the type

    def note(self, component: Component, message: str) -> None:
        """Record a constraint that the generated reader will not enforce."""
        self.note_at(self.xsd.node(component), message)

    def note_at(self, node: Node | None, message: str) -> None:
        """The same for a node."""
        where = place(node, self.path)
        text = f"{replace(where, path=Path(where.path.name))}: {message}"  # independent of the machine
        if text not in self.unread:
            self.unread.append(text)

    def _node(self, simple: Component) -> Node | None:
        """The xs:simpleType that defines a type; None for built-in ones."""
        node = self.xsd.node(simple)
        while node is not None and node.tag != f"{XS}simpleType":
            node = node.getparent()
        return node

    def _patterns(self, step: Component) -> list[str]:
        """The pattern of this very type, alternatives joined; built-in types have none."""
        node = self._node(step)
        found = [] if node is None else node.findall(f"{XS}restriction/{XS}pattern")
        written = [pattern.get("value") for pattern in found]
        if len(written) > 1:
            return ["|".join(f"({pattern})" for pattern in written)]
        return written

    def section(self, node: Node | None) -> str:
        """The part of the schema that contains a node, by its file's name; "" if there are no parts."""
        return place(node, self.path).path.stem if self.parted else ""

    def forms(self, simple: Component) -> tuple[Form, ...]:
        """The lexical forms of a type, in the order in which they are tried."""
        if id(simple) not in self._forms:  # the compiled schema keeps its types alive
            self._forms[id(simple)] = self._read(simple)
        return self._forms[id(simple)]

    def _read(self, simple: Component) -> tuple[Form, ...]:
        if simple.is_union():
            found: list[Form] = []
            for member in _members(simple):
                found += self.forms(member)
                if len(found) > MOST_FORMS:
                    raise SchemaError(self._place(simple), f"a union of more than {MOST_FORMS:,} types")
            return tuple(found)
        if simple.is_list():
            return self._list_forms(simple)
        return (self._atomic_form(simple),)

    def prefixed(self, simple: Component) -> bool:
        """Whether all values of a type are names whose prefixes the document declares, or lists of them."""
        if simple.is_union():
            return all(map(self.prefixed, _members(simple)))
        if simple.is_list():
            steps = _derivation(simple)
            return self.prefixed(
                next(s.item_type for s in steps if getattr(s, "item_type", None) is not None)
            )
        return self._built_in(simple) in _PREFIXED and not any(s.enumeration for s in _derivation(simple))

    def _list_forms(self, simple: Component) -> tuple[Form, ...]:
        steps = tuple(_derivation(simple))
        item = next(step.item_type for step in steps if getattr(step, "item_type", None) is not None)
        if item.is_union() or item.is_list():
            self.note(simple, "a list of unions is read as one string")
            return (Form(Kind.STRING),)
        if any(step.enumeration or self._patterns(step) for step in steps):
            self.note(simple, "an enumeration or pattern of a whole list is not enforced")
        lengths = [(step.min_length, step.max_length) for step in steps if self.xsd.node(step) is not None]
        low = max((low for low, _ in lengths if low is not None), default=0)
        high = min((high for _, high in lengths if high is not None), default=UNBOUNDED)
        if low > MOST:
            raise SchemaError(self._place(simple), f"a list of more than {MOST:,} words is more than is read")
        high = UNBOUNDED if high > MOST else high
        return (replace(self._atomic_form(item), scalar=False, low=low, high=high),)

    def _atomic_form(self, simple: Component) -> Form:
        kind = _kind(simple)
        keywords = next((step for step in _derivation(simple) if step.enumeration), None)
        if keywords is not None:
            if kind is Kind.STRING:
                return Form(Kind.ENUM, enum=self._enumeration(keywords).name)
            self.note(keywords, "an enumeration of numbers is not enforced")
        patterns = [pattern for step in _derivation(simple) for pattern in self._patterns(step)]
        if kind in (Kind.REAL, Kind.INT):
            return self._number(simple, kind, patterns)
        if kind is Kind.STRING:
            self._note_built_in(simple, bool(patterns))
            return Form(kind, pattern=self._checked(simple, self._string_pattern(simple, patterns)))
        if patterns not in ([], [SPELT_OUT]):
            self.note(simple, "a pattern on a boolean is not enforced")
        return Form(kind, pattern=self._checked(simple, patterns[0]) if patterns else "")

    def _checked(self, simple: Component, pattern: str) -> str:
        """A pattern that the reader can match."""
        try:
            python_pattern(pattern)
        except PatternError as error:
            raise SchemaError(self._place(simple), f"the pattern `{pattern[:60]}` {error}") from None
        return pattern

    def _place(self, component: Component) -> Place:
        return place(self.xsd.node(component), self.path)

    def _number(self, simple: Component, kind: Kind, patterns: list[str]) -> Form:
        """A number with its bounds; those of integer types are noted in the form, those of xs:double are
        not.
        """
        if self._built_in(simple) == "decimal":
            self.note(simple, "xs:decimal is read as xs:double, exponents included")
        low, low_open = _bound(simple, "minInclusive", "minExclusive", max)
        high, high_open = _bound(simple, "maxInclusive", "maxExclusive", min)
        if kind is Kind.INT or (low is not None and high is not None and low_open != high_open):
            low, high = _inside(kind, low, low_open, 1), _inside(kind, high, high_open, -1)
            low_open = high_open = False
        finite = kind is Kind.REAL and not simple.is_valid("INF") and not simple.is_valid("-INF")
        harmless = finite and all(simple.is_valid(t) or _out_of(float(t), low, high) for t in _PLAIN_REALS)
        if patterns and not harmless:
            self.note(simple, "a pattern on a number is not enforced")
        return Form(kind, minimum=low, maximum=high, open=low_open or high_open, finite=finite)

    def _string_pattern(self, simple: Component, patterns: list[str]) -> str:
        shortest = max(
            (s.min_length or 0 for s in _derivation(simple) if self.xsd.node(s) is not None), default=0
        )
        longest = min((s.max_length for s in _derivation(simple) if s.max_length is not None), default=None)
        if longest is not None and longest > MOST:  # longer texts are never read
            longest = None
        if shortest > MOST:
            raise SchemaError(
                self._place(simple), f"a text of more than {MOST:,} characters is more than is read"
            )
        if shortest or longest is not None:
            patterns = [*patterns, rf"[\s\S]{{{shortest},{'' if longest is None else longest}}}"]
        if len(patterns) > 1:
            self.note(simple, "of several patterns and lengths only the first is enforced")
        return patterns[0] if patterns else ""

    def _built_in(self, simple: Component) -> str:
        """The built-in type from which a type is derived."""
        return next(s.local_name or "" for s in _derivation(simple) if self.xsd.node(s) is None)

    def _note_built_in(self, simple: Component, patterned: bool) -> None:
        name = self._built_in(simple)
        if name not in _TEXTS:
            self.note(simple, f"xs:{name} is read as any text")
        elif patterned and name not in ("string", "anySimpleType"):
            self.note(simple, "a pattern is matched with the blanks around the text")

    def _enumeration(self, keywords: Component) -> Enumeration:
        node: Node = self._node(keywords)  # built-in types have no keywords
        if id(node) not in self.enums:
            said = vocabulary().values(node)
            counts = dict(entry.split("=") for entry in said.get("quantities") or ())
            facets = node.iter(f"{XS}enumeration")
            members = tuple(self._member(facet, counts) for facet in facets)
            here = place(node, self.path)
            section = self.section(node)
            name, label = self._named(node)
            label = said.get("class") or label
            self.enums[id(node)] = Enumeration(name, members, documentation(node), here, section, label)
        return self.enums[id(node)]

    def _named(self, node: Node) -> tuple[str, str]:
        """A unique name for an enumeration, and the base of its class's name."""
        _, names = lineage(node)
        holder = node
        while holder.get("name") is None:
            holder = holder.getparent()
        label = "_".join(names[-2:] if holder.tag == f"{XS}attribute" else names[-1:])
        taken = {enum.name for enum in self.enums.values()}
        path = name = self.xsd.space(node) + "/".join(names)
        number = 1
        while name in taken:  # several anonymous ones in one union
            number += 1
            name = f"{path}_{number}"
        return name, label

    def _member(self, node: Node, counts: dict[str, str]) -> Member:
        said = vocabulary().values(node)
        own = dict(entry.split("=") for entry in said.get("quantities") or ())
        sequence = said.get("sequence")
        return Member(
            value=node.get("value"),
            doc=documentation(node),
            place=place(node, self.path),
            name=said.get("member", ""),
            code=said.get("code"),
            sequence=None if sequence is None else tuple(_primitive(word) for word in sequence),
            counted={**counts, **own},
            status=status(said),
            since=said.get("since", ""),
            until=said.get("until", ""),
            deprecated=said.get("deprecated", ""),
        )

    def meaning(self, simple: Component, own: dict[str, Any]) -> tuple[Meaning, str | None, str]:
        """Annotations of a value: those of its types, nearer ones taking precedence, then its own; with
        ``pb:default`` and the documentation of the nearest documented type.
        """
        said: dict[str, Any] = {}
        doc = ""
        for step in reversed(tuple(_chain(simple))):
            node = self._node(step)
            if node is not None:
                said.update(vocabulary().values(node))
                doc = documentation(node) or doc
        said.update(own)
        facts = {key: value for key, value in said.items() if key in _MEANING}
        return Meaning(**facts), said.get("default"), doc


def status(said: dict[str, Any]) -> Status | None:
    """The status among decoded annotations."""
    return Status(said["status"], said.get("reason", "")) if "status" in said else None


def _primitive(word: str) -> Primitive:
    name, _, axis = word.partition(":")
    return Primitive(name, axis)


def _derivation(simple: Component | None) -> Iterator[Component]:
    """A type, then the types that it restricts, down to a built-in type or a list."""
    while simple is not None:
        yield simple
        if getattr(simple, "item_type", None) is not None:
            return
        simple = simple.base_type


def _chain(simple: Component) -> Iterator[Component]:
    """Its derivation, followed by that of the item type if it ends in a list."""
    for step in _derivation(simple):
        yield step
        item = getattr(step, "item_type", None)
        if item is not None:
            yield from _chain(item)


def _members(simple: Component) -> tuple[Component, ...]:
    return next(tuple(s.member_types) for s in _derivation(simple) if getattr(s, "member_types", None))


def _kind(simple: Component) -> Kind:
    names = {step.local_name for step in _derivation(simple)}
    if "boolean" in names:
        return Kind.BOOL
    if "integer" in names:
        return Kind.INT
    if names & {"double", "float", "decimal"}:
        return Kind.REAL
    return Kind.STRING


def _bound(simple: Component, inclusive: str, exclusive: str, tighter: Any) -> tuple[float | None, bool]:
    """The tightest bound along the derivation, and whether it is exclusive; the largest double means no
    bound.
    """
    found: list[tuple[float, bool]] = []
    for step in _derivation(simple):
        facets = getattr(step, "facets", {}) or {}
        for tag, is_open in ((inclusive, False), (exclusive, True)):
            facet = facets.get(XS + tag)
            value = math.inf if facet is None else _double(facet.value)
            if abs(value) < sys.float_info.max:
                found.append((value, is_open))
    if not found:
        return None, False
    best = tighter(value for value, _ in found)
    return best, (best, True) in found


def _double(value: Any) -> float:
    """A number as a double; one that is too large for that is infinite."""
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _inside(kind: Kind, bound: float | None, is_open: bool, step: int) -> float | None:
    """The same bound, inclusive: the next number, for reals the next double."""
    if bound is None or not is_open:
        return bound
    return bound + step if kind is Kind.INT else math.nextafter(bound, step * math.inf)


def _out_of(value: float, low: float | None, high: float | None) -> bool:
    return (low is not None and value <= low) or (high is not None and value >= high)
