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
from .model import Enumeration, Member, Place, Primitive, SchemaError, Status
from .patterns import PatternError, python_pattern
from .source import XS, Component, Node, Xsd, documentation, place
from .types import MOST, UNBOUNDED, Form, Kind, Meaning, Type

_MEANING = frozenset(Meaning.__dataclass_fields__)
_TEXTS = ("anyAtomicType", "anySimpleType", "anyURI", "normalizedString", "string", "token")
"""Built-in types that accept any text."""
_PREFIXED = ("QName", "NOTATION")
"""Built-in types of names with prefixes that the document declares."""
_WORDS = (*_TEXTS, "NMTOKEN", "Name", "NCName", "language")
"""Built-in types whose values are equal if their texts are."""
_UNCHECKED = {
    **dict.fromkeys(_PREFIXED, "that the document declares the prefix is not checked"),
    "ENTITY": "that the entity is declared is not checked",
}
IDENTIFIERS = "ID"
"""The namespace of names that xs:ID declares, and to which xs:IDREF refers."""
NOT_BLANK = r"[\s\S]*\S[\s\S]*"
"""The pattern by which XSD says of a string that it is more than white space."""
_BOUNDS = ("minInclusive", "minExclusive", "maxInclusive", "maxExclusive")
_DIGITS = ("totalDigits", "fractionDigits")
MACHINE = ("int", "long", "unsignedInt", "unsignedLong")
"""Integers whose bounds, other than 0, are those of a machine's numbers."""
_PLAIN_REALS = ("0", "1.", ".5", "+2", "-1.5e-3", "7E+2")


MAX_FORMS = 1_000
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
        self._types: dict[int, Type] = {}  # by identity of the compiled type, which its schema keeps alive
        self._user: Component | None = None  # the declaration whose type is read

    def note(self, component: Component, message: str) -> None:
        """Record a constraint that the generated reader will not enforce; of a built-in type at the
        declaration that uses it first.
        """
        node = self.xsd.node(component)
        self.note_at(self.xsd.node(self._user) if node is None else node, message)

    def note_at(self, node: Node | None, message: str) -> None:
        """The same for a node. The note has its line and the nearest name."""
        where = place(node, self.path)
        holder = node
        while holder is not None and holder.get("name", holder.get("ref")) is None:
            holder = holder.getparent()
        name = "" if holder is None else f"`{holder.get('name', holder.get('ref'))}`: "
        text = f"{replace(where, path=Path(where.path.name))}: {name}{message}"  # independent of the machine
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

    def type(self, simple: Component, user: Component | None = None) -> Type:
        """A type as all its uses share it, read on first use, by the declaration ``user``."""
        if id(simple) not in self._types:
            self._user = self._user if user is None else user
            self._types[id(simple)] = self._type(simple)
        return self._types[id(simple)]

    def fixed(self, simple: Component, text: str, user: Component) -> Type:
        """A type of which a declaration allows only one value."""
        whole = self.type(simple, user)
        while simple.is_union():
            simple = next(member for member in _members(simple) if member.is_valid(text))
        if self.prefixed(simple) or text.strip() == "NaN":
            self.note(user, "a fixed NaN or name with a prefix is not enforced")
            return whole
        (form,) = self.type(simple, user).forms
        if form.kind is Kind.STRING and form.scalar and simple.white_space == "collapse":
            form, text = replace(form, collapsed=True), " ".join(text.split())
        return replace(whole, name="", forms=(replace(form, fixed=text),))

    def _type(self, simple: Component) -> Type:
        """Its annotations are those of its derivation; nearer ones take precedence."""
        said: dict[str, Any] = {}
        for step in reversed(tuple(_chain(simple))):
            said.update(vocabulary().values(self._node(step)))
        return Type(
            name=self._name(simple),
            doc=documentation(self._node(simple)),
            forms=self._forms(simple),
            meaning=Meaning(**(self._names(simple) | _facts(said))),
            default=said.get("default"),
            prefixed=self.prefixed(simple),
        )

    def _name(self, simple: Component) -> str:
        """The name of a type, with a prefix if it is of another namespace; "" if it has none."""
        node = self._node(simple)
        if node is None:
            return f"xs:{simple.local_name}"
        name = node.get("name")
        return "" if name is None else self.xsd.space(node) + name

    def _names(self, simple: Component) -> dict[str, Any]:
        """What identifiers of XML declare and refer to."""
        items = {
            self._built_in(step) for step in _chain(simple) if not step.is_union() and not step.is_list()
        }
        if "ID" in items:
            return {"declares": IDENTIFIERS}
        return {"refers": (IDENTIFIERS,)} if "IDREF" in items else {}

    def _forms(self, simple: Component) -> tuple[Form, ...]:
        """The lexical forms of a type, in the order in which they are tried."""
        if simple.is_union():
            found: list[Form] = []
            for member in _members(simple):
                found += self.type(member).forms
                if len(found) > MAX_FORMS:
                    raise SchemaError(self._place(simple), f"a union of more than {MAX_FORMS:,} types")
            if any(map(self._names, _members(simple))):
                self.note(simple, "in a union, xs:ID and xs:IDREF are not compared")
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
        lengths = [(step.min_length, step.max_length) for step in steps]
        low = max((low for low, _ in lengths if low is not None), default=0)
        high = min((high for _, high in lengths if high is not None), default=UNBOUNDED)
        if low > MOST:
            raise SchemaError(self._place(simple), f"a list of more than {MOST:,} words is more than is read")
        high = UNBOUNDED if high > MOST else high
        return (replace(self.type(item).forms[0], scalar=False, low=low, high=high, collapsed=False),)

    def _atomic_form(self, simple: Component) -> Form:
        kind = _kind(simple)
        keywords = next((step for step in _derivation(simple) if step.enumeration), None)
        if keywords is not None and kind is Kind.STRING:
            if self._built_in(simple) not in _WORDS:
                self.note(keywords, f"values of xs:{self._built_in(simple)} are compared by their texts")
            exact = simple.white_space == "preserve"
            return Form(Kind.ENUM, enum=self._enumeration(keywords).name, exact=exact)
        patterns = [pattern for step in _derivation(simple) for pattern in self._patterns(step)]
        if kind in (Kind.REAL, Kind.INT):
            return self._number(simple, kind, patterns)
        if kind is Kind.STRING:
            return self._text(simple, patterns)
        words = {word for word in ("true", "false", "1", "0") if simple.is_valid(word)}
        if len(words) != 4 and words != {"true", "false"}:
            self.note(simple, "a pattern on a boolean is not enforced")
        return Form(kind, spelt_out=words == {"true", "false"})

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
        steps = [step for step in _derivation(simple) if self.xsd.node(step) is not None]
        if any(step.get_facet(f"{XS}{facet}") is not None for facet in _DIGITS for step in steps):
            self.note(simple, "numbers of digits are not enforced")
        low, low_open = _bound(simple, "minInclusive", "minExclusive", max)
        high, high_open = _bound(simple, "maxInclusive", "maxExclusive", min)
        numbers = _numbers(simple, kind, low, high)
        if numbers:
            return Form(kind, numbers=numbers, finite=kind is Kind.REAL and all(map(math.isfinite, numbers)))
        if kind is Kind.INT or (low is not None and high is not None and low_open != high_open):
            low, high = _inside(kind, low, low_open, 1), _inside(kind, high, high_open, -1)
            low_open = high_open = False
        finite = kind is Kind.REAL and not simple.is_valid("INF") and not simple.is_valid("-INF")
        harmless = finite and all(simple.is_valid(t) or _out_of(float(t), low, high) for t in _PLAIN_REALS)
        if patterns and not harmless:
            self.note(simple, "a pattern on a number is not enforced")
        machine = next((s for s in _derivation(simple) if self.xsd.node(s) is None), simple)
        of_machine = (
            ()
            if machine.local_name not in MACHINE
            else (
                _bound(machine, "minInclusive", "minExclusive", max)[0],
                _bound(machine, "maxInclusive", "maxExclusive", min)[0],
            )
        )
        implied_low, implied_high = (bound != 0 and bound in of_machine for bound in (low, high))
        return Form(
            kind,
            minimum=low,
            maximum=high,
            implied=(implied_low, implied_high),
            open=low_open or high_open,
            finite=finite,
            bits=implied_high and low == 0 and machine.local_name == "unsignedInt",
        )

    def _text(self, simple: Component, patterns: list[str]) -> Form:
        """A text with its pattern, its length and the rules of its built-in type."""
        steps = [step for step in _derivation(simple) if self.xsd.node(step) is not None]
        shortest = max((step.min_length or 0 for step in steps), default=0)
        longest = min((step.max_length for step in steps if step.max_length is not None), default=UNBOUNDED)
        if shortest > MOST:
            message = f"a text of more than {MOST:,} characters is more than is read"
            raise SchemaError(self._place(simple), message)
        name = self._built_in(simple)
        if name in _UNCHECKED:
            self.note(simple, f"xs:{name}: {_UNCHECKED[name]}")
        if len(patterns) > 1:
            self.note(simple, "of several patterns only the first is enforced")
        if any(step.get_facet(f"{XS}{facet}") is not None for facet in _BOUNDS for step in steps):
            self.note(simple, f"bounds of xs:{name} are not enforced")
        pattern = patterns[0] if patterns else ""
        nonempty = pattern == NOT_BLANK
        found = Form(
            Kind.STRING,
            nonempty=nonempty,
            pattern="" if nonempty else self._checked(simple, pattern),
            shortest=shortest,
            longest=UNBOUNDED if longest > MOST else longest,  # longer texts are never read
            built_in="" if name in _TEXTS else name,
        )
        return replace(found, collapsed=simple.white_space == "collapse")

    def _built_in(self, simple: Component) -> str:
        """The built-in type from which a type is derived."""
        return next(s.local_name or "" for s in _derivation(simple) if self.xsd.node(s) is None)

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
            deprecated=said.get("deprecated", ""),
            since=said.get("since", ""),
            until=said.get("until", ""),
        )


def meaning(kind: Type, own: dict[str, Any]) -> Meaning:
    """The annotations of a value: those of its type, and its own, which take precedence."""
    facts = _facts(own)
    return replace(kind.meaning, **facts) if facts else kind.meaning


def _facts(said: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key in _MEANING}


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


def _numbers(simple: Component, kind: Kind, low: float | None, high: float | None) -> tuple[float, ...]:
    """The numbers that the nearest enumeration in a type's derivation lists and its bounds allow."""
    listed = next((step.enumeration for step in _derivation(simple) if step.enumeration), ())
    if kind is Kind.INT:  # longer ones are never read
        listed = [each for each in listed if math.isfinite(_double(each))]
    numbers = dict.fromkeys(int(each) if kind is Kind.INT else _double(each) for each in listed)
    return tuple(number for number in numbers if not _out_of(number, low, high, open=False))


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


def _out_of(value: float, low: float | None, high: float | None, open: bool = True) -> bool:
    if open and value in (low, high):
        return True
    return (low is not None and value < low) or (high is not None and value > high)
