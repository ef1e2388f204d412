"""A schema of ours as a description."""

from __future__ import annotations

from collections.abc import Iterator

from ..schema import Kind, Schema
from ..schema.model import Attribute as Declared
from ..schema.model import Child
from ..schema.model import Element as Definition
from ..schema.rules import Rule as Stated
from ..schema.rules.presence import AnyOf, Exclusive, OneOf, Requires, Together
from .described import ANY, TRUTH, Attribute, Description, Element, Path, Rule
from .rules import alternatives, exclusive, together
from .versions import exists

NAMES = {Kind.INT: "int", Kind.REAL: "real"}


def described(schema: Schema, release: str = "") -> Description:
    """The paths of a schema. Below an element of the same kind a path is not continued.

    A field that is a child with a text only is an element here. Without a release, what belongs to some
    versions only is in the description as well.
    """
    found: dict[Path, Element] = {}
    elements = {element.key: element for element in schema.elements}

    def there(each: Declared | Child) -> bool:
        return not release or exists(each.since, each.until, release)

    def add(path: Path, key: str, above: tuple[str, ...], low: int, high: int) -> None:
        element = elements[key]
        here = [each for each in element.attributes if there(each)]
        attributes = {each.name: _attribute(schema, each) for each in here if not each.leaf}
        text = _attribute(schema, element.text) if element.text else None
        found[path] = Element(attributes, text, low, high, tuple(_rules(element)), key)
        for each in here:
            if each.leaf:
                leaf = _attribute(schema, each)
                found[*path, each.name] = Element({}, leaf, int(each.required), 1)
        for child in element.children:
            if child.element not in (*above, key) and there(child):
                most = ANY if child.merge or child.last else child.high
                add((*path, child.tag), child.element, (*above, key), child.low, most)

    for root in schema.roots:
        add((elements[root].tag,), root, (), 1, 1)
    return found


def _attribute(schema: Schema, declared: Declared) -> Attribute:
    keywords: list[str] = []
    kind, sizes = "string", []
    for form in declared.forms:
        if form.kind is Kind.ENUM:
            keywords += [member.value for member in schema.enum(form.enum).members]
        elif form.kind is Kind.BOOL:
            keywords += TRUTH
        elif form.kind in NAMES:
            kind = NAMES[form.kind]
        sizes.append((1, 1) if form.scalar else (form.low, form.high))
    only_words = keywords and kind == "string"
    low, high = sizes[0] if len(set(sizes)) == 1 else (None, None)
    return Attribute(
        "keyword" if only_words else kind,
        tuple(keywords),
        declared.default,
        declared.required,
        low,
        high,
        declared.meaning.declares,
        " ".join(declared.meaning.refers),
    )


def _rules(element: Definition) -> Iterator[Rule]:
    for each in element.rules:
        yield from _said(each)


def _said(rule: Stated) -> Iterator[Rule]:
    if isinstance(rule, Exclusive | OneOf):
        yield from exclusive([(name,) for name in rule.names])
    if isinstance(rule, AnyOf):  # of which OneOf is one
        yield from alternatives([(name,) for name in rule.names])
    if isinstance(rule, Together):
        yield from together(rule.names)
    if isinstance(rule, Requires):
        yield from (Rule("requires", (rule.of, name)) for name in rule.names)
