"""Renaming elements, one or all, with the references to them."""

from __future__ import annotations

from itertools import chain
from operator import attrgetter
from typing import Any, overload

from polybody.base import Node
from polybody.document.references import Mention, References, Scope, Use, put, value_of, words_of
from polybody.document.registry import format_of
from polybody.editing.arguments import require_element, require_within
from polybody.editing.included import Included


class Renamed(int):
    """The number of changed references.

    Attributes:
        mentions: texts of plugins, and of other elements whose meaning is not known, that contain an old
            name. They are not changed.
    """

    mentions: list[Mention]

    def __new__(cls, count: int, mentions: list[Mention]) -> Renamed:
        made = super().__new__(cls, count)
        made.mentions = mentions
        return made


@overload
def rename(document: Node, node: Node, name: str) -> Renamed: ...
@overload
def rename(document: Node, *, prefix: str) -> Renamed: ...
def rename(document: Node, node: Any = None, name: Any = None, *, prefix: str | None = None) -> Renamed:
    """Rename an element of a document, or all of them, and change all references.

        pb.rename(document, document.find("body", "torso"), "trunk")
        pb.rename(document, prefix="left_")  # every name of the document

    References in extensions are changed, too: ``<gazebo reference>``, ``<ros2_control>``, transmissions.
    Files that the document includes are not changed: a name to which one of them refers cannot be changed.
    `polybody.validate` says whether the document is still valid.

    Args:
        document: its root element.
        node, name: the element, and its new name.
        prefix: instead, text to put before every name that the document declares.

    Returns:
        The number of changed references; its ``mentions`` are the texts of plugins that contain an old name.

    Raises:
        TypeError: ``document`` or ``node`` is not an element, or both a name and a prefix are given.
        ValueError: the element is not in the document, has no name, or another element already has the new
            name, or a file that the document includes refers to the old one; or, in SDFormat, where `a::b`
            is a part of the model `a`, it would be a part of another model. Nothing is changed.
    """
    form = format_of(document)
    if prefix is not None:
        if node is not None or name is not None:
            raise TypeError("rename takes an element and its new name, or a prefix for all names, not both")
        if not isinstance(prefix, str):
            raise TypeError(f"the prefix must be a text, not {prefix!r:.60}")
        return prefix_names(References(document, form), prefix)
    require_element(node)
    if not isinstance(name, str):
        raise TypeError(f"the new name must be a text, not {name!r:.60}")
    references = References(document, form)
    scope = references.scope_of(node)
    if scope is None:
        require_within(document, node)
    declared = references.declared(node)
    if scope is None or declared is None:
        undeclared = type(node) not in references.tables.declares and getattr(node, "name", None)
        what = f"the schema declares no name of <{node.TAG}>" if undeclared else f"<{node.TAG}> has no name"
        raise ValueError(what)
    row, kind = declared
    around: Any = references.parents.get(id(node)) if references.naming.joins else None
    if getattr(around, "file", None):
        raise ValueError(
            f"the name joins this <{node.TAG}> with one in the file of the <{around.TAG}> around it"
        )
    included = Included(references)
    taken = references.find(scope, (kind,), name) or included.find((kind,), name)
    if taken is not None and taken is not node:
        where = f" at {taken.place}" if taken.place else ""
        raise ValueError(f"there is another <{taken.TAG}> named {name!r}{where}")
    included.require_unused([node])
    old = references.name_of(node) or ""
    if references.naming.delimiter:
        _require_same_model(references, scope, kind, old, name)
    uses = references.uses_of(node, old)
    mentions = references.mentions((old,))
    _replace(references, [(use, name) for use in uses])
    put(node, row, name)
    return Renamed(len(uses), mentions)


def _require_same_model(references: References, scope: Scope, kind: str, old: str, name: str) -> None:
    """Raise a ValueError if a new name, because of its parts, makes an element one of another model."""
    delimiter = references.naming.delimiter
    around, mark, last = old.rpartition(delimiter)
    if mark and references.is_fixed(kind, last):
        raise ValueError(f"{old!r} is the frame of the model {around!r}, so it cannot have another name")
    if name.rpartition(delimiter)[:2] != (around, mark) or name.endswith(delimiter):
        if mark:
            raise ValueError(f"{old!r} is part of the model {around!r}: only the name after it can change")
        raise ValueError(f"{name!r} would be a part of another model, because it contains {delimiter!r}")
    known = (map(attrgetter("name"), nodes) for nodes in scope.declares.values() if hasattr(nodes[0], "name"))
    lines = "\n".join(("", *filter(None, chain(*known))))  # a comparison of each name would take long
    if f"\n{name}{delimiter}" in lines:
        raise ValueError(f"there is a model {name!r}, because there are parts of it")


def _replace(references: References, uses: list[tuple[Use, str]]) -> None:
    """Change references; in a formula, a change moves the text after it."""
    for use, name in sorted(uses, key=lambda each: each[0].part, reverse=True):
        put(use.node, use.row, references.renamed(use, name))


def prefix_names(references: References, prefix: str) -> Renamed:
    """Put a text before all names, except those that exist in every document."""
    included = Included(references)
    own: list[tuple[Any, Any, str]] = []
    for scope in references.scopes:
        references.names(scope)
        for node in (each for nodes in scope.declares.values() for each in nodes):
            row, kind = references.declared(node) or (None, "")
            name = references.name_of(node)
            if row is not None and name is not None and not references.is_fixed(kind, name):
                own.append((node, row, name))
    included.require_unused([node for node, _, _ in own])
    changed = {id(node) for node, _, _ in own}
    names = {(id(node), row.name) for node, row, _ in own}
    uses = [
        (use, prefix + references.word(use))
        for use in references.uses()
        if id(use.target) in changed and (id(use.node), use.row.name) not in names
    ]
    mentions = references.mentions({name for _, _, name in own})
    generated = _generated(references, included) if references.naming.makers else []
    makers: list[Any] = [n for n in references.document.walk() if n.TAG in references.naming.makers]
    makers = [node for node in makers if getattr(node, "file", "generated")]
    _replace(references, uses)
    for node, row, name in own:
        put(node, row, prefix + name)
    for node, row, words in generated:
        put(node, row, _prefixed(words, prefix))
    for node in makers:
        field = references.naming.makers[node.TAG]
        setattr(node, field, prefix + (getattr(node, field) or ""))
    return Renamed(len(uses) + len(generated), mentions)


def _generated(references: References, included: Included) -> list[tuple[Any, Any, Any]]:
    """References to names that elements such as attach, or files, bring: no element declares them."""
    generating = references.naming.generating
    makers = [node for node in references.document.walk() if node.TAG in generating]
    if references.naming.joins:  # those with a file
        makers = [node for node in makers if getattr(node, "file", None)]
    if not makers:
        return []
    found = []
    for node, row, kinds, scope in references.places():
        words = words_of(value_of(node, row))
        known: list[Any] = [references.find(scope, kinds, w) or included.find(kinds, w) for w in words]
        known += [_is_fixed(references, kinds, word) for word in words]
        if words and not any(known) and row.name not in references.naming.formulas:
            found.append((node, row, value_of(node, row)))
    return found


def _is_fixed(references: References, kinds: Any, name: str) -> bool:
    return any(references.is_fixed(kind, name) for kind in kinds)


def _prefixed(value: Any, prefix: str) -> Any:
    return prefix + value if isinstance(value, str) else type(value)(prefix + word for word in value)
