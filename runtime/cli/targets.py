"""The files that the arguments of a command name: files, folders and patterns, without those excluded."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from polybody.cli.models import attempt, usage
from polybody.cli.streams import STANDARD_INPUT, tell

if TYPE_CHECKING:
    from polybody.cli.patterns import Pattern
    from polybody.cli.settings import Settings

SUFFIXES = (".xml", ".urdf", ".srdf", ".sdf", ".skel", ".mjcf", ".world", ".robot", ".dmd.yaml", ".dmd.yml")

SHOWN = 5
"""Number of links that are named."""


def targets(
    entries: Sequence[str], project: Settings, exclude: Sequence[str] = (), only_models: bool = False
) -> list[str]:
    """The files that the arguments name, with folders and patterns expanded. If one names no file, or a
    pattern of ``exclude`` matches none, the program ends.
    """
    from polybody.cli.patterns import unmatched

    asked = _patterns(exclude, Path(), "--exclude")
    settled = _patterns(project.get("exclude", []), project.folder, f"{project.path}: exclude")
    every: list[str] = []
    names: list[str] = []
    for entry in entries:
        found, outside = _expand(entry)
        chosen = [
            name for name in found
            if name == STANDARD_INPUT or not any(pattern.matches(name) for pattern in (*asked, *settled))
        ]  # fmt: skip
        models = [name for name in chosen if _is_model(name)] if _is_folder(entry) else chosen
        _tell_outside(entry, [
            name for name in outside if not any(pattern.matches(name) for pattern in (*asked, *settled))
        ])  # fmt: skip
        if not models and len(chosen) == len(found):
            usage(f"no model files in {entry}" if _is_folder(entry) else _unmatched(entry))
        every.extend([*found, *outside])
        names.extend(models)
    for pattern in unmatched(asked, every):
        usage(f"--exclude {pattern}: it matches none of the files")
    if _cover(entries, project):
        for setting, rows in (("exclude", settled), ("per-path", [row for row, _ in local(project)])):
            for pattern in unmatched(rows, every):
                tell(f"{project.path}: {setting}: no file matches {pattern!r}")
    if only_models:
        names = [name for name in names if name == STANDARD_INPUT or _is_model(name)]
    return list(dict.fromkeys(names))


def local(project: Settings) -> list[tuple[Pattern, dict[str, Any]]]:
    """The settings for some paths, each with its pattern."""
    tables: dict[str, dict[str, Any]] = project.get("per-path", {})
    rows = _patterns(tables, project.folder, f"{project.path}: per-path")
    return list(zip(rows, tables.values(), strict=True))


def _patterns(texts: Iterable[str], folder: Path, option: str) -> list[Pattern]:
    """Patterns relative to a folder. If one is invalid, the program ends."""
    from polybody.cli.patterns import Pattern

    return attempt(lambda: [Pattern.below(folder, text) for text in texts], ValueError, option=option)


def _cover(entries: Sequence[str], project: Settings) -> bool:
    """Whether all files of the project are among those that the arguments name."""
    from polybody.files import is_within, real

    if project.path is None:
        return False
    return any(
        _is_folder(entry) and is_within(str(real(project.folder)), str(real(entry))) for entry in entries
    )


def _is_folder(entry: str) -> bool:
    from polybody.files import is_folder

    return is_folder(entry)


def _unmatched(pattern: str) -> str:
    return f"no file matches {pattern}"


def _expand(entry: str) -> tuple[list[str], list[str]]:
    """A file unchanged; a folder as the files in it that may be models; a pattern as the files that it
    matches. The second list has those that are links to files elsewhere: whoever made the folder chose them,
    not the user.
    """
    from polybody.document.packages import Reach

    here = Path(entry)
    if _is_folder(entry):
        base, found = here, [path for path in _below(here) if path.name.lower().endswith(SUFFIXES)]
    elif not any(c in entry for c in "*?[") or here.exists():
        return [entry], []
    else:
        parts = here.parts
        wild = next(n for n, part in enumerate(parts) if any(c in part for c in "*?["))
        base = Path(*parts[:wild])
        found = list(base.glob(str(Path(*parts[wild:]))))
    reach = Reach(base)
    names: tuple[list[str], list[str]] = [], []
    for path in sorted(found):
        if path.is_file():
            names[path not in reach].append(str(path))
    return names


def _below(folder: Path) -> Iterator[Path]:
    """The files below a folder, without those in hidden folders, such as `.git` and `.venv`."""
    for base, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        yield from (Path(base) / name for name in files)


def _tell_outside(entry: str, names: list[str]) -> None:
    """Name the links that are not followed out of a folder."""
    if names:
        many = f"{len(names)} files are links" if len(names) > 1 else "one file is a link"
        shown = ", ".join(names[:SHOWN]) + ", ..." * (len(names) > SHOWN)
        tell(f"{entry}: {many} out of it, left out unless named itself: {shown}")


def _is_model(path: str) -> bool:
    """Whether a file is a model; false for other XML files, such as a package.xml."""
    from polybody.document.notations import notation_of
    from polybody.document.registry import is_model
    from polybody.document.sources import LIMITS, SourceError, first_tags, load, make_source, root_tag

    if notation_of(path) is not None:
        return True
    try:
        source = make_source(path, load(path, LIMITS), LIMITS)
    except SourceError:
        return True  # the check reports what is wrong with it
    tag = root_tag(source)
    return tag is None or is_model(tag, next(first_tags(source), {}), Path(path).suffix[1:].lower())
