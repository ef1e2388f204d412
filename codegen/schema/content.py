"""Order of children and unique values in XSD: content models, identity constraints."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

from xmlschema.validators import XsdAnyElement, XsdGroup

from .model import Constraint, Content, SchemaError
from .source import XS, Component, Node, Xsd, place
from .types import MOST, UNBOUNDED

ANYTHING = "*"
_NAME = r"[^\s/|@:*.()\[\]]+"
_STEP = re.compile(rf"(?:child::)?(?:(?P<prefix>{_NAME}):)?(?P<local>\*|{_NAME})")
_ATTRIBUTE = re.compile(rf"(?:@|attribute::)\s*(?:(?P<prefix>{_NAME}):)?(?P<local>\*|{_NAME})")


# --- content models -----------------------------------------------------------------------------------------


class Unordered(Exception):
    """An unordered content model: an xs:all group."""


def content_model(
    group: Component, name: Callable[[Component], str], substitutes: Callable[[Component], list[Component]]
) -> Content | None:
    """The content model of a group; None if the numbers of children of each tag define it completely.

    Args:
        group: the content of a complex type.
        name: returns the tag of an element declaration.
        substitutes: returns the elements that can replace a reference to a global element, including itself.
    """
    try:
        content = _group(group, name, substitutes)
    except Unordered:
        return None
    return None if content is None or _is_counted(content) else content


def _group(group: Component, name: Any, substitutes: Any) -> Content | None:
    if group.model == "all" and len(group) > 1:
        raise Unordered
    parts = [part for part in (_particle(each, name, substitutes) for each in group) if part is not None]
    choice = group.model == "choice"
    if not parts:
        return None
    return _simple(Content(parts=tuple(parts), choice=choice), group.min_occurs, _most(group))


def _particle(particle: Component, name: Any, substitutes: Any) -> Content | None:
    if _most(particle) == 0:
        return None
    if isinstance(particle, XsdGroup):
        return _group(particle, name, substitutes)
    if isinstance(particle, XsdAnyElement):
        return Content(tag=ANYTHING, low=particle.min_occurs, high=_most(particle))
    tags = list(dict.fromkeys(name(each) for each in substitutes(particle)))
    if not tags:  # an abstract element without substitutes
        return None
    content = Content(tag=tags[0])
    if len(tags) > 1:
        content = Content(parts=tuple(Content(tag=tag) for tag in tags), choice=True)
    return replace(content, low=particle.min_occurs, high=_most(particle))


def _most(particle: Component) -> int:
    high = particle.max_occurs
    return UNBOUNDED if high is None or high > MOST else int(high)


def _simple(content: Content, low: int, high: int) -> Content | None:
    """Repeated content, without superfluous groups."""
    if high == 0:
        return None
    if len(content.parts) > 1 or content.low != 1 or content.high != 1:
        return replace(content, low=low, high=high)
    (only,) = content.parts
    if only.low > 1 and (low, high) != (1, 1):  # such as (a a){0,2}, which allows 2 or 4
        return replace(content, low=low, high=high)
    most = UNBOUNDED if UNBOUNDED in (only.high, high) else only.high * high
    return replace(only, low=only.low * low, high=UNBOUNDED if most > MOST else most)


def _is_counted(content: Content) -> bool:
    """Whether a content model only defines how often each tag occurs."""
    if content.tag:
        return True
    free = content.choice and content.low == 0 and content.high == UNBOUNDED
    return free and all(part.tag and part.low <= 1 for part in content.parts)


def repeats_sequence(content: Content | None) -> bool:
    """Whether elements of several tags alternate, so that their order is part of the document's content."""
    waiting = [] if content is None else [content]
    while waiting:
        part = waiting.pop()
        if part.high != 1 and not part.choice and len(part.parts) > 1:
            return True
        waiting += part.parts
    return False


def ranks(content: Content) -> dict[str, int]:
    """The ranks of tags in a content model; tags that can alternate have the same rank."""
    found: dict[str, int] = {}
    waiting, place = [content], 0
    while waiting:
        part = waiting.pop()
        if not part.tag and part.high == 1 and not part.choice:
            waiting += reversed(part.parts)
            continue
        for tag in _tags(part):
            found.setdefault(tag, place)
        place += 1
    return found


def _tags(content: Content) -> Iterator[str]:
    waiting = [content]
    while waiting:
        part = waiting.pop()
        if part.tag:
            yield part.tag
        waiting += part.parts


# --- identity constraints -----------------------------------------------------------------------------------


def constraints(declaration: Component, xsd: Xsd) -> Iterator[Constraint]:
    """The identity constraints of an element declaration.

    Raises:
        SchemaError: a path is not in the subset of XPath that such constraints allow.
    """
    for each in declaration.identities:
        node = xsd.node(each)
        if node is None:
            continue
        source = node
        if node.get("ref") is not None:
            source = xsd.node(xsd.schema.maps.identities.get(each.name))
        kind = node.tag.removeprefix(XS)
        selector = source.find(f"{XS}selector")
        fields = source.findall(f"{XS}field")
        refers = source.get("refer", "")
        yield Constraint(
            name=str(each.local_name),
            kind=kind,
            selector=_paths(selector, xsd),
            fields=tuple(_paths(field, xsd) for field in fields),
            refers=refers.rpartition(":")[2],
            place=place(source, xsd.path),
        )


def _paths(node: Node, xsd: Xsd) -> tuple[tuple[str, ...], ...]:
    """The alternatives of a selector or a field."""
    return tuple(tuple(_steps(path.strip(), node, xsd)) for path in node.get("xpath", "").split("|"))


def _steps(path: str, node: Node, xsd: Xsd) -> Iterator[str]:
    if path.startswith(".//"):
        yield "//"
        path = path[3:]
    for step in re.split(r"\s*/\s*", path):
        if step in (".", "self::node()"):
            continue
        found = _STEP.fullmatch(step)
        attribute = None if found else _ATTRIBUTE.fullmatch(step)
        match = found or attribute
        if match is None:
            here = place(node, xsd.path)
            raise SchemaError(here, f'"{path}" is no path of an identity constraint; write tag/tag/@name')
        prefix, local = match["prefix"], match["local"]
        uri = node.nsmap.get(prefix, "") if prefix else "" if attribute else _default(node)
        known = f"{{{uri}}}{local}" if uri else local
        yield f"@{known}" if attribute else known


def _default(node: Node) -> str:
    """The namespace of names without a prefix in an XPath of XSD 1.1."""
    root = node.getroottree().getroot()
    said = node.get("xpathDefaultNamespace", root.get("xpathDefaultNamespace", "##local"))
    if said == "##targetNamespace":
        return str(root.get("targetNamespace", ""))
    if said == "##defaultNamespace":
        return str(node.nsmap.get(None, ""))
    return "" if said == "##local" else str(said)
