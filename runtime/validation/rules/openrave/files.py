"""Files of shapes: whether they exist where a reader looks for them, or possibly in folders known only to
readers.

A body's `modelsdir` takes precedence over the folder of the file, for the shapes that follow it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from polybody.base import children_of, held
from polybody.document.uris import Places
from polybody.generated.formats.openrave.tables import FORMAT
from polybody.validation.rules.openrave import bodies
from polybody.validation.scene import Scene

MESHES = ("render_", "collision", "data")


def check(scene: Scene) -> None:
    """Report files of shapes that do not exist."""
    if not scene.nodes(*bodies.MESHES):
        return
    places = Places(scene.root.source)
    for kinbody in scene.nodes(bodies.KINBODY):
        for mesh, folders in _meshes(kinbody):
            written = getattr(mesh, "file", None)
            reference = written or (mesh.text[0] if mesh.text else None)
            if reference:
                tell = scene.teller(mesh, "file" if written else None)
                places.anywhere(FORMAT.elsewhere, reference.strip(), tell, folders)


def _meshes(kinbody: Any) -> Iterator[tuple[Any, tuple[str, ...]]]:
    """The elements that name files of shapes, and the folders that are searched first for each."""
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
    """The shapes of a body, and those nested in them."""
    left = list(held(body, "geom"))
    while left:
        geom = left.pop()
        left += held(geom, "geom")
        yield geom
