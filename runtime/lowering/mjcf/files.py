"""Files of assets: their locations and kinds."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path, PurePosixPath

from polybody.document.parser.value_faults import clip
from polybody.document.uris import Places, joined
from polybody.lowering.mjcf.elements import Element, Spec
from polybody.lowering.mjcf.problems import Problems

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


class Files:
    """Finds the files of assets, inside the document's folder and the declared folders."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self._places: dict[str, Places] = {}

    def find(
        self, asset: Element, attribute: str, folder: str, kinds: Mapping[str, str]
    ) -> tuple[Path, str] | None:
        """A file and its kind; None after a finding.

        Args:
            asset: the asset that refers to the file.
            attribute: its attribute with the file name.
            folder: the attribute of `compiler` with the folder of such files.
            kinds: the possible kinds by content type.
        """
        path = self.path(asset, attribute, folder)
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

    def path(self, asset: Element, attribute: str, folder: str) -> Path | None:
        """A file of any kind; None after a finding."""
        name: str = getattr(asset.node, attribute)
        settings = asset.settings.values
        if self.spec.settings.values["strippath"]:
            name = PurePosixPath(name.replace("\\", "/")).name
        inside = settings[folder] or settings["assetdir"] or ""
        reference = joined(inside, name)
        home = asset.settings.file
        if home not in self._places:
            self._places[home] = Places(Path(self.spec.settings.file).parent, Path(home).parent)

        def tell(code: str, message: str, hint: str | None = None) -> None:
            self.problems.findings.add(
                code, asset.node.attribute_span(attribute), message, hint=hint, source=asset.node.source
            )

        return self._places[home].file(reference, tell)
