"""Patterns of paths, for files that are excluded and for settings of some files."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from pathlib import Path
from typing import NamedTuple

from polybody.files import Relative

EVERY = "**"


class Pattern(NamedTuple):
    """A pattern of paths below a folder: ``*`` and ``?`` stand for characters of one name, ``**`` for any
    folders. A pattern without ``/`` applies in every folder. What matches a folder matches all files in it.
    """

    text: str
    relative: Relative
    names: tuple[str, ...]

    @classmethod
    def below(cls, folder: Path, text: str) -> Pattern:
        """A pattern that is relative to a folder.

        Raises:
            ValueError: the pattern is empty.
        """
        absolute = text.startswith("/")
        names = [name for name in text.split("/") if name not in ("", ".")]
        if not names:
            raise ValueError(f"invalid pattern {text!r}: expected one such as third_party/** or *.world")
        if not absolute and "/" not in text.rstrip("/"):
            names.insert(0, EVERY)
        return cls(text, Relative(Path(text).anchor if absolute else folder), tuple(names))

    def matches(self, path: str) -> bool:
        """Whether the pattern applies to a file."""
        # The positions in the pattern that the names so far may have reached.
        reached, end = self._skipped({0}), len(self.names)
        for name in self.relative(path).split("/"):
            if end in reached:
                break
            following = {at for at in reached if self.names[at] == EVERY}
            following |= {at + 1 for at in reached if fnmatchcase(name, self.names[at])}
            reached = self._skipped(following)
        return end in reached

    def _skipped(self, reached: set[int]) -> set[int]:
        """These positions, and those after a ``**`` that stands for no folder."""
        for at in sorted(reached):
            while at < len(self.names) and self.names[at] == EVERY:
                at += 1
                reached = {*reached, at}
        return reached


def unmatched(patterns: Iterable[Pattern], paths: Sequence[str]) -> list[str]:
    """The patterns that match none of the files."""
    return [pattern.text for pattern in patterns if not any(map(pattern.matches, paths))]
