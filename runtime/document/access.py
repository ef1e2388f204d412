"""How a document was read: the places that its caller declares, and the folders in which files may be opened.

The sources of a document, and those of all files that it includes, remember it. What is done with the
document later finds the same files.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any

from polybody.base import Source
from polybody.document.packages import (
    enclosing_package,
    is_shared,
    is_uri,
    packages_in,
    project,
    sources_beside,
)
from polybody.files import is_folder, is_there, real

Folder = str | os.PathLike[str]
Folders = Folder | Iterable[Folder]
AUTO = "auto"
"""The release that follows from the document."""
NOTHING: Mapping[str, Folder | None] = MappingProxyType({})
"""No packages."""


@dataclass(frozen=True, slots=True)
class Declared:
    """What the caller declares: packages and models by name, folders in which others are searched for, and
    folders in which files may be opened; all absolute. If it is ``confined``, a document may open only files
    in its own folder and packages, and in these.
    """

    packages: Mapping[str, Path] = field(default_factory=dict)
    path: tuple[Path, ...] = ()
    roots: tuple[Path, ...] = ()
    confined: bool = False
    uris: Mapping[str, Path | None] = field(default_factory=dict)
    """What URIs, or the beginnings of URIs, stand for; None is nothing."""
    release: str = AUTO
    """As which documents of a format with releases are read."""

    def stands_for(self, reference: str) -> tuple[Path | None, str] | None:
        """What the longest known beginning of a URI stands for, and the rest of the URI; None if there is
        none.
        """
        for uri in sorted(self.uris, key=len, reverse=True):
            begun = uri if uri.endswith("/") else f"{uri}/"
            if reference == uri or reference.startswith(begun):
                return self.uris[uri], reference[len(uri) :].lstrip("/")
        return None

    def left_out(self, reference: str) -> str | None:
        """The beginning of a URI that stands for nothing; None if the reference is no such URI."""
        found = self.stands_for(reference)
        if found is None or found[0] is not None:
            return None
        return reference[: len(reference) - len(found[1])].rstrip("/")


UNDECLARED = Declared()


def declared(
    packages: Mapping[str, Folder | None] = NOTHING,
    package_path: Folders = (),
    roots: Folders = (),
    confined: bool = False,
    release: str = AUTO,
) -> Declared:
    """What a caller declares. A string of folders is split like the environment variable ROS_PACKAGE_PATH.
    A name in ``packages`` that is a URI stands for the URIs that begin with it: they lead to that file or
    folder, or to nothing if it is None.

    Raises:
        TypeError: ``packages`` is not a mapping.
        ValueError: a package, file or folder does not exist.
    """
    if not confined and package_path == roots == () and packages is NOTHING and release == AUTO:
        return UNDECLARED  # as in most calls
    if not isinstance(packages, Mapping):
        raise TypeError(
            f"packages must map names to folders: {{'robot': 'models/robot'}}, not {packages!r:.60}"
        )
    lacking = next((name for name, place in packages.items() if not place and not is_uri(name)), None)
    if lacking is not None:
        raise TypeError(f"packages: {lacking!r} needs a folder; only a URI can be left out")
    named = {name: Path(folder) for name, folder in packages.items() if folder and not is_uri(name)}
    uris = {uri: Path(place) if place else None for uri, place in packages.items() if is_uri(uri)}
    lost = next((place for place in uris.values() if place is not None and not is_there(place)), None)
    if lost is not None:
        raise ValueError(f"there is no file or folder {lost}, for which a URI is to stand")
    path, wider = tuple(map(Path, _split(package_path))), tuple(map(Path, _split(roots)))
    missing = next((folder for folder in (*named.values(), *path, *wider) if not is_folder(folder)), None)
    if missing is not None:
        raise ValueError(f"the folder {missing} of a package, a package path or a root does not exist")
    return Declared(
        {name: folder.absolute() for name, folder in named.items()},
        tuple(folder.absolute() for folder in path),
        tuple(folder.absolute() for folder in wider),
        bool(confined),
        {uri: None if place is None else place.absolute() for uri, place in uris.items()},
        release,
    )


def _split(folders: Folders) -> Iterable[Folder]:
    if isinstance(folders, str):
        return [folder for folder in folders.split(os.pathsep) if folder]
    return [folders] if isinstance(folders, os.PathLike) else folders


class Access:
    """How files are found for one document and all that it includes.

    A text that is not in a file counts as one in the folder of its name, which is the working directory if
    the name has no folder.
    """

    __slots__ = ("_allowed", "_closed", "_found", "base", "declared", "is_text", "path")

    def __init__(
        self, path: str, declared: Declared = UNDECLARED, base: str | None = None, *, is_text: bool = True
    ) -> None:
        """
        Args:
            path: of the outermost document, as its source has it.
            declared: what the caller declares.
            base: the folder in which relative paths of sources start; by default the working directory.
            is_text: whether the document is not in a file.
        """
        self.path, self.declared, self.is_text = path, declared, is_text
        self.base = _working_directory() if base is None else base
        self._allowed: tuple[Path, ...] | None = None
        self._closed: bool | None = None
        self._found: dict[str, Path] | None = None

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Access, is_text=self.is_text), (self.path, self.declared, self.base)

    def as_release(self, release: str) -> Access:
        """The same for a document that is read as a release."""
        return Access(self.path, replace(self.declared, release=release), self.base, is_text=self.is_text)

    def place_of(self, path: str) -> Path:
        """The path of a source without links; that of a text need not be valid."""
        try:
            return real(os.path.join(self.base, path))  # noqa: PTH118
        except ValueError:
            return Path(path)

    def folder_of(self, path: str) -> Path:
        """The folder of a source with a path, without links; ``base`` if that is no valid path."""
        try:
            return real(os.path.join(self.base, os.path.dirname(path)))  # noqa: PTH118, PTH120
        except ValueError:
            return real(self.base)

    @property
    def closed(self) -> bool:
        """Whether the folder of the outermost document may not be opened: that of a text without a folder, if
        it is a root, the home folder or one above it, or a folder of temporary files.
        """
        if self._closed is None:
            self._closed = self.is_text and not os.path.dirname(self.path) and is_shared(self.top)  # noqa: PTH120
        return self._closed

    @property
    def top(self) -> Path:
        """The folder of the outermost document, without links."""
        return self.folder_of(self.path)

    @property
    def allowed(self) -> tuple[Path, ...]:
        """The folders in which files may be opened, without links: those that the caller declares, that of
        the outermost document, its package and, unless it is confined, its project and the sources of its
        workspace.
        """
        if self._allowed is None:
            top, given = self.top, self.declared
            folders: list[Path | None] = [*map(real, (*given.packages.values(), *given.roots))]
            if not self.closed:
                folders += [top, enclosing_package(top)]
                folders += [] if given.confined else [project(top), sources_beside(top)]
            if not given.confined:
                folders += map(sources_beside, given.packages.values())
            self._allowed = tuple(dict.fromkeys(folder for folder in folders if folder is not None))
        return self._allowed

    def find(self, name: str) -> Path | None:
        """The folder of a package on the declared path, or None: a folder on it, or one up to two levels
        deeper.
        """
        if self._found is None:
            self._found = {}
            for root in self.declared.path:
                for known, folder in packages_in(root):
                    self._found.setdefault(known, folder)
        return self._found.get(name)


def access_of(source: Source | None) -> Access:
    """How the document of a source was read; for one that was made in Python, the default."""
    if source is None:
        return Access("")
    if source.access is None:
        source.access = Access(source.path)
    access: Access = source.access
    return access


def _working_directory() -> str:
    try:
        return os.getcwd()  # noqa: PTH109  (a Path takes longer)
    except OSError:  # it was removed
        return os.curdir
