"""Where MuJoCo looks for the files of assets: meshes, height fields, textures, skins and flexcomps."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import PurePosixPath
from typing import Any

from polybody.base import Node, Source
from polybody.document.packages import is_uri
from polybody.document.uris import Places, Tell, joined
from polybody.files import RealPath

MESHES, TEXTURES, ASSETS, NONE = "meshdir", "texturedir", "assetdir", ""
FOLDERS = {
    "mesh": (MESHES, MESHES),
    "hfield": (MESHES, ASSETS),
    "skin": (MESHES, ASSETS),
    "flexcomp": (MESHES, NONE),
    "texture": (TEXTURES, TEXTURES),
}
"""By kind of asset, two attributes of `compiler`: the folder of such files, and the one in which a file named
in an included document must be, because otherwise it is looked for beside that document.
"""


class AssetFiles:
    """Finds the files of the assets of one document.

    A file is in a folder that `compiler` names, relative to the document. A file that an included document
    names may also be beside that; then the folders of `compiler` do not matter.
    """

    def __init__(self, source: Source | None, root: Node | None, compiler: Mapping[str, Any]) -> None:
        """
        Args:
            source: that of the document.
            root: the document, in which references to packages are counted.
            compiler: the attributes of its `compiler` with folders, and `strippath`.
        """
        self.source, self.compiler = source, compiler
        self.places = Places(source, root)
        self._near: dict[str, Places] = {}  # beside included documents, by their paths

    def find(self, kind: str, node: Node, written: str, tell: Tell) -> RealPath | None:
        """A file that must exist; None after a finding.

        Args:
            kind: the kind of asset.
            node: the element that names the file.
            written: its name as written.
            tell: receives a finding.
        """

        def missing(code: str, message: str, hint: str | None = None) -> None:
            tell("PB036" if code == "PB037" else code, message, hint)  # MuJoCo knows no packages

        written, stripped = written.replace("\\", "/"), bool(self.compiler["strippath"])
        folder, demanded = FOLDERS[kind]
        reference = joined(self._folder(folder), PurePosixPath(written).name if stripped else written)
        beside = self._beside(node)
        if beside is None or stripped or is_uri(reference) or written.startswith("/"):
            return self.places.file(reference, missing)
        first = joined(self._folder(demanded), written)
        if self.places.there(first) is not None:
            return self.places.file(reference, missing)
        found = beside.there(written)
        if found is not None:
            return found
        return self.places.file(first, missing, (beside.folder / written,))

    def _folder(self, attribute: str) -> str:
        values = self.compiler
        return "" if attribute == NONE else values[attribute] or values[ASSETS] or ""

    def _beside(self, node: Node) -> Places | None:
        """The places of the included document that an element is from; None for the document itself."""
        source, depth = node.source, 0 if self.source is None else len(self.source.include_stack)
        if source is None or len(source.include_stack) <= depth:
            return None
        if source.path not in self._near:
            self._near[source.path] = Places(source)
        return self._near[source.path]
