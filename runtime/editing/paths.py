"""Paths of files, for a document in another folder."""

from __future__ import annotations

import os
from pathlib import Path, PurePosixPath
from typing import Any

from polybody.base import Node
from polybody.document.packages import is_uri
from polybody.document.registry import format_of
from polybody.document.uris import joined

DIRECTORIES = {
    "mesh": ("meshdir", "assetdir"),
    "heightfield": ("meshdir", "assetdir"),
    "skin": ("meshdir", "assetdir"),
    "any": ("meshdir", "assetdir"),
    "image": ("texturedir", "assetdir"),
}
"""By kind of file: the settings of MJCF's compiler with its folder, the first one that is given."""


def rebase(copied: Node, document: Node, other: Node) -> None:
    """Rewrite the paths of a copy of another document relative to a document."""
    form = format_of(document)
    source, target = _Folders(other), _Folders(document)
    rows = {
        row.cls: [each for each in (*row.attributes, row.text) if each is not None and each.file]
        for row in form.elements.values()
        if row.tag != "compiler"
    }
    for node in copied.walk():
        for each in rows.get(type(node), ()):
            value = getattr(node, each.field)
            if isinstance(value, str):
                setattr(node, each.field, target.shown(source.path(value, each.file), each.file, value))
            elif isinstance(value, tuple) and value and isinstance(value[0], str):
                path = target.shown(source.path(value[0], each.file), each.file, value[0])
                setattr(node, each.field, (path, *value[1:]))


class _Folders:
    """The folders in which the files of a document are, by kind."""

    def __init__(self, document: Any) -> None:
        from polybody.editing.nested import Compiler

        where = document.source.path if document.source is not None else ""
        self.folder = (Path.cwd() / where).parent
        self.compiler = Compiler(document) if format_of(document).name == "mjcf" else None
        self.strips = self.compiler is not None and bool(self.compiler.get("strippath", False))

    def _within(self, kind: str) -> str:
        if self.compiler is None:
            return ""
        given = (self.compiler.values.get(name) for name in DIRECTORIES.get(kind, ()))
        return next((str(name) for name in given if name), "")

    def path(self, reference: str, kind: str) -> str:
        """An absolute path, or a URI, of what a document refers to."""
        name = PurePosixPath(reference.replace("\\", "/")).name if self.strips else reference
        name = joined(self._within(kind), name) if self._within(kind) else name
        return name if is_uri(name) else os.path.normpath(self.folder / name)

    def shown(self, path: str, kind: str, before: str) -> str:
        """The reference of this document to a file."""
        if is_uri(path) or Path(before).is_absolute():
            return path if is_uri(path) else before
        own = joined(self._within(kind), "x") if self._within(kind) else ""
        start = self.folder if not own or is_uri(own) else self.folder / PurePosixPath(own).parent
        if self.path(before, kind) == path and not self.strips:
            return before
        return path if own and is_uri(own) else Path(os.path.relpath(path, start)).as_posix()
