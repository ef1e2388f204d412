"""A document of one release, as another release says the same.

What the other release lacks is left out where it has no effect, and said by an equivalent where there is one.
A default that is another there is written out. What remains is lacking: `lacking_in` lists it.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator, Mapping
from typing import Any

from polybody.base import Attribute, Child, Element, Format, Kind, Node, Status, Value, children_of
from polybody.document.equivalents import POLYNOMIALS, Values, equivalents
from polybody.document.includes import SPLICE
from polybody.document.parser import lacking
from polybody.document.parser.lacking import Lacked
from polybody.document.parser.value_faults import examine
from polybody.document.resolver import Resolved
from polybody.document.writer import lexical

Rows = Mapping[type[Node], Element]


def translated(document: Node, old: Format, new: Format) -> Node:
    """A copy of a document as another release says the same, as far as it can.

    Args:
        document: the document, which is not changed.
        old: the tables of its release.
        new: those of the other release.
    """
    twins: dict[int, Node] = {}
    twin: Any = copy.deepcopy(document, twins)
    resolved = Resolved(document, old)
    _change(document, twins, resolved, old, new)
    _write_options(document, twin, resolved, old, new)
    twin.release = new.version
    done: Node = twin
    return done


def included_changes(document: Node, old: Format, new: Format) -> Iterator[tuple[Node, Attribute]]:
    """What would have to be said otherwise in the files that a document includes, which stay as they are."""
    spliced = {row.cls for row in old.elements.values() if row.include == SPLICE}
    waiting = [(document, Resolved(document, old))]
    while waiting:
        around, resolved = waiting.pop()
        for holder in around.walk():
            content = getattr(holder, "content", None)
            if not isinstance(content, Node):
                continue
            of = resolved if type(holder) in spliced else Resolved(content, old)
            twins: dict[int, Node] = {}
            copy.deepcopy(content, twins)
            _change(content, twins, of, old, new)
            for node in content.walk():
                row = of.kinds.get(type(node))
                for each in () if row is None else row.attributes.values():
                    if getattr(node, each.field) != getattr(twins[id(node)], each.field):
                        yield node, each
            waiting.append((content, of))


def _change(part: Node, twins: Mapping[int, Any], resolved: Resolved, old: Format, new: Format) -> None:
    """Say in the copies of the elements of a part of a document what another release says otherwise."""
    before, after = _rows(old), _rows(new)
    apart = {old.elements[default.source].cls for default in old.defaults} | singles(old).keys()
    for node in list(part.walk()):
        was, now = before.get(type(node)), after.get(type(node))
        if was is not None and now is not None:
            _restate(twins[id(node)], was, now, new)
            if type(node) not in apart:
                _write_defaults(node, twins[id(node)], resolved, was, now)


def _rows(form: Format) -> Rows:
    return {row.cls: row for row in form.elements.values()}


def _restate(twin: Any, before: Element, after: Element, new: Format) -> None:
    """Say by other attributes what the release lacks, or leave it out if it has no effect."""
    absent = {row.name: row for row in after.absent if isinstance(row, Attribute)}
    given = {row.name: row for row in before.attributes if getattr(twin, row.field) is not None}
    texts = {name: lexical(getattr(twin, row.field), before, row) for name, row in given.items()}
    known = {row.name: row for row in after.attributes}
    for each in equivalents(new.name):
        for said, instead in ((each.older, each.newer), (each.newer, each.older)):
            if twin.TAG in each.tags and _fits(said, instead, texts, absent, known):
                for name in said:
                    setattr(twin, given[name].field, None)
                for name, text in instead.items():
                    setattr(twin, known[name].field, _parsed(known[name].forms, text))
    for name in given.keys() & known.keys():
        if (twin.TAG, name) in POLYNOMIALS.get(new.name, ()):
            _lower_order(twin, before, given[name], known[name])
    for name, row in given.items():
        if name in absent and getattr(twin, row.field) == row.default:
            setattr(twin, row.field, None)


def _lower_order(twin: Any, before: Element, was: Attribute, now: Attribute) -> None:
    """Leave out coefficients that are zero, if the release has only the first one."""
    value = getattr(twin, was.field)
    if not isinstance(value, tuple) or any(value[1:]) or _has(now, value, before):
        return
    if value and _has(now, value[0], before):
        setattr(twin, was.field, value[0])


def _fits(
    said: Values,
    instead: Values,
    texts: Mapping[str, str],
    absent: Mapping[str, Attribute],
    known: Mapping[str, Attribute],
) -> bool:
    """Whether an element says something by attributes that are not all there, and can say it otherwise."""
    return (
        all(texts.get(name) == text for name, text in said.items())
        and any(name in absent or examine(known[name].forms, text) for name, text in said.items())
        and all(
            name in known and (name not in texts or name in said) and examine(known[name].forms, text) is None
            for name, text in instead.items()
        )
    )


def _parsed(forms: tuple[Value, ...], text: str) -> Any:
    """The value of one word."""
    form = next(form for form in forms if examine((form,), text) is None)
    if form.enum is not None:
        return form.enum(text)
    return {Kind.BOOL: text == "true", Kind.INT: text}.get(form.kind, text)


def _changed(before: Element, after: Element) -> Iterator[tuple[Attribute, Attribute]]:
    """The attributes whose default is another, as they were and as they are. A release that does not have an
    attribute yet does what its first default says, if it says what releases do (status `later`).
    """
    were = {row.name: row for row in before.attributes}
    were |= {
        row.name: row
        for row in before.absent
        if isinstance(row, Attribute) and row.name in before.newer and row.status is Status.LATER
    }
    for now in after.attributes:
        was = were.get(now.name)
        if was is not None and was.default != now.default and was.default is not None:
            yield was, now


def _write_defaults(node: Node, twin: Any, resolved: Resolved, before: Element, after: Element) -> None:
    """Write the values of an element that were defaults and are others in the release."""
    for was, now in _changed(before, after):
        if was.name in before.newer:
            value = was.default if getattr(twin, was.field) is None else None
        else:
            found = resolved.value(node, was.name)
            value = found.value if found.origin == "schema" else None
        if value is not None and _has(now, value, before):
            setattr(twin, was.field, value)


def _has(row: Attribute, value: Any, element: Element) -> bool:
    """Whether an attribute can have a value."""
    return examine(row.forms, lexical(value, element, row)) is None


def singles(form: Format) -> Mapping[type[Node], tuple[Child, ...]]:
    """The kinds of elements of which a document has one, each with the path from the root to it."""
    found: dict[type[Node], tuple[Child, ...]] = {}
    waiting: list[tuple[Element, tuple[Child, ...]]] = [(form.elements[form.root], ())]
    lenders = {default.source for default in form.defaults}
    while waiting:
        row, path = waiting.pop()
        for child in row.children:
            below = form.elements[child.element]
            if child.high == 1 and below.cls not in found and child.element not in lenders:
                found[below.cls] = (*path, child)
                waiting.append((below, (*path, child)))
    return found


def _write_options(document: Node, twin: Any, resolved: Resolved, old: Format, new: Format) -> None:
    """The same for elements of which a document has one, which may not be there."""
    before, after = _rows(old), _rows(new)
    there = singles(new)
    for cls, path in singles(old).items():
        if cls not in there:
            continue
        held = [node for node in resolved.expanded.walk() if type(node) is cls]
        for was, now in _changed(before[cls], after[cls]):
            if all(getattr(node, was.field) is None for node in held) and _has(now, was.default, before[cls]):
                setattr(_at(twin, path, old), was.field, was.default)


def _at(root: Any, path: tuple[Child, ...], form: Format) -> Any:
    """The element at a path, which is made if it is not there."""
    node = root
    for child in path:
        below = getattr(node, child.field)
        if below is None:
            below = form.elements[child.element].cls()
            setattr(node, child.field, below)
        node = below
    return node


def lacking_in(document: Node, old: Format, new: Format) -> Iterator[Lacked]:
    """What a document has and a release lacks, in the order of the document, files that it includes too."""
    before, after = _rows(old), _rows(new)
    waiting: list[Any] = [document]
    while waiting:
        node = waiting.pop()
        row = after.get(type(node))
        content = getattr(node, "content", None)
        waiting += reversed([*children_of(node), *([content] if isinstance(content, Node) else [])])
        if row is None or type(node) not in before:
            continue
        absent = {each.tag for each in row.absent if isinstance(each, Child)}
        for child in children_of(node):
            if child.TAG in absent:
                yield lacking.named(row, child.TAG, f"<{child.TAG}> in <{node.TAG}>", child.span)
        yield from _of_attributes(node, before[type(node)], row)


def _of_attributes(node: Node, before: Element, row: Element) -> Iterator[Lacked]:
    known = {each.name: each for each in row.attributes}
    others = [each for each in before.absent if isinstance(each, Attribute)]  # those of an edited document
    for each in (*before.attributes, *others):
        value = getattr(node, each.field)
        if value is None or each.leaf:
            continue
        span = node.attribute_span(each.name, *each.aliases)
        what = f"`{each.name}` of <{node.TAG}>"
        if each.name not in known:
            yield lacking.named(row, each.name, what, span)
            continue
        text = lexical(value, before, each)
        if examine(known[each.name].forms, text) is not None:
            found = lacking.valued(known[each.name], text, f"`{text:.60}` for {what}", span)
            if found is not None and found.known:
                yield found
