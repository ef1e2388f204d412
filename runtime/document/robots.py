"""The URDF and the SRDF files of one robot: which of them belong together, and the names in a URDF."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from itertools import chain, islice
from pathlib import Path
from typing import NamedTuple
from xml.parsers import expat

from polybody.base import Source
from polybody.document.packages import upwards
from polybody.document.searches import MAX_NAMES
from polybody.document.sources import LIMITS, SourceError, load, make_source
from polybody.document.uris import Places
from polybody.files import is_folder


class Layout(NamedTuple):
    """Where the files of a kind usually lie.

    Attributes:
        suffix: that of the files' names.
        near: folders, relative to the folder of the other file.
        packages: the end of the name of packages beside that of the other file, or beside folders above it.
        inside: folders in such a package.
    """

    suffix: str
    near: tuple[str, ...]
    packages: str
    inside: tuple[str, ...]


SRDF = Layout(".srdf", (".", "../srdf", "../config"), "_moveit_config", ("config",))
URDF = Layout(".urdf", (".", "../urdf", "../robots", ".."), "_description", ("urdf", "robots", "."))
MAX_FILES = 100
"""Maximum number of files that are looked into."""


class Names(NamedTuple):
    """The names in a URDF."""

    robot: str
    links: frozenset[str]
    joints: frozenset[str]
    parents: Mapping[str, str]
    """The parent of each link that a joint connects to one."""


def srdf_files(source: Source) -> list[Path]:
    """The SRDF files of a URDF: those in its folder, in ``../srdf``, in ``../config`` and in the packages of
    MoveIt beside its own that have its file name, or its robot's name.

    Folders in which no file may be opened for the URDF are left out. A URDF that is not in a file, or cannot
    be read, has none.
    """
    own = _root_name(Path(source.path))
    return [] if own is None else _related(source, own, SRDF)


def urdf_files(source: Source, robot: str) -> list[Path]:
    """The URDF files of an SRDF for the robot of that name, in its folder and in neighbouring ones."""
    return _related(source, robot, URDF)


def _related(source: Source, robot: str, layout: Layout) -> list[Path]:
    """The files of a kind near another one, with its name or with a robot of that name; in packages, only
    the latter.
    """
    places, stem = Places(source), Path(source.path).stem
    near = ((path, path.stem == stem) for path in _inside(places, layout.near, layout.suffix))
    others = ((path, False) for path in _inside(places, _in_packages(places, layout), layout.suffix))
    looked = islice(chain(near, others), MAX_FILES)
    return [path for path, named in looked if named or (robot and _root_name(path) == robot)]


def _inside(places: Places, folders: Iterable[str], suffix: str) -> Iterator[Path]:
    for name in folders:
        folder = places.find(name, _unheard)
        if folder is None or not is_folder(folder):
            continue
        with suppress(OSError):
            yield from sorted(each for each in folder.iterdir() if each.suffix.lower() == suffix)


def _in_packages(places: Places, layout: Layout) -> Iterator[str]:
    """The folders in packages with a name that a layout gives, nearest ones first; a confined document has
    none.
    """
    if places.access.declared.confined:
        return
    for above in islice(upwards(places.folder), 1, None):
        try:
            with os.scandir(above) as entries:
                names = [each.name for each in islice(entries, MAX_NAMES)]
        except OSError:
            continue
        for name in sorted(each for each in names if each.endswith(layout.packages)):
            yield from (str(above / name / inside) for inside in layout.inside)


def _unheard(code: str, message: str, hint: str | None = None) -> None:
    """A folder that may not be opened is not looked into."""


def _root_name(path: Path) -> str | None:
    """The name of the robot of a file; None if it has no root `robot`."""
    found = _parse(path, whole=False)
    return None if found is None else found.robot


def names_in(path: str | Path) -> Names | None:
    """The names in a URDF; None if the file cannot be read or is not one."""
    return _parse(Path(path), whole=True)


class _RootReadError(Exception):
    """The root was read, and nothing else is wanted."""


def _parse(path: Path, *, whole: bool) -> Names | None:
    robot: list[str] = []
    links: set[str] = set()
    joints: set[str] = set()
    parents: dict[str, str] = {}
    above: list[tuple[str, dict[str, str]]] = []
    ends: dict[str, str] = {}

    def start(tag: str, attributes: dict[str, str]) -> None:
        depth, tag = len(above), tag.rpartition(":")[2]
        if not depth:
            if tag != "robot":
                raise expat.ExpatError(tag)
            robot.append(attributes.get("name", "").strip())
            if not whole:
                raise _RootReadError
        elif depth == 1 and tag == "link":
            links.add(attributes.get("name", ""))
        elif depth == 1 and tag == "joint":
            joints.add(attributes.get("name", ""))
            ends.clear()
        elif depth == 2 and above[1][0] == "joint" and tag in ("parent", "child"):
            ends[tag] = attributes.get("link", "")
        if len(above) >= LIMITS.depth:
            raise expat.ExpatError("depth")
        above.append((tag, attributes))

    def end(tag: str) -> None:
        above.pop()
        if len(above) == 1 and tag.rpartition(":")[2] == "joint" and len(ends) == 2:
            parents[ends["child"]] = ends["parent"]

    def refuse(*_: object) -> None:
        raise expat.ExpatError("a document type")

    parser = expat.ParserCreate("utf-8")
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.StartDoctypeDeclHandler = refuse
    try:
        parser.Parse(make_source(str(path), load(str(path), LIMITS), LIMITS).data, True)
    except _RootReadError:
        pass
    except (expat.ExpatError, SourceError, OSError):
        return None
    return Names(robot[0], frozenset(links), frozenset(joints), parents) if robot else None
