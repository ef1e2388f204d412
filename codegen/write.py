"""Compares generated texts with a folder, and writes them atomically."""

from __future__ import annotations

import difflib
import errno
import os
import stat
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from .render import MARK

MANIFEST = "MANIFEST"
LONGEST_HEAD = 200
"""Number of characters in which a generated file identifies itself; a MANIFEST alone does not allow removing
a file.
"""


@dataclass(frozen=True, slots=True)
class Changes:
    """Files that a folder lacks, that differ, or that are no longer generated."""

    new: tuple[str, ...]
    changed: tuple[str, ...]
    orphans: tuple[str, ...]

    def __bool__(self) -> bool:
        return bool(self.new or self.changed or self.orphans)


def compare(files: Mapping[str, str], folder: Path) -> Changes:
    """The changes that :func:`write` would make. Orphans: files in MANIFEST that are no longer generated."""
    present = {path: _text(folder / path) for path in files}
    return Changes(
        new=tuple(path for path, text in present.items() if text is None),
        changed=tuple(path for path, text in present.items() if text is not None and text != files[path]),
        orphans=tuple(path for path in _owned(folder) if path not in files and _is_ours(folder, path)),
    )


def difference(files: Mapping[str, str], folder: Path) -> str:
    """The changes as a unified diff, from the folder's texts to the generated ones."""
    changes = compare(files, folder)
    parts: list[str] = []
    for path in sorted((*changes.new, *changes.changed, *changes.orphans)):
        old, new = _text(folder / path), files.get(path)
        parts += difflib.unified_diff(
            (old or "").splitlines(keepends=True),
            (new or "").splitlines(keepends=True),
            f"a/{path}" if old is not None else "/dev/null",
            f"b/{path}" if new is not None else "/dev/null",
        )
    return "".join(part if part.endswith("\n") else part + "\n" for part in parts)


def write(files: Mapping[str, str], folder: Path) -> Changes:
    """Write the files to the folder: each atomically, orphans removed, MANIFEST last.

    Raises:
        OSError: a file cannot be written, or a folder in the folder is a link to another.
    """
    changes = compare(files, folder)
    for path in (*changes.new, *changes.changed):
        link = _link_above(folder, path)
        if link is not None:
            raise OSError(errno.ELOOP, f"{link} is a link to another folder", str(folder / path))
    for path in sorted((*changes.new, *changes.changed), key=lambda path: (path == MANIFEST, path)):
        _replace(folder / path, files[path])
    for path in changes.orphans:
        (folder / path).unlink(missing_ok=True)
        for parent in (folder / path).parents:
            if parent == folder:
                break
            with suppress(OSError):  # not empty: other files are kept
                parent.rmdir()
    return changes


def _replace(target: Path, text: str) -> None:
    """Write to a temporary file next to the target, then rename it."""
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=target.parent, prefix=f".{target.name}.")
    beside = Path(name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
        beside.chmod(0o644)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def _owned(folder: Path) -> list[str]:
    """The paths in the folder's MANIFEST that are inside the folder."""
    listed = (_text(folder / MANIFEST) or "").splitlines()
    paths = (line.strip() for line in listed if line.strip() and not line.startswith("#"))
    return sorted({path for path in paths if _inside(path)})


def _inside(path: str) -> bool:
    return not Path(path).is_absolute() and ".." not in Path(path).parts


def _is_ours(folder: Path, path: str) -> bool:
    """Whether a listed file was generated, according to its first lines, and is in the folder itself."""
    if _link_above(folder, path) is not None or (folder / path).is_symlink():
        return False
    text = _text(folder / path)
    return text is not None and MARK in text[:LONGEST_HEAD]


def _link_above(folder: Path, path: str) -> Path | None:
    """A link on the path from the folder to a file in it; None if there is none."""
    between = Path(path).parents
    return next((folder / place for place in between if place.name and (folder / place).is_symlink()), None)


def _text(path: Path) -> str | None:
    """The text of a regular file, None if there is none; text that is not UTF-8 differs from any generated
    text.
    """
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            return None
        return path.read_bytes().decode("utf-8", "replace")
    except (OSError, ValueError):
        return None
