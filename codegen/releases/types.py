"""The simple types of our schema for values that a release describes, and those that it lacks."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path as File
from xml.sax.saxutils import quoteattr

from ..schema import Kind, Schema
from ..schema.model import Place
from ..schema.types import Type
from .comparison import TEXT, changes
from .described import ANY, TRUTH, Attribute, Description

_DECLARATION = re.compile(r'<xs:(?:complexType|simpleType|attributeGroup) name="([^"]+)"')
LISTS = {"int": "Ints", "real": "Reals"}
GENERAL = ("Type", "Mode", "Data", "Input", "Output")
"""Names that say too little without the element's."""
NUMBERS = {"int": "xs:int", "real": "xs:double"}
KINDS = {"int": Kind.INT, "real": Kind.REAL}


class Types:
    """The types of a schema by what they allow. ``lacking`` are definitions of others, by name; ``places``
    are those of the schema's types and groups.
    """

    def __init__(self, schema: Schema, ours: Description) -> None:
        self.lacking: dict[str, str] = {}
        self.declared = {
            (element.key, TEXT if declared is element.text else declared.name): declared
            for element in schema.elements
            for declared in element.values
        }
        self._plain: Counter[tuple[Kind, int, int, str]] = Counter()
        self._words: dict[frozenset[str], Counter[str]] = {}
        self.places: dict[str, Place] = {}
        for name, place in _declarations(schema):
            self.places.setdefault(name, place)
        self._twins: dict[str, list[tuple[Attribute, str]]] = {}
        for declared in self.declared.values():
            self._note(schema, declared.type)
        for element in ours.values():
            for name, said in element.attributes.items():
                if type_ := self.declared[element.kind, name].type.name:
                    self._twins.setdefault(name, []).append((said, type_))

    def _note(self, schema: Schema, type_: Type) -> None:
        if not type_.name or len(type_.forms) != 1:
            return
        form = type_.forms[0]
        if form.kind is Kind.ENUM:
            words = frozenset(member.value for member in schema.enum(form.enum).members)
            if form.scalar:
                self._words.setdefault(words, Counter())[type_.name] += 1
        elif form.kind is Kind.BOOL:
            self._words.setdefault(frozenset(TRUTH), Counter())[type_.name] += 1
        elif form.minimum is None or form.minimum <= -(2**31):  # a bound of the machine's numbers only
            low, high = (1, 1) if form.scalar else (form.low, form.high)
            if not (form.numbers or form.pattern):
                self._plain[form.kind, low, high, type_.name] += 1

    def name(self, attribute: str, said: Attribute, tag: str) -> str:
        """The name of a type for an attribute of an element: that of an attribute of this name that allows
        the same, or of one that is as general as what is said.
        """
        twins = Counter(type_ for other, type_ in self._twins.get(attribute, ()) if not _differ(other, said))
        if twins:
            return twins.most_common(1)[0][0]
        if said.keywords:
            return self._of_words(attribute, said, tag)
        if said.type not in KINDS:
            return "Name" if said.declares else "xs:string"
        return self._of_numbers(said)

    def _of_words(self, attribute: str, said: Attribute, tag: str) -> str:
        known = self._words.get(frozenset(said.keywords))
        name = known.most_common(1)[0][0] if known else camel(attribute)
        if known is None:
            if name in GENERAL or name in self.places or self._other(name, said):
                name = camel(tag) + name
            self.lacking[name] = _words(name, said.keywords)
        if said.high in (None, 1):
            return name
        several = f"{name}s"
        self._lack(several, f'<xs:list itemType="{name}"/>')
        return several

    def _lack(self, name: str, inner: str) -> None:
        if name not in self.places:
            self.lacking[name] = f'<xs:simpleType name="{name}">{inner}</xs:simpleType>'

    def _other(self, name: str, said: Attribute) -> bool:
        return name in self.lacking and self.lacking[name] != _words(name, said.keywords)

    def _known(self, kind: Kind, low: int, high: int) -> str:
        """The most used type of these numbers, "" if there is none."""
        known = [(uses, name) for (*form, name), uses in self._plain.items() if form == [kind, low, high]]
        return max(known)[1] if known else ""

    def _of_numbers(self, said: Attribute) -> str:
        assert said.type is not None
        high = ANY if said.high is None else said.high
        low = 0 if high == ANY else high if said.low is None else said.low
        kind = KINDS[said.type]
        if name := self._known(kind, low, high):
            return name
        if high == 1 and low == 1:
            return NUMBERS[said.type]
        base = LISTS[said.type]
        count = f'<xs:length value="{high}"/>'
        name = f"{base}{high}"
        if high != low:
            name = f"{base}{low}to{high}" if high != ANY else base
            count = f'<xs:minLength value="{low}"/><xs:maxLength value="{high}"/>'
        one = self._known(kind, 1, 1) or NUMBERS[said.type]
        self._lack(base, f'<xs:list itemType="{one}"/>')
        if name != base:
            self._lack(name, f'<xs:restriction base="{base}">{count}</xs:restriction>')
        return name


def _declarations(schema: Schema) -> Iterator[tuple[str, Place]]:
    """The names of types and groups of attributes, with their places. No other part of a schema model has
    those of types that no attribute uses, and of groups.
    """
    folder = schema.place.path.parent
    for file in schema.files:
        for number, line in enumerate((folder / file).read_text(encoding="utf-8").splitlines(), 1):
            for match in _DECLARATION.finditer(line):
                yield match[1], Place(File(folder.name) / file, number)


def camel(name: str) -> str:
    """A name of the format as one of a type: ``axis_state`` is AxisState."""
    return "".join(part[:1].upper() + part[1:] for part in name.split("_"))


def _differ(ours: Attribute, theirs: Attribute) -> bool:
    """Whether a type that ours has does not suit theirs."""
    if theirs.type is None:
        return True
    if theirs.type == "string":
        return ours.type != "string" or bool(theirs.declares) != bool(ours.declares)
    sizes = theirs.high is not None and (ours.high != theirs.high or (theirs.low or ours.low) != ours.low)
    return ours.type != theirs.type or sizes or {"keywords", "numbers"} & set(changes(ours, theirs)) != set()


def _words(name: str, keywords: tuple[str, ...]) -> str:
    values = "".join(f"\n    <xs:enumeration value={quoteattr(word)}/>" for word in keywords)
    inner = f'<xs:restriction base="xs:token">{values}\n  </xs:restriction>'
    return f'<xs:simpleType name="{name}">{inner}</xs:simpleType>'
