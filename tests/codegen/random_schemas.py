"""Seeded schemas with namespaces, nested content models and keys, and documents for them."""

from __future__ import annotations

import random
from dataclasses import dataclass, field

OWN, OTHER = "urn:own", "urn:other"
SIMPLE = {
    "xs:date": ("2026-01-31", " 2024-02-29 ", "2026-02-30", "yesterday"),
    "xs:dateTime": ("2026-01-31T12:30:00Z", "2026-01-31", "2026-01-31T25:00:00"),
    "xs:duration": ("P1DT12H", "P", "PT1H1Y"),
    "xs:NMTOKEN": ("a-1", "-", "a b"),
    "xs:language": ("en-GB", "english_"),
    "octets": ("0aff", "0a", "0aff00", "0aFG"),
    "sided": ("no passing", " no  passing", "both", "no", "passing"),
    "few": ("1", "4", "2", "x"),
    "fixed": ("1.5", "1.50", "2", "x"),
}
"""Simple types with texts, of which the first is valid."""
TYPES = """<xs:simpleType name="octets"><xs:restriction base="xs:hexBinary"><xs:length value="2"/>
</xs:restriction></xs:simpleType>
<xs:simpleType name="sided"><xs:restriction base="xs:token"><xs:enumeration value="no passing"/>
<xs:enumeration value="both"/></xs:restriction></xs:simpleType>
<xs:simpleType name="few"><xs:restriction base="xs:int"><xs:enumeration value="4"/><xs:enumeration value="1"/>
</xs:restriction></xs:simpleType>"""


@dataclass
class Model:
    """A part of a content model: a tag, or parts."""

    tag: str = ""
    parts: list[Model] = field(default_factory=list)
    choice: bool = False
    low: int = 1
    high: int | None = 1


class Drawn:
    """One schema: types t0, t1, ... of elements, each of which may contain elements of later types."""

    def __init__(self, seed: int) -> None:
        self.draw = random.Random(seed)
        self.namespace = self.draw.choice((OWN, OWN, ""))
        self.qualified = self.draw.random() < 0.6
        self.attributes_qualified = self.draw.random() < 0.3
        self.count = self.draw.randint(2, 4)
        self.used: dict[str, int] = {}  # the type of each tag
        self.models = [self._model(number) for number in range(self.count)]
        self.keyed = self.draw.random() < 0.7
        self.values = [self.draw.sample([*SIMPLE], self.draw.randint(0, 2)) for _ in range(self.count)]

    # --- the schema ---------------------------------------------------------------------------------------

    def _model(self, number: int) -> Model | None:
        if number == self.count - 1:
            return None
        tags = [f"e{number}{letter}" for letter in "abcd"[: self.draw.randint(1, 4)]]
        for tag in tags:
            self.used[tag] = self.draw.randint(number + 1, self.count - 1)
        return self._group(tags, 0)

    def _group(self, tags: list[str], depth: int) -> Model:
        if len(tags) == 1:
            return Model(tag=tags[0], low=self.draw.choice((0, 1, 1, 2)), high=self.draw.choice((2, 3, None)))
        at = self.draw.randint(1, len(tags) - 1)
        groups = [tags[:at], tags[at:]] if depth < 2 else [[tag] for tag in tags]
        low, high = self.draw.choice(((1, 1), (1, 1), (0, 1), (0, None), (1, 2)))
        parts = [self._group(group, depth + 1) for group in groups]
        return Model(parts=parts, choice=self.draw.random() < 0.4, low=low, high=high)

    def schema(self) -> str:
        form = ' elementFormDefault="qualified"' if self.qualified else ""
        form += ' attributeFormDefault="qualified"' if self.attributes_qualified else ""
        target = f' targetNamespace="{OWN}" xmlns:o="{OWN}"' if self.namespace else ""
        prefix = "o:" if self.namespace else ""
        types = "\n".join(self._type(number, prefix) for number in range(self.count))
        return (
            f'<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema"{target}{form}>\n{TYPES}\n{types}\n'
            f'<xs:element name="root" type="{prefix}t0">{self._keys()}</xs:element>\n</xs:schema>\n'
        )

    def _keys(self) -> str:
        if not self.keyed:
            return ""
        attribute = "@o:id" if self.attributes_qualified and self.namespace else "@id"
        reference = "@o:ref" if self.attributes_qualified and self.namespace else "@ref"
        name = "o:ids" if self.namespace else "ids"
        return (
            f'<xs:unique name="ids"><xs:selector xpath=".//*"/><xs:field xpath="{attribute}"/></xs:unique>'
            f'<xs:keyref name="refs" refer="{name}"><xs:selector xpath=".//*"/>'
            f'<xs:field xpath="{reference}"/></xs:keyref>'
        )

    def _type(self, number: int, prefix: str) -> str:
        model = self.models[number]
        content = "" if model is None else self._content(model, prefix, top=True)
        attributes = "".join(f'<xs:attribute name="{name}" type="xs:token"/>' for name in ("id", "ref"))
        for simple in self.values[number]:
            kind = simple if ":" in simple else prefix + simple
            typed = 'type="xs:double" fixed="1.5"' if simple == "fixed" else f'type="{kind}"'
            attributes += f'<xs:attribute name="{simple.removeprefix("xs:")}" {typed}/>'
        return f'<xs:complexType name="t{number}">{content}{attributes}</xs:complexType>'

    def _content(self, model: Model, prefix: str, top: bool = False) -> str:
        high = "unbounded" if model.high is None else model.high
        occurs = f' minOccurs="{model.low}" maxOccurs="{high}"'
        if model.tag:
            element = f'<xs:element name="{model.tag}" type="{prefix}t{self.used[model.tag]}"{occurs}/>'
            return f"<xs:sequence>{element}</xs:sequence>" if top else element
        kind = "choice" if model.choice else "sequence"
        parts = "".join(self._content(part, prefix) for part in model.parts)
        return f"<xs:{kind}{occurs}>{parts}</xs:{kind}>"

    # --- documents ----------------------------------------------------------------------------------------

    def document(self) -> str:
        """A document that is valid, except possibly for its keys and values."""
        self.ids = 0
        prefixed = bool(self.namespace) and (not self.qualified or self.draw.random() < 0.5)
        own = "p:" if prefixed else ""
        declared = f' xmlns:p="{OWN}"' if self.namespace else ""
        if self.namespace and not prefixed:
            declared += f' xmlns="{OWN}"'
        return f"<{own}root{self._attributes(0)}{declared}>{self._inside(0, own)}</{own}root>"

    def _attributes(self, number: int) -> str:
        prefix = "p:" if self.attributes_qualified and self.namespace else ""
        written = ""
        if self.draw.random() < 0.6:
            self.ids += 1
            written += f' {prefix}id="i{self.ids if self.draw.random() < 0.95 else 1}"'
        if self.ids and self.draw.random() < 0.3:
            written += f' {prefix}ref="i{self.draw.randint(1, self.ids)}"'
        for simple in self.values[number]:
            texts = SIMPLE[simple] if self.draw.random() < 0.1 else SIMPLE[simple][:1]
            if self.draw.random() < 0.6:
                written += f' {prefix}{simple.removeprefix("xs:")}="{self.draw.choice(texts)}"'
        return written

    def _inside(self, number: int, own: str) -> str:
        model = self.models[number]
        if model is None:
            return ""
        prefix = own if self.qualified else ""
        made = ""
        for tag in self._tags(model):
            below = self._inside(self.used[tag], own)
            made += f"<{prefix}{tag}{self._attributes(self.used[tag])}>{below}</{prefix}{tag}>"
        return made

    def _tags(self, model: Model) -> list[str]:
        most = model.low + 2 if model.high is None else model.high
        found: list[str] = []
        for _ in range(self.draw.randint(model.low, min(most, model.low + 1))):
            if model.tag:
                found.append(model.tag)
            elif model.choice:
                found += self._tags(self.draw.choice(model.parts))
            else:
                found += [tag for part in model.parts for tag in self._tags(part)]
        return found
