"""Where references of a document may lead: its own folder, packages of ROS, folders of models."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from urllib.parse import unquote, urlsplit


@dataclass(frozen=True, slots=True)
class Roots:
    """Where references of a document may lead: its own folder, and folders declared for packages and
    models.
    """

    folder: Path
    packages: Mapping[str, Path] = field(default_factory=dict)

    def resolve(self, reference: str) -> Path:
        """The file that a reference means: a relative path, ``file://``, or ``package://`` and
        ``model://NAME/``.

        Raises:
            ValueError: it leads out of the folder or root that it starts from, or names no declared root.
        """
        parts = urlsplit(reference)
        if parts.scheme in ("package", "model"):
            if parts.netloc not in self.packages:
                known = ", ".join(sorted(self.packages)) or "none"
                raise ValueError(f"`{reference}` names no declared root ({known})")
            root, relative = self.packages[parts.netloc], unquote(parts.path).lstrip("/")
        elif parts.scheme == "file":
            if parts.netloc not in ("", "localhost"):
                raise ValueError(f"`{reference}` names another machine")
            root, relative = self.folder, unquote(parts.path)
        elif parts.scheme and len(parts.scheme) > 1:  # one letter is a drive of Windows
            raise ValueError(f"`{reference}`: nothing is fetched from `{parts.scheme}:`")
        else:
            root, relative = self.folder, reference
        if "\0" in relative:
            raise ValueError("a path contains a NUL character")
        found = (root / relative).resolve()
        for allowed in (root, self.folder, *self.packages.values()):
            if found.is_relative_to(allowed.resolve()):
                return found
        raise ValueError(f"`{reference}` leads out of {root}")


_PACKAGE_NAME = re.compile(rb"<name>\s*([^<\s]+)\s*</name>")
_MANIFEST = "package.xml"
_MANIFESTS = (_MANIFEST, "model.config")


def package_folder(name: str, folder: Path) -> Path | None:
    """The folder of a package of ROS that a document in ``folder`` can mean, or None.

    It is a folder above the document that is called so or whose package.xml says so, or one beside those
    that is called so and has a package.xml or, as Gazebo's models, a model.config.
    """
    for above in (folder.resolve(), *folder.resolve().parents):
        if above.name == name or package_name(above) == name:
            return above
        if "/" not in name and any((above / name / manifest).is_file() for manifest in _MANIFESTS):
            return above / name
    return None


def enclosing_package(folder: Path) -> Path | None:
    """The nearest folder above a document that is a package of ROS."""
    above = (folder.resolve(), *folder.resolve().parents)
    return next((place for place in above if (place / _MANIFEST).is_file()), None)


def package_name(folder: Path) -> str | None:
    """What a folder's package.xml calls the package; None where there is none."""
    try:
        with (folder / _MANIFEST).open("rb") as file:
            found = _PACKAGE_NAME.search(file.read(1 << 16))
    except OSError:
        return None
    return None if found is None else found[1].decode("utf-8", "replace")
