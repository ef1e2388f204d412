"""Defaults classes of MJCF, so that each of two documents in one keeps its own defaults."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from polybody.base import children_of
from polybody.document.registry import format_named
from polybody.generated.formats import mjcf

if TYPE_CHECKING:
    from polybody.editing.attaching import Addition

MAIN = "main"


class Shield:
    """A defaults class for everything of another document: what that gives to elements without a class.

    A nested class begins as a copy of the one around it, so that the class also gives the format's defaults
    for what this document's outermost class changes.

    Attributes:
        name: the name of the class; None if neither document needs one.
    """

    def __init__(self, document: Any, whole: Any, other: Any, prefix: str, around: str | None) -> None:
        """whole: the document with the content of included files in place."""
        self.document, self.other = document, other
        self.ours = list(_sections(document))
        theirs = list(_sections(other))
        content = [child for section in theirs for child in children_of(section)]
        self.content = content
        self.rows = [child for child in content if child.TAG != "default"]
        self.plain = [
            child for section in _sections(whole) for child in children_of(section) if child.TAG != "default"
        ]
        self.name: str | None = None
        if self.rows or self.plain or around is not None:
            self.name = _free(
                whole, other, prefix + MAIN if prefix else f"{other.model or 'attached'}_{MAIN}"
            )
        self.made: Any = None
        self.section: Any = None
        if self.content or self.name is not None:
            self._make()

    def _make(self) -> None:
        if not self.ours:
            self.section = mjcf.Default()
        if self.name is not None:
            self.made = mjcf.Default(class_=self.name)
            self.made.children[:] = [*self.content]
            self._neutral()

    def _neutral(self) -> None:
        """Give the format's defaults for what this document's outermost class gives."""
        form = format_named("mjcf")
        rows = {row.cls: row for row in form.elements.values()}
        used = {node.TAG for node in self.other.walk()}
        lost: list[str] = []
        for ours in self.plain:
            targets = {
                form.elements[d.target].tag
                for d in form.defaults
                if form.elements[d.source].cls is type(ours)
            }
            if not targets & used and ours.TAG not in used:
                continue
            own = next((node for node in self.made.children if type(node) is type(ours)), None)
            if own is None:
                own = type(ours)()
                self.made.children.insert(0, own)
            for attribute in rows[type(ours)].attributes:
                given = getattr(ours, attribute.field)
                if given is None or getattr(own, attribute.field) is not None:
                    continue
                if attribute.default is None:
                    lost.append(f"`{attribute.name}` of <{ours.TAG}>")
                else:
                    setattr(own, attribute.field, attribute.default)
        if lost:
            raise ValueError(
                f"the outermost <default> gives {', '.join(dict.fromkeys(lost))}, which cannot be undone for "
                "what is attached; move it into a class"
            )

    def changes(self, node: Any) -> bool:
        """Whether an element of a section has other values with this class than without."""
        if self.name is None or not hasattr(node, "class_"):
            return False
        form, given = format_named("mjcf"), {type(row) for row in (*self.rows, *self.plain)}
        targets = {d.target for d in form.defaults if form.elements[d.source].cls in given}
        return type(node) in {form.elements[key].cls for key in targets}

    def additions(self) -> Iterator[Addition]:
        """The classes to add to this document."""
        from polybody.editing.attaching import Addition

        top = self.ours[0] if self.ours else self.section
        if self.made is not None:
            yield Addition(top, [self.made])
        elif self.content:
            yield Addition(top, self.content)

    def apply(self, moved: Iterable[Any], listed: Iterable[Any]) -> None:
        """Give elements the class: those of sections, and those that name the outermost class."""
        if self.name is None:
            return
        for node in listed:
            given = getattr(node, "class_", None)
            if given == MAIN or (given is None and self.changes(node)):
                node.class_ = self.name
        for node in (each for root in moved for each in root.walk()):
            for field in ("class_", "childclass"):
                if getattr(node, field, None) == MAIN:
                    setattr(node, field, self.name)

    def finish(self) -> None:
        """Add the section of defaults, if the document had none."""
        if self.section is not None and children_of(self.section):
            self.document.default = self.section


def _sections(document: Any) -> Iterator[Any]:
    return (node for node in children_of(document) if node.TAG == "default")


def _free(document: Any, other: Any, name: str) -> str:
    """A name that no class has."""
    taken = {getattr(node, "class_", None) for root in (document, other) for node in root.find_all("default")}
    found, number = name, 1
    while found in taken:
        number += 1
        found = f"{name}{number}"
    return found
