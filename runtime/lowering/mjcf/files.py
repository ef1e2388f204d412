"""Files of assets: where they are, what they hold."""

from __future__ import annotations

from pathlib import Path, PurePosixPath

from polybody.document.parser.value_faults import clip
from polybody.document.uris import Places
from polybody.lowering.mjcf.elements import Element, Spec
from polybody.lowering.mjcf.problems import Problems

LARGEST = 1 << 30
"""Bytes that a file of an asset may have."""


class Files:
    """Reads the files that assets name, inside the folder of the document and those that were declared."""

    def __init__(self, spec: Spec, problems: Problems) -> None:
        self.spec, self.problems = spec, problems
        self._places: dict[str, Places] = {}

    def read(self, asset: Element, attribute: str, folder: str) -> tuple[bytes, str] | None:
        """The content of a file, and its ending in small letters; None after a finding.

        Args:
            asset: what names it.
            attribute: by which attribute.
            folder: the attribute of `compiler` that says in which folder such files are.
        """
        path = self._path(asset, attribute, folder)
        if path is None:
            return None
        try:
            if path.stat().st_size > LARGEST:
                self.problems.add(asset.node, f"the file {path} has more than {LARGEST:,} bytes", attribute)
                return None
            return path.read_bytes(), path.suffix[1:].lower()
        except OSError as error:
            message = f"`{clip(str(path))}` cannot be read: {error.strerror or error}"
            self.problems.add(asset.node, message, attribute)
            return None

    def _path(self, asset: Element, attribute: str, folder: str) -> Path | None:
        name: str = getattr(asset.node, attribute)
        settings = asset.settings.values
        if self.spec.settings.values["strippath"]:
            name = PurePosixPath(name.replace("\\", "/")).name
        inside = settings[folder] or settings["assetdir"] or ""
        reference = (PurePosixPath(inside) / name).as_posix()
        home = asset.settings.folder
        if home not in self._places:
            self._places[home] = Places(Path(self.spec.settings.folder), Path(home))

        def tell(code: str, message: str, hint: str | None = None) -> None:
            self.problems.findings.add(
                code, asset.node.attribute_span(attribute), message, hint=hint, source=asset.node.source
            )

        return self._places[home].file(reference, tell)
