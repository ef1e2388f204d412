"""Where references of a document may lead: its own folder, ROS packages, folders of models."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from polybody.document.parser.value_faults import clip
from polybody.files import Followed, head, is_file, is_folder, is_within, real


class Reference(NamedTuple):
    """The parts of a reference. A path has no scheme and no name."""

    scheme: str
    name: str
    path: str


def parts_of(reference: str) -> Reference:
    """The parts of a reference.

    Raises:
        ValueError: it is neither a path nor a URI.
    """
    try:
        parts = urlsplit(reference)
    except ValueError:
        raise ValueError(f"`{clip(reference)}` is not a reference to a file") from None
    return Reference(parts.scheme, parts.netloc, parts.path)


class OutsideError(ValueError):
    """A reference leads out of all folders in which files may be opened."""


@dataclass(frozen=True, slots=True)
class Roots:
    """Where references of a document may lead: its own folder, declared folders of packages and models, and
    others in which files may be opened.
    """

    folder: Path
    packages: Mapping[str, Path] = field(default_factory=dict)
    others: tuple[Path, ...] = ()
    followed: Followed = field(default_factory=Followed, compare=False)

    def resolve(self, reference: str) -> Path:
        """The file to which a reference leads: a relative path, ``file://``, or ``package://`` and
        ``model://NAME/``.

        Raises:
            OutsideError: it leads out of the folder or root in which it starts, and not into another.
            ValueError: it names no declared root, or is not a valid path.
        """
        parts, shown = parts_of(reference), clip(reference)
        if parts.scheme in ("package", "model"):
            if parts.name not in self.packages:
                known = ", ".join(sorted(self.packages)) or "none"
                raise ValueError(f"`{shown}` is not in a declared root ({known})")
            root, relative = self.packages[parts.name], unquote(parts.path).lstrip("/")
        elif parts.scheme == "file":
            if parts.name not in ("", "localhost"):
                raise ValueError(f"`{shown}` is on another machine")
            root, relative = self.folder, unquote(parts.path)
        elif parts.scheme and len(parts.scheme) > 1:  # a single letter is a drive of Windows
            raise ValueError(f"`{shown}`: files are not downloaded from `{clip(parts.scheme)}:`")
        else:
            root, relative = self.folder, reference
        if "\0" in relative:
            raise ValueError("a path contains a NUL character")
        try:
            found = self.followed.path(os.path.join(root, relative))  # noqa: PTH118  (a Path takes long)
        except ValueError:
            raise ValueError(f"`{shown}` is not a valid path") from None
        for allowed in (root, self.folder, *self.packages.values(), *self.others):
            if is_within(found, self.followed.folder(allowed)):
                return Path(found)
        raise OutsideError(f"`{shown}` is outside {root}")


_PACKAGE_NAME = re.compile(rb"<name>\s*+([^<\s]++)\s*+</name>")
_MANIFEST = "package.xml"
_MANIFESTS = (_MANIFEST, "model.config")


def package_folder(name: str, folder: Path) -> Path | None:
    """The folder of a ROS package to which a document in ``folder`` can refer, or None.

    It is a folder above the document with this name or with this name in its package.xml; or a sibling of one
    of those, with this name and a package.xml or, as for Gazebo's models, a model.config.
    """
    for above in _upwards(folder):
        if above.name == name or package_name(above) == name:
            return above
        if "/" not in name and any(is_file(above / name / manifest) for manifest in _MANIFESTS):
            return above / name
    return None


def enclosing_package(folder: Path) -> Path | None:
    """The nearest folder above a document that is a ROS package."""
    return next((place for place in _upwards(folder) if is_file(place / _MANIFEST)), None)


def _upwards(folder: Path) -> Iterable[Path]:
    here = real(folder)
    return (here, *here.parents)


def package_name(folder: Path) -> str | None:
    """The name of a package in the folder's package.xml; None if there is none."""
    data = head(folder / _MANIFEST, 1 << 16)
    found = None if data is None else _PACKAGE_NAME.search(data)
    return None if found is None else found[1].decode("utf-8", "replace")


def packages_in(root: Path) -> Iterator[tuple[str, Path]]:
    """The names of a folder and of those in it, two levels deep, including those in package.xml; nearer ones
    first.
    """
    level = [real(root)]
    for _ in range(3):
        for folder in level:
            name = package_name(folder)
            if name is not None:
                yield name, folder
            yield folder.name, folder
        level = [inner for folder in level for inner in _folders_in(folder)]


def _folders_in(folder: Path) -> list[Path]:
    try:
        return sorted(inner for inner in folder.iterdir() if is_folder(inner))
    except OSError:
        return []
