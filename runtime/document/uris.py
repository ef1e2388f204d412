"""References of a document to files: next to it, in ROS packages, in folders of models."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePosixPath
from xml.parsers import expat

from polybody.base import Attribute, Format, Node, Source
from polybody.diagnostics import Findings
from polybody.document.access import access_of
from polybody.document.packages import is_uri, parts_of
from polybody.document.parser.value_faults import clip
from polybody.document.registry import format_of
from polybody.document.searches import OutsideError, UnknownError, search_of
from polybody.document.sources import LIMITS, SourceError, make_source
from polybody.files import RealPath, head, is_file, is_folder, is_within, real

_PACKAGE = re.compile(r"\s*(?:package|model)://([^/]+)")
DESCRIPTION = "model.config"
"""The file in a model folder of Gazebo that names its model files."""
_LONGEST = 1 << 20
ROOTS = "`--root DIR`, or `roots=`, names a folder in which files may be opened"
"""Advice about a reference that leads to a folder in which no files may be opened."""
MAPPED = "`--map URI=PATH`, or `packages={URI: PATH}`, names a local copy; without a path it is left out"
"""Advice about a URI that leads to no file of this machine."""
PATH = "`--stdin-filename FILE`, or `path`, says in which folder the text is"
"""Advice about a text in a folder of others."""
_DIGITS = 10  # larger than any part of a version
Tell = Callable[..., None]
"""Takes a code, a message and optionally a hint about a certain value; usually a Remark."""


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


@cache
def file_fields(form: Format) -> dict[type[Node], tuple[str, ...]]:
    """The fields that name files, by class."""
    return {
        row.cls: fields
        for row in form.elements.values()
        if (fields := tuple(attribute.field for attribute in row.attributes if attribute.file))
    }


class Places:
    """The places to which references of one document may lead. Each unknown package is reported once, with
    the number of elements that need it.
    """

    def __init__(self, source: Source | None, root: Node | None = None) -> None:
        """
        Args:
            source: that of the document with the references, which may be included by another; None for a
                document that was made in Python.
            root: the document, in which references to packages are counted.
        """
        self.access, self.source, self.root = access_of(source), source, root
        self._search = search_of(self.access, source)
        self._reported: set[str] = set()  # of the packages that were not found
        self._needed: Counter[str] | None = None  # numbers of elements by package

    @property
    def folder(self) -> Path:
        """The folder of the document with the references, without links."""
        return self._search.folder

    def find(self, reference: str, remark: Tell) -> RealPath | None:
        """The path to which a reference leads, existing or not; None after a finding, and for a URI that the
        caller leaves out.
        """
        stands = self.access.declared.stands_for(reference)
        if stands is not None:
            return self._declared(reference, *stands, remark)
        found = self._search.end_of(reference)
        if isinstance(found, RealPath):
            return found
        if isinstance(found, UnknownError):
            if found.package not in self._reported:
                self._reported.add(found.package)
                remark("PB037", *self._unknown(found.package, reference))
        elif isinstance(found, OutsideError):
            remark("PB010", str(found), f"{PATH}; {ROOTS}" if self.access.closed else ROOTS)
        else:
            remark("PB010", str(found), MAPPED if is_uri(reference) else None)
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

    def there(self, reference: str) -> RealPath | None:
        """The file to which a reference leads; None, without a finding, if none may be opened."""
        found = self._search.end_of(reference)
        return found if isinstance(found, RealPath) and self._search.has_file(found) else None

    def _unknown(self, package: str, reference: str) -> tuple[str, str]:
        """Message and hint about the first reference to an unknown package."""
        kind, count = parts_of(reference).scheme, self._needs(package)
        lost = f"the files of {count:,} elements cannot be found" if count > 1 else "the file cannot be found"
        manifest = DESCRIPTION if kind == "model" else "package.xml"
        hint = f"searched for a folder of that name with a {manifest} above {self.folder} and beside those"
        path = self.access.declared.path
        hint += f", and in {', '.join(map(str, path))}" if path else "; `--package NAME=DIR` declares one"
        return f"`{clip(reference)}`: {kind} `{clip(package)}` is not known, so {lost}", hint

    def _needs(self, package: str) -> int:
        """The number of elements of the document that refer to a package."""
        if self._needed is None:
            self._needed = Counter()
            fields = {} if self.root is None else file_fields(format_of(self.root))
            for node in () if self.root is None else self.root.walk():
                for field in fields.get(type(node), ()):
                    named = _PACKAGE.match(getattr(node, field) or "")
                    self._needed.update(() if named is None else (named[1],))
        return self._needed[package]

    def file(self, reference: str, remark: Tell, others: Iterable[str | Path] = ()) -> RealPath | None:
        """The same as `find` for a file that must exist; ``others`` are paths that were also searched."""
        found = self.find(reference, remark)
        if found is not None and not self._search.has_file(found):
            searched = ", then ".join(map(str, (found, *others)))
            meant = self._search.other_case(found)
            hint = f"searched for {searched}" + ("" if meant is None else f"; there is {meant}")
            remark("PB036", f"there is no file `{clip(reference)}`", hint)
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
        known = tuple(map(real, others))
        inside = [
            place
            for place in found
            if self._search.may_open(place) or any(map(place.is_relative_to, known))
        ]
        there = next((place for place in inside if is_file(place)), None)
        if there is None:
            leads = self._search.why_not(self.folder) if not inside else "does not exist"
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
