"""Where the references of a document lead, looked up once for each reference.

The check of a document and what is made of it ask for the same files. Within `LookedUpOnce`, which lasts as
long as one call of a reader, they get the same answers.
"""

from __future__ import annotations

import os
from contextvars import ContextVar, Token
from functools import cached_property
from itertools import islice
from pathlib import Path

from polybody.base import Source
from polybody.document.access import Access
from polybody.document.packages import (
    destination,
    enclosing_package,
    is_beside,
    package_folder,
    parts_of,
    project,
)
from polybody.document.parser.value_faults import clip
from polybody.files import Followed, RealPath, Within, is_file, is_folder

MAX_MISSING = 1_000
"""Maximum number of packages that are searched for in vain; further ones are treated as unknown."""
LONGEST_PATH = 4096
"""Maximum length of a path of a missing file for which others are suggested."""
MAX_NAMES = 10_000
"""Maximum number of names in a folder that are compared with a missing one."""


class OutsideError(ValueError):
    """A reference leads to where no files may be opened."""


class UnknownError(ValueError):
    """A reference leads into an unknown package."""

    def __init__(self, package: str) -> None:
        super().__init__(package)
        self.package = package


class Search:
    """Where references that start in one folder lead."""

    def __init__(self, access: Access, source: Source | None) -> None:
        self.access = access
        self._path = None if source is None else source.path
        self._ends: dict[str, RealPath | ValueError] = {}  # by reference
        self._files: dict[str, bool] = {}  # whether there is a file, by path
        self._missing: set[str] = set()  # packages that were not found
        self._followed = Followed()
        self._inner: Within | None = None  # folders of packages without links
        self._beside: dict[Path, bool] = {}  # whether a folder is in a package that can be named
        self._spelt: dict[str, str | None] = {}  # folders that differ only in upper and lower case letters
        self._names: dict[str, dict[str, str]] = {}  # what is in a folder: names by names in lower case

    # Most documents refer to no file.
    @cached_property
    def folder(self) -> Path:
        """The folder in which relative paths start, without links."""
        return self.access.top if self._path is None else self.access.folder_of(self._path)

    @cached_property
    def packages(self) -> dict[str, Path]:
        """The folders of known packages by name."""
        own = enclosing_package(self.folder)
        return ({} if own is None else {own.name: own}) | dict(self.access.declared.packages)

    @cached_property
    def _allowed(self) -> Within:
        """The other folders in which files may be opened."""
        return Within(map(str, self.access.allowed))

    def end_of(self, reference: str) -> RealPath | ValueError:
        """The path to which a reference leads, or why it leads nowhere, into an unknown package, or to where
        no files may be opened.
        """
        found = self._ends.get(reference)
        if found is None:
            try:
                found = self._end_of(reference)
            except ValueError as error:
                found = error.with_traceback(None)
            self._ends[reference] = found
        return found

    def _end_of(self, reference: str) -> RealPath:
        parts, packages = parts_of(reference), dict[str, Path]()
        if parts.scheme in ("package", "model"):
            packages = self.packages
            if not parts.name:
                form = f"write `{parts.scheme}://NAME{clip(parts.path)}`"
                raise ValueError(f"`{clip(reference)}`: the name of the {parts.scheme} is empty; {form}")
            if parts.name not in packages and not self._look_for(parts.name):
                raise UnknownError(parts.name)
        start, found = destination(reference, self.folder, packages, self._followed)
        if not self.may_open(found):
            raise OutsideError(f"`{clip(reference)}` {self.why_not(start)}")
        return found

    def has_file(self, path: RealPath) -> bool:
        """Whether there is such a file."""
        shown = str(path)
        if shown not in self._files:
            self._files[shown] = is_file(shown)
        return self._files[shown]

    def may_open(self, path: RealPath) -> bool:
        """Whether a path is in a folder in which files may be opened."""
        shown = str(path)
        if shown in self._own or shown in self._named() or shown in self._allowed:  # as most are
            return True
        return not self.access.declared.confined and self._is_beside(path.parent)

    @cached_property
    def _own(self) -> Within:
        """The folder of the document, if files in it may be opened."""
        return Within(() if self.access.closed and self.folder == self.access.top else (str(self.folder),))

    def _named(self) -> Within:
        """The folders of packages without links, those in which files may be opened."""
        if self._inner is None:
            top = self.access.top if self.access.closed else None
            folders = (folder for folder in self.packages.values() if folder != top)
            self._inner = Within(map(self._followed.folder, folders))
        return self._inner

    def _is_beside(self, folder: Path) -> bool:
        """Whether a folder is in a package to which the document can refer by its name."""
        if folder not in self._beside:
            self._beside[folder] = is_folder(folder) and is_beside(folder, self.folder)
        return self._beside[folder]

    def why_not(self, start: Path) -> str:
        """Why a reference that starts in a folder may not be followed."""
        if self.access.closed:
            return f"may not be opened: files in {self.access.top} need not belong to this text"
        if start != self.folder or self.access.declared.confined:
            return f"is outside {start}"
        return f"is outside {project(self.access.top)}, the project of the document"

    def _look_for(self, name: str) -> bool:
        """Whether a package or model is known; each is searched for once."""
        if name in self._missing or len(self._missing) >= MAX_MISSING:
            return False
        place = package_folder(name, self.folder) or self.access.find(name)
        if place is None:
            self._missing.add(name)
            return False
        self.packages[name] = place
        self._inner = None
        return True

    def other_case(self, path: RealPath) -> str | None:
        """The path of a file that differs from a missing one only in upper and lower case letters."""
        shown = str(path)
        if len(shown) > LONGEST_PATH:
            return None
        folder, name = os.path.split(shown)
        if folder not in self._spelt:
            self._spelt[folder] = self._as_there(folder)
        return self._in_other_case(self._spelt[folder], name)

    def _as_there(self, folder: str) -> str | None:
        """A folder that is the same in whatever case; None if there is none that may be opened."""
        missing = []
        while not is_folder(folder) and (above := os.path.dirname(folder)) != folder:  # noqa: PTH120
            missing.append(os.path.basename(folder))  # noqa: PTH119
            folder = above
        found = folder if self.may_open(RealPath(folder)) else None
        for name in reversed(missing):
            found = self._in_other_case(found, name)
            if found is None or os.path.islink(found):  # noqa: PTH114
                return None  # what is behind a link may be where nothing may be opened
        return found

    def _in_other_case(self, folder: str | None, name: str) -> str | None:
        """The path of what has a name in a folder, in whatever case."""
        spelt = None if folder is None else self._in_folder(folder).get(name.lower())
        return None if folder is None or spelt is None else os.path.join(folder, spelt)  # noqa: PTH118

    def _in_folder(self, folder: str) -> dict[str, str]:
        """The names in a folder by these names in lower case; those of many are not examined."""
        if folder not in self._names:
            try:
                with os.scandir(folder) as entries:
                    names = [each.name for each in islice(entries, MAX_NAMES)]
            except OSError:
                names = []
            self._names[folder] = {name.lower(): name for name in names}
        return self._names[folder]


Key = tuple[int, str, str, bool, str]
_known: ContextVar[dict[Key, Search] | None] = ContextVar("polybody_searches", default=None)


class LookedUpOnce:
    """Within this context, references of a document in a folder share what they find. Within another such
    context, that one counts. Nothing of it remains after the outermost.
    """

    _token: Token[dict[Key, Search] | None] | None = None

    def __enter__(self) -> None:
        if _known.get() is None:
            self._token = _known.set({})

    def __exit__(self, *exception: object) -> None:
        if self._token is not None:
            _known.reset(self._token)


def search_of(access: Access, source: Source | None) -> Search:
    """Where references of a source lead: the same for all sources in a folder whose documents were read
    alike.
    """
    known = _known.get()
    if known is None:
        return Search(access, source)
    folder = "" if source is None else os.path.dirname(source.path)  # noqa: PTH120
    # A search keeps what is declared, so that no other object has its number.
    key = id(access.declared), access.base, access.path, access.is_text, folder
    if key not in known:
        known[key] = Search(access, source)
    return known[key]
