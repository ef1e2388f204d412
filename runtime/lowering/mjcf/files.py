"""Files of assets: their locations and kinds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from polybody.document.asset_files import AssetFiles
from polybody.document.parser.value_faults import clip
from polybody.lowering.mjcf.elements import Element, Spec
from polybody.lowering.mjcf.problems import REFUSED, Problems

TYPES = {
    "stl": "model/stl",
    "obj": "model/obj",
    "ply": "model/ply",
    "msh": "model/vnd.mujoco.msh",
    "png": "image/png",
}
"""Content types, by file name extension."""
MESHES = {"model/stl": "stl", "model/obj": "obj", "model/vnd.mujoco.msh": "msh"}
FIELDS = {"": "hfield", "image/png": "png", "image/vnd.mujoco.hfield": "hfield"}
IMAGES = {"": "texture", "image/png": "png", "image/vnd.mujoco.texture": "texture"}
"""Kinds of files, by content type, if known."""
LOOK = "texture"
"""The asset without which only the looks of a Model differ."""


class Files:
    """Finds the files of assets, where MuJoCo looks for them."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self._files: dict[int, AssetFiles] = {}  # by the id of the settings of a document

    def find(self, asset: Element, attribute: str, kinds: Mapping[str, str]) -> tuple[Path, str] | None:
        """A file and its kind; None after a finding.

        Args:
            asset: the asset that refers to the file.
            attribute: its attribute with the file name.
            kinds: the possible kinds by content type.
        """
        path = self.path(asset, attribute)
        if path is None:
            return None
        said = asset.values["content_type"]
        ending = path.suffix[1:].lower()
        held = said.partition(";")[0] if said else TYPES.get(ending, "")
        if held not in kinds:
            where, what = ("content_type", said) if said else (attribute, path.name)
            hint = f"supported types are {', '.join(filter(None, kinds))}"
            self.problems.add(
                asset.node, f"`{clip(what)}` is not of a type that is supported here", where, hint
            )
            return None
        return path, kinds[held]

    def path(self, asset: Element, attribute: str) -> Path | None:
        """A file of any kind; None after a finding."""
        settings = asset.settings
        files = self._files.get(id(settings))
        if files is None:
            values = {**settings.values, "strippath": self.spec.settings.values["strippath"]}
            files = self._files[id(settings)] = AssetFiles(settings.root.source, settings.root, values)

        def tell(code: str, message: str, hint: str | None = None) -> None:
            span, source = asset.node.attribute_span(attribute), asset.node.source
            if asset.node.TAG != LOOK:  # without the file there is no Model, whatever the policy
                self.problems.missing, code = True, REFUSED
            self.problems.findings.add(code, span, message, hint=hint, source=source)

        return files.find(asset.node.TAG, asset.node, getattr(asset.node, attribute), tell)
