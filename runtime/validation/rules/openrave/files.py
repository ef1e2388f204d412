"""Files of shapes: each is where a reader looks for it, or perhaps in a folder that only readers know.

A body's `modelsdir` comes before the folder of the file, for the shapes that stand behind it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from polybody.base import Node, children_of
from polybody.diagnostics import Findings
from polybody.document.uris import Places
from polybody.files import is_file
from polybody.generated.formats.openrave.tables import FORMAT

MESHES = ("render_", "collision", "data")


def check(kinbodies: Iterable[Any], root: Node, findings: Findings) -> None:
    """Report files of shapes that are not there. A text without a place of its own has none beside it."""
    source = root.source
    if source is None or not is_file(source.path):
        return
    outermost = source.include_stack[0].path if source.include_stack else source.path
    places = Places(Path(outermost).parent, Path(source.path).parent)
    for kinbody in kinbodies:
        for mesh, folders in _meshes(kinbody):
            written = getattr(mesh, "file", None)
            reference = written or (mesh.text[0] if mesh.text else None)
            if reference:
                span = mesh.attribute_span("file") if written else mesh.span
                tell = partial(_tell, findings, mesh, span)
                places.anywhere(FORMAT.elsewhere, reference.strip(), tell, folders)


def _tell(
    findings: Findings, mesh: Node, span: Any, code: str, message: str, hint: str | None = None
) -> None:
    findings.add(code, span, message, hint=hint, source=mesh.source)


def _meshes(kinbody: Any) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The elements that name files of shapes, and the folders that come first for each."""
    folders: tuple[str, ...] = ()
    for child in children_of(kinbody):
        if child.TAG == "modelsdir":
            folders = (child.text.strip(),) if child.text else ()
        elif child.TAG == "body":
            for geom in _geoms(child):
                for name in MESHES:
                    mesh = getattr(geom, name)
                    if mesh is not None:
                        yield mesh, folders


def _geoms(body: Any) -> Iterator[Any]:
    """The shapes of a body, and those in them."""
    left = list(body.geom)
    while left:
        geom = left.pop()
        left += geom.geom
        yield geom
