"""Packages and projects: what a reference names, and the folders that belong to a document."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from polybody.document.parser.value_faults import clip
from polybody.files import Followed, RealPath, head, is_file, is_folder, is_there, is_within, real

_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")  # RFC 3986, 3.1


def is_uri(reference: str) -> bool:
    """Whether a reference begins with a scheme, as ``package://`` does."""
    return _SCHEME.match(reference) is not None


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


class Destination(NamedTuple):
    """Where a reference leads: the folder in which it starts, and the path without links, existing or not."""

    start: Path
    path: RealPath


def destination(
    reference: str, folder: Path, packages: Mapping[str, Path], followed: Followed | None = None
) -> Destination:
    """Where a reference of a document leads: a relative path, ``file://``, or ``package://`` and
    ``model://NAME/``.

    Args:
        reference: as written in the document.
        folder: the folder in which relative paths start.
        packages: folders of packages and models by name.
        followed: resolves links; it can be shared by many references.

    Raises:
        ValueError: it names no known package, or is not a valid path.
    """
    parts, shown = parts_of(reference), clip(reference)
    if parts.scheme in ("package", "model"):
        if parts.name not in packages:
            known = ", ".join(sorted(packages)) or "none"
            raise ValueError(f"`{shown}` is not in a known package ({known})")
        start, relative = packages[parts.name], unquote(parts.path).lstrip("/")
    elif parts.scheme == "file":
        if parts.name not in ("", "localhost"):
            raise ValueError(f"`{shown}` is on another machine")
        start, relative = folder, unquote(parts.path)
    elif parts.scheme and len(parts.scheme) > 1:  # a single letter is a drive of Windows
        raise ValueError(f"`{shown}`: files are not downloaded from `{clip(parts.scheme)}:`")
    else:
        start, relative = folder, reference
    if "\0" in relative:
        raise ValueError("a path contains a NUL character")
    try:
        found = (followed or Followed()).path(os.path.join(start, relative))  # noqa: PTH118  (a Path takes long)
    except ValueError:
        raise ValueError(f"`{shown}` is not a valid path") from None
    return Destination(start, RealPath(found))


_NAME = re.compile(rb"<name>([^<]++)<")
_MANIFEST = "package.xml"
_MANIFESTS = (_MANIFEST, "model.config")
MARKERS = (".git", *_MANIFESTS, "CMakeLists.txt", "pyproject.toml", "polybody.toml")
"""Names of which one in a folder makes it a project. They are looked for, never read."""
INSTALLED, SOURCES = "install", "src"
"""The folders of a workspace of colcon: what is installed may be links to the sources beside it."""


def package_folder(name: str, folder: Path) -> Path | None:
    """The folder of a ROS package or a model of Gazebo to which a document in ``folder`` can refer, or None.

    It is a folder above the document, or one beside those, with a manifest: a package.xml or a model.config.
    A folder above has the name itself or in its manifest, one beside has it itself, or is installed there as
    ``NAME/share/NAME``. A name alone is not enough, because every folder has one.
    """
    if name in ("", os.curdir, os.pardir) or "/" in name or os.sep in name:
        return None
    for above in upwards(folder):
        if _has_manifest(above) and name in (above.name, *_names(above)):
            return above
        if not is_there(os.path.join(above, name)):  # noqa: PTH118  (a Path takes long)
            continue
        for place in (name, os.path.join(name, "share", name)):  # noqa: PTH118
            given = os.path.join(above, place)  # noqa: PTH118  (a Path takes long)
            if not is_there(given):
                continue
            try:
                beside = real(given)
            except ValueError:  # its links change all the time
                return None
            # A link out of the common folder leads to something that is not beside the document.
            if beside != above and is_within(str(beside), str(above)) and _has_manifest(beside):
                return beside
    return None


def _has_manifest(folder: Path) -> bool:
    return any(is_file(os.path.join(folder, manifest)) for manifest in _MANIFESTS)  # noqa: PTH118


def enclosing_package(folder: Path) -> Path | None:
    """The nearest folder above a document that is a ROS package."""
    manifests = ((place, os.path.join(place, _MANIFEST)) for place in upwards(folder))  # noqa: PTH118
    return next((place for place, manifest in manifests if is_file(manifest)), None)


def project(folder: Path) -> RealPath:
    """The folder in which a document in ``folder`` may open files: the nearest one at or above it that has
    one of the `MARKERS`, otherwise the parent of ``folder``.

    It is ``folder`` itself if that would be a root, the home folder or one above it, a folder of temporary
    files, or on another file system.
    """
    around = list(upwards(folder))
    return _marked(around) or (around[:2][-1] if around else real(folder))


def _marked(around: list[RealPath]) -> RealPath | None:
    return next((place for place in around if any(is_there(place / marker) for marker in MARKERS)), None)


class Reach:
    """The files that belong to a folder in which a command looks for files: of its links, those that stay in
    it, in the project that contains it if one of the `MARKERS` shows that, or in the sources of a workspace.
    """

    def __init__(self, folder: Path) -> None:
        own, followed = real(folder), Followed()
        ends = own, _marked(list(upwards(own))), sources_beside(own)
        self._folders, self._followed = [str(end) for end in ends if end is not None], followed

    def __contains__(self, path: Path) -> bool:
        try:
            target = self._followed.path(path)
        except ValueError:
            return False
        return any(is_within(target, folder) for folder in self._folders)


def is_shared(folder: Path) -> bool:
    """Whether a folder is a root, the home folder or one above it, or a folder of temporary files."""
    return str(real(folder)) in _ends()


def sources_beside(folder: Path) -> RealPath | None:
    """The sources of the workspace of colcon in whose folder of installed packages a folder is, or None."""
    around = list(upwards(folder))
    for place, workspace in pairwise(around):
        sources = real(workspace / SOURCES)
        if place.name == INSTALLED and sources.parent == workspace and is_folder(sources):
            return sources
    return None


def is_beside(other: Path, folder: Path) -> bool:
    """Whether a folder is in a package or model to which a document in ``folder`` can refer by its name."""
    return any(
        _has_manifest(place) and package_folder(place.name, folder) == place for place in upwards(other)
    )


def own_folders(folder: Path) -> tuple[Path, ...]:
    """The folders that belong to a document in ``folder``: this one and the package that contains it."""
    package = enclosing_package(folder)
    return (folder,) if package is None else (folder, package)


def upwards(folder: Path) -> Iterator[RealPath]:
    """A folder and those above it, below a root, the home folder, a folder of temporary files and another
    file system: files in these have nothing to do with each other.
    """
    here = folder if isinstance(folder, RealPath) else real(folder)
    device, ends = _device(here), _ends()
    for place in (here, *here.parents):
        if str(place) in ends or _device(place) != device:
            return
        yield place


def _device(folder: Path) -> int | None:
    try:
        return os.lstat(folder).st_dev
    except (OSError, ValueError):
        return None


def _ends() -> frozenset[str]:
    """The folders at which the search upwards ends: roots, those of temporary files, the home folder and
    those above it.
    """
    return _known_ends(os.path.expanduser("~"), *map(os.environ.get, _TEMPORARY))  # noqa: PTH111


@cache
def _known_ends(home: str, *temporary: str | None) -> frozenset[str]:
    lived = real(home)
    shared = (real(place) for place in (*_SHARED, *filter(None, temporary)))
    roots = (Path(place.anchor) for place in (lived, real(os.curdir)))
    return frozenset(map(str, (lived, *lived.parents, *shared, *roots)))


_TEMPORARY = ("TMPDIR", "TEMP", "TMP")
"""The environment variables that name a folder of temporary files."""
_SHARED = ("/tmp", "/var/tmp", "/dev/shm") if os.name == "posix" else ()


def _names(folder: Path) -> Iterator[str]:
    """The names of a package in the folder's manifests."""
    for manifest in _MANIFESTS:
        name = _name_in(folder / manifest)
        if name is not None:
            yield name


def package_name(folder: Path) -> str | None:
    """The name of a package in the folder's package.xml; None if there is none."""
    return _name_in(folder / _MANIFEST)


def _name_in(manifest: Path) -> str | None:
    data = head(manifest, 1 << 16)
    found = None if data is None else _NAME.search(data)
    return None if found is None else found[1].decode("utf-8", "replace").strip() or None


def packages_in(root: Path) -> Iterator[tuple[str, Path]]:
    """The names of a folder and of those in it, two levels deep, including those in package.xml; nearer ones
    first.
    """
    level: list[Path] = [real(root)]
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
