"""What a document has that acts and that no Model can be made of yet, according to its format's schema.

Such elements and attributes have the status ``later``. An element acts where it is, outside of classes of
defaults; an attribute where its effective value is another than the first default that it had, whether a
document gives that value or a release has it by default.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from enum import Enum
from functools import cache
from typing import Any, NamedTuple

from polybody.base import Attribute, Element, Format, Node, Status
from polybody.diagnostics import Findings
from polybody.document.includes import SPLICE
from polybody.document.releases import release_of
from polybody.document.resolver import Resolved
from polybody.document.translation import singles

Lacks = Callable[[Enum], bool]
"""Whether a keyword has no meaning for Models yet."""
Needs = Mapping[str, str]
"""By ``tag/@name``: the tag of elements without which an attribute does not act."""


class _Later(NamedTuple):
    """What may act in elements of a class."""

    row: Element
    attributes: tuple[tuple[Attribute, Any], ...]
    """With the value with which they do not act."""
    worded: tuple[Attribute, ...]
    """Attributes whose values are keywords."""


class _Acts(NamedTuple):
    """Something that acts: its tag, the element that gives it, its row, and the keyword, if it is one."""

    tag: str
    holder: Node
    row: Attribute | Element
    word: str = ""
    by_default: bool = False
    """Whether nothing gives the value, which is the release's default."""


def report_acting(
    document: Node,
    form: Format,
    findings: Findings,
    lacks: Lacks,
    needs: Needs,
    code: str = "PB064",
    before: str = "",
) -> None:
    """Add a finding for each kind of element, attribute and keyword that acts and cannot be simulated yet, at
    its first occurrence, in the files that a document includes, too.

    Args:
        document: as read.
        form: the tables of its release.
        findings: receives the findings.
        lacks: whether a keyword has no meaning for Models yet.
        needs: which attributes act only together with other elements.
        code, before: the code of the findings, and the beginning of their messages.
    """
    alike: dict[tuple[str, str, str], list[_Acts]] = {}
    for each in _acting(document, form, lacks, needs):
        name = each.row.name if isinstance(each.row, Attribute) else ""
        alike.setdefault((each.tag, name, each.word), []).append(each)
    for (tag, name, word), found in alike.items():
        holder, row = found[0].holder, found[0].row
        what = f"`{name}` of <{tag}>" if name else f"<{tag}>"
        times = "" if len(found) == 1 else f" (written {len(found)} times)"
        reason = "this keyword is read and checked only" if word else row.reason
        what = f"{before}{f'`{word}` for ' if word else ''}{what}"
        if found[0].by_default:
            what = f"{before}the default of `{name}` of <{tag}>"
            times = f" in {form.name} {release_of(form)}"
        span = holder.attribute_span(name) if name else holder.span
        findings.add(code, span, f"{what} is not simulated{times}: {reason}", source=holder.source)


def _acting(document: Node, form: Format, lacks: Lacks, needs: Needs) -> Iterator[_Acts]:
    """What acts, in the order of elements, of the document first."""
    later = _later(form)
    lenders = {form.elements[each.source].cls for each in form.defaults}
    loaders = {row.cls for row in form.elements.values() if row.include and row.include != SPLICE}
    roots = [document]
    while roots:  # the document and the models that it attaches, at any depth
        root = roots.pop()
        resolved = Resolved(root, form)
        waiting, tags = [resolved.expanded], set()
        found: list[_Acts] = []
        while waiting:
            node: Any = waiting.pop()
            if type(node) in lenders:
                continue
            tags.add(node.TAG)
            waiting += reversed(list(node.children))
            if type(node) in loaders and isinstance(node.content, Node):
                roots.append(node.content)
            if type(node) in later:
                found += _of(node, later[type(node)], resolved, lacks)
        found += _unsaid(root, form, later, tags)
        yield from (each for each in found if _needed(each, needs) in (None, *tags))


def _needed(what: _Acts, needs: Needs) -> str | None:
    return needs.get(f"{what.tag}/@{what.row.name}") if isinstance(what.row, Attribute) else None


def _unsaid(
    root: Node, form: Format, later: Mapping[type[Node], _Later], tags: Collection[str]
) -> Iterator[_Acts]:
    """Defaults that act of an element that every document has, written or not."""
    for cls in singles(form):
        for attribute, inert in later[cls].attributes if cls in later else ():
            tag = later[cls].row.tag
            if attribute.default != inert and tag not in tags:
                yield _Acts(tag, root, attribute, by_default=True)


def _of(node: Node, later: _Later, resolved: Resolved, lacks: Lacks) -> Iterator[_Acts]:
    if later.row.status is Status.LATER:
        yield _Acts(node.TAG, node, later.row)
        return
    for attribute, inert in later.attributes:
        found = resolved.value(node, attribute.name)
        if found.value != inert and (found.node is not None or attribute.default != inert):
            yield _Acts(node.TAG, found.node or node, attribute, by_default=found.node is None)
    for attribute in later.worded:
        found = resolved.value(node, attribute.name)
        words = found.value if isinstance(found.value, tuple) else (found.value,)
        for word in words:
            if found.node is not None and isinstance(word, Enum) and lacks(word):
                yield _Acts(node.TAG, found.node, attribute, str(word.value))


@cache
def _later(form: Format) -> dict[type[Node], _Later]:
    """What may act, by classes of elements."""
    found = {}
    whole = form.whole or form
    for key, row in form.elements.items():
        first = {each.name: each.default for each in whole.elements[key].attributes}
        listed = [each for each in row.attributes if each.status is Status.LATER]
        attributes = tuple([(each, first[each.name]) for each in listed])
        worded = tuple([each for each in row.attributes if any(f.enum is not None for f in each.forms)])
        if row.status is Status.LATER or attributes or worded:
            found[row.cls] = _Later(row, attributes, worded)
    return found
