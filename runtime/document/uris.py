"""References of a document to files: next to it, in ROS packages, in folders of models."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from types import MappingProxyType
from xml.parsers import expat

from polybody.base import Attribute, Node
from polybody.diagnostics import Findings
from polybody.document.packages import (
    OutsideError,
    Roots,
    enclosing_package,
    package_folder,
    packages_in,
    parts_of,
)
from polybody.document.parser.value_faults import clip
from polybody.document.sources import LIMITS, SourceError, make_source
from polybody.files import Followed, RealPath, head, is_file, is_folder, is_within, real

DESCRIPTION = "model.config"
"""The file in a model folder of Gazebo that names its model files."""
_LONGEST = 1 << 20
ROOTS = "`--root DIR`, or `roots=`, names a folder in which files may be opened; so does a package.xml above"
"""Advice about a reference that leads out of the document's folder."""
MAPPED = "`--map URI=PATH`, or `packages={URI: PATH}`, names a local copy; without a path it is left out"
"""Advice about a URI that leads to no file of this machine."""
MOST_MISSING = 1_000
"""Maximum number of packages that are searched for in vain; further ones are treated as unknown."""
_DIGITS = 10  # larger than any part of a version
Tell = Callable[..., None]
"""Takes a code, a message and optionally a hint about a certain value; usually a Remark."""


@dataclass(frozen=True, slots=True)
class Declared:
    """Packages and models that the caller declares, folders in which others are searched for, and folders in
    which files may be opened.
    """

    packages: Mapping[str, Path] = field(default_factory=dict)
    path: tuple[Path, ...] = ()
    roots: tuple[Path, ...] = ()
    found: dict[str, Path] = field(
        default_factory=dict, compare=False
    )  # those on the path, created on request
    uris: Mapping[str, Path | None] = field(default_factory=dict)
    """What URIs, or the beginnings of URIs, stand for; None is nothing."""

    def stands_for(self, reference: str) -> tuple[Path | None, str] | None:
        """What the longest known beginning of a URI stands for, and the rest of the URI; None if there is
        none.
        """
        for uri in sorted(self.uris, key=len, reverse=True):
            begun = uri if uri.endswith("/") else f"{uri}/"
            if reference == uri or reference.startswith(begun):
                return self.uris[uri], reference[len(uri) :].lstrip("/")
        return None

    def find(self, name: str) -> Path | None:
        """The folder of a package, or None: one on the path, in a folder on it, or one level deeper."""
        if not self.found:
            for root in self.path:
                for known, folder in packages_in(root):
                    self.found.setdefault(known, folder)
        return self.found.get(name)


_NOTHING = Declared()
Folders = str | os.PathLike[str] | Iterable[str | os.PathLike[str]]
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")  # RFC 3986, 3.1
_declared: ContextVar[Declared] = ContextVar("polybody_declared_places", default=_NOTHING)


_AROUND = nullcontext()


def declare(
    packages: Mapping[str, str | os.PathLike[str] | None] = MappingProxyType({}),
    package_path: Folders = (),
    roots: Folders = (),
) -> AbstractContextManager[None]:
    """Within this context, references of all documents may also lead to these packages and folders.

    A string is split like the environment variable ROS_PACKAGE_PATH. A name in ``packages`` that is a URI
    stands for the URIs that begin with it: they lead to that file or folder, or to nothing if it is None.

    Raises:
        TypeError: ``packages`` is not a mapping.
        ValueError: a package, file or folder does not exist.
    """
    if package_path == roots == () and type(packages) is MappingProxyType and not packages:
        return _AROUND  # as in most calls
    if not isinstance(packages, Mapping):
        raise TypeError(
            f"packages must map names to folders: {{'robot': 'models/robot'}}, not {packages!r:.60}"
        )
    lacking = next((name for name, place in packages.items() if not place and not is_uri(name)), None)
    if lacking is not None:
        raise TypeError(f"packages: {lacking!r} needs a folder; only a URI can be left out")
    named = {name: Path(folder) for name, folder in packages.items() if folder and not is_uri(name)}
    uris = {uri: Path(place) if place else None for uri, place in packages.items() if is_uri(uri)}
    folders, wider = tuple(map(Path, _split(package_path))), tuple(map(Path, _split(roots)))
    if not (named or uris or folders or wider):  # outer declarations remain in force
        return _AROUND
    places = (place for place in uris.values() if place is not None)
    lost = next((place for place in places if not (is_folder(place) or is_file(place))), None)
    if lost is not None:
        raise ValueError(f"there is no file or folder {lost}, for which a URI is to stand")
    return _declaring(named, folders, wider, uris)


def _split(folders: Folders) -> Iterable[str | os.PathLike[str]]:
    if isinstance(folders, str):
        return [folder for folder in folders.split(os.pathsep) if folder]
    return [folders] if isinstance(folders, os.PathLike) else folders


@contextmanager
def _declaring(
    named: Mapping[str, Path],
    folders: tuple[Path, ...],
    wider: tuple[Path, ...],
    uris: Mapping[str, Path | None],
) -> Iterator[None]:
    missing = next((folder for folder in (*named.values(), *folders, *wider) if not is_folder(folder)), None)
    if missing is not None:
        raise ValueError(f"the folder {missing} of a package, a package path or a root does not exist")
    token = _declared.set(Declared(named, folders, wider, uris=uris))
    try:
        yield
    finally:
        _declared.reset(token)


def declared_roots() -> tuple[Path, ...]:
    """The folders that the caller declares, in which files may be opened."""
    return _declared.get().roots


def is_uri(reference: str) -> bool:
    """Whether a reference begins with a scheme, as ``package://`` does."""
    return _SCHEME.match(reference) is not None


def joined(folder: str, reference: str) -> str:
    """A reference within a folder that the document names, which may itself be a URI.

    A reference that is a URI or an absolute path is not relative to that folder.
    """
    if is_uri(reference):
        return reference
    if is_uri(folder) and not reference.startswith("/"):
        return f"{folder.removesuffix('/')}/{reference}"
    return (PurePosixPath(folder) / reference).as_posix()


@dataclass(frozen=True, slots=True)
class Remark:
    """A finding about the reference in one value of an element, which the caller completes."""

    findings: Findings
    node: Node
    row: Attribute
    where: Callable[[], str] | None = None  # the XPath of the element

    def __call__(self, code: str, message: str, hint: str | None = None) -> None:
        if not self.findings.takes(code):
            return
        span = self.node.value_span(self.row)
        step = f"/{'' if self.row.leaf else '@'}{self.row.name}"
        where = "" if self.where is None else self.where() + step
        self.findings.add(code, span, message, xpath=where, hint=hint, source=self.node.source)


@dataclass(slots=True)
class Places:
    """The places to which references of one document may lead.

    ``top`` is the folder of the outermost document, within which everything is allowed; ``folder`` that of
    the document with the reference. With ``once``, each unknown package is reported once, not for every file.
    """

    top: Path
    folder: Path
    packages: dict[str, Path] = field(default_factory=dict)
    missing: set[str] = field(default_factory=set)  # packages that were not found
    followed: Followed = field(default_factory=Followed)
    once: bool = False
    reported: set[str] = field(default_factory=set)  # unknown packages
    looked: bool = False  # for the package that contains the folder, and for declared ones

    def _look(self) -> None:
        own = enclosing_package(self.folder)
        if own is not None:
            self.packages[own.name] = own
        self.packages.update(_declared.get().packages)
        self.looked = True

    def find(self, reference: str, remark: Tell) -> RealPath | None:
        """The path to which a reference leads, existing or not; None after a finding, and for a URI that the
        caller leaves out.
        """
        declared = _declared.get().stands_for(reference)
        if declared is not None:
            return self._declared(reference, *declared, remark)
        if not self.looked:  # most documents refer to no file
            self._look()
        try:
            parts, shown = parts_of(reference), clip(reference)
        except ValueError as error:
            remark("PB010", str(error))
            return None
        if parts.scheme in ("package", "model") and not parts.name:
            hint = f"write `{parts.scheme}://NAME{clip(parts.path)}`"
            remark("PB010", f"`{shown}`: the name of the {parts.scheme} is empty", hint)
            return None
        if parts.scheme in ("package", "model") and parts.name not in self.packages:
            place = self._package(parts.name)
            if place is None:
                if self.once and parts.name in self.reported:
                    return None
                self.reported.add(parts.name)
                kind, name = parts.scheme, clip(parts.name)
                lost = "none of its files can be found" if self.once else "the file cannot be found"
                message = f"`{shown}`: {kind} `{name}` is not known, so {lost}"
                above = real(self.folder)
                manifest = DESCRIPTION if kind == "model" else "package.xml"
                hint = f"searched for a folder of that name with a {manifest} above {above} and beside those"
                path = _declared.get().path
                hint += (
                    f", and in {', '.join(map(str, path))}" if path else "; `--package NAME=DIR` declares one"
                )
                remark("PB037", message, hint)
                return None
            self.packages[parts.name] = place
        try:
            packages = {**self.packages, "": self.top}
            return Roots(self.folder, packages, declared_roots(), self.followed).resolve(reference)
        except OutsideError as error:
            remark("PB010", str(error), ROOTS)
            return None
        except ValueError as error:
            remark("PB010", str(error), MAPPED if is_uri(reference) else None)
            return None

    def _declared(self, reference: str, place: Path | None, rest: str, remark: Tell) -> RealPath | None:
        """The path of a URI for which the caller declares one."""
        if place is None:
            return None
        try:
            found = real(place / rest)
        except ValueError:
            remark("PB010", f"`{clip(reference)}` is not a valid path")
            return None
        if not is_within(str(found), str(real(place))):
            remark("PB010", f"`{clip(reference)}` is outside {place}")
            return None
        return found

    def _package(self, name: str) -> Path | None:
        """The folder of a package or model; each is searched for once."""
        if name not in self.missing and len(self.missing) < MOST_MISSING:
            place = package_folder(name, self.folder) or _declared.get().find(name)
            if place is not None:
                return place
            self.missing.add(name)
        return None

    def file(self, reference: str, remark: Tell) -> RealPath | None:
        """The same for a file that must exist."""
        found = self.find(reference, remark)
        if found is not None and not is_file(found):
            remark("PB036", f"there is no file `{clip(reference)}`", f"searched for {found}")
            return None
        return found

    def anywhere(
        self, variable: str, reference: str, remark: Tell, before: Iterable[str] = ()
    ) -> RealPath | None:
        """A file in this folder or in one that an environment variable names; readers also know others.

        ``before`` are folders, relative to this one, that are searched first.
        """
        others = [Path(name) for name in os.environ.get(variable, "").split(os.pathsep) if name]
        near = [self.folder / name for name in (*before, "")]
        try:
            parts, shown = parts_of(reference), clip(reference)
            if len(parts.scheme) > 1 or Path(reference).is_absolute() or "\0" in reference:
                return self.file(reference, remark)
            found = [real(folder / reference) for folder in (*near, *others)]
        except ValueError as error:
            remark("PB010", str(error))
            return None
        allowed = [real(place) for place in (self.top, *others, *declared_roots())]
        inside = [place for place in found if any(place.is_relative_to(root) for root in allowed)]
        there = next((place for place in inside if is_file(place)), None)
        if there is None:
            leads = "is outside the folder of the document" if not inside else "does not exist"
            hint = f"readers also search folders of their own; {variable} can name them"
            if not inside:
                hint = f"{ROOTS}; so does {variable}"
            remark("PB040", f"the file `{shown}` {leads}", hint)
        return there

    def model(self, reference: str, remark: Tell) -> RealPath | None:
        """The file of a model: the file itself, or the one that the description of a folder names."""
        found = self.find(reference, remark)
        if found is None or is_file(found):
            return found
        shown = clip(reference)
        if not is_folder(found):
            remark("PB001", f"there is no model `{shown}`", f"searched for {found}")
            return None
        names = list(described_models(found))
        inside = next((place for place in _places_in(found, names) if is_file(place)), None)
        if inside is None:
            said = (
                f"its {DESCRIPTION} names {', '.join(map(clip, names))}"
                if names
                else f"it has no {DESCRIPTION}"
            )
            remark("PB001", f"the folder `{shown}` contains no model: {said}")
        elif not is_within(str(inside), str(found)):
            remark("PB010", f"the {DESCRIPTION} of `{shown}` names a file outside its folder")
            return None
        return inside


def _places_in(folder: Path, names: Iterable[str]) -> Iterator[RealPath]:
    for name in names:
        with suppress(ValueError):  # no valid name of a file
            yield real(folder / name)


def described_models(folder: Path) -> Iterator[str]:
    """The model files that a folder's description names, the newest version first."""
    data = head(folder / DESCRIPTION, _LONGEST)
    found = [] if data is None else _listed(data)
    for _, name in sorted(found, key=lambda row: row[0], reverse=True):
        if name.strip():
            yield name.strip()


def _listed(data: bytes) -> list[tuple[list[int], str]]:
    """The version and text of every <sdf> in a description; none if it cannot be read."""
    found: list[tuple[list[int], str]] = []
    inside = [False]

    def start(tag: str, attributes: dict[str, str]) -> None:
        inside[0] = tag == "sdf"
        if inside[0]:
            found.append((_version(attributes.get("version")), ""))

    def end(_: str) -> None:
        inside[0] = False

    def text(piece: str) -> None:
        if inside[0]:
            version, before = found[-1]
            found[-1] = version, before + piece

    def refuse(*_: object) -> None:
        raise expat.ExpatError("a document type")

    parser = expat.ParserCreate("utf-8")
    parser.buffer_text = True
    parser.StartElementHandler, parser.EndElementHandler = start, end
    parser.CharacterDataHandler, parser.StartDoctypeDeclHandler = text, refuse
    try:
        parser.Parse(make_source(DESCRIPTION, data, LIMITS).data, True)
    except (expat.ExpatError, SourceError):
        return []
    return found


def _version(text: str | None) -> list[int]:
    return [int(part) for part in (text or "0").split(".") if part.isdecimal() and len(part) < _DIGITS]
